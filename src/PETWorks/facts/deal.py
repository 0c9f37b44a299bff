"""What a deal would do: the released cells of a group of rows in any order, all orders equally likely.

Whether cells fit better than after a deal is decided in integers. Floats would not do: at a limit they decide either
way.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from PETWorks.counting.tally import IntArray, Mask

SCALE = 2**128  # sums of many fractions are first bounded by integers, in units of 1 / SCALE


class Rows(NamedTuple):
    """Entries of a tally, sorted by group: the group (0, 1, …), the kind of cell and the number of rows of each."""

    group: IntArray
    kind: IntArray
    counts: IntArray

    @classmethod
    def grouped(cls, group: IntArray, kind: IntArray, counts: IntArray) -> Rows:
        """Sort entries by group."""
        order = np.argsort(group, kind="stable")
        return cls(group[order], kind[order], counts[order])

    @property
    def starts(self) -> IntArray:
        """The index of the first entry of each group."""
        return np.flatnonzero(np.diff(self.group, prepend=-1))

    def added(self, amounts: IntArray) -> IntArray:
        """Add up amounts by group; `amounts` has one for each entry."""
        added: IntArray = np.add.reduceat(amounts, self.starts)
        return added

    def varying(self, codes: IntArray) -> Mask:
        """Return True for each group whose codes are not all the same; `codes` has one for each kind."""
        least, most = (extreme.reduceat(codes[self.kind], self.starts) for extreme in (np.minimum, np.maximum))
        varying: Mask = least != most
        return varying


class Gains(NamedTuple):
    """For each group: how much better its cells fit than after a deal, on average, and the variance of deals."""

    sizes: IntArray  # rows of the group
    gains: IntArray  # times the size
    variances: IntArray  # times size² · (size - 1)

    def where(self, groups: Mask) -> Gains:
        """Return only some of the groups."""
        return Gains(*(column[groups] for column in self))

    @property
    def matter(self) -> bool:
        """True if deals differ."""
        return bool(self.variances.any())

    @property
    def clear(self) -> bool:
        """True if the gains of all groups together are positive, and at least three standard deviations of deals."""
        by_size: dict[int, tuple[int, int]] = {}
        for size, gain, variance in zip(*(column.tolist() for column in self), strict=True):
            before = by_size.get(size, (0, 0))
            by_size[size] = before[0] + gain, before[1] + variance
        gains = [(gain, size) for size, (gain, _) in by_size.items()]
        nine = [(9 * variance, size**2 * (size - 1)) for size, (_, variance) in by_size.items() if size > 1]
        (least, most), (low, high) = _bounds(gains, SCALE), _bounds(nine, SCALE**2)
        if least > 0 and least**2 >= high:
            return True
        if most <= 0 or most**2 < low:
            return False
        gain = sum(Fraction(*one) for one in gains)
        return gain > 0 and gain**2 >= sum(Fraction(*one) for one in nine)


def _bounds(fractions: Sequence[tuple[int, int]], scale: int) -> tuple[int, int]:
    """Return integers between which the sum of some fractions lies, in units of 1 / scale."""
    least = sum(numerator * scale // denominator for numerator, denominator in fractions)
    return least, least + len(fractions)
