"""What a release loses, as floats to look for the least and exactly to decide between two that are close.

A loss that is a sum over columns has a lower bound before anything is known about a vector: what its columns lose if
nobody is suppressed. If some rows must be suppressed, they are at best those that lose least by it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from PETWorks.counting.tally import IntArray
from PETWorks.exact.scores import FloatArray
from PETWorks.measure.utility import CellLosses, Utility, total
from PETWorks.utility.granularity import Granularity

if TYPE_CHECKING:
    from PETWorks.making.candidate import Candidate
    from PETWorks.making.table import RawTable


class Objective(ABC):
    """The loss that a search makes as small as possible."""

    bounded = True  # False: nothing is known of a vector before it is evaluated

    @abstractmethod
    def loss(self, candidate: Candidate) -> float:
        """Return the loss of a candidate, almost exactly."""

    @abstractmethod
    def value(self, loss: float) -> float:
        """Return what a loss is called outside of a search: a utility from 0 to 1, or the loss itself."""

    @abstractmethod
    def difference(self, one: Candidate, other: Candidate) -> int:
        """Return -1, 0 or 1 if a candidate loses less than another, equally much, or more; exactly."""

    def least(self, column: int, levels: Sequence[int], sure: IntArray | None = None, more: int = 0) -> FloatArray:  # noqa: ARG002
        """Return the least loss of a column on some levels, if these rows of each value and some more are suppressed.

        The sum over all columns is a lower bound of the loss.
        """
        return np.zeros(len(levels))


class Cellwise(Objective):
    """A loss that is a sum over cells: weighted granularity, or another utility measure with `cell_losses`."""

    def __init__(self, table: RawTable, losses: Sequence[CellLosses], weights: Sequence[Fraction]) -> None:
        self._table = table
        self._losses = losses
        self._possible = sum(weight * one.suppressed / one.whole for one, weight in zip(losses, weights, strict=True))
        self._scale = [weight / (one.whole * table.rows) for one, weight in zip(losses, weights, strict=True)]
        self._base = [one.by_level @ many for one, many in zip(losses, table.by_value, strict=True)]
        self._cheapest = [_cheapest(one, many) for one, many in zip(losses, table.by_value, strict=True)]

    def least(self, column: int, levels: Sequence[int], sure: IntArray | None = None, more: int = 0) -> FloatArray:
        """Return the loss of the column; of the rows that are not known, those are suppressed that lose least by it."""
        losses, lost = self._losses[column], self._base[column][levels].astype(float)
        if sure is not None:
            lost += losses.suppressed * sure.sum() - losses.by_level[levels] @ sure
        if more:
            lost += [np.interp(more, *self._cheapest[column][level]) for level in levels]
        least: FloatArray = self._of(column, lost)
        return least

    def loss(self, candidate: Candidate) -> float:
        """Return the sum over the columns."""
        return sum(float(self._of(column, float(lost))) for column, lost in enumerate(self.lost(candidate)))

    def value(self, loss: float) -> float:
        """Return the utility: 1 minus the share of what could be lost."""
        return 1 - loss / float(self._possible) if self._possible else 1.0

    def _of(self, column: int, lost: Any) -> Any:  # noqa: ANN401 (an array or a number)
        return lost * float(self._scale[column])

    def lost(self, candidate: Candidate) -> list[int]:
        """Return, for each column, the sum of its cells' losses, an integer."""
        return [
            int(one.by_level[level] @ published) + one.suppressed * candidate.suppressed_rows
            for one, level, published in zip(self._losses, candidate.levels, candidate.published, strict=True)
        ]

    def difference(self, one: Candidate, other: Candidate) -> int:
        """Compare the sums."""
        return _sign(self.exact(one) - self.exact(other))

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


class Measured(Objective):
    """A loss as a utility measure has it. If it is a sum over columns, it is bounded."""

    def __init__(self, table: RawTable, measure: Utility) -> None:
        self._measure = measure
        self._ladders = table.ladders
        self._counts = table.by_value
        whole = [
            measure.column_loss(ladder, 0, 0 * many, many)
            for ladder, many in zip(self._ladders, self._counts, strict=True)
        ]
        self.bounded = None not in whole
        self._possible = sum(one or 0.0 for one in whole) if self.bounded else 1.0

    def least(self, column: int, levels: Sequence[int], sure: IntArray | None = None, more: int = 0) -> FloatArray:  # noqa: ARG002
        """Return the loss of the column with the rows suppressed that must be."""
        counts, ladder = self._counts[column], self._ladders[column]
        gone = 0 * counts if sure is None else sure
        return np.array([self._measure.column_loss(ladder, level, counts - gone, gone) or 0.0 for level in levels])

    def loss(self, candidate: Candidate) -> float:
        """Return the sum over the columns, or what the measure says."""
        if not self.bounded:
            return self._share(candidate)
        columns = zip(self._ladders, candidate.levels, candidate.published, candidate.suppressed, strict=True)
        return sum(self._measure.column_loss(*column) or 0.0 for column in columns)

    def _share(self, candidate: Candidate) -> float:
        """Return which share of what could be lost is lost."""
        columns = list(zip(self._ladders, candidate.levels, candidate.table.codes, strict=True))
        quick = self._measure.quick_loss(columns, candidate.table.counts, candidate.gone)
        if quick is not None:
            return quick
        lost, possible = self._amounts(candidate)
        return float(lost) / float(possible) if possible else 0.0

    def value(self, loss: float) -> float:
        """Return the utility."""
        return 1 - loss / self._possible if self._possible else 1.0

    def difference(self, one: Candidate, other: Candidate) -> int:
        """Compare what the measure says, exactly."""
        (lost, possible), (less, most) = self._amounts(one), self._amounts(other)
        if isinstance(lost, Fraction) and isinstance(less, Fraction):
            return _sign(lost * most - less * possible)
        return int((lost - less).sign())

    def _amounts(self, candidate: Candidate) -> tuple[Any, Any]:
        """Return the amount lost and the amount that could be lost."""
        whole = total(list(self._measure.losses(candidate.released)))
        if isinstance(whole.lost, Fraction) and isinstance(whole.possible, Fraction):
            return min(max(whole.lost, Fraction(0)), whole.possible), whole.possible  # as scores are cut to 0 and 1
        return whole.lost, whole.possible


def _sign(number: Fraction) -> int:
    return (number > 0) - (number < 0)


def objective_of(table: RawTable, utility: Utility | None, weights: Mapping[str, Fraction]) -> Objective:
    """Return the loss to be made small: that of a utility measure, or, for None, the geometric one of all columns."""
    measure = utility or Granularity()
    given = [weights.get(ladder.name, Fraction(1)) for ladder in table.ladders]
    losses = [measure.cell_losses(ladder) for ladder in table.ladders]
    if any(one is None for one in losses):
        return Measured(table, measure)
    kind = GeometricLoss if utility is None else Cellwise
    return kind(table, [one for one in losses if one is not None], given)
