"""Assign each row of a release to a person, and count the people in groups of rows.

>>> two_each = PeopleOfRows(np.array([0, 0, 1, 1]), 2)
>>> two_each.count_by_group(np.array([0, 1, 1, 1]), 2).tolist()
[1, 2]
>>> found = two_each.find_fewer(np.array([0, 1, 1, 1]), 2, most=1)
>>> found.people, found.rows.tolist()
(1, [True, False, False, False])
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from PETWorks.tables.counting.tally import Coded, IntArray, Mask, Value, find_distinct
from PETWorks.tables.row_codes import number_rows


class FewPeople(NamedTuple):
    """The people in small groups: how many, and the rows by which they are found."""

    people: int
    rows: Mask


@dataclass(frozen=True, eq=False)
class PeopleOfRows:
    """The number of the person of each row; without a person column each row is a person."""

    of_row: IntArray | None
    people: int

    @classmethod
    def of_column(
        cls, column: Coded | None, rows: int, unnamed: Sequence[Value] = (), *, together: bool = False
    ) -> PeopleOfRows:
        """Assign rows to the persons of a column; rows without one are one person if `together`, else one each."""
        if column is None:
            return cls(None, rows)
        codes = column.codes.astype(np.int64)
        lacking = np.isin(codes, [code for code, value in enumerate(column.values) if value in unnamed])
        codes[lacking] = len(column.values) + (0 if together else np.arange(int(lacking.sum())))
        numbers, of_row = np.unique(codes, return_inverse=True)
        return cls(None, rows) if len(numbers) == rows else cls(of_row, len(numbers))

    def count_by_group(self, ids: IntArray, groups: int) -> IntArray:
        """Return the number of people in each group of rows."""
        return np.bincount(ids if self.of_row is None else self._pair(ids) // self.people, minlength=groups)

    def find_fewer(self, ids: IntArray, groups: int, most: int) -> FewPeople:
        """Return the people in groups of at most a number of people."""
        rows = (self.count_by_group(ids, groups) <= most)[ids]
        return FewPeople(self.count(rows), rows)

    def count_fit(self, ids: IntArray, groups: int, most: int) -> int:
        """Return how many people are in groups of at most a number of people."""
        return self.find_fewer(ids, groups, most).people

    def count(self, rows: Mask) -> int:
        """Return how many people have at least one of these rows."""
        return int(np.count_nonzero(rows)) if self.of_row is None else len(np.unique(self.of_row[rows]))

    def _pair(self, ids: IntArray) -> IntArray:
        """Return the distinct pairs of group and person, as two arrays."""
        assert self.of_row is not None  # noqa: S101
        return find_distinct(ids.astype(np.int64) * self.people + self.of_row)

    def find_histories(self, ids: IntArray) -> IntArray:
        """Return a number for the history of each row's person: the groups of all rows of the person."""
        if self.of_row is None:
            return ids
        order = np.lexsort((ids, self.of_row))
        ends = np.flatnonzero(np.append(np.diff(self.of_row[order]) != 0, True)) + 1
        seen, start, numbers = dict[bytes, int](), 0, np.empty(self.people, dtype=np.int64)
        sorted_ids = ids[order].astype(np.int64)
        for person, end in enumerate(ends.tolist()):
            numbers[person] = seen.setdefault(sorted_ids[start:end].tobytes(), len(seen))
            start = end
        return numbers[self.of_row]


def group_columns(columns: Sequence[Coded], rows: int) -> tuple[IntArray, int]:
    """Return the number of each row's combination of values, and how many combinations there are."""
    return number_rows(columns, rows)


@dataclass(frozen=True, eq=False)
class ColumnCounts:
    """The distinct values of a column, with the number of rows and of people of each."""

    values: Sequence[Value]
    rows: IntArray
    people: IntArray
    lone_people: int  # people with a cell that nobody else has

    @classmethod
    def of_rows(cls, column: Coded, people: PeopleOfRows, cells: Mask) -> ColumnCounts:
        """Count the rows and people of each value; `cells` is True for values that are not missing or the marker."""
        size = len(column.values)
        if people.of_row is None:
            rows = np.bincount(column.codes, minlength=size)
            return cls(column.values, rows, rows, int(((rows == 1) & cells).sum()))
        by_value = people.count_by_group(column.codes, size)
        lone = people.count(((by_value == 1) & cells)[column.codes])
        return cls(column.values, np.bincount(column.codes, minlength=size), by_value, lone)


def are_many(some: int, everybody: int) -> bool:
    """Return True for at least five that are also more than one in twenty.

    >>> are_many(5, 99), are_many(5, 100), are_many(4, 4)
    (True, False, False)
    """
    return some >= 5 and 20 * some > everybody  # noqa: PLR2004
