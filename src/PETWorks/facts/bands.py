"""Bands and rounded numbers: they take the place of exact ones where these could reveal a few people.

>>> str(Band.of(7)), str(Band.of(34)), str(Band.of(5000))
('fewer than 10', '20-49', '5,000-9,999')
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from PETWorks.counting.tally import IntArray

DIGITS = 3  # significant digits of numbers that are rounded
EDGES = np.array([0, *(first * 10**power for power in range(1, 18) for first in (1, 2, 5))])


@dataclass(frozen=True, order=True)
class Band:
    """A range of counts, both ends included."""

    low: int
    high: int

    @classmethod
    def of(cls, count: int) -> Band:
        """Return the band of a count."""
        low, high = edges(np.array([count]))
        return cls(int(low[0]), int(high[0]))

    @classmethod
    def of_people(cls, people: int) -> Band:
        """Return the band of a number of people who are alike: up to 4 of them are told apart from more."""
        return cls(0, 4) if people < 5 else cls(5, 9) if people < 10 else cls.of(people)  # noqa: PLR2004

    def __str__(self) -> str:
        """Write the band in English."""
        return f"{self.low:,}-{self.high:,}" if self.low else f"fewer than {self.high + 1:,}"


class Rounded(float):
    """A number of which three significant digits are told.

    >>> Rounded(0.32074)
    0.321
    """

    __slots__ = ()

    def __new__(cls, value: float) -> Self:
        """Round a number."""
        return super().__new__(cls, f"{value:.{DIGITS}g}")


Count = int | Band  # a count, or the band that is told instead of it


def public_count(count: int) -> Count:
    """Return what anybody may know of a count: the count, unless there are a few only."""
    few = Band.of_people(1)
    return few if 0 < count <= few.high else count


def edges(counts: IntArray) -> tuple[IntArray, IntArray]:
    """Return the smallest and the largest count in the band of each count."""
    place = np.searchsorted(EDGES, counts, side="right")
    return EDGES[place - 1], EDGES[place] - 1
