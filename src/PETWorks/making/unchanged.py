"""The tallies of an original that is released as it is, or of which a part is."""

from __future__ import annotations

from dataclasses import dataclass

from PETWorks.counting.persons import Persons
from PETWorks.counting.tally import Before, Coded, Key, Mask, Tally
from PETWorks.facts.memo import kept
from PETWorks.facts.same_persons import SamePersons


@dataclass(frozen=True, eq=False)
class Unchanged(SamePersons):
    """The tallies of an original that is released as it is: it pairs with itself."""

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
