"""Whatever may be found has words in every language, and no table makes an inspection fail."""

import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import PETWorks as pw
from PETWorks.attributetypes import Role
from PETWorks.inspection.suggestion import _read_topics
from PETWorks.inspection.values import COMPACT, DATES, FINDERS, Kind
from support.output import LANGUAGES, words

FIGURE = re.compile(r"\{(\w+)")
CELLS = st.text(max_size=6) | st.sampled_from(
    ["", "A123456789", "0912345678", "1", "2.5", "79/5/21", "臺北市", "男", "yes"]
)


@pytest.mark.parametrize("language", LANGUAGES)
def test_all_that_may_be_found_has_words(language):
    known = words(language).inspection
    topics = _read_topics()
    needed = {f"topic_{one.name}" for one in topics} | {one.why for one in topics} | {one.law for one in topics} - {""}
    needed |= {f"form_{one.name}" for one in FINDERS} | {one.why for one in FINDERS}
    needed |= {f"form_{name}" for name in (*DATES, *COMPACT, "county", "township")}
    needed |= {f"kind_{kind}" for kind in Kind} | {f"role_{role}" for role in Role}
    assert needed - {*known} == set()


def test_sentences_have_the_same_keys_and_figures_in_every_language():
    english, chinese = (words(language).inspection for language in LANGUAGES)
    assert {key: {*FIGURE.findall(text)} for key, text in english.items()} == {
        key: {*FIGURE.findall(text)} for key, text in chinese.items()
    }


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(st.text(min_size=1, max_size=8).filter(str.strip), st.lists(CELLS, max_size=30), max_size=4))
def test_no_table_makes_it_fail(table):
    rows = min(map(len, table.values()), default=0)
    names = {name.strip() for name in table}
    if not rows or len(names) < len(table):
        return
    found = pw.inspect({name: cells[:rows] for name, cells in table.items()})
    assert json.loads(found.to_json())["rows"] == rows
    for language in LANGUAGES:
        assert found.text(language)
    assert found._repr_html_()
    assert found == pw.inspect({name: cells[:rows][::-1] for name, cells in table.items()})
