"""What a release loses, as floats to look for the least and exactly to decide between two that are close.

Of most losses something is known before a vector is evaluated: what it loses if nobody is suppressed. If some rows must
be suppressed, they are at best those that lose least by it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from functools import reduce
from typing import TYPE_CHECKING

import numpy as np

from PETWorks.exact.scores import FloatArray

if TYPE_CHECKING:
    from PETWorks.making.candidate import Candidate, Floor
    from PETWorks.making.lifted import LiftedFacts

Allowed = Sequence[range]  # the levels of each column


class Objective(ABC):
    """The loss that a search makes as small as possible."""

    tells_above = False  # True: a vector tells something about coarser ones

    @abstractmethod
    def loss(self, candidate: Candidate) -> float:
        """Return the loss of a candidate, almost exactly."""

    @abstractmethod
    def value(self, loss: float) -> float:
        """Return what a loss is called outside of a search: a utility from 0 to 1, or the loss itself."""

    @abstractmethod
    def difference(self, one: Candidate, other: Candidate) -> int:
        """Return -1, 0 or 1 if a candidate loses less than another, equally much, or more; exactly."""

    def least(self, levels: Allowed) -> FloatArray:
        """Return lower bounds of the losses of all vectors on some levels, with an axis for each column."""
        return np.zeros([len(one) for one in levels])

    def least_below(self, floor: Floor, levels: Allowed, least: FloatArray) -> FloatArray:  # noqa: ARG002
        """Return lower bounds, as `least` did, if every vector on these levels suppresses as much as a floor says."""
        return least

    def least_above(self, facts: LiftedFacts) -> float:  # noqa: ARG002
        """Return a lower bound for all vectors that are at least as coarse as the one with these facts."""
        return 0.0


class ByColumn(Objective):
    """A loss that is a sum over columns."""

    @abstractmethod
    def least_of(self, column: int, levels: range, floor: Floor | None) -> FloatArray:
        """Return lower bounds of the loss of a column on some levels."""

    def least(self, levels: Allowed) -> FloatArray:
        """Add up the losses of the columns if nobody is suppressed."""
        return self._sums(levels, None)

    def least_below(self, floor: Floor, levels: Allowed, least: FloatArray) -> FloatArray:  # noqa: ARG002
        """Add up the losses of the columns, with these rows suppressed."""
        return self._sums(levels, floor)

    def _sums(self, levels: Allowed, floor: Floor | None) -> FloatArray:
        return reduce(np.add.outer, [self.least_of(column, some, floor) for column, some in enumerate(levels)])


def sign(number: Fraction) -> int:
    """Return -1, 0 or 1."""
    return (number > 0) - (number < 0)
