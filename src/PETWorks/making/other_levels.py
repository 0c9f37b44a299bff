"""Tell which other levels there were: the next best, and what suppressing more would bring."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from math import isclose
from typing import TYPE_CHECKING

from PETWorks.errors import GoalError
from PETWorks.exact.limit import Limit
from PETWorks.explain.step import Step
from PETWorks.facts.what_if import Lift
from PETWorks.making.aim import objective_of
from PETWorks.making.full_domain import best_vector, search
from PETWorks.making.search import Progress

if TYPE_CHECKING:
    from PETWorks.making.made import Made

EQUAL = 1e-12  # scores that differ by less, relatively, are the same but for rounding
MORE = Fraction(1, 100)  # the further share of rows of which it is told what suppressing them would bring


def others_of(made: Made) -> Iterator[Step]:
    """Tell the next best, and what one more percent of suppression would bring; both for vectors that were found."""
    if (proof := made.outcome.proof) and not made.plan.levels:
        figures = {"measure": measure_of(made), "best": _value(made, proof)}
        if made.proven and proof.vectors > 1:
            yield _next_best(made, figures)
        yield from _more(made, figures)


def _next_best(made: Made, figures: Mapping[str, object]) -> Step:
    """Search all vectors but the best."""
    levels: tuple[int, ...] = tuple(made.levels.values())  # type: ignore[arg-type]  # of level vectors
    found = search(made.facts.lifted.table, made.plan, but=levels)
    if found.best is None:
        return Step("no_other" if found.proven else "no_other_found")
    told = {"levels": differing(made, found.best.levels), "rows": found.best.suppressed_rows}
    kind = "next_best" if found.proven else "next_best_found"
    value = _value(made, found.progress)
    if found.proven and isclose(value, float(figures["best"]), rel_tol=EQUAL):  # type: ignore[arg-type]
        kind = "next_best_tie"
    return Step(kind, {**figures, **told, "value": value})


def _more(made: Made, figures: Mapping[str, object]) -> Iterator[Step]:
    """Search again with a larger rate of suppression."""
    before = made.plan.suppress_at_most.exact
    if before == 1:
        return
    rate = min(before + MORE, Fraction(1))
    rates = {"rate": rate, "before": before}
    try:
        found = best_vector(made.facts.lifted.table, replace(made.plan, suppress_at_most=Limit(rate)))
    except GoalError:  # nothing was found within the time limit
        yield Step("more_not_found", rates)
        return
    if found.levels == made.levels or not found.proof or not _better(made, found.proof):
        yield Step("more_nothing" if found.proven else "more_not_found", rates)
        return
    levels = differing(made, tuple(found.levels.values()))  # type: ignore[arg-type]  # of level vectors
    rows = found.facts.scope.suppressed
    yield Step("more", {**figures, **rates, "levels": levels, "value": _value(made, found.proof), "rows": rows})


def _better(made: Made, other: Progress) -> bool:
    """Return True if another search found less loss."""
    proof = made.outcome.proof
    return proof is not None and (other.best or 0.0) < (proof.best or 0.0)


def differing(made: Made, levels: Sequence[int]) -> list[Lift]:
    """Return the columns whose levels differ from those of the release, with their other level."""
    columns = zip(made.levels.items(), levels, strict=True)
    return [Lift(name, other) for (name, level), other in columns if other != level]


def measure_of(made: Made) -> str:
    """Return the word for what was looked for."""
    if made.plan.utility is None:
        return "loss"
    return "weighted" if made.weighted else "utility"


def _value(made: Made, proof: Progress) -> float:
    """Return what the best of a search is worth: the utility, by weights if there are any, or the loss."""
    table = made.facts.lifted.table
    return objective_of(table, made.plan.utility, made.plan.weights).value(proof.best or 0.0)
