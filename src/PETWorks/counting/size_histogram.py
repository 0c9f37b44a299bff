"""What is still known of a table whose tally does not fit in memory: its size, and the sizes of its classes.

A table of N rows has at most √(2N) different class sizes, so this is small however many rows there are. Outlines of
parts of a table that share no class add up.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from PETWorks.counting.tally import Key, Mask, Tally


class Grouping(NamedTuple):
    """The columns that form classes, and the marker of suppressed cells."""

    keys: tuple[Key, ...]
    marker: str = ""  # which no cell is

    def suppressed(self, tally: Tally) -> Mask:
        """Tell for each combination whether all these columns are suppressed."""
        columns = [tally.columns[key] for key in self.keys]
        marked: Mask = np.all([column.codes == column.code(self.marker) for column in columns], axis=0)
        return marked


@dataclass(frozen=True)
class Outline:
    """Numbers of rows and combinations, the histogram of class sizes, and how many cells are special."""

    rows: int = 0
    combinations: int = 0
    suppressed: int = 0  # rows
    histogram: Mapping[int, int] = field(default_factory=dict)  # how many classes there are of each size
    missing: Mapping[Key, int] = field(default_factory=dict)  # cells of each column

    @classmethod
    def of(cls, tally: Tally, grouping: Grouping) -> Outline:
        """Draw the outline of a tally."""
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
        """Add the outline of another part of the table."""
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
