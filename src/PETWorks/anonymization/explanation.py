"""The explanation of an anonymised table: its levels and their cost, the proof, and the next best levels.

A workbook also gets a table of its columns in both languages: the role of each, and what was done to it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from math import ceil, expm1, floor, isclose, log1p
from typing import TYPE_CHECKING, Any, get_args

from PETWorks.anonymization.full_domain import find_best_vector, search_vectors
from PETWorks.anonymization.objective import build_objective
from PETWorks.anonymization.people import count_units
from PETWorks.anonymization.recodings import load_recoding
from PETWorks.anonymization.search import SearchProgress
from PETWorks.anonymization.treatments import describe_treatments, split_identifiers
from PETWorks.errors import GoalError
from PETWorks.evaluation.provenance import ColumnTreatment
from PETWorks.exact.limit import Limit
from PETWorks.facts.facts import Facts
from PETWorks.facts.roles import Role
from PETWorks.facts.tallies import find_tables
from PETWorks.facts.what_if import Generalisation
from PETWorks.measure.losses import find_costliest
from PETWorks.measure.result import Account
from PETWorks.measure.steps import Name, Step
from PETWorks.measure.utility.granularity import Granularity
from PETWorks.presentation import Language
from PETWorks.render.fill import fill
from PETWorks.render.words import words

if TYPE_CHECKING:
    from PETWorks.anonymization.anonymized_table import AnonymizedTable

SCORE_TOLERANCE = 1e-12  # relative difference below which two scores are equal
HEADINGS = ("column", "role", "done")  # of the table of columns
BETWEEN = " / "  # the texts of two languages
FURTHER_SHARE = Fraction(1, 100)  # the further share of rows whose suppression is tried


def explain_other_levels(made: AnonymizedTable) -> Iterator[Step]:
    """Yield the next best level vector and the effect of 1% more suppression; nothing if levels were fixed."""
    if (proof := made.outcome.proof) and not made.plan.levels:
        figures = {"measure": name_objective(made), "best": _score_best(made, proof)}
        if made.proven and proof.vectors > 1:
            yield _explain_next_best(made, figures)
        yield from _explain_more_suppression(made, figures)


def _explain_next_best(made: AnonymizedTable, figures: Mapping[str, object]) -> Step:
    """Search all vectors but the best one, and explain the result."""
    levels: tuple[int, ...] = tuple(made.levels.values())  # type: ignore[arg-type]  # of level vectors
    found = search_vectors(made.facts.combination_labels.table, made.plan, but=levels)
    if found.best is None:
        return Step("no_other" if found.proven else "no_other_found")
    told = {"levels": find_changed_levels(made, found.best.levels), "rows": found.best.suppressed_rows}
    kind = "next_best" if found.proven else "next_best_found"
    value = _score_best(made, found.progress)
    if found.proven and isclose(value, float(figures["best"]), rel_tol=SCORE_TOLERANCE):  # type: ignore[arg-type]
        kind = "next_best_tie"
    return Step(kind, {**figures, **told, "value": value})


def _explain_more_suppression(made: AnonymizedTable, figures: Mapping[str, object]) -> Iterator[Step]:
    """Search with a larger rate of suppression, and explain the result."""
    before = made.plan.suppress_at_most.exact
    if before == 1:
        return
    rate = min(before + FURTHER_SHARE, Fraction(1))
    rates = {"rate": rate, "before": before}
    try:
        found = find_best_vector(made.facts.combination_labels.table, replace(made.plan, suppress_at_most=Limit(rate)))
    except GoalError:  # nothing was found within the time limit
        yield Step("more_not_found", rates)
        return
    if found.levels == made.levels or not found.proof or not _loses_less(made, found.proof):
        yield Step("more_nothing" if found.proven else "more_not_found", rates)
        return
    levels = find_changed_levels(made, tuple(found.levels.values()))  # type: ignore[arg-type]  # of level vectors
    rows = found.facts.scope.suppressed
    yield Step("more", {**figures, **rates, "levels": levels, "value": _score_best(made, found.proof), "rows": rows})


def _loses_less(made: AnonymizedTable, other: SearchProgress) -> bool:
    """Return True if another search found less loss."""
    proof = made.outcome.proof
    return proof is not None and (other.best or 0.0) < (proof.best or 0.0)


def find_changed_levels(made: AnonymizedTable, levels: Sequence[int]) -> list[Generalisation]:
    """Return the columns whose level differs from that in the release, with the other level."""
    columns = zip(made.levels.items(), levels, strict=True)
    return [Generalisation(name, other) for (name, level), other in columns if other != level]


def name_objective(made: AnonymizedTable) -> str:
    """Return the word for the score that the search optimised."""
    if made.plan.utility is None:
        return "loss"
    return "weighted" if made.weighted else "utility"


def _score_best(made: AnonymizedTable, proof: SearchProgress) -> float:
    """Return the best score of a search: the weighted utility, or the loss."""
    table = made.facts.combination_labels.table
    return build_objective(table, made.plan.utility, made.plan.weights).score(proof.best or 0.0)


def compute_combined_loss(facts: Facts, weights: Mapping[str, Fraction]) -> float:
    """Return Π (1 + w·x)^(1/columns) - 1, x being the share that a column lost, and w its weight."""
    terms = [log1p(float(weight * share)) for weight, share in compute_lost_shares(facts, weights).values()]
    return expm1(sum(terms) / len(terms))


def compute_weighted_granularity(facts: Facts, weights: Mapping[str, Fraction]) -> float:
    """Return granularity, with the losses of columns multiplied by their weights."""
    lost, possible = (
        sum(float(getattr(one, amount) * weights.get(one.part, 1)) for one in Granularity().losses(facts))
        for amount in ("lost", "possible")
    )
    return 1 - lost / possible if possible else 1.0


def compute_lost_shares(facts: Facts, weights: Mapping[str, Fraction]) -> dict[str, tuple[Fraction, Fraction]]:
    """Return the weight of each column, and the lost share of what it could lose."""
    return {
        loss.part: (weights.get(loss.part, Fraction(1)), Fraction(loss.lost) / (loss.possible or 1))  # type: ignore[arg-type, operator]
        for loss in Granularity().losses(facts)
    }


BOUND_SCALE = 10**4  # bounds are rounded to four decimals


def summarise(made: AnonymizedTable, language: Language) -> Account:
    """Return the short summary of how the release was made."""
    levels = [Name(f"{name} {level}") for name, level in made.levels.items() if isinstance(level, int)]
    remarks = [Step("short_levels", {"levels": levels})] if levels else []
    if made.plan.levels:
        remarks.append(_list_given_levels(made))  # comparing with other levels would take a search
    elif not made.proven:
        remarks.append(Step("short_not_proven"))
    elif made.outcome.proof:
        remarks.append(Step("short_proven", {"vectors": made.outcome.proof.vectors}))
    else:
        remarks.append(Step("short_proven_groups"))
    if made.divided:
        remarks.append(Step("short_parts"))
    remarks += _explain_people(made)
    account = _build_account(made, language)
    return replace(account, remarks=(*account.remarks, *remarks))


def explain(made: AnonymizedTable, language: Language) -> Account:
    """Return the full explanation of how the release was made. The last two steps search again, on the same counts."""
    return replace(
        _build_account(made, language),
        steps=(
            *_explain_limit(made),
            _explain_columns(made),
            *_explain_restrictions(made),
            *_explain_parts(made),
            *_explain_treatments(made),
            *_explain_proof(made),
            *explain_other_levels(made),
            *_explain_local(made),
        ),
    )


def _build_account(made: AnonymizedTable, language: Language) -> Account:
    scope, measures = made.facts.scope, [*made.plan.goals, made.utility.measure]
    share = Fraction(scope.suppressed, scope.rows) if scope.rows else 0
    sizes = {"rows": scope.rows, "suppressed": scope.suppressed, "share": share, "classes": scope.classes}
    kind = "head" if made.plan.suppressed_rows == "keep" else "head_removed"
    head = Step(kind, {"table": Name(made.facts.name), **sizes})
    results = tuple(one.evaluate(made.facts) for one in dict.fromkeys(measures))
    return Account(head, results, tuple(_explain_score(made)), language=language)


def _explain_score(made: AnonymizedTable) -> Iterator[Step]:
    """Yield the optimised score if no measure reports it, and the columns without a hierarchy."""
    if made.plan.utility is None:
        yield Step("lost", {"value": made.loss})
    elif made.plan.weights and made.levels:
        yield Step("kept", {"value": made.worth})
    if made.without_hierarchy:
        yield Step("without_hierarchy", {"columns": [Name(name) for name in made.without_hierarchy]})


def _explain_limit(made: AnonymizedTable) -> Iterator[Step]:
    plan, rate = made.plan, made.plan.suppress_at_most.exact
    if load_recoding(plan.recoding).suppresses:
        kind = "allowed" if _name_unit(made) == "of_rows" else "people_allowed"
        many = count_units(made.facts.combination_labels.table, plan)
        yield Step(kind, {"rate": rate, "allowed": plan.allowed(many), "all": many}) if rate else Step("none_allowed")
    yield from _explain_people(made)


def _explain_people(made: AnonymizedTable) -> Iterator[Step]:
    """Yield how many people have a suppressed row, if people have several rows."""
    if (crowd := made.facts.scope.people) is not None:
        figures = {"records": f"known_{crowd.known}", "people": crowd.people, "suppressed": crowd.suppressed}
        yield Step("people", figures)


def _name_unit(made: AnonymizedTable) -> str:
    """Return whether the limit on suppression counts people or rows."""
    by_people = made.facts.scope.people is not None and made.plan.suppress == "people"
    return "of_people" if by_people else "of_rows"


def _explain_columns(made: AnonymizedTable) -> Step:
    """Describe the recoding of each column, the costliest first."""
    recoding = load_recoding(made.plan.recoding)
    if not recoding.generalises:
        left = [
            Step("mean_left", {"column": Name(name), "value": one.value}) for name, one in find_costliest(made.utility)
        ]
        return Step("means", lines=tuple(left))
    costs = _compute_cost_shares(made)
    heights = {ladder.name: ladder.height for ladder in made.facts.combination_labels.table.ladders}
    kind, column = ("levels", "level") if recoding.has_level_vector else ("mixed", "mixed_column")
    lines = []
    for name in sorted(made.levels, key=lambda name: -costs.get(name, 0)):
        level = made.levels[name]
        rows = {str(one): f"{many:,}" for one, many in sorted(level.items())} if isinstance(level, Mapping) else {}
        figures = {"column": Name(name), "level": level, "height": heights[name], "rows": rows}
        lines.append(Step(f"{column}_cost" if costs else column, {**figures, "share": costs.get(name)}))
    return Step(f"{kind}_costs" if costs else kind, lines=tuple(lines))


def _explain_restrictions(made: AnonymizedTable) -> Iterator[Step]:
    """Yield the levels that the caller fixed or restricted."""
    if made.plan.levels:
        yield _list_given_levels(made)
    if bounds := made.provenance.shown_bounds:
        yield Step("bounds", {"bounds": bounds})


def _list_given_levels(made: AnonymizedTable) -> Step:
    return Step("given", {"levels": [Name(f"{name} {level}") for name, level in made.plan.levels.items()]})


def _explain_parts(made: AnonymizedTable) -> Iterator[Step]:
    """Yield whether labels depend on sensitive values, if `parts` allowed it."""
    if made.plan.parts:
        yield Step("parts" if made.divided else "parts_not_needed")


def _explain_treatments(made: AnonymizedTable) -> Iterator[Step]:
    """Yield what was done to columns besides generalising."""
    if made.treatments:
        yield Step("treated", lines=tuple(step for one in made.treatments for step in one.list_steps()))


def _compute_cost_shares(made: AnonymizedTable) -> dict[str, float]:
    """Return the share of each column in the loss; empty if the loss is 0 or no sum over columns."""
    weights = made.plan.weights
    if made.plan.utility is None:
        found = {
            name: log1p(float(weight * share))
            for name, (weight, share) in compute_lost_shares(made.facts, weights).items()
        }
    else:
        losses = list(made.plan.utility.losses(made.facts))
        if any(not loss.part for loss in losses):
            return {}
        found = {loss.part: float(loss.lost) * float(weights.get(loss.part, 1)) for loss in losses}
    whole = sum(found.values())
    return {name: cost / whole for name, cost in found.items()} if whole else {}


def _explain_proof(made: AnonymizedTable) -> Iterator[Step]:
    """Yield the proof that no release of this kind loses less, or that there is none."""
    outcome = made.outcome
    if made.proof:
        yield from _explain_search(made, made.proof)
    elif outcome.rounds is not None:
        yield Step("not_proven_rounds", {"rounds": outcome.rounds})
        yield _explain_bound(made)
    else:
        yield Step("proven_groups" if made.proven else "not_proven_groups")


def _explain_search(made: AnonymizedTable, proof: SearchProgress) -> Iterator[Step]:
    """Yield the counts of evaluated and excluded level vectors, and what they prove."""
    figures = {**vars(proof), "unit": _name_unit(made)}
    if made.proven:
        yield Step("proven", figures)
    elif made.given and (better := made.given.better):
        others = {"levels": find_changed_levels(made, tuple((better.levels or {}).values())), "rows": better.suppressed}
        yield Step("better", {**others, "measure": name_objective(made), "best": made.worth, "value": better.score})
    elif proof.complete:
        yield Step("not_proven_removed", figures)
    else:
        yield Step("not_proven", {**figures, "open": proof.open})
        yield _explain_bound(made)


def _explain_local(made: AnonymizedTable) -> Iterator[Step]:
    """Yield what local recoding would keep, if that is more and was found with little work."""
    if made.local_estimate is not None:
        kind = "local_loses" if made.plan.utility is None else "local_keeps"
        yield Step(kind, {"measure": name_objective(made), "value": f"{made.local_estimate:.2f}"})


def _explain_bound(made: AnonymizedTable) -> Step:
    """Describe the bound on the score of any release of this kind."""
    kind, rounded = ("bound_below", floor) if made.plan.utility is None else ("bound_above", ceil)
    bound = rounded((made.bound or 0.0) * BOUND_SCALE) / BOUND_SCALE  # never tighter than it is
    return Step(kind, {"measure": name_objective(made), "bound": bound, "value": made.worth})


def list_columns(made: AnonymizedTable, marker: str) -> list[tuple[str, ...]]:
    """Return the heading, and a line for each published column, in the order of the original."""
    roles = made.facts.roles
    named = {
        Role.IDENTIFIER: roles.identifiers,
        Role.QUASI_IDENTIFIER: roles.quasi_identifiers,
        Role.SENSITIVE_ATTRIBUTE: roles.sensitive,
        Role.INSENSITIVE_ATTRIBUTE: roles.insensitive,
    }
    dropped, treated = split_identifiers(made.plan, roles)[1], _describe_without_examples(made)
    lines = {
        name: (name, _say(f"role_{role.value}"), _describe(made, role, name, marker, treated.get(name)))
        for role, names in named.items()
        for name in names
        if name not in dropped
    }
    heading = tuple(_say(f"columns_{name}") for name in HEADINGS)
    return [heading, *(lines[name] for name in find_tables(made.original.facts).release.columns if name in lines)]


def _describe_without_examples(made: AnonymizedTable) -> dict[str, ColumnTreatment]:
    """Return what was done to columns; examples would take a pass over the rows."""
    found = describe_treatments(made.original, made.plan, made.facts, examples=False)
    return {one.column: one for one in found}


def _describe(made: AnonymizedTable, role: Role, name: str, marker: str, treated: ColumnTreatment | None = None) -> str:
    """Return what was done to a column, without the number of rows at each level."""
    if treated and role is not Role.QUASI_IDENTIFIER:
        return "; ".join(_say(step.kind, **step.figures) for step in treated.list_steps())
    if role is Role.IDENTIFIER:
        return _say("columns_marked", marker=Name(marker))
    if role is not Role.QUASI_IDENTIFIER:
        return _say("columns_as_it_is")
    if isinstance(level := made.levels.get(name), int):
        heights = {ladder.name: ladder.height for ladder in made.facts.combination_labels.table.ladders}
        return _say("columns_level", level=level, height=heights[name])
    return _say("columns_differ")


def _say(key: str, /, **figures: Any) -> str:  # noqa: ANN401
    """Return a text in all languages."""
    vocabularies = [words(language) for language in get_args(Language)]
    return BETWEEN.join(fill({**word.inspection, **word.making}[key], figures, word) for word in vocabularies)
