"""An evaluation for readers who may not see the table: verdicts, limits, and values that tell nobody's neighbours.

No value of a column, no class, no fraction and no count of classes or people is kept. Values have three digits; a
number of people is told as a band. If some class has few people, values that follow from class sizes are withheld, and
scores of levels where cells of a column are on different ones.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeVar

from PETWorks.answer.evaluation import Evaluation
from PETWorks.answer.guard import replaced
from PETWorks.exact.limit import Limit
from PETWorks.facts.bands import Band, Rounded
from PETWorks.facts.discretion import Discretion, Telling, discretion
from PETWorks.facts.notes import FEW_SUPPRESSED, Note, Scope
from PETWorks.measure.base import Measure
from PETWorks.measure.guard import leading_part, shown_note
from PETWorks.measure.result import DESCRIBABLE, Part, Result
from PETWorks.measure.utility import Utility

# Counts in errors, which have their noun beside them (`errors.plural`).
FEW = re.compile(r"(?<![\w.,-])[1-4](?= (?:values?|rows?|cells?|class|classes|people|person|households?)\b)")
P = TypeVar("P", bound=Part)


def public_evaluation(evaluation: Evaluation) -> Evaluation:
    """Return what anybody may know of an evaluation."""
    return replaced(evaluation, _result, _note)


def _note(note: Note) -> Note:
    """Return why something was not evaluated, without counts of a few."""
    shown = shown_note(note, DESCRIBABLE)
    if shown.kind != "error":
        return shown
    return replace(shown, figures={"text": FEW.sub("some", str(shown.figures["text"]))})


def _result(result: Result) -> Result:
    may, scope = result.discretion, result.scope
    if may.telling is Telling.PUBLIC:
        return result
    if result.facts is not None:
        may = discretion(result.facts, DESCRIBABLE)
    few = may.telling is not Telling.EXACT or may.least < DESCRIBABLE
    of_few = few and (result.measure.of_sizes or (may.mixed and result.measure.of_levels))
    if 0 < scope.suppressed_people < DESCRIBABLE:  # with the heights of hierarchies, a utility tells how many
        of_few |= isinstance(result.measure, Utility)
    rows = max(scope.rows, min(scope.rows, 1) * (DESCRIBABLE - 1))  # so many stand for "fewer than five"
    nothing_left = scope.suppressed == scope.rows >= DESCRIBABLE
    return replace(
        _part(result, leading_part(result), result.measure, of_few=of_few),
        parts={name: _part(part, name, result.measure, of_few=of_few) for name, part in result.parts.items()},
        notes=tuple(_told(note) for note in (*result.warnings, *result.told_below)),
        scope=Scope(scope.name, rows, rows if nothing_left else 0, 0, {}, None, scope.known),
        facts=None,
        bounds=(),
        discretion=Discretion(DESCRIBABLE, Telling.PUBLIC),
        recorded_steps=tuple(result.measure.closing()),
    )


def _told(note: Note) -> Note:
    """Return a note with bands in place of counts; "fewer than 2" would be one, so that five is the least."""
    if note.kind != FEW_SUPPRESSED:
        return replace(note, figures=_in_bands(note.figures))
    return replace(note, figures={"size": max(note.figures["size"], Limit.of(DESCRIBABLE), key=lambda one: one.exact)})


def _in_bands(figure: Any) -> Any:  # noqa: ANN401
    """Return a figure of a note with bands in place of counts."""
    if isinstance(figure, Mapping):
        return {name: _in_bands(one) for name, one in figure.items()}
    return Band.of(figure) if isinstance(figure, int) else figure


def _part(part: P, name: str, measure: Measure, *, of_few: bool) -> P:
    told = {key: part.figures[key] for key in ("part", measure.variant_figure) if key in part.figures}
    bare = replace(
        part, exact=None, failing_classes=0, failing_rows=0, judged_classes=0, judged_rows=0, worst=(), alike=None
    )
    bare = replace(bare, figures=told, persons=None)
    if part.value is None:
        return bare
    if name in measure.people_parts:
        return replace(bare, value=None, withheld=True, band=Band.of_people(int(part.value)))
    if of_few:
        return replace(bare, value=None, withheld=True)
    return replace(bare, value=Rounded(part.value))
