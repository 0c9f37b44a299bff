"""The cells of a quasi-identifier, the level of each, and the codes of its values at every level.

`LevelCodes` is what a search over levels works on.

>>> years = Hierarchy("year", [("1977", "197*"), ("1983", "198*"), ("1988", "198*")])
>>> codes = LevelCodes.of(years, ["1977", "1988"])
>>> [[codes.labels[code] for code in level] for level in codes.up]
[['1977', '1988'], ['197*', '198*'], ['*', '*']]
>>> codes.leaves.tolist()
[[1, 1], [1, 2], [3, 3]]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from PETWorks.facts.notes import Name, Note
from PETWorks.hierarchies.hierarchy import Hierarchy
from PETWorks.tables.counting.tally import Coded, IntArray, Mask, Value, pack


@dataclass(frozen=True, eq=False)
class Cells:
    """The cells of a column and their levels in its hierarchy.

    There is one entry for each kind of cell: the same released value, original value and row suppression. There are far
    fewer kinds than combinations of the tally.
    """

    name: str
    hierarchy: Hierarchy
    released: Coded
    original: Coded | None  # None: there is no original
    suppressed: Mask  # True if the whole row is suppressed
    counts: IntArray
    marker: str
    of_entry: IntArray  # for each combination of the tally, the kind of its cell
    _by_level: dict[int, Coded] = field(default_factory=dict, repr=False)

    @cached_property
    def marked(self) -> Mask:
        """True for each suppressed cell."""
        marked: Mask = self.released.codes == self.released.code(self.marker)
        return marked

    @cached_property
    def _lowest_levels(self) -> IntArray:
        """The lowest level that has the released value; -1 if no level has it."""
        lowest = self.hierarchy.lowest
        return np.array([lowest.get(value, -1) for value in self.released.values])[self.released.codes]

    @cached_property
    def unknown(self) -> Mask:
        """True for each cell whose released value is in no level of the hierarchy."""
        return (self._lowest_levels < 0) & ~self.marked

    @cached_property
    def ancestors(self) -> IntArray:
        """For each level and original value, the code of its ancestor among the released values; -1 if not released."""
        assert self.original is not None  # noqa: S101
        code_of = {value: code for code, value in enumerate(self.released.values)}
        levels = range(self.hierarchy.height + 1)
        codes = [
            code_of.get(self._find_ancestor(value, level), -1) for level in levels for value in self.original.values
        ]
        return np.array(codes, dtype=np.int64).reshape(len(levels), -1)

    @cached_property
    def _explaining_levels(self) -> IntArray:
        """The lowest level at which the original's ancestor is the released value; -1 if there is none."""
        levels = np.full(len(self.counts), -1)
        if self.original is not None:
            for level, codes in reversed(list(enumerate(self.ancestors))):
                levels[codes[self.original.codes] == self.released.codes] = level
        return levels

    @cached_property
    def levels(self) -> IntArray:
        """The level of each cell: the lowest at which the original's ancestor is the released value.

        If there is none, or no original, it is the lowest level that has the value. Suppressed and forgiven cells are
        at the top.
        """
        levels = np.where(self._explaining_levels >= 0, self._explaining_levels, self._lowest_levels)
        return np.where(self.marked | self.forgiven, self.hierarchy.height, levels)

    @cached_property
    def on_one_level(self) -> bool:
        """True if all cells outside suppressed rows are on the same level."""
        return len(np.unique(self.levels[~self.suppressed])) <= 1

    @cached_property
    def of_one_size(self) -> bool:
        """True if all cells outside suppressed rows stand for equally many leaves."""
        return len(np.unique(self.leaves[~self.suppressed])) <= 1

    @cached_property
    def forgiven(self) -> Mask:
        """True for each cell that is in no level, or whose original is not a leaf.

        Such a cell is an error unless the caller allows it. Then it counts as fully generalised.
        """
        if self.original is None:
            return self.unknown
        return (self.unknown | ~self.generalisable) & ~self.marked

    @cached_property
    def generalisable(self) -> Mask:
        """True for each cell whose original is a leaf, or was already suppressed in the original."""
        assert self.original is not None  # noqa: S101
        leaves = [value in self.hierarchy or value == self.marker for value in self.original.values]
        return np.array(leaves, dtype=bool)[self.original.codes]

    def generalise(self, level: int) -> Coded:
        """Return the original cells generalised to a level."""
        assert self.original is not None  # noqa: S101
        if level not in self._by_level:
            ancestors = Coded.of([self._find_ancestor(value, level) for value in self.original.values])
            self._by_level[level] = ancestors.take(self.original.codes)
        return self._by_level[level]

    def _find_ancestor(self, value: Value, level: int) -> Value:
        """Return the ancestor of a value; a value that is not a leaf stays the same below the highest level."""
        if value in self.hierarchy:
            return self.hierarchy.lift(value, level)
        return self.hierarchy.top if level == self.hierarchy.height else value

    @cached_property
    def leaves(self) -> IntArray:
        """The number of leaves of each cell; all leaves if the cell or its row is suppressed, or it is forgiven."""
        sizes = [len(self.released.values), self.hierarchy.height + 1]
        packed, unpack = pack([self.released.codes, self.levels], sizes)
        distinct, entries = np.unique(packed, return_inverse=True)
        pairs = zip(*(digits.tolist() for digits in unpack(distinct)), strict=True)
        under = [self.hierarchy.size(self.released.values[code], level) for code, level in pairs]
        everything = self.suppressed | self.marked | self.forgiven
        return np.where(everything, self.all_leaves, np.array(under, dtype=np.int64)[entries])

    @property
    def all_leaves(self) -> int:
        """The number of leaves of the hierarchy; 1 for a hierarchy without leaves, so that no loss is counted."""
        return len(self.hierarchy.leaves) or 1

    @property
    def notes(self) -> tuple[Note, ...]:
        """A note on how many cells are forgiven."""
        cells = int(self.counts[self.forgiven].sum())
        return (Note("forgiven", {"column": Name(self.name), "cells": cells}),) if cells else ()


@dataclass(frozen=True, eq=False)
class LevelCodes:
    """A column's values and their labels at each level. Labels are sorted, a missing one last.

    `up`, `levels` and `leaves` have a row for each level and a column for each value. `up` is the code of the label.
    `levels` is the lowest level at which the value has this label, and `leaves` the number of leaves of the label;
    measures use both.
    """

    name: str
    values: Sequence[Value]
    labels: Sequence[Value]
    up: IntArray
    levels: IntArray
    leaves: IntArray
    all_leaves: int
    known: Mask  # by value: False if the hierarchy lacks it
    marked: Mask  # by label: True for the text of a suppressed cell

    @classmethod
    def of(cls, hierarchy: Hierarchy, values: Sequence[Value], marker: str = "*") -> LevelCodes:
        """Generalise the values of a column to all levels.

        A value that the hierarchy lacks is the marker at every level above 0. The text of the top could stand on a
        lower level too, and classes of higher levels would not be unions of those of lower ones.
        """
        height, everything = hierarchy.height, len(hierarchy.leaves) or 1
        rows = [[_generalise_value(hierarchy, value, level, marker) for value in values] for level in range(height + 1)]
        labels = sorted({label for row in rows for label in row}, key=lambda label: (label is None, label or ""))
        code_of = {label: code for code, label in enumerate(labels)}
        up = np.array([[code_of[label] for label in row] for row in rows], dtype=np.int64).reshape(height + 1, -1)
        levels = np.empty_like(up)
        for level in reversed(range(height + 1)):
            levels[level:] = np.where(up[level:] == up[level], level, levels[level:])
        marked = np.array([label == marker for label in labels], dtype=bool)
        known = np.array([value in hierarchy or value == marker for value in values], dtype=bool)
        whole = marked[up] | ~known
        under = [
            [hierarchy.size(labels[code], low) for code, low in zip(codes, lows, strict=True)]
            for codes, lows in zip(up.tolist(), levels.tolist(), strict=True)
        ]
        return cls(
            name=hierarchy.name,
            values=values,
            labels=labels,
            up=up,
            levels=np.where(whole, height, levels),
            leaves=np.where(whole, everything, np.array(under, dtype=np.int64).reshape(up.shape)),
            all_leaves=everything,
            known=known,
            marked=marked,
        )

    @property
    def height(self) -> int:
        """The highest level."""
        return len(self.up) - 1


def _generalise_value(hierarchy: Hierarchy, value: Value, level: int, marker: str) -> Value:
    if value in hierarchy:
        return hierarchy.lift(value, level)
    return marker if level else value
