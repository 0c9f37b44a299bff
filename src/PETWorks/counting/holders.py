"""Count the people who have each value of a column: the distinct pairs of value and person, as 64-bit keys.

>>> holders = Holders()
>>> holders.add(np.array([0, 0, 1]), np.array([7, 7, 7]))
>>> holders.add(np.array([0]), np.array([8]))
>>> holders.counts(values=2).tolist()
[2, 1]
"""

from __future__ import annotations

import numpy as np

from PETWorks.counting.sorted_keys import distinct
from PETWorks.counting.tally import Coded, IntArray

BITS = 32  # of a key that are the person's
PAIR_BYTES = 24  # approximate memory to hold and sort a pair


class Holders:
    """The pairs of value and person of a column, by their codes."""

    def __init__(self) -> None:
        self._merged = np.zeros(0, dtype=np.int64)
        self._recent: list[IntArray] = []

    @property
    def pairs(self) -> int:
        """How many pairs are held; some may be the same."""
        return len(self._merged) + sum(map(len, self._recent))

    def add(self, values: IntArray, persons: IntArray) -> None:
        """Add pairs."""
        self._recent.append(values << BITS | persons)
        if self.pairs > 2 * len(self._merged):
            self._merge()

    def counts(self, values: int) -> IntArray:
        """Return how many people have each of so many values."""
        self._merge()
        return np.bincount(self._merged >> BITS, minlength=values)

    def _merge(self) -> None:
        self._merged, self._recent = distinct(np.concatenate([self._merged, *self._recent])), []


def paired(column: Coded, person: Coded) -> tuple[IntArray, IntArray]:
    """Return the distinct pairs of value and person in a batch of rows, by the codes of the batch."""
    people = len(person.values)
    return np.divmod(distinct(column.codes.astype(np.int64) * people + person.codes), max(people, 1))
