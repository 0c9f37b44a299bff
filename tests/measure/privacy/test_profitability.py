from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import PETWorks as pw
from oracle import naive
from support.strategies import NUDGE, ROWS, WORST, brute, forms, release_of, tables

money = st.one_of(
    st.integers(0, 10),
    st.integers(0, 10**30),
    st.fractions(0, 5, max_denominator=12),
    st.decimals(0, 5, places=3),
    st.floats(0, 1e6, allow_subnormal=False),
    st.sampled_from(["0", "1/3", "0.1", "1e3", "2.50"]),
)


def exactly(amount) -> Fraction:
    return Fraction(str(amount))


@st.composite
def amounts(draw) -> dict:
    """Four amounts; often the cost is what a class of some size is worth, and the benefit what it may lose."""
    given = {name: draw(money) for name in ("cost", "gain", "loss", "benefit")}
    for edge, of in (("cost", "gain"), ("benefit", "loss")):
        if draw(st.booleans()):
            at = exactly(given[of]) / draw(st.integers(1, ROWS))
            given[edge] = draw(st.sampled_from([at, str(at), at * (1 - NUDGE), at * (1 + NUDGE)]))
    return given


def played(given) -> naive.Game:
    return naive.Game(**{name: exactly(amount) for name, amount in given.items()})


@brute
@given(tables(), amounts(), st.booleans(), forms)
def test_is_its_definition(tables, given, allow_attack, form):
    result = release_of(tables, form).ask(pw.Profitability(**given, allow_attack=allow_attack))
    publisher, adversary = naive.payoffs(tables, played(given))
    least = min((one.score for one in publisher), default=None)
    largest = max((one.score for one in adversary), default=None)

    assert result.exact == result.parts["publisher"].exact == least
    assert result.value == (None if least is None else float(least))
    assert result.figures["adversary"] == result.parts["adversary"].exact == largest

    unprofitable = [not one.score > 0 for one in publisher]
    worth_attacking = [not one.score < 0 and not allow_attack for one in adversary]
    failing = [one.size for one, *bad in zip(publisher, unprofitable, worth_attacking, strict=True) if any(bad)]
    assert result.holds is not any(failing)
    assert (result.failing_classes, result.failing_rows) == (len(failing), sum(failing))
    assert result.parts["publisher"].failing_classes == sum(unprofitable)
    assert result.parts["adversary"].failing_classes == sum(worth_attacking)
    assert result.parts["adversary"].holds is (None if allow_attack else not any(worth_attacking))


@brute
@given(tables(), amounts())
def test_worst_classes(tables, given):
    result = release_of(tables).ask(pw.Profitability(**given))
    publisher, adversary = naive.payoffs(tables, played(given))
    shown = [naive.Scored(dict(one.values), one.size, one.exact) for one in result.worst]
    assert [one.score for one in shown] == sorted(one.score for one in publisher)[:WORST]
    assert all(one in publisher for one in shown)
    best = sorted((one.score for one in adversary), reverse=True)[:WORST]
    assert [one.exact for one in result.parts["adversary"].worst] == best


def ask(size: int, **given):
    return pw.Release({"n": ["a"] * size}).ask(pw.Profitability(**given))


def test_a_gain_equal_to_the_cost_attracts_an_attack():
    given = {"gain": "0.3", "loss": 9, "benefit": 1}
    assert ask(3, cost="0.1", **given).exact == -2
    assert ask(3, cost=0.1, **given).exact == -2
    assert ask(3, cost=Fraction(1, 10) * (1 + NUDGE), **given).exact == 1


def test_a_payoff_of_nothing_does_not_pay():
    given = {"cost": 0, "gain": 1, "loss": 1}
    third = Fraction(1, 3)
    assert not ask(3, benefit=third, **given).holds
    assert not ask(3, benefit=third * (1 - NUDGE), **given).holds
    assert ask(3, benefit=third * (1 + NUDGE), **given).holds


def test_strict_needs_a_cost_above_the_gain():
    given = {"gain": 1, "loss": 0, "benefit": 1, "allow_attack": False}
    third = Fraction(1, 3)
    assert not ask(3, cost=third, **given).holds
    assert not ask(3, cost=third * (1 - NUDGE), **given).holds
    assert ask(3, cost=third * (1 + NUDGE), **given).holds


@pytest.mark.parametrize("large", [10**18, 10**19, 10**40, "1e300"])
@pytest.mark.parametrize("small", ["1e-30", 1])
def test_amounts_that_64_bits_do_not_hold(large, small):
    result = ask(3, cost=small, gain=large, loss=large, benefit=large)
    assert result.exact == exactly(large) * Fraction(2, 3)
    assert result.figures["adversary"] == exactly(large) / 3 - exactly(small)


def test_the_example_of_the_sources():
    given = {"cost": 4, "gain": 300, "loss": 300, "benefit": 1200}
    game = played(given)
    assert [game.publisher(size) for size in (1, 2)] == [900, 1050]
    assert [game.adversary(size) + 4 for size in (1, 2)] == [300, 150]
    release = pw.Release({"n": ["197*", "198*", "198*"]})
    assert release.ask(pw.Profitability(**given)).holds
    assert not release.ask(pw.Profitability(**given, allow_attack=False)).holds


def test_a_payoff_of_exactly_nothing_is_shown_as_nothing():
    """The row stands for two of four years, so half of the benefit is lost; what is left equals the risk."""
    years = [(str(year), f"{year // 2 * 2}s", "*") for year in range(1970, 1974)]
    release = pw.Release({"year": ["1970s"]}, hierarchies={"year": years})
    result = release.ask(pw.Profitability(cost=0, gain=1, loss=1, benefit=2, information_loss=True))
    assert (result.value, result.exact, result.holds) == (0.0, 0, False)
    told = str(result.explain())
    assert "0 is not above 0: it does not hold." in told
    assert "e-" not in told
    assert next(step.kind for step in result.steps if "payoff" in step.kind) == "no_payoff"
