"""Disclosure control of evaluations: withhold figures that disclose small classes.

The results that an analyst gets in Python are complete. The command line and reports show an evaluation after
disclosure control, unless the user asks for small classes. It has no reference to facts, so what was withheld cannot be
recovered.

A public evaluation, for readers who may not see the table, has verdicts, limits and values only: no value of a column,
no class, no fraction and no count of classes or people. Values have three digits; a number of people is a band. If a
class is below the threshold, values that follow from class sizes are withheld, and so are scores of levels where cells
of a column are on different ones.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from PETWorks.disclosure import Audience
from PETWorks.disclosure.level import find_disclosure
from PETWorks.disclosure.premises import disclose_premises, publish_premises
from PETWorks.disclosure.results import disclose_note, disclose_result, find_leading_part
from PETWorks.evaluation.evaluation import Evaluation
from PETWorks.evaluation.provenance import Alternative, BetterLevels, Front, Provenance, SuppressedAmount, build_zero
from PETWorks.evaluation.remedies import Advice, Remedy
from PETWorks.evaluation.requirement import Requirement
from PETWorks.exact.limit import Limit
from PETWorks.facts.notes import FEW_SUPPRESSED, NEVER_HOLDS, OF_ORIGINAL, Note, Scope
from PETWorks.facts.record import InputRecord
from PETWorks.measure.base import Measure
from PETWorks.measure.bounds import Privacy
from PETWorks.measure.losses import Utility
from PETWorks.measure.result import Result, ResultPart
from PETWorks.shown import THRESHOLD, CountBand, Disclosure, DisclosureLevel, Rounded

NOT_EXACT = (DisclosureLevel.BANDED, DisclosureLevel.UNLABELLED)


def disclose(evaluation: Evaluation, audience: str, *, explained: bool = True, recorded: bool = False) -> Evaluation:
    """Return what may be shown of an evaluation to an `Audience`, without facts: what was withheld is not in it.

    With ``explained=False`` no steps are computed, which saves time for outputs that show none; with `recorded` it has
    the record of its files.
    """
    if (readers := Audience(audience)) is Audience.PUBLIC:
        return publish_evaluation(evaluation)
    record = evaluation.record if recorded else None
    return disclose_evaluation(evaluation, readers.threshold, explained=explained, record=record)


def disclose_evaluation(
    evaluation: Evaluation, least: int = THRESHOLD, *, explained: bool = True, record: InputRecord | None = None
) -> Evaluation:
    """Return the evaluation without figures that describe classes of fewer than `least` people.

    With ``explained=False`` no steps are computed, which saves time for outputs without steps; without `record` there
    are no digests.
    """
    record = record and replace(record, least=least)
    making = evaluation.provenance and disclose_making(evaluation.provenance, least)
    show, tell = partial(disclose_result, least=least, explained=explained), partial(disclose_note, least=least)
    shown = map_results(evaluation, show, tell, record, making)
    if evaluation.has_premises:
        facts = evaluation.facts
        may = Disclosure() if facts is None else find_disclosure(facts, least)
        shown.judges_premises = evaluation.judges_premises
        shown.set_premises(disclose_premises(evaluation.premises, may))
    return shown


def map_results(
    evaluation: Evaluation,
    show: Callable[[Result], Result],
    tell: Callable[[Note], Note],
    record: InputRecord | None = None,
    making: Provenance | None = None,
) -> Evaluation:
    """Return a copy of the evaluation: `show` maps its results, `tell` the notes on unevaluated measures."""
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
    copy.commitments_shown = evaluation.commitments
    return copy


def disclose_advice(evaluation: Evaluation, least: int = THRESHOLD) -> Advice | None:
    """Return the remedies without those that would help to find classes of fewer than `least` people.

    The classes of a generalised table are those of fewer or coarser columns. Figures on these, together with bands
    beside values, can disclose which classes of the release are small. Where cells are on different levels, the cost of
    a remedy would disclose the levels of the cells of failing classes.
    """
    advice, facts = evaluation.advice, evaluation.facts
    if advice is None or facts is None:
        return advice
    if (disclosure := find_disclosure(facts, least)).level is not DisclosureLevel.BANDED:
        return advice if disclosure.shows_counts or not disclosure.has_mixed_levels else _withhold_costs(advice)
    return replace(advice, generalise=(), combined=None, untold=True)  # also if none helps: that depends on the classes


def _withhold_costs(advice: Advice) -> Advice:
    """Return the remedies without their costs, in the same order."""
    costs = sorted({one.lost for one in advice.every})

    def withhold_cost(one: Remedy) -> Remedy:
        return replace(one, lost=costs.index(one.lost), precision=None)

    return replace(
        advice,
        suppress=tuple(map(withhold_cost, advice.suppress)),
        generalise=tuple(map(withhold_cost, advice.generalise)),
        combined=advice.combined and withhold_cost(advice.combined),
        precision=None,
    )


P = TypeVar("P", bound=ResultPart)


def publish_evaluation(evaluation: Evaluation) -> Evaluation:
    """Return the public evaluation."""
    shown = map_results(evaluation, _publish_result, publish_note)
    if evaluation.has_premises:
        shown.judges_premises, found = evaluation.judges_premises, evaluation.premises
        everybody = evaluation.all_results[0].scope.everybody if evaluation.all_results else 0
        shown.set_premises(found if evaluation.is_public else publish_premises(found, everybody))
    return shown


def publish_note(note: Note) -> Note:
    """Return the note on an unevaluated measure that everybody may read."""
    if note.public is None:
        return disclose_note(note, THRESHOLD)
    return Note(note.public.kind, {name: one for name, one in note.public.figures.items() if name != "hint"})


def _publish_result(result: Result) -> Result:
    disclosure, scope = result.disclosure, result.scope
    if disclosure.level is DisclosureLevel.PUBLIC:
        return result
    if result.facts is not None:
        disclosure = find_disclosure(result.facts, THRESHOLD)
    of_original = any(note.kind == OF_ORIGINAL for note in result.notes)  # sizes are then those of its classes
    few = of_original or disclosure.level is not DisclosureLevel.EXACT or disclosure.least < THRESHOLD
    of_few = few and (result.measure.of_sizes or (disclosure.has_mixed_levels and result.measure.of_levels))
    of_few |= few and isinstance(result.measure, Privacy)  # scores of classes are clues to small ones
    few_gone = disclosure.level in NOT_EXACT and not disclosure.has_small_classes  # or removed
    if (
        few_gone or 0 < scope.suppressed_people < THRESHOLD
    ):  # with the heights of hierarchies, a utility discloses the count
        of_few |= isinstance(result.measure, Utility)
    of_few |= result.measure.tells_of_few(result)
    rows = max(scope.rows, min(scope.rows, 1) * (THRESHOLD - 1))  # stands for "fewer than five"
    nothing_left = scope.suppressed == scope.rows >= THRESHOLD
    of_few &= scope.suppressed < scope.rows  # otherwise nothing is published
    publish = partial(_publish_part, measure=result.measure, of_few=of_few, few=few and disclosure.has_small_classes)
    head, parts = (
        publish(result, find_leading_part(result)),
        {name: publish(part, name) for name, part in result.parts.items()},
    )
    if any(part.verdict_withheld for part in parts.values()):  # the verdict on all of them would tell that on one
        head = replace(head, holds=None, verdict_withheld=True)
    return replace(
        head,
        parts=parts,
        notes=tuple(_publish_figures(note) for note in (*result.warnings, *result.told_below) if _is_public(note)),
        scope=Scope(scope.name, rows, rows if nothing_left else 0, 0, {}, None, scope.known),
        facts=None,
        bounds=(),
        disclosure=Disclosure(THRESHOLD, DisclosureLevel.PUBLIC),
        recorded_steps=tuple(result.measure.conclude()),
    )


def _is_public(note: Note) -> bool:
    """Return False if the note is there because fewer people than a number below the threshold are concerned."""
    size = note.figures.get("size")
    return not isinstance(size, Limit) or note.kind not in (FEW_SUPPRESSED, NEVER_HOLDS) or size.exact >= THRESHOLD


def _publish_figures(note: Note) -> Note:
    """Return a note with bands in place of counts."""
    return replace(note, figures=_convert_to_bands(note.figures))


def _convert_to_bands(figure: Any) -> Any:  # noqa: ANN401
    """Return a figure of a note with bands in place of counts."""
    if isinstance(figure, Mapping):
        return {name: _convert_to_bands(one) for name, one in figure.items()}
    return CountBand.of(figure) if isinstance(figure, int) else figure


def _publish_part(part: P, name: str, measure: Measure, *, of_few: bool, few: bool) -> P:
    """Return a part for the public; `few` is True if a class is small, and `of_few` if the value follows from that."""
    keys = (
        "part",
        "" if of_few and measure.of_sizes else measure.variant_figure,
    )  # sizes may choose the form
    told = {key: part.figures[key] for key in keys if key in part.figures}
    bare = replace(
        part, exact=None, failing_classes=0, failing_rows=0, judged_classes=0, judged_rows=0, worst=(), alike=None
    )
    bare = replace(bare, figures=told, persons=None)
    if part.limit is not None and _says_small_size(part, name, measure, few=few):
        bare = replace(bare, holds=None, verdict_withheld=True)
    if part.value is None:  # that there is none may tell that somebody is alone
        return replace(bare, withheld=of_few)
    if name in measure.people_parts:
        if isinstance(measure, Privacy) and part.value >= THRESHOLD:
            return bare
        return replace(bare, value=None, withheld=True, band=CountBand.of_people(int(part.value)))
    if of_few or part.about_few or name in measure.private_parts:
        return replace(bare, value=None, withheld=True)
    return replace(bare, value=Rounded(part.value))


def _says_small_size(part: ResultPart, name: str, measure: Measure, *, few: bool) -> bool:
    """Return True if a verdict, whichever it is, could say the size of the smallest class below the threshold.

    Readers know that it is below, so that a limit of the threshold or more says nothing.
    """
    if name in measure.people_parts:
        few = part.value is not None and part.value < THRESHOLD
    few |= measure.for_editions and part.about_few  # joint classes are smaller than those of the release
    return few and 1 < measure.find_implied_size(name, part) < THRESHOLD


def disclose_making(making: Provenance, least: int) -> Provenance:
    """Return the provenance without facts, and without figures that describe classes of fewer than `least` people."""
    facts, levels = making.utility.facts, making.levels
    if facts is not None and not find_disclosure(facts, least).shows_counts:  # the cells on a level disclose values
        levels = {name: None if _is_mixed(level) else level for name, level in levels.items()}
    better = making.better and _disclose_better_levels(making.better, making.gone, least)
    return replace(
        making,
        utility=disclose_result(making.utility, least, explained=False),
        levels=levels,
        better=better,
        bound=None if better and better.score is None else making.bound,
        front=making.front and disclose_front(making.front, making.gone, least),
    )


def disclose_front(front: Front, gone: SuppressedAmount, least: int) -> Front:
    """Return the front of a release with suppression `gone`, without points that would disclose a few people.

    Withheld are points with classes of fewer than `least` people, and points that suppress up to `least` - 1 people
    more or less than another. Those that remain are figures only.
    """
    told, points = {build_zero(gone), gone}, list[Alternative]()
    for one in front.points:
        own = SuppressedAmount(one.suppressed, one.people)
        if one.chosen or (one.risk * least <= 1 and own.is_apart(told, least)):
            points.append(replace(one, made=None))
            told.add(own)
    return replace(front, points=tuple(points), left_out=front.left_out + len(front.points) - len(points))


def _disclose_better_levels(better: BetterLevels, gone: SuppressedAmount, least: int) -> BetterLevels:
    """Return the better levels; without figures if these and those of the release together disclose a few people."""
    few = better.suppressed is None or better.risk is None or better.risk * least > 1
    if few or not SuppressedAmount(better.suppressed or 0, better.people).is_apart((build_zero(gone), gone), least):
        return BetterLevels(None, None, None, None)
    return better


def _is_mixed(level: Any) -> bool:  # noqa: ANN401
    return isinstance(level, Mapping) and sum(many > 0 for many in level.values()) > 1
