"""Guarding of evaluations: removes what must not be shown where anybody can read it.

The results that an analyst gets in Python are complete. The command line and reports show a guarded evaluation, unless
the user asks for small classes to be shown. It has no reference to facts, so what was removed cannot be recovered.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from PETWorks.answer.advice import Advice
from PETWorks.answer.evaluation import Evaluation
from PETWorks.answer.making import Making
from PETWorks.answer.remedies import Remedy
from PETWorks.answer.requirement import Requirement
from PETWorks.facts.discretion import Telling, discretion
from PETWorks.facts.notes import Note
from PETWorks.facts.record import Record
from PETWorks.measure.guard import guarded, shown_note
from PETWorks.measure.result import DESCRIBABLE, Result


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
