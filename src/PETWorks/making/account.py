"""Tell how a release was made: levels and what they cost, how it is known to be the best, and what else there was."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from math import ceil, floor, log1p
from typing import TYPE_CHECKING

from PETWorks.explain.step import Name, Step
from PETWorks.making.other_levels import differing, measure_of, others_of
from PETWorks.making.people import all_of
from PETWorks.making.search import Progress
from PETWorks.making.worth import lost_shares
from PETWorks.measure.account import Account
from PETWorks.measure.utility import costliest
from PETWorks.presentation import Language

if TYPE_CHECKING:
    from PETWorks.making.made import Made

DIGITS = 10**4  # of bounds: four decimals


def summary(made: Made, language: Language) -> Account:
    """Return a short account."""
    levels = [Name(f"{name} {level}") for name, level in made.levels.items() if isinstance(level, int)]
    remarks = [Step("short_levels", {"levels": levels})] if levels else []
    if made.plan.levels:
        remarks.append(_given(made))  # whether others keep more takes a search
    elif not made.proven:
        remarks.append(Step("short_not_proven"))
    elif made.outcome.proof:
        remarks.append(Step("short_proven", {"vectors": made.outcome.proof.vectors}))
    else:
        remarks.append(Step("short_proven_groups"))
    if made.divided:
        remarks.append(Step("short_parts"))
    remarks += _people(made)
    account = _account(made, language)
    return replace(account, remarks=(*account.remarks, *remarks))


def explained(made: Made, language: Language) -> Account:
    """Return the account with all steps. The last two are found by further searches, on the same counts."""
    return replace(
        _account(made, language),
        steps=(*_allowed(made), _done(made), *_chosen(made), *_parts(made), *_known(made), *others_of(made)),
    )


def _account(made: Made, language: Language) -> Account:
    scope, measures = made.facts.scope, [*made.plan.goals, made.utility.measure]
    share = Fraction(scope.suppressed, scope.rows) if scope.rows else 0
    sizes = {"rows": scope.rows, "suppressed": scope.suppressed, "share": share, "classes": scope.classes}
    kind = "head" if made.plan.suppressed_rows == "keep" else "head_removed"
    head = Step(kind, {"table": Name(made.facts.name), **sizes})
    results = tuple(one.evaluate(made.facts) for one in dict.fromkeys(measures))
    return Account(head, results, tuple(_remarks(made)), language=language)


def _remarks(made: Made) -> Iterator[Step]:
    """Tell the figure that was looked for, if it is no measure's, and which columns are kept or suppressed only."""
    if made.plan.utility is None:
        yield Step("lost", {"value": made.loss})
    elif made.plan.weights and made.levels:
        yield Step("kept", {"value": made.worth})
    if made.without_hierarchy:
        yield Step("without_hierarchy", {"columns": [Name(name) for name in made.without_hierarchy]})


def _allowed(made: Made) -> Iterator[Step]:
    plan, rate = made.plan, made.plan.suppress_at_most.exact
    if plan.recoding != "microaggregate":  # which suppresses nobody
        kind = "allowed" if _unit(made) == "of_rows" else "people_allowed"
        many = all_of(made.facts.lifted.table, plan)
        yield Step(kind, {"rate": rate, "allowed": plan.allowed(many), "all": many}) if rate else Step("none_allowed")
    yield from _people(made)


def _people(made: Made) -> Iterator[Step]:
    """Tell what is known of people, and how many have a suppressed row, if they have several rows."""
    if (crowd := made.facts.scope.people) is not None:
        figures = {"records": f"known_{crowd.known}", "people": crowd.people, "suppressed": crowd.suppressed}
        yield Step("people", figures)


def _unit(made: Made) -> str:
    """Return what suppression counts."""
    by_people = made.facts.scope.people is not None and made.plan.suppress == "people"
    return "of_people" if by_people else "of_rows"


def _done(made: Made) -> Step:
    """Tell what was done to each column; those come first that cost most."""
    if made.plan.recoding == "microaggregate":
        left = [Step("mean_left", {"column": Name(name), "value": one.value}) for name, one in costliest(made.utility)]
        return Step("means", lines=tuple(left))
    costs = _costs(made)
    heights = {ladder.name: ladder.height for ladder in made.facts.lifted.table.ladders}
    kind, column = ("mixed", "mixed_column") if made.plan.recoding == "local" else ("levels", "level")
    lines = []
    for name in sorted(made.levels, key=lambda name: -costs.get(name, 0)):
        level = made.levels[name]
        rows = {str(one): f"{many:,}" for one, many in sorted(level.items())} if isinstance(level, Mapping) else {}
        figures = {"column": Name(name), "level": level, "height": heights[name], "rows": rows}
        lines.append(Step(f"{column}_cost" if costs else column, {**figures, "share": costs.get(name)}))
    return Step(f"{kind}_costs" if costs else kind, lines=tuple(lines))


def _chosen(made: Made) -> Iterator[Step]:
    """Tell what was not searched for."""
    if made.plan.levels:
        yield _given(made)
    if bounds := made.making.told_bounds:
        yield Step("bounds", {"bounds": bounds})


def _given(made: Made) -> Step:
    return Step("given", {"levels": [Name(f"{name} {level}") for name, level in made.plan.levels.items()]})


def _parts(made: Made) -> Iterator[Step]:
    """Tell whether labels depend on sensitive values, if they were allowed to."""
    if made.plan.parts:
        yield Step("parts" if made.divided else "parts_not_needed")


def _costs(made: Made) -> dict[str, float]:
    """Return the share that each column has in the loss; none if the loss is no sum over columns, or if it is 0."""
    weights = made.plan.weights
    if made.plan.utility is None:
        found = {
            name: log1p(float(weight * share)) for name, (weight, share) in lost_shares(made.facts, weights).items()
        }
    else:
        losses = list(made.plan.utility.losses(made.facts))
        if any(not loss.part for loss in losses):
            return {}
        found = {loss.part: float(loss.lost) * float(weights.get(loss.part, 1)) for loss in losses}
    whole = sum(found.values())
    return {name: cost / whole for name, cost in found.items()} if whole else {}


def _known(made: Made) -> Iterator[Step]:
    """Tell how it is known to be the best, or that it is not proven."""
    outcome = made.outcome
    if made.proof:
        yield from _search(made, made.proof)
    elif outcome.rounds is not None:
        yield Step("not_proven_rounds", {"rounds": outcome.rounds})
        yield _bound(made)
    else:
        yield Step("proven_groups" if made.proven else "not_proven_groups")


def _search(made: Made, proof: Progress) -> Iterator[Step]:
    """Tell what became of all level vectors."""
    figures = {**vars(proof), "unit": _unit(made)}
    if made.proven:
        yield Step("proven", figures)
    elif made.given and (better := made.given.better):
        others = {"levels": differing(made, tuple((better.levels or {}).values())), "rows": better.suppressed}
        yield Step("better", {**others, "measure": measure_of(made), "best": made.worth, "value": better.score})
    elif proof.complete:
        yield Step("not_proven_removed", figures)
    else:
        yield Step("not_proven", {**figures, "open": proof.open})
        yield _bound(made)


def _bound(made: Made) -> Step:
    """Tell what no other release of this kind exceeds, and what this one has."""
    kind, rounded = ("bound_below", floor) if made.plan.utility is None else ("bound_above", ceil)
    bound = rounded((made.bound or 0.0) * DIGITS) / DIGITS  # never tighter than it is
    return Step(kind, {"measure": measure_of(made), "bound": bound, "value": made.worth})
