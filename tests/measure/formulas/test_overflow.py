"""Results are exact for counts so large that their products do not fit in 64 bits."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracle import naive
from PETWorks.measure.bounds import Bound
from PETWorks.measure.formulas import earth_mover
from PETWorks.plugin import Hierarchy, Side, Spread
from support.release_facts import Classes
from support.strategies import NUDGE, brute

VALUES = tuple(str(value) for value in range(1, 7))
TREE = [
    ("1", "low", "*"),
    ("2", "low", "*"),
    ("3", "low", "*"),
    ("4", "high", "*"),
    ("5", "high", "*"),
    ("6", "6", "*"),
]
Table = list[dict[str, int]]  # for each class, how many of its rows have each value

counts = st.one_of(st.integers(1, 10), st.integers(10**9 - 2, 10**9 + 2), st.integers(1, 10**12))
one_class = st.dictionaries(st.sampled_from(VALUES), counts, min_size=1)
large_tables = st.lists(one_class, min_size=1, max_size=4)

KINDS = {
    "ordered": (earth_mover.compute_ordered_distances, naive.ordered_distance),
    "equal": (earth_mover.compute_equal_distances, naive.equal_distance),
    "hierarchical": (
        lambda spread: earth_mover.compute_hierarchical_distances(spread, Hierarchy("s", TREE)),
        lambda inside, whole: naive.hierarchical_distance(inside, whole, {row[0]: row for row in TREE}),
    ),
}
kinds = pytest.mark.parametrize("kind", KINDS)


def overall(table: Table) -> dict[str, int]:
    return {value: sum(inside.get(value, 0) for inside in table) for value in VALUES if any(value in c for c in table)}


def classes_of(sizes) -> Classes:
    return Classes(np.asarray(sizes, dtype=np.int64), {}, np.arange(len(sizes)))


def spread_of(table: Table) -> Spread:
    whole = overall(table)
    values = tuple(whole)
    entries = [
        (number, values.index(value), inside[value])
        for number, inside in enumerate(table)
        for value in values
        if value in inside
    ]
    of_class, of_value, count = np.array(entries, dtype=np.int64).T
    classes = classes_of([sum(inside.values()) for inside in table])
    return Spread("s", values, np.array(list(whole.values()), dtype=np.int64), classes, of_class, of_value, count, 0)


def check(kind: str, table: Table) -> None:
    measured, defined = KINDS[kind]
    spread = spread_of(table)
    scores = measured(spread)
    expected = [defined(naive.shares(inside), naive.shares(overall(table))) for inside in table]
    assert [scores.exact(number) for number in range(len(table))] == expected

    worst = max(expected)
    bound = Bound(Side.AT_MOST, worst, scores, spread.classes)
    assert scores.exact(bound.find_worst()) == worst
    assert not bound.failing.any()
    below = Bound(Side.AT_MOST, worst * (1 - NUDGE), scores, spread.classes)
    assert below.failing.tolist() == [score > worst * (1 - NUDGE) for score in expected]


@kinds
@brute
@given(large_tables)
def test_large_counts(kind, table):
    check(kind, table)


@kinds
@pytest.mark.parametrize("rows", [10**9, 3_037_000_499, 3_037_000_500, 4 * 10**9, 5 * 10**9, 10**10, 10**12])
def test_one_large_class_and_a_single_row(kind, rows):
    """The square of 3,037,000,500 does not fit in 64 bits; above 4.3e9 the overflow is positive again."""
    check(kind, [{"1": rows - 1, "6": 1}, {"6": 1}])
    check(kind, [{"1": rows // 2, "2": rows // 3, "6": rows // 5}, {"3": rows // 7, "6": 1}])


@kinds
def test_where_only_the_steps_overflow(kind):
    """N·s fits in 64 bits, but N·s·(number of values or levels) does not."""
    check(kind, [dict.fromkeys(VALUES, 400000000), {"1": 1}])
    check(kind, [{"1": 2_400_000_000}, {"6": 100_000_000}])


def test_scores_that_floats_cannot_tell_apart():
    near, nearer = Fraction(10**17 + 1, 10**18), Fraction(10**17 + 2, 10**18)
    scores = earth_mover.Ratios(np.array([10**17 + 1, 10**17 + 2, 10**17]), np.array([10**18] * 3))
    bound = Bound(Side.AT_MOST, near, scores, classes_of([1, 1, 1]))
    assert bound.failing.tolist() == [False, True, False]
    assert scores.exact(bound.find_worst()) == nearer
    assert bound.rank_worst(3) == [1, 0, 2]


def test_a_million_rows_do_not_overflow():
    """A class of 10,000 whose hierarchical distance is 0.4: t = 0.05 does not hold."""
    overall = np.array([300_000, 200_000, 300_000, 200_000])
    sizes = np.array([10_000, 990_000])
    spread = Spread(
        name="disease",
        values=("a", "b", "c", "d"),
        overall=overall,
        classes=(classes := Classes(sizes, {}, np.arange(len(sizes)))),
        of_class=np.array([0, 0, 0, 0, 1, 1, 1, 1]),
        of_value=np.array([0, 1, 2, 3, 0, 1, 2, 3]),
        counts=np.array([7_500, 1_000, 1_000, 500, 292_500, 199_000, 299_000, 199_500]),
        unpublished=0,
    )
    tree = Hierarchy("disease", [("a", "x", "*"), ("b", "x", "*"), ("c", "y", "*"), ("d", "y", "*")])
    distances = earth_mover.compute_hierarchical_distances(spread, tree)
    assert distances.exact(0) == Fraction(2, 5)
    assert Bound(Side.AT_MOST, "0.05", distances, classes).failing.tolist() == [True, False]
