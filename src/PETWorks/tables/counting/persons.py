"""Which person each row belongs to, where people have several rows.

A column names the person. It is counted together with the others and then split off. That leaves the tally of the other
columns, and the pairs of combination and person. A person is a number; nothing above this room needs the name.

>>> from PETWorks.tables.counting.count import Coded, PairBuilder
>>> rows = PairBuilder(["zip", "patient"])
>>> rows.add([Coded.of(["100", "100", "200", "200"]), Coded.of(["A", "A", "A", "B"])])
>>> tally, persons, *_ = split_persons(rows.build(), "patient")
>>> tally.counts.tolist(), list(zip(persons.of_entry.tolist(), persons.of_person.tolist(), persons.rows.tolist()))
([2, 2], [(0, 0, 2), (1, 0, 1), (1, 1, 1)])

The history of a person is all their rows together, as a multiset of combinations. People with the same history are
indistinguishable.

>>> persons = PersonPairs(np.array([0, 0, 0, 1, 1]), np.array([0, 1, 2, 0, 2]), np.array([2, 2, 1, 1, 1]), people=3)
>>> find_histories(persons).of_person.tolist()  # the first has 0, 0 and 1, the second 0 and 0, the third 0 and 1
[2, 0, 1]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from PETWorks.tables.counting.tally import Before, Coded, IntArray, Key, Mask, Tally, Value, narrow, pack, sum_by_key
from PETWorks.tables.counting.texts import Texts


@dataclass(frozen=True, eq=False)
class PersonPairs:
    """The pairs of combination and person that occur, sorted, each with its number of rows."""

    of_entry: IntArray  # the combination of each pair, as an index into a tally
    of_person: IntArray  # its person, as a number
    rows: IntArray
    people: int  # persons have the numbers below this one

    @classmethod
    def of_rows(cls, counts: IntArray) -> PersonPairs:
        """Build the pairs of a tally in which each row is a person."""
        of_entry = np.repeat(np.arange(len(counts)), counts)
        return cls(of_entry, np.arange(len(of_entry)), np.ones_like(of_entry), len(of_entry))

    def regroup(self, entries: IntArray) -> PersonPairs:
        """Replace each combination by the one whose index `entries` has, and regroup."""
        keys = (entries.astype(np.int64) * self.people)[self.of_entry]  # products would not fit in narrower types
        return PersonPairs._from_keys(keys, self.of_person, self.rows, self.people)

    @classmethod
    def from_pairs(cls, of_entry: IntArray, of_person: IntArray, rows: IntArray, people: int) -> PersonPairs:
        """Build the pairs from unsorted ones, of which several may be equal."""
        return cls._from_keys(of_entry.astype(np.int64) * people, of_person, rows, people)

    @classmethod
    def _from_keys(cls, keys: IntArray, of_person: IntArray, rows: IntArray, people: int) -> PersonPairs:
        keys += of_person
        return cls.of_keys(*sum_by_key(keys, rows, int(keys.max(initial=0)) + 1, overwrite=True), people)

    @classmethod
    def of_keys(cls, keys: IntArray, rows: IntArray, people: int) -> PersonPairs:
        """Build the pairs from distinct sorted keys (combination · people + person), which are overwritten."""
        entries = int(keys.max(initial=0)) // max(people, 1) + 1
        of_entry = np.empty(len(keys), dtype=np.min_scalar_type(entries))
        np.divmod(keys, max(people, 1), out=(of_entry, keys), casting="unsafe")
        return cls(of_entry, narrow(keys, people), rows, people)

    def where(self, kept: Mask) -> PersonPairs:
        """Return the pairs of the chosen combinations (`kept`), with these combinations renumbered."""
        if kept.all():
            return self
        chosen = kept[self.of_entry]
        place = np.cumsum(kept) - 1
        return PersonPairs(place[self.of_entry[chosen]], self.of_person[chosen], self.rows[chosen], self.people)

    def renumber(self, numbers: IntArray, people: int) -> PersonPairs:
        """Return the pairs with other person numbers; several persons may get the same number."""
        return PersonPairs.from_pairs(self.of_entry, numbers[self.of_person], self.rows, people)

    def count_people(self, codes: IntArray, values: int) -> IntArray:
        """Count the people who have each value; `codes` has the value of each combination."""
        return np.bincount(self.regroup(codes).of_entry, minlength=values)

    def find_least_by_person(self, numbers: NDArray[Any]) -> NDArray[Any]:
        """Return, for each person with a row, the smallest of the numbers of their combinations."""
        order = np.argsort(self.of_person, kind="stable")
        persons = self.of_person[order]
        starts = np.flatnonzero(np.append(True, persons[1:] != persons[:-1])[: len(persons)])
        return np.minimum.reduceat(numbers[self.of_entry[order]], starts) if len(starts) else numbers[:0]

    @cached_property
    def occurring(self) -> int:
        """The number of persons who have a row."""
        occurs = np.zeros(self.people, dtype=bool)
        occurs[self.of_person] = True
        return int(np.count_nonzero(occurs))

    @property
    def several(self) -> bool:
        """True if somebody has several rows."""
        return int(self.rows.sum()) > self.occurring


class PersonCounts(NamedTuple):
    """A tally with the persons of its combinations; `names` are the cells of the person column."""

    tally: Tally
    persons: PersonPairs
    names: Sequence[Value]
    from_original: bool = False  # True: the original says whose rows they are, not the release

    def select(self, keys: Sequence[Key]) -> PersonCounts:
        """Drop the other columns and regroup."""
        if list(self.tally.columns) == list(keys):
            return self
        ids, smaller = self.tally.group(keys)
        return self._replace(tally=smaller, persons=self.persons.regroup(ids))


class PersonTally(Tally):
    """A tally with the person as its last column, stored as pairs of combination and person."""

    combinations: Tally  # of the other columns
    persons: PersonPairs
    person: Key
    names: Texts

    def __init__(self, combinations: Tally, persons: PersonPairs, person: Key, names: Texts) -> None:
        vars(self).update(combinations=combinations, persons=persons, person=person, names=names)

    @cached_property
    def columns(self) -> Mapping[Key, Coded]:
        """The columns, with an entry for each pair."""
        others = {key: column.take(self.persons.of_entry) for key, column in self.combinations.columns.items()}
        return {**others, self.person: Coded(self.persons.of_person, self.names)}

    @property
    def counts(self) -> IntArray:
        """The number of rows of each pair of combination and person."""
        return self.persons.rows


def split_persons(tally: Tally, person: Key) -> PersonCounts:
    """Split the person column off a tally."""
    of_original = isinstance(person, Before)
    if isinstance(tally, PersonTally):
        return PersonCounts(tally.combinations, tally.persons, tally.names, of_original)
    column = tally.columns[person]
    ids, smaller = tally.group([name for name in tally.columns if name != person])
    persons = PersonPairs.from_pairs(ids, column.codes, tally.counts, len(column.values))
    return PersonCounts(smaller, persons, column.values, of_original)


NOBODY = -1


@dataclass(frozen=True, eq=False)
class PersonHistories:
    """The history of each person as a number, and the combinations of each history; shorter histories come first.

    Numbers depend on the combinations only, not on how persons are numbered.
    """

    of_person: IntArray  # NOBODY for a person without rows
    starts: IntArray  # by history, where its combinations begin
    lengths: IntArray  # by history, how many different combinations it has
    combinations: IntArray
    rows: IntArray  # beside each of these, how many rows of a person have it

    def __len__(self) -> int:
        """Return the number of different histories."""
        return len(self.starts)

    def list_combinations(self, index: int) -> list[tuple[int, int]]:
        """Return the combinations of a history, each with its number of rows."""
        here = slice(int(self.starts[index]), int(self.starts[index] + self.lengths[index]))
        return list(zip(self.combinations[here].tolist(), self.rows[here].tolist(), strict=True))


def find_histories(persons: PersonPairs) -> PersonHistories:
    """Find the history of each person, from the distinct pairs of combination and person."""
    order = np.argsort(persons.of_person, kind="stable")  # pairs are sorted by combination
    person, combination, rows = (one[order] for one in (persons.of_person, persons.of_entry, persons.rows))
    lengths = np.bincount(person, minlength=persons.people)
    present = np.flatnonzero(lengths)
    lengths = lengths[present]
    starts = np.cumsum(lengths) - lengths
    packed, _ = pack([combination, rows], [int(combination.max(initial=0)) + 1, int(rows.max(initial=0)) + 1])
    tokens, ranks = np.unique(packed, return_inverse=True)
    found = np.zeros(len(present), dtype=np.int64)
    longer = np.arange(len(present))
    for place in range(int(lengths.max(initial=0))):
        longer = longer[lengths[longer] > place]
        keys = found[longer] * len(tokens) + ranks[starts[longer] + place]
        found[longer] = np.unique(keys, return_inverse=True)[1]
    _, first, numbers = np.unique(lengths * (len(present) + 1) + found, return_index=True, return_inverse=True)
    of_person = np.full(persons.people, NOBODY)
    of_person[present] = numbers
    return PersonHistories(of_person, starts[first], lengths[first], combination, rows)
