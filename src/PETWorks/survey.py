"""Everything that can be asked of a release without further parameters, and why the rest cannot be."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from contextlib import suppress

from PETWorks.errors import PETWorksError
from PETWorks.facts import Facts
from PETWorks.measure import Measure, Need
from PETWorks.registry import measures
from PETWorks.result import Evaluation, Note, Result


def survey(facts: Facts, without: Collection[str] = ()) -> Evaluation:
    """Ask every measure that can be asked, apart from some."""
    results, skipped = list[Result](), dict[str, Note]()
    kinds = [kind for kind in measures().values() if kind.name not in without]
    read_once(facts, [kind for kind in kinds if not why_not(kind, facts)])
    _ = facts.released  # if the release cannot be read, nothing can be asked
    for kind in kinds:
        try:
            if why := why_not(kind, facts):
                skipped[kind.name] = why
            else:
                results.append(kind().evaluate(facts))
        except PETWorksError as error:
            skipped[kind.name] = problem(error)
    return Evaluation(results, skipped)


def read_once(facts: Facts, asked: Iterable[Measure | type[Measure]]) -> None:
    """Where a measure looks at pairs of rows, read the pairs first: they hold all that the others want."""
    if facts.original is not None and any(measure.pairs for measure in asked):
        with suppress(PETWorksError):  # whoever needs the pairs will say what is wrong with them
            _ = facts.paired


def problem(error: PETWorksError) -> Note:
    """Keep an error as the reason why something could not be asked."""
    text = " ".join(str(error).split())
    return Note("error", {"text": text, "guarded": error.guarded()})


def why_not(kind: type[Measure], facts: Facts) -> Note | None:
    """Say why a measure cannot be asked, or nothing."""
    given = {
        Need.ORIGINAL: facts.original is not None,
        Need.SENSITIVE: bool(facts.roles.sensitive),
        Need.POPULATION: facts.population is not None,
        Need.POPULATION_SIZE: facts.population is not None,
    }
    for need in Need:
        if need in kind.needs and not given[need]:
            return Note(f"needs_{need}")
    return Note("needs_parameters", {"call": call(kind)}) if kind.required() else None


def call(kind: type[Measure]) -> str:
    """Write how a measure is made that needs parameters."""
    return f"{kind.__name__}({', '.join(f'{name}=…' for name in kind.required())})"
