"""Explore level vectors before one is chosen: rows to suppress, granularity, risk and verdicts of each.

All figures come from one counted table. They do not depend on the limit on suppressed rows: a vector has a number of
rows to suppress, and the limit only divides the vectors into those within and those beyond.

A search reports the best vector so far and the bound on all others. Of many evaluated vectors, the functions here
select the best one at every limit, and the front of risk and loss.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import groupby, product
from math import prod
from threading import RLock
from typing import NamedTuple

import numpy as np

from PETWorks.anonymization.anonymized_table import AnonymizedTable
from PETWorks.anonymization.candidate import LatticeNode
from PETWorks.anonymization.full_domain import Infeasibility, build_search, find_infeasibility
from PETWorks.anonymization.objective import CellSumObjective, build_objective
from PETWorks.anonymization.people import build_judge, count_chosen_units, count_units
from PETWorks.anonymization.plan import SearchSettings
from PETWorks.anonymization.release_facts import RecodedFacts
from PETWorks.anonymization.search import LevelsOf, PolishProgress, SearchProgress
from PETWorks.anonymization.table import RawTable
from PETWorks.anonymization.vectors import Levels
from PETWorks.disclosure.exhibits import Hardest
from PETWorks.errors import PopulationError
from PETWorks.evaluation.provenance import SuppressedAmount
from PETWorks.facts.cells import LevelCodes
from PETWorks.measure.formulas.smallest_classes import SmallestClasses
from PETWorks.measure.utility.granularity import Granularity
from PETWorks.tables.counting.tally import IntArray, Mask, sum_by_group

MAX_PREVIEWS = 12  # previews that are cached
LOSS_SCALE = 10**12  # losses without an exact fraction are rounded to so many parts of 1


@dataclass(frozen=True)
class NodeFigures:
    """The figures of a level vector whose failing classes are suppressed."""

    levels: Levels
    holds: bool  # False: the goals do not hold here, however many rows are suppressed
    suppressed: int  # rows that must be suppressed so that the goals hold; people, if the plan suppresses people
    published: int  # rows that are not suppressed
    classes: int  # of the published rows
    smallest: int  # rows of the smallest class; 0 if there is none
    score: float  # the utility, or the loss, that the search optimises
    lost: Fraction  # orders vectors by loss
    mean: Fraction | None = None  # the mean re-identification risk, where people have several rows
    people: int | None = None  # who have a suppressed row, where people have several rows

    def is_within(self, allowed: int) -> bool:
        """Return True if the goals hold with at most `allowed` rows suppressed."""
        return self.holds and self.suppressed <= allowed

    @property
    def gone(self) -> SuppressedAmount:
        """The suppressed rows and people."""
        return SuppressedAmount(self.suppressed, self.people)

    @property
    def risk(self) -> Fraction | None:
        """The mean re-identification risk: classes divided by rows, or that of people; None if all is suppressed."""
        if not self.classes:
            return None
        return Fraction(self.classes, self.published) if self.mean is None else self.mean

    @property
    def tie(self) -> tuple[int, int, Levels]:
        """The sort key that orders vectors of equal loss, as in a search."""
        return self.suppressed, sum(self.levels), self.levels[::-1]


class EmptiedColumns(NamedTuple):
    """The columns that lose whole values because all their rows are suppressed."""

    single: tuple[str, ...]  # one value is left
    vanished: tuple[str, ...]  # several are left


@dataclass(frozen=True, eq=False)
class ReleasePreview:
    """A preview of a release: its facts before and after failing classes are suppressed."""

    weighed: NodeFigures
    before: RecodedFacts
    released: RecodedFacts
    left: Mapping[str, Fraction]  # by column, its granularity
    rows_by_label: Mapping[
        str, tuple[IntArray, IntArray]
    ]  # by column: the rows of each label, and those not suppressed
    labels: Mapping[str, Sequence[str | None]]

    def find_hardest(self, least: int) -> tuple[str, Hardest, bool] | None:
        """Return the column and label that keep the smallest share of their rows, and whether all columns counted.

        Return None if that would disclose too much: if a class, or the suppressed rows, have fewer than `least` people,
        or if people have several rows, since labels are counted by rows. A column of which some label lost fewer than
        `least` rows does not count.
        """
        crowds = [self.weighed.smallest or least, self.weighed.suppressed or least]
        if least > 1 and self.released.persons is not None:
            return None
        found, whole = list[tuple[str, Hardest]](), True
        for name, (before, after) in self.rows_by_label.items() if min(crowds) >= least else ():
            lost = before - after
            few = bool(((lost > 0) & (lost < least)).any())
            whole &= not few
            if not few:
                shares = np.where(before >= least, after / np.maximum(before, 1), 1.0)
                place = int(shares.argmin()) if len(shares) else 0
                if len(shares) and shares[place] < 1:
                    found.append((name, Hardest(self.labels[name][place], float(shares[place]), exact=True)))
        return (*min(found, key=lambda one: one[1].share), whole) if found else None

    def find_emptied(self, least: int) -> EmptiedColumns:
        """Return the columns of which suppression leaves one value, and those of which it takes some value away.

        A value of fewer than `least` rows does not count, nor does anything where people have several rows, since
        labels are counted by rows.
        """
        single, vanished = list[str](), list[str]()
        for name, (before, after) in self.rows_by_label.items() if least == 1 or self.released.persons is None else ():
            if ((before >= least) & (after == 0)).any():
                (single if int((after > 0).sum()) == 1 else vanished).append(name)
        return EmptiedColumns(tuple(single), tuple(vanished))


class Exploration:
    """The level vectors of a table under the goals of a plan. It is thread-safe."""

    def __init__(self, table: RawTable, plan: SearchSettings) -> None:
        self.table, self.plan = table, plan
        self.names = tuple(ladder.name for ladder in table.ladders)
        self.heights = tuple(ladder.height for ladder in table.ladders)
        self._objective = build_objective(table, plan.utility, plan.weights)
        self._judge = build_judge(table, plan, allowed=count_units(table, plan), crowd=plan.crowd)
        self._weighed: dict[Levels, NodeFigures] = {}
        self._looks: dict[Levels, ReleasePreview] = {}
        self.lock = RLock()  # the table caches groups that all vectors share

    @property
    def vectors(self) -> int:
        """The number of level vectors."""
        return prod(height + 1 for height in self.heights)

    @property
    def evaluated_count(self) -> int:
        """The number of vectors that were evaluated."""
        return len(self._weighed)

    def iterate_levels(self) -> Iterator[Levels]:
        """Yield all level vectors, the coarsest first: these have few classes and soon show the effect of limits."""
        return product(*(range(height, -1, -1) for height in self.heights))

    def evaluate(self, levels: Levels) -> NodeFigures:
        """Return the figures of a vector; cached."""
        with self.lock:
            if levels not in self._weighed:
                candidate, holds = self._suppress(levels)
                self._weighed[levels] = self.build_figures(candidate, holds=holds)
            return self._weighed[levels]

    def is_evaluated(self, levels: Levels) -> bool:
        """Return True if a vector was evaluated."""
        return levels in self._weighed

    def add_figures(self, weighed: Iterable[NodeFigures]) -> None:
        """Add figures that another process computed for the same table and goals."""
        self._weighed.update((one.levels, one) for one in weighed)

    def list_evaluated(self) -> list[NodeFigures]:
        """Return the figures of all vectors evaluated so far."""
        return list(self._weighed.values())

    def iterate_steps(self, levels: Levels) -> Iterator[tuple[int, Levels]]:
        """Yield, for every level of every column, the number of the column and the vector with that level."""
        for column, height in enumerate(self.heights):
            for level in range(height + 1):
                yield column, (*levels[:column], level, *levels[column + 1 :])

    def evaluate_steps(self, levels: Levels) -> list[list[NodeFigures]]:
        """Return, for each column and each of its levels, the figures of the vector with that level."""
        found: list[list[NodeFigures]] = [[] for _ in self.names]
        for column, step in self.iterate_steps(levels):
            found[column].append(self.evaluate(step))
        return found

    def preview(self, levels: Levels) -> ReleasePreview:
        """Return the preview of the release at a vector; cached."""
        with self.lock:
            if levels not in self._looks:
                candidate, holds = self._suppress(levels)
                self._weighed[levels] = self.build_figures(candidate, holds=holds)
                while len(self._looks) >= MAX_PREVIEWS:
                    del self._looks[next(iter(self._looks))]
                self._looks[levels] = self._build_preview(candidate)
            return self._looks[levels]

    def build_figures(self, candidate: LatticeNode, *, holds: bool = True) -> NodeFigures:
        """Build the figures of a node."""
        sizes, loss = candidate.released.groups(with_values=True).sizes, self._objective.loss(candidate)
        exact = self._objective.compute_exact_loss(candidate) if isinstance(self._objective, CellSumObjective) else None
        several = self.table.facts.persons is not None
        return NodeFigures(
            levels=candidate.levels,
            holds=holds,
            suppressed=count_chosen_units(candidate.gone, self.table, self.plan),
            published=self.table.rows - candidate.suppressed_rows,
            classes=len(sizes),
            smallest=int(sizes.min(initial=self.table.rows)) if len(sizes) else 0,
            score=self._objective.score(loss),
            lost=Fraction(round(loss * LOSS_SCALE), LOSS_SCALE) if exact is None else exact,
            mean=SmallestClasses.of(candidate.released, sizes).compute_mean_inverse()
            if several and len(sizes)
            else None,
            people=self.table.count_people(candidate.gone) if several else None,
        )

    def _suppress(self, levels: Levels) -> tuple[LatticeNode, bool]:
        """Return the node of a vector, with the rows that must be suppressed, and whether the goals hold.

        If they cannot hold, the classes that fail by themselves are suppressed; none if the population cannot be read.
        """
        facts = RecodedFacts.of(self.table.vectors.generalise(levels))
        failing = ~facts.groups(with_values=True).all
        with suppress(PopulationError):
            failing = self._judge.find_failing(facts)
            candidate, _ = self._judge.admit(levels, facts, failing)
            if candidate is not None:
                return candidate, True
        gone = np.append(failing, True)[facts.combination_labels.of_combination]
        return LatticeNode(self.table, levels, facts, gone, int(self.table.counts[gone].sum())), False

    def _build_preview(self, candidate: LatticeNode) -> ReleasePreview:
        columns = list(zip(self.table.ladders, candidate.levels, candidate.published, strict=True))
        labelled = [(ladder, ladder.up[level]) for ladder, level, _ in columns]
        return ReleasePreview(
            weighed=self._weighed[candidate.levels],
            before=candidate.facts,
            released=candidate.released,
            left={ladder.name: self._compute_granularity(ladder, level, rows) for ladder, level, rows in columns},
            rows_by_label={
                ladder.name: (sum_by_group(up, many, len(ladder.labels)), sum_by_group(up, rows, len(ladder.labels)))
                for (ladder, up), many, (_, _, rows) in zip(labelled, self.table.by_value, columns, strict=True)
            },
            labels={ladder.name: ladder.labels for ladder in self.table.ladders},
        )

    def _compute_granularity(self, ladder: LevelCodes, level: int, published: IntArray) -> Fraction:
        """Return the granularity of a column; 1 if it has no detail to lose."""
        losses = Granularity().cell_losses(ladder)
        lost = int(losses.by_level[level] @ published) + losses.suppressed * (self.table.rows - int(published.sum()))
        return 1 - Fraction(lost, losses.suppressed * self.table.rows) if losses.suppressed else Fraction(1)


@dataclass(frozen=True)
class SearchState:
    """The state of a search: the vectors by state, the best one so far, and the bound on all scores."""

    counts: Mapping[str, int]  # of vectors: evaluated, by_goals, by_bound, open; they add up to "vectors"
    best: NodeFigures | None = None
    reach: float | None = None  # an upper bound on every utility, or a lower bound on every loss; None: unknown
    ended: bool = False
    proven: bool = False  # True: no other vector loses less; if none was found, that none meets the goals
    infeasibility: Infeasibility | None = None  # if none was found: the nearest vector, and the cost of each goal there


def run_search(exploration: Exploration, plan: SearchSettings, tell: Callable[[SearchState], None]) -> SearchState:
    """Search all level vectors; `tell` is called during the search and may raise KeyboardInterrupt to end it.

    The state then has the best vector so far, and the bound on all others.
    """
    last = SearchProgress(0)

    def listener(progress: SearchProgress | PolishProgress) -> None:
        nonlocal last
        if isinstance(progress, SearchProgress):
            last = progress
            tell(_build_state(exploration, progress, search.best))

    search = build_search(exploration.table, plan, listener)
    try:
        found = search.run()
    except KeyboardInterrupt:  # before a vector was found
        return replace(_build_state(exploration, last, None), ended=True)
    told = _build_state(exploration, found.progress, found.best)
    if found.best is None and found.nearest:
        told = replace(told, infeasibility=find_infeasibility(exploration.table, plan, found.nearest))
    return replace(told, ended=True, proven=found.proven, reach=None if found.trimmed else told.reach)


def _build_state(exploration: Exploration, progress: SearchProgress, best: object) -> SearchState:
    from PETWorks.anonymization.candidate import LatticeNode

    weighed = exploration.build_figures(best) if isinstance(best, LatticeNode) else None
    return SearchState(progress.counts, weighed, progress.reach)


def exclude_tops(plan: SearchSettings, ladders: Sequence[LevelCodes]) -> SearchSettings:
    """Return the plan with the top level of each column excluded, unless the plan requires it."""
    tops = {one.name: one.height - 1 for one in ladders if one.height > plan.finest.get(one.name, 0)}
    return replace(
        plan, coarsest={**plan.coarsest, **{name: min(top, plan.coarsest.get(name, top)) for name, top in tops.items()}}
    )


@dataclass(frozen=True, eq=False)
class LocalLabels:
    """A local recoding: the label of each combination of the table, and which combinations are suppressed."""

    labels: tuple[IntArray, ...]  # by quasi-identifier, codes of its ladder's labels
    suppressed: Mask
    levels: LevelsOf  # by column, how many rows are at each level
    score: float
    rounds: int  # of polishing

    @classmethod
    def of(cls, made: AnonymizedTable) -> LocalLabels:
        """Build the labels from an anonymised table, for a preview in another process."""
        lift = made.facts.combination_labels
        labels = tuple(lift.labels[ladder.name].codes.astype(np.int32) for ladder in lift.table.ladders)
        return cls(labels, lift.suppressed, made.levels, made.worth or 0.0, made.outcome.rounds or 0)

    def preview(self, exploration: Exploration) -> ReleasePreview:
        """Return the preview of the release with these labels."""
        table = exploration.table
        facts = table.build_facts_from_labels(self.labels, self.suppressed)
        sizes = facts.groups(with_values=True).sizes
        gone = int(table.counts[self.suppressed].sum())
        parts = Granularity().evaluate(facts).parts
        weighed = NodeFigures(
            levels=(),
            holds=all(goal.evaluate(facts).holds is True for goal in exploration.plan.goals),
            suppressed=gone,
            published=table.rows - gone,
            classes=len(sizes),
            smallest=int(sizes.min()) if len(sizes) else 0,
            score=self.score,
            lost=Fraction(0),
        )
        left = {name: part.exact if part.exact is not None else Fraction(1) for name, part in parts.items()}
        return ReleasePreview(weighed, facts, facts, left, {}, {})


def select_inside(weighed: Iterable[NodeFigures], ranges: Sequence[range]) -> list[NodeFigures]:
    """Return the vectors whose levels are all in the allowed ranges."""
    return [one for one in weighed if all(level in own for level, own in zip(one.levels, ranges, strict=True))]


def find_best(weighed: Iterable[NodeFigures], allowed: int) -> NodeFigures | None:
    """Return the vector that loses least with at most `allowed` rows suppressed; ties are broken as in a search."""
    return min((one for one in weighed if one.is_within(allowed)), key=lambda one: (one.lost, *one.tie), default=None)


def find_fewest_suppressed(weighed: Iterable[NodeFigures]) -> NodeFigures | None:
    """Return the vector that suppresses the fewest rows; of several, the one that loses least."""
    holding = (one for one in weighed if one.holds and one.classes)
    return min(holding, key=lambda one: (one.suppressed, one.lost, *one.tie), default=None)


def find_front(weighed: Iterable[NodeFigures], allowed: int) -> list[NodeFigures]:
    """Return the vectors within a limit that no other one beats in both risk and loss, the least loss first.

    Of vectors that are equal in both, only the first in the order of ties is returned.
    """
    found, least = list[NodeFigures](), None
    known = [(one.risk, one) for one in weighed if one.is_within(allowed) and one.risk is not None]
    for _, one in sorted(known, key=lambda both: (both[0], both[1].lost, *both[1].tie)):
        if least is None or one.lost < least:
            found.append(one)
            least = one.lost
    return found[::-1]


def find_best_by_limit(weighed: Iterable[NodeFigures]) -> list[NodeFigures]:
    """Return the vectors that are best at some limit on the suppressed rows, from the smallest limit up.

    Each is the best one from its own number of suppressed rows to just below that of the next.
    """
    holding = sorted((one for one in weighed if one.holds), key=lambda one: (one.suppressed, one.lost, *one.tie))
    return list(_select_improving(holding))


def _select_improving(ordered: Iterable[NodeFigures]) -> Iterator[NodeFigures]:
    """Yield those vectors, in the order of suppressed rows, that lose less than all before them."""
    least = None
    for _, group in groupby(ordered, key=lambda one: one.suppressed):
        one = next(group)
        if least is None or one.lost < least:
            least = one.lost
            yield one
