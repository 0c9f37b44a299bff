"""Group points for microaggregation, by halving, by MDAV, or by optimal ranges; and merge groups.

Halving cuts the widest column near its median, as long as both halves have k rows. All groups are cut at the same
time. A group that cannot be cut by its widest column tries the next widest.

K. LeFevre, D. J. DeWitt, R. Ramakrishnan, "Mondrian Multidimensional K-Anonymity", ICDE 2006,
doi:10.1109/ICDE.2006.101.

MDAV groups the points nearest to the point farthest from the mean, then those nearest to the point farthest from that.
It loses less than halving, and its time grows with the square of the number of points.

J. Domingo-Ferrer, V. Torra, "Ordinal, Continuous and Heterogeneous k-Anonymity Through Microaggregation", Data Mining
and Knowledge Discovery 11(2), 2005, doi:10.1007/s10618-005-0007-5.

Points on a line have optimal groups: the shortest path of Hansen and Mukherjee, over distinct values. All rows with the
same value are in one group, since a release is a map from values to cells. Groups are ranges of values. A range that
can be cut in two of at least k rows each loses less if it is cut, so only ranges that cannot be cut are considered. No
other grouping by ranges loses less; if every value has one row, no other grouping at all does. Losses are exact.

S. L. Hansen, S. Mukherjee, "A Polynomial Algorithm for Optimal Univariate Microaggregation", IEEE Transactions on
Knowledge and Data Engineering 15(4), 2003, doi:10.1109/TKDE.2003.1209020.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import lcm

import numpy as np

from PETWorks.exact.scores import FloatArray
from PETWorks.tables.counting.tally import IntArray, Mask


def group_by_halving(coordinates: FloatArray, counts: IntArray, k: int) -> IntArray:
    """Return the group of each point, by halving. Groups with similar numbers are close to each other."""
    columns = coordinates.shape[1]
    order = np.arange(len(counts))  # the points, group by group
    starts = np.zeros(1, dtype=np.int64)  # of groups in the order
    tried = np.zeros(1, dtype=np.int64)  # by group: the number of columns that cannot cut it
    while True:
        lengths = np.diff(starts, append=len(order))
        live = (tried < columns) & (np.add.reduceat(counts[order], starts) >= 2 * k)
        if not live.any():
            return _number_groups(order, starts)
        places = np.flatnonzero(np.repeat(live, lengths))
        points = order[places]
        by_column, cuts = _cut_groups(coordinates[points], counts[points], lengths[live], tried[live], k)
        order[places] = points[by_column]
        new = places[cuts] + 1
        where = np.searchsorted(starts, new)
        tried[live] += 1
        tried[where - 1] = 0
        starts, tried = np.insert(starts, where, new), np.insert(tried, where, 0)


def _number_groups(order: IntArray, starts: IntArray) -> IntArray:
    """Return the group of each point."""
    groups = np.empty_like(order)
    groups[order] = np.repeat(np.arange(len(starts)), np.diff(starts, append=len(order)))
    return groups


def _cut_groups(
    points: FloatArray, counts: IntArray, lengths: IntArray, tried: IntArray, k: int
) -> tuple[IntArray, IntArray]:
    """Return the order of points, sorted within each group by the column to try, and the end of each left half.

    Groups are adjacent. Of the cuts that allow most groups of k rows, the one nearest to the median is chosen. Equal
    values stay together.
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
    fewer = total[group] // k - left // k - right // k  # how many fewer groups of k rows fit into the halves
    off = np.where(may, fewer * total[group] + np.abs(left - right), 2 * total[group])
    nearest = np.flatnonzero(may & (off == np.minimum.reduceat(off, starts)[group]))
    return order, nearest[np.unique(group[nearest], return_index=True)[1]]


def group_by_mdav(coordinates: FloatArray, counts: IntArray, k: int) -> IntArray:
    """Return the group of each point, by MDAV. The last group may have fewer than k rows."""
    groups = np.empty(len(counts), dtype=np.int64)
    left, columns, rows, group = np.arange(len(counts)), list(coordinates.T), counts, 0
    while (total := int(rows.sum())) >= 2 * k:
        mean = [(column * rows).sum() / total for column in columns]
        seed = _square_distances(columns, mean).argmax()
        free = np.ones(len(left), dtype=bool)
        for _ in range(2 if total >= 3 * k else 1):
            off = np.where(free, _square_distances(columns, [column[seed] for column in columns]), np.inf)
            taken = _select_nearest(off, rows, k)
            groups[left[taken]], free[taken], group = group, False, group + 1
            seed = np.where(free, off, -1.0).argmax()
        left, columns, rows = left[free], [column[free] for column in columns], rows[free]
    groups[left] = group
    return np.unique(groups, return_inverse=True)[1]


def _square_distances(columns: Sequence[FloatArray], centre: Sequence[float]) -> FloatArray:
    """Return the squared distance of each point from the centre."""
    found: FloatArray = np.add.reduce([(column - middle) ** 2 for column, middle in zip(columns, centre, strict=True)])
    return found


def _select_nearest(off: FloatArray, rows: IntArray, k: int) -> IntArray:
    """Return the nearest points that together have k rows, or all points; of points equally far, the first."""
    last = min(k, len(off)) - 1  # so many points have enough rows
    near = np.flatnonzero(off <= np.partition(off, last)[last])
    near = near[np.argsort(off[near], kind="stable")]
    near = near[np.isfinite(off[near])]
    found: IntArray = near[: int(np.searchsorted(np.cumsum(rows[near]), k)) + 1]
    return found


NEIGHBOURS = 64  # groups on either side that are compared with a group, in the order of halving


def merge_failing(coordinates: FloatArray, counts: IntArray, groups: IntArray, failing: Mask) -> IntArray:
    """Merge each failing group with its nearest one. A failing group takes part in one merge only.

    There must be at least two groups. Groups on a line stay ranges.
    """
    sizes = np.bincount(groups, weights=counts).astype(np.float64)
    centres = np.stack([np.bincount(groups, weights=counts * column) / sizes for column in coordinates.T], axis=1)
    chosen = np.flatnonzero(failing)
    into, free = np.arange(len(sizes)), np.ones(len(sizes), dtype=bool)
    for one, other in zip(chosen.tolist(), _find_nearest_groups(centres, sizes, chosen).tolist(), strict=True):
        if free[one] and (free[other] or not failing[other]):
            into[one], free[one], free[other] = other, False, False
    return np.unique(into[groups], return_inverse=True)[1]


def _find_nearest_groups(centres: FloatArray, sizes: FloatArray, chosen: IntArray) -> IntArray:
    """Return, for each chosen group, the neighbour whose merge adds least to the squared error."""
    order = np.argsort(group_by_halving(centres, np.ones(len(sizes), dtype=np.int64), 1), kind="stable")
    place = np.argsort(order)[chosen]
    nearest, least = chosen.copy(), np.full(len(chosen), np.inf)
    width = 1 if centres.shape[1] == 1 else min(NEIGHBOURS, len(order) - 1)
    for step in (sign * away for away in range(1, width + 1) for sign in (-1, 1)):
        other = order[np.clip(place + step, 0, len(order) - 1)]
        apart = ((centres[chosen] - centres[other]) ** 2).sum(axis=1)
        further = apart * sizes[chosen] * sizes[other] / (sizes[chosen] + sizes[other])
        better = (further < least) & (other != chosen)
        nearest[better], least[better] = other[better], further[better]
    return nearest


LEAST_STEP, MOST_COSTS = 32, 2**20  # ends of ranges that are considered together, and costs of ranges in memory
PYTHON_INTEGERS = 16  # how many times the memory of a 64-bit integer a Python integer takes up, and more
MAX_EXACT_BITS = 2**31  # of the exact costs of all ends
MAX_RANGE_ROWS = 2**28  # of a range whose exact costs are computed
INT63 = 2**63


def group_by_ranges(values: IntArray, counts: IntArray, k: int) -> tuple[IntArray, bool]:
    """Return the optimal group of each value, and True if no other ranges lose less; there must be at least k rows.

    The values are integers. Costs are exact: floats choose between ranges only where they are certain. They also decide
    if exact costs took too much memory, and then nothing is proven.
    """
    order = np.argsort(values, kind="stable")
    cuts, proven = _find_cuts(values[order], counts[order], k)
    groups = np.empty(len(values), dtype=np.int64)
    groups[order] = np.repeat(np.arange(len(cuts) - 1), np.diff(cuts))
    return groups, proven


def _find_cuts(values: IntArray, counts: IntArray, k: int) -> tuple[IntArray, bool]:
    """Return the starts of the best ranges of sorted values, and the end of the last one."""
    places = len(values) + 1
    rows = np.append(0, np.cumsum(counts))
    full = np.searchsorted(rows, rows + k)  # by start, the first end with k rows; behind the last place if none has
    last = np.append(full, [places, places])[full] - 1  # by start, the last end at which the range cannot be cut
    ends = np.arange(places)
    lowest, highest = np.searchsorted(last, ends), np.searchsorted(full, ends, side="right")  # by end, its starts
    widest = int((ends - lowest).max())
    costs = _RangeCosts.of(values, counts)
    step = max(1, min(widest + LEAST_STEP, costs.most // (2 * widest + LEAST_STEP)))
    unit = _find_unit(rows, lowest, highest, places)
    best, before = np.full(places, np.inf), np.zeros(places, dtype=np.int64)
    best[0] = 0.0
    exact: list[int] = [0] * places  # in parts of 1 / unit
    doubt = 1 + 8 * places * 2.0**-52  # floats that differ by less may be in the wrong order
    for begin in range(1, places, step):
        until, base = min(begin + step, places), int(lowest[begin])
        sizes, parts = costs.compute(base, begin, until)
        for end, low, high in zip(
            range(begin, until), lowest[begin:until].tolist(), highest[begin:until].tolist(), strict=True
        ):
            if low < high:
                here = slice(low - base, high - base)
                size, part = sizes[end - begin, here], parts[end - begin, here]
                lost = best[low:high] + _divide(part, size)
                start = int(lost.argmin())
                if unit:
                    near = np.flatnonzero(lost <= lost[start] * doubt).tolist() if len(lost) > 1 else [0]
                    found = {one: exact[low + one] + int(part[one]) * (unit // int(size[one])) for one in near}
                    start = min(near, key=found.__getitem__)
                    exact[end] = found[start]
                best[end], before[end] = lost[start], low + start
    cuts = [places - 1]
    while cuts[-1]:
        cuts.append(int(before[cuts[-1]]))
    return np.array(cuts[::-1]), unit > 0


def _find_unit(rows: IntArray, lowest: IntArray, highest: IntArray, places: int) -> int:
    """Return a number that all sizes of ranges divide; 0 if sums in such parts took too much memory."""
    if (largest := int((rows - rows[lowest]).max())) > MAX_RANGE_ROWS:
        return 0
    occurs = np.zeros(largest + 1, dtype=bool)
    for end, low, high in zip(range(places), lowest.tolist(), highest.tolist(), strict=True):
        occurs[rows[end] - rows[low:high]] = True
    unit = 1
    for size in np.flatnonzero(occurs[1:]).tolist():
        unit = lcm(unit, size + 1)
        if unit.bit_length() * places > MAX_EXACT_BITS:
            return 0
    return unit


def _divide(parts: IntArray, sizes: IntArray) -> FloatArray:
    """Divide integers; the quotients are right to the last digit but one."""
    if parts.dtype != object:
        return np.asarray(parts / np.maximum(sizes, 1))
    return np.array([_to_float(part, size or 1) for part, size in zip(parts.tolist(), sizes.tolist(), strict=True)])


def _to_float(part: int, size: int) -> float:
    try:
        return part / size
    except OverflowError:
        return np.inf


@dataclass(frozen=True, eq=False)
class _RangeCosts:
    """The squared errors of ranges of sorted values, times their rows: integers."""

    values: IntArray
    counts: IntArray
    is_small: bool  # True: they fit 64 bits
    most: int  # so many may be computed together

    @classmethod
    def of(cls, values: IntArray, counts: IntArray) -> _RangeCosts:
        """Choose the type of integers by the widest sums that occur."""
        rows, span = int(counts.sum()), int(values[-1]) - int(values[0])
        is_small = (rows * max(span, 1)) ** 2 < INT63
        return cls(values, counts, is_small, MOST_COSTS if is_small else MOST_COSTS // PYTHON_INTEGERS)

    def compute(self, base: int, begin: int, until: int) -> tuple[IntArray, IntArray]:
        """Return rows, and squared errors times rows, of ranges: a row for each end, a column for each start from base.

        Entries whose start is not before their end are meaningless.
        """
        values, counts = self.values[base : until - 1], self.counts[base : until - 1]
        kind = np.int64 if self.is_small else object
        off, many = (values - values[len(values) // 2]).astype(kind), counts.astype(kind)
        sums = [np.append(np.zeros(1, dtype=kind), np.cumsum(many * off**power)) for power in range(3)]
        sizes, totals, squares = (one[begin - base :, None] - one[None, :] for one in sums)
        return sizes, sizes * squares - totals**2
