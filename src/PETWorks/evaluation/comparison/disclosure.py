"""How much may be told of several releases together.

A release by itself may be told exactly if all its classes have enough people. Beside another release, counts of one
column could be subtracted from those of the other. So a count stands beside a value only if no release has a small
class and, for that column, every combination of labels of all releases has enough people; else a band. Nothing stands
beside a value of any release

- if people have several rows: counts beside values are of rows, and would have to be judged by people;
- if few people are suppressed in one release and not in another: they are what subtraction would leave;
- if a small class of one release has no alibi that the other releases fit too: its people could have another value of
  a column, where that combination does not occur, and where somebody has that value and their labels elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations

import numpy as np

from PETWorks.evaluation.comparison.comparison import Joint
from PETWorks.facts.columns import released_values
from PETWorks.facts.disclosure import Discretion, Telling, discretion
from PETWorks.facts.facts import Facts
from PETWorks.facts.notes import edges
from PETWorks.tables.counting.tally import IntArray

AFFORDABLE = 10**7  # combinations that are looked up; releases that need more are told without labels


@dataclass(frozen=True)
class Together:
    """What may be told of each column of each release."""

    least: int
    by_release: tuple[Mapping[str, Discretion], ...]

    @property
    def labels(self) -> bool:
        """True if something may stand beside values."""
        return any(may.names for one in self.by_release for may in one.values())

    @property
    def counts(self) -> bool:
        """True if every count may stand beside its value."""
        return all(may.counts for one in self.by_release for may in one.values())


def together(releases: Sequence[Facts], joint: Joint | None, least: int) -> Together:
    """Find out how much may be told of several releases."""
    columns = releases[0].roles.quasi_identifiers
    own = [discretion(facts, least) for facts in releases]
    if least <= 1:
        return Together(least, tuple(dict.fromkeys(columns, may) for may in own))
    small = [number for number, may in enumerate(own) if may.telling is not Telling.EXACT]
    several = any(facts.crowd is not None for facts in releases)  # the joint table counts rows, not people
    hidden = joint is None or several or any(not may.names for may in own) or _few_differ(joint, least)
    if hidden or any(not _has_alibis(releases[number], joint, number, least) for number in small if joint):
        return Together(least, ({column: Discretion(least, Telling.NO_LABELS) for column in columns},) * len(own))
    assert joint is not None  # noqa: S101
    exact = [column for column in columns if not small and joint.fewest(column) >= least]
    told = {column: Discretion(least, Telling.EXACT if column in exact else Telling.BANDS) for column in columns}
    return Together(least, (told,) * len(own))


def _few_differ(joint: Joint, least: int) -> bool:
    """Return True if few people are suppressed in one release and not in another: they are what subtraction leaves."""
    suppressed = [joint.suppressed(number) for number in range(len(joint.markers))]
    people = [int(joint.tally.counts[one & ~other].sum()) for one, other in permutations(suppressed, 2)]
    return any(0 < many < least for many in people)


def _has_alibis(facts: Facts, joint: Joint, number: int, least: int) -> bool:
    """Return True if the people of each small class could have another value, for all that is told of all releases."""
    ids, classes = joint.classes(number)
    sizes, columns = classes.counts, joint.columns
    codes = np.array([classes.columns[key].codes for key in classes.columns], dtype=np.int64)
    suppressed = np.zeros(len(sizes), dtype=bool)
    suppressed[ids] = joint.suppressed(number)
    small = np.flatnonzero((sizes < least) & ~suppressed)
    rooms = [_Room.of(facts, joint, number, column) for column in columns]
    if len(small) * sum(len(room.loses) for room in rooms) > AFFORDABLE:
        return False
    occurring = set(map(tuple, codes.T.tolist()))
    pieces: dict[int, list[int]] = {one: [] for one in small.tolist()}
    for entry in np.flatnonzero(np.isin(ids, small)).tolist():
        pieces[int(ids[entry])].append(entry)
    return all(_moves(codes[:, one], int(sizes[one]), entries, rooms, occurring) for one, entries in pieces.items())


def _moves(
    own: IntArray, people: int, entries: Sequence[int], rooms: Sequence[_Room], occurring: set[tuple[int, ...]]
) -> bool:
    """Return True if the people of a class can take on another value of some column."""
    combination = own.tolist()
    for column, room in enumerate(rooms):
        for value in room.targets(combination[column], people, entries):
            if (*combination[:column], value, *combination[column + 1 :]) not in occurring:
                return True
    return False


@dataclass(frozen=True, eq=False)
class _Room:
    """For each value of a column, how many people it can lose and gain within its band, and its kind."""

    loses: IntArray
    gains: IntArray
    kinds: IntArray
    others: IntArray  # for each combination of the joint table, the number of its labels in the other releases
    fitting: set[tuple[int, int]]  # values, and labels of other releases, that occur together

    @classmethod
    def of(cls, facts: Facts, joint: Joint, number: int, column: str) -> _Room:
        found, coded = released_values(facts, column), joint.labels(number, column)
        place = {value: index for index, value in enumerate(found.values)}
        order = np.array([place.get(value, -1) for value in coded.values])  # -1: of suppressed rows only
        after = np.where(order < 0, 0, found.after[order])
        low, high = edges(after)
        loses, gains = after - np.maximum(low, 1), high - after
        if found.before is not None:
            before = found.before[order]
            low, high = edges(before)
            loses, gains = np.minimum(loses, before - low), np.minimum(gains, high - before)
        occurs = after > 0
        others = joint.others(number, column)
        fitting = set(zip(coded.codes.tolist(), others.tolist(), strict=True))
        return cls(np.where(occurs, loses, -1), np.where(occurs, gains, -1), found.kinds[order], others, fitting)

    def targets(self, own: int, people: int, entries: Sequence[int]) -> list[int]:
        """Return the values that so many people could take on instead of their own."""
        if self.loses[own] < people:
            return []
        able = (self.gains >= people) & (self.kinds == self.kinds[own])
        able[own] = False
        beside = set(self.others[list(entries)].tolist())
        return [value for value in np.flatnonzero(able).tolist() if all((value, one) in self.fitting for one in beside)]
