"""Groups of points in several columns: halving, MDAV, and merging of groups that fail."""

import numpy as np
import pytest

from PETWorks.anonymization.microaggregation.groups import group_by_halving, group_by_mdav, merge_failing


def points(*rows):
    return np.array(rows, dtype=float)


def sets(groups):
    return sorted(np.flatnonzero(groups == group).tolist() for group in np.unique(groups))


def test_halves_leave_room_for_most_groups():
    """At the median, 15 rows would be cut in 7 and 8, which have room for one group of 5 each."""
    line = points(*([number, 0] for number in range(15)))
    assert sets(group_by_halving(line, np.ones(15, dtype=int), 5)) == [
        list(range(start, start + 5)) for start in (0, 5, 10)
    ]
    assert sets(group_by_halving(line[:14], np.ones(14, dtype=int), 5)) == [list(range(7)), list(range(7, 14))]


def test_halves_cut_the_widest_column_that_can_be_cut():
    flat = points([0, 0], [0, 1], [9, 0], [9, 1])
    assert sets(group_by_halving(flat, np.ones(4, dtype=int), 2)) == [[0, 1], [2, 3]]
    heavy = points([0, 0], [0, 1], [0, 2], [9, 3])  # one row cannot be a half: the narrower column is cut
    assert sets(group_by_halving(heavy, np.ones(4, dtype=int), 2)) == [[0, 1], [2, 3]]


def test_halves_do_not_separate_equal_values():
    tied = points([0, 0], [0, 0], [0, 0], [1, 0])
    assert sets(group_by_halving(tied, np.array([1, 1, 1, 3]), 2)) == [[0, 1, 2], [3]]
    assert sets(group_by_halving(tied[:3], np.ones(3, dtype=int), 1)) == [[0, 1, 2]]


def test_neighbours_are_next_to_each_other():
    square = points(*([left, right] for left in range(8) for right in range(8)))
    groups = group_by_halving(square, np.ones(64, dtype=int), 4)
    centres = np.array([square[groups == group].mean(axis=0) for group in range(groups.max() + 1)])
    assert np.abs(np.diff(centres, axis=0)).sum(axis=1).mean() < 4


def test_mdav_begins_with_those_farthest_from_the_mean():
    line = points([0, 0], [1, 0], [2, 0], [10, 0], [11, 0], [12, 0], [50, 0], [51, 0], [53, 0])
    assert sets(group_by_mdav(line, np.ones(9, dtype=int), 3)) == [[0, 1, 2], [3, 4, 5], [6, 7, 8]]
    assert group_by_mdav(line, np.ones(9, dtype=int), 3)[8] == 0
    assert sets(group_by_mdav(line[:7], np.ones(7, dtype=int), 3)) == [[0, 1, 2, 3], [4, 5, 6]]
    assert sets(group_by_mdav(line[:5], np.ones(5, dtype=int), 3)) == [[0, 1, 2, 3, 4]]


def test_mdav_counts_rows_not_points():
    line = points([0, 0], [1, 0], [2, 0], [10, 0])
    assert sets(group_by_mdav(line, np.array([3, 1, 2, 3]), 3)) == [[0], [1, 2], [3]]
    assert sets(group_by_mdav(line[:2], np.array([1, 8]), 3)) == [[0, 1]]  # the first group takes all
    assert sets(group_by_mdav(line[:3], np.array([1, 8, 1]), 3)) == [
        [0, 1],
        [2],
    ]  # a rest that is too small is merged later


@pytest.mark.parametrize("column", [points([0], [1], [3], [9]), points([0, 0], [1, 0], [3, 0], [9, 0])])
def test_failing_groups_are_merged_with_their_nearest(column):
    alone, ones = np.arange(4), np.ones(4, dtype=int)
    assert sets(merge_failing(column, ones, alone, np.array([0, 0, 0, 1], dtype=bool))) == [[0], [1], [2, 3]]
    assert sets(merge_failing(column, ones, alone, np.array([1, 1, 0, 0], dtype=bool))) == [[0, 1], [2], [3]]
    # the third would go to the second, which is taken and may hold now
    assert sets(merge_failing(column, ones, alone, np.array([1, 1, 1, 0], dtype=bool))) == [[0, 1], [2], [3]]
    # one that holds takes all that come
    assert sets(merge_failing(column, ones, alone, np.array([1, 0, 1, 0], dtype=bool))) == [[0, 1, 2], [3]]


def test_merging_costs_what_the_squared_error_grows_by():
    """A small group far away costs less than a large one nearby."""
    plane = points([0, 0], [2, 0], [-3, 0])
    assert sets(merge_failing(plane, np.array([10, 90, 1]), np.arange(3), np.array([True, False, False]))) == [
        [0, 2],
        [1],
    ]
    line = plane[:, :1]  # groups on a line are merged with a neighbour only
    assert sets(merge_failing(line, np.array([10, 90, 1]), np.arange(3), np.array([False, True, False]))) == [
        [0, 1],
        [2],
    ]
