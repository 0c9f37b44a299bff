"""The distribution of a sensitive attribute over the classes of a release."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np

from PETWorks.facts.classes import Classes, FinerClasses
from PETWorks.tables.counting.persons import PersonPairs
from PETWorks.tables.counting.tally import IntArray, Mask, Tally, Value, find_distinct, pack, sum_by_group, widen

AnyClasses = Classes | FinerClasses


@dataclass(frozen=True, eq=False)
class PeopleByClassAndValue:
    """The people of each class by value, if people have several rows: distinct triples of class, person and value."""

    of_class: IntArray
    of_person: IntArray
    of_value: IntArray  # as an index into the values of the spread
    overall: tuple[IntArray, IntArray]  # the distinct pairs of person and value in the whole table
    people: int  # persons have the numbers below this one


@dataclass(frozen=True, eq=False)
class Spread:
    """The counts of each value of a sensitive attribute in each class (sparse), and in the whole table.

    If people have several rows, people are counted: those of a class who have the value in one of their rows there, and
    those who have it in any row. One person may have several values, so the counts of a class may add up to more than
    its size; `by_shares` divides by their sum instead.
    """

    name: str
    values: tuple[Value, ...]
    overall: IntArray  # rows of the whole table with each value; all positive
    classes: AnyClasses  # the classes over which the values are distributed
    of_class: IntArray  # the class of each entry; entries are sorted by class, then by value
    of_value: IntArray  # the value of each entry, as an index into `values`
    counts: IntArray  # the number of rows of each entry
    unpublished: int  # suppressed rows whose cell is suppressed too, so that they have no value
    holders: PeopleByClassAndValue | None = None  # None: nobody has several rows
    adding_up: bool = False  # True: counts are divided by their sum, not by the number of people

    @cached_property
    def rows(self) -> int:
        """The number of rows, or people, in the overall distribution."""
        if self.holders is None or self.adding_up:
            return int(self.overall.sum())
        return int(np.count_nonzero(np.bincount(self.holders.overall[0])))

    @cached_property
    def sizes(self) -> IntArray:
        """The number of rows, or people, of each class."""
        if self.holders is None or not self.adding_up:
            return self.classes.sizes
        return sum_by_group(self.of_class, self.counts, len(self.classes.sizes))

    @cached_property
    def by_shares(self) -> Spread:
        """The distribution whose shares add up to 1 in each class, and overall."""
        return self if self.holders is None else replace(self, adding_up=True)

    @cached_property
    def starts(self) -> IntArray:
        """The index of the first entry of each class."""
        return np.searchsorted(self.of_class, np.arange(len(self.sizes)))

    @cached_property
    def fewest_holders(self) -> IntArray:
        """For each class, the smallest number of people who share one of its values."""
        return np.minimum.reduceat(self.counts, self.starts) if len(self.starts) else self.counts

    @cached_property
    def patterns(self) -> IntArray:
        """A number for each class, which is the same for classes with the same counts, whatever their values."""
        order = np.lexsort((self.counts, self.of_class))
        counts = self.counts[order]
        values = np.bincount(self.of_class)
        patterns = values.copy()
        for rank in range(int(values.max(initial=0))):
            longer = np.flatnonzero(values > rank)
            packed, _ = pack(
                [patterns[longer], counts[self.starts[longer] + rank]], [int(patterns.max()) + 1, int(counts.max()) + 1]
            )
            patterns[longer] = np.unique(packed, return_inverse=True)[1] + len(self.classes) * (rank + 1)
        return patterns

    def likelihoods(self) -> tuple[IntArray, IntArray]:
        """Return c·N and s·n for each entry: its value occurs in c of s rows of its class, in n of all N rows.

        The quotient of these two is the value's share of the class divided by its share of the whole table.
        """
        largest = int(self.sizes.max(initial=0)) * self.rows
        found, expected = widen(self.counts, largest), widen(self.overall[self.of_value], largest)
        return found * self.rows, expected * self.sizes[self.of_class]

    def _slice_class(self, index: int) -> slice:
        end = self.starts[index + 1] if index + 1 < len(self.starts) else None
        return slice(self.starts[index], end)

    def counts_in(self, index: int) -> IntArray:
        """Return the counts of the values in one class."""
        return self.counts[self._slice_class(index)]

    def entries(self, index: int) -> list[tuple[int, int]]:
        """Return the values of one class, as indices into `values`, with their counts."""
        return list(zip(self.of_value[self._slice_class(index)].tolist(), self.counts_in(index).tolist(), strict=True))

    def shares(self, index: int, entry: tuple[int, int]) -> tuple[Fraction, Fraction]:
        """Return an entry's share of its class, and of the whole table."""
        value, count = entry
        return Fraction(count, int(self.sizes[index])), Fraction(int(self.overall[value]), self.rows)

    def find_nameable(self, index: int, least: int) -> list[tuple[int, int]]:
        """Return the values of one class that at least `least` people have, with their counts.

        Further values are left out if otherwise fewer than `least` people would be left out: they could be inferred.
        """
        entries = sorted(self.entries(index), key=lambda entry: -entry[1])
        named = [entry for entry in entries if entry[1] >= least]
        together = sum if self.holders is None else max  # people with several of the values must not count twice
        while named and 0 < together([0, *(count for _, count in entries[len(named) :])]) < least:
            named.pop()
        return named

    def count_others(self, index: int, named: Sequence[int]) -> int:
        """Count the people of one class with other values than the named ones, each once."""
        if (holders := self.holders) is None:
            return sum(count for value, count in self.entries(index) if value not in named)
        here = (holders.of_class == index) & ~np.isin(holders.of_value, named)
        return len(np.unique(holders.of_person[here]))

    def regroup(self, codes: IntArray, values: Sequence[Value]) -> Spread:
        """Replace each value by another (`codes` has the index of each new value) and regroup."""
        keys, ids = np.unique(self.of_class * len(values) + codes[self.of_value], return_inverse=True)
        of_class, of_value = np.divmod(keys, len(values))
        return replace(
            self,
            values=tuple(values),
            overall=sum_by_group(codes, self.overall, len(values)),
            of_class=of_class,
            of_value=of_value,
            counts=sum_by_group(ids, self.counts, len(keys)),
        )

    def merge(self, codes: IntArray, values: Sequence[Value]) -> Spread:
        """Merge values that mean the same; a person with several of them then counts once."""
        if (holders := self.holders) is None or len(values) == len(self.values):
            return self.regroup(codes, values)
        person, value = holders.overall
        held = replace(holders, of_value=codes[holders.of_value], overall=(person, codes[value]))
        return count_people_once(replace(self, values=tuple(values)), held)


def count_people_once(spread: Spread, held: PeopleByClassAndValue) -> Spread:
    """Return a spread that counts each person once for each value, in a class and overall; `held` may repeat them."""
    many = max(len(spread.values), 1)
    person, value = np.divmod(find_distinct(held.overall[0].astype(np.int64) * many + held.overall[1]), many)
    sizes = [max(len(spread.classes.sizes), 1), max(held.people, 1), many]
    packed, unpack = pack([held.of_class, held.of_person, held.of_value], sizes)
    of_class, of_person, of_value = unpack(find_distinct(packed))
    keys, counts = np.unique(of_class.astype(np.int64) * many + of_value, return_counts=True)
    entry_class, entry_value = np.divmod(keys, many)
    return replace(
        spread,
        overall=np.bincount(value, minlength=len(spread.values)),
        of_class=entry_class,
        of_value=entry_value,
        counts=counts,
        holders=PeopleByClassAndValue(of_class, of_person, of_value, (person, value), held.people),
    )


def count_people_by_value(
    name: str, released: Tally, persons: PersonPairs, classes: AnyClasses, hidden: tuple[Mask, Mask]
) -> Spread:
    """Count the people by their values of a sensitive attribute.

    `hidden` has two masks of the entries of the release: suppressed ones, and those that publish no value of it.
    """
    column, (suppressed, unpublished) = released.columns[name], hidden
    occurs = np.bincount(column.codes[~unpublished], minlength=len(column.values)) > 0
    used, of_value = np.flatnonzero(occurs), (np.cumsum(occurs) - 1)[column.codes]
    none, values = np.zeros(0, dtype=np.int64), tuple(column.values[code] for code in used.tolist())
    empty = Spread(name, values, none, classes, none, none, none, int(released.counts[unpublished].sum()))
    shown, here = ~unpublished[persons.of_entry], persons.where(~suppressed)
    overall = persons.of_person[shown], of_value[persons.of_entry[shown]]
    in_class = of_value[~suppressed][here.of_entry]
    of_class = classes.find_groups_of_pairs(here)
    return count_people_once(empty, PeopleByClassAndValue(of_class, here.of_person, in_class, overall, persons.people))


def count_rows_by_value(name: str, released: Tally, published: Tally, classes: AnyClasses, hidden: Mask) -> Spread:
    """Count the rows by their values of a sensitive attribute, in each class and overall.

    `hidden` chooses the entries of the release that publish no value of it: suppressed rows with a suppressed cell.
    """
    column, counts = released.columns[name], released.counts
    overall = sum_by_group(column.codes[~hidden], counts[~hidden], len(column.values))
    packed = classes.of_entry * len(column.values) + published.columns[name].codes
    keys, entries = np.unique(packed, return_inverse=True)
    of_class, of_value = np.divmod(keys, len(column.values))
    used = np.flatnonzero(overall)
    place = np.cumsum(overall > 0) - 1
    return Spread(
        name,
        tuple(column.values[code] for code in used.tolist()),
        overall[used],
        classes,
        of_class,
        place[of_value],
        sum_by_group(entries, published.counts, len(keys)),
        int(counts[hidden].sum()),
    )
