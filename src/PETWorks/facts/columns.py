"""The columns of a release with their hierarchies: at which level each cell is released."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from PETWorks.counting.size_histogram import Grouping
from PETWorks.counting.tally import Before, Coded, Key, Mask, Tally, Value, narrow, sums
from PETWorks.errors import UnknownLevelsError
from PETWorks.facts.cells import Cells
from PETWorks.facts.counted_tallies import Tallies
from PETWorks.facts.fit import Fit
from PETWorks.facts.memo import kept
from PETWorks.facts.pairing import Pairing, checked
from PETWorks.facts.roles import Roles
from PETWorks.facts.spread import Spread
from PETWorks.facts.tallies import Tables
from PETWorks.hierarchies.hierarchy import Hierarchy

NO_LEAF = "not on the lowest level of the hierarchy"  # these two follow "1 value is" or "2 values are" in errors
NO_LEVEL = "not in the hierarchy"
IS_SUPPRESSED = Before("")  # synthetic key for "the whole row is suppressed"; "" cannot clash with a column name


@dataclass(frozen=True, eq=False)
class Columns:
    """Quasi-identifiers with their hierarchies, and errors for values that a hierarchy lacks."""

    _tables: Tables
    _tallies: Tallies
    _roles: Roles
    _hierarchies: Mapping[str, Hierarchy]
    _forgiving: bool
    _unchanged: Columns | None = None  # the columns as released, if these are changed as in `what_if`

    @property
    def joint(self) -> Tally:
        """The tally that cells are read from: the pairs if there is an original, else the release."""
        return self._tallies.released if self._tables.original is None else self._tallies.paired

    @cached_property
    def without_levels(self) -> tuple[str, ...]:
        """The quasi-identifiers of which nobody knows how far they were generalised: no original, no hierarchy."""
        names = self._roles.quasi_identifiers if self._tables.original is None else ()
        return tuple(name for name in names if name not in self._hierarchies)

    @property
    def cells(self) -> tuple[Cells, ...]:
        """The cells of every quasi-identifier; a column without levels is an error."""
        if self.without_levels:
            raise UnknownLevelsError.of(self.without_levels)
        return self.cells_with_levels

    @kept
    def cells_with_levels(self) -> tuple[Cells, ...]:
        """The cells of the other quasi-identifiers; a value that its hierarchy lacks is an error, unless forgiven."""
        for cells in self._unchecked:
            self.refuse_unknown(cells, cells.unknown)
            if cells.original is not None:
                self._refuse_originals(cells, ~cells.marked & ~cells.liftable)
        _ = self.pairing
        return self._unchecked

    @cached_property
    def _unchecked(self) -> tuple[Cells, ...]:
        return tuple(self.column(name) for name in self._roles.quasi_identifiers if name not in self.without_levels)

    @kept
    def pairing(self) -> Pairing | None:
        """How the rows pair with the original's; None without an original. Rows that do not seem to pair are an error.

        It is that of the release as it is: changes as in `what_if` do not move rows.
        """
        if self._unchanged is not None:
            return self._unchanged.pairing
        if self._tables.original is None:
            return None
        return checked(self._examined, self._tables)

    @cached_property
    def _examined(self) -> Pairing:
        fits = [Fit(cells, self._forgiving) for cells in self._unchecked]
        return Pairing(fits, self.joint, ~self._suppressed)

    def column(self, name: str) -> Cells:
        """Return the cells of one quasi-identifier, unchecked: its hierarchy may lack some of the values."""
        keys: list[Key] = [key for key in (Before(name), name) if key in self.joint.columns]
        hidden = Coded(self._suppressed.astype(np.uint8), ("published", "suppressed"))
        columns = {key: self.joint.columns[key] for key in keys} | {IS_SUPPRESSED: hidden}
        of_entry, kinds = Tally(columns, self.joint.counts).grouped(list(columns))
        return Cells(
            name,
            self.hierarchy(name),
            kinds.columns[name],
            kinds.columns.get(Before(name)),
            kinds.columns[IS_SUPPRESSED].codes == 1,
            kinds.counts,
            self._tables.marker,
            narrow(of_entry, len(kinds.counts)),
        )

    @cached_property
    def _suppressed(self) -> Mask:
        return Grouping(self._roles.quasi_identifiers, self._tables.marker).suppressed(self.joint)

    def hierarchy(self, name: str) -> Hierarchy:
        """Return the hierarchy of a column; if it has none, a flat one of its values below ``*``."""
        if name in self._hierarchies:
            return self._hierarchies[name]
        released, tallies = self._tables.original is None, self._tallies
        cells = tallies.released.columns[name] if released else tallies.before.columns[Before(name)]
        return Hierarchy.flat(name, (value for value in cells.values if value != self._tables.marker))

    def lifted(self, cells: Cells, level: int) -> Coded:
        """Return the original's cells, of each kind, generalised to a level."""
        self._tables.require_original([cells.name])
        self._refuse_originals(cells, ~cells.liftable)
        return cells.lifted(level)

    def tree(self, spread: Spread) -> Hierarchy:
        """Return the hierarchy of a sensitive attribute, which must have all its values as leaves."""
        hierarchy, column = self._hierarchies[spread.name], self._tallies.released.columns[spread.name]
        published = set(spread.values)
        strange = np.array([value in published and value not in hierarchy for value in column.values])
        self._refuse("release", spread.name, self._tallies.released, strange[column.codes], NO_LEAF, always=True)
        return hierarchy

    def refuse_unknown(self, cells: Cells, unknown: Mask) -> None:
        """Raise an error for cells whose values the hierarchy lacks, unless the caller allows them."""
        self._refuse("release", cells.name, Tally({cells.name: cells.released}, cells.counts), unknown, NO_LEVEL)

    def refuse_strangers(self, name: str, people: Tally) -> None:
        """Raise an error for values of the population that are not leaves of their hierarchy."""
        if tree := self._hierarchies.get(name):
            column = people.columns[name]
            strange = np.array([value not in tree for value in column.values], dtype=bool)
            self._refuse("population", name, people, strange[column.codes], NO_LEAF, always=True)

    def _refuse_originals(self, cells: Cells, wrong: Mask) -> None:
        """Raise an error for cells whose originals are not leaves of the hierarchy, unless the caller allows them."""
        assert cells.original is not None  # noqa: S101
        self._refuse("original", cells.name, Tally({cells.name: cells.original}, cells.counts), wrong, NO_LEAF)

    def _refuse(self, role: str, name: str, table: Tally, wrong: Mask, what: str, *, always: bool = False) -> None:
        """Raise an error that lists wrong values of a table, unless the caller allows them (`always`: even then)."""
        if not wrong.any() or (self._forgiving and not always):
            return
        column, people = table.columns[name], self._holders(role, name, table)
        values = [column.values[code] for code in np.unique(column.codes[wrong]).tolist()]
        holders = {value: people[value] for value in values}
        known = name in self._hierarchies
        fix = f"correct {self._hierarchies[name].where}" if known else "pass a hierarchy for this column"
        option = "" if always else ', or count such cells as fully generalised: unknown_values="generalised"'
        raise self._tables.unknown(role, name, holders, what, fix + option)

    def _holders(self, role: str, name: str, table: Tally) -> dict[Value, int]:
        """Count the people who hold each value of a column; if no column says whose rows they are, its rows."""
        column, tallies, persons = table.columns[name], self._tallies, self._tallies.persons
        if role == "population":
            held = self._tables.population_held(self._roles.quasi_identifiers)
            column, persons = (column, None) if held is None else (held.tally.columns[name], held.persons)
        elif persons is not None and role == "original":
            column, persons = tallies.paired.columns[Before(name)], tallies.paired_persons
        elif persons is not None:
            column = tallies.released.columns[name]
        many = len(column.values)
        people = sums(column.codes, table.counts, many) if persons is None else persons.holders(column.codes, many)
        return dict(zip(column.values, people.tolist(), strict=True))
