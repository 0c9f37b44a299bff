"""One level for each column: the best of all level vectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from PETWorks.anonymization.candidate import class_goals
from PETWorks.anonymization.objective import objective_of
from PETWorks.anonymization.people import all_of, allowed_in, judge_of
from PETWorks.anonymization.plan import Plan
from PETWorks.anonymization.search import Found, Listener, Nearest, Outcome, Search, lattice_of
from PETWorks.anonymization.table import RawTable
from PETWorks.anonymization.vectors import Levels
from PETWorks.errors import GoalError, plural

WORK = 2**28  # combinations times vectors: the most work that is done unasked, the same on every machine


def best_vector(table: RawTable, plan: Plan, listener: Listener | None = None) -> Outcome:
    """Search for the level vector that meets the goals at the least loss."""
    found = search(table, plan, listener)
    if found.best is None:
        raise _impossible(table, plan, found)
    names = [ladder.name for ladder in table.ladders]
    return Outcome(
        found.best.released,
        dict(zip(names, found.best.levels, strict=True)),
        proven=found.proven,
        bound=None if found.trimmed else found.progress.reach,
        proof=found.progress,
        best=found.best,
        freely=partial(search_freely, table, plan) if plan.levels else None,
    )


def search_freely(table: RawTable, plan: Plan) -> Found:
    """Search the vectors that there are without the levels that a plan gives; stop when much work was done."""
    most = max(WORK // max(len(table.counts), 1), 1)
    return search_of(table, replace(plan, levels={}), most=most).run()


def search(table: RawTable, plan: Plan, listener: Listener | None = None, *, but: Levels | None = None) -> Found:
    """Search all level vectors `but` one."""
    return search_of(table, plan, listener, but=but).run()


def search_of(
    table: RawTable,
    plan: Plan,
    listener: Listener | None = None,
    *,
    but: Levels | None = None,
    most: int | None = None,
) -> Search:
    """Return the search, which is not running yet; it evaluates at most so many vectors."""
    objective = objective_of(table, plan.utility, plan.weights)
    judge = judge_of(table, plan, crowd=plan.crowd)
    lattice = lattice_of(plan.ranges(table.ladders), objective)
    if but is not None:
        lattice.leave_out(but)
    return Search(judge, objective, lattice, seconds=plan.seconds, listener=listener, most=most)


@dataclass(frozen=True)
class Blame:
    """Why no level vector meets the goals: the nearest one, and what each goal costs there."""

    levels: Levels
    rows: int  # that it would suppress; people, if the plan suppresses these
    unmet: Sequence[str]  # goals on the whole table that fail there although few enough rows are suppressed
    alone: Mapping[str, int]  # by goal, what it would suppress by itself; not known if others are unmet

    @property
    def costliest(self) -> str:
        """The goal that costs most."""
        return max(self.alone, key=lambda name: self.alone[name])


def blame(table: RawTable, plan: Plan, found: Nearest) -> Blame:
    """Return which vector comes nearest, and which goal is to blame there."""
    nearest, any_number = _nearest(table, plan, found), all_of(table, plan)
    alone = dict[str, int]()
    if not (unmet := _unmet(table, plan, nearest)):
        for goal in plan.goals:
            rows = judge_of(table, plan, [goal], any_number).judge(nearest.levels).rows
            alone[goal.name] = max(rows, alone.get(goal.name, 0))  # several goals may be of one measure
    return Blame(nearest.levels, nearest.rows, unmet, alone)


def _impossible(table: RawTable, plan: Plan, found: Found) -> GoalError:
    """Build the error for goals that no level vector meets: which comes nearest, and which goal is to blame there."""
    assert found.nearest is not None  # noqa: S101 (the coarsest vector was evaluated)
    names = [ladder.name for ladder in table.ladders]
    allowed, nearest = allowed_in(table, plan), blame(table, plan, found.nearest)
    levels = ", ".join(f"{name} {level}" for name, level in zip(names, nearest.levels, strict=True))
    stopped = "" if found.progress.complete else " among those that were tried in time"
    local = ", or use local recoding" if table.facts.persons is None else ""  # which counts rows, not people
    if nearest.unmet:
        told = f"does not meet {', '.join(nearest.unmet)}"
        hint = f"relax it or other goals, raise suppress_at_most{local}"
    elif 0 < (few := _without_crowd(table, plan, nearest.levels)) <= allowed:
        told = (
            f"would leave {few:,} suppressed in the release, fewer than {plan.crowd:,}: who is known to be in the table"
            " and fits no class would be one of them"
        )
        hint = f"{_instead_of_few(table, plan, nearest.levels)}relax a goal, allow coarser levels{local}"
    else:
        told, costliest = f"would suppress {nearest.rows:,} of {all_of(table, plan):,}", nearest.costliest
        hint = (
            f"{costliest} costs most there: alone it would suppress {nearest.alone[costliest]:,}; relax it,"
            f" raise suppress_at_most, allow coarser levels{local}"
        )
    most = plural(allowed, "row") if plan.suppress == "rows" else plural(allowed, "person", "people")
    problem = f"no level vector{stopped} meets the goals with at most {most} suppressed; the nearest ({levels}) {told}"
    return GoalError(problem, where=table.facts.name, hint=hint)


def _without_crowd(table: RawTable, plan: Plan, levels: Levels) -> int:
    """Return how many would be suppressed at a vector, if they may be as few as that; 0 if that is no matter."""
    if not plan.crowd:
        return 0
    return judge_of(table, plan, plan.goals, all_of(table, plan)).judge(levels).rows


def _instead_of_few(table: RawTable, plan: Plan, levels: Levels) -> str:
    """Return what to do where too few would be suppressed: remove them, or suppress as many more as it takes."""
    remove = 'leave them out with suppressed_rows="remove", ' if table.facts.persons is None else ""
    found = judge_of(table, plan, plan.goals, all_of(table, plan), plan.crowd).judge(levels)
    enough = found.candidate is not None and found.rows < all_of(table, plan)
    return remove + (f"let suppress_at_most allow {found.rows:,}, " if enough else "")


def _unmet(table: RawTable, plan: Plan, nearest: Nearest) -> list[str]:
    """Return the goals on the whole table, such as utility, that fail although few enough rows are suppressed."""
    by_class = class_goals(plan.goals)
    judge = judge_of(table, plan, by_class, crowd=plan.crowd)
    if nearest.rows > judge.allowed or (candidate := judge.judge(nearest.levels).candidate) is None:
        return []
    return [goal.name for goal in plan.goals if goal.evaluate(candidate.released).holds is not True]


def _nearest(table: RawTable, plan: Plan, found: Nearest) -> Nearest:
    """Return the vector that comes nearest; if everybody is suppressed there, as where all is `*`, try finer ones.

    At the top every goal costs everything, which does not tell which of them cannot be met.
    """
    if found.rows < all_of(table, plan):
        return found
    judge, ranges = judge_of(table, plan, plan.goals, all_of(table, plan)), plan.ranges(table.ladders)
    finer = [
        (*found.levels[:place], level - 1, *found.levels[place + 1 :])
        for place, level in enumerate(found.levels)
        if level > ranges[place].start
    ]
    return min((Nearest(levels, judge.judge(levels).rows) for levels in finer), key=lambda one: one.rows, default=found)
