"""The smallest class of each person: a person in several classes is only as safe as in the smallest.

>>> import numpy as np
>>> from PETWorks.facts.classes import SizeGroups
>>> smallest = SmallestClasses(*SizeGroups.of({1: 1, 2: 3}).find_least_by_person(np.array([1, 2])))
>>> smallest.least, smallest.people, smallest.compute_mean_inverse(), smallest.compute_share_above("1/2")
(1, 7, Fraction(4, 7), Fraction(1, 7))
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from PETWorks.exact.limit import Limit, Number
from PETWorks.facts.facts import Facts
from PETWorks.tables.counting.tally import IntArray, sum_by_key


@dataclass(frozen=True, eq=False)
class SmallestClasses:
    """The sizes of people's smallest classes, and the number of people with each size."""

    sizes: IntArray
    hidden: IntArray

    @classmethod
    def of(cls, facts: Facts, sizes: IntArray) -> SmallestClasses:
        """Find the size of each person's smallest class, from sizes that belong to the classes of the release."""
        return cls(*facts.classes.find_least_by_person(sizes))

    @cached_property
    def _by_size(self) -> tuple[IntArray, IntArray]:
        return sum_by_key(self.sizes, self.hidden, int(self.sizes.max(initial=0)) + 1)

    @property
    def people(self) -> int:
        """The number of people."""
        return int(self.hidden.sum())

    @property
    def least(self) -> int:
        """The smallest size; 0 if there is nobody."""
        return int(self.sizes.min()) if len(self.sizes) else 0

    @property
    def largest(self) -> int:
        """The largest size; 0 if there is nobody."""
        return int(self.sizes.max(initial=0))

    def count_people_at(self, size: int) -> int:
        """Return the number of people whose smallest class has this size."""
        return int(self.hidden[self.sizes == size].sum())

    def compute_mean_inverse(self) -> Fraction:
        """Return the mean of 1 ÷ size over people."""
        sizes, people = (one.tolist() for one in self._by_size)
        total = sum((Fraction(many, size) for many, size in zip(people, sizes, strict=True)), Fraction(0))
        return total / (self.people or 1)

    def compute_share_above(self, threshold: Number) -> Fraction:
        """Return the share of people for whom 1 ÷ size is above a threshold."""
        sizes, people = self._by_size  # sizes ascend, so those of which 1 ÷ size is above it are the first
        limit = Limit.of(threshold)
        first = bisect_left(sizes.tolist(), x=True, key=lambda size: limit.compare(Fraction(1, size)) <= 0)
        return Fraction(int(people[:first].sum()), self.people or 1)
