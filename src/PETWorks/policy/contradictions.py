"""Requirements that no release of a table can meet together: one asks for utility, another for protection.

Each pair is searched for the release that keeps most of the utility and meets the other requirement. If even that
release keeps too little, and it is proven to be the best, the two contradict each other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from PETWorks.errors import GoalError
from PETWorks.exact.limit import Limit
from PETWorks.making.make import make
from PETWorks.making.plan import Plan
from PETWorks.making.search import Polishing, Progress
from PETWorks.measure.base import Measure
from PETWorks.measure.utility import Utility
from PETWorks.release import Release

SECONDS = 20.0  # of each search; what is not decided by then is no contradiction that anybody knows of


@dataclass(frozen=True)
class Contradiction:
    """A requirement of utility and another one, by position, and the most utility that releases reach with the other.

    With `best` None, the other one cannot be met at all, whatever is kept, and `utility` is the same position.
    """

    utility: int
    other: int
    best: float | None


class _ReachedError(Exception):
    """Ends a search that has found what was looked for."""


def contradictions(original: Release, plan: Plan, tell: Callable[[], None] = lambda: None) -> list[Contradiction]:
    """Return the pairs of goals that contradict each other; the original is given as a release of itself.

    `tell` is called again and again; an error that it raises ends the search.
    """
    asks = {number: goal for number, goal in enumerate(plan.goals) if isinstance(goal, Utility) and goal.judges}
    found = []
    for other, goal in enumerate(plan.goals):
        for number, utility in asks.items() if other not in asks else ():
            try:
                best = _best(original, plan, utility, [goal], tell)
            except GoalError:
                found.append(Contradiction(other, other, None))
                break
            if best is not None:
                found.append(Contradiction(number, other, best))
    return found


def _best(
    original: Release, plan: Plan, utility: Utility, goals: Sequence[Measure], tell: Callable[[], None]
) -> float | None:
    """Return the most utility of releases that meet other goals, if it is too little; None if it is not known to be."""
    limit = float(Limit.of(utility.at_least or 0))
    parameters = {name: value for name, value in utility.parameters().items() if name != "at_least"}
    wanted = replace(plan, goals=tuple(goals), utility=type(utility)(**parameters), seconds=SECONDS)
    wanted = replace(wanted, recoding="global", levels={}, weights={})

    def listener(progress: Progress | Polishing) -> None:
        tell()
        if progress.worth is not None and progress.worth >= limit:
            raise _ReachedError

    tell()
    try:
        made = make(original, wanted, listener)
    except _ReachedError:
        return None
    reach = made.utility.value if made.proven else made.bound
    return reach if reach is not None and reach < limit else None
