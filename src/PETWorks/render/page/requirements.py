"""The section on the requirements, those that fail first: verdict, value, limit, and the people in failing classes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from markupsafe import Markup

from PETWorks.answer.requirement import Requirement
from PETWorks.answer.view import View
from PETWorks.facts.notes import Name
from PETWorks.measure.result import Part, Result
from PETWorks.render.lines import HIGHER
from PETWorks.render.numbers import exact
from PETWorks.render.page.markup import (
    PAGE,
    heading_of,
    markup_of,
    name,
    plain,
    say,
    side_by_side,
    term_of,
    warnings,
    why_not,
)
from PETWorks.render.page.svg import bullet
from PETWorks.render.parts import fixed_part, stated
from PETWorks.render.parts import part_name as named
from PETWorks.render.words import LANGUAGES, words
from PETWorks.risk.re_identification import ReidentificationRisk


def section(view: View) -> Mapping[str, Any]:
    """Return an entry for each requirement."""
    return {"entries": [entry_of(one, view.anchors) for one in view.requirements]}


def entry_of(requirement: Requirement, anchors: Mapping[Result, str]) -> dict[str, Any]:
    """Write the verdict on a requirement, and its values with their limits; a link leads to the steps that are there.

    `anchors` are the places of steps.
    """
    result, problem = requirement.result, requirement.problem
    entry: dict[str, Any] = {"title": markup_of_title(requirement), "why": plain(requirement.why), "parts": []}
    entry["warnings"] = warnings(result.notes if result else (), brief=True)
    if result is None:
        reason = "" if problem is None else why_not(problem, requirement.measure)
        return entry | {"status": "na", "reason": reason, "anchor": ""}
    judged = {label: part for label, part in result.parts.items() if part.limit is not None} or {"": result}
    parts = [_part(result, label, part) for label, part in judged.items()]
    status = "holds" if result.holds else "fails"
    if result.holds and result.scope.suppressed == result.scope.rows and result.value is None:
        status = "nothing"
    return entry | {"status": status, "reason": "", "anchor": anchors.get(result, ""), "parts": parts}


def markup_of_title(requirement: Requirement) -> Markup:
    """Write the title of a measure, and which variant of it was evaluated, if that is the same for all parts."""
    result, measure = requirement.result, requirement.measure
    if result is None or (variant := _variant(result)) is None:
        return say("title", title=heading_of(measure))
    return say("title_variant", title=heading_of(measure), variant=term_of(measure, variant))


def _variant(result: Result) -> str | None:
    """Return the variant of a measure that was evaluated; None if there is none, or another for each attribute."""
    figure = result.measure.variant_figure
    variants = {part.figures[figure] for part in result.parts.values() if figure in part.figures}
    return None if len(variants) > 1 else result.figures.get(figure)


def _part(result: Result, label: str, part: Part) -> dict[str, Any]:
    assert part.limit is not None  # noqa: S101
    low_is_bad = part.side in HIGHER
    return {
        "measured": _measured(result, label),
        "value": value_of(part),
        "limit": limit_of(part),
        "bullet": bullet(part.value, float(part.limit), low_is_bad=low_is_bad, holds=part.holds),
        "holds": part.holds,
        "beside": _beside(result, part),
    }


def _measured(result: Result, label: str) -> Markup:
    """Write what the value is: the name of a fixed part, or the measure's own term, after a column name if any."""
    called = side_by_side({one: PAGE.text(result.measure.words[one].measured) for one in LANGUAGES})
    if fixed_part(result, label):
        return called if label == next(iter(result.parts)) and called else part_name(result, label)
    if not label:
        return called
    variant, column = result.parts[label].figures.get(result.measure.variant_figure), markup_of(Name(label))
    if variant is not None and _variant(result) is None:
        column = say("title_variant", title=Name(label), variant=term_of(result.measure, variant))
    return side_by_side({one: f"{column.texts[one]} · {called.texts[one]}" for one in LANGUAGES})


def part_name(result: Result, label: str) -> Markup:
    """Write the name of a part: translated for `fixed_parts`, else a column name; nothing for the whole result."""
    if fixed_part(result, label):
        return side_by_side({one: named(result, label, words(one, result.measure), PAGE) for one in LANGUAGES})
    return name(label) if label else Markup("")


def limit_of(part: Part) -> Markup:
    """Write a limit with its side: at least 5."""
    return side_by_side({one: PAGE.text(words(one).sides[part.side].format(part.limit)) for one in LANGUAGES})


def value_of(part: Part) -> Markup:
    """Write a value as a small fraction with its decimal, or with four digits; a dash if it is not defined."""
    if part.withheld:
        return markup_of(part.band) if part.band else say("withheld")
    if part.value is None:
        return Markup("–")
    texts = {one: exact(part.exact, part.value, words(one).brackets, part.limit) for one in LANGUAGES}
    return side_by_side({one: PAGE.text(text) for one, text in texts.items()})


def _beside(result: Result, part: Part) -> Markup:
    """Write who fails; of a measure without classes, the risk of the person most at risk, or what is better."""
    if part.failing_classes:
        counts = {"classes": part.failing_classes, "all_classes": part.judged_classes, "people": part.failing_people}
        return say("failing", **counts)
    if part.judged_classes:
        return say("all_hold", all_classes=part.judged_classes) if part.holds else markup_of("")
    if isinstance(result.measure, ReidentificationRisk) and (highest := result.parts["highest"].exact):
        return say("most_at_risk", size=1 / highest)
    if stated(result.measure, "en"):
        return side_by_side({one: markup_of(stated(result.measure, one)).texts[one] for one in LANGUAGES})
    better = "higher" if part.side in HIGHER else "lower"
    return side_by_side({one: PAGE.text(getattr(words(one), better)) for one in LANGUAGES})
