"""Local recoding from beginning to end: sweep, place, polish; every stage is measured, and the best one is returned."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from PETWorks.counting.tally import IntArray, Mask
from PETWorks.errors import GoalError, NotAskableError, plural
from PETWorks.exact.scores import FloatArray
from PETWorks.making.class_goals import class_goals
from PETWorks.making.local.classes import NOBODY, LocalClasses
from PETWorks.making.local.forest import Forest
from PETWorks.making.local.judge import Judge
from PETWorks.making.local.losses import Losses
from PETWorks.making.local.place import place
from PETWorks.making.local.polish import Outside, Polish
from PETWorks.making.local.sweep import sweep
from PETWorks.making.table import RawTable
from PETWorks.measure.base import Measure, Need
from PETWorks.measure.privacy import Privacy

ENOUGH = 0.0001  # polishing ends when a pass over all classes gains less than this share of what can be lost
MENDED = 3  # how often classes that fail as a release are placed anew

Listener = Callable[[str, int, float], None]  # called with the stage, the rounds of polishing, and the loss


class Stage(NamedTuple):
    """A release that was found, as levels by column and combination."""

    name: str
    rounds: int
    levels: tuple[IntArray, ...]
    suppressed: Mask  # by combination
    means: FloatArray  # by column, what is lost
    loss: float


@dataclass(frozen=True, eq=False)
class LocalRecoding:
    """The best release that local recoding found."""

    levels: tuple[IntArray, ...]  # by column, the level of each combination
    suppressed: Mask  # by combination
    stage: str  # "given", "placed", "polished", "suppressed": what brought it about
    rounds: int  # rounds of polishing that were completed
    loss: float
    complete: bool  # True: polishing ended because it gained too little, not because of time or rounds


def recode_locally(
    table: RawTable,
    goals: Sequence[Measure],
    losses: Losses,
    *,
    allowed: int = 0,
    crowd: int = 0,
    removes: bool = False,
    ranges: Sequence[range] | None = None,
    start: tuple[Sequence[int | IntArray], Mask] | None = None,
    polish_rounds: int | None = None,
    deadline: float | None = None,
    listener: Listener | None = None,
) -> LocalRecoding:
    """Return the release with the least loss that was found, in which rows may have different levels.

    At most `allowed` rows are suppressed, and if any, then at least `crowd`. If it `removes` them from the release,
    what is left holds by itself, too. `ranges` restricts the levels of columns.

    `start` is a release that is known to meet the goals, as levels and suppressed combinations: nothing worse is
    returned. Polishing ends after some rounds, at a deadline, a time of `time.monotonic`, or at Ctrl-C; a round that
    this interrupts does not count, so that as many `polish_rounds` give the same release again.
    """
    search = _Search(table, goals, losses, ranges, allowed=allowed, crowd=crowd, removes=removes)
    best: Stage | None = None
    rounds = 0
    try:
        for stage in search.stages(start, polish_rounds, deadline):
            if listener is not None:
                listener(stage.name, stage.rounds, stage.loss)
            rounds = stage.rounds
            if best is None or stage.loss < best.loss:
                best = stage
    except KeyboardInterrupt:  # as at a deadline
        if best is None:
            raise
    if best is None:
        raise search.unmet()
    return LocalRecoding(best.levels, best.suppressed, best.name, rounds, best.loss, search.complete)


class _Search:
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
        _refuse_population(goals)
        self.table, self.losses, self.removes = table, losses, removes
        self.judge = Judge(table, class_goals(goals))
        self.whole_table = [goal for goal in goals if not isinstance(goal, Privacy)]
        self.forest = Forest.of(table.ladders, losses.cells, ranges)
        values = np.stack(table.codes) + self.forest.first_value[:, None]
        self.classes = LocalClasses(self.forest, values, table.counts, self.judge.spreads)
        self.outside = Outside(self.classes, allowed, crowd, float(losses.suppressed.sum()))
        self.complete = False
        self.missed = ""

    def stages(
        self, start: tuple[Sequence[int | IntArray], Mask] | None, rounds: int | None, deadline: float | None
    ) -> Iterator[Stage]:
        """Yield every stage that meets the goals."""
        if start is not None:
            levels = tuple(np.broadcast_to(level, len(self.table.counts)) for level in start[0])
            yield from self._measured("given", 0, levels, start[1])
        everybody = np.flatnonzero(~self.forest.suppressed(self.classes.leaves))
        self.classes.fill(sweep(self.forest, self.classes.values, self.judge, everybody))
        yield from self._placed("placed")
        done = 0
        for name, allowed in (("polished", 0), ("suppressed", self.outside.allowed)):
            if name == "suppressed" and not allowed:
                break
            polish = Polish(self.classes, self.judge, self.outside.within(allowed))
            while not polish.done(ENOUGH * self.table.rows * float(self.losses.suppressed.sum())):
                if rounds is not None and done >= rounds:
                    return
                if not polish.round(deadline):
                    return
                done += 1
                yield from self._released(name, done)
        self.complete = True

    def _placed(self, name: str) -> Iterator[Stage]:
        for _ in range(MENDED):
            place(self.classes, self.judge, self.outside.loss)
            self.outside.settle()
            failing = self._failing()
            if not failing.any():
                break
            self.classes.fill(np.where(failing, NOBODY, self.classes.of))
        yield from self._released(name, 0)

    def _release(self) -> tuple[tuple[IntArray, ...], Mask]:
        """Return the levels and the suppressed combinations of the present classes."""
        suppressed = self.classes.of == NOBODY
        nodes = self.classes.nodes[:, self.classes.of] if len(self.classes) else self.classes.leaves
        return tuple(np.where(suppressed, 0, self.forest.level[nodes])), suppressed

    def _failing(self) -> Mask:
        """Return a mask of the combinations whose class fails as it is released; equal labels are one class."""
        levels, suppressed = self._release()
        facts = self.table.released(self.table.labels(levels), suppressed)
        failing = np.zeros(len(suppressed), dtype=bool)
        for goal in self.judge.goals:
            bad = goal.failing(facts)
            own = facts.lifted.of_combination
            failing |= (own != NOBODY) & np.append(bad, False)[own]
        return failing

    def _released(self, name: str, rounds: int) -> Iterator[Stage]:
        yield from self._measured(name, rounds, *self._release())

    def _measured(self, name: str, rounds: int, levels: Sequence[IntArray], suppressed: Mask) -> Iterator[Stage]:
        """Yield a release if it meets the goals, judged as every release is."""
        if self.removes:
            suppressed = self._removed(levels, suppressed)
        facts = self.table.released(self.table.labels(levels), suppressed)
        gone = facts.lifted.suppressed
        rows = int(self.table.counts[gone].sum())
        if not self.outside.admits(rows):
            self.missed = f"{plural(rows, 'row')} cannot be released, but {self.outside.allowed} may be suppressed"
            return
        for goal in (*self.judge.goals, *self.whole_table):
            if goal.evaluate(facts).holds is False:
                self.missed = f"{goal.name} does not hold"
                return
        means = self.losses.means(self.table, levels, gone)
        yield Stage(name, rounds, tuple(levels), gone, means, self.losses.total(means))

    def _removed(self, levels: Sequence[IntArray], suppressed: Mask) -> Mask:
        """Suppress also what fails if the suppressed rows are not in the table at all, until nothing does."""
        labels, goals = self.table.labels(levels), [goal for goal in self.judge.goals if not goal.pairs]
        gone = self.table.released(labels, suppressed).lifted.suppressed.copy()
        while gone.any() and not gone.all():
            kept = np.flatnonzero(~gone)
            alone = self.table.part(~gone).released([codes[kept] for codes in labels])
            failing = np.logical_or.reduce([goal.failing(alone) for goal in goals], initial=False)
            if not failing.any():
                break
            gone[kept[failing[alone.lifted.of_combination]]] = True
        return gone

    def unmet(self) -> GoalError:
        """Return the error that says what the best attempt lacks."""
        problem = f"no local recoding was found that meets the goals: in the nearest, {self.missed}"
        hint = "allow more rows to be suppressed (suppress_at_most), or set other limits"
        return GoalError(problem, where=self.table.facts.name, hint=hint)


def _refuse_population(goals: Sequence[Measure]) -> None:
    """Raise an error if a goal looks at a population, which is generalised to one level for each column."""
    for goal in goals:
        if Need.POPULATION in goal.needs or getattr(goal, "attacker", None) == "journalist":
            problem = f"{goal.name} compares with a population, which needs one level for each column"
            raise NotAskableError(problem, hint='generalise whole columns instead: recoding="global"')
