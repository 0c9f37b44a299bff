"""Advice: each remedy is the release as it would be, measured anew; and the people that it concerns are counted."""

from __future__ import annotations

from functools import reduce

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import PETWorks as pw
from PETWorks.answer import advice as advising
from PETWorks.answer.advice import Advice, Outcome, Remedy
from PETWorks.errors import NotAskableError
from PETWorks.facts.what_if import effort, generalising, suppressing
from PETWorks.measure.privacy import Privacy
from support.strategies import release_of, tables
from support.strategies_family import thorough

ASKED = [
    [pw.KAnonymity(k=2)],
    [pw.KAnonymity(k=2), pw.TCloseness(t="0.3")],
    [pw.KAnonymity(k=3), pw.LDiversity(l=2), pw.Precision(at_least="0.5"), pw.KMap(k=2)],
    [pw.TCloseness(t="0.1"), pw.KAnonymity(k=2), pw.KAnonymity(k=4)],
    [pw.Precision(at_least=1)],
]


def people_failing(measures, facts) -> int:
    failing = [one.failing(facts) for one in measures if isinstance(one, Privacy)]
    anywhere = reduce(np.logical_or, failing, np.zeros(len(facts.classes), dtype=bool))
    return int(facts.classes.sizes[anywhere].sum())


def precision(facts) -> float | None:
    try:
        return pw.Precision().evaluate(facts).value
    except pw.PETWorksError:
        return None


def verdicts(requirements, facts) -> list[bool | None]:
    return [one.measure.evaluate(facts).holds if one.result else None for one in requirements]


@thorough
@given(tables(least_sensitive=1), st.sampled_from(ASKED))
def test_advice(tables, asked):
    release = release_of(tables)
    evaluation = release.check(*asked)
    facts, advice, requirements = release._facts, evaluation.advice, evaluation.requirements
    broken = [one.measure for one in requirements if one.holds is False]
    if not broken or not len(facts.classes):
        assert advice is None
        return
    assert advice.precision == precision(facts)
    assert advice.failing_people == people_failing(broken, facts)
    _suppression_is_tried(advice, requirements, facts, broken)
    _columns_are_tried(advice, requirements, facts)


def _suppression_is_tried(advice, requirements, facts, broken):
    failing = {one: one.failing(facts) for one in broken if isinstance(one, Privacy)}
    every = reduce(np.logical_or, failing.values(), np.zeros(len(facts.classes), dtype=bool))
    sized = [mask for one, mask in failing.items() if isinstance(one, pw.KAnonymity)]
    small = reduce(np.logical_or, sized, np.zeros(len(facts.classes), dtype=bool))
    expected = {"suppress_small": small} if sized and small.tolist() != every.tolist() else {}
    expected |= {"suppress_failing": every} if every.any() and not every.all() else {}
    assert [one.kind for one in advice.suppress] == [*expected]
    for remedy, mask in zip(advice.suppress, expected.values(), strict=True):
        changed = suppressing(facts, mask)
        assert [one.holds for one in remedy.after] == verdicts(requirements, changed)
        assert (remedy.classes, remedy.people) == (mask.sum(), facts.classes.sizes[mask].sum())
        assert remedy.precision == precision(changed)
    best = [one for one in advice.suppress if one.kind == "suppress_failing" and all(x.holds for x in one.after)]
    assert advice.best == (best[0] if best else None)


def _columns_are_tried(advice, requirements, facts):
    columns = facts.roles.quasi_identifiers
    assert sorted(one.column for one in advice.generalise) == (sorted(columns) if len(columns) > 1 else [])
    assert [one.worst for one in advice.generalise] == sorted(one.worst for one in advice.generalise)
    for place, remedy in enumerate(advice.generalise):
        changed = generalising(facts, remedy.column)
        holds = verdicts(requirements, changed)
        assert [one.holds for one in remedy.after] == holds
        assert (remedy.classes, remedy.people) == (len(facts.classes), facts.classes.sizes.sum())
        failing = [one.measure for one, does in zip(requirements, holds, strict=True) if does is False]
        told = place == 0 or all(holds)
        assert remedy.precision == (precision(changed) if told else None)
        assert remedy.failing_people == (people_failing(failing, changed) if told else 0)


def test_what_is_counted_of_outcomes():
    outcomes = Outcome(pw.KAnonymity(k=2), True, 9), Outcome(pw.KAnonymity(k=3), False, 3), Outcome(pw.AECS(), None, 4)
    some = Remedy("suppress_failing", 1, 1, outcomes)
    assert (some.failing, some.worst) == (2, 4)
    assert (Remedy("generalise", 1, 1, outcomes[:1]).failing, Remedy("generalise", 1, 1, ()).worst) == (0, 0)
    good = Remedy("suppress_failing", 1, 1, outcomes[:1])
    small = Remedy("suppress_small", 1, 1, outcomes[:1])
    assert Advice((small, good), (), None, 0).best is good
    assert Advice((small, some), (), None, 0).best is None


def test_columns_are_not_tried_where_that_takes_too_long(monkeypatch):
    release = pw.Release({"a": ["1", "2", "2"], "b": ["1", "2", "2"]})
    effort_here = effort(release._facts)
    assert effort_here == 2 * 12 * 2  # columns, what each costs, combinations
    assert advising.AFFORDABLE == 30_000_000
    for affordable, tried in ((effort_here, 2), (effort_here - 1, 0)):
        monkeypatch.setattr(advising, "AFFORDABLE", affordable)
        assert len(release.check(pw.KAnonymity(k=2)).advice.generalise) == tried


@pytest.mark.parametrize("k", [1, 2])
def test_no_advice_where_all_holds_or_nothing_is_published(k):
    assert pw.Release({"a": ["1"] * k}).check(pw.KAnonymity(k=k)).advice is None
    assert pw.Release({"a": ["*"] * 3}).check(pw.KAnonymity(k=k)).advice is None


def test_no_advice_without_facts():
    evaluation = pw.Release({"a": ["1", "2", "2"], "b": ["1", "2", "2"]}).check(pw.KAnonymity(k=2))
    assert evaluation.advice is not None
    assert evaluation.guarded().advice is None


def test_what_cannot_be_measured_after_a_remedy_has_no_verdict(monkeypatch):
    release = pw.Release({"a": ["1", "2", "2"], "b": ["1", "2", "2"]})
    judged_by = pw.KAnonymity.judged_by

    def only_as_released(self, facts):
        if facts is not release._facts:
            raise NotAskableError("not so")
        return judged_by(self, facts)

    monkeypatch.setattr(pw.KAnonymity, "judged_by", only_as_released)
    advice = release.check(pw.KAnonymity(k=2)).advice
    assert [[one.holds for one in remedy.after] for remedy in advice.generalise] == [[None], [None]]
