"""Bounds tell apart scores that floats cannot: the worst class, those like it, those that fail, and their order."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import PETWorks as pw
from PETWorks.measure.bounds import Bound
from PETWorks.plugin import Ratios, Side
from support.release_facts import Classes
from support.strategies import brute, close_ratios

ERROR = 1e-12  # relative and absolute, of floats that come of many steps
KEEPS = {
    Side.AT_MOST: lambda score, limit: score <= limit,
    Side.LESS_THAN: lambda score, limit: score < limit,
    Side.AT_LEAST: lambda score, limit: score >= limit,
    Side.MORE_THAN: lambda score, limit: score > limit,
}


@st.composite
def bounds(draw, *, hopeless: bool):
    """Scores of classes, many equal or all but equal, with a limit that is often one of them."""
    scores = draw(st.lists(close_ratios, min_size=1, max_size=9))
    sizes = draw(st.lists(st.integers(1, 5), min_size=len(scores), max_size=len(scores)))
    limit = Fraction(*draw(st.one_of(st.sampled_from(scores), close_ratios)))
    beyond = draw(st.lists(st.booleans(), min_size=len(scores), max_size=len(scores))) if hopeless else None
    bound = bound_of(draw(st.sampled_from([*Side])), limit, scores, sizes, beyond)
    errors = draw(st.lists(st.sampled_from([0, ERROR, -ERROR]), min_size=len(scores), max_size=len(scores)))
    return replace(bound, scores=Inaccurate(bound.scores.numerator, bound.scores.denominator, np.array(errors)))


class Inaccurate(Ratios):
    """Quotients of which the floats are a little off, and whose marks are different though 1/2 equals 2/4."""

    def __init__(self, numerator, denominator, errors) -> None:
        super().__init__(numerator, denominator)
        self.errors = errors

    @property
    def approximate(self):
        return super().approximate * (1 + self.errors) + self.errors

    def marks(self, indices):
        return [self.numerator[indices], self.denominator[indices]]


def bound_of(side, limit, scores, sizes, beyond=None) -> Bound:
    above, below = (np.array(one) for one in zip(*scores, strict=True))
    classes = Classes(np.array(sizes), {}, np.arange(len(sizes)))
    return Bound(side, limit, Ratios(above, below), classes, hopeless=None if beyond is None else np.array(beyond))


def exact(bound: Bound) -> list[Fraction]:
    """The scores, larger if worse."""
    sign = 1 if bound.side.high_is_bad else -1
    return [sign * bound.scores.exact(index) for index in range(len(bound.classes))]


@brute
@given(bounds(hopeless=False), st.booleans())
def test_scores_that_are_close(bound, known):
    """Also where it is known that no class is beyond every limit."""
    bound = replace(bound, hopeless=np.zeros(len(bound.classes), dtype=bool)) if known else bound
    bad = exact(bound)
    worst = bound.find_worst()
    assert bad[worst] == max(bad)
    assert worst == bad.index(max(bad))
    for index, one in enumerate(bad):
        assert bound.find_equal(index).tolist() == [other for other, score in enumerate(bad) if score == one]
    keeps = KEEPS[bound.side]
    assert bound.failing.tolist() == [not keeps(bound.scores.exact(one), bound.limit) for one in range(len(bad))]
    expected = sorted(range(len(bad)), key=lambda index: (-bad[index], -bound.classes.sizes[index], index))
    for most in (1, len(bad) // 2, len(bad), len(bad) + 1):
        assert bound.rank_worst(most) == expected[:most]


@brute
@given(bounds(hopeless=True), st.integers(1, 9))
def test_classes_beyond_every_limit_are_the_worst(bound, most):
    beyond = bound.hopeless.tolist()
    assert bound.any_hopeless == any(beyond)
    if not any(beyond):
        return
    assert bound.find_worst() == beyond.index(True)
    assert bound.find_equal(bound.find_worst()).tolist() == np.flatnonzero(bound.hopeless).tolist()
    assert bound.failing[bound.hopeless].all()
    order = bound.rank_worst(most)
    assert len(order) == min(most, len(beyond))
    assert [beyond[index] for index in order] == sorted(beyond, reverse=True)[:most]
    sizes = [int(bound.classes.sizes[index]) for index in order if beyond[index]]
    largest_first = sorted(bound.classes.sizes[bound.hopeless].tolist(), reverse=True)
    assert sizes == largest_first[: len(sizes)]


@brute
@given(st.lists(st.tuples(st.integers(0, 30), st.integers(1, 4)), min_size=1, max_size=60), st.integers(1, 61))
def test_the_first_of_the_order(classes, most):
    """By score, and larger classes first."""
    scores, sizes = [(score, 7) for score, _ in classes], [size for _, size in classes]
    bound = bound_of(Side.AT_MOST, None, scores, sizes)
    expected = sorted(((score, size) for score, size in classes), reverse=True)[:most]
    assert [classes[index] for index in bound.rank_worst(most)] == expected
    assert not bound.failing.any()


def test_of_classes_of_equal_entropy_the_largest_is_listed_first():
    """Each class has as many of each of three values; floats of these entropies differ in the last digits."""
    groups = [str(times) for times in range(1, 60) for _ in range(3 * times)]
    illness = [value for times in range(1, 60) for value in "xyz" for _ in range(times)]
    release = pw.Release({"group": groups, "illness": illness}, quasi_identifiers=["group"], sensitive=["illness"])
    result = release.ask(pw.LDiversity(l=3, variant="entropy"))
    floats = result.bounds[0].scores.approximate
    assert len(set(floats.tolist())) > 1
    assert [score.size for score in result.worst] == [3 * times for times in range(59, 49, -1)]
    assert {score.exact for score in result.worst} == {3}


def test_the_first_of_the_worst_classes():
    """4/8, 1/2 and 2/4 are equal, in whatever order their marks are."""
    scores = Inaccurate(np.array([0, 4, 1, 2]), np.array([1, 8, 2, 4]), 0)
    bound = bound_of(Side.AT_MOST, None, [(0, 1)] * 4, [1] * 4)
    assert replace(bound, scores=scores).find_worst() == 1


def test_scores_next_to_zero_whose_floats_are_in_the_wrong_order():
    bound = bound_of(Side.AT_MOST, Fraction(3, 2 * 10**16), [(1, 10**16), (2, 10**16)], [1, 1])
    bound = replace(bound, scores=Inaccurate(np.array([1, 2]), np.array([10**16] * 2), np.array([ERROR, -ERROR])))
    assert (bound.find_worst(), bound.rank_worst(1), bound.rank_worst(2)) == (1, [1], [1, 0])
    assert (bound.failing.tolist(), bound.find_equal(0).tolist()) == ([False, True], [0])


def test_no_classes():
    none = np.array([], dtype=np.int64)
    bound = Bound(Side.AT_MOST, "1/2", Ratios(none), Classes(none, {}, none))
    assert bound.find_worst() is None
    assert bound.failing.tolist() == bound.rank_worst(10) == []


class Watched(Ratios):
    """Quotients that keep which classes were compared exactly."""

    compared: frozenset[int] = frozenset()

    def relations(self, limit):
        """Return None, as scores do that are no quotients."""

    def marks(self, indices):
        self.compared |= {*indices.tolist()}
        return super().marks(indices)


@pytest.mark.parametrize(
    ("decide", "close"),
    [(Bound.find_worst, {4, 5}), (lambda bound: bound.find_equal(1), {1, 2}), (lambda bound: bound.failing, {1, 2})],
)
def test_floats_decide_the_clear_cases(decide, close):
    """A relative 1e-8 from the worst score, from another class or from the limit is clear, and 1e-10 is not."""
    halves = [0, 10**10, 10**10 + 1, 10**10 + 100, 2 * 10**10 - 1, 2 * 10**10]
    bound = bound_of(Side.AT_MOST, "1/2", [(half, 2 * 10**10) for half in halves], [1] * 6)
    scores = Watched(bound.scores.numerator, bound.scores.denominator)
    decide(replace(bound, scores=scores))
    assert scores.compared == close
