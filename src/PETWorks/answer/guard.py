"""What may be said where anybody can read it: a report, a log, a page.

A class of few people is told by its size and its score alone: not by its values, and not by a score so exact that the
values could be worked out from it. The analyst's own results (`Release.ask`) are complete; every output of the command
line and every report passes through here, unless the user asks for small classes to be shown.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

from PETWorks.answer.evaluation import Evaluation
from PETWorks.measure.result import LEAST, ClassScore, Note, Part, Result

DIGITS = 4  # significant, of a small class's score
SMALL = 100  # denominator of a fraction that such digits give away


def guarded(result: Result, least: int = LEAST) -> Result:
    """Leave out of a result what describes small classes."""
    parts = {name: replace(part, **_part(part, least)) for name, part in result.parts.items()}
    notes = tuple(map(_note, result.notes))
    return replace(result, **_part(result, least), parts=parts, notes=notes, least=least)


def guarded_evaluation(evaluation: Evaluation, least: int = LEAST) -> Evaluation:
    """Leave out of all results what describes small classes."""
    results = {id(result): guarded(result, least) for result in evaluation}
    return Evaluation(
        list(results.values()),
        {name: _note(note) for name, note in evaluation.skipped.items()},
        [
            replace(
                one,
                result=one.result and results.get(id(one.result), guarded(one.result, least)),
                problem=one.problem and _note(one.problem),
            )
            for one in evaluation.requirements
        ],
        evaluation.title,
    )


def _part(part: Part, least: int) -> dict[str, Any]:
    worst = tuple(_class(one, least) for one in part.worst)
    decided_by_few = bool(worst) and part.worst[0].people < least
    return {"worst": worst, **(_score(part) if decided_by_few else {})}


def _class(one: ClassScore, least: int) -> ClassScore:
    return one if one.people >= least else replace(one, values=None, **_score(one))


def _score(scored: Part | ClassScore) -> dict[str, Any]:
    """Keep as many digits as people read, and a fraction only if it is known from these."""
    if scored.value is None:
        return {}
    digits = f"{scored.value:.{DIGITS}g}"
    if scored.exact is not None and scored.exact == Fraction(digits).limit_denominator(SMALL):
        return {}
    return {"value": float(digits), "exact": None}


def _note(note: Note) -> Note:
    """Leave out of a note single values of a table."""
    if note.kind == "error":
        return Note("error", {"text": note.figures["guarded"]})
    if note.kind == "nearly_numeric":
        return Note("nearly_numeric_guarded", {"part": note.figures["part"]})
    return note
