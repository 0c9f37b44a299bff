"""Audit: could every small class be another one, for all that a guarded output tells?

An output that tells how many classes there are of each size, and in which band each value occurs, still lets some
classes be worked out. So each small class needs an *alibi*: a second table that the output fits just as well, in which
the class does not exist. There are two ways to make one:

- the people of the class *go* to a combination of released values that does not occur, one or two columns away;
- the class *exchanges* its value of a column with another small class, which changes places with the class, or the
  gap, that differs from it in that column only.

Class sizes, and the sensitive values within classes, are the same in both tables. Every value must still occur, stay in
its band, and be replaced by values of the same kind only, so that scores of levels stay the same too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from PETWorks.counting.tally import IntArray, Mask
from PETWorks.facts.bands import edges
from PETWorks.facts.released_values import ReleasedValues, released_values

if TYPE_CHECKING:
    from PETWorks.facts.facts import Facts

AFFORDABLE = 2 * 10**7  # combinations that are looked up; a table that needs more is not audited
SEED = 20  # of the multipliers that turn combinations into keys


def all_have_alibis(facts: Facts, least: int) -> bool:
    """Return True if each class of fewer than `least` people has an alibi; False also if finding out takes too long."""
    columns = facts.roles.quasi_identifiers
    coded = facts.known_classes.columns
    values = [released_values(facts, column) for column in columns]
    codes = np.array([coded[column].codes for column in columns], dtype=np.int64)
    return _Audit(facts.known_classes.sizes, codes, [_Room.of(one) for one in values], least).passes()


@dataclass(frozen=True, eq=False)
class _Room:
    """For each value of a column, how many people it can lose and gain without leaving its band."""

    loses: IntArray
    gains: IntArray
    kinds: IntArray

    @classmethod
    def of(cls, values: ReleasedValues) -> _Room:
        low, high = edges(values.after)
        loses, gains = values.after - np.maximum(low, 1), high - values.after
        if values.before is not None:
            low, high = edges(values.before)
            loses, gains = np.minimum(loses, values.before - low), np.minimum(gains, high - values.before)
        occurs = values.after > 0
        return cls(np.where(occurs, loses, -1), np.where(occurs, gains, -1), values.kinds)

    def lets(self, people: IntArray, start: IntArray, end: IntArray) -> Mask:
        """Return True where so many people can change from one value to another; if negative, the other way round."""
        forth = (self.loses[start] >= people) & (self.gains[end] >= people)
        back = (self.loses[end] >= -people) & (self.gains[start] >= -people)
        fine: Mask = (start != end) & (self.kinds[start] == self.kinds[end]) & np.where(people > 0, forth, back)
        return fine


@dataclass(frozen=True, eq=False)
class _Audit:
    sizes: IntArray
    codes: IntArray  # by column and class
    rooms: Sequence[_Room]
    least: int

    @cached_property
    def _weights(self) -> IntArray:
        return np.random.default_rng(SEED).integers(2**62, size=len(self.rooms), dtype=np.int64)

    @cached_property
    def _keys(self) -> IntArray:
        """A key for each class. Different combinations may get the same key: that can hide an alibi, not feign one."""
        keys: IntArray = (self.codes * self._weights[:, None]).sum(axis=0)  # wraps around
        return keys

    @cached_property
    def _order(self) -> tuple[IntArray, IntArray]:
        order = np.argsort(self._keys)
        return order, self._keys[order]

    def _found(self, keys: IntArray) -> IntArray:
        """Return the class that has each key, or -1."""
        order, keys_in_order = self._order
        place = np.minimum(np.searchsorted(keys_in_order, keys), len(order) - 1)
        return np.where(keys_in_order[place] == keys, order[place], -1)

    @cached_property
    def _small(self) -> IntArray:
        return np.flatnonzero(self.sizes < self.least)

    def passes(self) -> bool:
        """Return True if every small class has an alibi."""
        waiting, work = self._small, 0
        for column, room in enumerate(self.rooms):
            for value in np.argsort(-room.gains, kind="stable").tolist():
                work += len(waiting)
                if work > AFFORDABLE or not len(waiting):
                    return not len(waiting)
                waiting = waiting[~self._goes(waiting, column, value)]
        pairs = sum(len(one.loses) * len(other.loses) for one, other in combinations(self.rooms, 2))
        if len(waiting) * (pairs + len(self.rooms) * len(self._small)) > AFFORDABLE:
            return False
        return all(self._goes_far(one) or self._exchanges(one) for one in waiting.tolist())

    def _goes(self, classes: IntArray, column: int, value: int) -> Mask:
        """Return True for each class that can take on a value of a column, where that combination does not occur."""
        room, own = self.rooms[column], self.codes[column, classes]
        able = room.lets(self.sizes[classes], own, np.full(len(classes), value))
        keys = self._keys[classes[able]] + (value - own[able]) * self._weights[column]
        able[able] = self._found(keys) < 0
        return able

    def _goes_far(self, one: int) -> bool:
        """Return True if the people of a class can take on other values of two columns."""
        targets = [self._targets(one, column) for column in range(len(self.rooms))]
        for first, second in combinations(targets, 2):
            if (self._found((self._keys[one] + first[:, None] + second).ravel()) < 0).any():
                return True
        return False

    def _targets(self, one: int, column: int) -> IntArray:
        """Return how the key of a class changes with each value that its people could take on."""
        room, own = self.rooms[column], self.codes[column, one]
        values = np.arange(len(room.loses))
        able = room.lets(self.sizes[one], np.full(len(values), own), values)
        changes: IntArray = (values[able] - own) * self._weights[column]
        return changes

    def _exchanges(self, one: int) -> bool:
        """Return True if the class can exchange its value of a column with that of another small class."""
        for column, room in enumerate(self.rooms):
            own, theirs = self.codes[column, one], self.codes[column, self._small]
            change = (theirs - own) * self._weights[column]
            counterpart = self._found(self._keys[self._small] - change)
            gone = np.where(counterpart >= 0, self.sizes[counterpart], 0)
            net = self.sizes[one] - self.sizes[self._small] + gone
            able = (self._found(self._keys[one] + change) < 0) & (gone < self.least)
            if (able & room.lets(net, np.full(len(theirs), own), theirs)).any():
                return True
        return False
