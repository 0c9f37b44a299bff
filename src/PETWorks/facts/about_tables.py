"""What facts tell about the tables themselves: names, columns with a meaning, and notes on how they were read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from PETWorks.counting.memory import readable
from PETWorks.errors import NotAskableError
from PETWorks.facts.notes import GUESSED, Name, Note
from PETWorks.facts.people import Known
from PETWorks.facts.tallies import Tables

T = TypeVar("T")


class AboutTables:
    """The part of facts that is about the tables."""

    _tables: Tables
    remarks: tuple[Note, ...]

    @property
    def fits(self) -> bool:
        """True if all combinations of the release are known, False if only the sizes of its classes are."""
        raise NotImplementedError

    @property
    def name(self) -> str:
        """The name of the release in messages."""
        return self._tables.release.name

    @property
    def marker(self) -> str:
        """The text of a suppressed cell."""
        return self._tables.marker

    @property
    def key(self) -> str | None:
        """The column that pairs the rows of original and release; None: by position."""
        return self._tables.key

    @property
    def weight(self) -> str | None:
        """The column that has the sampling weights; None: there are none."""
        return self._tables.weight

    @property
    def known(self) -> Known:
        """How much of a person's rows an adversary knows: one record, or all."""
        return self._tables.people.known

    @property
    def has_original(self) -> bool:
        """True if an original was given."""
        return self._tables.original is not None

    @property
    def has_population(self) -> bool:
        """True if a population was given."""
        return self._tables.population is not None

    @property
    def notes(self) -> tuple[Note, ...]:
        """Notes on the tables: an encoding that was guessed, or too many combinations for the memory."""
        sources = (self._tables.release, self._tables.original, self._tables.population)
        guessed = self._tables.reading.encoding is None
        odd = [one for one in sources if guessed and one is not None and one.encoding not in (None, "utf-8")]
        notes = [Note(GUESSED, {"file": Name(one.name), "encoding": Name(one.encoding)}) for one in odd]
        if not self.fits:
            notes.append(Note("sizes_only", {"memory": readable(self._tables.workspace.memory)}))
        return *self.remarks, *notes

    def computed(self, function: Callable[[Any], T]) -> tuple[T, T]:
        """Call the caller's function on the release and on the original, as they were passed; return both results."""
        if not self.has_original:
            raise NotAskableError("this measure compares the release with its original", hint="pass original=")
        released, original = self._tables.given
        if released is None:
            hint = "write the release to a file, and measure that"
            raise NotAskableError("this measure calls a function with the release, which is not written yet", hint=hint)
        return function(released), function(original)
