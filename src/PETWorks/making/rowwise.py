"""Losses that are sums over rows, where a row that is generalised further never loses less, and a suppressed one most.

If nobody is suppressed, a vector loses at least as much as every finer one. If some rows must be, each of them loses
the most, and would not have lost more than it does at the coarser vector that shows that it must go.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from PETWorks.counting.tally import IntArray
from PETWorks.exact.scores import FloatArray
from PETWorks.making.lifted import LiftedFacts
from PETWorks.making.measured import Measured
from PETWorks.making.objective import Allowed
from PETWorks.making.table import RawTable
from PETWorks.measure.utility import CellFactors, Utility

if TYPE_CHECKING:
    from PETWorks.making.candidate import Candidate, Floor

AT_ONCE = 2**10  # combinations whose products are worked out together


class Rowwise(Measured):
    """The mean loss of a row."""

    most: float  # what a suppressed row loses

    @abstractmethod
    def _rows(self, candidate: Candidate) -> FloatArray:
        """Return what a row of each combination loses if it is not suppressed."""

    @abstractmethod
    def _rows_below(self, floor: Floor) -> FloatArray:
        """Return what no row of each combination exceeds, on finer vectors, if it is not suppressed."""

    def loss(self, candidate: Candidate) -> float:
        """Return the mean."""
        return self._mean(np.where(candidate.gone, self.most, self._rows(candidate)))

    def least_below(self, floor: Floor, levels: Allowed, least: FloatArray) -> FloatArray:  # noqa: ARG002
        """Add what the rows lose that must be suppressed; of those that are not known, those that lose least by it."""
        further = self.most - self._rows_below(floor)
        sure = self._mean(np.where(floor.gone, further, 0.0))
        more = floor.more * further.min(where=~floor.gone, initial=self.most) / self._table.rows if floor.more else 0.0
        return least + (sure + more)

    def value(self, loss: float) -> float:
        """Return the utility: 1 minus the share of what could be lost."""
        least, possible = self._scale
        return 1 - min(max((loss * self._table.rows - least) / possible, 0.0), 1.0) if possible else 1.0

    @cached_property
    def _scale(self) -> tuple[float, float]:
        """What all rows lose that counts as no loss, and how much more could be lost."""
        _, possible = self._amounts(self._table.facts)
        return self.most * self._table.rows - float(possible), float(possible)

    def _mean(self, lost: FloatArray) -> float:
        return float((lost * self._table.counts).sum()) / self._table.rows


class CellProducts(Rowwise):
    """A row loses the product of factors, one for each of its cells: without suppression, every vector's is known."""

    def __init__(self, table: RawTable, measure: Utility, factors: Sequence[CellFactors]) -> None:
        super().__init__(table, measure)
        self._factors = [one.by_level.astype(float) for one in factors]
        self._highest = [np.maximum.accumulate(one, axis=0) for one in self._factors]
        self.most = float(prod(one.suppressed for one in factors))

    def _rows(self, candidate: Candidate) -> FloatArray:
        return self._of_combinations(self._factors, candidate.levels)

    def _rows_below(self, floor: Floor) -> FloatArray:
        return self._of_combinations(self._highest, floor.levels)

    def _of_combinations(self, factors: Sequence[FloatArray], levels: Sequence[int]) -> FloatArray:
        columns = zip(factors, levels, self._table.codes, strict=True)
        products = np.ones(len(self._table.counts))
        for by_level, level, codes in columns:
            products *= by_level[level][codes]
        return products

    def least(self, levels: Allowed) -> FloatArray:
        """Multiply the products of the first half of the columns with those of the others, for all vectors at once."""
        middle, counts = len(levels) // 2, self._table.counts
        factors = [by_level[own.start : own.stop] for by_level, own in zip(self._factors, levels, strict=True)]
        lost: FloatArray | float = 0.0
        for start in range(0, len(counts), AT_ONCE):
            some = slice(start, start + AT_ONCE)
            cells = [one[:, codes[some]] for one, codes in zip(factors, self._table.codes, strict=True)]
            left, right = _products(cells[:middle], counts[some]), _products(cells[middle:], np.ones(len(counts[some])))
            lost = lost + left @ right.T
        return np.reshape(lost, [len(own) for own in levels]) / self._table.rows


def _products(factors: Sequence[FloatArray], weights: FloatArray) -> FloatArray:
    """Return the products of one row of each array, and of the weights; with a row for each choice."""
    products = weights[np.newaxis, :].astype(float)
    for one in factors:
        products = (products[:, np.newaxis, :] * one[np.newaxis, :, :]).reshape(-1, len(weights))
    return products


class ClassSizes(Rowwise):
    """A row loses what follows from the size of its class."""

    tells_above = True

    def __init__(self, table: RawTable, measure: Utility) -> None:
        super().__init__(table, measure)
        self.most = float(self._by_size(np.array([table.rows]))[0])

    def _by_size(self, sizes: IntArray) -> FloatArray:
        lost = self._measure.row_losses(sizes)
        assert lost is not None  # noqa: S101 (of measures that declare it)
        return lost.astype(float)

    def _rows(self, candidate: Candidate) -> FloatArray:
        return self._of_combinations(candidate.facts, self.most)

    def _rows_below(self, floor: Floor) -> FloatArray:
        return self._of_combinations(floor.facts, self.most)

    def _of_combinations(self, facts: LiftedFacts, without: float) -> FloatArray:
        """Return what a row of each combination loses, and `without` for those that have no class."""
        return np.append(self._by_size(facts.lifted.sizes), without)[facts.lifted.of_combination]

    def least_above(self, facts: LiftedFacts) -> float:
        """Return the mean without suppression: classes of coarser vectors are not smaller."""
        return self._mean(self._of_combinations(facts, 0.0))
