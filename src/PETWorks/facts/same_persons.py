"""Whose rows they are, where a change of cells leaves that as it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PETWorks.counting.persons import Persons
from PETWorks.counting.tally import Value

if TYPE_CHECKING:
    from PETWorks.facts.facts import Facts


@dataclass(frozen=True, eq=False)
class SamePersons:
    """A part of tallies: the persons of other facts."""

    facts: Facts  # as they are

    @property
    def persons(self) -> Persons | None:
        """Whose rows they are; None if no column says so."""
        return self.facts.all_persons

    @property
    def named_persons(self) -> tuple[str | None, Sequence[Value]]:
        """The column of the release that says whose rows they are, and the cell of each person; None: it has none."""
        return self.facts.named_persons
