"""Sums of logarithms: the sign is that of a comparison of integers, for n1^w1·n2^w2·… against 1."""

import math
import signal
from contextlib import contextmanager
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from PETWorks.exact.sums import Bits, _find_coprime_base
from support.strategies import brute

numbers = st.one_of(st.integers(1, 40), st.integers(1, 10**9))
whole = st.dictionaries(numbers, st.integers(-30, 30), max_size=6)
rational = st.dictionaries(numbers, st.fractions(-3, 3, max_denominator=6), max_size=6)


def sign(weights: dict[int, int | Fraction]) -> int:
    scale = math.lcm(*(weight.denominator for weight in weights.values()))
    above = math.prod(number ** int(scale * weight) for number, weight in weights.items() if weight > 0)
    below = math.prod(number ** int(-scale * weight) for number, weight in weights.items() if weight < 0)
    return (above > below) - (above < below)


def many_digits(weights: dict[int, int | Fraction]) -> Decimal:
    with localcontext(prec=80):
        terms = (Decimal(n).ln() * w.numerator / w.denominator for n, w in weights.items())
        return sum(terms, Decimal(0)) / Decimal(2).ln()


@brute
@given(st.one_of(whole, rational))
@example({})
@example({1: 5})
@example({2: 8, 256: -1})
@example({8: Fraction(1, 3), 2: -1})
@example({6: 1, 2: -1, 3: -1})
@example({4: Fraction(1, 2), 9: Fraction(-1, 2)})
def test_sign(weights):
    assert Bits(weights).sign() == sign(weights)
    assert bool(Bits(weights)) == (sign(weights) != 0)


@brute
@given(st.dictionaries(st.integers(1, 10**40), st.integers(-(10**9), 10**9), max_size=6), st.integers(2, 10**40))
@example({10: 3, 12: -5, 30: 4}, 6)
def test_sums_that_are_zero(weights, factor):
    """log2(n·f) - log2(n) - log2(f) is zero, and so is any sum of multiples of it."""
    apart = Bits()
    for number, weight in weights.items():
        apart += (Bits({number * factor: 1}) - Bits({number: 1}) - Bits({factor: 1})) * weight
    assert apart.sign() == 0
    assert not apart


@pytest.mark.parametrize(
    ("twos", "threes"),
    [(8, 5), (19, 12), (65, 41), (84, 53), (485, 306), (1054, 665), (24727, 15601), (50508, 31867), (301994, 190537)],
)
def test_powers_of_2_and_3_that_nearly_meet(twos, threes):
    assert Bits({2: twos, 3: -threes}).sign() == sign({2: twos, 3: -threes}) != 0


@pytest.mark.parametrize("number", [10, 10**6, 10**9, 10**12, 10**27, 10**33])
@pytest.mark.parametrize(
    ("some", "others"), [([1, -1], [0, 0]), ([0, 4, 5], [1, 2, 6]), ([0, 4, 7, 11], [1, 2, 9, 10])]
)
def test_products_that_nearly_meet(number, some, others):
    """Both lists have equal sums of powers, so the products (n + a)·(n + b)·… of both are extremely close."""
    bits, weights = Bits(), {}
    for steps, weight in ((some, 1), (others, -1)):
        for step in steps:
            bits += Bits({number + step: weight})
            weights[number + step] = weights.get(number + step, 0) + weight
    assert bits.sign() == sign(weights) != 0
    assert (bits * -1).sign() == -sign(weights)
    with localcontext(prec=300):
        exact = sum((Decimal(number).ln() * weight for number, weight in weights.items()), Decimal(0))
    with localcontext(prec=30):
        assert bits.natural() == +exact  # to the last digit, though most digits of the terms cancel


@contextmanager
def a_second():
    def stop(*_):
        raise TimeoutError

    signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, 1)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


@pytest.mark.parametrize("number", [10**15 + 37, 2**61 - 1, 10**30 + 57])
def test_large_primes_take_no_time(number):
    """A limit such as l = 2.00000000000000003 leads to such large numbers in a sum."""
    with a_second():
        assert (Bits({number: 2}) - Bits({number**2: 1})).sign() == 0
        assert (Bits({number: 2}) - Bits({number**2 - 1: 1})).sign() == 1


@brute
@given(rational)
def test_float(weights):
    size = math.fsum(abs(weight) * math.log2(number) for number, weight in weights.items())
    assert abs(Decimal(float(Bits(weights))) - many_digits(weights)) <= Decimal(size) * Decimal("1e-15")


@brute
@given(whole, whole)
def test_quotient_is_rounded_once(above, below):
    if sign(below) == 0:
        return
    with localcontext(prec=80):
        expected = float(many_digits(above) / many_digits(below)) if sign(above) else 0.0
    assert float(Bits(above) / Bits(below)) == expected


@brute
@given(st.lists(st.integers(0, 9)))
def test_counts_times_their_logarithms(counts):
    expected = Bits()
    for count in counts:
        expected += Bits({count: count}) if count else Bits()
    assert Bits.of(np.array(counts, dtype=np.int64)).weights == expected.weights


def test_floats_decide_clear_signs(monkeypatch):
    monkeypatch.delattr(Bits, "_is_zero")
    assert [Bits({3: weight, 2: -weight}).sign() for weight in (1, -1, Fraction(1, 10**9))] == [1, -1, 1]
    assert (Bits({3: 5}) - Bits({2: 8}) * Fraction(999, 1000)).sign() == -1  # 7.925 and 7.992


def test_a_quotient_has_many_digits():
    logarithm_of_3 = Decimal("1.58496250072115618145373894394781650875981440769248")
    assert abs(Bits({3: 1}) / Bits({2: 1}) - logarithm_of_3) < Decimal("1e-37")


@brute
@given(st.lists(st.one_of(st.integers(1, 100), st.integers(1, 10**9))))
@example([12, 18])
@example([1, 1, 7, 7])
def test_coprime_numbers_of_whose_powers_all_are_products(numbers):
    base = _find_coprime_base(numbers)
    assert all(math.gcd(one, other) == 1 for one, other in combinations(base, 2))
    for number in numbers:
        assert number == math.prod(one ** exponent(one, number) for one in base)


def exponent(base: int, number: int) -> int:
    """Return how often a number can be divided by another."""
    return 0 if number % base else 1 + exponent(base, number // base)


@brute
@given(whole, st.integers(20, 200))
def test_natural_logarithms_are_right_to_the_last_digits(weights, digits):
    """Also if the terms all but cancel each other."""
    with localcontext(prec=digits):
        value = Bits(weights).natural()
    with localcontext(prec=1000):
        precise = sum((Decimal(number).ln() * weight for number, weight in weights.items()), Decimal(0))
        assert abs(value - precise) <= abs(precise).scaleb(1 - digits) if sign(weights) else value == 0


def test_terms_that_all_but_cancel():
    near = 10**60
    with localcontext(prec=20):
        assert f"{Bits({near + 1: 1, near: -1}).natural():.15e}" == "1.000000000000000e-60"


@pytest.mark.parametrize("digits", [5, 12, 28, 50])
def test_natural_logarithms_have_the_digits_of_the_context(digits):
    with localcontext(prec=digits):
        assert [str(Bits({number: 1}).natural()) for number in (2, 3, 10**9)] == [
            str(Decimal(number).ln()) for number in (2, 3, 10**9)
        ]
