"""The values of a released column: how often each occurs, in the release and in the original."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from PETWorks.counting.tally import IntArray, Value, sums
from PETWorks.errors import PETWorksError

if TYPE_CHECKING:
    from PETWorks.facts.facts import Facts


@dataclass(frozen=True, eq=False)
class ReleasedValues:
    """The values of a quasi-identifier, each with its counts; a value of suppressed rows only has the count 0."""

    values: Sequence[Value]
    after: IntArray  # unsuppressed rows of the release that have the value
    before: IntArray | None  # rows of the original that would have it; None if there is no original, or no common level
    level: int | None  # the level to which the original is generalised before it is counted
    mixed: bool  # True: unsuppressed cells are on different levels, so that rows of a value are also released as others
    gone: int  # rows of the original whose value, at that level, no unsuppressed row of the release has any more
    kinds: IntArray  # values of the same kind are on the same level and stand for equally many leaves

    def few_of_a_kind(self, least: int) -> bool:
        """Return True if values are of several kinds, and few people have one: scores by leaves could tell how many."""
        people = np.bincount(self.kinds, weights=self.after)
        people = people[people > 0]
        return len(people) > 1 and bool((people < least).any())


def released_values(facts: Facts, column: str) -> ReleasedValues:
    """Count the values of a quasi-identifier, once for these facts."""
    return facts.once(("released values", column), lambda: _counted(facts, column))


def _counted(facts: Facts, column: str) -> ReleasedValues:
    classes = facts.known_row_classes
    coded = classes.columns[column]
    after = sums(coded.codes, classes.sizes, len(coded.values))
    level, before, mixed, gone = None, None, False, 0
    try:
        cells = facts.columns.column(column)
        mixed = not cells.on_one_level
        if cells.original is not None:
            level = int(cells.levels[~cells.marked].max()) if not cells.marked.all() else cells.hierarchy.height
            lifted = cells.lifted(level)
            found = dict(zip(lifted.values, sums(lifted.codes, cells.counts, len(lifted.values)), strict=True))
            before = np.array([found.get(value, 0) for value in coded.values], dtype=np.int64)
            gone = int(cells.counts.sum() - before[after > 0].sum())
    except PETWorksError:  # rows that do not pair are reported by the measures that need pairs
        level, before = None, None
    return ReleasedValues(coded.values, after, before, level, mixed, gone, _kinds(facts, column, coded.values))


def _kinds(facts: Facts, column: str, values: Sequence[Value]) -> IntArray:
    """Return the number of each value's kind: its level and its leaves; the marker is a kind of its own."""
    tree, kinds = facts.hierarchies.get(column), dict[tuple[int, int], int]()

    def kind(value: Value) -> tuple[int, int]:
        if value == facts.marker:
            return -1, 0
        level = tree.lowest.get(value, -1) if tree else 0
        return level, tree.size(value, level) if tree else 1

    return np.array([kinds.setdefault(kind(value), len(kinds)) for value in values], dtype=np.int64)
