"""The stages of local recoding: sweep and place, polish, suppress some rows. Every stage is evaluated by the goals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import fsum
from typing import NamedTuple

import numpy as np

from PETWorks.anonymization.candidate import collect_class_goals
from PETWorks.anonymization.local.classes import (
    NOBODY,
    LocalClasses,
    VectorNumbers,
    draw_secrets,
    group_cells,
    order_vectors,
)
from PETWorks.anonymization.local.forest import HierarchyNodes, Losses
from PETWorks.anonymization.local.judge import ClassJudge
from PETWorks.anonymization.local.polish import OutsideRows, Polish, place
from PETWorks.anonymization.recodings.local import refuse_population
from PETWorks.anonymization.table import RawTable
from PETWorks.errors import GoalError, Quantity
from PETWorks.exact.scores import FloatArray
from PETWorks.measure.base import Measure
from PETWorks.measure.bounds import Privacy
from PETWorks.tables.counting.tally import IntArray, Mask

MAX_LEFT_SHARE = 0.9  # released combinations are dropped once the share of the others is below this


def sweep(forest: HierarchyNodes, values: IntArray, judge: ClassJudge, left: IntArray) -> IntArray:
    """Visit the level vectors by ascending loss, and release every cell that meets the goals.

    Return a class for each combination, NOBODY for those in no such cell. `left` are the combinations to release.
    """
    rows, of = judge.table.counts.astype(np.float64), np.full(len(judge.table.counts), NOBODY)
    means, keys_of = compute_means_and_keys(forest, values, rows, left)
    counts = rows[left]
    classes = 0
    for vector in order_vectors(means):
        if not len(left):
            break
        crowded, cell, starts = group_cells(keys_of(vector), counts, judge.least)
        if not len(crowded):
            continue
        sizes = np.add.reduceat(counts[crowded], starts)
        large = sizes >= judge.least
        if not large.any():
            continue
        crowded, cell = crowded[large[cell]], (np.cumsum(large) - 1)[cell[large[cell]]]
        starts = np.searchsorted(cell, np.arange(large.sum()))
        spreads = np.add.reduceat(judge.spreads[left[crowded]], starts, axis=0)
        members = np.split(left[crowded], starts[1:]) if judge.slow else []
        levels = forest.lowest + np.array(vector)
        holding = judge.find_holding(sizes[large], spreads, lambda number: (members[number], levels))  # noqa: B023
        holding &= ~forest.find_suppressed(look_up_nodes(forest, values[:, left[crowded[starts]]], vector))
        released = holding[cell]
        of[left[crowded[released]]] = classes + cell[released]
        classes += len(starts)
        counts[crowded[released]] = 0
        kept = counts > 0
        if kept.sum() < MAX_LEFT_SHARE * len(left):
            left, counts = left[kept], counts[kept]
            keys_of.keep(kept)
    return of


def compute_means_and_keys(
    forest: HierarchyNodes, values: IntArray, rows: FloatArray, left: IntArray
) -> tuple[list[list[float]], VectorNumbers]:
    """Return, by column and level, the mean loss; and the keys of the remaining combinations at each vector."""
    nodes = [[at[own] for at in forest.at[:levels]] for own, levels in zip(values, forest.steps, strict=True)]
    means = [[fsum(forest.loss[own] * rows) for own in levels] for levels in nodes]  # the same on every machine
    return means, VectorNumbers(draw_secrets([[own[left] for own in levels] for levels in nodes]), np.bitwise_xor)


def look_up_nodes(forest: HierarchyNodes, values: IntArray, vector: tuple[int, ...]) -> IntArray:
    """Return, by column and combination, the node at a vector."""
    return np.asarray(forest.at[np.array(vector)[:, None], values])


MIN_GAIN = 0.0001  # polishing ends when a pass over all classes gains less than this share of the largest loss
MAX_REPAIRS = 3  # how often the members of failing classes are placed again

Start = tuple[Sequence[int | IntArray], Mask]  # a release to start from: levels by column, suppressed combinations


class Stage(NamedTuple):
    """The release of a stage, as levels by column and combination."""

    name: str
    rounds: int
    table: RawTable  # whose combinations have these levels
    levels: tuple[IntArray, ...]
    suppressed: Mask  # by combination
    means: FloatArray  # by column, the mean loss
    loss: float


class Stages:
    """The stages from a table to releases that meet the goals; each usually loses less than the one before."""

    def __init__(
        self,
        table: RawTable,
        goals: Sequence[Measure],
        losses: Losses,
        ranges: Sequence[range] | None,
        *,
        allowed: int,
        crowd: int,
        removes: bool,
    ) -> None:
        refuse_population(goals)
        self.start, self.losses, self.removes = table, losses, removes
        self.judge = ClassJudge(table, collect_class_goals(goals))
        self.whole_table = [goal for goal in goals if not isinstance(goal, Privacy)]
        self.forest = HierarchyNodes.of(table.ladders, losses.cells, ranges)
        values = np.stack(table.codes) + self.forest.first_value[:, None]
        self.classes = self._build_classes(values)
        self.outside = OutsideRows(self.classes, allowed, crowd, float(losses.suppressed.sum()))
        self.complete = False
        self.missed = ""
        self.figures: dict[str, object] = {}  # of what was missed

    def _build_classes(self, values: IntArray) -> LocalClasses:
        return LocalClasses(self.forest, values, self.start.counts, self.judge.spreads)

    @property
    def table(self) -> RawTable:
        """The table whose combinations are the members of the current classes."""
        return self.start

    def iterate_stages(self, start: Start | None, rounds: int | None, deadline: float | None) -> Iterator[Stage]:
        """Yield the release of every stage that meets the goals."""
        if start is not None:
            levels = tuple(np.broadcast_to(level, len(self.start.counts)) for level in start[0])
            yield from self._measure("given", 0, self.start, levels, start[1])
        everybody = np.flatnonzero(~self.forest.find_suppressed(self.classes.leaves))
        self.classes.fill(sweep(self.forest, self.classes.values, self.judge, everybody))
        yield from self._yield_placed()
        yield from self._yield_polished(rounds, deadline)

    def _yield_placed(self, done: int = 0) -> Iterator[Stage]:
        for _ in range(MAX_REPAIRS):
            self._place()
            self.outside.settle()
            failing = self._find_failing()
            if not failing.any():
                break
            self.classes.fill(np.where(failing, NOBODY, self.classes.of))
        yield from self._yield_released("placed", done)

    def _yield_polished(self, rounds: int | None, deadline: float | None, done: int = 0) -> Iterator[Stage]:
        """Polish up to a number of rounds, and yield the release after each; `done` rounds were counted before."""
        self.complete = False
        for name, allowed in (("polished", 0), ("suppressed", self.outside.allowed)):
            if name == "suppressed" and not allowed:
                break
            polish = self._polish(self.outside.with_allowed(allowed))
            while not polish.is_done(MIN_GAIN * self.start.rows * float(self.losses.suppressed.sum())):
                if rounds is not None and done >= rounds:
                    return
                if not polish.run_round(deadline):
                    return
                done += 1
                yield from self._yield_released(name, done)
        self.complete = True

    def _place(self) -> None:
        place(self.classes, self.judge, self.outside.loss)

    def _polish(self, outside: OutsideRows) -> Polish:
        return Polish(self.classes, self.judge, outside)

    def _read_levels(self) -> tuple[tuple[IntArray, ...], Mask]:
        """Return the levels and the suppressed combinations of the current classes."""
        suppressed = self.classes.of == NOBODY
        nodes = self.classes.nodes[:, self.classes.of] if len(self.classes) else self.classes.leaves
        return tuple(np.where(suppressed, 0, self.forest.level[nodes])), suppressed

    def _find_failing(self) -> Mask:
        """Return a mask of the combinations whose class fails once it is released; equal labels are one class."""
        table, (levels, suppressed) = self.table, self._read_levels()
        facts = table.build_facts_from_labels(table.look_up_labels(levels), suppressed)
        failing = np.zeros(len(suppressed), dtype=bool)
        for goal in self.judge.goals:
            bad = goal.find_failing(facts)
            own = facts.combination_labels.of_combination
            failing |= (own != NOBODY) & np.append(bad, False)[own]
        return failing

    def _yield_released(self, name: str, rounds: int) -> Iterator[Stage]:
        yield from self._measure(name, rounds, self.table, *self._read_levels())

    def _measure(
        self, name: str, rounds: int, table: RawTable, levels: Sequence[IntArray], suppressed: Mask
    ) -> Iterator[Stage]:
        """Yield a release if it meets the goals, evaluated like any other release."""
        if self.removes:
            suppressed = self._suppress_failing_alone(table, levels, suppressed)
        facts = table.build_facts_from_labels(table.look_up_labels(levels), suppressed)
        gone = facts.combination_labels.suppressed
        rows = int(table.counts[gone].sum())
        if not self.outside.admits(rows):
            self.missed = "{rows} cannot be released, but {allowed} may be suppressed"
            self.figures = {"rows": Quantity(rows, "row"), "allowed": self.outside.allowed}
            return
        for goal in (*self.judge.goals, *self.whole_table):
            if goal.evaluate(facts).holds is False:
                self.missed, self.figures = "{goal} does not hold", {"goal": goal.name}
                return
        means = self.losses.compute_means(table, levels, gone)
        yield Stage(name, rounds, table, tuple(levels), gone, means, self.losses.compute_total(means))

    def _suppress_failing_alone(self, table: RawTable, levels: Sequence[IntArray], suppressed: Mask) -> Mask:
        """Suppress the classes that fail once the suppressed rows are removed from the table, until none fails."""
        labels, goals = table.look_up_labels(levels), [goal for goal in self.judge.goals if not goal.pairs]
        gone = table.build_facts_from_labels(labels, suppressed).combination_labels.suppressed.copy()
        while gone.any() and not gone.all():
            kept = np.flatnonzero(~gone)
            alone = table.select(~gone).build_facts_from_labels([codes[kept] for codes in labels])
            failing = np.logical_or.reduce([goal.find_failing(alone) for goal in goals], initial=False)
            if not failing.any():
                break
            gone[kept[failing[alone.combination_labels.of_combination]]] = True
        return gone

    def build_error(self) -> GoalError:
        """Return the error that names the unmet goal of the nearest attempt."""
        problem = f"no local recoding was found that meets the goals: in the nearest, {self.missed}"
        hint = "allow more rows to be suppressed (suppress_at_most), or set other limits"
        return GoalError(problem, where=self.start.facts.name, hint=hint, figures=self.figures)
