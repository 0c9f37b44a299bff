"""What results state about the measured tables: their size, and notes on anything unusual.

Texts that come from the user have their own types, so that every output can mark and escape them: `Name` for the name
of a column or file, `Cell` for a value of a table, `Reason` for a sentence. A plain `str` is a term of PETWorks, such
as ``ordered``.

Bands and rounded numbers replace exact ones where these could disclose a few people.

>>> str(CountBand.of(7)), str(CountBand.of(34)), str(CountBand.of(5000))
('fewer than 10', '20-49', '5,000-9,999')
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple, Self

import numpy as np

from PETWorks.errors import THRESHOLD
from PETWorks.exact.limit import Limit
from PETWorks.presentation import presenter
from PETWorks.tables.counting.tally import IntArray

DIGITS = 3  # significant digits of numbers that are rounded
EDGES = np.array([0, *(first * 10**power for power in range(1, 18) for first in (1, 2, 5))])


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
        """Return the band of a number of people who are alike; numbers below the threshold share one band."""
        if people < THRESHOLD:
            return cls(0, THRESHOLD - 1)
        return cls(THRESHOLD, 9) if people < 10 else cls.of(people)  # noqa: PLR2004

    def __str__(self) -> str:
        """Write the band in English."""
        return f"{self.low:,}-{self.high:,}" if self.low else f"fewer than {self.high + 1:,}"


class Rounded(float):
    """A number rounded to three significant digits.

    >>> Rounded(0.32074)
    0.321
    """

    __slots__ = ()

    def __new__(cls, value: float) -> Self:
        """Round a number."""
        return super().__new__(cls, f"{value:.{DIGITS}g}")


Count = int | CountBand  # a count, or the band that is shown instead


def disclose_count(count: int) -> Count:
    """Return the count that anybody may see: the count itself, or a band if it is below the threshold."""
    few = CountBand.of_people(1)
    return few if 0 < count <= few.high else count


def find_edges(counts: IntArray) -> tuple[IntArray, IntArray]:
    """Return the smallest and the largest count in the band of each count."""
    place = np.searchsorted(EDGES, counts, side="right")
    return EDGES[place - 1], EDGES[place] - 1


GUESSED = "encoding"  # the kind of the note on a file whose encoding was guessed
FEW_SUPPRESSED = "few_suppressed"  # on suppressed rows of few people, which discloses who they are
UNMARKED_FULL_GENERALISATION = "lookalikes"  # on rows that look suppressed, but form a class
KINDS_BELOW = (FEW_SUPPRESSED, UNMARKED_FULL_GENERALISATION, GUESSED)  # every output shows these once, below the answer


class Name(str):
    """A name that the user gave: of a column or a file."""

    __slots__ = ()


class Cell(str):
    """A value of a table."""

    __slots__ = ()


class Reason(str):
    """A sentence that the user wrote; outputs show it whole."""

    __slots__ = ()


@dataclass(frozen=True)
class Note:
    """Something the reader should know: its kind, which has a sentence in each language, and its figures."""

    kind: str
    figures: Mapping[str, Any] = field(default_factory=dict)
    instead: Note | None = None  # the note to show if values of tables must not be shown
    public: Note | None = None  # the note to show to the public
    warning: bool = False  # True: it puts a value in doubt, so every output shows it beside that value
    leading: bool = False  # True: a warning that the verdict is void, so every output begins with it

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values for JSON."""
        figures = to_plain_values(self.figures)
        return {"kind": self.kind, "figures": figures, "warning": self.warning, "leading": self.leading}

    def __str__(self) -> str:
        """Write the note as a sentence."""
        return presenter().note_text(self)


class PeopleCounts(NamedTuple):
    """The numbers of people in failing classes and in all judged classes, each counted once."""

    failing: int
    judged: int


@dataclass(frozen=True)
class PeopleSummary:
    """The numbers of people of a release whose people have several rows."""

    known: str  # what an adversary knows of a person: "one" record, or "all"
    people: int
    published: int  # of these, who have an unsuppressed row
    pairs: int  # people of all classes, added up; a person in several classes counts in each
    suppressed: int  # people who have a suppressed row


@dataclass(frozen=True)
class Scope:
    """The subject of a result: the name and size of the release, its suppressed rows, classes and missing cells."""

    name: str
    rows: int
    suppressed: int  # rows that form no class
    classes: int
    missing: Mapping[str, int]  # by column, cells that are missing; they count as a value of their own
    people: PeopleSummary | None = None  # None: every row is one person, or their number is withheld
    known: str = ""  # what an adversary knows of a person; "": every row is one person

    @property
    def everybody(self) -> int:
        """The number of people; of rows, if every row is one person."""
        return self.rows if self.people is None else self.people.people

    @property
    def suppressed_people(self) -> int:
        """The number of people who have suppressed rows."""
        return self.suppressed if self.people is None else self.people.suppressed

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values for JSON."""
        told = {name: to_plain_values(one) for name, one in vars(self).items() if name not in ("people", "known")}
        if not self.known:
            return told
        return told | {"people": {"known": self.known} if self.people is None else vars(self.people)}


def to_plain_values(value: Any) -> Any:  # noqa: ANN401 (anything JSON can hold)
    """Convert figures to JSON values; fractions, limits and bands become text."""
    if isinstance(value, Fraction | Limit | CountBand):
        return str(value)
    if isinstance(value, Mapping):
        return {str(key): to_plain_values(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [to_plain_values(item) for item in value]
    return value
