"""Groups of points by MDAV: around the point farthest from the mean, and around the one farthest from that.

It loses less than halving, and takes time that grows with the square of the number of points.

J. Domingo-Ferrer, V. Torra, "Ordinal, Continuous and Heterogeneous k-Anonymity Through Microaggregation", Data Mining
and Knowledge Discovery 11(2), 2005, doi:10.1007/s10618-005-0007-5.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from PETWorks.counting.tally import IntArray
from PETWorks.exact.scores import FloatArray


def mdav(coordinates: FloatArray, counts: IntArray, k: int) -> IntArray:
    """Return the group of each point. The last group may have fewer than k rows."""
    groups = np.empty(len(counts), dtype=np.int64)
    left, columns, rows, group = np.arange(len(counts)), list(coordinates.T), counts, 0
    while (total := int(rows.sum())) >= 2 * k:
        mean = [(column * rows).sum() / total for column in columns]
        seed = _distances(columns, mean).argmax()
        free = np.ones(len(left), dtype=bool)
        for _ in range(2 if total >= 3 * k else 1):
            off = np.where(free, _distances(columns, [column[seed] for column in columns]), np.inf)
            taken = _nearest(off, rows, k)
            groups[left[taken]], free[taken], group = group, False, group + 1
            seed = np.where(free, off, -1.0).argmax()
        left, columns, rows = left[free], [column[free] for column in columns], rows[free]
    groups[left] = group
    return np.unique(groups, return_inverse=True)[1]


def _distances(columns: Sequence[FloatArray], centre: Sequence[float]) -> FloatArray:
    """Return the squared distance of each point."""
    found: FloatArray = np.add.reduce([(column - middle) ** 2 for column, middle in zip(columns, centre, strict=True)])
    return found


def _nearest(off: FloatArray, rows: IntArray, k: int) -> IntArray:
    """Return the nearest points that have k rows together, or all; of points equally far, the first."""
    last = min(k, len(off)) - 1  # so many points have enough rows
    near = np.flatnonzero(off <= np.partition(off, last)[last])
    near = near[np.argsort(off[near], kind="stable")]
    near = near[np.isfinite(off[near])]
    found: IntArray = near[: int(np.searchsorted(np.cumsum(rows[near]), k)) + 1]
    return found
