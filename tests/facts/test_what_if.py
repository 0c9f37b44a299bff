"""A release whose tally was changed gives the same results as one whose rows were changed."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import PETWorks as pw
from evaluation.test_advice_by_definition import generalised, text_of
from oracle.naive import Tables, is_suppressed
from PETWorks.evaluation.run import evaluate_all
from PETWorks.facts.what_if import (
    Generalisation,
    estimate_lost_detail,
    find_affordable_generalisations,
    generalise_columns,
    leaves_enough,
    suppress_classes,
)
from support.strategies import forms, release_of, tables
from support.strategies_family import release_from, samples, thorough


def measured(facts) -> dict:
    """Return all results, and the measures that could not be evaluated."""
    evaluation = evaluate_all(facts)
    answers = {result.name: result.to_dict() | {"notes": None} for result in evaluation}
    return answers | dict.fromkeys(evaluation.skipped)


def changed(tables: Tables, facts, columns: list[str], chosen) -> Tables:
    """Write the marker into the rows of some classes."""
    classes = facts.classes
    wanted = {frozenset(classes.values(number).items()) for number in np.flatnonzero(chosen).tolist()}
    rows = []
    for row in tables.released:
        key = frozenset((name, text_of(row[name])) for name in tables.quasi_identifiers)
        rows.append(row | dict.fromkeys(columns, tables.marker) if key in wanted else row)
    return replace(tables, released=rows)


@thorough
@given(tables(original=True), st.randoms(use_true_random=False))
def test_suppressing(tables, chance):
    facts = release_of(tables).facts
    chosen = np.array([chance.random() < 0.5 for _ in range(len(facts.classes))], dtype=bool)
    really = release_of(changed(tables, facts, tables.quasi_identifiers, chosen)).facts
    assert measured(suppress_classes(facts, chosen)) == measured(really)


@thorough
@given(samples(), st.randoms(use_true_random=False))
def test_suppressing_with_a_population(sample, chance):
    tables, population = sample
    facts = release_from(tables, population).facts
    chosen = np.array([chance.random() < 0.5 for _ in range(len(facts.classes))], dtype=bool)
    really = release_from(changed(tables, facts, tables.quasi_identifiers, chosen), population).facts
    assert measured(suppress_classes(facts, chosen)) == measured(really)


@thorough
@given(tables(original=True), st.randoms(use_true_random=False))
def test_generalising(tables, chance):
    facts = release_of(tables).facts
    lifts = [lift for lift in find_affordable_generalisations(facts) if chance.random() < 0.5]
    lifts = [*{lift.column: lift for lift in lifts}.values()]
    really = reduce(generalised, lifts, tables)
    assert measured(generalise_columns(facts, *lifts)) == measured(release_of(really).facts)


@thorough
@given(tables(original=True), st.randoms(use_true_random=False))
def test_suppressing_what_was_generalised(tables, chance):
    lifts = find_affordable_generalisations(release_of(tables).facts)[-1:]
    really = reduce(generalised, lifts, tables)
    facts = release_of(really).facts
    chosen = np.array([chance.random() < 0.5 for _ in range(len(facts.classes))], dtype=bool)
    really = release_of(changed(really, facts, tables.quasi_identifiers, chosen)).facts
    lifted = generalise_columns(release_of(tables).facts, *lifts)
    assert measured(suppress_classes(lifted, chosen)) == measured(really)


def test_the_next_level_is_one_that_merges_values():
    """Level 1 names the bands by ages that are leaves, so that lifting them there changes nothing."""
    ages = [("21", "22", "20s", "*"), ("22", "22", "20s", "*"), ("26", "27", "20s", "*"), ("27", "27", "20s", "*")]
    release = pw.Release({"age": ["22", "27", "*"], "sex": ["f", "m", "*"]}, hierarchies={"age": ages})
    assert find_affordable_generalisations(release.facts) == (
        Generalisation("age", 2),
        Generalisation("age"),
        Generalisation("sex"),
    )


def test_only_the_next_level_and_none_for_a_column_that_is_gone():
    ages = [(str(age), f"{age // 5 * 5}+", f"{age // 10 * 10}+", "*") for age in range(20, 40)]
    table = {"zip": ["*"] * 4, "age": ["21", "22", "26", "31"]}
    assert find_affordable_generalisations(pw.Release(table, hierarchies={"age": ages}).facts) == (
        Generalisation("age", 1),
        Generalisation("age"),
    )


def test_a_suppressed_cell_stays_suppressed():
    """Also where a hierarchy has a leaf that is written as the marker is."""
    ages = [("*", "low", "all"), ("21", "low", "all")]
    facts = pw.Release({"age": ["*", "21"], "sex": ["f", "m"]}, hierarchies={"age": ages}).facts
    assert generalise_columns(facts, Generalisation("age", 1)).released.columns["age"].values == ["*", "low"]


def test_detail_lost_by_hand():
    """Of two levels, ages have lost none or half; sexes, without a hierarchy, all or none; the last row everything."""
    table = {"age": ["21", "20s", "20s", "22", "22", "*"], "sex": ["f", "m", "m", "*", "*", "*"]}
    facts = pw.Release(table, hierarchies={"age": [("21", "20s", "*"), ("22", "20s", "*")]}).facts
    assert estimate_lost_detail(facts) == (0 + 1 / 2 + 1 / 2 + 1 + 1 + 2) / 12
    assert estimate_lost_detail(facts, np.array([False, True, False])) == (2 + 1 / 2 + 1 / 2 + 1 + 1 + 2) / 12
    assert leaves_enough(suppress_classes(facts, np.array([True, False, False])))  # half of the rows
    assert not leaves_enough(suppress_classes(facts, np.array([True, True, False])))


@thorough
@given(tables(), forms)
def test_failing_positions(tables, form):
    """A row fails k = 3 if its class has fewer than two other rows."""
    evaluation = release_of(tables, form).evaluate(pw.KAnonymity(k=3))
    keys = [frozenset((name, text_of(row[name])) for name in tables.quasi_identifiers) for row in tables.released]
    published = [key for key, row in zip(keys, tables.released, strict=True) if not is_suppressed(tables, row)]
    expected = [
        position
        for position, (key, row) in enumerate(zip(keys, tables.released, strict=True))
        if not is_suppressed(tables, row) and published.count(key) < 3
    ]
    assert evaluation.failing_positions().tolist() == expected


def test_suppressing_people_of_many_combinations():
    """Numbers of combinations fit in a byte, but not when they are doubled."""
    who = [str(person) for person in range(200) for _ in range(2)]
    zips = [str(1000 + int(person) // (2 if int(person) < 100 else 1)) for person in who]
    table = {"who": who, "zip": zips, "ill": [str(int(person) % 3) for person in who]}
    asked = {"quasi_identifiers": ["zip"], "sensitive": ["ill"], "person": "who", "known": "all"}
    facts = pw.Release(table, **asked).facts
    assert len(facts.released.counts) == 200
    shown = {"zip": [code if int(person) < 100 else "*" for person, code in zip(who, zips, strict=True)]}
    really = pw.Release(table | shown, **asked).facts
    assert measured(suppress_classes(facts, facts.classes.sizes < 2)) == measured(really)
