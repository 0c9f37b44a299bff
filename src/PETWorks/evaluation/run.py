"""Evaluate all measures on a release, or its requirements, and report why some cannot be evaluated."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace

from PETWorks.errors import ParameterError, PETWorksError, TooLargeError, UnknownLevelsError, show_value
from PETWorks.evaluation.evaluation import Evaluation
from PETWorks.evaluation.requirement import Requirement
from PETWorks.facts.facts import Facts
from PETWorks.facts.notes import Name, Note, build_public_note
from PETWorks.measure.base import AFFORDABLE_UNASKED, Measure, Need
from PETWorks.measure.registry import find, measures
from PETWorks.measure.result import Result


def evaluate_all(facts: Facts, without: Collection[str] = (), asked: Iterable[Measure] = ()) -> Evaluation:
    """Evaluate every possible measure except those in `without`; measures in `asked` keep their parameters."""
    results, skipped = list[Result](), dict[str, Note]()
    given = {question.name: question for question in asked}
    kinds = [kind for kind in measures().values() if kind.name not in without]
    kinds = [kind for kind in kinds if facts.unpaired or not kind.for_unpaired or kind.name in given]
    kinds = [kind for kind in kinds if facts.has_earlier or not kind.for_editions or kind.name in given]
    read_once(facts, [kind for kind in kinds if kind.name in given or not find_obstacle(kind, facts)])
    _ = facts.scope  # if the release cannot be read, nothing can be evaluated
    for kind in kinds:
        measure = given.get(kind.name)
        try:
            if why := find_obstacle(kind, facts, with_parameters=measure is not None):
                skipped[kind.name] = why
            elif measure is None and kind().estimate_effort(facts) > AFFORDABLE_UNASKED:
                skipped[kind.name] = Note("by_name")
            else:
                results.append((measure or kind()).evaluate(facts))
        except PETWorksError as error:
            skipped[kind.name] = build_problem(error)
    return Evaluation(results, skipped)


def judge_requirements(facts: Facts, requirements: Sequence[Requirement], title: str = "") -> Evaluation:
    """Evaluate all requirements. One that cannot be evaluated has its problem in place of a result."""
    read_once(facts, [one.measure for one in requirements])
    _ = facts.scope
    judged = []
    for one in requirements:
        try:
            why = find_obstacle(type(one.measure), facts, with_parameters=True)
            judged.append(replace(one, problem=why) if why else replace(one, result=one.measure.evaluate(facts)))
        except PETWorksError as error:
            judged.append(replace(one, problem=build_problem(error)))
    return Evaluation([one.result for one in judged if one.result], requirements=judged, title=title)


def read_once(facts: Facts, asked: Iterable[Measure | type[Measure]]) -> None:
    """Read the pairs of rows first if any measure needs them: they include all other counts, so rows are read once."""
    if facts.rows_pair and any(measure.pairs for measure in asked):
        with suppress(PETWorksError):  # raised again by each measure that needs the pairs
            _ = facts.paired


def build_problem(error: PETWorksError) -> Note:
    """Build the note on a measure that could not be evaluated because of an error."""
    if isinstance(error, TooLargeError):
        return Note("too_large", dict(error.figures or {}))
    if isinstance(error, UnknownLevelsError):
        return Note("needs_levels", {"columns": [Name(column) for column in error.columns]})
    text = "; ".join(" ".join(line.split()) for line in str(error).splitlines())
    figures = {"text": text, "guarded": error.summarise(), "hint": error.hint, "common": error.common}
    return Note("error", figures, public=build_public_note(error))


def find_obstacle(kind: type[Measure], facts: Facts, *, with_parameters: bool = False) -> Note | None:
    """Return the note on why a measure cannot be evaluated; None if it can be."""
    given = {
        Need.ORIGINAL: facts.has_original,
        Need.SENSITIVE: bool(facts.roles.sensitive),
        Need.POPULATION: facts.has_population,
        Need.POPULATION_SIZE: facts.has_population or with_parameters,
        Need.WEIGHT: facts.weight is not None,
        Need.HOLDOUT: facts.has_holdout,
        Need.EARLIER: facts.has_earlier,
    }
    if why := kind.find_row_obstacle(facts):
        return Note(why)
    for need in Need:
        if need in kind.needs and not given[need]:
            return Note(f"needs_{need}")
    needs_more = kind.list_required() and not with_parameters
    return Note("needs_parameters", {"call": Name(write_call(kind))}) if needs_more else None


def write_call(kind: type[Measure]) -> str:
    """Write the call that builds a measure, with its required parameters."""
    return f"{kind.__name__}({', '.join(f'{name}=…' for name in kind.list_required())})"


def read_measure(asked: object) -> Measure:
    """Return the measure that was passed as an object, or by its name or class if it needs no parameters."""
    if isinstance(asked, Measure):
        return asked
    if not isinstance(asked, str | type):
        raise ParameterError(
            f"a measure or its name is expected, not {show_value(asked)}", hint='pass KAnonymity(k=5), or "Precision"'
        )
    kind = find(asked if isinstance(asked, str) else asked.__name__)
    if kind.list_required():
        hint = f"pass {write_call(kind)}"
        raise ParameterError(f"{kind.name} cannot be evaluated by name alone: it needs parameters", hint=hint)
    return kind()
