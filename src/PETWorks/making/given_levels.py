"""Levels that were given are somebody's choice: whether others keep more is found by a search without them."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from PETWorks.answer.making import Better
from PETWorks.making.aim import objective_of
from PETWorks.making.search import Found, Progress

if TYPE_CHECKING:
    from PETWorks.making.made import Made


@dataclass(frozen=True)
class Given:
    """What a search without the given levels says of them."""

    proof: Progress  # what became of all vectors, within `finest` and `coarsest`
    proven: bool  # True: no vector is better than the given one
    bound: float | None  # what the score of no vector exceeds, or is below if it is a loss; None: not known
    better: Better | None  # the best that was found, if it is better than the given one


def given_levels(made: Made) -> Given | None:
    """Search for better levels than those that a plan gives; None if it gives none, or rows have different ones."""
    if made.outcome.freely is None:
        return None
    found = made.outcome.freely()
    better, bound = _better(made, found), None if found.trimmed else found.progress.reach
    return Given(found.progress, found.proven and better is None, bound, better)


def _better(made: Made, found: Found) -> Better | None:
    """Return the best that was found, if it loses less than the release; losses are compared exactly."""
    best, own, table = found.best, made.outcome.best, made.facts.lifted.table
    objective = objective_of(table, made.plan.utility, made.plan.weights)
    if best is None or own is None or objective.difference(best, own) >= 0:
        return None
    sizes = best.released.known_classes.sizes
    return Better(
        levels=dict(zip(made.levels, best.levels, strict=True)),
        suppressed=best.suppressed_rows,
        risk=Fraction(1, int(sizes.min())) if len(sizes) else Fraction(0),
        score=objective.value(objective.loss(best)),
        people=None if table.facts.persons is None else table.people_in(best.gone),
    )
