"""Every setting is declared once: each door gives back what another one took, and a new setting needs nothing else."""

from __future__ import annotations

import argparse
import inspect
import json
import subprocess
import sys
import tomllib
from typing import Literal, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

import PETWorks as pw
from PETWorks.app.forms import Form, list_setting_fields
from PETWorks.cli.options import add_settings
from PETWorks.errors import ParameterError, UnknownNameError
from PETWorks.plugin import Limit
from PETWorks.policy.toml import Problems, TomlSection, toml_text
from PETWorks.settings.section import declare_word, declared, meanings, read_words, write_parameters
from PETWorks.settings.sections import (
    SECTIONS,
    Person,
    Reading,
    Recoding,
    RoleLists,
    RowPairing,
    Search,
    Writing,
    list_recodings,
)

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


class TiedSearch(Search):
    """The settings of a search, and one more: its declaration is all that a new setting needs, besides its words."""

    ties: Literal["first", "last"] = declare_word(Literal["first", "last"], default="first")


def test_a_new_setting_is_one_declaration_and_its_words(monkeypatch):
    added = {"en": "ties", "zh_TW": "平手"}
    words = {one: {"anonymize": {**read_words(one)["anonymize"], "ties": word}} for one, word in added.items()}
    monkeypatch.setattr("PETWorks.settings.section.read_words", words.__getitem__)
    chosen = TiedSearch(ties="last")
    parser = argparse.ArgumentParser()
    add_settings(parser, TiedSearch)
    assert "--ties {first,last}" in parser.format_help()  # command line
    assert TiedSearch.pick(vars(parser.parse_args(["--ties", "last"])) | {"time_limit": None}) == chosen
    text = toml_text({"anonymize": chosen.plain(defaults=False)})
    assert text == '[anonymize]\nties = "last"\n'  # policy: written and read
    problems = Problems()
    section = TomlSection(tomllib.loads(text)["anonymize"], "policy.toml", problems)
    assert (section.read_sections(TiedSearch)["ties"], problems) == ("last", [])
    assert TiedSearch.of(json.loads(json.dumps(chosen.plain()))) == chosen  # record: written and read
    assert inspect.signature(TiedSearch).parameters["ties"].annotation == 'Literal["first", "last"]'  # help(Search)
    assert 'ties: Literal["first", "last"] = "first",' in write_parameters(TiedSearch)  # Python
    assert [meanings(TiedSearch, language=one)["ties"] for one in ("en", "zh_TW")] == ["ties", "平手"]  # reference
    (field,) = [one for one in list_setting_fields({}, "zh_TW", TiedSearch) if one.setting.name == "ties"]
    assert (field.words, field.meaning, field.plain) == (("first", "last"), "平手", None)  # application
    assert field.with_form(Form([("setting-ties", "last")])).plain == "last"
    assert "ties cannot be 'frist'" in field.with_form(Form([("setting-ties", "frist")])).wrong
    with pytest.raises(ParameterError, match="ties cannot be 'frist'"):
        TiedSearch(ties="frist")


PEOPLE = {"year": ["1977", "1977", "1983", "1988"], "disease": ["flu", "cold", "flu", "flu"]}
YEARS = [("1977", "197*"), ("1983", "198*"), ("1988", "198*")]


def test_a_table_with_its_roles_gives_what_the_keywords_give():
    people = pw.Table(PEOPLE, quasi_identifiers=["year"], sensitive=["disease"], hierarchies={"year": YEARS})
    made = people.anonymize(
        pw.KAnonymity(2), search=pw.Search(suppress_at_most="25%"), writing=pw.Writing(seed=1, order="shuffled")
    )
    same = pw.anonymize(PEOPLE, goals=pw.KAnonymity(2), quasi_identifiers=["year"], sensitive=["disease"],
                        hierarchies={"year": YEARS}, suppress_at_most="25%", seed=1, order="shuffled")  # fmt: skip
    assert (made.levels, made.provenance.plan) == (same.levels, same.provenance.plan)
    assert people.with_roles(quasi_identifiers=["year"], rest="insensitive").anonymize(pw.KAnonymity(2)).levels
    released = people.released_as({"year": ["197*", "197*", "198*", "198*"], "disease": PEOPLE["disease"]})
    assert released.check(pw.KAnonymity(2)).requirements_hold
    assert people.inspect().rows == len(PEOPLE["year"])


def test_type_checkers_know_every_recoding():
    assert set(get_args(Recoding)) == set(list_recodings())
