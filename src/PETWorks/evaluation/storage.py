"""Save and load complete evaluations: a loaded one shows and explains the same as the saved one.

A file has the counts (`facts/saved.py`), the evaluated measures, and their results, for other programs to read. Loading
evaluates the measures again on the counts. No code that the file names is run: a function of the user is saved as its
name and its two answers.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

from PETWorks.errors import MissingFileError, NotAskableError, PETWorksError, SourceError
from PETWorks.evaluation.evaluation import Evaluation
from PETWorks.evaluation.requirement import NotShown, Requirement
from PETWorks.evaluation.run import find_obstacle
from PETWorks.exact.limit import Limit
from PETWorks.facts.facts import Facts
from PETWorks.facts.record import PolicyInput
from PETWorks.facts.saved import (
    Plain,
    dump_error,
    dump_facts,
    dump_figure,
    dump_note,
    load_error,
    load_facts,
    load_figure,
    load_note,
)
from PETWorks.facts.tallies import find_tables
from PETWorks.measure.base import Measure
from PETWorks.measure.parameter import find_parameters, parse_formula
from PETWorks.measure.registry import find, measures
from PETWorks.measure.result import Result, ResultPart
from PETWorks.premises.premise import Premises
from PETWorks.tables.decoding import build_unreadable_error

SCHEMA = "petworks/saved/1"
ABOUT = (
    "Complete, and not to be published: it describes every class, also those of few people, and holds the values of the"
    " original and of the population."
)
HINT = "load a file that Evaluation.save wrote"
DAMAGED = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError)  # by a changed file


def write_saved(evaluation: Evaluation) -> str:
    """Write an evaluation as a JSON document from which it can be loaded."""
    facts = evaluation.facts
    if facts is None or any(result.facts is not facts for result in evaluation):
        hint = "save the evaluation that Release.evaluate, Release.check or Policy.check returned"
        problem = "it cannot be saved: it is guarded, or is not the evaluation of one release"
        raise NotAskableError(problem, hint=hint)
    formulas = evaluation.premises.formulas if evaluation.has_premises else None
    document = {
        "schema": SCHEMA,
        "about": ABOUT,
        "version": version("petworks"),
        "evaluation": evaluation.to_dict(),
        "judges_premises": evaluation.judges_premises,
        "formulas": formulas and dump_note(formulas),
        "policy": evaluation.policy,
        "secret": evaluation.secret,
        "evaluated": [_export_measure(result.measure, result) for result in evaluation],
        "required": [_export_requirement(one) for one in evaluation.requirements],
        "skipped": {name: dump_note(note) for name, note in evaluation.skipped.items()},
        "failed": [{**_export_measure(one), "error": dump_error(error)} for one, error in _find_failing(facts)],
        "measured": dump_facts(facts, _find_further_columns(evaluation, facts)),
    }
    return json.dumps(document, ensure_ascii=True, allow_nan=False) + "\n"


def build_saved(path: str | os.PathLike[str]) -> Evaluation:
    """Build the evaluation of a saved file."""
    name = os.path.basename(path)  # noqa: PTH119 (also of a path that cannot be one)
    try:
        document = json.loads(Path(path).read_bytes())
        if document["schema"] != SCHEMA:
            raise SourceError("this is not a saved evaluation", where=name, hint=HINT, figures={})
        evaluation = _build_evaluation(document)
    except PETWorksError:
        raise
    except FileNotFoundError as error:
        raise MissingFileError("there is no such file", where=str(path), hint=HINT) from error
    except OSError as error:
        raise build_unreadable_error(error, str(path)) from error
    except DAMAGED as error:
        raise SourceError(
            "this is not a saved evaluation, or it is damaged", where=name, hint=HINT, figures={}
        ) from error
    for before, result in zip(document["evaluation"]["results"], evaluation, strict=False):
        if _extract_answers(before) != _extract_answers(json.loads(json.dumps(_export_result(result)))):
            problem = f"PETWorks {version('petworks')} has another result of {result.name} than the file"
            raise SourceError(problem, where=name, hint=f"load it with PETWorks {document['version']}")
    return evaluation


def _export_result(result: Result) -> Plain:
    return {**ResultPart.to_dict(result), "parts": {name: part.to_dict() for name, part in result.parts.items()}}


def _extract_answers(plain: Plain) -> list[Any]:
    return [[one["value"], one["exact"], one["holds"]] for one in (plain, *plain["parts"].values())]


def _find_further_columns(evaluation: Evaluation, facts: Facts) -> list[str] | None:
    """Return the columns that parameters of measures of rows that do not pair name; None if there is no such measure.

    Raise an error for what could not be evaluated again from counts.
    """
    found: list[str] = []
    asked = [one.measure for one in (*evaluation, *evaluation.requirements) if one.measure.for_unpaired]
    for measure in asked:
        for name, one in find_parameters(type(measure)).items():
            given = getattr(measure, name)
            if one.kind == "model" and given is not None:
                problem = f"an evaluation of {measure.name} with a model of yours cannot be saved"
                raise NotAskableError(problem, hint="write the record, or a report: to_json, to_html")
            if given is not None and (one.names or one.kind in ("text", "formula")):
                found += parse_formula(given) if one.kind == "formula" else [given] if one.kind == "text" else given
        strange = [] if facts.unpaired else [name for name in found if name not in facts.roles.quasi_identifiers]
        if measure.pairs and strange:
            problem = f'an evaluation of {measure.name} of "{strange[0]}" cannot be saved'
            raise NotAskableError(problem, hint="name quasi-identifiers only, or write a report: to_json, to_html")
    if asked and find_tables(facts).people.column is not None:
        problem = "an evaluation of people with several rows beside a hold-out cannot be saved"
        raise NotAskableError(problem, hint="write the record, or a report: to_json, to_html")
    return found if asked or facts.unpaired else None


def _find_failing(facts: Facts) -> Iterator[tuple[Measure, PETWorksError]]:
    """Yield the other measures of a report that cannot be evaluated, with their errors.

    Measures of the people of the original are not among them: they need rows, which are not saved.
    """
    for kind in measures().values():
        if not kind.for_unpaired and not kind.for_editions and not find_obstacle(kind, facts):
            try:
                kind().evaluate(facts)
            except PETWorksError as error:
                yield kind(), error


def _export_measure(measure: Measure, result: Result | None = None) -> Plain:
    plain = {"measure": measure.name, "parameters": measure.parameters()}
    if result is not None and any(one.kind == "function" for one in find_parameters(type(measure)).values()):
        plain["answers"] = dump_figure({name: result.figures[name] for name in ("released", "original")})
    return plain


def _export_requirement(one: Requirement) -> Plain:
    plain = {**_export_measure(one.measure, one.result), "why": one.why, "source": one.source, "clause": one.clause}
    return plain | {"problem": one.problem and dump_note(one.problem)}


def _build_evaluation(document: Plain) -> Evaluation:
    facts = load_facts(document["measured"])
    built: dict[str, Measure] = {}

    def measure_of(plain: Plain) -> Measure:
        called = json.dumps([plain["measure"], plain["parameters"]])
        return built.setdefault(called, _build_measure(plain))

    for one in document["failed"]:
        with suppress(PETWorksError):  # raised again whenever the measure is evaluated
            facts.cache(measure_of(one), partial(_raise, load_error(one["error"])))
    required = [
        Requirement(
            measure := measure_of(one),
            None if one["problem"] else measure.evaluate(facts),
            one["problem"] and load_note(one["problem"]),
            one["why"],
            one["source"],
            one["clause"],
        )
        for one in document["required"]
    ]
    evaluated = [measure_of(one).evaluate(facts) for one in document["evaluated"]]
    skipped = {name: load_note(note) for name, note in document["skipped"].items()}
    evaluation = Evaluation(evaluated, skipped, required, document["evaluation"]["title"])
    evaluation.not_shown = tuple(map(NotShown.of, document["evaluation"]["not_shown"]))
    evaluation.policy = document["policy"] and PolicyInput(*document["policy"])
    evaluation.secret = document.get("secret")
    evaluation.judges_premises = bool(document.get("judges_premises"))
    if document["evaluation"].get("premises"):
        formulas = document.get("formulas") and load_note(document["formulas"])
        evaluation.set_premises(replace(Premises.from_dict(document["evaluation"]), formulas=formulas))
    return evaluation


def _raise(error: PETWorksError) -> None:
    raise error


def _build_measure(plain: Plain) -> Measure:
    kind, parameters = find(plain["measure"]), dict(plain["parameters"])
    for name, one in find_parameters(kind).items():
        if one.kind == "model" and parameters.get(name) is not None:
            raise ValueError(name)  # code that a file names is never run
        if one.kind == "function":
            parameters[name] = RecordedFunction(parameters[name], load_figure(plain.get("answers")) or {})
    return kind(**parameters)


class RecordedFunction:
    """A placeholder for a function of the user, with its name and its answers for the two tables."""

    def __init__(self, called: str, answers: Mapping[str, Any]) -> None:
        self.__module__, _, self.__qualname__ = called.partition(":")
        self.__name__ = self.__qualname__.rpartition(".")[2]
        self._answers = answers

    def __call__(self, table: str) -> Any:  # noqa: ANN401
        """Return the function's answer for a table."""
        return Limit.of(self._answers[table]).exact
