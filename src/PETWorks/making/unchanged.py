"""The tallies of an original that is released as it is, or of which a part is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PETWorks.counting.persons import Persons
from PETWorks.counting.tally import Before, Coded, Key, Mask, Tally, Value
from PETWorks.facts.facts import Facts
from PETWorks.facts.memo import kept


@dataclass(frozen=True, eq=False)
class Unchanged:
    """The tallies of an original that is released as it is: it pairs with itself."""

    facts: Facts

    @property
    def released(self) -> Tally:
        """The quasi-identifiers and sensitive attributes."""
        return self.facts.released

    @kept
    def paired(self) -> Tally:
        """The quasi-identifiers twice, as `Before(name)` and as they are, beside the sensitive attributes."""
        columns = self.released.columns
        before: dict[Key, Coded] = {Before(name): columns[name] for name in self.facts.roles.quasi_identifiers}
        return Tally({**before, **columns}, self.released.counts)

    @kept
    def before(self) -> Tally:
        """The quasi-identifiers, as `Before(name)`."""
        names = self.facts.roles.quasi_identifiers
        _, tally = self.released.grouped(names)
        return Tally({Before(name): tally.columns[name] for name in names}, tally.counts)

    @property
    def persons(self) -> Persons | None:
        """Whose rows they are; None if no column says so."""
        return self.facts.all_persons

    @property
    def named_persons(self) -> tuple[str | None, Sequence[Value]]:
        """The column of the release that says whose rows they are, and the cell of each person; None: it has none."""
        return self.facts.named_persons

    @property
    def paired_persons(self) -> Persons | None:
        """Whose rows the pairs are."""
        return self.persons


@dataclass(frozen=True, eq=False)
class Part(Unchanged):
    """The same of only some entries of the tally."""

    kept: Mask

    @property
    def released(self) -> Tally:
        """The quasi-identifiers and sensitive attributes."""
        return self.facts.released.where(self.kept)

    @property
    def persons(self) -> Persons | None:
        """Whose rows they are; None if no column says so."""
        return None if self.facts.all_persons is None else self.facts.all_persons.where(self.kept)
