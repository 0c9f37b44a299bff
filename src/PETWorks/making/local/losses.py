"""What is made as small as possible: the loss of every cell, and how the columns count together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import prod

import numpy as np

from PETWorks.counting.tally import IntArray, Mask
from PETWorks.exact.scores import FloatArray
from PETWorks.making.table import RawTable
from PETWorks.measure.utility import CellLosses


@dataclass(frozen=True, eq=False)
class Losses:
    """The loss of each cell that can be released, of suppressed cells, and of a whole release."""

    cells: Sequence[FloatArray]  # by column: a row for each level, a column for each value
    suppressed: FloatArray  # by column, the loss of a suppressed cell
    geometric: bool = False  # True: the columns count as Π (1 + mean)^(1/columns) - 1; False: as the sum of their means

    @classmethod
    def of(cls, losses: Sequence[CellLosses], weights: Sequence[Fraction], *, geometric: bool = False) -> Losses:
        """Take the losses of a utility measure, column by column, with the weights of the columns."""
        scale = [
            float(weight) / (one.suppressed if geometric else one.whole) if one.suppressed else 0.0
            for one, weight in zip(losses, weights, strict=True)
        ]
        cells = [one.by_level * factor for one, factor in zip(losses, scale, strict=True)]
        return cls(
            cells, np.array([one.suppressed * factor for one, factor in zip(losses, scale, strict=True)]), geometric
        )

    @property
    def additive(self) -> Losses:
        """Losses whose sum over the columns is no more than the whole loss; if columns multiply, than log(1 + loss).

        A column loses x, which is m at most: log(1 + x) ≥ x · log(1 + m)/m.
        """
        if not self.geometric:
            return self
        scale = np.log1p(self.suppressed) / np.where(self.suppressed, self.suppressed, 1) / len(self.cells)
        cells = [one * factor for one, factor in zip(self.cells, scale, strict=True)]
        return replace(self, cells=cells, suppressed=self.suppressed * scale, geometric=False)

    def means(self, table: RawTable, levels: Sequence[IntArray], suppressed: Mask) -> FloatArray:
        """Return the mean loss of each column in a release."""
        gone = table.counts[suppressed].sum()
        kept = np.where(suppressed, 0, table.counts)
        columns = zip(self.cells, levels, table.codes, strict=True)
        lost = np.array([float((cells[level, codes] * kept).sum()) for cells, level, codes in columns])
        means: FloatArray = (lost + gone * self.suppressed) / table.rows
        return means

    def total(self, means: FloatArray) -> float:
        """Return the loss of a release whose columns lose so much on average."""
        if self.geometric:
            return float(prod((1 + means).tolist()) ** (1 / len(means)) - 1)
        return float(means.sum())
