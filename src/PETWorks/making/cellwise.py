"""Losses that are sums over cells, or follow from such sums: all are integers, and compared as fractions."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from PETWorks.counting.tally import IntArray
from PETWorks.exact.scores import FloatArray
from PETWorks.making.objective import ByColumn, sign
from PETWorks.making.table import RawTable
from PETWorks.measure.utility import CellLosses

if TYPE_CHECKING:
    from PETWorks.making.candidate import Candidate, Floor


class Cellwise(ByColumn):
    """A loss that is a sum over cells: weighted granularity, or another utility measure with `cell_losses`."""

    def __init__(self, table: RawTable, losses: Sequence[CellLosses], weights: Sequence[Fraction]) -> None:
        self._table = table
        self._losses = losses
        self._possible = sum(weight * one.suppressed / one.whole for one, weight in zip(losses, weights, strict=True))
        self._scale = [weight / (one.whole * table.rows) for one, weight in zip(losses, weights, strict=True)]
        self._unit = [float(scale) for scale in self._scale]
        self._base = [(one.by_level @ many).astype(float) for one, many in zip(losses, table.by_value, strict=True)]
        self._cheapest = [_cheapest(one, many) for one, many in zip(losses, table.by_value, strict=True)]

    def least_of(self, column: int, levels: range, floor: Floor | None) -> FloatArray:
        """Return the loss of the column; of the rows that are not known, those are suppressed that lose least by it."""
        within = slice(levels.start, levels.stop)
        losses, lost = self._losses[column], self._base[column][within].copy()
        if floor is not None:
            sure = floor.by_value[column]
            lost += losses.suppressed * sure.sum() - losses.by_level[within] @ sure
            if floor.more:
                lost += [np.interp(floor.more, *self._cheapest[column][level]) for level in levels]
        least: FloatArray = self._of(column, lost)
        return least

    def loss(self, candidate: Candidate) -> float:
        """Return the sum over the columns."""
        return sum(float(self._of(column, float(lost))) for column, lost in enumerate(self.lost(candidate)))

    def value(self, loss: float) -> float:
        """Return the utility: 1 minus the share of what could be lost."""
        return max(1 - loss / float(self._possible), 0.0) if self._possible else 1.0  # a float may be above the sum

    def _of(self, column: int, lost: Any) -> Any:  # noqa: ANN401 (an array or a number)
        return lost * self._unit[column]

    def lost(self, candidate: Candidate) -> list[int]:
        """Return, for each column, the sum of its cells' losses, an integer."""
        return [
            int(one.by_level[level] @ published) + one.suppressed * candidate.suppressed_rows
            for one, level, published in zip(self._losses, candidate.levels, candidate.published, strict=True)
        ]

    def difference(self, one: Candidate, other: Candidate) -> int:
        """Compare the sums."""
        return sign(self.exact(one) - self.exact(other))

    def exact(self, candidate: Candidate) -> Fraction:
        """Return the loss as a fraction."""
        return sum((lost * scale for lost, scale in zip(self.lost(candidate), self._scale, strict=True)), Fraction(0))


def _cheapest(losses: CellLosses, counts: IntArray) -> list[tuple[FloatArray, FloatArray]]:
    """Return, for each level, numbers of rows and the least further loss if so many are suppressed."""
    found = []
    for by_value in losses.by_level:
        order = np.argsort(-by_value, kind="stable")
        rows = np.cumsum(counts[order])
        lost = np.cumsum(counts[order] * (losses.suppressed - by_value[order]))
        found.append((np.append(0.0, rows), np.append(0.0, lost)))
    return found


class GeometricLoss(Cellwise):
    """The loss Π (1 + w·x)^(1/columns) - 1, with x what each column lost of what it can lose; by its logarithm."""

    def __init__(self, table: RawTable, losses: Sequence[CellLosses], weights: Sequence[Fraction]) -> None:
        possible = [Fraction(one.suppressed, one.whole) for one in losses]
        shares = [weight / most if most else Fraction(0) for weight, most in zip(weights, possible, strict=True)]
        super().__init__(table, losses, shares)

    def _of(self, column: int, lost: Any) -> Any:  # noqa: ANN401
        return np.log1p(super()._of(column, lost)) / len(self._scale)

    def exact(self, candidate: Candidate) -> Fraction:
        """Return the product, which is larger for a larger loss."""
        return Fraction(prod(1 + lost * scale for lost, scale in zip(self.lost(candidate), self._scale, strict=True)))

    def value(self, loss: float) -> float:
        """Return the loss itself; inside of a search it is a logarithm."""
        return float(np.expm1(loss))
