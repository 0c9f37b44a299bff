"""The values of a column on every level of its hierarchy, as codes: what a search over levels works on.

>>> years = Hierarchy("year", [("1977", "197*"), ("1983", "198*"), ("1988", "198*")])
>>> ladder = Ladder.of(years, ["1977", "1988"])
>>> [[ladder.labels[code] for code in level] for level in ladder.up]
[['1977', '1988'], ['197*', '198*'], ['*', '*']]
>>> ladder.leaves.tolist()
[[1, 1], [1, 2], [3, 3]]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from PETWorks.counting.tally import IntArray, Mask, Value
from PETWorks.hierarchies.hierarchy import Hierarchy


@dataclass(frozen=True, eq=False)
class Ladder:
    """A column's values, and what becomes of each value on each level. Labels are sorted, a missing one last.

    `up`, `levels` and `leaves` have a row for each level and a column for each value. `levels` is the lowest level on
    which the value has the same label, and `leaves` how many leaves that label stands for, both as they are measured.
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
    def of(cls, hierarchy: Hierarchy, values: Sequence[Value], marker: str = "*") -> Ladder:
        """Lift the values of a column to all levels.

        A value that the hierarchy lacks is fully generalised on every level above 0, as it is measured.
        """
        height, everything = hierarchy.height, len(hierarchy.leaves) or 1
        rows = [[_lifted(hierarchy, value, level, marker) for value in values] for level in range(height + 1)]
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


def _lifted(hierarchy: Hierarchy, value: Value, level: int, marker: str) -> Value:
    if value in hierarchy:
        return hierarchy.lift(value, level)
    stays = 0 if value != marker else hierarchy.height - 1
    return value if level <= stays else hierarchy.top
