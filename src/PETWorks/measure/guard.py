"""What of a result may be shown where anybody can read it: a report, a log, a page.

A class of few people is told by its size and its score alone: not by its values, and not by a score so exact that the
values could be worked out from it. A guarded result holds nothing more than it shows: its steps are worked out here,
and neither facts nor bounds can be reached from it.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

from PETWorks.facts.notes import Note
from PETWorks.measure.result import DESCRIBABLE, ClassScore, Part, Result

DIGITS = 4  # significant, of a small class's score
SIMPLE = 100  # denominators up to this are given away by so many digits


def guarded(result: Result, least: int = DESCRIBABLE, *, explained: bool = True) -> Result:
    """Leave out of a result what describes classes of fewer than `least` people, and what it was worked out from.

    With ``explained=False`` it has no steps: for outputs that show none, because they take time.
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
    """Return what stands in place of a note that names values of a table, unless small classes are shown."""
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
    """Keep as many digits as people read, and a fraction only if it is known from these."""
    if scored.value is None:
        return {}
    digits = f"{scored.value:.{DIGITS}g}"
    if scored.exact == Fraction(digits).limit_denominator(SIMPLE):
        return {}
    return {"value": float(digits), "exact": None}
