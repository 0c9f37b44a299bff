"""Tell how a release was made: levels and what they cost, how it is known to be the best, and what else there was.

Tell which other levels there were: the next best, and what suppressing more would bring.

What a release is worth by weights of its columns: the loss over all of them, and granularity.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from math import ceil, expm1, floor, isclose, log1p
from typing import TYPE_CHECKING

from PETWorks.anonymization.full_domain import best_vector, search
from PETWorks.anonymization.objective import objective_of
from PETWorks.anonymization.people import all_of
from PETWorks.anonymization.search import Progress
from PETWorks.errors import GoalError
from PETWorks.exact.limit import Limit
from PETWorks.facts.facts import Facts
from PETWorks.facts.what_if import Lift
from PETWorks.measure.losses import costliest
from PETWorks.measure.result import Account
from PETWorks.measure.steps import Name, Step
from PETWorks.measure.utility.granularity import Granularity
from PETWorks.presentation import Language

if TYPE_CHECKING:
    from PETWorks.anonymization.made import Made

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


def combined_loss(facts: Facts, weights: Mapping[str, Fraction]) -> float:
    """Return Π (1 + w·x)^(1/columns) - 1, x being the share that a column lost, and w its weight."""
    terms = [log1p(float(weight * share)) for weight, share in lost_shares(facts, weights).values()]
    return expm1(sum(terms) / len(terms))


def weighted_granularity(facts: Facts, weights: Mapping[str, Fraction]) -> float:
    """Return granularity, with the losses of columns multiplied by their weights."""
    lost, possible = (
        sum(float(getattr(one, amount) * weights.get(one.part, 1)) for one in Granularity().losses(facts))
        for amount in ("lost", "possible")
    )
    return 1 - lost / possible if possible else 1.0


def lost_shares(facts: Facts, weights: Mapping[str, Fraction]) -> dict[str, tuple[Fraction, Fraction]]:
    """Return the weight of each column, and the share that it lost of what it could lose."""
    return {
        loss.part: (weights.get(loss.part, Fraction(1)), Fraction(loss.lost) / (loss.possible or 1))  # type: ignore[arg-type, operator]
        for loss in Granularity().losses(facts)
    }


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
