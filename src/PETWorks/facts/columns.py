"""The columns of a release with their hierarchies, and the counts of the values of each.

`Columns` determines at which level each cell is released. `ReleasedValues` counts each value in the release and in the
original.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from PETWorks.errors import PETWorksError, UnknownLevelsError
from PETWorks.facts.cells import Cells
from PETWorks.facts.fit import ColumnMatch
from PETWorks.facts.memo import cached
from PETWorks.facts.pairing import Pairing, check_pairing
from PETWorks.facts.roles import Roles
from PETWorks.facts.spread import Spread
from PETWorks.facts.tallies import InputTables, Tallies
from PETWorks.hierarchies.hierarchy import Hierarchy
from PETWorks.tables.counting.size_histogram import Grouping
from PETWorks.tables.counting.tally import Before, Coded, IntArray, Key, Mask, Tally, Value, narrow, sum_by_group

if TYPE_CHECKING:
    from PETWorks.facts.facts import Facts

NO_LEAF = "not on the lowest level of the hierarchy"  # these two follow "1 value is" or "2 values are" in errors
NO_LEVEL = "not in the hierarchy"
IS_SUPPRESSED = Before("")  # synthetic key for "the whole row is suppressed"; "" cannot clash with a column name


@dataclass(frozen=True, eq=False)
class Columns:
    """Quasi-identifiers with their hierarchies; raises errors for values that a hierarchy lacks."""

    _tables: InputTables
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
        """The quasi-identifiers whose levels are unknown, since there is no original and no hierarchy."""
        names = self._roles.quasi_identifiers if self._tables.original is None else ()
        return tuple(name for name in names if name not in self._hierarchies)

    @property
    def cells(self) -> tuple[Cells, ...]:
        """The cells of every quasi-identifier; a column without levels is an error."""
        if self.without_levels:
            raise UnknownLevelsError.of(self.without_levels)
        return self.cells_with_levels

    @cached
    def cells_with_levels(self) -> tuple[Cells, ...]:
        """The cells of the other quasi-identifiers; a value that its hierarchy lacks is an error, unless forgiven."""
        for cells in self._unchecked:
            self.refuse_unknown(cells, cells.unknown)
            if cells.original is not None:
                self._refuse_originals(cells, ~cells.marked & ~cells.generalisable)
        _ = self.pairing
        return self._unchecked

    @cached_property
    def _unchecked(self) -> tuple[Cells, ...]:
        names = [name for name in self._roles.quasi_identifiers if name not in self.without_levels]
        return tuple(map(self.build_cells, names))

    @cached
    def pairing(self) -> Pairing | None:
        """The pairing of rows with the original; None without one. Rows that do not seem to pair are an error.

        It is that of the release as it is, since changes as in `what_if` do not move rows.
        """
        if self._unchanged is not None:
            return self._unchanged.pairing
        if self._tables.original is None:
            return None
        return check_pairing(self._unchecked_pairing, self._tables)

    @cached_property
    def _unchecked_pairing(self) -> Pairing:
        fits = [ColumnMatch(cells, self._forgiving) for cells in self._unchecked]
        return Pairing(fits, self.joint, ~self._suppressed)

    def build_cells(self, name: str) -> Cells:
        """Build the cells of one quasi-identifier, unchecked: its hierarchy may lack some of the values."""
        keys: list[Key] = [key for key in (Before(name), name) if key in self.joint.columns]
        hidden = Coded(self._suppressed.astype(np.uint8), ("published", "suppressed"))
        columns = {key: self.joint.columns[key] for key in keys} | {IS_SUPPRESSED: hidden}
        of_entry, kinds = Tally(columns, self.joint.counts).group(list(columns))
        return Cells(
            name,
            self.find_hierarchy(name),
            kinds.columns[name],
            kinds.columns.get(Before(name)),
            kinds.columns[IS_SUPPRESSED].codes == 1,
            kinds.counts,
            self._tables.marker,
            narrow(of_entry, len(kinds.counts)),
        )

    @cached_property
    def _suppressed(self) -> Mask:
        return Grouping(self._roles.quasi_identifiers, self._tables.marker).find_suppressed(self.joint)

    def find_hierarchy(self, name: str) -> Hierarchy:
        """Return the hierarchy of a column; if it has none, a flat one of its values below ``*``."""
        if name in self._hierarchies:
            return self._hierarchies[name]
        released, tallies = self._tables.original is None, self._tallies
        cells = tallies.released.columns[name] if released else tallies.before.columns[Before(name)]
        return Hierarchy.flat(name, (value for value in cells.values if value != self._tables.marker))

    def generalise(self, cells: Cells, level: int) -> Coded:
        """Return the original's cells, of each kind, generalised to a level."""
        self._tables.require_original([cells.name])
        self._refuse_originals(cells, ~cells.generalisable)
        return cells.generalise(level)

    def find_sensitive_hierarchy(self, spread: Spread) -> Hierarchy:
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
        column, people = table.columns[name], self._count_people(role, name, table)
        values = [column.values[code] for code in np.unique(column.codes[wrong]).tolist()]
        holders = {value: people[value] for value in values}
        known = name in self._hierarchies
        fix = f"correct {self._hierarchies[name].where}" if known else "pass a hierarchy for this column"
        option = "" if always else ', or count such cells as fully generalised: unknown_values="generalised"'
        raise self._tables.build_unknown_error(role, name, holders, what, fix + option)

    def _count_people(self, role: str, name: str, table: Tally) -> dict[Value, int]:
        """Count the people who have each value of a column; its rows if no column names the persons."""
        column, tallies, persons = table.columns[name], self._tallies, self._tallies.persons
        if role == "population":
            held = self._tables.count_population_with_persons(self._roles.quasi_identifiers)
            column, persons = (column, None) if held is None else (held.tally.columns[name], held.persons)
        elif persons is not None and role == "original":
            column, persons = tallies.paired.columns[Before(name)], tallies.paired_persons
        elif persons is not None:
            column = tallies.released.columns[name]
        many = len(column.values)
        people = (
            sum_by_group(column.codes, table.counts, many)
            if persons is None
            else persons.count_people(column.codes, many)
        )
        return dict(zip(column.values, people.tolist(), strict=True))


@dataclass(frozen=True, eq=False)
class ReleasedValues:
    """The values of a quasi-identifier with their counts; a value of suppressed rows only has the count 0."""

    values: Sequence[Value]
    after: IntArray  # unsuppressed rows of the release that have the value
    before: IntArray | None  # rows of the original with the value at that level; None without an original
    level: int | None  # the level to which the original is generalised before it is counted
    mixed: bool  # True: unsuppressed cells are on different levels, so that one value is released in several forms
    gone: int  # rows of the original whose value, at that level, no unsuppressed row of the release has any more
    kinds: IntArray  # values of the same kind are on the same level and stand for equally many leaves

    def has_few_of_a_kind(self, least: int) -> bool:
        """Return True if there are several kinds of values, and one of them has few people.

        Scores by leaves could disclose how many.
        """
        people = np.bincount(self.kinds, weights=self.after)
        people = people[people > 0]
        return len(people) > 1 and bool((people < least).any())


def count_released_values(facts: Facts, column: str) -> ReleasedValues:
    """Count the values of a quasi-identifier, cached for these facts."""
    return facts.cache(("released values", column), lambda: _count_values(facts, column))


def _count_values(facts: Facts, column: str) -> ReleasedValues:
    classes = facts.known_row_classes
    coded = classes.columns[column]
    after = sum_by_group(coded.codes, classes.sizes, len(coded.values))
    level, before, mixed, gone = None, None, False, 0
    try:
        cells = facts.columns.build_cells(column)
        mixed = not cells.on_one_level
        if cells.original is not None:
            level = int(cells.levels[~cells.marked].max()) if not cells.marked.all() else cells.hierarchy.height
            lifted = cells.generalise(level)
            found = dict(zip(lifted.values, sum_by_group(lifted.codes, cells.counts, len(lifted.values)), strict=True))
            before = np.array([found.get(value, 0) for value in coded.values], dtype=np.int64)
            gone = int(cells.counts.sum() - before[after > 0].sum())
    except PETWorksError:  # rows that do not pair are reported by the measures that need pairs
        level, before = None, None
    return ReleasedValues(coded.values, after, before, level, mixed, gone, _number_kinds(facts, column, coded.values))


def _number_kinds(facts: Facts, column: str, values: Sequence[Value]) -> IntArray:
    """Return the number of each value's kind, which is its level and its leaves; the marker is a kind of its own."""
    tree, kinds = facts.hierarchies.get(column), dict[tuple[int, int], int]()

    def kind(value: Value) -> tuple[int, int]:
        if value == facts.marker:
            return -1, 0
        level = tree.lowest.get(value, -1) if tree else 0
        return level, tree.size(value, level) if tree else 1

    return np.array([kinds.setdefault(kind(value), len(kinds)) for value in values], dtype=np.int64)
