"""Candidates: level vectors, what must be suppressed at each so that the goals hold, and whether that is allowed.

The goals that classes are judged by one by one, whatever is known of the others.

Pairs of columns that exclude vectors before any is evaluated: too many rows are in small classes of these two alone.

Further columns only split classes. So all vectors that have both columns at least as fine are excluded. The counts of
a pair are a small table, which is generalised by adding up its rows and columns.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from PETWorks.anonymization.lifted import LiftedFacts
from PETWorks.anonymization.objective import Cellwise, objective_of
from PETWorks.anonymization.table import RawTable
from PETWorks.anonymization.vectors import Levels
from PETWorks.exact.limit import Limit
from PETWorks.exact.scores import FloatArray
from PETWorks.measure.base import Measure
from PETWorks.measure.bounds import Privacy
from PETWorks.measure.losses import Utility
from PETWorks.measure.privacy.k_anonymity import KAnonymity
from PETWorks.tables.counting.tally import IntArray, Mask, sums


def class_goals(goals: Iterable[Measure]) -> list[Privacy]:
    """Return the goals of privacy; another goal that asks for a class size stands there as k-anonymity of that size.

    Smaller classes must be suppressed for it, so that the search need not find that out by trying.
    """
    goals = list(goals)
    sizes = [goal.size_asked for goal in goals if not isinstance(goal, Privacy)]
    return [*(goal for goal in goals if isinstance(goal, Privacy)), *(KAnonymity(size) for size in sizes if size)]


Index = tuple[int, ...]
Runs = tuple[IntArray, IntArray]  # the order of values by their labels, and where each label begins


def failing_pairs(table: RawTable, allowed: Sequence[range], size: int, most: int) -> Iterator[Index]:
    """Yield the coarsest vectors at which two columns alone have more than `most` rows in classes below a size.

    The vector that is the coarsest of all is not among them.
    """
    coarsest = tuple(len(levels) - 1 for levels in allowed)
    columns = zip(table.ladders, allowed, strict=True)
    runs = [[_runs(ladder.up[level]) for level in levels] for ladder, levels in columns]
    for one, other in combinations(range(len(allowed)), 2):
        finest, highest = _counted(table, one, other), -1  # vectors are excluded up to this place of the other column
        for place in reversed(range(len(runs[one]))):
            lifted = _lifted(finest, runs[one][place]).T
            for above in reversed(range(highest + 1, len(runs[other]))):
                counts = _lifted(lifted, runs[other][above])
                if counts[counts < size].sum() > most and (place, above) != (coarsest[one], coarsest[other]):
                    highest, chosen = above, {one: place, other: above}
                    yield tuple(chosen.get(column, top) for column, top in enumerate(coarsest))
                    break


def _counted(table: RawTable, one: int, other: int) -> IntArray:
    """Return how many rows have each pair of values."""
    many, most = len(table.ladders[one].values), len(table.ladders[other].values)
    keys = table.codes[one].astype(np.int64) * most + table.codes[other]
    return sums(keys, table.counts, many * most).reshape(many, most)


def _runs(labels: IntArray) -> Runs:
    order = np.argsort(labels, kind="stable")
    return order, np.flatnonzero(np.diff(labels[order], prepend=-1))


def _lifted(counts: IntArray, runs: Runs) -> IntArray:
    """Add up the rows of values that have the same label."""
    order, starts = runs
    lifted: IntArray = np.add.reduceat(counts[order], starts, axis=0)
    return lifted


ALMOST = 1e-9  # what floors and losses may gain by rounding


@dataclass(frozen=True, eq=False)
class Candidate:
    """A level for every quasi-identifier, with the combinations that are suppressed there."""

    table: RawTable
    levels: Levels
    facts: LiftedFacts  # before failing classes are suppressed
    gone: Mask  # of combinations: suppressed
    suppressed_rows: int

    @cached_property
    def released(self) -> LiftedFacts:
        """The facts of the release."""
        return LiftedFacts.of(self.facts.lifted.without(self.gone))

    @cached_property
    def suppressed(self) -> tuple[IntArray, ...]:
        """For each quasi-identifier, how many suppressed rows have each value."""
        return self.facts.lifted.rows_by_value(self.gone)

    @cached_property
    def published(self) -> tuple[IntArray, ...]:
        """For each quasi-identifier, how many other rows have each value."""
        return tuple(every - gone for every, gone in zip(self.table.by_value, self.suppressed, strict=True))


@dataclass(frozen=True, eq=False)
class Floor:
    """Rows that every finer vector must suppress: those in classes that must go as a whole, and some more."""

    levels: Levels
    facts: LiftedFacts
    whole: Mask  # of classes: all rows must go
    more: int  # how many others, whichever they are

    @cached_property
    def gone(self) -> Mask:
        """A mask of the combinations in classes that must go as a whole."""
        gone: Mask = np.append(self.whole, False)[self.facts.of_combination]
        return gone

    @cached_property
    def by_value(self) -> tuple[IntArray, ...]:
        """For each quasi-identifier, how many rows that must go as whole classes have each value."""
        return self.facts.lifted.rows_by_value(self.gone)


@dataclass(frozen=True)
class Verdict:
    """What came of a level vector: a candidate if it is admitted, and what that means for finer vectors."""

    facts: LiftedFacts  # before failing classes are suppressed
    candidate: Candidate | None
    rows: int  # that would have to be suppressed here
    hopeless: bool  # True: no finer vector can be admitted
    floor: Floor | None  # None: a finer vector may do without suppressing any row


class Judge:
    """Judges level vectors by goals, with at most `allowed` rows suppressed.

    If some rows are suppressed, they are at least `crowd`: fewer would tell on somebody who is known to be among them.
    If it `removes` suppressed rows from the release, what is left must hold by itself, too.
    """

    def __init__(
        self, table: RawTable, goals: Sequence[Measure], allowed: int, crowd: int = 0, *, removes: bool = False
    ) -> None:
        self.table, self.goals, self.allowed, self.crowd, self._removes = table, goals, allowed, crowd, removes
        self.trimmed = False  # True: classes failed only because others were removed, so nothing is proven
        self.by_class = class_goals(goals)
        sure = [goal for goal in self.by_class if goal.classwise and goal.steady(table.facts)]
        self._again = [goal for goal in goals if goal not in sure]
        self._by_cells = {goal: found for goal in self._again if (found := _by_cells(table, goal))}

    def hopeless_pairs(self, levels: Sequence[range]) -> Iterator[tuple[int, ...]]:
        """Yield the places of vectors that two columns alone, however coarse the others are, show to be hopeless."""
        size = max((self._fewest_rows(goal) for goal in self.by_class), default=1)
        return failing_pairs(self.table, levels, size, self.allowed) if size > 1 else iter(())

    def _fewest_rows(self, goal: Privacy) -> int:
        """Return the fewest rows with which a class can hold."""
        return goal.least_size()

    def failing(self, facts: LiftedFacts) -> Mask:
        """Return a mask of the classes that fail a goal by themselves."""
        fails = [goal.failing(facts) for goal in self.by_class]
        return np.logical_or.reduce(fails) if fails else ~facts.known_classes.all

    def judge(self, levels: Levels) -> Verdict:
        """Suppress what fails at a vector, and whatever else must be suppressed with it."""
        facts = LiftedFacts.of(self.table.vectors.lift(levels))
        sizes = facts.known_classes.sizes
        failing, shares, hopeless = np.zeros(len(sizes), dtype=bool), np.zeros(len(sizes)), False
        for goal in self.by_class:
            fails = goal.failing(facts)
            if fails.any():
                failing |= fails
                hopeless |= not self.allowed and goal.monotone and goal.steady(facts)
                shares = shares if hopeless else np.maximum(shares, goal.floor(facts))
        candidate, rows = self.admitted(levels, facts, failing)
        if hopeless:
            return Verdict(facts, candidate, rows, hopeless=True, floor=None)
        floor = Floor(levels, facts, shares >= 1, _rows(shares, sizes))
        hopeless |= int(sizes[floor.whole].sum()) + floor.more > self.allowed
        return Verdict(facts, candidate, rows, hopeless, floor if shares.any() else None)

    def admitted(self, levels: Levels, facts: LiftedFacts, failing: Mask) -> tuple[Candidate | None, int]:
        """Return the candidate, or None if more rows would have to be suppressed than are allowed; and how many."""
        sizes, lift = facts.known_classes.sizes, facts.lifted
        inherent = self.table.rows - int(sizes.sum())  # rows whose labels are all the marker
        while True:
            rows = inherent + int(sizes[failing].sum())
            if rows > self.allowed:
                return None, rows
            if 0 < rows < self.crowd:
                if failing.all():
                    return None, rows
                failing = self._with_smallest(failing, sizes)
                continue
            gone = lift.suppressed if not failing.any() else np.append(failing, True)[lift.of_combination]
            candidate = Candidate(self.table, levels, facts, gone, rows)
            if not (unmet := [goal for goal in self._again if not self._is_met(goal, candidate)]):
                if not (self._removes and (bad := self._failing_alone(candidate)).any()):
                    return candidate, rows
                failing, self.trimmed = failing.copy(), True
                failing[np.flatnonzero(~failing)[bad]] = True
                continue
            if failing.all() or any(map(self._only_worse, unmet)):
                return None, rows
            further = self._failing_still(unmet, candidate, failing)
            failing = further if further.sum() > failing.sum() else self._with_smallest(failing, sizes, unmet)

    def _is_met(self, goal: Measure, candidate: Candidate) -> bool:
        """Return True if the release meets a goal. A utility that is a sum over cells is known before its facts are."""
        if (cells := self._by_cells.get(goal)) and not candidate.gone.all():
            losses, limit = cells
            value = losses.value(losses.loss(candidate))
            if abs(value - limit) > ALMOST:
                return value > limit
        return goal.evaluate(candidate.released).holds is True

    def _failing_alone(self, candidate: Candidate) -> Mask:
        """Return a mask of the remaining classes that fail if the suppressed rows are not in the table at all."""
        if not candidate.suppressed_rows or candidate.gone.all():
            return np.zeros(len(candidate.released.known_classes), dtype=bool)
        kept = ~candidate.gone
        labels = [codes[kept] for codes in self.table.labels(candidate.levels)]
        alone = self.table.part(kept).released(labels)
        judged = [goal for goal in self.by_class if not goal.pairs]
        return np.logical_or.reduce([goal.failing(alone) for goal in judged]) if judged else ~alone.known_classes.all

    def _only_worse(self, goal: Measure) -> bool:
        """Return True if suppressing more cannot help: the utility of columns does not rise by it."""
        counts, ladder = self.table.by_value[0], self.table.ladders[0]
        return isinstance(goal, Utility) and goal.column_loss(ladder, 0, counts, 0 * counts) is not None

    def _with_smallest(self, failing: Mask, sizes: IntArray, unmet: Sequence[Measure] = ()) -> Mask:
        """Suppress the smallest of the other classes, too; of several, the first in the order of values.

        Of whole-table goals that are not met, some know how many have to go before they can be: these go at once.
        """
        others = np.flatnonzero(~failing)
        order = others[np.argsort(sizes[others], kind="stable")]
        many = 1
        if not any(isinstance(goal, Privacy) for goal in self._again):  # which are judged anew after each class
            many = max((goal.smallest_to_go(sizes[order]) for goal in unmet), default=1)
        more = failing.copy()
        more[order[:many]] = True
        return more

    @staticmethod
    def _failing_still(unmet: Sequence[Measure], candidate: Candidate, failing: Mask) -> Mask:
        """Return the classes that were suppressed, and those that fail now."""
        released, more = candidate.released, failing.copy()
        left = np.flatnonzero(~failing)
        for goal in unmet:
            if isinstance(goal, Privacy):
                more[left[goal.failing(released)]] = True
        return more


def _by_cells(table: RawTable, goal: Measure) -> tuple[Cellwise, float] | None:
    """Return the loss of a utility that must not be too low, and its limit, if it is a sum over cells."""
    if not isinstance(goal, Utility) or goal.at_least is None:
        return None
    losses = objective_of(table, goal, {})
    return (losses, float(Limit.of(goal.at_least))) if isinstance(losses, Cellwise) else None


def _rows(shares: FloatArray, sizes: IntArray) -> int:
    """Return how many rows must go from classes of which some rows may stay; never too many because of rounding."""
    partly = (shares > 0) & (shares < 1)
    return max(int(np.ceil((shares[partly] * sizes[partly]).sum() * (1 - ALMOST) - ALMOST)), 0) if partly.any() else 0
