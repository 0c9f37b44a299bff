"""Disclosure control of a comparison: what may be shown of several releases together.

The counts of a single release may be exact if all its classes have enough people. Beside another release, counts of one
column could be subtracted from those of the other. So a count stands beside a value only if no release has a small
class and, for that column, every combination of labels of all releases has enough people; else a band. Nothing stands
beside a value of any release

- if people have several rows: counts beside values are of rows, and would have to be judged by people;
- if few people are suppressed in one release and not in another: subtraction would leave these people;
- if a small class of one release has no alternative explanation that agrees with the other releases. It has one if its
  people could have another value of a column, that combination does not occur, and somebody has this value with their
  labels in the other releases.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations

import numpy as np

from PETWorks.evaluation.comparison.comparison import JointTable
from PETWorks.facts.columns import count_released_values
from PETWorks.facts.disclosure import Disclosure, DisclosureLevel, find_disclosure
from PETWorks.facts.facts import Facts
from PETWorks.facts.notes import find_edges
from PETWorks.tables.counting.tally import IntArray

MAX_LOOKUPS = 10**7  # most combinations that are looked up; releases that need more are shown without labels


@dataclass(frozen=True)
class JointDisclosure:
    """What may be shown of each column of each release."""

    least: int
    by_release: tuple[Mapping[str, Disclosure], ...]

    @property
    def labels(self) -> bool:
        """True if bands or counts may stand beside values."""
        return any(may.names_classes for one in self.by_release for may in one.values())

    @property
    def counts(self) -> bool:
        """True if every count may stand beside its value."""
        return all(may.shows_counts for one in self.by_release for may in one.values())


def find_joint_disclosure(releases: Sequence[Facts], joint: JointTable | None, least: int) -> JointDisclosure:
    """Find what may be shown of several releases together."""
    columns = releases[0].roles.quasi_identifiers
    own = [find_disclosure(facts, least) for facts in releases]
    if least <= 1:
        return JointDisclosure(least, tuple(dict.fromkeys(columns, may) for may in own))
    small = [number for number, may in enumerate(own) if may.level is not DisclosureLevel.EXACT]
    several = any(facts.people_summary is not None for facts in releases)  # the joint table counts rows, not people
    hidden = joint is None or several or any(not may.names_classes for may in own) or _few_differ(joint, least)
    if hidden or any(
        not _every_small_class_is_ambiguous(releases[number], joint, number, least) for number in small if joint
    ):
        return JointDisclosure(
            least, ({column: Disclosure(least, DisclosureLevel.UNLABELLED) for column in columns},) * len(own)
        )
    assert joint is not None  # noqa: S101
    exact = [column for column in columns if not small and joint.count_fewest(column) >= least]
    told = {
        column: Disclosure(least, DisclosureLevel.EXACT if column in exact else DisclosureLevel.BANDED)
        for column in columns
    }
    return JointDisclosure(least, (told,) * len(own))


def _few_differ(joint: JointTable, least: int) -> bool:
    """Return True if fewer than `least` people are suppressed in one release and not in another."""
    suppressed = [joint.find_suppressed(number) for number in range(len(joint.markers))]
    people = [int(joint.tally.counts[one & ~other].sum()) for one, other in permutations(suppressed, 2)]
    return any(0 < many < least for many in people)


def _every_small_class_is_ambiguous(facts: Facts, joint: JointTable, number: int, least: int) -> bool:
    """Return True if each small class has an alternative explanation that agrees with the output of all releases."""
    ids, classes = joint.group_classes(number)
    sizes, columns = classes.counts, joint.columns
    codes = np.array([classes.columns[key].codes for key in classes.columns], dtype=np.int64)
    suppressed = np.zeros(len(sizes), dtype=bool)
    suppressed[ids] = joint.find_suppressed(number)
    small = np.flatnonzero((sizes < least) & ~suppressed)
    rooms = [_JointCountRange.of(facts, joint, number, column) for column in columns]
    if len(small) * sum(len(room.loses) for room in rooms) > MAX_LOOKUPS:
        return False
    occurring = set(map(tuple, codes.T.tolist()))
    pieces: dict[int, list[int]] = {one: [] for one in small.tolist()}
    for entry in np.flatnonzero(np.isin(ids, small)).tolist():
        pieces[int(ids[entry])].append(entry)
    return all(_can_move(codes[:, one], int(sizes[one]), entries, rooms, occurring) for one, entries in pieces.items())


def _can_move(
    own: IntArray,
    people: int,
    entries: Sequence[int],
    rooms: Sequence[_JointCountRange],
    occurring: set[tuple[int, ...]],
) -> bool:
    """Return True if the people of a class can take on another value of some column."""
    combination = own.tolist()
    for column, room in enumerate(rooms):
        for value in room.find_targets(combination[column], people, entries):
            if (*combination[:column], value, *combination[column + 1 :]) not in occurring:
                return True
    return False


@dataclass(frozen=True, eq=False)
class _JointCountRange:
    """By value of a column: how many people it can lose and gain within its band, and its kind."""

    loses: IntArray
    gains: IntArray
    kinds: IntArray
    others: IntArray  # by combination of the joint table, the number of its labels in the other releases
    fitting: set[tuple[int, int]]  # values, and labels of other releases, that occur together

    @classmethod
    def of(cls, facts: Facts, joint: JointTable, number: int, column: str) -> _JointCountRange:
        found, coded = count_released_values(facts, column), joint.take_labels(number, column)
        place = {value: index for index, value in enumerate(found.values)}
        order = np.array([place.get(value, -1) for value in coded.values])  # -1: of suppressed rows only
        after = np.where(order < 0, 0, found.after[order])
        low, high = find_edges(after)
        loses, gains = after - np.maximum(low, 1), high - after
        if found.before is not None:
            before = found.before[order]
            low, high = find_edges(before)
            loses, gains = np.minimum(loses, before - low), np.minimum(gains, high - before)
        occurs = after > 0
        others = joint.number_others(number, column)
        fitting = set(zip(coded.codes.tolist(), others.tolist(), strict=True))
        return cls(np.where(occurs, loses, -1), np.where(occurs, gains, -1), found.kinds[order], others, fitting)

    def find_targets(self, own: int, people: int, entries: Sequence[int]) -> list[int]:
        """Return the values that a number of people could have instead of their own."""
        if self.loses[own] < people:
            return []
        able = (self.gains >= people) & (self.kinds == self.kinds[own])
        able[own] = False
        beside = set(self.others[list(entries)].tolist())
        return [value for value in np.flatnonzero(able).tolist() if all((value, one) in self.fitting for one in beside)]
