"""A bound: a score for every class, as exact fractions, and the side of a limit on which all of them must be.

Floats only sort out the clear cases; what is close to the limit, or to the worst score, is compared as fractions.

>>> bound = Bound(Side.AT_MOST, "1/2", np.array([1, 2]), np.array([2, 3]))
>>> bound.worst(), bound.fails()
(Fraction(2, 3), array([False,  True]))
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction

import numpy as np

from PETWorks.limit import Limit, Number
from PETWorks.result import Note
from PETWorks.tally import IntArray, Mask

INT64 = 2**63
CLOSE = 1e-9  # relative; far above the rounding of a quotient of two 64-bit integers


class Side(StrEnum):
    """Where scores must be, seen from the limit."""

    AT_MOST = "at most"
    AT_LEAST = "at least"
    LESS_THAN = "less than"
    MORE_THAN = "more than"

    @property
    def high_is_bad(self) -> bool:
        """Whether larger scores are the worse ones."""
        return self in (Side.AT_MOST, Side.LESS_THAN)


@dataclass(frozen=True, eq=False)
class Bound:
    """Scores `numerator / denominator`, one for each class, with the limit they must keep (None: just a value)."""

    side: Side
    limit: Number | None
    numerator: IntArray
    denominator: IntArray
    part: str = ""
    notes: tuple[Note, ...] = ()
    figures: Mapping[str, object] = field(default_factory=dict)

    def scores(self) -> np.ndarray:
        """Give the scores as floats."""
        return np.asarray(self.numerator / self.denominator, dtype=float)

    def exact(self, number: int) -> Fraction:
        """Give the score of one class as a fraction."""
        return Fraction(int(self.numerator[number]), int(self.denominator[number]))

    def worst(self) -> Fraction | None:
        """Give the worst score of all; None if there are no classes."""
        if not len(self.numerator):
            return None
        scores = self.scores() if self.side.high_is_bad else -self.scores()
        largest = scores.max()
        close = scores >= largest - CLOSE * (1 + abs(largest))
        candidates = {Fraction(*pair) for pair in set(self._pairs(close))}  # many classes share a pair
        return max(candidates) if self.side.high_is_bad else min(candidates)

    def fails(self) -> Mask:
        """Tell for each class whether its score is on the wrong side of the limit."""
        scores = self.scores()
        if self.limit is None:
            return np.zeros(len(scores), dtype=bool)
        limit = Limit.of(self.limit)
        edge = float(limit)
        failing = scores > edge if self.side.high_is_bad else scores < edge
        close = np.abs(scores - edge) <= CLOSE * (1 + abs(edge))
        pairs = self._pairs(close)
        verdicts = {pair: not self._keeps(limit, Fraction(*pair)) for pair in set(pairs)}
        failing[close] = [verdicts[pair] for pair in pairs]
        return failing

    def _keeps(self, limit: Limit, score: Fraction) -> bool:
        match self.side:
            case Side.AT_MOST:
                return limit.at_most(score)
            case Side.AT_LEAST:
                return limit.at_least(score)
            case Side.LESS_THAN:
                return limit.less_than(score)
            case Side.MORE_THAN:
                return limit.more_than(score)

    def _pairs(self, chosen: Mask) -> list[tuple[int, int]]:
        return list(zip(self.numerator[chosen].tolist(), self.denominator[chosen].tolist(), strict=True))


def wide(array: IntArray, largest: int) -> IntArray:
    """Turn an array into Python integers if results up to `largest` would not fit 64 bits."""
    return array.astype(object) if largest >= INT64 else array
