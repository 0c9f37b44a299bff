"""Local recoding from start to end: sweep, place, polish. Every stage is evaluated, and the best one is returned.

The bound on every local recoding: a row is released in some class, and the class is a part of a *cell*, the rows that
can have its labels. So if no part of a cell can meet the goals, no row is released with its labels. Every row counts
with its loss at the best level vector whose cell may have such a part. Measures declare whether it may: by the least
rows of a part (`least_size`), and by the share of a failing cell that must be suppressed, however it is divided
(`floor`).

A lattice that is too large is split into groups of columns. The cell of a class by some of its columns contains the
class, so each group has a bound of its own; the losses of the groups add up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import prod
from time import monotonic
from typing import Any

import numpy as np

from PETWorks.anonymization.candidate import NodeJudge, collect_class_goals
from PETWorks.anonymization.local.classes import (
    MAX_VISITED_VECTORS,
    VectorNumbers,
    draw_secrets,
    group_cells,
    order_vectors,
)
from PETWorks.anonymization.local.forest import NO_NODE, Losses
from PETWorks.anonymization.local.judge import ClassJudge as CeilingJudge
from PETWorks.anonymization.local.judge import find_least_size
from PETWorks.anonymization.local.parts import PartStages
from PETWorks.anonymization.local.stages import Stage, Stages, Start
from PETWorks.anonymization.objective import Objective, build_objective
from PETWorks.anonymization.plan import SearchSettings
from PETWorks.anonymization.search import LatticeSearch, PolishProgress, SearchResult, build_lattice
from PETWorks.anonymization.search import Listener as LocalDomainListener
from PETWorks.anonymization.table import RawTable
from PETWorks.errors import GoalError, NotAskableError, ParameterError
from PETWorks.exact.scores import FloatArray
from PETWorks.facts.cells import LevelCodes
from PETWorks.facts.tallies import find_tables
from PETWorks.measure.base import Measure, Need
from PETWorks.measure.bounds import Privacy
from PETWorks.measure.privacy.k_anonymity import KAnonymity
from PETWorks.measure.utility.granularity import Granularity
from PETWorks.tables.counting.tally import IntArray, Mask, pack, rank_keys, sum_by_group
from PETWorks.tables.spark.source import SparkSource

Listener = Callable[[str, int, float], None]  # called with the stage, the rounds of polishing, and the loss


@dataclass(frozen=True, eq=False)
class LocalRecoding:
    """The best release that local recoding found."""

    table: RawTable  # whose combinations have these levels
    levels: tuple[IntArray, ...]  # by column, the level of each combination
    suppressed: Mask  # by combination
    stage: str  # "given", "placed", "polished" or "suppressed": the stage that found it
    rounds: int  # completed rounds of polishing
    loss: float
    complete: bool  # True: polishing ended because it gained too little, not at a limit of time or rounds


def recode_locally(
    table: RawTable,
    goals: Sequence[Measure],
    losses: Losses,
    *,
    allowed: int = 0,
    crowd: int = 0,
    removes: bool = False,
    ranges: Sequence[range] | None = None,
    start: Start | None = None,
    parts: bool = False,
    polish_rounds: int | None = None,
    deadline: float | None = None,
    listener: Listener | None = None,
) -> LocalRecoding:
    """Return the release with the least loss found, in which rows may have different levels.

    At most `allowed` rows are suppressed, and if any, then at least `crowd`. With `removes`, they leave the release,
    and the goals hold without them, too. `ranges` restricts the levels of columns.

    `start` is a release that meets the goals, as levels and suppressed combinations: no worse one is returned.
    Polishing ends after `polish_rounds`, at a deadline, a time of `time.monotonic`, or at Ctrl-C; an interrupted round
    does not count, so that as many `polish_rounds` give the same release again.

    With `parts`, rows of one combination may get different labels, by their sensitive values. Whole combinations are
    polished first, to the end, so that no worse release is returned; the remaining rounds follow in parts.
    """
    asked: dict[str, Any] = {"ranges": ranges, "allowed": allowed, "crowd": crowd, "removes": removes}
    search, best = Stages(table, goals, losses, **asked), _BestStage(listener)
    pieces = PartStages(table, goals, losses, **asked) if parts else None
    best.follow(search.iterate_stages(start, polish_rounds, deadline))
    complete = search.complete
    if pieces is not None:
        whole = best.stage
        best.follow(pieces.iterate_stages(best.limit_rounds(polish_rounds), deadline, best.rounds))
        if not pieces.placed:  # Ctrl-C stopped it, but a repetition with as many rounds places all pieces
            best.take(pieces.iterate_stages(best.rounds, deadline, best.rounds))
        if pieces.complete and whole is not None and best.stage is whole:
            best.follow(pieces.iterate_stages(best.limit_rounds(polish_rounds), deadline, best.rounds, whole))
        complete &= pieces.complete
    if best.stage is None:
        raise search.build_error()
    name, _, divided, levels, suppressed, _, loss = best.stage
    return LocalRecoding(divided, levels, suppressed, name, best.rounds, loss, complete)


class _BestStage:
    """Follows stages and keeps the best one."""

    stage: Stage | None = None
    rounds = 0
    stopped = False  # True: by Ctrl-C

    def __init__(self, listener: Listener | None) -> None:
        self._listener = listener

    def follow(self, stages: Iterator[Stage]) -> None:
        """Take further stages. Ctrl-C ends them like a deadline, unless there is no stage to return yet."""
        try:
            self.take(stages)
        except KeyboardInterrupt:
            if self.stage is None:
                raise
            self.stopped = True

    def take(self, stages: Iterator[Stage]) -> None:
        """Run the further stages to their end."""
        for stage in stages:
            if self._listener is not None:
                self._listener(stage.name, stage.rounds, stage.loss)
            self.rounds = stage.rounds
            if self.stage is None or stage.loss < self.stage.loss:
                self.stage = stage

    def limit_rounds(self, rounds: int | None) -> int | None:
        """Return the limit on all rounds of polishing: those so far if Ctrl-C stopped them."""
        return self.rounds if self.stopped else rounds


MAX_LOOKED_AT = 2**30  # most vectors of a group of columns times combinations
ROUNDING = 1e-9  # a generous bound on the error of floats


def bound_loss(
    table: RawTable, goals: Sequence[Privacy], losses: Losses, ranges: Sequence[range], *, fixed: bool
) -> float:
    """Return a lower bound on the loss of any local recoding, as the mean over all rows.

    `fixed` is True if suppressed rows stay in the release, so that the distribution of the whole table is fixed.
    """
    hopes = _CellBounds.of(table, goals, fixed=fixed)
    lost = 0.0
    for columns in _group_columns([len(levels) for levels in ranges], len(table.counts)):
        lost += _bound_group_loss(table, hopes, losses, ranges, columns)
    return lost * (1 - ROUNDING)


@dataclass(frozen=True, eq=False)
class _CellBounds:
    """Finds the cells that may have a part that meets the goals."""

    judge: CeilingJudge
    goals: Sequence[Privacy]  # whose `floor` bounds how much of a cell must be suppressed
    least: int  # rows of every class

    @classmethod
    def of(cls, table: RawTable, goals: Sequence[Privacy], *, fixed: bool) -> _CellBounds:
        """Build the bounds from the goals whose declarations hold for this table."""
        sure = [goal for goal in goals if fixed and goal.declarations_hold(table.facts)]
        least = [find_least_size(goal, table.facts) if goal in sure else goal.least_size() for goal in goals]
        judge = CeilingJudge(table, goals)
        return cls(judge, [goal for goal in judge.by_value if goal in sure], max(least, default=1))

    def find_possible(self, sizes: FloatArray, counts: FloatArray) -> Mask:
        """Return a mask of the cells of which some part may meet the goals; all others are skipped."""
        able = sizes >= self.least
        for goal in self.goals:
            where = np.flatnonzero(able)
            if len(where):
                left = sizes[where] * (1 - self.judge.compute_floor(goal, sizes[where], counts[where]))
                able[where] = left >= self.least - ROUNDING
        return able


def _group_columns(shape: Sequence[int], combinations: int) -> Iterator[list[int]]:
    """Yield groups of adjacent columns whose lattice is small enough to visit."""
    most = min(2 * MAX_VISITED_VECTORS, MAX_LOOKED_AT // combinations)
    group: list[int] = []
    for column, levels in enumerate(shape):
        if group and prod(shape[one] for one in group) * levels > most:
            yield group
            group = []
        group.append(column)
    yield group


def _bound_group_loss(
    table: RawTable, hopes: _CellBounds, losses: Losses, ranges: Sequence[range], columns: Sequence[int]
) -> float:
    """Return a lower bound on the loss in some columns."""
    codes = [table.codes[column] for column in columns]
    sizes = [len(table.ladders[column].values) for column in columns]
    first, ids = rank_keys(pack(codes, sizes)[0], prod(sizes))
    rows, spreads = _sum_by_id(table.counts[:, None], ids)[:, 0], _sum_by_id(hopes.judge.spreads, ids)
    lost, nodes = [], []
    for column, own in zip(columns, codes, strict=True):
        reached = _find_reachable(table.ladders[column], ranges[column])
        lost.append([losses.cells[column][level, own[first]] for level in ranges[column]])
        nodes.append([labels[own[first]] for labels in reached])
    best = np.full(len(first), float(losses.suppressed[list(columns)].sum()))
    losing, keys_of = VectorNumbers(lost, np.add), VectorNumbers(draw_secrets(nodes), np.bitwise_xor)
    for vector in order_vectors([[float(one @ rows) for one in levels] for levels in lost]):
        loss = losing(vector)
        better = loss < best
        if better.any():
            order, cell, starts = group_cells(keys_of(vector), rows, hopes.least, better)
            if len(order):
                sums = np.add.reduceat(rows[order], starts), np.add.reduceat(spreads[order], starts, axis=0)
                able = order[hopes.find_possible(*sums)[cell]]
                best[able] = np.minimum(best[able], loss[able])
    return float(best @ rows) / table.rows


def _sum_by_id(numbers: FloatArray, ids: IntArray) -> FloatArray:
    """Return the sums of the rows of an array that have the same id."""
    order = np.argsort(ids, kind="stable")
    starts = np.searchsorted(ids[order], np.arange(int(ids.max()) + 1))
    return np.asarray(np.add.reduceat(numbers[order].astype(np.float64), starts, axis=0))


def _find_reachable(ladder: LevelCodes, levels: range) -> Iterator[IntArray]:
    """Yield, for each level, a number for each value: equal for all values that can have the same label there.

    A label can occur on two levels, for different values. Then the numbers are those of a higher level that joins them.
    """
    up = ladder.up[levels.start : levels.stop]
    for low, labels in enumerate(up):
        for nodes in up[low:]:
            own = np.full(len(ladder.labels), NO_NODE)
            own[labels] = nodes
            if ((own[up] == NO_NODE) | (own[up] == nodes)).all():
                yield nodes
                break
        else:
            yield np.zeros_like(labels)


TRIES = 300  # level vectors that are evaluated to find a start
START_STAGE = "given"  # the stage of a recoding that found nothing better than its start
MIN_CLASSES = 20  # fewest classes for which larger class sizes are tried
HALVINGS = 3  # of the remaining range of class sizes


def search_locally(table: RawTable, plan: SearchSettings, listener: LocalDomainListener | None = None) -> SearchResult:
    """Search for the release with the least loss in which rows may have different levels.

    The search starts from the best of some level vectors and returns no worse release. It proves no optimum.
    """
    measure = plan.utility or Granularity()
    cells = [measure.cell_losses(ladder) for ladder in table.ladders]
    if any(one is None for one in cells):
        hint = 'pass utility="granularity", "loss" or "Precision", or recoding="global"'
        raise ParameterError(f"local recoding needs a loss for each cell, and {measure.name} has none", hint=hint)
    if plan.parts:
        _require_parts(table, plan)
    end = None if plan.time_limit is None else monotonic() + plan.time_limit
    ranges, allowed = plan.ranges(table.ladders), plan.allowed(table.rows)
    weights = [plan.weights.get(ladder.name, Fraction(1)) for ladder in table.ladders]
    objective = build_objective(table, plan.utility, plan.weights)
    removes = plan.suppressed_rows == "remove"
    judge = NodeJudge(table, plan.goals, allowed, plan.crowd, removes=removes)
    vector = LatticeSearch(judge, objective, build_lattice(ranges, objective), listener=listener, most=TRIES).run().best
    losses = Losses.of([one for one in cells if one is not None], weights, geometric=plan.utility is None)

    def report_round(_: str, rounds: int, loss: float) -> None:
        if listener:
            listener(PolishProgress(rounds, loss if plan.utility is None else objective.score(loss)))

    recode = partial(
        recode_locally,
        table,
        losses=losses,
        allowed=allowed,
        crowd=plan.crowd,
        removes=removes,
        ranges=ranges,
        start=None if vector is None else (vector.levels, vector.gone),
        parts=plan.parts,
        deadline=end,
        listener=report_round,
    )
    found = _recode_with_class_size(recode, plan, table.rows)
    facts = found.table.build_facts_from_labels(found.table.look_up_labels(found.levels), found.suppressed)
    ceiling = LocalCeiling(table, plan, objective, losses.additive)
    return SearchResult(
        facts, _count_rows_by_level(found), proven=False, bound=None, ceiling=ceiling, rounds=found.rounds
    )


@dataclass(frozen=True, eq=False)
class LocalCeiling:
    """The bound on the score of every local recoding that meets the goals of a plan."""

    table: RawTable
    plan: SearchSettings
    objective: Objective
    losses: Losses

    def compute(self) -> float:
        """Return an upper bound on the utility, or a lower bound on the loss."""
        removes = self.plan.suppressed_rows == "remove"
        fixed = not (removes and self.plan.allowed(self.table.rows))
        goals, ranges = collect_class_goals(self.plan.goals), self.plan.ranges(self.table.ladders)
        return self.objective.score(bound_loss(self.table, goals, self.losses, ranges, fixed=fixed))


def _recode_with_class_size(recode: Callable[..., LocalRecoding], plan: SearchSettings, rows: int) -> LocalRecoding:
    """Recode; if goals on the whole table need larger classes than the others do, with the smallest size that helps.

    Sizes are tried without parts and polishing: first by doubling, then by bisection between the last two.
    """

    def try_size(size: int) -> LocalRecoding | None:
        with suppress(GoalError):
            return recode([*plan.goals, KAnonymity(size)], parts=False, polish_rounds=0)
        return None

    def is_helpful(size: int) -> bool:
        found = try_size(size)
        return found is not None and found.stage != START_STAGE

    small = plan.class_size or 1
    if all(isinstance(goal, Privacy) for goal in plan.goals) or is_helpful(small):
        return recode(plan.goals, polish_rounds=plan.polish_rounds)
    large = 2 * small
    while large * MIN_CLASSES <= rows and not is_helpful(large):
        small, large = large, 2 * large
    if large * MIN_CLASSES > rows:
        return recode(plan.goals, polish_rounds=plan.polish_rounds)
    for _ in range(HALVINGS):
        middle = (small + large) // 2
        small, large = (small, middle) if is_helpful(middle) else (middle, large)
    given, found = try_size(1), recode([*plan.goals, KAnonymity(large)], polish_rounds=plan.polish_rounds)
    return given if given and given.loss <= found.loss else found


def _require_parts(table: RawTable, plan: SearchSettings) -> None:
    """Raise an error if labels cannot depend on sensitive values, or if no goal uses these."""
    if not any(Need.SENSITIVE in goal.needs for goal in plan.goals):
        problem = "parts lets labels depend on sensitive values, but no goal looks at any"
        raise ParameterError(problem, hint="omit parts, or add a goal that does, such as t-closeness")
    if isinstance(find_tables(table.facts).release, SparkSource):
        problem = "parts tells rows with equal values apart by their order, which rows on a cluster do not have"
        raise NotAskableError(problem, where=table.facts.name, hint="omit parts, or pass a file that Spark wrote")


def _count_rows_by_level(found: LocalRecoding) -> dict[str, dict[int, int]]:
    """Count, for each column, the rows at each level that are not suppressed."""
    table = found.table
    counts = np.where(found.suppressed, 0, table.counts)
    by_column = {}
    for ladder, levels in zip(table.ladders, found.levels, strict=True):
        rows = sum_by_group(levels, counts, ladder.height + 1).tolist()
        by_column[ladder.name] = {level: many for level, many in enumerate(rows) if many}
    return by_column
