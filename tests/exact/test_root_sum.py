"""Sums of square roots: signs and quotients, against their definition with factorised radicands."""

import math
from collections import defaultdict
from decimal import Decimal, localcontext
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from PETWorks.exact import sums as root_sum
from PETWorks.exact.sums import PRIMES, Roots
from support.strategies import brute

radicands = st.one_of(st.integers(1, 60), st.builds(lambda a, b: a * b * b, st.integers(1, 12), st.integers(1, 500)))
sums = st.dictionaries(radicands, st.integers(-20, 20), max_size=6)
positive = st.dictionaries(radicands, st.integers(1, 20), min_size=1, max_size=6)


def kernel(number: int) -> tuple[int, int]:
    """Write a number as a square-free number times a square: √number = root·√kernel."""
    free, root = number, 1
    for factor in range(2, math.isqrt(number) + 1):
        while free % factor**2 == 0:
            free, root = free // factor**2, root * factor
    return free, root


def groups(weights: dict[int, int]) -> dict[int, int]:
    """Add up the weights of the square-free numbers; the sum is zero only if they all are."""
    found = defaultdict(int)
    for number, weight in weights.items():
        free, root = kernel(number)
        found[free] += weight * root
    return {free: weight for free, weight in found.items() if weight}


def precisely(weights: dict[int, int]) -> Decimal:
    with localcontext(prec=120):
        return sum((weight * Decimal(number).sqrt() for number, weight in weights.items()), Decimal(0))


def sign(weights: dict[int, int]) -> int:
    if not groups(weights):
        return 0
    return 1 if precisely(weights) > 0 else -1


@brute
@given(sums)
@example({})
@example({2: 3, 18: -1})
@example({2: 2, 8: -2, 32: 1, 3: 1, 12: -1, 27: 1, 48: -1, 75: 1})
def test_sign(weights):
    assert Roots(weights).sign() == sign(weights)
    assert bool(Roots(weights)) == (sign(weights) != 0)


@brute
@given(sums, st.integers(1, 50), st.integers(1, 10**6))
def test_sums_that_cancel_group_by_group(weights, factor, square):
    """√(n·s²) = s·√n, so the difference is zero though no radicand occurs twice."""
    larger = {number * square**2: weight for number, weight in weights.items()}
    assert not (Roots(larger) * factor - Roots(weights) * (factor * square)).sign()
    assert (Roots({**larger, 1: larger.get(1, 0) + 1}) - Roots(weights) * square).sign() == 1


@brute
@given(positive, positive)
def test_quotient(above, below):
    quotient = Roots(above) / Roots(below)
    one, other = groups(above), groups(below)
    shares = {Fraction(one.get(free, 0), weight) for free, weight in other.items()} | (
        {None} if one.keys() - other else set()
    )
    if len(shares) == 1:
        assert quotient == shares.pop()
        assert isinstance(quotient, Fraction)
    else:
        assert isinstance(quotient, Decimal)
        with localcontext(prec=60):
            assert abs(quotient - precisely(above) / precisely(below)) < quotient.scaleb(-38)


@brute
@given(positive, st.fractions(min_value="1/1000", max_value=1000))
def test_float(weights, below):
    with localcontext(prec=120):
        expected = precisely(weights) / (Decimal(below.numerator) / below.denominator).sqrt()
    assert float(Roots(weights, below)) == float(expected)


def test_differences_too_small_for_floats():
    """√(n+1) + √(n-1) is less than 2√n by about n^(-3/2)/4."""
    for digits in (10, 40, 90):
        number = 10**digits
        assert (Roots({number + 1: 1, number - 1: 1}) - Roots({number: 2})).sign() == -1


def test_numbers_of_any_size():
    assert Roots({10**700: 1}).sign() == 1
    assert (Roots({10**700: 1}) - Roots({10**698: 10})).sign() == 0


@pytest.mark.parametrize("divided", [0, 1, len(PRIMES)])
def test_radicands_that_the_primes_divide(divided):
    """Such a prime cannot tell squares: it is left out, and the groups are still found."""
    shared = math.prod(PRIMES[:divided])
    sums = {2 * shared: 3, 3 * shared: 2, 50 * shared: -1, 75 * shared: -1, 18 * shared: 1, 12 * shared: 1}
    assert Roots(sums).sign() == -1  # √2 - √3
    assert Roots({2 * shared: 5, 50 * shared: -1, 3 * shared: 5, 75 * shared: -1}).sign() == 0
    assert Roots({2: 3 * shared, 18 * shared**2: -1}).sign() == 0  # only one of them is divided


def test_the_primes_are_primes():
    assert len(set(PRIMES)) == len(PRIMES)
    for prime in PRIMES:
        assert all(pow(base, prime - 1, prime) == 1 for base in (2, 3, 5, 7))
        assert all(prime % factor for factor in range(2, 2000))


def test_a_fraction_that_a_quotient_is_nearly(monkeypatch):
    """What is near enough is still compared exactly."""
    monkeypatch.setattr(root_sum, "SIMPLE", 10**60)
    quotient = Roots({10**300 + 1: 1}) / Roots({10**300: 1})
    assert isinstance(quotient, Decimal)


@pytest.mark.parametrize("below", [1, 10**17 + 1, 10**18, 10**18 + 1])
def test_fractions_with_up_to_18_digits_are_found(below):
    assert Roots({2: 3, 8: 1}) / Roots({2: 7}) == Fraction(5, 7)
    quotient = Roots({2: 1}) / Roots({2: below})
    if below <= 10**18:
        assert quotient == Fraction(1, below)
        assert isinstance(quotient, Fraction)
    else:
        assert isinstance(quotient, Decimal)
        assert abs(quotient * below - 1) < Decimal("1e-27")


def test_what_adds_nothing_is_left_out():
    assert Roots({0: 3, 2: 0, 5: 1}).weights == {5: 1}
    assert Roots().sign() == 0
    assert (float(Roots({4: 3})), float(Roots({4: 3}, Fraction(1, 4)))) == (6, 12)
    counted = Roots.of([4, 9, 4], [1, 2, 3], Fraction(4))
    assert (counted.weights, float(counted)) == ({4: 4, 9: 2}, 7)


def test_floats_decide_clear_signs(monkeypatch):
    monkeypatch.delattr(Roots, "_scale_to_integer")
    assert [Roots({3: weight, 2: -weight}).sign() for weight in (1, -1)] == [1, -1]
    assert Roots({200: 10, 199: -10}).sign() == 1


def test_small_numbers_beside_some_that_are_too_large_for_floats():
    assert Roots({10**700: 1, 4: -1}).sign() == 1
    assert [Roots({2: weight, 3: 1}).sign() for weight in (10**400, -(10**400))] == [1, -1]
