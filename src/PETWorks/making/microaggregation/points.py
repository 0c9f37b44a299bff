"""The combinations of numeric quasi-identifiers as points, and the cells that groups of points are released as.

Sums are exact: every column is counted in units of the last decimal place with which its means are written.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import isqrt, lcm, prod, sqrt

import numpy as np

from PETWorks.counting.tally import Coded, IntArray, pack, ranked, sums, wide
from PETWorks.exact.decimal_text import decimal, numeral
from PETWorks.exact.scores import FloatArray
from PETWorks.making.table import RawTable

MORE_PLACES, LEAST_PLACES = 2, 4  # decimal places of a mean: more than its column has, and at least
BITS = 64  # behind the point of roots
HINT = 'correct or remove these rows, or generalise: recoding="global" or recoding="local"'


@dataclass(frozen=True, eq=False)
class NumberColumn:
    """A column of numbers."""

    name: str
    numbers: IntArray  # by point, in units of the last decimal place
    places: int  # how many decimal places there are
    spread: int  # (rows)² times the variance, in units
    weight: Fraction


@dataclass(frozen=True, eq=False)
class Points:
    """The distinct points of a table in their numeric order. Equal numbers may be written differently: 1.5 and 1.50."""

    columns: tuple[NumberColumn, ...]
    of_combination: IntArray
    counts: IntArray  # how many rows each point has

    @classmethod
    def of(cls, table: RawTable, weights: Mapping[str, Fraction]) -> Points:
        """Read the quasi-identifiers of a table; a cell that is not a number is an error."""
        units = {name: _units(table, name) for name in table.facts.roles.quasi_identifiers}
        kinds = [np.unique(numbers, return_inverse=True) for numbers, _ in units.values()]
        ranks = [rank[codes] for (_, rank), codes in zip(kinds, table.codes, strict=True)]
        sizes = [len(distinct) for distinct, _ in kinds]
        first, of_combination = ranked(pack(ranks, sizes)[0], prod(sizes))
        counts = sums(of_combination, table.counts, len(first))
        columns = []
        for (name, (_, places)), (distinct, _), rank in zip(units.items(), kinds, ranks, strict=True):
            rows = sums(rank, table.counts, len(distinct)).astype(object)
            spread = int((distinct**2 * rows).sum()) * table.rows - int((distinct * rows).sum()) ** 2
            largest = 2 * max(map(abs, distinct[[0, -1]].tolist())) * table.rows
            small = distinct if largest >= 2**63 else distinct.astype(np.int64)
            columns.append(NumberColumn(name, small[rank[first]], places, spread, weights.get(name, Fraction(1))))
        return cls(tuple(columns), of_combination, counts)

    @cached_property
    def rows(self) -> int:
        """How many rows there are."""
        return int(self.counts.sum())

    @cached_property
    def coordinates(self) -> FloatArray:
        """The points, centred, in units of the standard deviation of each column times the root of its weight.

        The squared distances of points from the mean of their group, added up, are what is lost. Columns that do not
        vary or have no weight are left out.
        """
        varying = [self._standardised(column) for column in self.columns if column.spread and column.weight]
        return np.stack(varying or [np.zeros(len(self.counts))], axis=1)

    def _standardised(self, column: NumberColumn) -> FloatArray:
        total = int((column.numbers.astype(object) * self.counts).sum())
        root = isqrt(column.spread << 2 * BITS)
        distinct, rank = np.unique(column.numbers, return_inverse=True)
        scaled = [((self.rows * number - total) << BITS) / root for number in distinct.tolist()]
        found: FloatArray = np.array(scaled)[rank] * sqrt(column.weight)
        return found

    def cells(self, groups: IntArray) -> dict[str, Coded]:
        """Return the released cells, by combination, if every point has the mean of its group."""
        return {column.name: self._cells(column, groups) for column in self.columns}

    def _cells(self, column: NumberColumn, groups: IntArray) -> Coded:
        distinct, rank = np.unique(self._means(column, groups), return_inverse=True)
        texts = [decimal(mean, column.places) for mean in distinct.tolist()]
        values = sorted(texts)
        place = {text: code for code, text in enumerate(values)}
        codes = np.array([place[text] for text in texts])
        return Coded(codes[rank][groups][self.of_combination], values)

    def _means(self, column: NumberColumn, groups: IntArray) -> IntArray:
        """Return the mean of each group, rounded to units; halves are rounded up."""
        order = np.argsort(groups, kind="stable")
        starts = np.searchsorted(groups[order], np.arange(groups.max() + 1))
        totals = np.add.reduceat((column.numbers * self.counts)[order], starts)
        sizes = np.add.reduceat(self.counts[order], starts)
        means: IntArray = (2 * totals + sizes) // (2 * sizes)
        return means

    def loss(self, groups: IntArray) -> Fraction:
        """Return the share of the variance that is lost: the mean over the columns, by their weights."""
        lost, weights = Fraction(0), Fraction(0)
        for column in self.columns:
            if column.spread:
                off = column.numbers - self._means(column, groups)[groups]
                off = wide(off, int(abs(off).max()) ** 2 * self.rows)
                lost += column.weight * Fraction(int((off**2 * self.counts).sum()) * self.rows, column.spread)
                weights += column.weight
        return lost / weights if weights else lost


def _units(table: RawTable, name: str) -> tuple[IntArray, int]:
    """Return the values of a column as Python integers, in units of the last decimal place; and how many places."""
    column = table.combinations.columns[name]
    numbers = [numeral(value) for value in column.values]
    if wrong := [code for code, number in enumerate(numbers) if number is None]:
        rows = sums(column.codes, table.counts, len(numbers)).tolist()
        holders = {column.values[code]: rows[code] for code in wrong}
        raise table.facts._tables.unknown("release", name, holders, "not numeric", HINT)  # noqa: SLF001
    ratios = [number.as_integer_ratio() for number in numbers if number is not None]
    finest, own = lcm(*{below for _, below in ratios}), 0
    while 10**own % finest:
        own += 1
    places = max(own + MORE_PLACES, LEAST_PLACES)
    return np.array([above * (10**places // below) for above, below in ratios], dtype=object), places
