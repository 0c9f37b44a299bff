"""Scores are told apart exactly, however close: the largest of each class, and which classes are alike."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from PETWorks.exact.limit import Limit
from PETWorks.exact.scores import Logarithms, LogQuotients, Ratios, Scores, find_largest
from PETWorks.exact.sums import Bits
from support.strategies import brute, close_ratios


@brute
@given(st.lists(st.lists(close_ratios, min_size=1, max_size=5), max_size=5), st.sampled_from([np.int64, object]))
@example([[(2**60 + 383, 2**60 + 129), (2**60 + 385, 2**60 + 200)]], np.int64)  # as floats, the second is larger
def test_the_largest_quotient_of_each_class(classes, dtype):
    pairs = np.array([pair for scores in classes for pair in scores], dtype=dtype).reshape(-1, 2)
    starts = np.cumsum([0, *(len(scores) for scores in classes)], dtype=np.int64)[:-1]
    found = find_largest(pairs[:, 0], pairs[:, 1], starts)
    expected = [max(Fraction(*pair) for pair in scores) for scores in classes]
    assert [found.exact(index) for index in range(len(classes))] == expected
    firsts = [[Fraction(*pair) for pair in scores].index(top) for scores, top in zip(classes, expected, strict=True)]
    assert found.entries.tolist() == [start + first for start, first in zip(starts.tolist(), firsts, strict=True)]


@brute
@given(st.lists(close_ratios, max_size=9), st.data())
def test_one_class_of_each_score(ratios, data):
    pairs = np.array(ratios, dtype=np.int64).reshape(-1, 2)
    scores = Ratios(pairs[:, 0], pairs[:, 1])
    asked = data.draw(st.lists(st.sampled_from(range(len(ratios))), unique=True)) if ratios else []
    chosen, like = scores.group_alike(np.array(asked, dtype=np.int64))
    exact = [Fraction(*ratios[index]) for index in asked]
    assert sorted(scores.exact(index) for index in chosen.tolist()) == sorted(set(exact))
    assert set(chosen.tolist()) <= set(asked)
    assert [scores.exact(chosen[place]) for place in like.tolist()] == exact


@brute
@given(st.lists(close_ratios, min_size=1, max_size=9), st.data())
def test_all_classes_are_compared_at_once_as_one_by_one(ratios, data):
    pairs = np.array(ratios, dtype=np.int64).reshape(-1, 2)
    scores = Ratios(pairs[:, 0], pairs[:, 1])
    tiny = st.sampled_from([Fraction(1, 10**19), Fraction(-1, 2**64), Fraction(10**19), Fraction(10**300)])
    limits = st.sampled_from(ratios).map(lambda pair: Fraction(*pair)) | st.fractions(-9, 9, max_denominator=99) | tiny
    limit = Limit(data.draw(limits))
    found = scores.relations(limit)
    if found is None:  # products of these might not fit 64 bits
        assert max(int(pairs.max()), 1) * max(abs(limit.exact.numerator), limit.exact.denominator) >= 2**62
    else:
        assert found.tolist() == [scores.compare(index, limit) for index in range(len(ratios))]
    assert scores.relations(Limit.of(0.5)) is None


NUMBERS = [1, 2, 3, 8, 10**6]
ZEROS = np.zeros(len(NUMBERS), dtype=np.int64)
LOGARITHM_OF_3 = Decimal("1.58496250072115618145373894394781650875981440769248")


def around(exact: Fraction) -> list[tuple[Limit, int]]:
    """Limits at, below and above a score, with the relation that the score has to them."""
    nudge = Fraction(1, 10**18)
    limits = [(Limit(exact), 0), (Limit(exact - nudge), 1), (Limit(exact + nudge), -1)]
    floats = [(Limit.of(float(exact) - 0.5), 1), (Limit.of(float(exact) + 0.5), -1)]
    return [*limits, *floats, (Limit.of(0), (exact > 0) - (exact < 0)), (Limit.of(-1), 1)]


def ordered(scores: Scores) -> bool:
    """True if scores compare as the numbers do that they grow with."""
    pairs = product(range(len(NUMBERS)), repeat=2)
    return all(
        scores.difference(one, other) == (NUMBERS[one] > NUMBERS[other]) - (NUMBERS[one] < NUMBERS[other])
        for one, other in pairs
    )


@pytest.mark.parametrize("power", [True, False])
def test_logarithms(power):
    """log2(n) or, as a power of two, n itself."""
    approximate = np.array(NUMBERS, dtype=float) if power else np.log2(NUMBERS)
    scores = Logarithms(approximate, lambda index: Bits({NUMBERS[index]: 1}), lambda _: [ZEROS], power=power)
    for index, number in enumerate(NUMBERS):
        assert scores.value(index) == (number if power else math.log2(number))
        exact = Fraction(number) if power else {1: Fraction(0), 2: Fraction(1), 8: Fraction(3)}.get(number)
        assert scores.exact(index) == exact
        assert scores.best_known(index) == (math.log2(number) if exact is None else exact)
        for limit, relation in around(exact) if exact is not None else [(Limit.of(math.log2(number)), 0)]:
            assert scores.compare(index, limit) == relation
    assert scores.compare(2, Limit.of(str(math.log2(3)))) == 1  # as a text it is exact, and a little less
    assert abs(scores.precise(2) - (3 if power else LOGARITHM_OF_3)) < Decimal("1e-37")
    assert (scores.approximate is approximate, scores.marks(np.array([0, 2]))) == (True, [ZEROS])
    assert ordered(scores)


def test_a_fraction_that_a_logarithm_is_nearly():
    """log2(3) is near the best fraction with six digits, and is none."""
    scores = Logarithms(np.array([math.log2(3)]), lambda _: Bits({3: 1}), lambda _: [ZEROS[:1]])
    assert scores.exact(0) is None
    assert scores.best_known(0) == math.log2(3)


def test_quotients_of_logarithms():
    """log2(n) of log2(8)."""
    scores = LogQuotients(np.log2(NUMBERS) / 3, lambda index: Bits({NUMBERS[index]: 1}), Bits({8: 1}), [ZEROS])
    for index, number in enumerate(NUMBERS):
        assert scores.value(index) == pytest.approx(math.log2(number) / 3, rel=1e-15)
        assert scores.exact(index) == {1: Fraction(0), 2: Fraction(1, 3), 8: Fraction(1)}.get(number)
        assert scores.compare(index, Limit.of(scores.value(index))) == 0
    assert abs(3 * Fraction(scores.precise(2)) - Fraction(LOGARITHM_OF_3)) < Fraction(1, 10**37)
    for index, third in ((0, Fraction(0)), (1, Fraction(1, 3)), (3, Fraction(1))):
        for limit, relation in around(third):
            assert scores.compare(index, limit) == relation
    assert [one.tolist() for one in scores.marks(np.array([0, 2]))] == [[0, 0]]
    assert scores.approximate.tolist() == (np.log2(NUMBERS) / 3).tolist()
    assert ordered(scores)


@pytest.mark.parametrize("below", [1, 999_983, 10**6, 1_000_003])
def test_fractions_up_to_a_millionth_are_found(below):
    exact = Fraction(1, below)
    scores = Logarithms(np.array([float(exact)]), lambda _: Bits({2: exact}), lambda _: [ZEROS[:1]])
    assert scores.exact(0) == (exact if below <= 10**6 else None)


def test_equal_fractions_have_equal_marks():
    scores = Ratios(np.array([2, 6, 2, 6]), np.array([4, 12, 1, 4]))
    assert [mark.tolist() for mark in scores.marks(np.arange(4))] == [[1, 1, 2, 3], [2, 2, 1, 2]]
    assert [Ratios(np.array([3, 0])).exact(index) for index in range(2)] == [3, 0]


def test_counts_beyond_64_bits_have_floats_too():
    scores = Ratios(np.array([10**30, 1], dtype=object), 4)
    assert (scores.approximate.dtype, scores.approximate.tolist()) == (float, [2.5e29, 0.25])
    assert [scores.exact(index) for index in range(2)] == [Fraction(10**30, 4), Fraction(1, 4)]
