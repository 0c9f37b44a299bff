"""Every setting is declared once: each door gives back what another one took, and a new setting needs nothing else."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from PETWorks.errors import ParameterError, UnknownNameError
from PETWorks.exact.limit import Limit
from PETWorks.settings.section import declared
from PETWorks.settings.sections import SECTIONS, Person, Reading, RoleLists, RowPairing, Search, Writing
from PETWorks.settings.words import read_words

COLUMNS = st.sampled_from(["age", "native country", "性別", 'a"b'])
SHARES = st.sampled_from([0, "5%", "1/20", "0.05", 1])


@st.composite
def searches(draw):
    """Draw settings of a search."""
    recoding = draw(st.sampled_from(["global", "local", "microaggregate"]))
    return Search(
        suppress_at_most=draw(SHARES),
        utility=draw(st.sampled_from([None, "loss", "Precision"])),
        recoding=recoding,
        grouping=draw(st.sampled_from(["halving", "mdav"])) if recoding == "microaggregate" else None,
        parts=recoding == "local" and draw(st.booleans()),
        levels=draw(st.dictionaries(COLUMNS, st.integers(0, 4))),
        weights=draw(st.dictionaries(COLUMNS, st.sampled_from(["1/2", 1, "0.25", 0]))),
        suppress=draw(st.sampled_from(["rows", "people"])),
        time_limit=draw(st.sampled_from([None, "60 s", "2 min", "1.5", 5])),
        polish_rounds=draw(st.sampled_from([None, 0, 7])),
    )


@st.composite
def writings(draw):
    """Draw settings of writing."""
    order = draw(st.sampled_from(["original", "shuffled"]))
    seed = draw(st.sampled_from([None, 0, 99])) if order == "shuffled" else None
    return Writing(order=order, seed=seed, drop_identifiers=draw(st.booleans()))


@st.composite
def persons(draw):
    """Draw what is said of persons."""
    if (person := draw(st.sampled_from([None, "id", "病歷 號"]))) is None:
        return Person()
    unknown = draw(st.sampled_from([None, "together", "each"]))
    return Person(person, known=draw(st.sampled_from(["one", "all"])), unknown_person=unknown)


READINGS = st.builds(Reading, delimiter=st.sampled_from([None, ";", "\t"]), encoding=st.sampled_from([None, "big5"]))
ROLE_LISTS = st.builds(RoleLists, quasi_identifiers=st.lists(COLUMNS, unique=True), sensitive=st.lists(COLUMNS))
ANY_SECTION = st.one_of(searches(), writings(), persons(), READINGS, ROLE_LISTS)


@given(ANY_SECTION)
def test_plain_values_give_it_back(section):
    kind = type(section)
    assert kind.of(section.plain()) == section
    assert kind.of(section.plain(defaults=False)) == section
    assert kind.of(json.loads(json.dumps(section.plain()))) == section


def test_a_float_stays_the_number_that_was_written():
    assert Search(suppress_at_most=0.05).plain()["suppress_at_most"] == 0.05
    assert Search(suppress_at_most=0.05).suppress_at_most == Limit.of(0.05)


WRONG = [
    (Search, {"recoding": "globl"}, "recoding cannot be"),
    (Search, {"recoding": None}, "recoding cannot be None"),
    (Search, {"suppress_at_most": 2}, "suppress_at_most must be a share of the rows"),
    (Search, {"levels": 3}, "levels must map columns to numbers"),
    (Search, {"levels": {"age": True}}, 'levels: the level of "age" must be a whole number'),
    (Search, {"weights": {"age": 2}}, 'the weight of "age" must be from 0 to 1'),
    (Search, {"time_limit": "soon"}, "time_limit cannot be 'soon'"),
    (Search, {"parts": 1}, "parts must be True or False"),
    (Search, {"parts": True}, "parts is for local recoding only"),
    (Search, {"grouping": "mdav"}, "grouping is for microaggregation only"),
    (Search, {"polish_rounds": -1}, "polish_rounds must be a whole number from 0"),
    (Writing, {"seed": 1}, "a seed is for a shuffled order only"),
    (RowPairing, {"pairing": "key"}, "rows pair by key, but no key is given"),
    (Person, {"known": "all"}, "every row is one person"),
    (RoleLists, {"sensitive": "ill"}, "sensitive must be a list of names"),
]


@pytest.mark.parametrize(("section", "wrong", "problem"), WRONG)
def test_wrong_values_are_refused_by_name(section, wrong, problem):
    with pytest.raises(ParameterError, match=problem):
        section(**wrong)


def test_unknown_names_are_errors():
    with pytest.raises(UnknownNameError, match='did you mean "recoding"'):
        Search.of({"recodng": "local"})


@pytest.mark.parametrize("language", ["en", "zh_TW"])
def test_every_setting_has_words_and_no_others_have(language):
    words = {(table, name) for table, found in read_words(language).items() for name in found}
    assert words == {(one.table or "engine", name) for one in SECTIONS for name in declared(one)}


def test_declarations_load_fast():
    code = "import sys, PETWorks.settings.sections; print({'numpy', 'pyarrow', 'tomllib'} & {*sys.modules})"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "set()"
