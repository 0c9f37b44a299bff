"""A built hierarchy is like any other: passed to a release, written to a file, read again; no measure changes."""

from __future__ import annotations

from random import Random

import pytest

import PETWorks as pw
from PETWorks import Hierarchy, PETWorksError
from PETWorks.hierarchies.files import read_hierarchy

CHANCE = Random(7)
AGES = [str(CHANCE.randrange(15, 99)) for _ in range(300)]
ZIPS = [CHANCE.choice(["10617", "10089", "80145", None]) for _ in AGES]
JOBS = [CHANCE.choice(["clerk", "clerk", "nurse", "diver; or not", 'the "boss"', "line\nbreak"]) for _ in AGES]
SICK = [CHANCE.choice(["flu", "cold", "cough"]) for _ in AGES]
PEOPLE = {"age": AGES, "zip": ZIPS, "job": JOBS, "sick": SICK}
ROLES = {"quasi_identifiers": ["age", "zip", "job"], "sensitive": ["sick"]}
RULES = [
    Hierarchy.intervals("age", [5, 10, 20], bottom=15, top=95),
    Hierarchy.prefixes("zip", [3, 1]),
    Hierarchy.rare_last("job", "20%"),
    Hierarchy.parents("sick", {"flu": "virus", "cold": "virus", "cough": "symptom"}),
]


def released(rules):
    made = pw.anonymize(PEOPLE, **ROLES, hierarchies=rules, goals=pw.KAnonymity(5), suppress_at_most="10%")
    return made.frame("pyarrow").to_pydict()


def values(release):
    return {result.measure.name: (result.value, result.parts) for result in release.evaluate()}


def test_a_built_hierarchy_measures_the_same_as_its_file(tmp_path):
    table = released(RULES)
    assert table["age"] != AGES
    files = {rule.name: rule.build(PEOPLE).write(tmp_path / f"{rule.name}.csv") for rule in RULES}
    by_rule = values(pw.Release(table, original=PEOPLE, **ROLES, hierarchies=RULES))
    by_file = values(pw.Release(table, original=PEOPLE, **ROLES, hierarchies=files))
    assert by_rule == by_file
    assert {"Precision", "granularity", "t-closeness", "Non-Uniform Entropy"} <= {*by_rule}
    assert released(files) == table


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.kind)
def test_a_file_holds_all_of_it(tmp_path, rule):
    built = rule.build(PEOPLE)
    again = read_hierarchy(rule.name, built.write(tmp_path / "x.csv"))
    assert [*again.rows()] == [*built.rows()]


def test_rules_in_a_dict_or_list():
    by_dict = pw.Release(PEOPLE, original=PEOPLE, **ROLES, hierarchies={rule.name: rule for rule in RULES})
    assert by_dict.ask("Precision").value == 1
    with pytest.raises(PETWorksError, match='two hierarchies for "age"'):
        pw.Release(PEOPLE, hierarchies=[RULES[0], RULES[0]])
    with pytest.raises(PETWorksError, match="a folder, a dict or a list of hierarchies and rules"):
        pw.Release(PEOPLE, hierarchies=["age"])


def test_a_rule_needs_the_original():
    release = pw.Release({"age": ["15-19"]}, hierarchies=RULES[:1])
    with pytest.raises(PETWorksError, match="built on the values of the original, which is not given") as caught:
        release.ask("Precision")
    assert "petworks hierarchy" in caught.value.hint


def test_values_that_a_rule_cannot_place_are_an_error_or_generalised():
    table, rule = {"age": ["17", "old"]}, [Hierarchy.intervals("age", 10)]
    with pytest.raises(PETWorksError, match="1 value is not"):
        pw.Release(table, original=table, hierarchies=rule).ask("Precision")
    assert (
        pw.Release(table, original=table, hierarchies=rule, unknown_values="generalised").ask("Precision").value == 0.5
    )


def test_a_population_may_have_more_values():
    people, sample = {"age": ["17", "18", "31", "33"]}, {"age": ["17", "31"]}
    release = pw.Release(
        {"age": ["10-19", "30-39"]},
        original=sample,
        population=people,
        hierarchies=[Hierarchy.intervals("age", 10)],
    )
    assert release.ask("k-map").value == 2


def test_two_levels_that_the_values_make_equal_stay():
    built = Hierarchy.intervals("age", [5, 10, 20]).build(["21", "22"])
    assert next(built.rows()) == ("21", "20-24", "20-29", "20-39", "*")
