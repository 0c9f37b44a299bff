"""Requirements that no release of a table can meet together: one asks for utility, another for protection.

Each pair is searched for the release that keeps most of the utility and meets the other requirement. If even that
release keeps too little, and it is proven to be the best, the two contradict each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from PETWorks.errors import GoalError
from PETWorks.making.make import make
from PETWorks.making.plan import Plan
from PETWorks.measure.base import Measure
from PETWorks.measure.utility import Utility
from PETWorks.release import Release


@dataclass(frozen=True)
class Contradiction:
    """A requirement of utility and another one, by position, and the most utility that releases reach with the other.

    With `best` None, the other one cannot be met at all, whatever is kept, and `utility` is the same position.
    """

    utility: int
    other: int
    best: float | None


def contradictions(original: Release, plan: Plan) -> list[Contradiction]:
    """Return the pairs of goals that contradict each other; the original is given as a release of itself."""
    asks = [number for number, goal in enumerate(plan.goals) if isinstance(goal, Utility) and goal.at_least is not None]
    others = [number for number in range(len(plan.goals)) if number not in asks]
    found = []
    for other in others:
        for number in asks:
            best = _best(original, plan, plan.goals[number], [plan.goals[other]])
            if best is None:
                found.append(Contradiction(other, other, None))
                break
            if best < 1 and not _reaches(best, plan.goals[number]):
                found.append(Contradiction(number, other, best))
    return found


def _reaches(best: float, goal: Measure) -> bool:
    assert isinstance(goal, Utility)  # noqa: S101
    assert goal.at_least is not None  # noqa: S101
    return best >= float(goal.at_least)  # it was read as a limit


def _best(original: Release, plan: Plan, utility: Measure, goals: Sequence[Measure]) -> float | None:
    """Return the most utility of a release that meets other goals; None if none does, 1 if it is not proven."""
    assert isinstance(utility, Utility)  # noqa: S101
    kind = type(utility)
    parameters = {name: value for name, value in utility.parameters().items() if name != "at_least"}
    asked = replace(plan, goals=tuple(goals), utility=kind(**parameters), recoding="global", levels={}, weights={})
    try:
        made = make(original, asked)
    except GoalError:
        return None
    return made.utility.value if made.proven and made.utility.value is not None else 1.0
