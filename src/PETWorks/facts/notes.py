"""What results state about the measured tables: their size, and notes on anything unusual.

Texts that come from the user have their own types, so that every output can mark and escape them: `Name` for the name
of a column or file, `Cell` for a value of a table, `Reason` for a sentence. A plain `str` is a term of PETWorks, such
as ``ordered``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple

from PETWorks.errors import PETWorksError
from PETWorks.exact.limit import Limit
from PETWorks.presentation import presenter
from PETWorks.shown import CountBand, Percent, write_public_error

GUESSED = "encoding"  # the kind of the note on a file whose encoding was guessed
NEVER_HOLDS = "never_holds"  # the table has fewer people than the limit asks for
FEW_SUPPRESSED = "few_suppressed"  # on suppressed rows of few people, which discloses who they are
UNMARKED_FULL_GENERALISATION = "lookalikes"  # on rows that look suppressed, but form a class
OF_ORIGINAL = "of_original"  # on a value of a synthetic table that is about its original only
FORMULAS = "formulas"  # on cells that a spreadsheet program runs
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
        """Return the note as plain values for JSON."""
        figures = to_plain_values(self.figures)
        return {"kind": self.kind, "figures": figures, "warning": self.warning, "leading": self.leading}

    def __str__(self) -> str:
        """Return the note as a sentence."""
        return presenter().note_text(self)


def build_public_note(error: PETWorksError) -> Note:
    """Build the public note on an error: the error itself, or that its reason is not public."""
    problem, hint = write_public_error(error)
    return Note("error", {"text": problem, "hint": hint}) if problem else Note("not_public", {"hint": hint})


class PeopleCounts(NamedTuple):
    """The numbers of people in failing classes and in all judged classes, each counted once."""

    failing: int
    judged: int


@dataclass(frozen=True)
class PeopleSummary:
    """How many people a release has, if people have several rows."""

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
        """Return the scope as plain values for JSON."""
        told = {name: to_plain_values(one) for name, one in vars(self).items() if name not in ("people", "known")}
        if not self.known:
            return told
        return told | {"people": {"known": self.known} if self.people is None else vars(self.people)}


def to_plain_values(value: Any) -> Any:  # noqa: ANN401 (anything JSON can hold)
    """Convert figures to JSON values; fractions, limits and bands become text."""
    if isinstance(value, Fraction | Limit | CountBand | Percent):
        return str(value)
    if isinstance(value, Mapping):
        return {str(key): to_plain_values(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [to_plain_values(item) for item in value]
    return value
