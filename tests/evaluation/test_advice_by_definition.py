"""Advice: every remedy that is offered, applied to the rows and measured anew, gives the figures it promised."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import PETWorks as pw
from oracle.naive import Tables, Value, is_suppressed, ladders
from PETWorks.errors import NotAskableError
from PETWorks.evaluation.remedies import Advice, Remedy, RemedyEffect
from PETWorks.facts import what_if
from PETWorks.plugin import Privacy
from support.release_facts import Generalisation
from support.strategies import release_of, tables
from support.strategies_family import release_from, samples, thorough

ASKED = [
    [pw.KAnonymity(k=2)],
    [pw.KAnonymity(k=2), pw.TCloseness(t="0.3")],
    [pw.KAnonymity(k=3), pw.LDiversity(l=2), pw.Precision(at_least="0.5"), pw.KMap(k=2)],
    [pw.TCloseness(t="0.1"), pw.KAnonymity(k=2), pw.KAnonymity(k=4)],
    [pw.Precision(at_least=1)],
    [pw.BetaLikeness(beta="1/2"), pw.LDiversity(l=2, variant="entropy"), pw.ReidentificationRisk(average="1/2")],
]
WITH_POPULATION = [
    [pw.KMap(k=3)],
    [pw.DeltaPresence(d_min="1/4", d_max="3/4"), pw.KAnonymity(k=2)],
    [pw.Profitability(cost=4, gain=300, loss=300, benefit=100, attacker="journalist"), pw.KMap(k=2)],
]


def text_of(cell: Value) -> Value:
    """Return the text of a cell as it is read: trimmed, None if it is blank."""
    return cell if cell is None else cell.strip() or None


def generalised(tables: Tables, lift: Generalisation) -> Tables:
    """Replace the values of a column that are below a level; the first level that has a value is its own."""

    def further(value: Value) -> Value:
        if lift.level is None:
            return tables.marker
        tree = ladders(tables, lift.column)
        own = [ladder.index(value) for ladder in tree.values() if value in ladder]
        if value == tables.marker or not own or min(own) >= lift.level:
            return value
        return next(ladder[lift.level] for ladder in tree.values() if ladder[min(own)] == value)

    return replace(
        tables, released=[row | {lift.column: further(text_of(row[lift.column]))} for row in tables.released]
    )


def suppressed(tables: Tables, release: pw.Release, measures: list) -> Tables:
    """Suppress the rows of the classes that fail any of the measures."""
    facts = release.facts
    gone = set()
    for measure in measures:
        failing = measure.find_failing(facts).nonzero()[0].tolist() if isinstance(measure, Privacy) else []
        gone |= {frozenset(facts.classes.values(number).items()) for number in failing}
    rows = []
    for row in tables.released:
        key = frozenset((name, text_of(row[name])) for name in tables.quasi_identifiers)
        hides = key in gone and not is_suppressed(tables, row)
        rows.append(row | dict.fromkeys(tables.quasi_identifiers, tables.marker) if hides else row)
    return replace(tables, released=rows)


def check_advice(tables: Tables, asked: list, release) -> None:
    """Apply every remedy that is offered to the rows; `release` builds a release from tables."""
    evaluation = release(tables).check(*asked)
    advice, rows = evaluation.advice, len(tables.released)
    before = sum(is_suppressed(tables, row) for row in tables.released)
    broken = [one.measure for one in evaluation.requirements if one.holds is False]
    if not broken or before == rows:
        assert advice is None
        return
    combined = [advice.combined] if advice.combined else []
    offered = [*advice.suppress, *advice.generalise, *combined]
    for remedy in offered:
        changed = tables
        for lift in remedy.lifts:
            changed = generalised(changed, lift)
        if remedy.classes:
            lifted = release(changed)
            failing = lifted.check(*asked).requirements if remedy.lifts else evaluation.requirements
            chosen = [one.measure for one in failing if one.holds is False]
            assert {*remedy.only} <= {*chosen}
            changed = suppressed(changed, lifted, remedy.only or chosen)
        gone = sum(is_suppressed(changed, row) for row in changed.released)
        assert remedy.people == gone - before
        assert 2 * gone <= rows
        assert (remedy.failing, remedy.failing_people) < (advice.failing, advice.failing_people)
        after = release(changed).check(*asked)
        assert [one.holds for one in remedy.after] == [one.holds for one in after.requirements]
        for outcome, one in zip(remedy.after, after.requirements, strict=True):
            if outcome.holds is False and isinstance(one.measure, Privacy):
                assert outcome.failing_rows == one.result.failing_rows
        assert remedy.failing_people == _failing_people(after)
        if remedy.precision is not None:
            assert remedy.precision == release(changed).ask(pw.Precision()).value
    assert all(one.failing < advice.failing or not one.failing for one in advice.best)
    assert set(advice.best) <= set(offered)


def _failing_people(evaluation: pw.Evaluation) -> int:
    return len(evaluation.failing_positions())


@thorough
@given(tables(least_sensitive=1), st.sampled_from(ASKED))
def test_every_remedy_keeps_its_promise(tables, asked):
    check_advice(tables, asked, release_of)


@thorough
@given(samples(), st.sampled_from(WITH_POPULATION))
def test_every_remedy_keeps_its_promise_with_a_population(sample, asked):
    tables, population = sample
    check_advice(tables, asked, lambda changed: release_from(changed, population))


LADDER = [(str(age), f"{age // 10}0s", "adult") for age in range(20, 60)]


def advised(ages: list[str], sexes: list[str], *asked) -> Advice:
    table = {"age": ages, "sex": sexes, "illness": ["x", "y"] * (len(ages) // 2)}
    roles = {"quasi_identifiers": ["age", "sex"], "sensitive": ["illness"]}
    return pw.Release(table, hierarchies={"age": LADDER}, **roles).check(*asked).advice


def test_one_level_more_is_enough():
    advice = advised(["21", "25", "31", "35"], ["f"] * 4, pw.KAnonymity(k=2))
    assert advice.suppress == ()  # nothing would be left
    assert [one.lifts for one in advice.best] == [(Generalisation("age", 1),)]
    assert advice.best[0].people == 0


def test_two_columns():
    """No class holds, so nothing can be suppressed; and one column does not suffice."""
    advice = advised(["21", "25"] * 2, ["f", "m", "x", "y"], pw.KAnonymity(k=4))
    assert advice.combined.lifts == (Generalisation("age", 1), Generalisation("sex"))
    assert (advice.best, advice.combined.classes) == ((advice.combined,), 0)


def test_a_column_and_the_classes_that_still_fail():
    """One of eleven people is 55: suppressing only that person keeps the decades of the others."""
    ages = ["21", "22", "23", "24", "25", "31", "32", "33", "34", "35", "55", "55"]
    advice = advised(ages, ["f"] * 12, pw.KAnonymity(k=5))
    assert (advice.combined.lifts, advice.combined.classes, advice.combined.people) == (
        (Generalisation("age", 1),),
        1,
        2,
    )


def test_rows_that_generalising_suppresses_are_counted():
    """The rows without an age lose everything if their sex is generalised."""
    ages, sexes = ["*", "21", "21", "21", "*", "21"], ["f", "f", "m", "x", "m", "y"]
    remedy = next(
        one for one in advised(ages, sexes, pw.KAnonymity(k=2)).generalise if one.lifts == (Generalisation("sex"),)
    )
    assert (remedy.people, remedy.failing) == (2, 0)


def test_what_helps_most_if_nothing_makes_all_hold():
    """Of two requirements that fail, one cannot be kept."""
    advice = advised(["21", "25", "31", "35"], ["f"] * 4, pw.KAnonymity(k=2), pw.LDiversity(l=3))
    assert [(one.lifts, one.failing) for one in advice.best] == [((Generalisation("age", 1),), 1)]


def test_what_could_not_be_evaluated_does_not_count_as_failing():
    """There is no original, so Precision is unknown: the other requirement holds, by a single change or by two."""
    for ages, sexes, k in ((["21", "25", "31", "35"], ["f"] * 4, 2), (["21", "25"] * 2, ["f", "m", "x", "y"], 4)):
        without = advised(ages, sexes, pw.KAnonymity(k=k))
        advice = advised(ages, sexes, pw.KAnonymity(k=k), pw.AECS(at_least="0.1"))
        assert (advice.failing, [one.lifts for one in advice.best]) == (1, [one.lifts for one in without.best])
        assert [(one.failing, one.evaluated, len(one.after)) for one in advice.best] == [(0, 1, 2)]


def test_as_many_requirements_as_half_of_the_rows_allow():
    """Suppressing the class of one person, and the one of few values, leaves 6 of 11 rows; all classes fail t."""
    ages = ["21"] + ["25"] * 4 + ["31"] * 6
    table = {"age": ages, "illness": ["x", "y", "y", "y", "y", "x", "y", "x", "y", "x", "x"]}
    release = pw.Release(table, quasi_identifiers=["age"], sensitive=["illness"])
    asked = pw.TCloseness(t="1/100"), pw.KAnonymity(k=2), pw.LDiversity(l=2)
    advice = release.check(*asked).advice
    assert [(one.only, one.people, one.failing) for one in advice.suppress] == [
        ((asked[1],), 1, 2),
        ((asked[1], asked[2]), 5, 1),
    ]
    assert advice.best == advice.suppress[1:]


def test_what_is_counted_of_outcomes():
    outcomes = (
        RemedyEffect(pw.KAnonymity(k=2), True, 9),
        RemedyEffect(pw.KAnonymity(k=3), False, 3),
        RemedyEffect(pw.AECS(), None, 4),
    )
    some = Remedy(outcomes)
    assert (some.failing, some.worst, some.evaluated) == (1, 3, 2)
    assert (Remedy(outcomes[:1]).failing, Remedy(()).worst) == (0, 0)


def test_the_cheapest_of_each_kind_is_named_first():
    holds, fails = RemedyEffect(pw.KAnonymity(k=2), holds=True), RemedyEffect(pw.KAnonymity(k=2), holds=False)
    dear, cheap = (Remedy((holds,), (Generalisation("a"),), lost=lost) for lost in (0.5, 0.25))
    hide, some = Remedy((holds, holds), classes=1), Remedy((holds, fails), (Generalisation("b"),))
    assert Advice((hide,), (dear, cheap, some), None, 2, None, 9).best == (hide, cheap)
    assert Advice((), (some,), None, 2, None, 9).best == (some,)
    assert Advice((), (some,), None, 1, None, 9).best == ()


def test_columns_are_not_tried_where_that_takes_too_long(monkeypatch):
    release = pw.Release({"a": ["1", "1", "2"], "b": ["1", "2", "2"]})
    one_try = (2 + 10) * (3 + what_if.OVERHEAD)  # columns, what each costs, combinations
    assert what_if.AFFORDABLE == 60_000_000
    for affordable, tried in ((2 * one_try, 2), (2 * one_try - 1, 0)):
        monkeypatch.setattr(what_if, "AFFORDABLE", affordable)
        assert len(release.check(pw.KAnonymity(k=2)).advice.generalise) == tried


@pytest.mark.parametrize("k", [1, 2])
def test_no_advice_where_all_holds_or_nothing_is_published(k):
    assert pw.Release({"a": ["1"] * k}).check(pw.KAnonymity(k=k)).advice is None
    assert pw.Release({"a": ["*"] * 3}).check(pw.KAnonymity(k=k)).advice is None


def test_no_advice_without_facts():
    evaluation = pw.Release({"a": ["1", "2", "2"], "b": ["1", "2", "2"]}).check(pw.KAnonymity(k=2))
    assert evaluation.advice is not None
    assert evaluation.guarded().advice is None


def test_what_cannot_be_measured_after_a_remedy_is_not_offered(monkeypatch):
    release = pw.Release({"a": ["1", "2", "2"], "b": ["1", "2", "2"]})
    judged_by = pw.KAnonymity.compute_bounds

    def only_as_released(self, facts):
        if facts is not release.facts:
            raise NotAskableError("not so")
        return judged_by(self, facts)

    monkeypatch.setattr(pw.KAnonymity, "compute_bounds", only_as_released)
    advice = release.check(pw.KAnonymity(k=2)).advice
    assert (advice.suppress, advice.generalise, advice.combined, advice.best) == ((), (), None, ())
