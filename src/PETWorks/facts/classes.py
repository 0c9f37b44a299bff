"""Rows that cannot be told apart: classes, and how a sensitive attribute spreads over them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property

import numpy as np

from PETWorks.counting.tally import Coded, IntArray, Key, Mask, Value, pack, sums, wide


@dataclass(frozen=True, eq=False)
class Classes:
    """The unsuppressed rows, grouped by all quasi-identifiers: one entry for each class.

    Where only the sizes of classes are known, there are no columns, and one entry stands for all classes of a size.
    """

    columns: Mapping[Key, Coded]
    sizes: IntArray
    of_entry: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))  # the class of each published entry
    within: IntArray | None = None  # where these are parts of classes, the class of each
    times: IntArray | None = None  # where an entry stands for several classes, for how many

    @classmethod
    def by_size(cls, histogram: Mapping[int, int]) -> Classes:
        """Make classes of which only the sizes are known."""
        sizes = sorted(histogram)
        many = [histogram[size] for size in sizes]
        return cls({}, np.array(sizes, dtype=np.int64), times=np.array(many, dtype=np.int64))

    def __len__(self) -> int:
        """How many classes there are."""
        return len(self.sizes) if self.times is None else int(self.times.sum())

    @cached_property
    def people(self) -> IntArray:
        """How many rows each entry stands for."""
        return self.sizes if self.times is None else self.sizes * self.times

    @property
    def rows(self) -> int:
        """How many rows there are in all classes."""
        return int(self.people.sum())

    @property
    def all(self) -> Mask:
        """Every entry."""
        return np.ones(len(self.sizes), dtype=bool)

    @cached_property
    def histogram(self) -> dict[int, int]:
        """How many classes there are of each size."""
        if self.times is not None:
            return dict(zip(self.sizes.tolist(), self.times.tolist(), strict=True))
        sizes, classes = np.unique(self.sizes, return_counts=True)
        return dict(zip(sizes.tolist(), classes.tolist(), strict=True))

    def count(self, chosen: Mask) -> int:
        """How many classes some of these entries are, or are parts of."""
        if self.times is not None:
            return int(self.times[chosen].sum())
        return int(chosen.sum()) if self.within is None else len(np.unique(self.within[chosen]))

    def values(self, number: int) -> dict[str, Value]:
        """Give the released values that the rows of a class share."""
        return {str(key): column.values[column.codes[number]] for key, column in self.columns.items()}


def squares(sizes: IntArray) -> int:
    """Add up the squares of sizes; in Python integers, where 64 bits might not do."""
    sizes = wide(sizes, int(sizes.sum()) ** 2)
    return int(sizes @ sizes)


@dataclass(frozen=True, eq=False)
class Spread:
    """How often each value of a sensitive attribute occurs in each class (sparse), and in the whole table."""

    name: str
    values: tuple[Value, ...]
    overall: IntArray  # rows of the whole table with each value; all positive
    classes: Classes
    of_class: IntArray  # the three below are parallel, sorted by class and then by value
    of_value: IntArray
    counts: IntArray
    unpublished: int = 0  # suppressed rows whose cell is suppressed too: they say nothing about this attribute

    @property
    def rows(self) -> int:
        """How many rows the overall distribution counts."""
        return int(self.overall.sum())

    @property
    def sizes(self) -> IntArray:
        """How many rows each class has."""
        return self.classes.sizes

    @cached_property
    def starts(self) -> IntArray:
        """Where the entries of each class start."""
        return np.searchsorted(self.of_class, np.arange(len(self.sizes)))

    @cached_property
    def patterns(self) -> IntArray:
        """Give classes the same number if the same counts occur in them, of whatever values."""
        order = np.lexsort((self.counts, self.of_class))
        counts = self.counts[order]
        values = np.bincount(self.of_class, minlength=len(self.classes))
        patterns = values.copy()
        for rank in range(int(values.max(initial=0))):
            longer = np.flatnonzero(values > rank)
            packed, _ = pack(
                [patterns[longer], counts[self.starts[longer] + rank]], [int(patterns.max()) + 1, int(counts.max()) + 1]
            )
            patterns[longer] = np.unique(packed, return_inverse=True)[1] + len(self.classes) * (rank + 1)
        return patterns

    def likelihoods(self) -> tuple[IntArray, IntArray]:
        """For each entry, with c of s rows in its class and n of N in all, c·N and s·n: their quotient is q/p."""
        largest = int(self.sizes.max(initial=0)) * self.rows
        found, expected = wide(self.counts, largest), wide(self.overall[self.of_value], largest)
        return found * self.rows, expected * self.sizes[self.of_class]

    def _of(self, number: int) -> slice:
        end = self.starts[number + 1] if number + 1 < len(self.starts) else None
        return slice(self.starts[number], end)

    def counts_in(self, number: int) -> IntArray:
        """Give the counts of the values in one class."""
        return self.counts[self._of(number)]

    def entries(self, number: int) -> list[tuple[int, int]]:
        """Give the values of one class, by their place in `values`, with their counts."""
        return list(zip(self.of_value[self._of(number)].tolist(), self.counts_in(number).tolist(), strict=True))

    def shares(self, number: int, entry: tuple[int, int]) -> tuple[Fraction, Fraction]:
        """Give the share that an entry's value has of its class, and that of the whole table."""
        value, count = entry
        return Fraction(count, int(self.sizes[number])), Fraction(int(self.overall[value]), self.rows)

    def nameable(self, number: int, least: int) -> list[tuple[int, int]]:
        """Give the values of one class that enough people hold, such that what is left out is not few people either."""
        entries = sorted(self.entries(number), key=lambda entry: -entry[1])
        named = [entry for entry in entries if entry[1] >= least]
        while named and 0 < sum(count for _, count in entries[len(named) :]) < least:
            named.pop()
        return named

    def regrouped(self, codes: IntArray, values: Sequence[Value]) -> Spread:
        """Put other values in the place of the present ones (`codes` says which for each) and regroup."""
        keys, ids = np.unique(self.of_class * len(values) + codes[self.of_value], return_inverse=True)
        of_class, of_value = np.divmod(keys, len(values) or 1)
        return replace(
            self,
            values=tuple(values),
            overall=sums(codes, self.overall, len(values)),
            of_class=of_class,
            of_value=of_value,
            counts=sums(ids, self.counts, len(keys)),
        )
