"""Disclosure control of results: withhold what must not be shown in a report, a log or a page that others read.

If every class has enough people, a result names the classes and people that it counts. Otherwise it shows how many,
never where (see `disclosure/level.py`). A disclosure-controlled result has nothing that it does not show: its steps are
computed here, and it has no reference to facts or bounds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any, TypeVar

from PETWorks.disclosure.level import find_disclosure
from PETWorks.facts.notes import Name, Note, Scope
from PETWorks.measure.bounds import Bound
from PETWorks.measure.result import ClassScore, Result, ResultPart
from PETWorks.shown import THRESHOLD, Count, CountBand, Disclosure, DisclosureLevel

DIGITS = 4  # significant digits of the score of a class if few people have the deciding value
MAX_SIMPLE_DENOMINATOR = 100  # fractions with denominators up to this can be recovered from the rounded score


P = TypeVar("P", bound=ResultPart)


def disclose_result(result: Result, least: int = THRESHOLD, *, explained: bool = True) -> Result:
    """Return the result without what describes classes of fewer than `least` people, and without facts and bounds.

    With ``explained=False`` no steps are computed, which saves time for outputs that show none.
    """
    if result.facts is None:  # disclosure-controlled already, or no release was measured
        return replace(result, notes=tuple(disclose_note(note, least) for note in result.notes))
    may = find_disclosure(result.facts, least)
    bounds = dict(zip(result.parts, result.bounds, strict=False))  # empty, unless it is a measure of privacy
    shown = replace(
        _disclose_part(result, bounds.get(find_leading_part(result)), may),
        parts={name: _disclose_part(part, bounds.get(name), may) for name, part in result.parts.items()},
        notes=(*_note_missing_cells(result.scope, may), *(disclose_note(note, least) for note in result.notes)),
        scope=disclose_scope(result.scope, may),
        disclosure=may,
    )
    shown = result.measure.withhold(shown)
    return replace(shown, facts=None, bounds=(), recorded_steps=shown.steps if explained else ())


def find_leading_part(result: Result) -> str:
    """Return the name of the part that has the value of the result, else of the first part; "" if there are none."""
    value = result.value, result.exact, result.worst
    same = [name for name, part in result.parts.items() if (part.value, part.exact, part.worst) == value]
    return next(iter(same or result.parts), "")


def disclose_note(note: Note, least: int) -> Note:
    """Return a note that names no values of a table; the note itself if small classes are shown (`least` is 1)."""
    if least > 1 and "guarded" in note.figures:
        return Note(note.kind, {"text": note.figures["guarded"]}, public=note.public)
    return note.instead or note if least > 1 else note


def disclose_scope(scope: Scope, may: Disclosure) -> Scope:
    """Return the scope without the exact numbers of missing cells if these are withheld."""
    return scope if may.shows_counts else replace(scope, missing={})


def disclose_missing_cells(scope: Scope, may: Disclosure) -> Mapping[str, Count] | None:
    """Return the missing cells by column, as counts or bands like those of values; None if nothing may be shown."""
    if may.shows_counts:
        return scope.missing
    return {name: CountBand.of(cells) for name, cells in scope.missing.items()} if may.names_classes else None


def _note_missing_cells(scope: Scope, may: Disclosure) -> Iterator[Note]:
    """Yield notes on missing cells that the disclosed scope no longer has."""
    for name, cells in (disclose_missing_cells(scope, may) or {}).items() if not may.shows_counts else ():
        yield Note("missing", {"column": Name(name), "cells": cells})


def _disclose_part(part: P, bound: Bound | None, may: Disclosure) -> P:
    """Return a part without classes that may not be named, and without what describes the deciding one."""
    if may.level is DisclosureLevel.FULL or bound is None:
        return part
    if may.shows_counts:
        few = bool(part.worst) and part.worst[0].people < may.least
        worst = tuple(one if one.people >= may.least else _withhold_values(one) for one in part.worst)
        return replace(part, worst=worst, **(_round_score(part) if few else {}))
    named = bound.find_nameable(may)
    worst = tuple(one for one in part.worst if one.people >= may.least and named.any())
    index = bound.find_worst()
    if bound.by_size or index is None:
        return replace(part, worst=worst)
    people = bound.count_people()[bound.find_equal(index)]
    alike = part.alike
    if alike and (people < may.least).any():
        alike = replace(alike, least=1, most=max(alike.most, may.least - 1))
    exact = part.exact if (people >= may.least).any() else None  # a fraction discloses too much
    return replace(part, worst=worst, alike=alike, exact=exact)


def _withhold_values(one: ClassScore) -> ClassScore:
    return replace(one, values=None, **_round_score(one))


def _round_score(scored: ResultPart | ClassScore) -> dict[str, Any]:
    """Return the rounded score as fields to replace; none if the exact fraction could be recovered from it anyway."""
    if scored.value is None:
        return {}
    digits = f"{scored.value:.{DIGITS}g}"
    if scored.exact == Fraction(digits).limit_denominator(MAX_SIMPLE_DENOMINATOR):
        return {}
    return {"value": float(digits), "exact": None}
