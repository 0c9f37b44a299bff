"""An evaluation for readers who may not see the table: verdicts, limits, and values that tell nobody's neighbours.

No value of a column, no class, no fraction and no count of classes or people is kept. Values have three digits; a
number of people is told as a band. If some class has few people, values that follow from class sizes are withheld.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from PETWorks.answer.evaluation import Evaluation
from PETWorks.answer.guard import replaced
from PETWorks.facts.bands import Band, Rounded
from PETWorks.facts.discretion import Discretion, Telling, discretion
from PETWorks.facts.notes import Note, Scope
from PETWorks.measure.base import Measure
from PETWorks.measure.bound import Bound
from PETWorks.measure.result import DESCRIBABLE, Part, Result

P = TypeVar("P", bound=Part)


def public_evaluation(evaluation: Evaluation) -> Evaluation:
    """Return what anybody may know of an evaluation."""
    return replaced(evaluation, _result, DESCRIBABLE)


def _result(result: Result) -> Result:
    few = result.facts is not None and not discretion(result.facts, DESCRIBABLE).counts
    bounds: list[Bound | None] = list(result.bounds) or [None] * len(result.parts)
    parts = {
        name: _part(part, name, result.measure, bound, few=few)
        for (name, part), bound in zip(result.parts.items(), bounds, strict=True)
    }
    judged = zip(result.parts.items(), bounds, strict=True)
    name, bound = next(((name, bound) for (name, part), bound in judged if _leads(part, result)), ("", None))
    scope = result.scope
    return replace(
        _part(result, name, result.measure, bound, few=few),
        parts=parts,
        notes=tuple(_in_bands(note) for note in result.notes if note.warning),
        scope=Scope(scope.name, scope.rows, scope.rows if scope.suppressed == scope.rows else 0, 0, {}),
        facts=None,
        bounds=(),
        discretion=Discretion(DESCRIBABLE, Telling.PUBLIC),
        recorded_steps=tuple(result.measure.closing()),
    )


def _in_bands(note: Note) -> Note:
    """Return a note with bands in place of counts."""
    figures = {name: Band.of(one) if isinstance(one, int) else one for name, one in note.figures.items()}
    return replace(note, figures=figures)


def _leads(part: Part, result: Result) -> bool:
    """Return True if the value of the result is that of the part."""
    return (part.value, part.exact, part.worst) == (result.value, result.exact, result.worst)


def _part(part: P, name: str, measure: Measure, bound: Bound | None, *, few: bool) -> P:
    told = {key: part.figures[key] for key in ("part", measure.variant_figure) if key in part.figures}
    bare = replace(
        part, exact=None, failing_classes=0, failing_rows=0, judged_classes=0, judged_rows=0, worst=(), alike=None
    )
    bare = replace(bare, figures=told)
    if part.value is None:
        return bare
    if name in measure.people_parts:
        return replace(bare, value=None, withheld=True, band=Band.of_people(int(part.value)))
    if few and (bound.by_size if bound else measure.of_sizes):
        return replace(bare, value=None, withheld=True)
    return replace(bare, value=Rounded(part.value))
