"""Classes, whose rows have the same values, and other groups of people that a measure scores.

Measures score *groups*. Most score the classes of the release; there are four further kinds, each a type of its own:

- `SizeGroups`: only the sizes of the classes are known, and one entry stands for all classes of a size;
- `ClassParts`: parts of classes, for a score that differs within a class;
- `FinerClasses`: classes by more columns than the quasi-identifiers;
- `PopulationClasses`: classes of a population that includes the release.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from PETWorks.facts.notes import PeopleCounts
from PETWorks.tables.counting.persons import PersonPairs
from PETWorks.tables.counting.size_histogram import SizeSummary
from PETWorks.tables.counting.tally import Coded, IntArray, Key, Mask, Value, widen


class Unit(StrEnum):
    """What the size of a group counts. It matters only where people have several rows."""

    ROWS = "rows"
    PEOPLE = "people"


@dataclass(frozen=True, eq=False)
class Groups(ABC):
    """Groups of people, one entry each. `sizes` has the number of people of each group.

    If people have several rows and may be in several groups, `members` are the pairs of group and person.
    """

    sizes: IntArray
    members: PersonPairs | None = field(default=None, kw_only=True)

    @property
    def can_be_described(self) -> bool:
        """True if the values that the people of a group share are known."""
        return False

    @property
    def people(self) -> IntArray:
        """The number of people that each entry stands for."""
        return self.sizes

    @property
    def rows(self) -> int:
        """The sum of the sizes of all groups; a person in several groups counts in each."""
        return int(self.people.sum())

    @cached_property
    def everybody(self) -> int:
        """The number of people, each counted once."""
        return self.rows if self.members is None else self.members.occurring

    def count_people_in(self, chosen: Mask) -> int:
        """Count the people who are in one of the chosen groups, each once."""
        if self.members is None:
            return int(self.people[chosen].sum())
        return int(np.count_nonzero(np.bincount(self.members.of_person[chosen[self.members.of_entry]])))

    def count_rows_in(self, chosen: Mask) -> int:
        """Count the rows in the chosen groups."""
        if self.members is None:
            return int(self.people[chosen].sum())
        return int(self.members.rows[chosen[self.members.of_entry]].sum())

    def count_people(self, failing: Mask) -> PeopleCounts | None:
        """Count the people in failing groups, and in all, each once; None if every row is one person."""
        return None if self.members is None else PeopleCounts(self.count_people_in(failing), self.everybody)

    def find_least_by_person(self, numbers: NDArray[Any]) -> tuple[NDArray[Any], IntArray]:
        """Return the least number among each person's groups, and how many people have it.

        An entry is a person, or a group of people with the same number.
        """
        if self.members is None:
            return numbers, self.people
        least = self.members.find_least_by_person(numbers)
        return least, np.ones(len(least), dtype=np.int64)

    @property
    def all(self) -> Mask:
        """A mask that is True for every entry."""
        return np.ones(len(self.sizes), dtype=bool)

    def __len__(self) -> int:
        """Return the number of groups."""
        return len(self.sizes)

    def count(self, chosen: Mask) -> int:
        """Return how many classes have at least one of the chosen entries."""
        return int(chosen.sum())

    @cached_property
    def histogram(self) -> dict[int, int]:
        """The number of groups of each size."""
        sizes, groups = np.unique(self.sizes, return_counts=True)
        return dict(zip(sizes.tolist(), groups.tolist(), strict=True))

    @abstractmethod
    def find_in_release(self, chosen: Mask) -> Mask:
        """Return a mask of the classes of the release that have at least one of the chosen entries."""

    def find_shares_in_release(self, shares: NDArray[np.float64]) -> NDArray[np.float64]:
        """Convert shares of all entries to shares of the release's classes."""
        return shares

    def values(self, index: int) -> dict[str, Value] | None:  # noqa: ARG002
        """Return the values that the people of a group share; None if they are not known."""
        return None


@dataclass(frozen=True, eq=False)
class NamedGroups(Groups):
    """Groups whose shared values are known. `columns` has a coded column for each column that forms the groups."""

    columns: Mapping[Key, Coded]

    @property
    def can_be_described(self) -> bool:
        """True: the values are known."""
        return True

    def values(self, index: int) -> dict[str, Value]:
        """Return the values that the people of a group share."""
        return {str(key): column.values[column.codes[index]] for key, column in self.columns.items()}


class OfEntries:
    """The group of each unsuppressed entry of the tally."""

    def find_groups_of_pairs(self, persons: PersonPairs) -> IntArray:
        """Return the group of each pair of unsuppressed entry and person."""
        of_pair: IntArray = self.of_entry[persons.of_entry]  # type: ignore[attr-defined]
        return of_pair


@dataclass(frozen=True, eq=False)
class Classes(OfEntries, NamedGroups):
    """The classes of the release: its unsuppressed rows, grouped by all quasi-identifiers."""

    of_entry: IntArray  # the class of each unsuppressed entry of the tally

    def find_in_release(self, chosen: Mask) -> Mask:
        """Return the mask itself."""
        return chosen


@dataclass(frozen=True, eq=False)
class ClassParts(NamedGroups):
    """Parts of the release's classes."""

    within: IntArray  # the class that each part belongs to
    classes: int  # how many classes the release has

    def count(self, chosen: Mask) -> int:
        """Return the number of classes that the chosen parts belong to."""
        return len(np.unique(self.within[chosen]))

    def find_in_release(self, chosen: Mask) -> Mask:
        """Return a mask of the classes that the chosen parts belong to."""
        found = np.zeros(self.classes, dtype=bool)
        found[self.within[chosen]] = True
        return found

    def find_shares_in_release(self, shares: NDArray[np.float64]) -> NDArray[np.float64]:
        """Convert shares of all parts to shares of their classes."""
        rows = np.bincount(self.within, shares * self.sizes, self.classes)
        return rows / np.bincount(self.within, self.sizes, self.classes)


@dataclass(frozen=True, eq=False)
class PartsOfPeople(ClassParts):
    """Parts of classes of people who have several rows."""

    whole: Classes

    def values(self, index: int) -> dict[str, Value]:
        """Return the values of the class that a part belongs to."""
        return self.whole.values(int(self.within[index]))


@dataclass(frozen=True, eq=False)
class FinerClasses(OfEntries, ClassParts):
    """Classes by the quasi-identifiers and further columns; each counts as a class of its own."""

    of_entry: IntArray  # the finer class of each unsuppressed entry of the tally

    def count(self, chosen: Mask) -> int:
        """Return the number of the chosen classes."""
        return int(chosen.sum())


@dataclass(frozen=True, eq=False)
class PopulationClasses(NamedGroups):
    """The classes of a population that is generalised as the release is; their sizes are people of the population."""

    sample: IntArray  # the unsuppressed rows of the release in each class
    of_release: IntArray  # for each class of the release, the class of the population that includes it

    @property
    def sizes_of_release(self) -> IntArray:
        """The number of people of the population who look like each class of the release."""
        return self.sizes[self.of_release]

    def find_in_release(self, chosen: Mask) -> Mask:
        """Return a mask of the release's classes that the chosen classes include."""
        found: Mask = chosen[self.of_release]
        return found

    def find_shares_in_release(self, shares: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the shares of the classes that include those of the release."""
        return shares[self.of_release]


def sum_squares(sizes: IntArray) -> int:
    """Return the sum of the squares of sizes, in Python integers if 64 bits might overflow."""
    sizes = widen(sizes, int(sizes.sum()) ** 2)
    return int(sizes @ sizes)


@dataclass(frozen=True, eq=False)
class SizeGroups(Groups):
    """Classes of which only the sizes are known: one entry for each size, standing for `times` classes."""

    times: IntArray
    row_sizes: IntArray | None = None  # how many rows a class has, where its people may have several
    outline: SizeSummary = SizeSummary()  # it has the people, where they may have several rows

    @classmethod
    def of_people(cls, outline: SizeSummary) -> SizeGroups:
        """Build the groups from the numbers of classes by people and rows, and from the summary of the table."""
        people, rows, many = np.array(_sort_sizes(outline.crowds), dtype=np.int64).reshape(-1, 3).T
        return cls(people, many, rows, outline)

    @classmethod
    def of(cls, histogram: Mapping[int, int]) -> SizeGroups:
        """Build the groups from a histogram of class sizes."""
        sizes = sorted(histogram)
        many = [histogram[size] for size in sizes]
        return cls(np.array(sizes, dtype=np.int64), np.array(many, dtype=np.int64))

    def __len__(self) -> int:
        """Return the number of classes."""
        return int(self.times.sum())

    @cached_property
    def people(self) -> IntArray:
        """The number of people in all classes of each size; a person in several classes counts in each."""
        people: IntArray = self.sizes * self.times
        return people

    @cached_property
    def histogram(self) -> dict[int, int]:
        """The number of classes of each size."""
        sizes, of_size = np.unique(self.sizes, return_inverse=True)
        return dict(zip(sizes.tolist(), np.bincount(of_size, self.times).astype(int).tolist(), strict=True))

    def count_rows_in(self, chosen: Mask) -> int:
        """Count the rows in the chosen classes."""
        sizes = self.sizes if self.row_sizes is None else self.row_sizes
        return int((sizes * self.times)[chosen].sum())

    @cached_property
    def everybody(self) -> int:
        """The number of people, each counted once."""
        return self.rows if self.row_sizes is None else sum(self._smallest.values())

    def count_people_in(self, chosen: Mask) -> int:
        """Count the people in the chosen classes, each once.

        This is exact for the classes of one size, and for all classes up to a size. Otherwise the result is an upper
        bound.
        """
        if self.row_sizes is None:
            return super().count_people_in(chosen)
        sizes, largest = {*self.sizes[chosen].tolist()}, int(self.sizes[chosen].max(initial=0))
        up_to = sum(many for size, many in self._smallest.items() if size <= largest)
        return min(up_to, sum(self.outline.holders[size] for size in sizes))

    def count_people(self, failing: Mask) -> PeopleCounts | None:
        """Count the people in failing classes, and in all, each once; None if every row is one person."""
        return None if self.row_sizes is None else PeopleCounts(self.count_people_in(failing), self.everybody)

    def find_least_by_person(self, numbers: NDArray[Any]) -> tuple[NDArray[Any], IntArray]:
        """Return each person's least number, and how many people have it; numbers must grow with class size.

        Then the least number of a person is that of their smallest class.
        """
        if self.row_sizes is None:
            return super().find_least_by_person(numbers)
        smallest = sorted(self._smallest)
        people = np.array([self._smallest[size] for size in smallest], dtype=np.int64)
        return numbers[np.searchsorted(self.sizes, np.array(smallest, dtype=np.int64))], people

    @cached_property
    def _smallest(self) -> dict[int, int]:
        return {size: people for size, people in self.outline.smallest.items() if size}

    def count(self, chosen: Mask) -> int:
        """Return the number of classes that the chosen entries stand for."""
        return int(self.times[chosen].sum())

    def find_in_release(self, chosen: Mask) -> Mask:
        """Return the mask itself."""
        return chosen


def _sort_sizes(crowds: Mapping[tuple[int, int], int]) -> list[tuple[int, int, int]]:
    return sorted((people, rows, many) for (people, rows), many in crowds.items())
