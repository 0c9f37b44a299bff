"""What becomes of every combination of a table: its class and labels, or that it is suppressed."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from PETWorks.counting.persons import Persons
from PETWorks.counting.tally import Coded, IntArray, Key, Mask, sums
from PETWorks.facts.classes import Classes

if TYPE_CHECKING:
    from PETWorks.making.table import RawTable

NOWHERE = -1  # the class of a suppressed combination


class Lift:
    """What becomes of every combination of a table: its class, or that it is suppressed."""

    def __init__(self, table: RawTable, ids: IntArray, first: IntArray, labels: Mapping[str, Coded]) -> None:
        self.table = table
        self.of_combination = ids  # the class of each combination; NOWHERE if it is suppressed
        self.first = first  # a combination of each class
        self.labels = labels  # by quasi-identifier, the label of each combination

    @cached_property
    def suppressed(self) -> Mask:
        """A mask of the suppressed combinations."""
        gone: Mask = self.of_combination == NOWHERE
        return gone

    @cached_property
    def sizes(self) -> IntArray:
        """How many rows each class has."""
        ids, counts = self.of_combination, self.table.counts
        if self.suppressed.any():
            ids, counts = ids[~self.suppressed], counts[~self.suppressed]
        return sums(ids, counts, len(self.first))

    def rows_by_value(self, chosen: Mask) -> tuple[IntArray, ...]:
        """Return, for each quasi-identifier, how many rows of the chosen combinations have each value; count once."""
        key = chosen.tobytes()
        if key not in self._by_value:
            self._by_value[key] = self.table.rows_by_value(chosen)
        return self._by_value[key]

    @cached_property
    def _by_value(self) -> dict[bytes, tuple[IntArray, ...]]:
        return {}

    @property
    def pairs(self) -> Persons:
        """Who has rows in each class, where people have several rows."""
        pairs = self.table.pairs
        ids = self.of_combination[pairs.of_entry]
        kept = ids != NOWHERE
        return Persons.regrouped(ids[kept], pairs.of_person[kept], pairs.rows[kept], pairs.people)

    def without(self, suppressed: Mask) -> Lift:
        """Suppress further combinations."""
        gone = suppressed | self.suppressed
        if gone.sum() == self.suppressed.sum():
            return self
        left = np.zeros(len(self.first), dtype=bool)
        left[self.of_combination[~gone]] = True
        place = np.append(np.cumsum(left) - 1, NOWHERE)
        ids = np.where(gone, NOWHERE, place[self.of_combination])
        return Lift(self.table, ids, self.first[left], self.labels)


class LiftedClasses(Classes):
    """Classes whose labels are looked up only if they are needed."""

    def __init__(self, lift: Lift) -> None:
        vars(self).update(sizes=lift.sizes, _lift=lift)

    @cached_property
    def columns(self) -> Mapping[Key, Coded]:
        """The labels of each class."""
        lift: Lift = vars(self)["_lift"]
        return {name: column.take(lift.first) for name, column in lift.labels.items()}

    @cached_property
    def of_entry(self) -> IntArray:
        """The class of each unsuppressed entry of the tally."""
        lift: Lift = vars(self)["_lift"]
        ids: IntArray = lift.of_combination[lift.table.of_entry]
        published: IntArray = ids[ids != NOWHERE]
        return published
