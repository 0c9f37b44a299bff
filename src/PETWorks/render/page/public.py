"""The page for readers who may not see the table: the answer, the requirements and the measured values, no more."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version
from typing import Any

from PETWorks.answer.evaluation import Evaluation
from PETWorks.answer.view import by_verdict
from PETWorks.measure.result import Result
from PETWorks.render.below import told_below
from PETWorks.render.lines import Scribe
from PETWorks.render.page.answer import counted, headline
from PETWorks.render.page.clauses import sourced
from PETWorks.render.page.markup import PAGE, Said, name, noted, openings, plain, side_by_side, warnings
from PETWorks.render.page.requirements import entry_of
from PETWorks.render.parts import lined
from PETWorks.render.words import LANGUAGES

SCRIBES = [Scribe(language, PAGE) for language in LANGUAGES]


def section(evaluation: Evaluation) -> Mapping[str, Any]:
    """Return what the template shows of a public evaluation."""
    scope = evaluation.all_results[0].scope
    status, said = headline(evaluation.requirements, scope, len(evaluation))
    return {
        "status": status,
        "headline": said,
        "openings": openings(evaluation.warnings),
        "warnings": [*warnings(evaluation.warnings), *noted(told_below(evaluation))],
        "file": name(scope.name),
        "counted": counted(scope.known),
        "scope": _both([scribe.scope(scope) for scribe in SCRIBES]),
        "title": plain(evaluation.title or scope.name),
        "policy": plain(evaluation.title),
        "entries": [entry_of(one, {}) for one in by_verdict(evaluation.requirements)],
        "measured": [line for one in evaluation if one.holds is None for line in _measured(one)],
        "heads": [_both([scribe.say(key) for scribe in SCRIBES]) for key in ("measure", "measured_head")],
        "clauses": sourced(evaluation),
        "version": version("petworks"),
    }


def _measured(result: Result) -> Iterator[dict[str, Any]]:
    """Yield the values of a result without a limit, each with the better direction."""
    for (_, part), *lines in zip(lined(result), *(scribe.measured(result) for scribe in SCRIBES), strict=True):
        yield {
            "name": _both([line.name for line in lines]),
            "value": _both([line.value for line in lines]),
            "better": _both([scribe.better(part) for scribe in SCRIBES]),
            "warnings": warnings(result.notes, brief=True),
        }


def _both(texts: Sequence[str]) -> Said:
    return side_by_side(dict(zip(LANGUAGES, texts, strict=True)))
