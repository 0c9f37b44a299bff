"""A release whose tally was changed gives the same results as one whose rows were changed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import PETWorks as pw
from oracle.naive import Tables, is_suppressed
from PETWorks.answer.run import survey
from PETWorks.facts.what_if import generalising, suppressing
from support.strategies import forms, release_of, tables
from support.strategies_family import thorough


def measured(facts) -> dict:
    """Return all results, and the measures that could not be evaluated."""
    evaluation = survey(facts)
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


def text_of(cell):
    """Return the text of a cell as it is read: trimmed, None if it is blank."""
    return cell if cell is None else cell.strip() or None


@thorough
@given(tables(original=True), st.randoms(use_true_random=False))
def test_suppressing(tables, chance):
    facts = release_of(tables)._facts
    chosen = np.array([chance.random() < 0.5 for _ in range(len(facts.classes))], dtype=bool)
    really = release_of(changed(tables, facts, tables.quasi_identifiers, chosen))._facts
    assert measured(suppressing(facts, chosen)) == measured(really)


@thorough
@given(tables(original=True), st.randoms(use_true_random=False))
def test_generalising(tables, chance):
    facts = release_of(tables)._facts
    column = chance.choice(tables.quasi_identifiers)
    everything = np.ones(len(facts.classes), dtype=bool)
    really = release_of(changed(tables, facts, [column], everything))._facts
    assert measured(generalising(facts, column)) == measured(really)


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
