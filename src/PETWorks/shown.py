"""The disclosure threshold, and the types of figures that outputs may show.

A `Disclosure` holds the decision for a table; it has one method for counts and one for scores. Bands and rounded
numbers replace exact ones that could disclose a few people.

>>> str(CountBand.of(7)), str(CountBand.of(34)), str(CountBand.of(5000))
('fewer than 10', '20-49', '5,000-9,999')

Errors hold counts, and what may quote cells, as figures too. For everybody, a count below the threshold is a band, and
content is left out.

>>> from PETWorks.errors import PersonError
>>> figures = {"rows_have": Quantity(1, "row has", "rows have")}
>>> error = PersonError("{rows_have} no person", where="a.csv", figures=figures)
>>> write_public_error(error)
('a.csv: fewer than 5 rows have no person', '')
>>> write_public_error(PersonError("Ann occurs in 2 rows", hint="leave her out"))
('', '')
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NewType, Self

import numpy as np
import numpy.typing as npt

from PETWorks.errors import CellText, PETWorksError, Quantity

THRESHOLD = 5  # the fewest people whom an output may describe: a class, or those who have a value
DIGITS = 3  # significant digits of numbers that are rounded
EDGES = np.array([0, *(first * 10**power for power in range(1, 18) for first in (1, 2, 5))])
LEFT_OUT = "…"  # for what may quote a cell

IntArray = npt.NDArray[np.int64]


class DisclosureLevel(StrEnum):
    """What may stand beside the values of a table, from everything to nothing."""

    FULL = "everything"  # the reader may see small classes
    EXACT = "exact"  # there are no small classes
    BANDED = "bands"  # bands beside values; larger classes may be named
    UNLABELLED = "no_labels"  # nothing beside values, and no class is named
    PUBLIC = "public"  # no value of a column at all, and no count of classes or people


@dataclass(frozen=True)
class Disclosure:
    """The level of disclosure of an output; classes of fewer than `least` people are small."""

    least: int = 1
    level: DisclosureLevel = DisclosureLevel.FULL
    has_mixed_levels: bool = False  # True: some class is small, and scores of levels would disclose counts

    has_small_classes: bool = True  # False: every class has people enough; suppressed rows may be few

    @property
    def names_classes(self) -> bool:
        """True if classes that are not small may be named."""
        return self.level not in (DisclosureLevel.UNLABELLED, DisclosureLevel.PUBLIC)

    @property
    def shows_counts(self) -> bool:
        """True if exact counts and shares may stand beside values."""
        return self.level in (DisclosureLevel.FULL, DisclosureLevel.EXACT)


@dataclass(frozen=True, order=True)
class CountBand:
    """A range of counts, both ends included."""

    low: int
    high: int

    @classmethod
    def of(cls, count: int) -> CountBand:
        """Return the band of a count."""
        low, high = find_edges(np.array([count]))
        return cls(int(low[0]), int(high[0]))

    @classmethod
    def of_people(cls, people: int) -> CountBand:
        """Return the band of a number of interchangeable people; numbers below the threshold share one band."""
        if people < THRESHOLD:
            return FEW
        return cls(THRESHOLD, 9) if people < 10 else cls.of(people)  # noqa: PLR2004

    def __str__(self) -> str:
        """Write the band in English."""
        return f"{self.low:,}-{self.high:,}" if self.low else f"fewer than {self.high + 1:,}"


FEW = CountBand(0, THRESHOLD - 1)


class Rounded(float):
    """A number rounded to three significant digits.

    >>> Rounded(0.32074)
    0.321
    """

    __slots__ = ()

    def __new__(cls, value: float) -> Self:
        """Round a number."""
        return super().__new__(cls, f"{value:.{DIGITS}g}")


class Percent(float):
    """A share in whole percent. A share that is not exactly 0 or 1 is shown as at least 1% and at most 99%.

    >>> print(Percent.of(2, 3), Percent.of(1, 1000), Percent.of(0, 0))
    67% 1% 0%
    """

    __slots__ = ()

    @classmethod
    def of(cls, some: int, everybody: int) -> Self:
        """Return the percentage that a part is of a whole."""
        if not 0 < some < everybody:
            return cls(1 if some else 0)
        return cls(min(99, max(1, round(100 * some / everybody))) / 100)

    def __str__(self) -> str:
        """Write the share."""
        return f"{round(100 * self)}%"


Count = int | CountBand  # a count, or the band that is shown instead

# A number that words may be filled with as it is: disclosure control let it pass, or it tells of no person. Words take
# no other number, so that a type checker finds each place where one is shown, and a reader what vouches for it.
Exact = NewType("Exact", float)


def show_exactly(figures: Mapping[str, Any]) -> dict[str, Exact | None]:
    """Return numbers that disclosure control let pass, marked as exact."""
    return {name: None if one is None else Exact(one) for name, one in figures.items()}


def show_count(count: Count) -> Exact | CountBand:
    """Return a count that disclosure control let pass, or its band."""
    return count if isinstance(count, CountBand) else Exact(count)


def disclose_count(count: int) -> Exact | CountBand:
    """Return a count as anybody may see it: exactly, or as a band if it is below the threshold."""
    return FEW if 0 < count < THRESHOLD else Exact(count)


def find_edges(counts: IntArray) -> tuple[IntArray, IntArray]:
    """Return the smallest and the largest count in the band of each count."""
    place = np.searchsorted(EDGES, counts, side="right")
    return EDGES[place - 1], EDGES[place] - 1


def write_public_error(error: PETWorksError) -> tuple[str, str]:
    """Return the place with the problem, and the hint; each is empty if it could disclose something of people."""
    problem, hint = error.render_public(write_public_figure)
    return (f"{error.where}: {problem}" if error.where and problem else problem), hint


def write_public_figure(figure: Quantity | CellText) -> str:
    """Return a count as a band, and no text of cells."""
    return LEFT_OUT if isinstance(figure, CellText) else figure.write_as(CountBand.of_people(figure.number))
