"""Losses as a utility measure computes them."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from PETWorks.exact.scores import FloatArray
from PETWorks.making.objective import ByColumn, Objective, sign
from PETWorks.making.table import RawTable
from PETWorks.measure.utility import Utility, total

if TYPE_CHECKING:
    from PETWorks.facts.facts import Facts
    from PETWorks.making.candidate import Candidate, Floor


class Measured(Objective):
    """The share of what could be lost. Nothing is known of a vector before it is evaluated."""

    def __init__(self, table: RawTable, measure: Utility) -> None:
        self._table, self._measure = table, measure

    def loss(self, candidate: Candidate) -> float:
        """Return the share that is lost."""
        lost, possible = self._amounts(candidate.released)
        return float(lost) / float(possible) if possible else 0.0

    def value(self, loss: float) -> float:
        """Return the utility."""
        return 1 - loss

    def difference(self, one: Candidate, other: Candidate) -> int:
        """Compare what the measure says, exactly."""
        (lost, possible), (less, most) = self._amounts(one.released), self._amounts(other.released)
        if isinstance(lost, Fraction) and isinstance(less, Fraction):
            return sign(lost * most - less * possible)
        return int((lost - less).sign())

    def _amounts(self, facts: Facts) -> tuple[Any, Any]:
        """Return the amount lost and the amount that could be lost."""
        whole = total(list(self._measure.losses(facts)))
        if isinstance(whole.lost, Fraction) and isinstance(whole.possible, Fraction):
            return min(max(whole.lost, Fraction(0)), whole.possible), whole.possible  # as scores are cut to 0 and 1
        return whole.lost, whole.possible


class MeasuredColumns(ByColumn, Measured):
    """The sum over columns of what each loses."""

    def least_of(self, column: int, levels: range, floor: Floor | None) -> FloatArray:
        """Return the loss of the column with the rows suppressed that must be."""
        counts, ladder = self._table.by_value[column], self._table.ladders[column]
        gone = 0 * counts if floor is None else floor.by_value[column]
        return np.array([self._measure.column_loss(ladder, level, counts - gone, gone) or 0.0 for level in levels])

    def loss(self, candidate: Candidate) -> float:
        """Return the sum over the columns."""
        columns = zip(self._table.ladders, candidate.levels, candidate.published, candidate.suppressed, strict=True)
        return sum(self._measure.column_loss(*column) or 0.0 for column in columns)

    def value(self, loss: float) -> float:
        """Return the utility: 1 minus the share of what could be lost."""
        return max(1 - loss / self._possible, 0.0) if self._possible else 1.0  # a float may be above the sum

    @cached_property
    def _possible(self) -> float:
        columns = zip(self._table.ladders, self._table.by_value, strict=True)
        return sum(self._measure.column_loss(ladder, 0, 0 * many, many) or 0.0 for ladder, many in columns)
