"""Guarding of results: removes what must not be shown where anybody can read it, such as a report, a log or a page.

Of a class of few people only its size and a rounded score are kept: an exact score could reveal the values of the
class. A guarded result holds nothing that it does not show: its steps are computed here, and it has no reference to
facts or bounds.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

from PETWorks.facts.notes import Note
from PETWorks.measure.result import DESCRIBABLE, ClassScore, Part, Result

DIGITS = 4  # significant digits to which the score of a small class is rounded
SIMPLE = 100  # fractions with denominators up to this can be recovered from the rounded score


def guarded(result: Result, least: int = DESCRIBABLE, *, explained: bool = True) -> Result:
    """Return the result without what describes classes of fewer than `least` people, and without facts and bounds.

    With ``explained=False`` no steps are computed, which saves time for outputs that show none.
    """
    shown = replace(
        result,
        **_part(result, least),
        parts={name: replace(part, **_part(part, least)) for name, part in result.parts.items()},
        notes=tuple(shown_note(note, least) for note in result.notes),
        least=least,
    )
    return replace(shown, facts=None, bounds=(), recorded_steps=shown.steps if explained else ())


def shown_note(note: Note, least: int) -> Note:
    """Return a note that names no values of a table; the note itself if small classes are shown (`least` is 1)."""
    if least > 1 and note.kind == "error":
        return Note("error", {"text": note.figures["guarded"]})
    return note.instead or note if least > 1 else note


def _part(part: Part, least: int) -> dict[str, Any]:
    worst = tuple(_class(one, least) for one in part.worst)
    decided_by_few = bool(worst) and part.worst[0].people < least
    return {"worst": worst, **(_score(part) if decided_by_few else {})}


def _class(one: ClassScore, least: int) -> ClassScore:
    return one if one.people >= least else replace(one, values=None, **_score(one))


def _score(scored: Part | ClassScore) -> dict[str, Any]:
    """Return the rounded score as fields to replace; none if the exact fraction could be recovered from it anyway."""
    if scored.value is None:
        return {}
    digits = f"{scored.value:.{DIGITS}g}"
    if scored.exact == Fraction(digits).limit_denominator(SIMPLE):
        return {}
    return {"value": float(digits), "exact": None}
