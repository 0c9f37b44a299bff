"""δ-presence, k-map and profitability with a population or with information loss, against their definitions."""

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import PETWorks as pw
from oracle import naive_population
from oracle import naive_privacy as naive
from oracle.naive import Game, Rows, Scored, Tables, classes, unknown_levels
from oracle.naive_population import DoesNotHold
from PETWorks.errors import HierarchyError, PopulationError
from support.strategies import NUDGE, forms, levelled, release_of
from support.strategies_family import (
    check_part,
    check_verdict,
    check_whole,
    limits_at,
    release_from,
    samples,
    thorough,
    whole_limits_at,
    worst_score,
)

refused = pytest.raises((PopulationError, HierarchyError))
amounts = st.fixed_dictionaries(
    {
        "cost": st.sampled_from([0, 1, 2, "1/3", 100]),
        "gain": st.sampled_from([0, 1, 6, 300]),
        "loss": st.sampled_from([0, 1, "5/2", 300]),
        "benefit": st.sampled_from([0, 1, "1/2", 1200]),
    }
)


def is_held(tables: Tables, population: Rows) -> bool:
    """Whether the population holds the sample; if nothing is published, nobody asks."""
    try:
        naive_population.checked(tables, population)
    except DoesNotHold:
        return not classes(tables)
    return True


def game_of(given: dict) -> Game:
    return Game(**{name: Fraction(amount) for name, amount in given.items()})


# δ-presence.


@thorough
@given(samples(), forms)
def test_presence(sample, form):
    (tables, population), release = sample, release_from(*sample, form)
    if not is_held(tables, population):
        with refused:
            release.ask("δ-presence")
        return
    found = naive.presence(tables, population) if classes(tables) else []
    shares = [share for share, _ in found]
    result = release.ask("δ-presence")
    assert result.holds is None
    assert result.exact == result.parts["greatest"].exact == max(shares, default=None)
    assert result.figures["least"] == result.parts["least"].exact == min(shares, default=None)
    assert sorted(one.exact for one in result.worst) == sorted(shares)[-10:]
    for low in limits_at(min(shares, default=None), most=1):
        for high in limits_at(max(shares, default=None), most=1):
            if Fraction(low) <= Fraction(high):
                check_presence(release.ask(pw.DeltaPresence(d_min=low, d_max=high)), found, low, high)


def check_presence(result, found, low, high):
    """The people of a class that fails are counted: classes are those of the population."""
    few = [share < Fraction(low) for share, _ in found]
    many = [share > Fraction(high) for share, _ in found]
    scores = [Scored({}, people, share) for share, people in found]
    check_verdict(result.parts["least"], scores, few)
    check_verdict(result.parts["greatest"], scores, many)
    check_whole(result, [one.size for one in scores], {"least": few, "greatest": many})


@thorough
@given(samples())
def test_one_limit_of_presence_is_enough(sample):
    tables, population = sample
    if not is_held(tables, population) or not classes(tables):
        return
    release = release_from(tables, population)
    found = naive.presence(tables, population)
    below = release.ask(pw.DeltaPresence(d_max="1/2"))
    assert below.holds is not any(share > Fraction(1, 2) for share, _ in found)
    above = release.ask(pw.DeltaPresence(d_min="1/2"))
    assert above.holds is not any(share < Fraction(1, 2) for share, _ in found)


# k-map.


@thorough
@given(samples(), forms)
def test_k_map(sample, form):
    (tables, population), release = sample, release_from(*sample, form)
    if not is_held(tables, population):
        with refused:
            release.ask("k-map")
        return
    scores = naive.k_map(tables, population) if classes(tables) else []
    check_part(release.ask("k-map"), scores, high_is_bad=False, fails=None)
    for k in whole_limits_at(worst_score(scores, high_is_bad=False)):
        result = release.ask(pw.KMap(k=k))
        check_part(result, scores, high_is_bad=False, fails=[one.score < Fraction(k) for one in scores])


def test_the_marker_and_the_top_are_two_classes_of_the_same_people():
    """Both stand for everybody; in the release they are different values, so different classes."""
    trees = {"n": [("1", "all"), ("2", "all"), ("3", "all")]}
    population = {"n": ["1", "2", "3", "3"], "m": ["x", "x", "x", "y"]}
    release = pw.Release({"n": ["all", "*"], "m": ["x", "x"]}, population=population, hierarchies=trees)
    assert release.ask("k-anonymity").exact == 1
    assert release.ask("k-map").exact == 3
    assert release.ask("δ-presence").exact == Fraction(2, 3)
    assert release.ask("re-identification").parts["marketer"].exact == Fraction(1, 3)
    assert release.ask("population uniqueness").exact == Fraction(1, 4)


# Profitability.


@thorough
@given(samples(), forms, amounts, st.booleans())
def test_journalist(sample, form, given, allow_attack):
    (tables, population), release = sample, release_from(*sample, form)
    question = pw.Profitability(**given, allow_attack=allow_attack, attacker="journalist")
    if not is_held(tables, population):
        with refused:
            release.ask(question)
        return
    publisher, adversary = [], []
    if classes(tables):
        publisher, adversary = naive.journalist_payoffs(tables, population, game_of(given))
    result = release.ask(question)
    unprofitable = [not one.score > 0 for one in publisher]
    worth_it = [not allow_attack and not one.score < 0 for one in adversary]
    check_part(result.parts["publisher"], publisher, high_is_bad=False, fails=unprofitable)
    check_part(result.parts["adversary"], adversary, high_is_bad=True, fails=None if allow_attack else worth_it)
    check_whole(result, [one.size for one in publisher], {"publisher": unprofitable, "adversary": worth_it})
    assert result.exact == worst_score(publisher, high_is_bad=False)
    assert result.figures["adversary"] == worst_score(adversary, high_is_bad=True)


def check_payoffs(result, payoffs: list[list[naive.Payoff]]) -> None:
    """Compare with the payoff of every row of every class; the least decides."""
    everything = [payoff for rows in payoffs for payoff in rows]
    if not everything:
        assert (result.value, result.exact, result.holds) == (None, None, True)
        return
    least = min(everything, key=lambda payoff: payoff.value)
    assert result.value == pytest.approx(float(least.value), rel=1e-14, abs=1e-14)
    assert result.exact in (None, least.exact)
    assert result.holds is all(payoff.pays for payoff in everything)
    assert result.failing_classes == sum(not all(payoff.pays for payoff in rows) for rows in payoffs)


@thorough
@given(levelled(), forms, amounts)
def test_information_loss(tables, form, given):
    result = release_of(tables, form).ask(pw.Profitability(**given, information_loss=True))
    check_payoffs(result, naive.payoffs_with_loss(tables, game_of(given)))


@thorough
@given(samples(), amounts)
def test_information_loss_for_the_journalist(sample, given):
    tables, population = sample
    if not is_held(tables, population) or not classes(tables) or unknown_levels(tables):
        return
    question = pw.Profitability(**given, information_loss=True, attacker="journalist")
    crowd = naive_population.crowds(tables, population)
    result = release_from(tables, population).ask(question)
    check_payoffs(result, naive.payoffs_with_loss(tables, game_of(given), crowd))


@thorough
@given(levelled(), st.integers(1, 9))
def test_the_least_benefit_that_pays(tables, loss):
    """Just above loss/s/(1 - IL) it pays, just below it does not, and where that is a fraction not at it either."""
    found = naive.payoffs_with_loss(tables, Game(Fraction(0), Fraction(1), Fraction(loss), Fraction(1)))
    rows = [payoff for rows in found for payoff in rows]
    if not rows:
        return
    needed = [benefit_needed(size, loss, lost, tables) for size, lost in sizes_and_losses(tables)]
    if None in needed:
        return
    release = release_of(tables)

    def pays(benefit: Fraction) -> bool:
        question = pw.Profitability(cost=0, gain=1, loss=loss, benefit=benefit, information_loss=True)
        return release.ask(question).holds

    value, exact = max(needed, key=lambda one: one[0])
    if exact is not None:
        assert not pays(exact)
    at = Fraction(value) if exact is None else exact
    assert not pays(Fraction(int(at * (1 - NUDGE) * 10**15), 10**15))
    assert pays(Fraction(int(at * (1 + 2 * NUDGE) * 10**15) + 1, 10**15))


def sizes_and_losses(tables: Tables) -> list[tuple[int, int]]:
    """For every published row the size of its class and how many rows it could stand for."""
    return [
        (len(group), naive.combinations(tables, place))
        for group in classes(tables)
        for place, row in enumerate(tables.released)
        if any(row is other for other in group)
    ]


def benefit_needed(size: int, loss: int, lost: int, tables: Tables) -> tuple[Decimal, Fraction | None] | None:
    """Give the benefit at which a row leaves nothing, as a decimal and, if it is one, a fraction; None: no benefit."""
    everything = naive.all_combinations(tables)
    share = naive.log_share(lost, everything)
    if share == 1:
        return None
    kept = 1 - Fraction(Decimal(lost).ln() / Decimal(everything).ln()) if everything > 1 else Fraction(1)
    exact = None if share is None else Fraction(loss, size) / (1 - share)
    at = Fraction(loss, size) / kept if exact is None else exact
    return Decimal(at.numerator) / at.denominator, exact


def test_rows_of_one_class_may_have_lost_differently():
    """50 stands for itself in one row and for two years in the other: judged row by row, one of them fails."""
    trees = {"n": [("40", "40", "*"), ("50", "50", "*"), ("60", "50", "*")]}
    release = pw.Release({"n": ["50", "50"]}, original={"n": ["50", "60"]}, hierarchies=trees)
    result = release.ask(pw.Profitability(cost=0, gain=1, loss=1, benefit="3/4", information_loss=True))
    assert result.value == pytest.approx(0.75 * (1 - 0.6309297535714574) - 0.5)
    assert result.holds is False
    assert (result.failing_classes, result.failing_rows) == (1, 1)


def test_a_column_that_is_suppressed_throughout_has_nothing_to_lose():
    table = {"n": ["x", "y"], "m": ["*", "*"]}
    release = pw.Release(table, original=table)
    result = release.ask(pw.Profitability(cost=0, gain=1, loss=1, benefit=3, information_loss=True))
    assert result.value == 2
