"""The release as it would be if some people were suppressed, with all their rows: what is known of them is known whole.

Combinations are shared by people of different classes. So each is split in two: the rows of those who stay, and the
rows of those who are suppressed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from PETWorks.counting.persons import Persons
from PETWorks.counting.tally import Coded, Key, Mask, Tally, Value, sums
from PETWorks.facts.memo import kept
from PETWorks.facts.of_people import classes_of_people

if TYPE_CHECKING:
    from PETWorks.facts.facts import Facts

Split = tuple[Tally, Persons]


@dataclass(frozen=True, eq=False)
class WithoutPeople:
    """The tallies of a release in which the people of some classes are suppressed."""

    facts: Facts  # as they are; all records of a person are known
    chosen: Mask  # the classes

    @kept
    def _released(self) -> Split:
        assert self.facts.all_persons is not None  # noqa: S101
        return self._split(self.facts.released, self.facts.all_persons)

    @kept
    def _paired(self) -> Split:
        assert self.facts.paired_persons is not None  # noqa: S101
        return self._split(self.facts.paired, self.facts.paired_persons)

    @property
    def released(self) -> Tally:
        """The release, changed."""
        return self._released[0]

    @property
    def persons(self) -> Persons:
        """Whose rows they are."""
        return self._released[1]

    @property
    def paired(self) -> Tally:
        """The pairs of original and release, with the release changed."""
        return self._paired[0]

    @property
    def named_persons(self) -> tuple[str | None, Sequence[Value]]:
        """The column of the release that says whose rows they are, and the cell of each person; None: it has none."""
        return self.facts.named_persons

    @property
    def paired_persons(self) -> Persons:
        """Whose rows the pairs are."""
        return self._paired[1]

    @property
    def before(self) -> Tally:
        """The original, which stays as it is."""
        return self.facts.before

    def _split(self, tally: Tally, persons: Persons) -> Split:
        """Split combinations by whether their people go; classes have the same numbers in every tally."""
        names = self.facts.roles.quasi_identifiers
        shown = ~self.facts.suppressed(tally)
        here = persons.where(shown)
        classes = classes_of_people(tally.where(shown), here, names, "all")
        goes = np.zeros(persons.people, dtype=bool)
        goes[here.of_person] = self.chosen[classes.of_pairs(here)]
        entries = persons.of_entry.astype(np.int64) * 2 + goes[persons.of_person]
        left, place = np.unique(entries, return_inverse=True)
        counts = sums(place, persons.rows, len(left))
        columns: dict[Key, Coded] = {key: column.take(left // 2) for key, column in tally.columns.items()}
        for name in names:
            columns[name] = _marked(columns[name], left % 2 == 1, self.facts.marker)
        return Tally(columns, counts), Persons.regrouped(place, persons.of_person, persons.rows, persons.people)


def _marked(column: Coded, entries: Mask, marker: str) -> Coded:
    """Put the marker into some cells; values stay sorted, missing last."""
    values = sorted({*column.values, marker}, key=lambda value: (value is None, value or ""))
    place = {value: code for code, value in enumerate(values)}
    codes = np.array([place[value] for value in column.values], dtype=np.int64)[column.codes]
    return Coded(np.where(entries, place[marker], codes), values).trimmed()
