"""Count rows by combination and person, where people have several rows.

Combinations are counted as if nobody had asked for people. Beside them, each row is kept as two numbers: its
combination and its person. At the end, one sort of these pairs, as 64-bit keys, finds the distinct ones.

>>> builder = PairBuilder(["zip", "patient"])
>>> builder.add([Coded.of(["100", "100", "200", "100"]), Coded.of(["A", "A", "A", "B"])])
>>> for values, rows in builder.done().items():
...     print(values, rows)
('100', 'A') 2
('100', 'B') 1
('200', 'A') 1
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from math import prod
from typing import NamedTuple

import numpy as np

from PETWorks.counting.builder import Counted, TallyBuilder
from PETWorks.counting.lookup import Lookup
from PETWorks.counting.persons import Persons, PersonTally
from PETWorks.counting.sorted_keys import distinct, numbered, occurrences, totals
from PETWorks.counting.tally import KEY_SPACE, Coded, IntArray, Key, narrow, pack, sums
from PETWorks.counting.texts import Numerals, Texts, unified
from PETWorks.counting.whole_numbers import WholeNumbers, as_numbers

SORT_BYTES = 40  # approximate memory that sorting needs for each pair


class Pairs(NamedTuple):
    """Rows of several people: their distinct combinations, and beside them the pairs of combination and person."""

    combinations: list[Coded]
    counts: IntArray  # how many rows have each combination
    of_entry: IntArray  # the combination of each pair
    person: Coded  # the person of each pair
    rows: IntArray | None  # how many rows each pair stands for; None: one

    @property
    def nbytes(self) -> int:
        """How many bytes of memory they take up, without the texts of persons."""
        person = self.person.numbers if isinstance(self.person, WholeNumbers) else self.person.codes
        arrays = [*(column.codes for column in self.combinations), self.counts, self.of_entry, person]
        return sum(array.nbytes for array in arrays) + (0 if self.rows is None else self.rows.nbytes)


class PairBuilder:
    """Counts batches of rows by combination and person, who is named in the last column."""

    def __init__(self, keys: Sequence[Key]) -> None:
        self.keys = tuple(keys)
        self._combinations = TallyBuilder(self.keys[:-1])
        self._parts: list[Pairs] = []

    def add(self, batch: Sequence[Coded], rows: IntArray | None = None) -> None:
        """Count a batch of rows (or of combinations with their number of rows)."""
        self.take(self.condense(batch, rows))

    @staticmethod
    def condense(batch: Sequence[Coded], rows: IntArray | None = None) -> Pairs:
        """Split the persons off a batch of rows (or of combinations with their number of rows)."""
        *columns, person = batch
        sizes = [len(column.values) for column in columns]
        packed, unpack = pack([column.codes for column in columns], sizes)
        found, ids = numbered(packed, prod(sizes))
        counts = np.bincount(ids, minlength=len(found)) if rows is None else sums(ids, rows, len(found))
        unpacked = zip(unpack(found), columns, sizes, strict=True)
        combinations = [Coded(narrow(codes, size), column.values) for codes, column, size in unpacked]
        return Pairs(combinations, counts, narrow(ids, len(found)), as_numbers(person), rows)

    def take(self, part: Pairs) -> None:
        """Add rows whose persons were split off, perhaps in another thread."""
        self._combinations.take(Counted(part.combinations, part.counts))
        self._parts.append(part)

    @property
    def memory(self) -> int:
        """Approximate number of bytes that are needed to hold the pairs, and to sort them."""
        pairs = sum(len(part.of_entry) for part in self._parts)
        named = {id(part.person.values): part.person.values for part in self._parts if _has_texts(part)}
        texts = sum(Texts.of(values).nbytes for values in named.values())
        return self._combinations.memory + sum(part.nbytes for part in self._parts) + SORT_BYTES * pairs + 3 * texts

    def merged(self) -> int:
        """Merge the pairs, of which several batches may have had the same; return the memory as above."""
        whole = self.done()
        tally, persons = whole.combinations, whole.persons
        person = as_numbers(Coded(persons.of_person, whole.names))
        self._parts = [Pairs([*tally.columns.values()], tally.counts, persons.of_entry, person, persons.rows)]
        return self.memory

    def done(self) -> PersonTally:
        """Return the tally of all batches. Persons are in no particular order."""
        if not self._parts:
            self.add([Coded.of([]) for _ in self.keys])
        tally = self._combinations.done()
        lookup, entries = Lookup(tally), len(tally.counts)
        people = self._people(entries)
        ends = np.cumsum([0, *(len(part.of_entry) for part in self._parts)])
        keys = np.empty(ends[-1], dtype=np.int64)
        for place, (part, (start, end)) in enumerate(zip(self._parts, pairwise(ends.tolist()), strict=True)):
            found = lookup.find(part.combinations) * people.space
            np.add(found[part.of_entry], people.codes(place), out=keys[start:end])
        rows = self._rows()
        space = max(entries, 1) * people.space
        different, rows = occurrences(keys) if rows is None else totals(keys, rows, space, overwrite=True)
        pairs = Persons.of_keys(different, rows, people.space)
        occurring, of_person = numbered(pairs.of_person, people.space)
        names = people.names(occurring)
        return PersonTally(tally, replace(pairs, of_person=of_person, people=len(names)), self.keys[-1], names)

    def _rows(self) -> IntArray | None:
        """Return how many rows each pair stands for; None: one."""
        if all(part.rows is None for part in self._parts):
            return None
        return np.concatenate([np.ones_like(part.of_entry) if part.rows is None else part.rows for part in self._parts])

    def _people(self, entries: int) -> _People:
        """Code the persons of all parts. Whole numbers are their own codes if the keys of all pairs fit in 64 bits."""
        persons = [part.person for part in self._parts]
        numbers = [person.numbers for person in persons if isinstance(person, WholeNumbers)]
        if len(numbers) < len(persons):
            return _by_texts(persons)
        least = min((int(some.min()) for some in numbers if len(some)), default=0)
        space = max((int(some.max()) for some in numbers if len(some)), default=0) - least + 1
        if space * entries < KEY_SPACE:
            return _People(space, lambda place: numbers[place] - np.int64(least), lambda codes: Numerals(codes + least))
        known = distinct(np.concatenate(numbers))
        return _People(len(known), lambda place: np.searchsorted(known, numbers[place]), Numerals(known).taken)


class _People(NamedTuple):
    """The persons of all parts, as codes."""

    space: int  # codes are less than this; not all of them need to occur
    codes: Callable[[int], IntArray]  # those of the part at a place
    names: Callable[[IntArray], Texts]  # who has some codes


def _by_texts(persons: Sequence[Coded]) -> _People:
    several, starts, known = list[Texts](), list[int](), 0
    for person in persons:
        texts = Texts.of(person.values)
        if not several or several[-1] is not texts:  # batches may share their texts
            several.append(texts)
            known += len(texts)
        starts.append(known - len(texts))
    names, same = unified(several)
    return _People(len(names), lambda place: same[starts[place] :][persons[place].codes], names.taken)


def _has_texts(part: Pairs) -> bool:
    return not isinstance(part.person, WholeNumbers)
