"""Full-domain recoding: search the level vector with the least loss, one level for each column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from PETWorks.anonymization.candidate import LatticeNode, collect_class_goals
from PETWorks.anonymization.objective import build_objective
from PETWorks.anonymization.people import build_judge, count_allowed_units, count_units
from PETWorks.anonymization.plan import SearchSettings
from PETWorks.anonymization.search import (
    LatticeResult,
    LatticeSearch,
    Listener,
    NearestVector,
    SearchResult,
    build_lattice,
)
from PETWorks.anonymization.table import RawTable
from PETWorks.anonymization.vectors import Levels
from PETWorks.errors import CellText, GoalError, PopulationError, Quantity, plural

FREE_SEARCH_WORK = 2**28  # most combinations times vectors of a search without given levels; the same everywhere


def find_best_vector(table: RawTable, plan: SearchSettings, listener: Listener | None = None) -> SearchResult:
    """Return the level vector that meets the goals at the least loss; raise an error if none does."""
    found = search_vectors(table, plan, listener)
    if found.best is None:
        raise _build_error(table, plan, found)
    return build_result(table, plan, found, found.best)


def build_result(table: RawTable, plan: SearchSettings, found: LatticeResult, best: LatticeNode) -> SearchResult:
    """Build the release of the best vector of a search."""
    names = [ladder.name for ladder in table.ladders]
    return SearchResult(
        best.released,
        dict(zip(names, best.levels, strict=True)),
        proven=found.proven,
        bound=None if found.trimmed else found.progress.reach,
        proof=found.progress,
        best=best,
        free_search=SearchWithoutGivenLevels(table, plan) if plan.levels else None,
    )


@dataclass(frozen=True, eq=False)
class SearchWithoutGivenLevels:
    """A search without the levels that the plan fixes, up to a fixed amount of work."""

    table: RawTable
    plan: SearchSettings

    def run(self) -> LatticeResult:
        """Search; return the result."""
        most = max(FREE_SEARCH_WORK // max(len(self.table.counts), 1), 1)
        return build_search(self.table, replace(self.plan, levels={}), most=most).run()


def search_vectors(
    table: RawTable, plan: SearchSettings, listener: Listener | None = None, *, but: Levels | None = None
) -> LatticeResult:
    """Search all level vectors except `but`."""
    return build_search(table, plan, listener, but=but).run()


def build_search(
    table: RawTable,
    plan: SearchSettings,
    listener: Listener | None = None,
    *,
    but: Levels | None = None,
    most: int | None = None,
) -> LatticeSearch:
    """Build the search without running it; it evaluates at most `most` vectors."""
    objective = build_objective(table, plan.utility, plan.weights)
    judge = build_judge(table, plan, crowd=plan.crowd)
    lattice = build_lattice(plan.ranges(table.ladders), objective)
    if but is not None:
        lattice.leave_out(but)
    return LatticeSearch(judge, objective, lattice, seconds=plan.time_limit, listener=listener, most=most)


@dataclass(frozen=True)
class Infeasibility:
    """The reason why no level vector meets the goals: the nearest vector, and the cost of each goal there."""

    levels: Levels
    rows: int  # to suppress there; people, if the plan suppresses people
    unmet: Sequence[str]  # goals on the whole table that fail there although few enough rows are suppressed
    alone: Mapping[str, int]  # by goal, the rows to suppress for it alone; empty if others are unmet

    @property
    def costliest(self) -> str:
        """The goal that costs most."""
        return max(self.alone, key=lambda name: self.alone[name])


def find_infeasibility(table: RawTable, plan: SearchSettings, found: NearestVector) -> Infeasibility:
    """Return the vector nearest to the goals, and the cost of each goal there."""
    nearest, any_number = _find_nearest(table, plan, found), count_units(table, plan)
    alone = dict[str, int]()
    if not (unmet := _find_unmet(table, plan, nearest)):
        for goal in plan.goals:
            rows = build_judge(table, plan, [goal], any_number).judge(nearest.levels).rows
            alone[goal.name] = max(rows, alone.get(goal.name, 0))  # several goals may be of one measure
    return Infeasibility(nearest.levels, nearest.rows, unmet, alone)


def _build_error(table: RawTable, plan: SearchSettings, found: LatticeResult) -> GoalError:
    """Build the error for goals that no level vector meets: the nearest vector, and the goal that costs most there."""
    assert found.nearest is not None  # noqa: S101 (the coarsest vector was evaluated)
    names = [ladder.name for ladder in table.ladders]
    allowed, nearest = count_allowed_units(table, plan), find_infeasibility(table, plan, found.nearest)
    most = plural(allowed, "row") if plan.suppress == "rows" else plural(allowed, "person", "people")
    figures: dict[str, object] = {
        "levels": ", ".join(f"{name} {level}" for name, level in zip(names, nearest.levels, strict=True)),
        "most": most,  # follows from the limit
        "all": Quantity(count_units(table, plan)),
        "cost": Quantity(nearest.rows),
    }
    stopped = "" if found.progress.complete else " among those that were tried in time"
    local = ", or use local recoding" if table.facts.persons is None else ""  # it counts rows, not people
    if nearest.unmet:
        told = "does not meet {unmet}"
        figures |= {"unmet": ", ".join(nearest.unmet)}
        hint = f"relax it or other goals, raise suppress_at_most{local}"
    elif 0 < (few := _count_without_minimum(table, plan, nearest.levels)) <= allowed:
        told = (
            "would leave {few} suppressed in the release, fewer than {crowd:,}: a person known to be in"
            " the table who matches no class would be one of them"
        )
        suggestion, enough = _suggest_instead(table, plan, nearest.levels)
        figures |= {"few": Quantity(few), "crowd": plan.crowd, "enough": Quantity(enough)}
        hint = f"{suggestion}relax a goal, allow coarser levels{local}"
    else:
        told, costliest = "would suppress {cost} of {all}", nearest.costliest
        figures |= {"costliest": costliest, "alone": Quantity(nearest.alone[costliest])}
        hint = (
            "{costliest} costs most there: alone it would suppress {alone}; relax it,"
            f" raise suppress_at_most, allow coarser levels{local}"
        )
    problem = (
        f"no level vector{stopped} meets the goals with at most {{most}} suppressed; the nearest ({{levels}}) {told}"
    )
    if (size := plan.class_size or 0) > count_units(table, plan):
        hint = "a class is to have {size:,}, and there are only {all}: ask for smaller classes"
        figures["size"] = size
    if found.unreadable is not None:
        problem, figures["reason"] = f"{problem}; at other vectors, {{reason}}", CellText(found.unreadable.problem)
    return GoalError(problem, where=table.facts.name, hint=hint, figures=figures)


def _count_without_minimum(table: RawTable, plan: SearchSettings, levels: Levels) -> int:
    """Return how many would be suppressed at a vector without a minimum; 0 if the plan has no minimum."""
    if not plan.crowd:
        return 0
    return build_judge(table, plan, plan.goals, count_units(table, plan)).judge(levels).rows


def _suggest_instead(table: RawTable, plan: SearchSettings, levels: Levels) -> tuple[str, int]:
    """Return the hint for too few suppressed rows: remove them, or suppress more; and how many more."""
    remove = 'leave them out with suppressed_rows="remove", ' if table.facts.persons is None else ""
    found = build_judge(table, plan, plan.goals, count_units(table, plan), plan.crowd).judge(levels)
    enough = found.candidate is not None and found.rows < count_units(table, plan)
    return remove + ("let suppress_at_most allow {enough}, " if enough else ""), found.rows


def _find_unmet(table: RawTable, plan: SearchSettings, nearest: NearestVector) -> list[str]:
    """Return the whole-table goals, such as utility, that fail although few enough rows are suppressed."""
    by_class = collect_class_goals(plan.goals)
    judge = build_judge(table, plan, by_class, crowd=plan.crowd)
    if nearest.rows > judge.allowed or (candidate := judge.judge(nearest.levels).candidate) is None:
        return []
    with suppress(PopulationError):  # then the error says that the population cannot be read
        return [goal.name for goal in plan.goals if goal.evaluate(candidate.released).holds is not True]
    return []


def _find_nearest(table: RawTable, plan: SearchSettings, found: NearestVector) -> NearestVector:
    """Return the nearest vector; if all rows are suppressed there, as where all is `*`, the best of the finer ones.

    Where all rows are suppressed, every goal costs the same, so none can be named as the costliest.
    """
    if found.rows < count_units(table, plan):
        return found
    judge, ranges = build_judge(table, plan, plan.goals, count_units(table, plan)), plan.ranges(table.ladders)
    finer = [
        (*found.levels[:place], level - 1, *found.levels[place + 1 :])
        for place, level in enumerate(found.levels)
        if level > ranges[place].start
    ]
    return min(
        (NearestVector(levels, judge.judge(levels).rows) for levels in finer), key=lambda one: one.rows, default=found
    )
