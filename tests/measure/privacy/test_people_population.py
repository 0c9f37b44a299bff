"""Measures with a population, and profitability, where people have several rows, against their definitions."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import PETWorks as pw
from oracle import naive_people_risk as naive_risk
from oracle.naive import Game, Tables, keeps_at_most, ladders
from oracle.naive_population import DoesNotHold
from PETWorks.errors import HierarchyError, PopulationError
from support.strategies import forms
from support.strategies_family import limits_at, thorough, whole_limits_at
from support.strategies_people import PERSON, Sampled, models, peopled, sampled

refused = pytest.raises((PopulationError, HierarchyError))
amounts = st.fixed_dictionaries(
    {
        "cost": st.sampled_from([0, 1, 2, "1/3", 100]),
        "gain": st.sampled_from([0, 1, 6, 300]),
        "loss": st.sampled_from([0, 1, "5/2", 300]),
        "benefit": st.sampled_from([0, 1, "1/2", 1200]),
    }
)
worlds = st.one_of(
    st.tuples(sampled("one"), st.just("one")), st.tuples(sampled("all"), st.just("all"))
)  # under "all" the population says whose rows it has


def is_held(sampled: Sampled, known: str) -> bool:
    """Whether the population holds the sample; if nothing is published, nobody asks."""
    try:
        sampled.world(known).checked()
    except DoesNotHold:
        return not sampled.sample.folk().shown
    return True


@thorough
@given(worlds, forms)
def test_presence(world, form):
    sampled, known = world
    release = sampled.release(known, form)
    if not is_held(sampled, known):
        with refused:
            release.ask("δ-presence")
        return
    found = sampled.world(known).presences() if sampled.sample.folk().shown else []
    shares = [Fraction(some, every) for some, every in found]
    result = release.ask("δ-presence")
    assert result.parts["greatest"].exact == max(shares, default=None)
    assert result.parts["least"].exact == min(shares, default=None)
    for limit in limits_at(max(shares, default=None), most=1):
        result = release.ask(pw.DeltaPresence(d_max=limit))
        bad = [every for share, (_, every) in zip(shares, found, strict=True) if share > Fraction(limit)]
        assert (result.holds, result.failing_classes) == (not bad, len(bad))
    for limit in limits_at(min(shares, default=None), most=1):
        assert release.ask(pw.DeltaPresence(d_min=limit)).holds is not any(one < Fraction(limit) for one in shares)


@thorough
@given(worlds, forms)
def test_k_map(world, form):
    sampled, known = world
    release = sampled.release(known, form)
    if not is_held(sampled, known):
        with refused:
            release.ask("k-map")
        return
    crowds = sampled.world(known).crowds() if sampled.sample.folk().shown else []
    result = release.ask("k-map")
    assert result.exact == min((many for _, many in crowds), default=None)
    assert [one.exact for one in result.worst] == sorted(many for _, many in crowds)[:10]
    for k in whole_limits_at(result.exact):
        result = release.ask(pw.KMap(k=k))
        bad = [group for group, many in crowds if many < Fraction(k)]
        assert (result.holds, result.failing_classes) == (not bad, len(bad))
        assert result.failing_rows == sum(len(group.places) for group in bad)
        assert result.failing_people == len(frozenset().union(*(group.people for group in bad)))


@thorough
@given(worlds, st.sampled_from([0, "1/5", "1/3", 0.5, 1]))
def test_journalist_and_marketer(world, threshold):
    sampled, known = world
    release, question = sampled.release(known), pw.ReidentificationRisk(threshold=threshold)
    if not is_held(sampled, known):
        with refused:
            release.ask(question)
        return
    folk = sampled.sample.folk(known)
    expected = naive_risk.re_identification(folk, sampled.world(known), lambda risk: not keeps_at_most(risk, threshold))
    found = {name: part.exact for name, part in release.ask(question).parts.items()}
    assert list(found.values()) == list(expected.values())
    assert {name for name in found if "highest" not in name} == {name for name in expected if "highest" not in name}


@thorough
@given(worlds)
def test_counted_population_uniqueness(world):
    sampled, known = world
    release = sampled.release(known)
    if not is_held(sampled, known):
        with refused:
            release.ask("population uniqueness")
        return
    result = release.ask("population uniqueness")
    assert (result.exact, result.figures["estimator"]) == (sampled.world(known).uniqueness(), "counted")


@thorough
@given(worlds, amounts, st.booleans())
def test_profitability_for_the_journalist(world, given, allow_attack):
    sampled, known = world
    release = sampled.release(known)
    question = pw.Profitability(**given, allow_attack=allow_attack, attacker="journalist")
    if not is_held(sampled, known):
        with refused:
            release.ask(question)
        return
    folk = sampled.sample.folk(known)
    game = Game(**{name: Fraction(amount) for name, amount in given.items()})
    crowds = sampled.world(known).crowds() if folk.shown else []
    check_payoffs(release.ask(question), naive_risk.payoffs(folk, game, crowds), allow_attack=allow_attack)


@thorough
@given(peopled(), models, amounts, st.booleans())
def test_profitability(people, known, given, allow_attack):
    game = Game(**{name: Fraction(amount) for name, amount in given.items()})
    result = people.release(known).ask(pw.Profitability(**given, allow_attack=allow_attack))
    check_payoffs(result, naive_risk.payoffs(people.folk(known), game), allow_attack=allow_attack)


def check_payoffs(result, payoffs, *, allow_attack: bool) -> None:
    assert result.exact == min((publisher for _, publisher, _ in payoffs), default=None)
    assert result.parts["adversary"].exact == max((adversary for *_, adversary in payoffs), default=None)
    bad = [group for group, mine, theirs in payoffs if mine <= 0 or (not allow_attack and theirs >= 0)]
    assert (result.holds, result.failing_classes) == (not bad, len(bad))
    assert result.failing_people == len(frozenset().union(*(group.people for group in bad)))


def occurs(tables: Tables, name: str) -> bool:
    """Whether every value of a column is on some level; without a hierarchy, it may be one of an original left out."""
    nodes = {node for ladder in ladders(tables, name).values() for node in ladder}
    return {row[name] for row in tables.released} <= {*nodes, tables.marker}


@thorough
@given(peopled(original=True), models, amounts)
def test_profitability_with_information_loss(people, known, given):
    """Judged row by row, each with the people of its class."""
    assume(all(occurs(people.tables, name) for name in people.tables.quasi_identifiers))
    game = Game(**{name: Fraction(amount) for name, amount in given.items()})
    payoffs = naive_risk.payoffs_with_loss(people.folk(known), game)
    result = people.release(known).ask(pw.Profitability(**given, information_loss=True))
    rows = [payoff for group in payoffs for payoff in group]
    if not rows:
        assert (result.value, result.holds) == (None, True)
        return
    least = min(rows, key=lambda payoff: payoff.value)
    assert result.value == pytest.approx(float(least.value), rel=1e-14, abs=1e-14)
    assert result.holds is all(payoff.pays for payoff in rows)
    assert result.failing_classes == sum(not all(payoff.pays for payoff in group) for group in payoffs)


def test_a_population_that_does_not_say_whose_rows_it_has():
    table = {PERSON: ["A", "A", "B"], "zip": ["1", "2", "1"]}
    options = {"quasi_identifiers": ["zip"], "person": PERSON, "population": {"zip": ["1", "1", "2", "2"]}}
    result = pw.Release(table, **options).ask("k-map")
    assert result.exact == 2
    assert result.notes  # each of its rows is one person
    with pytest.raises(PopulationError, match=PERSON):
        pw.Release(table, **options, known="all").ask("k-map")


def test_a_population_may_have_fewer_rows_than_its_sample():
    """But not fewer people."""
    table = {PERSON: ["A", "A", "A", "B"], "zip": ["1"] * 4}
    population = {PERSON: ["A", "B", "C"], "zip": ["1"] * 3}
    options = {"quasi_identifiers": ["zip"], "person": PERSON}
    assert pw.Release(table, population=population, **options).ask("k-map").exact == 3
    with refused:
        pw.Release(table, population={PERSON: ["A"], "zip": ["1"]}, **options).ask("k-map")


def test_what_suppressed_rows_lost_makes_no_second_class():
    """Rows without a person are one each: their suppressed rows have another original value, and form no class."""
    options = {"quasi_identifiers": ["n"], "person": PERSON, "known": "all", "unknown_person": "each"}
    table = {"n": ["10", "10", "*", "*"], PERSON: ["1", None, None, "1"]}
    release = pw.Release(table, original={"n": ["10", "10", "c", "c"]}, pairing="position", **options)
    result = release.ask(pw.Profitability(cost=0, gain=0, loss=0, benefit=0, information_loss=True))
    assert (result.failing_classes, result.failing_people, result.failing_rows) == (1, 2, 2)
