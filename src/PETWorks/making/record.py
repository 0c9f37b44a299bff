"""The record of a release that was made: a plan as plain values and back, and how the release came about."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import signature
from typing import TYPE_CHECKING, Any

from PETWorks.answer.making import Making
from PETWorks.making.plan import LOSS, Plan, plan
from PETWorks.measure.base import Measure, plain

if TYPE_CHECKING:
    from PETWorks.making.made import Made

PARAMETERS = tuple(name for name in signature(plan).parameters if name != "goals")


def making_of(made: Made) -> Making:
    """Return what a record tells of how a release was made."""
    proof, table, crowd = made.proof, made.facts.lifted.table, made.facts.scope.people
    return Making(
        plan=plain_plan(made.plan),
        roles=made.original.roles,
        the_rest=made.the_rest,
        rows=table.rows,
        suppressed=made.suppressed,
        levels=made.levels,
        heights={ladder.name: ladder.height for ladder in table.ladders} if made.levels else {},
        without_hierarchy=made.without_hierarchy,
        utility=made.utility,
        score=made.worth,
        loss=made.loss,
        bound=made.bound,
        proven=made.proven,
        proof=None if proof is None else proof.counts,
        polish_rounds=made.outcome.rounds,
        divided=made.divided,
        better=made.given.better if made.given else None,
        people=None
        if crowd is None
        else {"known": crowd.known, "people": crowd.people, "suppressed": crowd.suppressed},
    )


def plain_plan(asked: Plan) -> dict[str, Any]:
    """Return a plan as plain values: the parameters of `pw.anonymize`, by name."""
    given = {name: _plain(getattr(asked, name, None)) for name in PARAMETERS}
    given |= {"utility": LOSS if asked.utility is None else _plain(asked.utility), "time_limit": asked.seconds}
    if asked.recoding != "microaggregate":
        given["grouping"] = None
    return {"goals": [_plain(goal) for goal in asked.goals], **given}


def plan_of(given: Mapping[str, Any], measure: Callable[[Mapping[str, Any]], Measure]) -> Plan:
    """Build a plan from plain values; `measure` builds a measure from its name and parameters."""
    goals, utility, others = given["goals"], given["utility"], dict(given)
    del others["goals"]
    others["utility"] = utility if utility == LOSS else measure(utility)
    return plan([measure(goal) for goal in goals], **others)


def _plain(value: Any) -> Any:  # noqa: ANN401
    if isinstance(value, Measure):
        return {"measure": value.name, "parameters": value.parameters()}
    return {name: plain(one) for name, one in value.items()} if isinstance(value, Mapping) else plain(value)
