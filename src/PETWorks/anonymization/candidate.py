"""Judge lattice nodes: which rows a level vector must suppress so that the goals hold, and whether that is allowed.

Pairs of columns exclude vectors before any is evaluated: if too many rows are in small classes of two columns alone,
further columns only split these classes. So all vectors that have both columns at least as fine are excluded.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from PETWorks.anonymization.objective import CellSumObjective, build_objective
from PETWorks.anonymization.release_facts import RecodedFacts
from PETWorks.anonymization.table import RawTable
from PETWorks.anonymization.vectors import Levels
from PETWorks.errors import PopulationError
from PETWorks.exact.limit import Limit
from PETWorks.exact.scores import FloatArray
from PETWorks.measure.base import Measure
from PETWorks.measure.bounds import Privacy
from PETWorks.measure.losses import Utility
from PETWorks.measure.privacy.k_anonymity import KAnonymity
from PETWorks.tables.counting.tally import IntArray, Mask, number_keys, sum_by_group


def collect_class_goals(goals: Iterable[Measure]) -> list[Privacy]:
    """Return the privacy goals, and k-anonymity for each other goal that requires a class size.

    Such a goal needs smaller classes suppressed, so the search need not find this out by trying.
    """
    goals = list(goals)
    sizes = [goal.requested_size for goal in goals if not isinstance(goal, Privacy)]
    return [*(goal for goal in goals if isinstance(goal, Privacy)), *(KAnonymity(size) for size in sizes if size)]


Index = tuple[int, ...]


def find_failing_pairs(table: RawTable, allowed: Sequence[range], size: int, most: int) -> Iterator[Index]:
    """Yield the coarsest vectors at which two columns alone have more than `most` rows in classes below a size.

    The coarsest vector of the lattice is never among them.
    """
    coarsest = tuple(len(levels) - 1 for levels in allowed)
    labels = [[ladder.up[level] for level in levels] for ladder, levels in zip(table.ladders, allowed, strict=True)]
    for one, other in combinations(range(len(allowed)), 2):
        first, second, rows = _count_pairs(table.codes[one], table.codes[other], table.counts)
        highest = -1  # vectors are excluded up to this place of the other column
        for place in reversed(range(len(labels[one]))):
            lifted, beside, counts = _count_pairs(labels[one][place][first], second, rows)
            for above in reversed(range(highest + 1, len(labels[other]))):
                if (place, above) == (coarsest[one], coarsest[other]):
                    continue
                *_, sizes = _count_pairs(lifted, labels[other][above][beside], counts)
                if sizes[sizes < size].sum() > most:
                    highest, chosen = above, {one: place, other: above}
                    yield tuple(chosen.get(column, top) for column, top in enumerate(coarsest))
                    break


def _count_pairs(one: IntArray, other: IntArray, counts: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Return the pairs of labels that occur, and the rows of each. Pairs that do not occur cost nothing."""
    width = int(other.max(initial=0)) + 1
    keys = one.astype(np.int64) * width + other
    found, ids = number_keys(keys, (int(one.max(initial=0)) + 1) * width)
    return *np.divmod(found, width), sum_by_group(ids, counts, len(found))


ROUNDING_SLACK = 1e-9  # how much rounding may add to floors and losses


@dataclass(frozen=True, eq=False)
class LatticeNode:
    """A level vector, with the combinations that are suppressed there."""

    table: RawTable
    levels: Levels
    facts: RecodedFacts  # before failing classes are suppressed
    gone: Mask  # of combinations: suppressed
    suppressed_rows: int

    @cached_property
    def released(self) -> RecodedFacts:
        """The facts of the release."""
        return RecodedFacts.of(self.facts.combination_labels.suppress(self.gone))

    @cached_property
    def suppressed(self) -> tuple[IntArray, ...]:
        """For each quasi-identifier, the suppressed rows by value."""
        return self.facts.combination_labels.count_rows_by_value(self.gone)

    @cached_property
    def published(self) -> tuple[IntArray, ...]:
        """For each quasi-identifier, the rows by value that are not suppressed."""
        return tuple(every - gone for every, gone in zip(self.table.by_value, self.suppressed, strict=True))


@dataclass(frozen=True, eq=False)
class SuppressionFloor:
    """The rows that every finer vector must suppress: whole classes, and a number of further rows."""

    levels: Levels
    facts: RecodedFacts
    whole: Mask  # of classes: all rows must be suppressed
    more: int  # further rows that must be suppressed, whichever they are

    @cached_property
    def gone(self) -> Mask:
        """A mask of the combinations in classes that must be suppressed as a whole."""
        gone: Mask = np.append(self.whole, False)[self.facts.of_combination]
        return gone

    @cached_property
    def by_value(self) -> tuple[IntArray, ...]:
        """For each quasi-identifier, the rows of `gone` by value."""
        return self.facts.combination_labels.count_rows_by_value(self.gone)


@dataclass(frozen=True)
class NodeVerdict:
    """The verdict on a level vector: the node if it is admitted, and the consequences for finer vectors."""

    facts: RecodedFacts  # before failing classes are suppressed
    candidate: LatticeNode | None
    rows: int  # to suppress here
    hopeless: bool  # True: no finer vector can be admitted
    floor: SuppressionFloor | None  # None: a finer vector may need no suppression


class NodeJudge:
    """Judges level vectors by goals, with at most `allowed` rows suppressed.

    If rows are suppressed, then at least `crowd`: fewer would disclose a person who is known to be in the table and
    matches no class. With `removes`, suppressed rows leave the release, and the goals must hold without them, too.
    """

    def __init__(
        self, table: RawTable, goals: Sequence[Measure], allowed: int, crowd: int = 0, *, removes: bool = False
    ) -> None:
        self.table, self.goals, self.allowed, self.crowd, self._removes = table, goals, allowed, crowd, removes
        self.trimmed = False  # True: classes failed only after others were removed, so nothing is proven
        self.unreadable: PopulationError | None = None  # of the last vector at which the population cannot be read
        self.by_class = collect_class_goals(goals)
        sure = [goal for goal in self.by_class if goal.classwise and goal.declarations_hold(table.facts)]
        self._again = [goal for goal in goals if goal not in sure]
        self._by_cells = {goal: found for goal in self._again if (found := _build_cell_objective(table, goal))}

    def find_hopeless_pairs(self, levels: Sequence[range]) -> Iterator[tuple[int, ...]]:
        """Yield the places of vectors that cannot be admitted because of two columns alone."""
        size = max((self._count_fewest_rows(goal) for goal in self.by_class), default=1)
        return find_failing_pairs(self.table, levels, size, self.allowed) if size > 1 else iter(())

    def _count_fewest_rows(self, goal: Privacy) -> int:
        """Return the fewest rows of a class that can hold."""
        return goal.least_size()

    def find_failing(self, facts: RecodedFacts) -> Mask:
        """Return a mask of the classes that fail a goal by themselves."""
        fails = [goal.find_failing(facts) for goal in self.by_class]
        return np.logical_or.reduce(fails) if fails else ~facts.groups(with_values=True).all

    def judge(self, levels: Levels) -> NodeVerdict:
        """Suppress the failing classes of a vector, and the further rows that this requires.

        A vector at which the population cannot be read is not admitted, and tells nothing of others.
        """
        facts = RecodedFacts.of(self.table.vectors.generalise(levels))
        try:
            return self._judge(levels, facts)
        except PopulationError as error:
            self.unreadable = error
            return NodeVerdict(facts, None, self.table.rows, hopeless=False, floor=None)

    def _judge(self, levels: Levels, facts: RecodedFacts) -> NodeVerdict:
        sizes = facts.groups(with_values=True).sizes
        failing, shares, hopeless = np.zeros(len(sizes), dtype=bool), np.zeros(len(sizes)), False
        for goal in self.by_class:
            fails = goal.find_failing(facts)
            if fails.any():
                failing |= fails
                hopeless |= not self.allowed and goal.monotone and goal.declarations_hold(facts)
                shares = shares if hopeless else np.maximum(shares, goal.find_least_suppression(facts))
        candidate, rows = self.admit(levels, facts, failing)
        if hopeless:
            return NodeVerdict(facts, candidate, rows, hopeless=True, floor=None)
        floor = SuppressionFloor(levels, facts, shares >= 1, _count_partial_rows(shares, sizes))
        hopeless |= int(sizes[floor.whole].sum()) + floor.more > self.allowed
        return NodeVerdict(facts, candidate, rows, hopeless, floor if shares.any() else None)

    def admit(self, levels: Levels, facts: RecodedFacts, failing: Mask) -> tuple[LatticeNode | None, int]:
        """Return the node, or None if more rows must be suppressed than allowed; and the number of these rows."""
        sizes, lift = facts.groups(with_values=True).sizes, facts.combination_labels
        inherent = self.table.rows - int(sizes.sum())  # rows whose labels are all the marker
        while True:
            rows = inherent + int(sizes[failing].sum())
            if rows > self.allowed:
                return None, rows
            if 0 < rows < self.crowd:
                if failing.all():
                    return None, rows
                failing = self._add_smallest(failing, sizes)
                continue
            gone = lift.suppressed if not failing.any() else np.append(failing, True)[lift.of_combination]
            candidate = LatticeNode(self.table, levels, facts, gone, rows)
            if not (unmet := [goal for goal in self._again if not self._is_met(goal, candidate)]):
                if not (self._removes and (bad := self._find_failing_alone(candidate)).any()):
                    return candidate, rows
                failing, self.trimmed = failing.copy(), True
                failing[np.flatnonzero(~failing)[bad]] = True
                continue
            if failing.all() or any(map(self._only_worsens, unmet)):
                return None, rows
            further = self._add_failing(unmet, candidate, failing)
            failing = further if further.sum() > failing.sum() else self._add_smallest(failing, sizes, unmet)

    def _is_met(self, goal: Measure, candidate: LatticeNode) -> bool:
        """Return True if the release meets a goal. A utility that is a sum over cells needs no facts."""
        if (cells := self._by_cells.get(goal)) and not candidate.gone.all():
            losses, limit = cells
            value = losses.score(losses.loss(candidate))
            if abs(value - limit) > ROUNDING_SLACK:
                return value > limit
        return goal.evaluate(candidate.released).holds is True

    def _find_failing_alone(self, candidate: LatticeNode) -> Mask:
        """Return a mask of the remaining classes that fail once the suppressed rows are removed from the table."""
        if not candidate.suppressed_rows or candidate.gone.all():
            return np.zeros(len(candidate.released.groups(with_values=True)), dtype=bool)
        kept = ~candidate.gone
        labels = [codes[kept] for codes in self.table.look_up_labels(candidate.levels)]
        alone = self.table.select(kept).build_facts_from_labels(labels, levels=candidate.levels)
        judged = [goal for goal in self.by_class if not goal.pairs]
        return (
            np.logical_or.reduce([goal.find_failing(alone) for goal in judged])
            if judged
            else ~alone.groups(with_values=True).all
        )

    def _only_worsens(self, goal: Measure) -> bool:
        """Return True if further suppression cannot help: it does not raise the utility of columns."""
        counts, ladder = self.table.by_value[0], self.table.ladders[0]
        return isinstance(goal, Utility) and goal.column_loss(ladder, 0, counts, 0 * counts) is not None

    def _add_smallest(self, failing: Mask, sizes: IntArray, unmet: Sequence[Measure] = ()) -> Mask:
        """Return the failing classes and the smallest of the others; of several, the first in the order of values.

        Some whole-table goals return a lower bound on how many must be suppressed: these are suppressed at once.
        """
        others = np.flatnonzero(~failing)
        order = others[np.argsort(sizes[others], kind="stable")]
        many = 1
        if not any(isinstance(goal, Privacy) for goal in self._again):  # these are judged again after each class
            many = max((goal.count_smallest_to_suppress(sizes[order]) for goal in unmet), default=1)
        more = failing.copy()
        more[order[:many]] = True
        return more

    @staticmethod
    def _add_failing(unmet: Sequence[Measure], candidate: LatticeNode, failing: Mask) -> Mask:
        """Return the failing classes and those that fail after they were suppressed."""
        released, more = candidate.released, failing.copy()
        left = np.flatnonzero(~failing)
        for goal in unmet:
            if isinstance(goal, Privacy):
                more[left[goal.find_failing(released)]] = True
        return more


def _build_cell_objective(table: RawTable, goal: Measure) -> tuple[CellSumObjective, float] | None:
    """Return the objective and the limit of a utility with a lower limit, if it is a sum over cells."""
    if not isinstance(goal, Utility) or goal.at_least is None:
        return None
    losses = build_objective(table, goal, {})
    return (losses, float(Limit.of(goal.at_least))) if isinstance(losses, CellSumObjective) else None


def _count_partial_rows(shares: FloatArray, sizes: IntArray) -> int:
    """Return how many rows must be suppressed of classes that keep some rows; rounding never adds a row."""
    partly = (shares > 0) & (shares < 1)
    return (
        max(int(np.ceil((shares[partly] * sizes[partly]).sum() * (1 - ROUNDING_SLACK) - ROUNDING_SLACK)), 0)
        if partly.any()
        else 0
    )
