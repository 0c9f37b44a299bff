"""Whose rows the combinations of a tally are, where people have several rows.

The persons stand in a column of their own, which is counted together with the others and then split off: a tally of the
other columns is left, as if nobody had asked for people, and beside it the pairs of combination and person. A person is
a number; nothing above the sources needs to know who that is.

>>> from PETWorks.counting.builder import Coded, TallyBuilder
>>> rows = TallyBuilder(["zip", "patient"])
>>> rows.add([Coded.of(["100", "100", "200", "200"]), Coded.of(["A", "A", "A", "B"])])
>>> tally, persons, *_ = split_off(rows.done(), "patient")
>>> tally.counts.tolist(), list(zip(persons.of_entry.tolist(), persons.of_person.tolist(), persons.rows.tolist()))
([2, 2], [(0, 0, 2), (1, 0, 1), (1, 1, 1)])
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from PETWorks.counting.sorted_keys import combine
from PETWorks.counting.tally import Before, IntArray, Key, Mask, Tally, Value, narrow, sums


@dataclass(frozen=True, eq=False)
class Persons:
    """The pairs of combination and person that occur, sorted, each with how many rows it has."""

    of_entry: IntArray  # the combination of each pair, as an index into a tally
    of_person: IntArray  # its person, as a number
    rows: IntArray
    people: int  # persons have the numbers below this one

    def of(self, entries: IntArray) -> Persons:
        """Replace each combination by another, of which `entries` has the index, and regroup."""
        keys = entries[self.of_entry].astype(np.int64) * self.people + self.of_person
        return Persons.of_keys(keys, self.rows, self.people)

    @classmethod
    def of_keys(cls, keys: IntArray, rows: IntArray, people: int) -> Persons:
        """Build them from keys (combination · people + person), of which several may be equal."""
        first, added = combine(keys, rows)
        entries, persons = np.divmod(keys[first], max(people, 1))
        return cls(entries, persons, added, people)

    def where(self, kept: Mask) -> Persons:
        """Return only the pairs of some combinations; `kept` chooses them, and the others get no number."""
        chosen = kept[self.of_entry]
        place = np.cumsum(kept) - 1
        return Persons(place[self.of_entry[chosen]], self.of_person[chosen], self.rows[chosen], self.people)

    def renamed(self, numbers: IntArray, people: int) -> Persons:
        """Give persons other numbers; several may get the same one."""
        keys = self.of_entry.astype(np.int64) * people + numbers[self.of_person]
        return Persons.of_keys(keys, self.rows, people)

    def least_by_person(self, numbers: NDArray[Any]) -> NDArray[Any]:
        """Return, for each person who has a row, the least of the numbers that their combinations have."""
        order = np.argsort(self.of_person, kind="stable")
        persons = self.of_person[order]
        starts = np.flatnonzero(np.append(True, persons[1:] != persons[:-1])[: len(persons)])
        return np.minimum.reduceat(numbers[self.of_entry[order]], starts) if len(starts) else numbers[:0]

    @property
    def occurring(self) -> int:
        """How many persons have a row."""
        return int(np.count_nonzero(np.bincount(self.of_person, minlength=self.people)))

    @property
    def several(self) -> bool:
        """True if somebody has several rows."""
        rows = sums(self.of_person, self.rows, self.people) if self.people else self.rows
        return bool((rows > 1).any())


class Held(NamedTuple):
    """A tally, and whose rows its combinations are; `names` are the cells of the persons."""

    tally: Tally
    persons: Persons
    names: Sequence[Value]
    from_original: bool = False  # True: the original says whose rows they are, not the release

    def of(self, keys: Sequence[Key]) -> Held:
        """Drop the other columns and regroup."""
        if list(self.tally.columns) == list(keys):
            return self
        ids, smaller = self.tally.grouped(keys)
        return self._replace(tally=smaller, persons=self.persons.of(ids))


def split_off(tally: Tally, person: Key) -> Held:
    """Split the column of persons off a tally. That is fast if it is the last: then combinations stand together."""
    names, column = [name for name in tally.columns if name != person], tally.columns[person]
    of_original = isinstance(person, Before)
    if [*tally.columns][-1] != person:
        ids, smaller = tally.grouped(names)
        keys = ids.astype(np.int64) * len(column.values) + column.codes
        return Held(smaller, Persons.of_keys(keys, tally.counts, len(column.values)), column.values, of_original)
    differs = np.zeros(len(tally.counts), dtype=bool)
    differs[:1] = True
    for name in names:
        codes = tally.columns[name].codes
        differs[1:] |= codes[1:] != codes[:-1]
    starts = np.flatnonzero(differs)
    columns = {name: tally.columns[name].take(starts) for name in names}
    of_entry = narrow(np.cumsum(differs) - 1, max(len(starts), 1))
    persons = Persons(of_entry, column.codes, tally.counts, len(column.values))
    return Held(Tally(columns, np.add.reduceat(tally.counts, starts)), persons, column.values, of_original)


def entries_of(tally: Tally, person: Key) -> int:
    """Count the combinations that a tally has without the column of persons, which is its last one."""
    differs = np.zeros(max(len(tally.counts) - 1, 0), dtype=bool)
    for name, column in tally.columns.items():
        if name != person:
            differs |= column.codes[1:] != column.codes[:-1]
    return int(differs.sum()) + bool(len(tally.counts))
