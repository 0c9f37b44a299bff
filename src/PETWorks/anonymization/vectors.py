"""The classes of level vectors, fast: most of a search is spent on counting them.

The columns are split into two halves, and these again. The groups by one half are the same for all vectors that agree
on it, so they are kept; a vector is then one multiplication, one addition and one count. Everything else is worked out
if needed.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from PETWorks.anonymization.lifted import Lift
from PETWorks.tables.counting.tally import INT32, Coded, IntArray, Mask

if TYPE_CHECKING:
    from PETWorks.anonymization.table import RawTable

Levels = tuple[int, ...]
DENSE = 24  # classes are counted without sorting if there are at most so many possible ones for each combination
CROWDED = 4  # to find those that occur, looking at all possible ones is faster than sorting up to here
KEPT = 2**28  # bytes of groups that are kept


class Labels(NamedTuple):
    """The labels of a column on a level."""

    ranks: IntArray  # by value, the rank of its label
    many: int
    marked: bool  # True: one is the marker


class Vectors:
    """All level vectors of a table."""

    def __init__(self, table: RawTable) -> None:
        self.table = table
        self.weights = table.counts.astype(float)  # exact: there are fewer than 2**53 rows
        self._groups: dict[tuple[int, Levels], tuple[IntArray, int]] = {}
        self._labels: dict[tuple[int, int], Labels] = {}

    def lift(self, levels: Levels) -> Lift:
        """Return what becomes of every combination at a vector."""
        lift = VectorLift(self, levels, *self._keys(0, levels))
        return lift.without(lift.all_marked) if self._may_be_marked(levels) else lift

    def _may_be_marked(self, levels: Levels) -> bool:
        """Return True if there could be a class whose labels are all the marker."""
        return all(self._label(place, level).marked for place, level in enumerate(levels))

    def _keys(self, start: int, levels: Levels) -> tuple[IntArray, int]:
        """Return a key of each combination's labels in some neighbouring columns, and a number that is larger."""
        middle = len(levels) // 2
        left, many = self._group(start, levels[:middle])
        right, most = self._group(start + middle, levels[middle:])
        if many * most >= INT32:
            left = left.astype(np.int64)
        return left * left.dtype.type(most) + right, many * most

    def _group(self, start: int, levels: Levels) -> tuple[IntArray, int]:
        """Return the group of each combination by some neighbouring columns, and how many groups there are."""
        if not levels:
            return np.zeros(len(self.table.counts), dtype=np.int32), 1
        if (start, levels) not in self._groups:
            if len(self._groups) * len(self.table.counts) * 4 > KEPT:
                self._groups.clear()
            if len(levels) == 1:
                label = self._label(start, *levels)
                self._groups[start, levels] = label.ranks[self.table.codes[start]], label.many
            else:
                self._groups[start, levels] = _ranks(*self._keys(start, levels))
        return self._groups[start, levels]

    def _label(self, place: int, level: int) -> Labels:
        if (place, level) not in self._labels:
            ladder = self.table.ladders[place]
            labels, ranks = np.unique(ladder.up[level], return_inverse=True)
            self._labels[place, level] = Labels(ranks.astype(np.int32), len(labels), bool(ladder.marked[labels].any()))
        return self._labels[place, level]


def _ranks(keys: IntArray, space: int) -> tuple[IntArray, int]:
    """Return the rank of each key among those that occur, and how many do. Keys are smaller than `space`."""
    if space > DENSE * len(keys):
        occurring, ids = np.unique(keys, return_inverse=True)
        return ids.astype(np.int32), len(occurring)
    occurs = np.zeros(space, dtype=bool)
    occurs[keys] = True
    ranks = np.cumsum(occurs, dtype=np.int32)
    return ranks[keys] - np.int32(1), int(ranks[-1])


def _distinct(keys: IntArray) -> IntArray:
    """Return the keys that occur, sorted. `np.unique` hashes them, which takes far longer than to sort integers."""
    ordered = np.sort(keys)
    distinct: IntArray = ordered[np.diff(ordered, prepend=-1) > 0]
    return distinct


class VectorLift(Lift):
    """What becomes of every combination at a level vector; nothing is suppressed."""

    def __init__(self, vectors: Vectors, levels: Levels, keys: IntArray, space: int) -> None:
        self.table, self._vectors, self._levels, self._keys, self._space = vectors.table, vectors, levels, keys, space

    @cached_property
    def _counted(self) -> tuple[IntArray, IntArray]:
        """The keys of classes that occur, in order, and their sizes."""
        if self._space > DENSE * len(self._keys):
            occurring, ids = np.unique(self._keys, return_inverse=True)
            self.of_combination = ids
            return occurring, np.bincount(ids, weights=self._vectors.weights).astype(np.int64)
        found = np.bincount(self._keys, weights=self._vectors.weights)
        occurring = np.flatnonzero(found > 0) if self._space <= CROWDED * len(self._keys) else _distinct(self._keys)
        return occurring, found[occurring].astype(np.int64)

    @property
    def sizes(self) -> IntArray:
        """How many rows each class has."""
        return self._counted[1]

    @cached_property
    def of_combination(self) -> IntArray:  # type: ignore[override]  # worked out if needed
        """The class of each combination."""
        place = np.empty(self._space, dtype=np.int32)
        place[self._counted[0]] = np.arange(len(self.sizes), dtype=np.int32)
        ids: IntArray = place[self._keys]
        return ids

    @cached_property
    def suppressed(self) -> Mask:
        """Nothing is suppressed."""
        return np.zeros(len(self._keys), dtype=bool)

    @cached_property
    def first(self) -> IntArray:  # type: ignore[override]  # worked out if needed
        """A combination of each class."""
        first = np.empty(len(self.sizes), dtype=np.int64)
        first[self.of_combination] = np.arange(len(self._keys))
        return first

    @cached_property
    def labels(self) -> Mapping[str, Coded]:  # type: ignore[override]  # worked out if needed
        """By quasi-identifier, the label of each combination."""
        codes = self.table.labels(self._levels)
        return {ladder.name: Coded(one, ladder.labels) for ladder, one in zip(self.table.ladders, codes, strict=True)}

    @property
    def all_marked(self) -> Mask:
        """A mask of the combinations whose labels are all the marker."""
        marked = [ladder.marked[self.labels[ladder.name].codes] for ladder in self.table.ladders]
        whole: Mask = np.logical_and.reduce(marked)
        return whole
