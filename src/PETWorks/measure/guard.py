"""Guarding of results: removes what must not be shown where others can read it, such as a report, a log or a page.

Where every class has enough people, a guarded result names the classes and people that it counts. Otherwise it says how
many, never where (see `facts/discretion`). A guarded result holds nothing that it does not show: its steps are computed
here, and it has no reference to facts or bounds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any, TypeVar

from PETWorks.facts.disclosure import Discretion, Telling, discretion
from PETWorks.facts.notes import Band, Count, Name, Note, Scope
from PETWorks.measure.bounds import Bound
from PETWorks.measure.result import DESCRIBABLE, ClassScore, Part, Result

DIGITS = 4  # significant digits to which the score of a class is rounded if few people hold the value that decides
SIMPLE = 100  # fractions with denominators up to this can be recovered from the rounded score


P = TypeVar("P", bound=Part)


def guarded(result: Result, least: int = DESCRIBABLE, *, explained: bool = True) -> Result:
    """Return the result without what describes classes of fewer than `least` people, and without facts and bounds.

    With ``explained=False`` no steps are computed, which saves time for outputs that show none.
    """
    if result.facts is None:  # guarded already, or no release was measured
        return replace(result, notes=tuple(shown_note(note, least) for note in result.notes))
    may = discretion(result.facts, least)
    bounds = dict(zip(result.parts, result.bounds, strict=False))  # empty, unless it is a measure of privacy
    shown = replace(
        _part(result, bounds.get(leading_part(result)), may),
        parts={name: _part(part, bounds.get(name), may) for name, part in result.parts.items()},
        notes=(*_missing(result.scope, may), *(shown_note(note, least) for note in result.notes)),
        scope=shown_scope(result.scope, may),
        discretion=may,
    )
    shown = result.measure.discreet(shown)
    return replace(shown, facts=None, bounds=(), recorded_steps=shown.steps if explained else ())


def leading_part(result: Result) -> str:
    """Return the name of the part that has the value of the result, else of the first part; "" if there are none."""
    value = result.value, result.exact, result.worst
    same = [name for name, part in result.parts.items() if (part.value, part.exact, part.worst) == value]
    return next(iter(same or result.parts), "")


def shown_note(note: Note, least: int) -> Note:
    """Return a note that names no values of a table; the note itself if small classes are shown (`least` is 1)."""
    if least > 1 and note.kind == "error":
        return Note("error", {"text": note.figures["guarded"]})
    return note.instead or note if least > 1 else note


def shown_scope(scope: Scope, may: Discretion) -> Scope:
    """Return a scope without the exact numbers of missing cells, where these must not be told."""
    return scope if may.counts else replace(scope, missing={})


def missing_cells(scope: Scope, may: Discretion) -> Mapping[str, Count] | None:
    """Return what may be told of missing cells, by column: missing is a value, and told like others; None: nothing."""
    if may.counts:
        return scope.missing
    return {name: Band.of(cells) for name, cells in scope.missing.items()} if may.names else None


def _missing(scope: Scope, may: Discretion) -> Iterator[Note]:
    """Yield notes on missing cells that the guarded scope no longer tells."""
    for name, cells in (missing_cells(scope, may) or {}).items() if not may.counts else ():
        yield Note("missing", {"column": Name(name), "cells": cells})


def _part(part: P, bound: Bound | None, may: Discretion) -> P:
    """Return a part without classes that may not be named, nor what describes the one that decides."""
    if may.telling is Telling.EVERYTHING or bound is None:
        return part
    few = bool(part.worst) and part.worst[0].people < may.least
    if may.counts:
        worst = tuple(one if one.people >= may.least else _unnamed(one) for one in part.worst)
        return replace(part, worst=worst, **(_rounded(part) if few else {}))
    named = bound.nameable(may)
    worst = tuple(one for one in part.worst if one.people >= may.least and named.any())
    if bound.by_size or not few:
        return replace(part, worst=worst)
    alike = part.alike and replace(part.alike, least=1, most=max(part.alike.most, may.least - 1))
    return replace(part, worst=worst, alike=alike, exact=None)  # a fraction, or a size beside the score, tells too much


def _unnamed(one: ClassScore) -> ClassScore:
    return replace(one, values=None, **_rounded(one))


def _rounded(scored: Part | ClassScore) -> dict[str, Any]:
    """Return the rounded score as fields to replace; none if the exact fraction could be recovered from it anyway."""
    if scored.value is None:
        return {}
    digits = f"{scored.value:.{DIGITS}g}"
    if scored.exact == Fraction(digits).limit_denominator(SIMPLE):
        return {}
    return {"value": float(digits), "exact": None}
