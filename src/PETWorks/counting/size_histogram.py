"""The summary (`Outline`) of a table whose tally does not fit in memory: its size, and the sizes of its classes.

A table of N rows has at most √(2N) different class sizes, so an outline is small even for a very large table. The
outlines of two parts of a table can be added if no class has rows in both parts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from PETWorks.counting.tally import Key, Mask, Tally
from PETWorks.errors import TooLargeError


class Grouping(NamedTuple):
    """The columns that form classes, and the marker of suppressed cells."""

    keys: tuple[Key, ...]
    marker: str = ""  # "" matches no cell: empty cells are read as missing

    def suppressed(self, tally: Tally) -> Mask:
        """Return a mask of the combinations in which all these columns are suppressed."""
        columns = [tally.columns[key] for key in self.keys]
        marked: Mask = np.all([column.codes == column.code(self.marker) for column in columns], axis=0)
        return marked


@dataclass(frozen=True)
class Outline:
    """The numbers of rows, combinations and suppressed rows, the histogram of class sizes, and the missing cells."""

    rows: int = 0
    combinations: int = 0
    suppressed: int = 0  # number of suppressed rows
    histogram: Mapping[int, int] = field(default_factory=dict)  # how many classes there are of each size
    missing: Mapping[Key, int] = field(default_factory=dict)  # number of missing cells, by column

    @classmethod
    def of(cls, tally: Tally, grouping: Grouping) -> Outline:
        """Build the outline of a tally."""
        suppressed = grouping.suppressed(tally)
        sizes = tally.where(~suppressed).sizes_by(grouping.keys)
        different, times = np.unique(sizes, return_counts=True)
        return cls(
            tally.rows,
            len(tally.counts),
            int(tally.counts[suppressed].sum()),
            dict(zip(different.tolist(), times.tolist(), strict=True)),
            missing_cells(tally),
        )

    def __add__(self, other: Outline) -> Outline:
        """Add the outline of another part of the table, which must share no class with this one."""
        return Outline(
            self.rows + other.rows,
            self.combinations + other.combinations,
            self.suppressed + other.suppressed,
            Counter(self.histogram) + Counter(other.histogram),
            Counter(self.missing) + Counter(other.missing),
        )


def missing_cells(tally: Tally) -> dict[Key, int]:
    """Count the missing cells of each column that has any."""
    counts = {key: tally.counts[column.codes == column.code(None)].sum() for key, column in tally.columns.items()}
    return {key: int(cells) for key, cells in counts.items() if cells}


def outlined(tally: Callable[[], Tally]) -> Outline | None:
    """Return the outline of a table whose tally does not fit in memory; None if it fits."""
    try:
        tally()
    except TooLargeError as error:
        return error.outline
    return None
