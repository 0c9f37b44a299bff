"""Lower bounds on the share of a class that every more detailed release must suppress.

A class is split in a more detailed release, and the parts that hold may be retained. If each of them has at most a
share a of something, so have all of them together; suppressed rows have at most all of it. So if the class has a larger
share d, the share x of its rows that is suppressed follows from d ≤ (1 - x)·a + x. The same is true of distances that
are convex and at most 1. If each part must have at least a share a, suppressed rows may have none: d ≥ (1 - x)·a.

Floats are rounded, and a limit that is written as one is met by what rounds to it. So a little is subtracted.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from PETWorks.exact.limit import Limit
from PETWorks.exact.scores import FloatArray
from PETWorks.facts.spread import Spread
from PETWorks.tables.counting.tally import IntArray

SLACK = 1e-9  # far above rounding errors of shares


def excess(found: FloatArray, allowed: FloatArray | float) -> FloatArray:
    """Return the least share of a class to suppress if it has `found` and the rest may have at most `allowed`.

    >>> excess(np.array([0.5, 0.9]), 0.5).round(6)
    array([0. , 0.8])
    """
    return np.asarray(np.maximum(found - allowed - SLACK, 0) / np.maximum(1 - allowed, SLACK))


def shortfall(found: FloatArray | float, asked: FloatArray | float) -> FloatArray:
    """Return the least share of a class to suppress if it has `found` and the rest must have at least `asked`.

    >>> shortfall(np.array([0.5, 0.1]), 0.5).round(6)
    array([0. , 0.8])
    """
    return np.asarray(np.maximum(asked - found - SLACK, 0) / np.maximum(asked, SLACK))


def count_fewest_rows(share: Limit) -> int:
    """Return the smallest number of rows in which a single row has at most this share.

    >>> count_fewest_rows(Limit.of("0.34")), count_fewest_rows(Limit.of(1 / 3))
    (3, 3)
    """
    return math.ceil((1 - Fraction(SLACK)) / share.exact)


def find_size_of_risk(risk: Limit | None) -> int:
    """Return the size of the smallest class whose people have no higher risk; 1 if every class has, or none.

    >>> find_size_of_risk(Limit.of("0.3")), find_size_of_risk(Limit.of(0)), find_size_of_risk(None)
    (4, 1, 1)
    """
    return count_fewest_rows(risk) if risk and risk.exact else 1


def find_most_excess(spread: Spread, allowed: FloatArray) -> FloatArray:
    """Return the largest `excess` of a value in each class; `allowed` has the largest share of each value."""
    found = spread.counts / spread.sizes[spread.of_class]
    return find_largest_in_class(spread, excess(found, allowed[spread.of_value]))


def find_loss_by_equal_distance(spread: Spread, most: float) -> FloatArray:
    """Return the least share of each class to suppress so that the rest is at most `most` from the whole table.

    All values are equally far apart. The rest, s rows in whatever classes, has at most the c rows of each value that
    the class has: Σ min(c, p·s) ≥ (1 - most)·s. So any set of values has at least s·(1 - most - Σ p of the others) rows
    in the class. The strictest bound comes from the sets of values that are rarest in the class, relative to the whole
    table.
    """
    overall = spread.overall[spread.of_value]
    order = np.lexsort((spread.counts / overall, spread.of_class))
    others = (_cumulate(overall[order][::-1], spread.of_class[::-1])[::-1] - overall[order]) / spread.rows
    asked = 1 - most - SLACK - others
    rows = np.where(asked > 0, _cumulate(spread.counts[order], spread.of_class) / np.where(asked > 0, asked, 1), np.inf)
    present = np.bincount(spread.of_class, overall, len(spread.sizes)) / spread.rows
    kept = np.minimum.reduceat(rows, spread.starts) / spread.sizes if len(rows) else spread.sizes
    return np.where(present < 1 - most - SLACK, 1, 1 - np.minimum(kept, 1))


def _cumulate(numbers: IntArray, of_class: IntArray) -> IntArray:
    """Return the running sum of numbers within each class; entries of a class are adjacent."""
    sums = np.cumsum(numbers)
    first = np.append(True, of_class[1:] != of_class[:-1])[: len(numbers)]
    before: IntArray = (sums - numbers)[first][np.cumsum(first) - 1]
    return sums - before


def find_largest_in_class(spread: Spread, entries: FloatArray) -> FloatArray:
    """Return the largest number of each class; `entries` has one for each value of a class."""
    return np.maximum.reduceat(entries, spread.starts) if len(entries) else entries
