"""Bounds: what privacy measures yield. A score for every class, and the side of the limit where every score must be.

Floats decide the clear cases only. Scores close to the limit, or to the worst score, are compared exactly.

>>> from PETWorks.exact.scores import Ratios
>>> from PETWorks.facts.size_groups import SizeGroups
>>> bound = Bound(Side.AT_MOST, "1/2", Ratios(np.array([1, 2]), np.array([2, 3])), SizeGroups.of({2: 1, 3: 1}))
>>> bound.scores.exact(bound.worst()), bound.fails
(Fraction(2, 3), array([False,  True]))
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, cmp_to_key
from itertools import pairwise
from typing import Any

import numpy as np

from PETWorks.counting.persons import Persons
from PETWorks.counting.tally import IntArray, Mask
from PETWorks.exact.limit import Limit, Number, Side
from PETWorks.exact.scores import FloatArray, Scores
from PETWorks.facts.classes import ClassParts, FinerClasses, Groups
from PETWorks.facts.discretion import Discretion, Telling
from PETWorks.facts.facts import Facts
from PETWorks.facts.notes import Note, PeopleCounts

CLOSE = 1e-9  # relative difference below which scores are compared exactly; far above float rounding errors


@dataclass(frozen=True, eq=False)
class Bound:
    """The scores of all classes, and the limit they must keep, if one is set."""

    side: Side
    limit: Number | None
    scores: Scores
    classes: Groups  # the scored classes
    part: str = ""
    leads: bool = True  # False: the value of the measure does not come from this bound
    hopeless: Mask | None = None  # classes that fail for every limit
    notes: tuple[Note, ...] = ()
    figures: Mapping[str, Any] = field(default_factory=dict)
    people: IntArray | None = None  # by class, the fewest people its score reveals something about; None: its size
    by_size: bool = False  # True: scores depend on class sizes only, which are never withheld

    @property
    def badness(self) -> FloatArray:
        """Floats that are larger for worse classes."""
        bad = self.scores.approximate if self.side.high_is_bad else -self.scores.approximate
        return bad if self.hopeless is None else np.where(self.hopeless, np.inf, bad)

    @property
    def any_hopeless(self) -> bool:
        """True if some class fails for every limit."""
        return self.hopeless is not None and bool(self.hopeless.any())

    def nameable(self, discretion: Discretion) -> Mask:
        """Return a mask of the classes whose values may be told; parts of classes only where counts may be."""
        if not self.classes.can_be_described or not discretion.names:
            return ~self.classes.all
        if discretion.telling is Telling.EVERYTHING:  # a population's class may have no people of the release
            return self.classes.all
        people = self.classes.sizes if self.people is None else self.people
        whole = discretion.counts or not isinstance(self.classes, ClassParts)
        named: Mask = (people >= discretion.least) & whole
        return named

    def worst(self) -> int | None:
        """Return the index of the first class with the worst score; None if there are no classes."""
        if not len(self.badness):
            return None
        if self.any_hopeless:
            return int(self.badness.argmax())
        largest = self.badness.max()
        close = np.flatnonzero(self.badness >= largest - CLOSE * (1 + abs(largest)))
        candidates = np.sort(self.scores.alike(close)[0])  # few: most classes of equal scores have equal marks
        worst = max if self.side.high_is_bad else min
        return int(worst(candidates.tolist(), key=cmp_to_key(self.scores.difference)))

    def alike(self, index: int) -> IntArray:
        """Return the indices of the classes that have the same score as the given class."""
        if self.hopeless is not None and self.hopeless[index]:
            return np.flatnonzero(self.hopeless)
        own = self.badness[index]
        close = np.flatnonzero(np.abs(self.badness - own) <= CLOSE * (1 + abs(own)))
        distinct, like = self.scores.alike(close)
        same = np.array([self.scores.difference(index, other) == 0 for other in distinct.tolist()])
        found: IntArray = close[same[like]]
        return found

    @cached_property
    def fails(self) -> Mask:
        """A mask of the classes whose score is on the wrong side of the limit."""
        if self.limit is None:
            return ~self.classes.all
        limit = Limit.of(self.limit)
        if (relations := self.scores.relations(limit)) is not None:
            wrong = ~np.array([self.side.allows(relation) for relation in (0, 1, -1)])
            return wrong[relations] if self.hopeless is None else wrong[relations] | self.hopeless
        badness, edge = self.badness, float(limit) if self.side.high_is_bad else -float(limit)
        failing = badness > edge
        close = np.flatnonzero(np.abs(badness - edge) <= CLOSE * (1 + abs(edge)))
        if len(close):
            distinct, like = self.scores.alike(close)
            beyond = [not self.side.allows(self.scores.compare(index, limit)) for index in distinct.tolist()]
            failing[close] = np.array(beyond)[like]
        return failing

    def order(self, most: int) -> list[int]:
        """Return the indices of at most `most` classes, worst first; of equal scores, the larger class first."""
        if not (most := min(most, len(self.badness))):
            return []
        least = np.partition(self.badness, -most)[-most]
        close = CLOSE * (1 + abs(least)) if np.isfinite(least) else 0
        bad = np.flatnonzero(self.badness >= least - close)
        worst: list[int] = bad[np.lexsort((-self.classes.sizes[bad], self._ranks(bad)))][:most].tolist()
        return worst

    def _ranks(self, indices: IntArray) -> IntArray:
        """Return, for some classes, the ranks of their scores: equal if the scores are, smaller if they are worse."""
        ranks = np.full(len(indices), -1)  # of those that fail for every limit
        known = np.ones(len(indices), dtype=bool) if self.hopeless is None else ~self.hopeless[indices]
        distinct, like = self.scores.alike(indices[known])
        sign = -1 if self.side.high_is_bad else 1

        def difference(one: int, other: int) -> int:
            return sign * self.scores.difference(one, other)

        compared = cmp_to_key(difference)
        order = sorted(distinct.tolist(), key=compared)
        steps = [compared(one) < compared(other) for one, other in pairwise(order)]
        rank = dict(zip(order, np.cumsum([0, *steps]).tolist(), strict=False))
        ranks[known] = np.array([rank[index] for index in distinct.tolist()], dtype=np.int64)[like]
        return ranks


def failing_classes(bounds: Iterable[Bound], facts: Facts) -> Mask:
    """Return a mask of the release's classes that fail any of the bounds, even if only some of their rows do."""
    failing = ~facts.classes.all
    for bound in bounds:
        failing |= bound.classes.in_release(bound.fails)
    return failing


def failing_counts(bounds: Iterable[Bound], facts: Facts) -> dict[str, Any]:
    """Count the groups that fail any of the bounds, all groups that were judged, and the rows in failing groups.

    If people have several rows, also the people in failing groups, and all that were judged.
    """
    by_groups: dict[int, tuple[Groups, list[Mask]]] = {}
    for bound in bounds:
        by_groups.setdefault(id(bound.classes), (bound.classes, []))[1].append(bound.fails)
    failing = [(groups, np.any(masks, axis=0)) for groups, masks in by_groups.values()]
    counts = {
        "failing_classes": sum(groups.count(mask) for groups, mask in failing),
        "judged_classes": sum(groups.count(groups.all) for groups, _ in failing),
    }
    if len(failing) == 1:
        groups, mask = failing[0]
        people = groups.people_counts(mask)
        return counts | {"failing_rows": groups.rows_in(mask)} | ({"persons": people} if people else {})
    if (persons := facts.published_persons) is not None:
        pairs = np.any([_chosen_pairs(groups, mask, facts, persons) for groups, mask in failing], axis=0)
        found = PeopleCounts(int(np.count_nonzero(np.bincount(persons.of_person[pairs]))), facts.classes.everybody)
        return counts | {"failing_rows": int(persons.rows[pairs].sum()), "persons": found}
    entries = [_entries(groups, mask, facts) for groups, mask in failing]
    return counts | {"failing_rows": int(facts.published.counts[np.any(entries, axis=0)].sum())}


def _entries(groups: Groups, chosen: Mask, facts: Facts) -> Mask:
    """Return a mask of the unsuppressed entries in the chosen groups; a part of a class counts as the whole class."""
    if isinstance(groups, FinerClasses):
        return chosen[groups.of_entry]
    return groups.in_release(chosen)[facts.known_classes.of_entry]


def _chosen_pairs(groups: Groups, chosen: Mask, facts: Facts, persons: Persons) -> Mask:
    """Return a mask of the pairs of unsuppressed entry and person in the chosen groups."""
    if isinstance(groups, FinerClasses):
        return chosen[groups.of_pairs(persons)]
    return groups.in_release(chosen)[facts.known_classes.of_pairs(persons)]
