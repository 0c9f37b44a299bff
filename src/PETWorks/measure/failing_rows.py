"""The rows of a release that are in failing classes, so that the user finds them in a table."""

from __future__ import annotations

import numpy as np

from PETWorks.counting.tally import IntArray, Mask
from PETWorks.facts.facts import Facts


class FailingRows:
    """A result or an evaluation: it knows which classes fail."""

    def _failing(self) -> tuple[Facts, Mask]:
        """Return the facts, and a mask of the classes that fail; raise an error if they are not known."""
        raise NotImplementedError

    def failing_positions(self) -> IntArray:
        """Return the positions of the released rows that are in a failing class, counted from 0. Rows are read again.

        They choose rows of a frame: ``frame.iloc[positions]`` (pandas), ``frame[positions]`` (polars).
        """
        facts, failing = self._failing()
        positions: IntArray = facts.row_numbers(failing) - 1
        return positions

    def failing_mask(self) -> Mask:
        """Return, for each released row, True if it is in a failing class. Rows are read again.

        The mask chooses rows of a frame: ``frame[mask]`` (pandas), ``frame.filter(mask)`` (polars, Arrow).
        """
        facts, failing = self._failing()
        mask = np.zeros(facts.scope.rows, dtype=bool)
        mask[facts.row_numbers(failing) - 1] = True
        return mask
