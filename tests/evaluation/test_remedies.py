"""Remedies: verdicts that are inferred instead of computed equal the computed ones."""

from __future__ import annotations

from contextlib import suppress
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import PETWorks as pw
from laws.samples import SAMPLES, questions
from PETWorks.errors import UnknownValueError
from PETWorks.plugin import Privacy
from support.release_facts import find_affordable_generalisations, generalise_columns, suppress_classes
from support.strategies import release_of, tables
from support.strategies_family import thorough

PRIVACY = [kind for kind in pw.measures().values() if issubclass(kind, Privacy)]
MONEY = {"cost": 4, "gain": 300, "loss": 300, "benefit": 200}
JUDGING = [
    *(one for kind in PRIVACY for one in questions(kind) if one.judges),
    pw.LDiversity(l=2, others="join"),
    pw.LDiversity(variant="recursive", l=2, c="3/2"),
    pw.Profitability(**MONEY, allow_attack=False),
    pw.Profitability(**MONEY, information_loss=True),
    pw.BetaLikeness(beta="1/3"),
    pw.DeltaDisclosure(delta="1/2", absent="count"),
]
ASKABLE = [one for one in JUDGING if "population" not in {str(need) for need in one.needs}]


def test_suppressing_a_class_can_change_others():
    """A suppressed row whose sensitive cell is suppressed too leaves the overall distribution."""
    table = {"group": ["1"] * 4 + ["2"] * 4 + ["3"] * 2, "illness": ["x", "x", "x", "y", "*", "*", "*", "y", "x", "y"]}
    facts = pw.Release(table, quasi_identifiers=["group"], sensitive=["illness"]).facts
    measure = pw.TCloseness(t="3/10")
    scores = [
        measure.evaluate(one).worst[-1].exact for one in (facts, suppress_classes(facts, measure.find_failing(facts)))
    ]
    assert scores == [Fraction(3, 10), Fraction(1, 14)]  # of the class that is not suppressed


@thorough
@given(tables(original=True, least_sensitive=1), st.sampled_from(ASKABLE), st.randoms(use_true_random=False))
def test_merging_classes_keeps_what_is_monotone(tables, measure, chance):
    facts = release_of(tables).facts
    lifts = find_affordable_generalisations(facts) if len(facts.classes) else ()
    with suppress(UnknownValueError):  # a distance by hierarchy needs values of its lowest level
        _keeps_holding(facts, measure, lifts, chance)


def _keeps_holding(facts, measure, lifts, chance):
    if measure.monotone and measure.evaluate(facts).holds and lifts:
        changed = generalise_columns(facts, chance.choice(lifts))
        if changed.scope.suppressed == facts.scope.suppressed:
            assert measure.evaluate(changed).holds


def test_delta_disclosure_is_not_monotone():
    """The counter-example of the specification: two classes hold, merged they do not."""
    illness = ["a"] * 9 + ["b"] + ["b"] * 10
    table = {"group": ["1"] * 9 + ["2"] + ["3"] * 10, "side": ["x"] * 10 + ["y"] * 10, "illness": illness}
    apart = pw.Release(table, quasi_identifiers=["group", "side"], sensitive=["illness"])
    merged = pw.Release(table, quasi_identifiers=["side"], sensitive=["illness"])
    values = [one.ask(pw.DeltaDisclosure()).value for one in (apart, merged)]
    assert values == pytest.approx([1.152, 2.459], abs=1e-3)
    assert not pw.DeltaDisclosure(1).monotone


@pytest.mark.parametrize("sample", SAMPLES)
@pytest.mark.parametrize("measure", JUDGING, ids=repr)
def test_advice_is_what_measuring_anew_gives(sample, measure):
    """For every measure, also with a population: the verdicts equal those of a release that was really changed."""
    release = sample.release()
    try:
        evaluation = release.check(measure, pw.Precision(at_least=0))
    except pw.PETWorksError:
        pytest.skip("needs something that this sample lacks")
    facts, advice = release.facts, evaluation.advice
    if advice is None:
        return
    for remedy in advice.generalise:
        for outcome, one in zip(remedy.after, evaluation.requirements, strict=True):
            after = one.measure.evaluate(generalise_columns(facts, *remedy.lifts))
            assert (outcome.holds, outcome.failing_rows) == (after.holds, after.failing_rows)
    failing = measure.find_failing(facts)
    for remedy in advice.suppress:
        changed = suppress_classes(facts, failing)
        assert [one.holds for one in remedy.after] == [one.measure.evaluate(changed).holds for one in remedy.after]
        assert remedy.precision == pw.Precision().evaluate(changed).value
        assert Fraction(remedy.people, 1) == facts.classes.people[failing].sum()
