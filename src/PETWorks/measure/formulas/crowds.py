"""Crowds: among how many people each person is hidden. Who is in several classes is hidden in the smallest only.

>>> import numpy as np
>>> from PETWorks.facts.classes import SizeGroups
>>> crowds = Crowds(*SizeGroups.of({1: 1, 2: 3}).least_by_person(np.array([1, 2])))
>>> crowds.least, crowds.people, crowds.mean_inverse(), crowds.above("1/2")
(1, 7, Fraction(4, 7), Fraction(1, 7))
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from PETWorks.exact.limit import Limit, Number
from PETWorks.facts.facts import Facts
from PETWorks.tables.counting.tally import IntArray, totals


@dataclass(frozen=True, eq=False)
class Crowds:
    """The sizes of crowds, and how many people are hidden in one of each size at best."""

    sizes: IntArray
    hidden: IntArray

    @classmethod
    def of(cls, facts: Facts, sizes: IntArray) -> Crowds:
        """Find the smallest crowd of each person, from the sizes that belong to the classes of the release."""
        return cls(*facts.classes.least_by_person(sizes))

    @cached_property
    def _by_size(self) -> tuple[IntArray, IntArray]:
        return totals(self.sizes, self.hidden, int(self.sizes.max(initial=0)) + 1)

    @property
    def people(self) -> int:
        """How many people there are."""
        return int(self.hidden.sum())

    @property
    def least(self) -> int:
        """The size of the smallest crowd; 0 if there is nobody."""
        return int(self.sizes.min()) if len(self.sizes) else 0

    @property
    def largest(self) -> int:
        """The size of the largest crowd; 0 if there is nobody."""
        return int(self.sizes.max(initial=0))

    def people_at(self, size: int) -> int:
        """Return how many people are hidden in crowds of a size."""
        return int(self.hidden[self.sizes == size].sum())

    def mean_inverse(self) -> Fraction:
        """Return the mean of 1 ÷ size over people."""
        sizes, people = (one.tolist() for one in self._by_size)
        total = sum((Fraction(many, size) for many, size in zip(people, sizes, strict=True)), Fraction(0))
        return total / (self.people or 1)

    def above(self, threshold: Number) -> Fraction:
        """Return the share of people for whom 1 ÷ size is above a threshold."""
        sizes, people = self._by_size  # sizes ascend, so those of which 1 ÷ size is above it are the first
        limit = Limit.of(threshold)
        first = bisect_left(sizes.tolist(), x=True, key=lambda size: limit.compare(Fraction(1, size)) <= 0)
        return Fraction(int(people[:first].sum()), self.people or 1)
