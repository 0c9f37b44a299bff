"""Minimal sample uniques (SUDA2): the small sets of columns that single a row out.

A row is unique on a set of columns if no other row agrees with it there. The set is minimal if the row is unique on no
smaller part of it. Sets are visited by size, each reached from its prefix by one more column. Rows that are unique on a
set are unique on every larger one, so they leave; so do groups without a row that could still be singled out. What is
left shrinks quickly.

>>> sex, year = np.array([0, 1, 1, 1]), np.array([0, 0, 1, 2])
>>> found = minimal_uniques([sex, year], np.array([1, 1, 1, 2]), largest=2)
>>> found.by_size, found.of_entry.tolist()  # the first by sex, the third by year, the second by both; the last never
([2, 1], [[1, 0, 1, 0], [0, 1, 0, 0]])
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from math import comb, prod

import numpy as np

from PETWorks.counting.tally import IntArray, Mask, Value, ranked
from PETWorks.errors import NotAskableError
from PETWorks.facts.facts import Facts

Columns = tuple[int, ...]

LARGEST = 6  # the most columns of a set, unless the caller says
MANY = 10  # with more quasi-identifiers than these, sets of up to `LARGEST_OF_MANY` columns
LARGEST_OF_MANY = 3
AFFORDABLE = 10**9  # limit of the effort, unless the caller says a size: sets * (classes + EACH)
NOBODY = -1  # the holder of an entry that several people have
EACH = 2000  # fixed effort for a set, in classes that could be told apart in the same time


@dataclass(frozen=True, eq=False)
class MinimalUniques:
    """How many minimal sample uniques there are, by their number of columns (the first index; 0 is one column)."""

    of_entry: IntArray  # [size, entry]
    of_column: IntArray  # [size, column]: those that contain the column
    holders: IntArray | None = None  # by entry, the only person who has it, where people have several rows

    @property
    def largest(self) -> int:
        """The most columns of a set that was looked at."""
        return len(self.of_column)

    @property
    def columns(self) -> int:
        """How many columns there are."""
        return int(self.of_column.shape[1])

    @property
    def by_size(self) -> list[int]:
        """All of them, by size."""
        return [int(one) for one in self.of_entry.sum(axis=1)]

    @cached_property
    def scores(self) -> Mapping[int, int]:
        """How many rows have each score, which is a sum over minimal sample uniques; rows without any are left out."""
        return Counter(score for score in self._weighted(self.of_entry) if score)

    @cached_property
    def by_person(self) -> Mapping[int, int]:
        """How many people have each score, by the highest of theirs; every row is one person unless it has a holder."""
        if self.holders is None:
            return self.scores
        highest: dict[int, int] = {}
        for person, score in zip(self.holders.tolist(), self._weighted(self.of_entry), strict=True):
            if score > highest.get(person, 0):
                highest[person] = score
        return Counter(highest.values())

    @property
    def special(self) -> int:
        """How many rows, or people, have a score."""
        return sum(self.by_person.values())

    def shares(self) -> list[Fraction]:
        """Return for each column how much of all scores comes from sets that contain it."""
        total = sum(score * rows for score, rows in self.scores.items())
        return [Fraction(score, total or 1) for score in self._weighted(self.of_column)]

    def _weighted(self, numbers: IntArray) -> list[int]:
        """Add up numbers by size, each times its weight, as Python integers: factorials may not fit in 64 bits."""
        weights = np.array(size_weights(self.columns, self.largest), dtype=object)
        return [int(one) for one in weights @ numbers.astype(object)]


def size_weights(columns: int, largest: int) -> list[int]:
    """Return what a minimal sample unique of 1, 2, … columns counts: the fewer columns it takes, the more.

    >>> size_weights(columns=4, largest=3), size_weights(columns=3, largest=3)
    ([6, 2, 1], [2, 1, 1])
    """
    most = min(largest, columns - 1)
    return [prod(columns - further for further in range(size, most + 1)) for size in range(1, largest + 1)]


@dataclass(frozen=True, eq=False)
class _Group:
    """The entries that are not unique on a set of columns, grouped by their values there."""

    entries: IntArray
    ids: IntArray


def minimal_uniques(
    codes: Sequence[IntArray],
    sizes: IntArray,
    largest: int,
    unknown: Sequence[Mask] | None = None,
    holders: IntArray | None = None,
) -> MinimalUniques:
    """Find the minimal sample uniques of up to `largest` columns.

    Entries are distinct combinations of `codes`, `sizes` the rows of each. `unknown` are the cells of each column that
    nobody can know: they are part of no set, and differ from every value. If people have several rows, `sizes` are
    people, and `holders` say who is alone in an entry: what one person has in several entries is still unique.
    """
    alone_in = np.arange(len(sizes)) if holders is None else holders
    alone_in = np.where(sizes == 1, alone_in, NOBODY)
    columns = len(codes)
    spaces = [int(column.max(initial=0)) + 1 for column in codes]
    of_entry = np.zeros((largest, len(sizes)), dtype=np.int64)
    of_column = np.zeros((largest, columns), dtype=np.int64)
    groups: dict[Columns, _Group] = {(): _Group(np.arange(len(sizes)), np.zeros(len(sizes), dtype=np.int64))}
    unique: dict[Columns, Mask] = {(): np.zeros(len(sizes), dtype=bool)}
    for size in range(largest):
        finer, finer_unique = dict[Columns, _Group](), dict[Columns, Mask]()
        for subset in combinations(range(columns), size + 1):
            *rest, column = subset
            prefix, hidden = tuple(rest), unknown[column] if unknown else None
            finer[subset], alone = _split(groups[prefix], codes[column], spaces[column], alone_in, hidden)
            finer_unique[subset] = _with(unique[prefix], alone)
            minimal = alone
            for place in range(size):
                minimal = minimal[~unique[subset[:place] + subset[place + 1 :]][minimal]]
            of_entry[size, minimal] += 1
            of_column[size, list(subset)] += len(minimal)
        groups, unique = finer, finer_unique
    return MinimalUniques(of_entry, of_column, holders)


def _split(
    group: _Group, codes: IntArray, space: int, alone_in: IntArray, unknown: Mask | None
) -> tuple[_Group, IntArray]:
    """Split groups by one more column: return what is still to be told apart, and the entries that are now unique."""
    entries, ids = group.entries, group.ids
    if unknown is not None:
        known = ~unknown[entries]
        entries, ids = entries[known], ids[known]
    if not len(entries):
        return _Group(entries, ids), entries
    keys = ids * space + codes[entries]
    first, ids = ranked(keys, (int(group.ids.max()) + 1) * space)
    person = alone_in[entries]
    differs = (person != person[first][ids]) | (person == NOBODY)
    shared = np.zeros(len(first), dtype=bool)
    shared[ids[differs]] = True
    alone = ~shared[ids]
    hopeful = np.zeros(len(first), dtype=bool)  # groups with somebody whom a further column may single out
    hopeful[ids[person != NOBODY]] = True
    left = ~alone & hopeful[ids]
    return _Group(entries[left], ids[left]), entries[alone]


def _with(mask: Mask, entries: IntArray) -> Mask:
    """Return a mask with further entries."""
    if not len(entries):
        return mask
    wider = mask.copy()
    wider[entries] = True
    return wider


def uniques_of(facts: Facts, largest: int | None, *, missing_is_known: bool) -> MinimalUniques:
    """Find the minimal sample uniques of up to `largest` columns, once for these facts.

    Nobody can know a cell that is suppressed, nor, unless `missing_is_known`, one that is missing.
    """
    return facts.once(("uniques", largest, missing_is_known), lambda: _found(facts, largest, missing_is_known))


def _found(facts: Facts, largest: int | None, missing_is_known: bool) -> MinimalUniques:  # noqa: FBT001
    if facts.persons is not None and facts.known == "all":
        hint = 'pass known="one": what makes one record stand out'
        raise NotAskableError("special uniques are about one record of a person", hint=hint)
    table, classes = facts.combinations, facts.known_classes
    columns = [table.columns[name] for name in facts.roles.quasi_identifiers]
    most = _affordable(len(columns), len(table.counts)) if largest is None else min(largest, len(columns))
    hidden: list[Value] = [facts.marker, *([] if missing_is_known else [None])]
    unknown = [np.isin(column.codes, [column.code(value) for value in hidden]) for column in columns]
    holders = None
    if classes.members is not None:
        holders = np.full(len(classes.sizes), NOBODY)
        holders[classes.members.of_entry] = classes.members.of_person
    return minimal_uniques([column.codes for column in columns], classes.sizes, most, unknown, holders)


def _affordable(columns: int, classes: int) -> int:
    """Return the most columns of a set: six, three if there are many columns, or fewer if that takes too long."""
    sizes = range(1, min(LARGEST_OF_MANY if columns > MANY else LARGEST, columns) + 1)
    return max((size for size in sizes if comb(columns, size) * (classes + EACH) <= AFFORDABLE), default=1)
