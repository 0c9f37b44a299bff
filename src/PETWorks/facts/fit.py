"""How well the released cells of a column match their originals, compared with a random permutation of them.

A pair of cells matches if the released cell is a generalisation of the original one. Expected values are those of all
orders of the released cells of a group, equally likely. Everything is computed in integers from the kinds of cells,
since floats would decide either way at a limit.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import NamedTuple

import numpy as np

from PETWorks.exact.limit import parse_number
from PETWorks.facts.cells import Cells
from PETWorks.tables.counting.tally import INT64, Coded, IntArray, Mask, sum_by_key, widen

SCALE = 2**128  # sums of many fractions are first bounded by integers, in units of 1 / SCALE


class GroupedKinds(NamedTuple):
    """Entries of a tally, sorted by group: the group (0, 1, …), the kind of cell and the number of rows of each."""

    group: IntArray
    kind: IntArray
    counts: IntArray

    @classmethod
    def from_entries(cls, group: IntArray, kind: IntArray, counts: IntArray) -> GroupedKinds:
        """Sort entries by group."""
        order = np.argsort(group, kind="stable")
        return cls(group[order], kind[order], counts[order])

    @property
    def starts(self) -> IntArray:
        """The index of the first entry of each group."""
        return np.flatnonzero(np.diff(self.group, prepend=-1))

    def sum_by_group(self, amounts: IntArray) -> IntArray:
        """Add up amounts by group; `amounts` has one for each entry."""
        added: IntArray = np.add.reduceat(amounts, self.starts)
        return added

    def find_varying(self, codes: IntArray) -> Mask:
        """Return True for each group whose codes are not all the same; `codes` has one for each kind."""
        least, most = (extreme.reduceat(codes[self.kind], self.starts) for extreme in (np.minimum, np.maximum))
        varying: Mask = least != most
        return varying


class Gains(NamedTuple):
    """For each group: how many more cells match than after a random permutation, and the variance of this number."""

    sizes: IntArray  # rows of the group
    gains: IntArray  # times the size
    variances: IntArray  # times size² · (size - 1)

    def where(self, groups: Mask) -> Gains:
        """Return only some of the groups."""
        return Gains(*(column[groups] for column in self))

    @property
    def is_variable(self) -> bool:
        """True if permutations differ."""
        return bool(self.variances.any())

    @property
    def is_clear(self) -> bool:
        """True if the sum of all gains is positive, and at least three standard deviations of permutations."""
        by_size: dict[int, tuple[int, int]] = {}
        for size, gain, variance in zip(*(column.tolist() for column in self), strict=True):
            before = by_size.get(size, (0, 0))
            by_size[size] = before[0] + gain, before[1] + variance
        gains = [(gain, size) for size, (gain, _) in by_size.items()]
        nine = [(9 * variance, size**2 * (size - 1)) for size, (_, variance) in by_size.items() if size > 1]
        (least, most), (low, high) = _bound_sum(gains, SCALE), _bound_sum(nine, SCALE**2)
        if least > 0 and least**2 >= high:
            return True
        if most <= 0 or most**2 < low:
            return False
        gain = sum(Fraction(*one) for one in gains)
        return gain > 0 and gain**2 >= sum(Fraction(*one) for one in nine)


def _bound_sum(fractions: Sequence[tuple[int, int]], scale: int) -> tuple[int, int]:
    """Return integers between which the sum of some fractions lies, in units of 1 / scale."""
    least = sum(numerator * scale // denominator for numerator, denominator in fractions)
    return least, least + len(fractions)


MAX_MISFIT = Fraction(1, 20)  # a column confirms the pairing if at most this share of rows is out of place


@dataclass(frozen=True, eq=False)
class ColumnMatch:
    """The match of one column's released cells with their originals, over the unsuppressed rows."""

    cells: Cells
    forgiving: bool  # True: values that the hierarchy lacks count as fully generalised

    @property
    def original(self) -> Coded:
        """The original value of each kind of cell."""
        assert self.cells.original is not None  # noqa: S101
        return self.cells.original

    @property
    def released(self) -> Coded:
        """The released value of each kind of cell."""
        return self.cells.released

    @cached_property
    def whole(self) -> GroupedKinds:
        """All rows, as one group."""
        kinds = np.flatnonzero(~self.cells.suppressed)
        return GroupedKinds(np.zeros(len(kinds), dtype=np.int64), kinds, self.cells.counts[kinds])

    @cached_property
    def rows(self) -> int:
        """The number of rows."""
        return int(self.whole.counts.sum())

    # Matching cells.

    def find_matches(self, original: IntArray, released: IntArray) -> Mask:
        """Return True for each pair of codes whose released value is a generalisation of the original one."""
        found = self._any_released[released] | self._any_original[original]
        for ancestors in self.cells.ancestors:
            found |= ancestors[original] == released
        return found

    @cached_property
    def _any_released(self) -> Mask:
        """True for each released value that matches every original: the marker, and values that the hierarchy lacks.

        Numbers that the hierarchy lacks match only if they are forgiven, since they are also compared by covariance.
        """
        known, marker = self.cells.hierarchy.lowest, self.cells.marker
        return _to_mask(
            value == marker or (value not in known and (self.forgiving or parse_number(value) is None))
            for value in self.released.values
        )

    @cached_property
    def _any_original(self) -> Mask:
        """True for each forgiven original value: all released values count as fully generalised."""
        leaves, marker = self.cells.hierarchy, self.cells.marker
        return _to_mask(self.forgiving and value != marker and value not in leaves for value in self.original.values)

    @cached_property
    def wrong(self) -> Mask:
        """True for each kind of cell that is no generalisation of its original; False in suppressed rows."""
        return ~self.cells.suppressed & ~self.find_matches(self.original.codes, self.released.codes)

    @cached_property
    def unexplained(self) -> int:
        """The number of cells that are no generalisation of their original."""
        return int(self.cells.counts[self.wrong].sum())

    @cached_property
    def by_chance(self) -> int:
        """The number of matches among all rows² pairs of an original and a released cell."""
        return int(self._count_matches(self.whole)[0]) if self.rows else 0

    @cached_property
    def is_informative(self) -> bool:
        """True if the order of the released cells matters and not all orders match, so that wrong pairs can show."""
        return bool(self.rows) and self.by_chance < self.rows**2 and bool(self._find_gains(self.whole))

    @cached_property
    def misfit(self) -> Fraction:
        """The share of rows that must be out of place if wrong pairs are the reason for mismatches."""
        return Fraction(self.unexplained * self.rows, self.rows**2 - self.by_chance)

    @cached_property
    def off(self) -> Fraction:
        """The misfit; for numbers, the shortfall from the largest covariance, if that is smaller."""
        return self.misfit if self._shortfall is None else min(self.misfit, self._shortfall)

    @cached_property
    def confirms_pairing(self) -> bool:
        """True if the column confirms the pairing: it matches well, and a permutation would hardly match as well."""
        if self._shortfall is not None and self._shortfall <= MAX_MISFIT:
            return True
        return self.misfit <= MAX_MISFIT and self.compare_with_permutation(self.whole).is_clear

    def contradicts(self, rows: GroupedKinds) -> bool:
        """Return True if the released cells of each group match their originals no better than in random order.

        Also False if all cells of each group are equal, so that their order does not matter.
        """
        found = self._find_gains(rows)
        return bool(found) and not any(one.is_clear for one in found)

    def _find_gains(self, rows: GroupedKinds) -> list[Gains]:
        """Return the gains in matches and in covariance, for groups whose permutations differ."""
        vary = rows.find_varying(self.original.codes) & rows.find_varying(self.released.codes)
        found = (self.compare_with_permutation(rows), self.compute_covariance(rows))
        return [one for gains in found if gains is not None and (one := gains.where(vary)).is_variable]

    def compare_with_permutation(self, rows: GroupedKinds) -> Gains:
        """Return how many more cells of each group match than after a random permutation."""
        sizes = widen(rows.sum_by_group(rows.counts), self.rows**2)
        fitting = rows.sum_by_group(np.where(self.wrong[rows.kind], 0, rows.counts))
        dealt = self._count_matches(rows)
        return Gains(sizes, fitting * sizes - dealt, dealt.astype(object) * (sizes * sizes - dealt))

    def _count_matches(self, rows: GroupedKinds) -> IntArray:
        """Return the number of matches among all pairs of an original and a released cell of each group."""
        befores, afters, sizes = len(self.original.values), len(self.released.values), rows.sum_by_group(rows.counts)
        before = rows.group * befores + self.original.codes[rows.kind]
        before, counts = sum_by_key(before, rows.counts, len(sizes) * befores)
        after = rows.group * afters + self.released.codes[rows.kind]
        after, many = sum_by_key(after, rows.counts, len(sizes) * afters)
        group, value = np.divmod(before, befores)
        blank = np.where(self._any_released[after % afters], many, 0)
        fitting = np.add.reduceat(blank, np.flatnonzero(np.diff(after // afters, prepend=-1)))[group]
        for ancestors in self._distinct_ancestors:
            key = group * afters + ancestors[value]
            place = np.searchsorted(after, key) % len(after)
            fitting += np.where((ancestors[value] >= 0) & (after[place] == key), many[place], 0)
        fitting = np.where(self._any_original[value], sizes[group], fitting)
        starts = np.flatnonzero(np.diff(group, prepend=-1))
        dealt: IntArray = np.add.reduceat(widen(counts, self.rows**2) * fitting, starts)
        return dealt

    @cached_property
    def _distinct_ancestors(self) -> IntArray:
        """The codes of ancestors by level, without duplicates of a value, and without those that match all."""
        apart = self.cells.ancestors.copy()
        for level in range(len(apart)):
            again = (apart[:level] == apart[level]).any(axis=0) | np.append(self._any_released, False)[apart[level]]
            apart[level][again] = -1
        return apart

    # Numbers.

    def compute_covariance(self, rows: GroupedKinds) -> Gains | None:
        """Return the covariance of each group; None if not all cells are numbers."""
        if self._numbers is None:
            return None
        x, y = (numbers[rows.kind] for numbers in self._numbers)
        sizes = rows.sum_by_group(rows.counts).astype(x.dtype)
        sum_x, sum_y, *squares = (rows.sum_by_group(rows.counts * one) for one in (x, y, x * x, y * y))
        spread_x, spread_y = sizes * squares[0] - sum_x * sum_x, sizes * squares[1] - sum_y * sum_y
        product = sizes * rows.sum_by_group(rows.counts * x * y) - sum_x * sum_y
        return Gains(sizes, product, spread_x.astype(object) * spread_y)

    @cached_property
    def _shortfall(self) -> Fraction | None:
        """1 - covariance / largest covariance; None without a clear covariance of numbers."""
        if (found := self.compute_covariance(self.whole)) is None or not found.is_clear:
            return None
        assert self._numbers is not None  # noqa: S101
        (x, y), counts = (numbers[self.whole.kind] for numbers in self._numbers), self.whole.counts
        by_x, by_y = np.argsort(x, kind="stable"), np.argsort(y, kind="stable")
        ends = [np.cumsum(counts[order]) for order in (by_x, by_y)]
        cuts = np.union1d(*ends)
        sorted_x, sorted_y = (
            one[order][np.searchsorted(end, cuts)] for one, order, end in zip((x, y), (by_x, by_y), ends, strict=True)
        )
        rows = np.diff(cuts, prepend=0)
        largest = self.rows * (rows * sorted_x * sorted_y).sum() - (counts * x).sum() * (counts * y).sum()
        return 1 - Fraction(int(found.gains[0]), int(largest))

    @cached_property
    def _numbers(self) -> tuple[IntArray, IntArray] | None:
        """The original and the released number of each kind of cell, as integers; None if not all are numbers."""
        both = []
        for column in (self.original, self.released):
            used = np.unique(column.codes[self.whole.kind]).tolist()
            numbers = [parse_number(column.values[code]) for code in used]
            ratios = [number.as_integer_ratio() for number in numbers if number is not None]
            if len(ratios) < len(used) or not used:
                return None
            unit = lcm(*(below for _, below in ratios))
            whole = [above * (unit // below) for above, below in ratios]
            large = (max(map(abs, whole)) * self.rows) ** 2 >= INT64
            by_code = np.zeros(len(column.values), dtype=object if large else np.int64)
            by_code[used] = whole
            both.append(by_code[column.codes])
        kind = object if any(one.dtype == object for one in both) else np.int64
        return both[0].astype(kind), both[1].astype(kind)


def _to_mask(flags: Iterable[bool]) -> Mask:
    return np.fromiter(flags, dtype=bool)
