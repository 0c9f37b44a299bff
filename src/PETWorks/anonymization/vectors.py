"""The classes of level vectors, counted fast: a search spends most of its time here.

The columns are split into two halves, recursively. Vectors that agree on a half share its groups, which are cached; the
classes of a vector then take one multiplication, one addition and one count. All else is computed on first use.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from PETWorks.anonymization.release_facts import CombinationLabels
from PETWorks.tables.counting.tally import INT32, Coded, IntArray, Mask

if TYPE_CHECKING:
    from PETWorks.anonymization.table import RawTable

Levels = tuple[int, ...]
DENSE_FACTOR = 24  # most possible classes per combination that are counted without sorting
SCAN_FACTOR = 4  # most possible classes per combination for which a scan is faster than sorting
MAX_CACHED_BYTES = 2**28  # of groups


class ColumnLabels(NamedTuple):
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
        self._labels: dict[tuple[int, int], ColumnLabels] = {}

    def generalise(self, levels: Levels) -> CombinationLabels:
        """Return the labels and classes of every combination at a vector."""
        lift = VectorLabels(self, levels, *self._combine_keys(0, levels))
        return lift.suppress(lift.all_marked) if self._may_be_marked(levels) else lift

    def _may_be_marked(self, levels: Levels) -> bool:
        """Return True if a class could have the marker in every column."""
        return all(self._label(place, level).marked for place, level in enumerate(levels))

    def _combine_keys(self, start: int, levels: Levels) -> tuple[IntArray, int]:
        """Return a key of each combination's labels in adjacent columns, and a number above all keys."""
        middle = len(levels) // 2
        left, many = self._group(start, levels[:middle])
        right, most = self._group(start + middle, levels[middle:])
        if many * most >= INT32:
            left = left.astype(np.int64)
        return left * left.dtype.type(most) + right, many * most

    def _group(self, start: int, levels: Levels) -> tuple[IntArray, int]:
        """Return the group of each combination by adjacent columns, and the number of groups."""
        if not levels:
            return np.zeros(len(self.table.counts), dtype=np.int32), 1
        if (start, levels) not in self._groups:
            if len(self._groups) * len(self.table.counts) * 4 > MAX_CACHED_BYTES:
                self._groups.clear()
            if len(levels) == 1:
                label = self._label(start, *levels)
                self._groups[start, levels] = label.ranks[self.table.codes[start]], label.many
            else:
                self._groups[start, levels] = _rank_keys(*self._combine_keys(start, levels))
        return self._groups[start, levels]

    def _label(self, place: int, level: int) -> ColumnLabels:
        if (place, level) not in self._labels:
            ladder = self.table.ladders[place]
            labels, ranks = np.unique(ladder.up[level], return_inverse=True)
            self._labels[place, level] = ColumnLabels(
                ranks.astype(np.int32), len(labels), bool(ladder.marked[labels].any())
            )
        return self._labels[place, level]


def _rank_keys(keys: IntArray, space: int) -> tuple[IntArray, int]:
    """Return the rank of each key among the distinct keys, and the number of these. Keys are below `space`."""
    if space > DENSE_FACTOR * len(keys):
        occurring, ids = np.unique(keys, return_inverse=True)
        return ids.astype(np.int32), len(occurring)
    occurs = np.zeros(space, dtype=bool)
    occurs[keys] = True
    ranks = np.cumsum(occurs, dtype=np.int32)
    return ranks[keys] - np.int32(1), int(ranks[-1])


def _sort_distinct(keys: IntArray) -> IntArray:
    """Return the distinct keys, sorted. `np.unique` hashes them, which takes far longer than sorting integers."""
    ordered = np.sort(keys)
    distinct: IntArray = ordered[np.diff(ordered, prepend=-1) > 0]
    return distinct


class VectorLabels(CombinationLabels):
    """The labels and classes of every combination at a level vector, without suppression."""

    def __init__(self, vectors: Vectors, levels: Levels, keys: IntArray, space: int) -> None:
        self.table, self._vectors, self._keys, self._space = vectors.table, vectors, keys, space
        self.levels = self._vector = levels

    @cached_property
    def _class_counts(self) -> tuple[IntArray, IntArray]:
        """The sorted keys of the classes, and their sizes."""
        if self._space > DENSE_FACTOR * len(self._keys):
            occurring, ids = np.unique(self._keys, return_inverse=True)
            self.of_combination = ids
            return occurring, np.bincount(ids, weights=self._vectors.weights).astype(np.int64)
        found = np.bincount(self._keys, weights=self._vectors.weights)
        occurring = (
            np.flatnonzero(found > 0) if self._space <= SCAN_FACTOR * len(self._keys) else _sort_distinct(self._keys)
        )
        return occurring, found[occurring].astype(np.int64)

    @property
    def sizes(self) -> IntArray:
        """By class, the number of rows."""
        return self._class_counts[1]

    @cached_property
    def of_combination(self) -> IntArray:  # type: ignore[override]  # computed on first use
        """The class of each combination."""
        place = np.empty(self._space, dtype=np.int32)
        place[self._class_counts[0]] = np.arange(len(self.sizes), dtype=np.int32)
        ids: IntArray = place[self._keys]
        return ids

    @cached_property
    def suppressed(self) -> Mask:
        """A mask of the suppressed combinations: none."""
        return np.zeros(len(self._keys), dtype=bool)

    @cached_property
    def first(self) -> IntArray:  # type: ignore[override]  # computed on first use
        """A combination of each class."""
        first = np.empty(len(self.sizes), dtype=np.int64)
        first[self.of_combination] = np.arange(len(self._keys))
        return first

    @cached_property
    def labels(self) -> Mapping[str, Coded]:  # type: ignore[override]  # computed on first use
        """By quasi-identifier, the label of each combination."""
        codes = self.table.look_up_labels(self._vector)
        return {ladder.name: Coded(one, ladder.labels) for ladder, one in zip(self.table.ladders, codes, strict=True)}

    @property
    def all_marked(self) -> Mask:
        """A mask of the combinations whose labels are all the marker."""
        marked = [ladder.marked[self.labels[ladder.name].codes] for ladder in self.table.ladders]
        whole: Mask = np.logical_and.reduce(marked)
        return whole
