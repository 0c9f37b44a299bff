"""Rows of a column may have different levels: the best release that sweeping, placing and polishing found."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from fractions import Fraction
from functools import partial
from time import monotonic

import numpy as np

from PETWorks.counting.tally import sums
from PETWorks.errors import GoalError, NotAskableError, ParameterError
from PETWorks.making.aim import objective_of
from PETWorks.making.candidate import Judge
from PETWorks.making.class_goals import class_goals
from PETWorks.making.local.ceiling import least_loss
from PETWorks.making.local.losses import Losses
from PETWorks.making.local.recode import LocalRecoding, recode_locally
from PETWorks.making.outcome import Outcome
from PETWorks.making.plan import Plan
from PETWorks.making.search import Listener, Polishing, Search
from PETWorks.making.table import RawTable
from PETWorks.making.vast import lattice_of
from PETWorks.measure.base import Need
from PETWorks.measure.privacy import Privacy
from PETWorks.privacy.k_anonymity import KAnonymity
from PETWorks.sources.spark.source import SparkSource
from PETWorks.utility.granularity import Granularity

TRIES = 300  # level vectors that are evaluated to have something to start from
GIVEN = "given"  # the stage of a recoding that found nothing better than what it started from
FEWEST = 20  # classes that there must be room for, so that larger ones are worth trying
HALVINGS = 3  # of the range of sizes that is left


def best_local(table: RawTable, plan: Plan, listener: Listener | None = None) -> Outcome:
    """Look for the release with the least loss in which rows may have different levels.

    It starts from the best of some level vectors, and is not worse. It is not proven to be the best.
    """
    measure = plan.utility or Granularity()
    cells = [measure.cell_losses(ladder) for ladder in table.ladders]
    if any(one is None for one in cells):
        hint = 'pass utility="granularity", "loss" or "Precision", or recoding="global"'
        raise ParameterError(f"local recoding needs a loss for each cell, which {measure.name} has not", hint=hint)
    if plan.parts:
        _require_parts(table, plan)
    end = None if plan.seconds is None else monotonic() + plan.seconds
    ranges, allowed = plan.ranges(table.ladders), plan.allowed(table.rows)
    weights = [plan.weights.get(ladder.name, Fraction(1)) for ladder in table.ladders]
    objective = objective_of(table, plan.utility, plan.weights)
    removes = plan.suppressed_rows == "remove"
    judge = Judge(table, plan.goals, allowed, plan.crowd, removes=removes)
    vector = Search(judge, objective, lattice_of(ranges, objective), listener=listener, most=TRIES).run().best
    losses = Losses.of([one for one in cells if one is not None], weights, geometric=plan.utility is None)

    def polished(_: str, rounds: int, loss: float) -> None:
        if listener:
            listener(Polishing(rounds, loss if plan.utility is None else objective.value(loss)))

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
        listener=polished,
    )
    found = _recoded(recode, plan, table.rows)
    facts = found.table.released(found.table.labels(found.levels), found.suppressed)
    goals = class_goals(plan.goals)

    def ceiling() -> float:
        fixed = not (removes and allowed)
        return objective.value(least_loss(table, goals, losses.additive, ranges, fixed=fixed))

    return Outcome(facts, _rows_by_level(found), proven=False, bound=None, ceiling=ceiling, rounds=found.rounds)


def _recoded(recode: Callable[..., LocalRecoding], plan: Plan, rows: int) -> LocalRecoding:
    """Recode. If goals on the whole table ask for larger classes than the others do, the smallest size that helps.

    Sizes are tried without parts and polishing: first each twice the one before, then those between the last two.
    """

    def tried(size: int) -> LocalRecoding | None:
        with suppress(GoalError):
            return recode([*plan.goals, KAnonymity(size)], parts=False, polish_rounds=0)
        return None

    def helps(size: int) -> bool:
        found = tried(size)
        return found is not None and found.stage != GIVEN

    small = plan.class_size or 1
    if all(isinstance(goal, Privacy) for goal in plan.goals) or helps(small):
        return recode(plan.goals, polish_rounds=plan.polish_rounds)
    large = 2 * small
    while large * FEWEST <= rows and not helps(large):
        small, large = large, 2 * large
    if large * FEWEST > rows:
        return recode(plan.goals, polish_rounds=plan.polish_rounds)
    for _ in range(HALVINGS):
        middle = (small + large) // 2
        small, large = (small, middle) if helps(middle) else (middle, large)
    given, found = tried(1), recode([*plan.goals, KAnonymity(large)], polish_rounds=plan.polish_rounds)
    return given if given and given.loss <= found.loss else found


def _require_parts(table: RawTable, plan: Plan) -> None:
    """Raise an error if labels cannot depend on sensitive values, or if that would be of no use."""
    if not any(Need.SENSITIVE in goal.needs for goal in plan.goals):
        problem = "parts lets labels depend on sensitive values, but no goal looks at any"
        raise ParameterError(problem, hint="omit parts, or add a goal that does, such as t-closeness")
    if isinstance(table.facts._tables.release, SparkSource):  # noqa: SLF001 (of our own)
        problem = "parts tells rows with equal values apart by their order, which rows on a cluster do not have"
        raise NotAskableError(problem, where=table.facts.name, hint="omit parts, or pass a file that Spark wrote")


def _rows_by_level(found: LocalRecoding) -> dict[str, dict[int, int]]:
    """Return, for each column, how many rows that are not suppressed are at each level."""
    table = found.table
    counts = np.where(found.suppressed, 0, table.counts)
    by_column = {}
    for ladder, levels in zip(table.ladders, found.levels, strict=True):
        rows = sums(levels, counts, ladder.height + 1).tolist()
        by_column[ladder.name] = {level: many for level, many in enumerate(rows) if many}
    return by_column
