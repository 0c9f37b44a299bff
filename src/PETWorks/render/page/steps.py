"""The section with the steps of every measure; folded, and opened by the links to it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from markupsafe import Markup

from PETWorks.answer.view import View
from PETWorks.explain.step import Step
from PETWorks.measure.base import Measure
from PETWorks.measure.result import Result
from PETWorks.render.explanation import step_text
from PETWorks.render.page.markup import PAGE, Both, heading_of, say, side_by_side, warnings, why_not
from PETWorks.render.reference import reference
from PETWorks.render.words import LANGUAGES


def section(view: View) -> Mapping[str, Any]:
    """Return the steps of every result, and why the other measures were not evaluated."""
    from PETWorks.measure.registry import find

    skipped = view.others.skipped | view.evaluation.skipped
    unasked = [
        {"title": both_titles(find(name)), "reason": why_not(note, find(name))} for name, note in skipped.items()
    ]
    return {"measures": [_measure(result, view.anchors[result]) for result in view.results], "unasked": unasked}


def both_titles(measure: Measure | type[Measure]) -> Markup:
    """Write the title of a measure in both languages, as a heading."""
    return say("title", title=heading_of(measure))


def _measure(result: Result, anchor: str) -> dict[str, Any]:
    from PETWorks.render.page.requirements import value_of

    status = {True: "holds", False: "fails", None: ""}[result.holds]
    return {
        "anchor": anchor,
        "title": both_titles(result.measure),
        "value": value_of(next((part for part in result.parts.values() if part.holds is not None), result)),
        "status": status,
        "steps": [_step(step, result) for step in result.steps],
        "notes": [why_not(note, result.measure) for note in result.notes if not note.warning],
        "warnings": warnings(result.notes, brief=True),
        "reference": say("reference", text=Both({one: reference(result.measure, one) for one in LANGUAGES})),
    }


def _step(step: Step, result: Result) -> dict[str, Any]:
    texts = {one: step_text(step, result, one, PAGE) for one in LANGUAGES}
    return {"text": side_by_side(texts), "lines": [_step(line, result)["text"] for line in step.lines]}
