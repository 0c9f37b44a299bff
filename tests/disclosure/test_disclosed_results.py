"""What is left of a result where anybody may read it: of few people neither values nor exact scores."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import PETWorks as pw
from PETWorks.disclosure.results import disclose_note, disclose_result
from PETWorks.measure.result import ClassScore, ResultPart
from PETWorks.plugin import Note
from support.strategies import brute

RESULT = pw.Release({"q": ["a"] * 9, "s": ["x"] * 9}, quasi_identifiers=["q"], sensitive=["s"]).ask("t-closeness")
VALUES = {"q": "a"}

shares = st.builds(Fraction, st.integers(0, 10**6), st.integers(1, 10**6))
simple = st.builds(Fraction, st.integers(0, 300), st.integers(1, 101))


def given_away(exact: Fraction) -> bool:
    """True if four digits leave no doubt about a fraction: no other so simple is nearer to them."""
    digits = Fraction(f"{float(exact):.4g}")
    return (
        exact.denominator <= 100
        and min((Fraction(round(digits * below), below) for below in range(1, 101)), key=lambda one: abs(one - digits))
        == exact
    )


@brute
@given(st.one_of(shares, simple), st.integers(1, 8), st.integers(1, 8))
@example(Fraction(2, 3), 4, 5)
@example(Fraction(2, 3), 5, 5)
@example(Fraction(1, 100), 1, 5)
@example(Fraction(1, 101), 1, 5)
@example(Fraction(12345, 100), 1, 5)
def test_scores_of_few_people_have_four_digits(exact, people, least):
    one = ClassScore(VALUES, people + 1, float(exact), exact, people)
    many = ClassScore(VALUES, 20, float(exact), exact, 20)
    part = ResultPart(float(exact), exact, worst=(one, many))
    shown = disclose_result(replace(RESULT, **vars(part), parts={"s": part}), least)
    assert shown.disclosure.least == least
    for found in (shown, shown.parts["s"]):
        assert found.worst[1] == many
        if people >= least:
            assert (found.value, found.exact, found.worst[0]) == (float(exact), exact, one)
        elif given_away(exact):
            assert (found.value, found.exact) == (float(exact), exact)
            assert found.worst[0] == replace(one, values=None)
        else:
            assert (found.value, found.exact) == (float(f"{float(exact):.4g}"), None)
            assert found.worst[0] == replace(one, values=None, value=found.value, exact=None)


def test_a_score_decided_by_many_is_told_though_few_are_in_another_class():
    exact = Fraction(12345, 67891)
    many, few = (ClassScore(VALUES, people, float(exact), exact, people) for people in (20, 2))
    shown = disclose_result(replace(RESULT, value=float(exact), exact=exact, worst=(many, few)))
    assert (shown.value, shown.exact) == (float(exact), exact)
    assert (shown.worst[1].values, shown.worst[1].exact, shown.worst[1].value) == (None, None, 0.1818)


@pytest.mark.parametrize("value", [None, 0.123456])
def test_a_score_that_is_no_fraction(value):
    few = ClassScore(VALUES, 2, value, None, 2)
    shown = disclose_result(replace(RESULT, value=value, exact=None, worst=(few,)))
    rounded = None if value is None else 0.1235
    assert (shown.value, shown.worst[0].value, shown.worst[0].values) == (rounded, rounded, None)


def test_without_classes_the_value_is_as_it_was():
    exact = Fraction(12345, 67891)
    shown = disclose_result(replace(RESULT, value=float(exact), exact=exact, worst=()))
    assert (shown.value, shown.exact) == (float(exact), exact)


def test_notes_that_name_values_have_others_in_their_place():
    plain, withheld = Note("plain"), Note("withheld")
    telling = Note("telling", instead=withheld)
    error = Note("error", {"text": "the cell is 'x'", "guarded": "a cell is wrong"})
    assert [disclose_note(one, 2) for one in (plain, telling)] == [plain, withheld]
    assert disclose_note(error, 2) == Note("error", {"text": "a cell is wrong"})
    assert [disclose_note(one, 1) for one in (plain, telling, error)] == [plain, telling, error]
    assert disclose_result(replace(RESULT, notes=(plain, telling))).notes == (plain, withheld)


def test_steps_are_told_unless_they_are_not_wanted():
    assert [one.kind for one in disclose_result(RESULT).steps] == [one.kind for one in RESULT.steps] != []
    assert disclose_result(RESULT, explained=False).steps == ()
    assert disclose_result(RESULT).facts is None
    assert disclose_result(RESULT).bounds == ()
