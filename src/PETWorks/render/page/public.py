"""The page for readers who may not see the table: the answer, the requirements and the measured values, no more."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PETWorks.answer.evaluation import Evaluation
from PETWorks.render.lines import Line, Scribe, scope_of
from PETWorks.render.page.markup import PAGE, Said, name, plain, side_by_side
from PETWorks.render.words import LANGUAGES

SCRIBES = {language: Scribe(language, PAGE) for language in LANGUAGES}


def section(evaluation: Evaluation) -> Mapping[str, Any]:
    """Return what the template shows of a public evaluation."""
    scope = scope_of(evaluation)
    judged = {language: scribe.requirements(evaluation) for language, scribe in SCRIBES.items()}
    others = [result for result in evaluation if result.holds is None]
    measured = {
        language: [line for result in others for line in scribe.measured(result)]
        for language, scribe in SCRIBES.items()
    }
    status = {True: "holds", False: "fails", None: "na"}[evaluation.holds]
    return {
        "status": "fails" if any(one.holds is False for one in evaluation.requirements) else status,
        "headline": side_by_side({language: scribe.answer(evaluation) for language, scribe in SCRIBES.items()}),
        "file": name(scope.name) if scope else "",
        "rows": scope.rows if scope else 0,
        "title": plain(evaluation.title or (scope.name if scope else "")),
        "policy": plain(evaluation.title),
        "judged": _lines(judged),
        "measured": _lines(measured),
    }


def _lines(written: Mapping[str, list[Line]]) -> list[dict[str, Any]]:
    """Return the lines with the texts of all languages side by side."""
    return [
        {
            "verdict": lines[0].verdict,
            **{key: _both(lines, key) for key in ("name", "value", "limit", "detail", "why")},
        }
        for lines in zip(*written.values(), strict=True)
    ]


def _both(lines: tuple[Line, ...], key: str) -> Said:
    return side_by_side({language: getattr(line, key) for language, line in zip(LANGUAGES, lines, strict=True)})
