"""What an output may show of a release with classes below the threshold.

If every class has enough people, and so have the suppressed rows, everything may be shown. Otherwise an output shows
how many, never where: what names no value stays exact, and a band of counts stands beside a value. No class is named
and nothing stands beside a value if a class could be inferred even so, if scores of levels could disclose how many
people have a value, or if people have several rows.

The *audit* asks for each small class: is there another table consistent with the disclosed output in which that class
does not exist? The output states the number of classes of each size and the band of each value. There are two ways to
build such a table:

- the people of the class *move* to a combination of released values that does not occur, one or two columns away;
- the class *exchanges* its value of a column with another small class, which changes places with the class, or the
  gap, that differs from it in that column only.

Class sizes, and the sensitive values within classes, are the same in both tables. Every value must still occur, stay in
its band, and be replaced by values of the same kind only, so that scores of levels stay the same too.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from PETWorks.errors import PETWorksError
from PETWorks.facts.columns import ReleasedValues, count_released_values
from PETWorks.facts.facts import Facts
from PETWorks.facts.tallies import find_tables
from PETWorks.shown import THRESHOLD, Disclosure, DisclosureLevel, find_edges
from PETWorks.tables.counting.tally import IntArray, Mask

AFFORDABLE = 2 * 10**7  # combinations that are looked up; a table that needs more is not audited
SEED = 20  # of the multipliers that turn combinations into keys


def find_disclosure(facts: Facts, least: int) -> Disclosure:
    """Return what may be shown of these facts, cached."""
    return facts.cache(("discretion", least), lambda: _find_disclosure(facts, least))


def find_disclosure_without_audit(facts: Facts, least: int) -> Disclosure:
    """Return what may be shown, without running the audit: if there are small classes, no counts beside values.

    It is for outputs that show no values and must be fast.
    """
    return facts.cache(
        ("discretion", least),
        lambda: Disclosure(least, _find_level_without_small_classes(facts, least) or DisclosureLevel.UNLABELLED),
    )


def _find_disclosure(facts: Facts, least: int) -> Disclosure:
    told = _find_level_without_small_classes(facts, least)
    if told is DisclosureLevel.EXACT:
        return Disclosure(least, told)
    enough = max(least, THRESHOLD)  # for the public, whatever the analyst may see
    mixed, small = _levels_differ(facts), min(facts.classes.histogram, default=enough) < enough
    return Disclosure(least, told or (DisclosureLevel.UNLABELLED if mixed else _audit(facts, least)), mixed, small)


def _audit(facts: Facts, least: int) -> DisclosureLevel:
    """Return what may be shown beside values if some class is small."""
    if not facts.fits_in_memory or facts.classes.members is not None:  # values count rows, classes people
        return DisclosureLevel.UNLABELLED
    values = (count_released_values(facts, column) for column in facts.roles.quasi_identifiers)
    if any(one.has_few_beside_kinds(least) for one in values):
        return DisclosureLevel.UNLABELLED
    return DisclosureLevel.BANDED if every_small_class_is_ambiguous(facts, least) else DisclosureLevel.UNLABELLED


def _levels_differ(facts: Facts) -> bool:
    """Return True if cells of a column are on different levels; False also if no score of levels can be computed."""
    try:
        return any(not cells.on_one_level for cells in facts.columns.cells_with_levels)
    except PETWorksError:
        return False


def _find_level_without_small_classes(facts: Facts, least: int) -> DisclosureLevel | None:
    """Return the level of disclosure if no class is small; None if one is."""
    if least <= 1:
        return DisclosureLevel.FULL
    if facts.synthetic:  # its rows are published, and nobody's
        return DisclosureLevel.EXACT
    crowds = [*facts.classes.histogram, *([facts.scope.suppressed_people] if facts.scope.suppressed else [])]
    crowds += filter(None, [count_removed_rows(facts)])
    return DisclosureLevel.EXACT if min(crowds, default=least) >= least else None


def count_removed_rows(facts: Facts) -> int:
    """Return how many rows of the original were removed in place of being suppressed; 0 if that is not known."""
    tables = find_tables(facts)
    if not tables.removed:
        return 0
    with suppress(PETWorksError):
        return facts.rows_before - facts.scope.rows
    return 0


def every_small_class_is_ambiguous(facts: Facts, least: int) -> bool:
    """Return True if another table gives the same output without the class, for each class below the threshold.

    False also if the audit takes too long.
    """
    columns = facts.roles.quasi_identifiers
    coded = facts.groups(with_values=True).columns
    values = [count_released_values(facts, column) for column in columns]
    codes = np.array([coded[column].codes for column in columns], dtype=np.int64)
    return _Audit(facts.groups(with_values=True).sizes, codes, [_CountRange.of(one) for one in values], least).passes()


@dataclass(frozen=True, eq=False)
class _CountRange:
    """For each value of a column, how many people it can lose and gain without leaving its band."""

    loses: IntArray
    gains: IntArray
    kinds: IntArray

    @classmethod
    def of(cls, values: ReleasedValues) -> _CountRange:
        low, high = find_edges(values.after)
        loses, gains = values.after - np.maximum(low, 1), high - values.after
        if values.before is not None:
            low, high = find_edges(values.before)
            loses, gains = np.minimum(loses, values.before - low), np.minimum(gains, high - values.before)
        occurs = values.after > 0
        return cls(np.where(occurs, loses, -1), np.where(occurs, gains, -1), values.kinds)

    def can_change(self, people: IntArray, start: IntArray, end: IntArray) -> Mask:
        """Return True where so many people can change from one value to another; if negative, the other way round."""
        forth = (self.loses[start] >= people) & (self.gains[end] >= people)
        back = (self.loses[end] >= -people) & (self.gains[start] >= -people)
        fine: Mask = (start != end) & (self.kinds[start] == self.kinds[end]) & np.where(people > 0, forth, back)
        return fine


@dataclass(frozen=True, eq=False)
class _Audit:
    sizes: IntArray
    codes: IntArray  # by column and class
    ranges: Sequence[_CountRange]
    least: int

    @cached_property
    def _weights(self) -> IntArray:
        return np.random.default_rng(SEED).integers(2**62, size=len(self.ranges), dtype=np.int64)

    @cached_property
    def _keys(self) -> IntArray:
        """A key for each class.

        Different combinations may get the same key. That can hide an alternative table, but never feign one.
        """
        keys: IntArray = (self.codes * self._weights[:, None]).sum(axis=0)  # wraps around
        return keys

    @cached_property
    def _order(self) -> tuple[IntArray, IntArray]:
        order = np.argsort(self._keys)
        return order, self._keys[order]

    def _find_classes(self, keys: IntArray) -> IntArray:
        """Return the class that has each key, or -1."""
        order, keys_in_order = self._order
        place = np.minimum(np.searchsorted(keys_in_order, keys), len(order) - 1)
        return np.where(keys_in_order[place] == keys, order[place], -1)

    @cached_property
    def _small(self) -> IntArray:
        return np.flatnonzero(self.sizes < self.least)

    def passes(self) -> bool:
        """Return True if every small class is ambiguous."""
        waiting, work = self._small, 0
        for column, count_range in enumerate(self.ranges):
            for value in np.argsort(-count_range.gains, kind="stable").tolist():
                work += len(waiting)
                if work > AFFORDABLE or not len(waiting):
                    return not len(waiting)
                waiting = waiting[~self._can_move(waiting, column, value)]
        pairs = sum(len(one.loses) * len(other.loses) for one, other in combinations(self.ranges, 2))
        if len(waiting) * (pairs + len(self.ranges) * len(self._small)) > AFFORDABLE:
            return False
        return all(self._can_move_far(one) or self._can_exchange(one) for one in waiting.tolist())

    def _can_move(self, classes: IntArray, column: int, value: int) -> Mask:
        """Return True for each class that can take a value of a column where that combination does not occur."""
        count_range, own = self.ranges[column], self.codes[column, classes]
        able = count_range.can_change(self.sizes[classes], own, np.full(len(classes), value))
        keys = self._keys[classes[able]] + (value - own[able]) * self._weights[column]
        able[able] = self._find_classes(keys) < 0
        return able

    def _can_move_far(self, one: int) -> bool:
        """Return True if the people of a class can take other values of two columns."""
        targets = [self._find_targets(one, column) for column in range(len(self.ranges))]
        for first, second in combinations(targets, 2):
            if (self._find_classes((self._keys[one] + first[:, None] + second).ravel()) < 0).any():
                return True
        return False

    def _find_targets(self, one: int, column: int) -> IntArray:
        """Return how the key of a class changes with each value that its people could take."""
        count_range, own = self.ranges[column], self.codes[column, one]
        values = np.arange(len(count_range.loses))
        able = count_range.can_change(self.sizes[one], np.full(len(values), own), values)
        changes: IntArray = (values[able] - own) * self._weights[column]
        return changes

    def _can_exchange(self, one: int) -> bool:
        """Return True if the class can exchange its value of a column with that of another small class."""
        for column, count_range in enumerate(self.ranges):
            own, theirs = self.codes[column, one], self.codes[column, self._small]
            change = (theirs - own) * self._weights[column]
            counterpart = self._find_classes(self._keys[self._small] - change)
            gone = np.where(counterpart >= 0, self.sizes[counterpart], 0)
            net = self.sizes[one] - self.sizes[self._small] + gone
            able = (self._find_classes(self._keys[one] + change) < 0) & (gone < self.least)
            if (able & count_range.can_change(net, np.full(len(theirs), own), theirs)).any():
                return True
        return False
