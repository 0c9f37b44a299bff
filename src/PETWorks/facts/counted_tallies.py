"""What the facts of one release are computed from: tallies counted from tables, or changed as in `what_if`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from PETWorks.counting.persons import Held, Persons
from PETWorks.counting.size_histogram import Grouping
from PETWorks.counting.tally import Tally, Value
from PETWorks.facts.memo import kept
from PETWorks.facts.roles import Roles
from PETWorks.facts.tallies import Tables


class Tallies(Protocol):
    """The tallies from which facts are computed."""

    @property
    def released(self) -> Tally:
        """The quasi-identifiers and sensitive attributes of the release."""

    @property
    def paired(self) -> Tally:
        """The quasi-identifiers of the original, as `Before(name)`, beside all columns of the release."""

    @property
    def before(self) -> Tally:
        """The quasi-identifiers of the original, as `Before(name)`."""

    @property
    def persons(self) -> Persons | None:
        """Whose rows the combinations of `released` are; None if no column says so."""

    @property
    def paired_persons(self) -> Persons | None:
        """Whose rows the combinations of `paired` are; None if no column says so."""

    @property
    def named_persons(self) -> tuple[str | None, Sequence[Value]]:
        """The column of the release that says whose rows they are, and the cell of each person; None: it has none."""


@dataclass(frozen=True, eq=False)
class CountedTallies:
    """Tallies counted from tables."""

    tables: Tables
    roles: Roles

    @property
    def _grouping(self) -> Grouping:
        return Grouping(self.roles.quasi_identifiers, self.tables.marker)

    @kept
    def released(self) -> Tally:
        """The quasi-identifiers and sensitive attributes of the release."""
        if self.tables.people.column is not None:
            return self._held.tally
        return self.tables.released([*self.roles.quasi_identifiers, *self._others], self._grouping)

    @kept
    def paired(self) -> Tally:
        """The quasi-identifiers of the original, as `Before(name)`, beside all columns of the release."""
        names = self.roles.quasi_identifiers
        if self.tables.people.column is not None:
            return self._paired.tally
        return self.tables.paired(names, [*names, *self._others])

    @kept
    def _held(self) -> Held:
        return self.tables.held([], [*self.roles.quasi_identifiers, *self._others], self._grouping)

    @kept
    def _paired(self) -> Held:
        names = self.roles.quasi_identifiers
        return self.tables.held(names, [*names, *self._others], self._grouping)

    @kept
    def persons(self) -> Persons | None:
        """Whose rows the combinations of `released` are; None if no column says so."""
        if self.tables.people.column is None:
            return None
        return self.tables.people.found(self._held, self.tables.release.name, self.tables.marker)

    @kept
    def paired_persons(self) -> Persons | None:
        """Whose rows the combinations of `paired` are; None if no column says so."""
        if self.persons is None:
            return None
        return self.tables.people.found(self._paired, self.tables.release.name, self.tables.marker)

    @property
    def _others(self) -> list[str]:
        """The columns of the release that are counted together with the quasi-identifiers."""
        weight, counted = self.tables.weight, (*self.roles.quasi_identifiers, *self.roles.sensitive)
        return [*self.roles.sensitive, *([weight] if weight is not None and weight not in counted else [])]

    @kept
    def before(self) -> Tally:
        """The quasi-identifiers of the original, as `Before(name)`."""
        return self.tables.before(self.roles.quasi_identifiers, self._grouping)

    @property
    def named_persons(self) -> tuple[str | None, Sequence[Value]]:
        """The column of the release that says whose rows they are, and the cell of each person; None: it has none."""
        if self.tables.people.column is None or self._held.from_original:
            return None, ()
        return self.tables.people.column, self._held.names
