"""Guarding of evaluations: removes what must not be shown where anybody can read it.

The results that an analyst gets in Python are complete. The command line and reports show a guarded evaluation, unless
the user asks for small classes to be shown. It has no reference to facts, so what was removed cannot be recovered.

An evaluation for readers who may not see the table: verdicts, limits, and values that tell nobody's neighbours.

No value of a column, no class, no fraction and no count of classes or people is kept. Values have three digits; a
number of people is told as a band. If some class has few people, values that follow from class sizes are withheld, and
scores of levels where cells of a column are on different ones.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from PETWorks.evaluation.evaluation import Evaluation
from PETWorks.evaluation.provenance import Making
from PETWorks.evaluation.remedies import Advice, Remedy
from PETWorks.evaluation.requirement import Requirement
from PETWorks.exact.limit import Limit
from PETWorks.facts.disclosure import Discretion, Telling, discretion
from PETWorks.facts.notes import FEW_SUPPRESSED, Band, Note, Rounded, Scope
from PETWorks.facts.record import Record
from PETWorks.measure.base import Measure
from PETWorks.measure.guard import guarded, leading_part, shown_note
from PETWorks.measure.losses import Utility
from PETWorks.measure.result import DESCRIBABLE, Part, Result


def guarded_evaluation(
    evaluation: Evaluation, least: int = DESCRIBABLE, *, explained: bool = True, record: Record | None = None
) -> Evaluation:
    """Return the evaluation without what describes classes of fewer than `least` people.

    With ``explained=False`` no steps are computed, which saves time for outputs that show none; without `record` no
    digests.
    """
    record = record and replace(record, least=least)
    making = evaluation.making and evaluation.making.guarded(least)
    show, tell = partial(guarded, least=least, explained=explained), partial(shown_note, least=least)
    return replaced(evaluation, show, tell, record, making)


def replaced(
    evaluation: Evaluation,
    show: Callable[[Result], Result],
    tell: Callable[[Note], Note],
    record: Record | None = None,
    making: Making | None = None,
) -> Evaluation:
    """Return the evaluation with what `show` returns for each result, and `tell` for notes on what could not be."""
    shown = {result: show(result) for result in evaluation.all_results}

    def requirement(one: Requirement) -> Requirement:
        problem = None if one.problem is None else tell(one.problem)
        return replace(one, result=one.result and shown[one.result], problem=problem)

    copy = Evaluation(
        [shown[result] for result in evaluation],
        {name: tell(note) for name, note in evaluation.skipped.items()},
        [requirement(one) for one in evaluation.requirements],
        evaluation.title,
        record,
        making=making,
    )
    copy.not_shown = evaluation.not_shown
    return copy


def guarded_advice(evaluation: Evaluation, least: int = DESCRIBABLE) -> Advice | None:
    """Return the remedies without those that would help to find classes of fewer than `least` people.

    The classes of a generalised table are those of fewer columns, or of coarser ones. What is known of them, together
    with bands beside values, can tell which classes of the release are small. Where cells are on different levels, what
    a remedy costs would tell on which levels the cells of failing classes are.
    """
    advice, facts = evaluation.advice, evaluation.facts
    if advice is None or facts is None:
        return advice
    if (may := discretion(facts, least)).telling is not Telling.BANDS:
        return advice if may.counts or not may.mixed else _unpriced(advice)
    return replace(advice, generalise=(), combined=None, untold=bool(advice.generalise or advice.combined))


def _unpriced(advice: Advice) -> Advice:
    """Return the remedies without what they cost, in the same order."""
    costs = sorted({one.lost for one in advice.every})

    def unpriced(one: Remedy) -> Remedy:
        return replace(one, lost=costs.index(one.lost), precision=None)

    return replace(
        advice,
        suppress=tuple(map(unpriced, advice.suppress)),
        generalise=tuple(map(unpriced, advice.generalise)),
        combined=advice.combined and unpriced(advice.combined),
        precision=None,
    )


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
