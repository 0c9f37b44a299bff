"""Groups of points by halving: cut the widest column near its median, as long as both halves have k rows.

All groups are cut at the same time. A group that cannot be cut by its widest column tries the next widest.

K. LeFevre, D. J. DeWitt, R. Ramakrishnan, "Mondrian Multidimensional K-Anonymity", ICDE 2006,
doi:10.1109/ICDE.2006.101.
"""

from __future__ import annotations

import numpy as np

from PETWorks.counting.tally import IntArray
from PETWorks.exact.scores import FloatArray


def halves(coordinates: FloatArray, counts: IntArray, k: int) -> IntArray:
    """Return the group of each point. Groups with similar numbers are close to each other."""
    columns = coordinates.shape[1]
    order = np.arange(len(counts))  # the points, group by group
    starts = np.zeros(1, dtype=np.int64)  # of groups in the order
    tried = np.zeros(1, dtype=np.int64)  # by group: how many columns it cannot be cut by
    while True:
        lengths = np.diff(starts, append=len(order))
        live = (tried < columns) & (np.add.reduceat(counts[order], starts) >= 2 * k)
        if not live.any():
            return _groups(order, starts)
        places = np.flatnonzero(np.repeat(live, lengths))
        points = order[places]
        by_column, cuts = _halved(coordinates[points], counts[points], lengths[live], tried[live], k)
        order[places] = points[by_column]
        new = places[cuts] + 1
        where = np.searchsorted(starts, new)
        tried[live] += 1
        tried[where - 1] = 0
        starts, tried = np.insert(starts, where, new), np.insert(tried, where, 0)


def _groups(order: IntArray, starts: IntArray) -> IntArray:
    """Return the group of each point."""
    groups = np.empty_like(order)
    groups[order] = np.repeat(np.arange(len(starts)), np.diff(starts, append=len(order)))
    return groups


def _halved(
    points: FloatArray, counts: IntArray, lengths: IntArray, tried: IntArray, k: int
) -> tuple[IntArray, IntArray]:
    """Return the order of points, sorted within each group by the column to be tried, and the end of each left half.

    Groups are adjacent. Of the cuts that leave room for most groups of k rows, the one nearest to the median is chosen.
    Equal values are not separated.
    """
    starts = np.cumsum(lengths) - lengths
    group = np.repeat(np.arange(len(lengths)), lengths)
    widths = np.maximum.reduceat(points, starts) - np.minimum.reduceat(points, starts)
    column = np.argsort(-widths, axis=1, kind="stable")[np.arange(len(tried)), tried]
    key = points[np.arange(len(points)), column[group]]
    order = np.lexsort((key, group))
    key, rows = key[order], counts[order]
    total = np.add.reduceat(rows, starts)
    left = np.cumsum(rows) - (np.cumsum(total) - total)[group]
    right = total[group] - left
    may = (left >= k) & (right >= k)
    may[:-1] &= key[:-1] < key[1:]
    fewer = total[group] // k - left // k - right // k  # groups of k rows that the halves have room for, at most
    off = np.where(may, fewer * total[group] + np.abs(left - right), 2 * total[group])
    nearest = np.flatnonzero(may & (off == np.minimum.reduceat(off, starts)[group]))
    return order, nearest[np.unique(group[nearest], return_index=True)[1]]
