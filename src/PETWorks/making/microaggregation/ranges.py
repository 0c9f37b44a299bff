"""Optimal groups of points on a line: the shortest path of Hansen and Mukherjee, over distinct values.

All rows with the same value are in one group, since a release is a map from values to cells. Groups are ranges of
values. A range that can be cut in two of at least k rows each loses less if it is cut, so only ranges that cannot are
looked at. No other grouping by ranges loses less; if every value has one row, no other grouping at all does. Losses are
compared as floats, which are right to about ten digits.

S. L. Hansen, S. Mukherjee, "A Polynomial Algorithm for Optimal Univariate Microaggregation", IEEE Transactions on
Knowledge and Data Engineering 15(4), 2003, doi:10.1109/TKDE.2003.1209020.
"""

from __future__ import annotations

import numpy as np

from PETWorks.counting.tally import IntArray
from PETWorks.exact.scores import FloatArray

LEAST_STEP, MOST_COSTS = 32, 2**20  # ends of ranges that are looked at together, and costs of ranges held at a time


def ranges(values: FloatArray, counts: IntArray, k: int) -> IntArray:
    """Return the group of each value; there must be at least k rows."""
    order = np.argsort(values, kind="stable")
    cuts = _cuts(values[order], counts[order], k)
    groups = np.empty(len(values), dtype=np.int64)
    groups[order] = np.repeat(np.arange(len(cuts) - 1), np.diff(cuts))
    return groups


def _cuts(values: FloatArray, counts: IntArray, k: int) -> IntArray:
    """Return where the best ranges of sorted values begin, and where the last one ends."""
    places = len(values) + 1
    rows = np.append(0, np.cumsum(counts))
    full = np.searchsorted(rows, rows + k)  # by start, the first end with k rows; behind the last place if none has
    last = np.append(full, [places, places])[full] - 1  # by start, the last end at which the range cannot be cut
    ends = np.arange(places)
    lowest, highest = np.searchsorted(last, ends), np.searchsorted(full, ends, side="right")  # by end, its starts
    widest = int((ends - lowest).max())
    step = max(1, min(widest + LEAST_STEP, MOST_COSTS // (2 * widest + LEAST_STEP)))
    best, before = np.full(places, np.inf), np.zeros(places, dtype=np.int64)
    best[0] = 0.0
    for begin in range(1, places, step):
        until, base = min(begin + step, places), int(lowest[begin])
        costs = _costs(values[base : until - 1], counts[base : until - 1], begin - base)
        for end, low, high in zip(
            range(begin, until), lowest[begin:until].tolist(), highest[begin:until].tolist(), strict=True
        ):
            if low < high:
                lost = best[low:high] + costs[end - begin, low - base : high - base]
                start = int(lost.argmin())
                best[end], before[end] = lost[start], low + start
    cuts = [places - 1]
    while cuts[-1]:
        cuts.append(int(before[cuts[-1]]))
    return np.array(cuts[::-1])


def _costs(values: FloatArray, counts: IntArray, first_end: int) -> FloatArray:
    """Return the squared error of every range: a row for each end from `first_end` on, a column for each start.

    Values are centred, so that little is lost to rounding. Entries whose start is not before their end mean nothing.
    """
    off = values - values[len(values) // 2]
    rows, total, squares = (np.append(0.0, np.cumsum(counts * off**power)) for power in range(3))
    sizes, totals, squared = (sums[first_end:, None] - sums[None, :] for sums in (rows, total, squares))
    costs: FloatArray = squared - totals**2 / np.where(sizes > 0, sizes, 1)
    return costs
