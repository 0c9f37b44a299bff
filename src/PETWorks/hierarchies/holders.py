"""Who has which values of a column, where people have several rows: a person with two values of a group counts once.

>>> found = Holders(["a", "b"], np.array([0, 0, 1]), np.array([7, 8, 7]))
>>> found["a"], found["b"], together(found), together({"a": 2, "b": 1})
(2, 1, 2, 3)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from PETWorks.counting.tally import IntArray, Value, sums
from PETWorks.hierarchies.counts import Counts


class Holders(dict[Value, int]):
    """The values of a column, with how many people have each, and who they are: pairs of value and person."""

    def __init__(self, values: Sequence[Value], of_value: IntArray, of_person: IntArray) -> None:
        people = np.bincount(of_value, minlength=len(values)).tolist()
        super().__init__(zip(values, people, strict=True))
        self._of_value, self._of_person = of_value, of_person

    def in_groups(self, groups: IntArray, many: int) -> IntArray:
        """Count the people of each group; `groups` has that of each value, -1 for none."""
        group, persons = groups[self._of_value], int(self._of_person.max(initial=0)) + 1
        pairs = np.unique(group[group >= 0] * persons + self._of_person[group >= 0])  # each person once
        return np.bincount(pairs // persons, minlength=many).astype(np.int64)


def together(counts: Counts, values: Iterable[Value] | None = None) -> int:
    """Return how many people have one of some values, or any value; without persons, every count is of others."""
    chosen = {*counts} if values is None else {*values}
    if not isinstance(counts, Holders):
        return sum(count for value, count in counts.items() if value in chosen)
    return int(counts.in_groups(np.array([0 if value in chosen else -1 for value in counts], dtype=np.int64), 1)[0])


def in_groups(counts: Counts, leaves: Sequence[Value], codes: IntArray, many: int) -> IntArray:
    """Return how many people have a value of each group; `codes` has the group of each leaf."""
    if not isinstance(counts, Holders):
        return sums(codes, np.array([counts.get(leaf, 0) for leaf in leaves], dtype=np.int64), many)
    group = dict(zip(leaves, codes.tolist(), strict=True))
    return counts.in_groups(np.array([group.get(value, -1) for value in counts], dtype=np.int64), many)
