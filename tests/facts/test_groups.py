"""Groups of people, by hand: how many entries, classes and people each kind has, and what they are of the release."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from PETWorks.facts.classes import Classes, ClassParts, FinerClasses, PopulationClasses, SizeGroups, sum_squares
from support.counted_tables import Coded
from support.strategies import brute

SIZES = np.array([3, 1, 3])
COLUMNS = {"q": Coded(np.array([2, 0, 1]), ["a", "b", None])}
CHOSEN = np.array([True, False, True])
KINDS = {
    "classes": Classes(SIZES, COLUMNS, np.arange(3)),
    "parts": ClassParts(SIZES, COLUMNS, np.array([1, 0, 1]), 4),
    "finer": FinerClasses(SIZES, COLUMNS, np.array([1, 0, 1]), 4, np.arange(3)),
    "population": PopulationClasses(SIZES, COLUMNS, np.array([1, 1, 0]), np.array([1, 0, 0])),
}


@pytest.mark.parametrize("kind", KINDS)
def test_what_all_named_groups_tell(kind):
    groups = KINDS[kind]
    assert (len(groups), groups.rows, groups.people.tolist()) == (3, 7, [3, 1, 3])
    assert groups.histogram == {1: 1, 3: 2}
    assert (groups.all.tolist(), groups.all.dtype) == ([True] * 3, bool)
    assert groups.can_be_described is True
    assert [groups.values(index) for index in range(3)] == [{"q": None}, {"q": "a"}, {"q": "b"}]


@pytest.mark.parametrize(
    ("kind", "classes", "in_release"),
    [
        ("classes", 2, [True, False, True]),
        ("parts", 1, [False, True, False, False]),  # both are parts of the second of four classes
        ("finer", 2, [False, True, False, False]),
        ("population", 2, [False, True, True]),  # the first class of the release is held by the second
    ],
)
def test_the_chosen_ones(kind, classes, in_release):
    assert KINDS[kind].count(CHOSEN) == classes
    found = KINDS[kind].find_in_release(CHOSEN)
    assert (found.tolist(), found.dtype) == (in_release, bool)


def test_people_who_look_like_a_class_of_the_release():
    assert KINDS["population"].sizes_of_release.tolist() == [1, 3, 3]


@brute
@given(st.dictionaries(st.integers(1, 50), st.integers(1, 5)))
def test_only_sizes(histogram):
    groups = SizeGroups.of(histogram)
    classes = sorted(Counter(histogram).elements())
    assert (len(groups), groups.rows) == (len(classes), sum(classes))
    assert groups.sizes.tolist() == sorted(histogram)
    assert groups.sizes.dtype == groups.times.dtype == np.int64
    assert groups.people.tolist() == [size * classes.count(size) for size in sorted(histogram)]
    assert groups.histogram == histogram
    assert groups.can_be_described is False
    assert groups.values(0) is None
    large = groups.sizes > 9
    assert groups.count(large) == sum(size > 9 for size in classes)
    assert groups.find_in_release(large) is large


@brute
@given(st.lists(st.one_of(st.integers(1, 9), st.integers(2**30, 2**40), st.just(3_037_000_499)), max_size=5))
def test_squares_of_any_size(sizes):
    assert sum_squares(np.array(sizes, dtype=np.int64)) == sum(size * size for size in sizes)
