"""Everything that can be evaluated on a release without further parameters, and why the rest cannot be."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace

from PETWorks.answer.evaluation import Evaluation, Requirement
from PETWorks.errors import PETWorksError, TooLargeError
from PETWorks.facts.facts import Facts
from PETWorks.facts.notes import Name, Note
from PETWorks.measure.base import Measure, Need
from PETWorks.measure.registry import measures
from PETWorks.measure.result import Result


def survey(facts: Facts, without: Collection[str] = (), asked: Iterable[Measure] = ()) -> Evaluation:
    """Ask every measure that can be evaluated, apart from some; those that are `asked`, with their parameters."""
    results, skipped = list[Result](), dict[str, Note]()
    given = {question.name: question for question in asked}
    kinds = [kind for kind in measures().values() if kind.name not in without]
    read_once(facts, [kind for kind in kinds if kind.name in given or not why_not(kind, facts)])
    _ = facts.scope  # if the release cannot be read, nothing can be evaluated
    for kind in kinds:
        try:
            if why := why_not(kind, facts, with_parameters=kind.name in given):
                skipped[kind.name] = why
            else:
                results.append((given.get(kind.name) or kind()).evaluate(facts))
        except PETWorksError as error:
            skipped[kind.name] = problem(error)
    return Evaluation(results, skipped)


def judge(facts: Facts, requirements: Sequence[Requirement], title: str = "") -> Evaluation:
    """Judge requirements; one that cannot be evaluated keeps none of the others from being judged."""
    read_once(facts, [one.measure for one in requirements])
    _ = facts.scope
    judged = []
    for one in requirements:
        try:
            why = why_not(type(one.measure), facts, with_parameters=True)
            judged.append(replace(one, problem=why) if why else replace(one, result=one.measure.evaluate(facts)))
        except PETWorksError as error:
            judged.append(replace(one, problem=problem(error)))
    return Evaluation([one.result for one in judged if one.result], requirements=judged, title=title)


def read_once(facts: Facts, asked: Iterable[Measure | type[Measure]]) -> None:
    """Where a measure looks at pairs of rows, read the pairs first: they hold all that the others want."""
    if facts.has_original and any(measure.pairs for measure in asked):
        with suppress(PETWorksError):  # whoever needs the pairs will say what is wrong with them
            _ = facts.paired


def problem(error: PETWorksError) -> Note:
    """Keep an error as the reason why something could not be evaluated."""
    if isinstance(error, TooLargeError):
        return Note("too_large", dict(error.figures))
    text = " ".join(str(error).split())
    return Note("error", {"text": text, "guarded": error.guarded(), "hint": error.hint})


def why_not(kind: type[Measure], facts: Facts, *, with_parameters: bool = False) -> Note | None:
    """Say why a measure cannot be evaluated, or nothing."""
    given = {
        Need.ORIGINAL: facts.has_original,
        Need.SENSITIVE: bool(facts.roles.sensitive),
        Need.POPULATION: facts.has_population,
        Need.POPULATION_SIZE: facts.has_population or with_parameters,
    }
    for need in Need:
        if need in kind.needs and not given[need]:
            return Note(f"needs_{need}")
    needs_more = kind.required() and not with_parameters
    return Note("needs_parameters", {"call": Name(call(kind))}) if needs_more else None


def call(kind: type[Measure]) -> str:
    """Write how a measure is made that needs parameters."""
    return f"{kind.__name__}({', '.join(f'{name}=…' for name in kind.required())})"
