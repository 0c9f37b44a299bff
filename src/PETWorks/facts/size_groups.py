"""Classes of which only the sizes are known, because their values do not fit in memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from PETWorks.counting.tally import IntArray, Mask
from PETWorks.facts.classes import Groups
from PETWorks.facts.notes import PeopleCounts


@dataclass(frozen=True, eq=False)
class SizeGroups(Groups):
    """Classes of which only the sizes are known: one entry for each size, standing for `times` classes."""

    times: IntArray
    row_sizes: IntArray | None = None  # how many rows a class has, where its people may have several

    @classmethod
    def of_people(cls, crowds: Mapping[tuple[int, int], int]) -> SizeGroups:
        """Build them from how many classes have so many people and rows."""
        people, rows, many = np.array(_sorted(crowds), dtype=np.int64).reshape(-1, 3).T
        return cls(people, many, rows)

    @classmethod
    def of(cls, histogram: Mapping[int, int]) -> SizeGroups:
        """Build them from a histogram of class sizes."""
        sizes = sorted(histogram)
        many = [histogram[size] for size in sizes]
        return cls(np.array(sizes, dtype=np.int64), np.array(many, dtype=np.int64))

    def __len__(self) -> int:
        """Return the number of classes."""
        return int(self.times.sum())

    @cached_property
    def people(self) -> IntArray:
        """How many people the classes of each size have together."""
        people: IntArray = self.sizes * self.times
        return people

    @cached_property
    def histogram(self) -> dict[int, int]:
        """How many classes there are of each size."""
        sizes, of_size = np.unique(self.sizes, return_inverse=True)
        return dict(zip(sizes.tolist(), np.bincount(of_size, self.times).astype(int).tolist(), strict=True))

    def rows_in(self, chosen: Mask) -> int:
        """Count the rows in the chosen classes."""
        sizes = self.sizes if self.row_sizes is None else self.row_sizes
        return int((sizes * self.times)[chosen].sum())

    def people_counts(self, failing: Mask) -> PeopleCounts | None:
        """Count the people in failing classes, and in all; who is in several classes counts in each."""
        return None if self.row_sizes is None else PeopleCounts(self.people_in(failing), self.everybody)

    def count(self, chosen: Mask) -> int:
        """Return the number of classes that the chosen entries stand for."""
        return int(self.times[chosen].sum())

    def in_release(self, chosen: Mask) -> Mask:
        """Return the mask itself."""
        return chosen


def _sorted(crowds: Mapping[tuple[int, int], int]) -> list[tuple[int, int, int]]:
    return sorted((people, rows, many) for (people, rows), many in crowds.items())
