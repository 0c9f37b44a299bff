"""Classes of which only the sizes are known, because their values do not fit in memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from PETWorks.counting.size_histogram import Outline
from PETWorks.counting.tally import IntArray, Mask
from PETWorks.facts.classes import Groups
from PETWorks.facts.notes import PeopleCounts


@dataclass(frozen=True, eq=False)
class SizeGroups(Groups):
    """Classes of which only the sizes are known: one entry for each size, standing for `times` classes."""

    times: IntArray
    row_sizes: IntArray | None = None  # how many rows a class has, where its people may have several
    outline: Outline = Outline()  # it has the people, where they may have several rows

    @classmethod
    def of_people(cls, outline: Outline) -> SizeGroups:
        """Build them from how many classes have so many people and rows, and what is known of who is in several."""
        people, rows, many = np.array(_sorted(outline.crowds), dtype=np.int64).reshape(-1, 3).T
        return cls(people, many, rows, outline)

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
        """How many people the classes of each size have together; who is in several counts in each."""
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

    @cached_property
    def everybody(self) -> int:
        """How many people there are, each counted once."""
        return self.rows if self.row_sizes is None else sum(self._smallest.values())

    def people_in(self, chosen: Mask) -> int:
        """Count the people in the chosen classes, each once.

        That is known of the classes of one size, and of all up to a size. Of others it is known how many they are at
        most, which is what is returned.
        """
        if self.row_sizes is None:
            return super().people_in(chosen)
        sizes, largest = {*self.sizes[chosen].tolist()}, int(self.sizes[chosen].max(initial=0))
        up_to = sum(many for size, many in self._smallest.items() if size <= largest)
        return min(up_to, sum(self.outline.holders[size] for size in sizes))

    def people_counts(self, failing: Mask) -> PeopleCounts | None:
        """Count the people in failing classes, and in all, each once; None: every row is one person."""
        return None if self.row_sizes is None else PeopleCounts(self.people_in(failing), self.everybody)

    def least_by_person(self, numbers: NDArray[Any]) -> tuple[NDArray[Any], IntArray]:
        """Return the least number of people's classes, and how many they are. Numbers must be larger in larger classes.

        Then the least number of a person is that of their smallest class.
        """
        if self.row_sizes is None:
            return super().least_by_person(numbers)
        smallest = sorted(self._smallest)
        people = np.array([self._smallest[size] for size in smallest], dtype=np.int64)
        return numbers[np.searchsorted(self.sizes, np.array(smallest, dtype=np.int64))], people

    @cached_property
    def _smallest(self) -> dict[int, int]:
        return {size: people for size, people in self.outline.smallest.items() if size}

    def count(self, chosen: Mask) -> int:
        """Return the number of classes that the chosen entries stand for."""
        return int(self.times[chosen].sum())

    def in_release(self, chosen: Mask) -> Mask:
        """Return the mask itself."""
        return chosen


def _sorted(crowds: Mapping[tuple[int, int], int]) -> list[tuple[int, int, int]]:
    return sorted((people, rows, many) for (people, rows), many in crowds.items())
