"""Weights are added up exactly, however they are written."""

import random
from fractions import Fraction

import pytest

import PETWorks as pw
from PETWorks.facts.weights import add_up_weights

WRITTEN = (
    "{0}.{1}",
    "{0}",
    "{0}.",
    "+{0}.{1}",
    ".{1}",
    "{0}{1}e-3",
    "{0}e2",
    "0{0}.{1}0",
    "{0}{0}{0}{0}{0}.{1}{1}{1}{1}",
)


def draw_weight(chance: random.Random) -> str:
    """Return a number above 0 as somebody may write it: plain, with a sign, an exponent, or very many digits."""
    whole, decimals = chance.randint(1, 10 ** chance.randint(1, 9)), chance.randint(1, 10 ** chance.randint(1, 9))
    form = chance.choice(WRITTEN[: chance.choice([1, 2, len(WRITTEN)])])
    return repr(chance.uniform(0.001, 500)) if chance.random() < 0.3 else form.format(whole, decimals)


@pytest.mark.parametrize("seed", range(60))
def test_sums_are_those_of_fractions(seed):
    chance = random.Random(seed)
    rows = chance.randint(1, 40)
    zips = [chance.choice("abc") for _ in range(rows)]
    weights = [draw_weight(chance) for _ in range(rows)]
    facts = pw.Release({"zip": zips, "w": weights}, quasi_identifiers=["zip"], weight="w").facts
    found = add_up_weights(facts)
    expected = {one: sum(Fraction(w) for z, w in zip(zips, weights, strict=True) if z == one) for one in set(zips)}
    assert sorted(found.people(index) for index in range(len(expected))) == sorted(expected.values())
    assert found.all_people == sum(expected.values())
    assert found.below_one == sum(Fraction(one) < 1 for one in weights)


@pytest.mark.parametrize("wrong", ["0", "0.000", "-1", "", "1,5", "4/3", "nan", "٣", "1e101", "0" * 30])
def test_what_is_no_weight_is_told_and_not_shown(wrong):
    with pytest.raises(pw.PETWorksError) as raised:
        pw.Release({"zip": ["a", "b"], "w": ["2.5", wrong]}, quasi_identifiers=["zip"], weight="w").ask(
            "individual risk"
        )
    assert "weight" in raised.value.hint
