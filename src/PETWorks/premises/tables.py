"""The rows that premises are checked on: all columns of the release and its original, as dictionary codes.

A column that cannot be read raises an `UncheckedError` with the reason: "memory", "cluster", "original", or "rows"
(rows do not pair).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

import numpy as np

from PETWorks.errors import PETWorksError, TooLargeError
from PETWorks.facts.facts import Facts
from PETWorks.facts.memo import Memo, cached
from PETWorks.facts.tallies import InputTables, find_tables
from PETWorks.premises.people_of_rows import ColumnCounts, PeopleOfRows, group_columns
from PETWorks.tables.counting.tally import Coded, IntArray, Mask, Value, recode
from PETWorks.tables.counting.texts import find_cells
from PETWorks.tables.row_codes import RowCodes
from PETWorks.tables.source import TableSource

P = ParamSpec("P")
S = TypeVar("S")
T = TypeVar("T")


class UncheckedError(PETWorksError):
    """A premise cannot be checked; `reason` says why."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def note_memory(method: Callable[Concatenate[S, P], T]) -> Callable[Concatenate[S, P], T]:
    """Decorate a method so that a lack of memory becomes an `UncheckedError`."""

    @wraps(method)
    def call(self: S, /, *args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return method(self, *args, **kwargs)
        except TooLargeError as error:
            raise UncheckedError("memory") from error

    return call


@dataclass(frozen=True, eq=False)
class CheckedTables:
    """A release and its original, read once for a check of premises."""

    facts: Facts
    left_out: Sequence[str] = ()  # identifiers of the original that the release no longer has
    _memo: Memo = field(default_factory=Memo, init=False, repr=False)

    @property
    def inputs(self) -> InputTables:
        """The tables as the caller passed them."""
        return find_tables(self.facts)

    @property
    def marker(self) -> str:
        """The text of a suppressed cell."""
        return self.facts.marker

    @property
    def person(self) -> str | None:
        """The name of the person column."""
        return self.inputs.people.column

    @property
    def identifiers(self) -> tuple[str, ...]:
        """The columns of the release that identify people, including the person column."""
        release = self.inputs.release.columns
        person = [self.person] if self.person in release and self.person not in self.facts.roles.identifiers else []
        return (*self.facts.roles.identifiers, *map(str, person))

    @property
    def all_identifiers(self) -> tuple[str, ...]:
        """The columns of the release or the original that identify people."""
        return tuple(dict.fromkeys([*self.identifiers, *self.left_out, *([self.person] if self.person else [])]))

    @property
    def published(self) -> tuple[str, ...]:
        """The columns of the release whose role is not identifying."""
        return tuple(name for name in self.inputs.release.columns if name not in self.identifiers)

    @property
    def insensitive(self) -> tuple[str, ...]:
        """The published columns that are neither quasi-identifiers nor sensitive, except the sampling weight."""
        roles = self.facts.roles
        known = (*roles.quasi_identifiers, *roles.sensitive, self.inputs.weight)
        return tuple(name for name in self.published if name not in known)

    # Rows.

    @cached
    @note_memory
    def released(self) -> RowCodes:
        """All columns of the release."""
        return self._read(self.inputs.release)

    @cached
    @note_memory
    def original(self) -> RowCodes:
        """All columns of the original."""
        if self.inputs.original is None:
            raise UncheckedError("original")
        if self.inputs.original is self.inputs.release:
            return self.released
        return self._read(self.inputs.original)

    def _read(self, source: TableSource) -> RowCodes:
        if source.counts_in_cluster:
            raise UncheckedError("cluster")
        return self.inputs.read_rows(source)

    def group(self, names: Sequence[str]) -> tuple[IntArray, int]:
        """Return the number of each released row's combination of values, and how many combinations there are."""
        return group_columns([self.released[name] for name in names], self.released.rows)

    @cached
    def known_groups(self) -> tuple[IntArray, int]:
        """For each released row, the number of its combination of quasi-identifiers; and how many there are."""
        return self.group(self.facts.roles.quasi_identifiers)

    @cached
    def suppressed(self) -> Mask:
        """A mask of the released rows in which every quasi-identifier is the marker."""
        rows = np.ones(self.released.rows, dtype=bool)
        for name in self.facts.roles.quasi_identifiers:
            rows &= self.released[name].codes == self.released[name].code(self.marker)
        return rows

    # People.

    @cached
    def people(self) -> PeopleOfRows:
        """The number of the person of each released row."""
        if self.person is None:
            return PeopleOfRows(None, self.released.rows)
        together = self.inputs.people.unknown == "together"
        unnamed = (None, self.marker)
        column = self.released.get(self.person)
        elsewhere = self.inputs.original is not None and self.person in self.inputs.original.columns
        if column is None or (elsewhere and not find_cells(column.values, self.marker).any()):
            if self.inputs.moved and self._has_one_row_each:
                return PeopleOfRows(None, self.released.rows)
            self._check_pairing()
            column = self.original[self.person].take(self.pairing)
        return PeopleOfRows.of_column(column, self.released.rows, unnamed, together=together)

    @property
    def _has_one_row_each(self) -> bool:
        """True if the original has a person column, and every person has one row."""
        column = self.original[str(self.person)]
        return len(column.values) == self.original.rows and bool(find_cells(column.values, self.marker).all())

    def _check_pairing(self) -> None:
        try:
            _ = self.facts.all_persons  # rows that do not seem to pair are an error
        except PETWorksError as error:
            raise UncheckedError("memory" if isinstance(error, TooLargeError) else "rows") from error

    @cached
    def pairing(self) -> IntArray:
        """The index of the original row that each released row pairs with."""
        key, rows = self.inputs.key, self.released.rows
        if key is None:
            if self.inputs.moved or self.original.rows != rows:
                raise UncheckedError("rows")
            return np.arange(rows)
        before, after = self.original.get(key), self.released.get(key)
        if before is None or after is None or len(before.values) != len(before.codes):
            raise UncheckedError("rows")
        row_of = dict(zip(before.values, np.argsort(before.codes).tolist(), strict=True))
        found = np.array([row_of.get(value, -1) for value in after.values], dtype=np.int64)
        if (found < 0).any():
            raise UncheckedError("rows")
        return found[after.codes]

    def pairs_surely(self) -> bool:
        """Return True if the rows of original and release pair, and their values agree well enough to trust it."""
        try:
            _, _ = self.pairing, self.facts.columns.pairing
        except (UncheckedError, PETWorksError):
            return False
        return True

    # Single columns, also where all of them do not fit in memory.

    def count_column(self, name: str, *, with_people: bool = False) -> ColumnCounts:
        """Return the distinct values of a released column, with their rows and, if requested, their people."""
        by_person = with_people and self.person is not None
        return self._memo.cache((name, by_person), lambda: self._count_column(name, with_people=by_person))

    def _count_column(self, name: str, *, with_people: bool) -> ColumnCounts:
        try:
            column = self.released[name]
        except UncheckedError:
            return self._count_alone(name, with_people=with_people)
        cells = find_cells(column.values, self.marker)
        people = self.people if with_people else PeopleOfRows(None, self.released.rows)
        return ColumnCounts.of_rows(column, people, cells)

    @note_memory
    def _count_alone(self, name: str, *, with_people: bool) -> ColumnCounts:
        """Count a single column, when all columns together do not fit in memory or the table is in a cluster."""
        person, source = self.person if with_people else None, self.inputs.release
        if person is not None and person not in source.columns:
            raise UncheckedError("cluster" if source.counts_in_cluster else "memory")
        names = list(dict.fromkeys([name, *([person] if person else [])]))
        tally = source.tally(names, self.inputs.spare_workspace)
        column = tally.columns[name]
        size, cells = len(column.values), find_cells(column.values, self.marker)
        rows = np.bincount(column.codes, weights=tally.counts, minlength=size).astype(np.int64)
        if person is None:
            return ColumnCounts(column.values, rows, rows, int(((rows == 1) & cells).sum()))
        together = self.inputs.people.unknown == "together"
        entries = len(tally.counts)
        people = PeopleOfRows.of_column(tally.columns[person], entries, (None, self.marker), together=together)
        found = ColumnCounts.of_rows(column, people, cells)
        return ColumnCounts(column.values, rows, found.people, found.lone_people)

    @note_memory
    def read_original_values(self, name: str) -> tuple[Sequence[Value], IntArray] | None:
        """Return the distinct values of a column of the original, and their rows; None if it has no such column."""
        original = self.inputs.original
        if original is None or name not in original.columns:
            return None
        try:
            column = self.original[name]
            values, rows = column.values, np.bincount(column.codes, minlength=len(column.values))
        except UncheckedError:
            tally = original.tally([name], self.inputs.spare_workspace)
            column = tally.columns[name]
            values = column.values
            rows = np.bincount(column.codes, weights=tally.counts, minlength=len(values)).astype(np.int64)
        cells = np.flatnonzero(find_cells(values, self.marker))
        return [values[code] for code in cells.tolist()], rows[cells]


def are_same_rows(one: RowCodes, other: RowCodes, names: Sequence[str]) -> bool:
    """Return True if two tables have the same rows over some columns, in any order."""
    if one.rows != other.rows or any(name not in other for name in names):
        return False
    columns, sizes = list[tuple[IntArray, IntArray]](), list[int]()
    for name in names:
        lexicon: dict[Value, int] = {}
        left, right = (recode(lexicon, table[name].values)[table[name].codes] for table in (one, other))
        before, after = (np.bincount(codes, minlength=len(lexicon)) for codes in (left, right))
        if not np.array_equal(before, after):
            return False
        columns.append((left, right))
        sizes.append(len(lexicon))
    both = [Coded(np.concatenate(pair), range(size)) for pair, size in zip(columns, sizes, strict=True)]  # type: ignore[arg-type]
    ids, many = group_columns(both, 2 * one.rows)
    left, right = np.split(ids, 2)
    return np.array_equal(np.bincount(left, minlength=many), np.bincount(right, minlength=many))
