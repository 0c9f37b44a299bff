"""The facts of a possible release, computed from the combinations of its original.

A search over releases spends most of its time here. So the classes and the spread of sensitive attributes, which
privacy measures need first, are counted by combination. All else follows from tallies, as for any other release.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from PETWorks.facts.classes import Classes, Groups
from PETWorks.facts.facts import Facts
from PETWorks.facts.memo import cached
from PETWorks.facts.notes import Scope
from PETWorks.facts.people_classes import HistoryClasses, SamePersons, group_pairs
from PETWorks.facts.spread import Spread
from PETWorks.facts.tallies import Tallies
from PETWorks.tables.counting.persons import PersonPairs
from PETWorks.tables.counting.tally import DENSE, Before, Coded, IntArray, Key, Mask, Tally, Value, sum_by_group

if TYPE_CHECKING:
    from PETWorks.anonymization.table import RawTable

NO_CLASS = -1  # the class of a suppressed combination


class CombinationLabels:
    """The labels and the class of every combination of a table; some combinations are suppressed."""

    def __init__(
        self,
        table: RawTable,
        ids: IntArray,
        first: IntArray,
        labels: Mapping[str, Coded],
        levels: Sequence[int] | None = None,
    ) -> None:
        self.table = table
        self.of_combination = ids  # the class of each combination; NOWHERE if it is suppressed
        self.first = first  # a combination of each class
        self.labels = labels  # by quasi-identifier, the label of each combination
        self.levels = levels  # of the quasi-identifiers; None: combinations have different ones, or none

    @cached_property
    def suppressed(self) -> Mask:
        """A mask of the suppressed combinations."""
        gone: Mask = self.of_combination == NO_CLASS
        return gone

    @cached_property
    def sizes(self) -> IntArray:
        """By class, the number of rows."""
        ids, counts = self.of_combination, self.table.counts
        if self.suppressed.any():
            ids, counts = ids[~self.suppressed], counts[~self.suppressed]
        return sum_by_group(ids, counts, len(self.first))

    def count_rows_by_value(self, chosen: Mask) -> tuple[IntArray, ...]:
        """Return, for each quasi-identifier, the rows of the chosen combinations by value; cached."""
        key = chosen.tobytes()
        if key not in self._by_value:
            self._by_value[key] = self.table.count_rows_by_value(chosen)
        return self._by_value[key]

    @cached_property
    def _by_value(self) -> dict[bytes, tuple[IntArray, ...]]:
        return {}

    @property
    def pairs(self) -> PersonPairs:
        """The people who have rows in each class, where people have several rows."""
        pairs = self.table.pairs
        ids = self.of_combination[pairs.of_entry]
        kept = ids != NO_CLASS
        return PersonPairs.from_pairs(ids[kept], pairs.of_person[kept], pairs.rows[kept], pairs.people)

    def suppress(self, suppressed: Mask) -> CombinationLabels:
        """Return the labels with further combinations suppressed."""
        gone = suppressed | self.suppressed
        if gone.sum() == self.suppressed.sum():
            return self
        left = np.zeros(len(self.first), dtype=bool)
        left[self.of_combination[~gone]] = True
        place = np.append(np.cumsum(left) - 1, NO_CLASS)
        ids = np.where(gone, NO_CLASS, place[self.of_combination])
        return CombinationLabels(self.table, ids, self.first[left], self.labels, self.levels)


class RecodedClasses(Classes):
    """Classes whose labels are looked up on first use."""

    def __init__(self, lift: CombinationLabels) -> None:
        vars(self).update(sizes=lift.sizes, _lift=lift)

    @cached_property
    def columns(self) -> Mapping[Key, Coded]:
        """The labels of each class."""
        lift: CombinationLabels = vars(self)["_lift"]
        return {name: column.take(lift.first) for name, column in lift.labels.items()}

    @cached_property
    def of_entry(self) -> IntArray:
        """The class of each unsuppressed entry of the tally."""
        lift: CombinationLabels = vars(self)["_lift"]
        ids: IntArray = lift.of_combination[lift.table.of_entry]
        published: IntArray = ids[ids != NO_CLASS]
        return published


@dataclass(frozen=True, eq=False)
class RecodedFacts(Facts):
    """The facts of a possible release of a table."""

    recoded: CombinationLabels | None = None

    has_unmarked_full_generalisation: ClassVar[bool] = False  # not needed by a search: the result is evaluated again
    _outline: ClassVar[None] = None  # all combinations of the release are known

    @classmethod
    def of(cls, lift: CombinationLabels) -> RecodedFacts:
        """Build the facts from the labels of every combination."""
        return lift.table.facts.with_changes(cls, recoded=lift)

    @property
    def combination_labels(self) -> CombinationLabels:
        """The labels and the class of every combination."""
        assert self.recoded is not None  # noqa: S101
        return self.recoded

    @property
    def known_levels(self) -> Mapping[str, int] | None:
        """The level of each quasi-identifier; None if combinations have different ones."""
        levels = self.combination_labels.levels
        return None if levels is None or self.changed else dict(zip(self.roles.quasi_identifiers, levels, strict=True))

    @cached_property
    def cells_by_combination(self) -> dict[str, Coded]:
        """By quasi-identifier, the released cell of each combination; the marker if it is suppressed."""
        labels, suppressed = self.combination_labels.labels, self.combination_labels.suppressed
        return {name: _mark_suppressed(column, suppressed, self.marker) for name, column in labels.items()}

    @cached
    def tallies(self) -> Tallies:
        """The tallies of the labels."""
        return RecodedTallies(self)

    @property
    def classes_before(self) -> Groups:
        """The classes of the original."""
        return self.combination_labels.table.facts.classes_before

    @cached_property
    def scope(self) -> Scope:
        """The size of the release, and the numbers of suppressed rows and missing cells."""
        table = self.combination_labels.table
        suppressed = int(table.counts[self.combination_labels.suppressed].sum())
        missing = dict(table.missing)
        for name, column in self.cells_by_combination.items() if missing else ():
            missing[name] = int(table.counts[column.codes == column.code(None)].sum())
        occurring = {name: cells for name, cells in missing.items() if cells}
        known = "" if self.persons is None else self.known
        return Scope(
            self.name, table.rows, suppressed, len(self.groups(with_values=True)), occurring, self.people_summary, known
        )

    @property
    def persons(self) -> PersonPairs | None:
        """The people of the combinations of `released`; None if nobody has several rows."""
        return self.combination_labels.table.facts.persons

    @property
    def nobody_in_several_classes(self) -> bool:
        """True if all rows of a person are alike, so that nobody can be in several classes."""
        return self.persons is None or self.combination_labels.table.one_combination_each

    @cached_property
    def _classes_of_people(self) -> Classes:
        by_row = self._classes_of_rows
        return by_row if self.persons is None else group_pairs(self.combination_labels.pairs, by_row, self.known)

    @cached_property
    def _classes_of_rows(self) -> Classes:
        return RecodedClasses(self.combination_labels)

    @cached_property
    def of_combination(self) -> IntArray:
        """The class of each combination; NOWHERE if it is suppressed."""
        classes, lift = self.groups(with_values=True), self.combination_labels
        if not isinstance(classes, HistoryClasses):
            return lift.of_combination
        return np.where(lift.suppressed, NO_CLASS, classes.find_groups_of_pairs(lift.table.pairs))

    def _spread(self, name: str, *, joined: bool) -> Spread:
        if self.persons is not None or (joined and len(self.roles.sensitive) > 1):
            return super()._spread(name, joined=joined)
        column, of_combination, counts = self.combination_labels.table.sensitive[name]
        of_class = self.combination_labels.of_combination[of_combination]
        published = of_class != NO_CLASS
        hidden = ~published & (column.codes == column.code(self.marker))
        overall = sum_by_group(column.codes[~hidden], counts[~hidden], len(column.values))
        used = np.flatnonzero(overall)
        place = np.cumsum(overall > 0) - 1
        keys = of_class[published] * len(used) + place[column.codes[published]]
        keys, found = _add_up(keys, counts[published], len(self.groups(with_values=True)) * len(used))
        in_class, value = np.divmod(keys, max(len(used), 1))
        names = tuple(column.values[code] for code in used.tolist())
        unpublished = int(counts[hidden].sum())
        return Spread(name, names, overall[used], self.groups(with_values=True), in_class, value, found, unpublished)


def _add_up(keys: IntArray, counts: IntArray, space: int) -> tuple[IntArray, IntArray]:
    """Return the distinct keys, sorted, and the sum of the counts of each."""
    if space <= DENSE * len(keys):
        found = sum_by_group(keys, counts, space)
        occurring = np.flatnonzero(found > 0)
        return occurring, found[occurring]
    distinct, ids = np.unique(keys, return_inverse=True)
    return distinct, sum_by_group(ids, counts, len(distinct))


@dataclass(frozen=True, eq=False)
class RecodedTallies:
    """The tallies of a possible release."""

    facts: RecodedFacts

    @cached
    def released(self) -> Tally:
        """The quasi-identifiers and sensitive attributes of the release."""
        table = self.facts.combination_labels.table
        whole = table.facts.released
        columns: dict[Key, Coded] = dict(whole.columns)
        for name, column in self.facts.cells_by_combination.items():
            columns[name] = column.take(table.of_entry).trim()
        return Tally(columns, whole.counts)

    @cached
    def paired(self) -> Tally:
        """The quasi-identifiers of the original, as `Before(name)`, beside all columns of the release."""
        columns = self.facts.combination_labels.table.facts.released.columns
        before: dict[Key, Coded] = {Before(name): columns[name] for name in self._names}
        return Tally({**before, **self.released.columns}, self.released.counts)

    @property
    def before(self) -> Tally:
        """The quasi-identifiers of the original, as `Before(name)`."""
        combinations = self.facts.combination_labels.table.distinct
        return Tally({Before(name): combinations.columns[name] for name in self._names}, combinations.counts)

    @property
    def persons(self) -> PersonPairs | None:
        """The people of the entries: those of the original."""
        return self.facts.combination_labels.table.facts.all_persons

    @property
    def named_persons(self) -> tuple[str | None, Sequence[Value]]:
        """The person column of the release and its cell for each person: None, since no release has one."""
        return None, ()

    @property
    def paired_persons(self) -> PersonPairs | None:
        """The people of the pairs."""
        return self.persons

    @property
    def _names(self) -> tuple[str, ...]:
        return self.facts.roles.quasi_identifiers


def _mark_suppressed(labels: Coded, suppressed: Mask, marker: str) -> Coded:
    """Return the released cells of a column by combination: its labels, or the marker where it is suppressed."""
    if not suppressed.any():
        return labels
    values = labels.values if marker in labels.values else [*labels.values, marker]
    return Coded(np.where(suppressed, values.index(marker), labels.codes), values)


@dataclass(frozen=True, eq=False)
class RecodingMap:
    """The released cells of each combination of the original's quasi-identifiers."""

    before: Tally  # the combinations of the original's quasi-identifiers, sorted, with their counts
    after: Mapping[str, Coded]  # by quasi-identifier: the released cell of each combination
    suppressed: Mask  # True for combinations that have the marker in every column
    divided: bool = False  # True: `before` has pieces, as `DividedTable` has; those of one entry are adjacent


@dataclass(frozen=True, eq=False)
class OriginalTallies(SamePersons):
    """The tallies of an original that is a release of itself: every row pairs with itself."""

    @property
    def released(self) -> Tally:
        """The quasi-identifiers and sensitive attributes."""
        return self.facts.released

    @cached
    def paired(self) -> Tally:
        """The quasi-identifiers twice, as `Before(name)` and as they are, beside the sensitive attributes."""
        columns = self.released.columns
        before: dict[Key, Coded] = {Before(name): columns[name] for name in self.facts.roles.quasi_identifiers}
        return Tally({**before, **columns}, self.released.counts)

    @cached
    def before(self) -> Tally:
        """The quasi-identifiers, as `Before(name)`."""
        names = self.facts.roles.quasi_identifiers
        _, tally = self.released.group(names)
        return Tally({Before(name): tally.columns[name] for name in names}, tally.counts)

    @property
    def paired_persons(self) -> PersonPairs | None:
        """The people of the pairs."""
        return self.persons


@dataclass(frozen=True, eq=False)
class TableSlice(OriginalTallies):
    """The tallies of some entries of an original."""

    kept: Mask

    @property
    def released(self) -> Tally:
        """The quasi-identifiers and sensitive attributes."""
        return self.facts.released.where(self.kept)

    @property
    def persons(self) -> PersonPairs | None:
        """The people of the entries; None if there is no person column."""
        return None if self.facts.all_persons is None else self.facts.all_persons.where(self.kept)
