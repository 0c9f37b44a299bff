"""What results say about the tables that were measured: their size, and notes on anything unusual.

Texts that come from the user have their own types, so that every output can mark and escape them: `Name` for the name
of a column or file, `Cell` for a value of a table, `Reason` for a sentence. A plain `str` is a term of PETWorks, such
as ``ordered``.

Bands and rounded numbers: they take the place of exact ones where these could reveal a few people.

>>> str(Band.of(7)), str(Band.of(34)), str(Band.of(5000))
('fewer than 10', '20-49', '5,000-9,999')
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple, Self

import numpy as np

from PETWorks.exact.limit import Limit
from PETWorks.presentation import presenter
from PETWorks.tables.counting.tally import IntArray

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


GUESSED = "encoding"  # the kind of note on a file whose encoding was guessed
FEW_SUPPRESSED = "few_suppressed"  # that on suppressed rows of few people, which tells on somebody
LOOKALIKES = "lookalikes"  # that on rows which look suppressed, but form a class
BELOW = (FEW_SUPPRESSED, LOOKALIKES, GUESSED)  # every output tells these once, below the answer


class Name(str):
    """A name that the user gave: of a column or a file."""

    __slots__ = ()


class Cell(str):
    """A value of a table."""

    __slots__ = ()


class Reason(str):
    """A sentence that the user wrote, which is told whole."""

    __slots__ = ()


@dataclass(frozen=True)
class Note:
    """Something the reader should know: its kind, for which there is a sentence in each language, and its figures."""

    kind: str
    figures: Mapping[str, Any] = field(default_factory=dict)
    instead: Note | None = None  # the note to show if values of tables must not be shown
    warning: bool = False  # True: it puts a value in doubt, so every output shows it beside that value
    leading: bool = False  # True: a warning that the verdict says nothing, so every output begins with it

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values for JSON."""
        figures = plain_values(self.figures)
        return {"kind": self.kind, "figures": figures, "warning": self.warning, "leading": self.leading}

    def __str__(self) -> str:
        """Write the note as a sentence."""
        return presenter().note_text(self)


class PeopleCounts(NamedTuple):
    """How many people are in failing classes, and in all that were judged, each counted once."""

    failing: int
    judged: int


@dataclass(frozen=True)
class Crowd:
    """The people of a release, where they have several rows."""

    known: str  # what an adversary knows of a person: "one" record, or "all"
    people: int
    published: int  # of these, who have an unsuppressed row
    pairs: int  # people of all classes, added up: who is in several classes counts in each
    suppressed: int  # people who have a suppressed row


@dataclass(frozen=True)
class Scope:
    """What a result is about: the name and size of the release, its suppressed rows, classes and missing cells."""

    name: str
    rows: int
    suppressed: int  # rows that form no class
    classes: int
    missing: Mapping[str, int]  # by column, cells that are missing; they count as a value of their own
    people: Crowd | None = None  # None: every row is one person, or their number must not be told
    known: str = ""  # what an adversary knows of a person; "": every row is one person

    @property
    def everybody(self) -> int:
        """How many people there are; every row is one, unless people have several."""
        return self.rows if self.people is None else self.people.people

    @property
    def suppressed_people(self) -> int:
        """How many people have suppressed rows."""
        return self.suppressed if self.people is None else self.people.suppressed

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values for JSON."""
        told = {name: plain_values(one) for name, one in vars(self).items() if name not in ("people", "known")}
        if not self.known:
            return told
        return told | {"people": {"known": self.known} if self.people is None else vars(self.people)}


def plain_values(value: Any) -> Any:  # noqa: ANN401 (anything JSON can hold)
    """Convert figures to what JSON can hold; fractions, limits and bands become text."""
    if isinstance(value, Fraction | Limit | Band):
        return str(value)
    if isinstance(value, Mapping):
        return {str(key): plain_values(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain_values(item) for item in value]
    return value
