"""The section on the sources, clause by clause: what was measured, with its verdict, and what no table can show."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from PETWorks.answer.evaluation import Evaluation
from PETWorks.answer.view import View
from PETWorks.render.clauses import by_source, clause_heads
from PETWorks.render.lines import Scribe
from PETWorks.render.page.markup import PAGE, Said, side_by_side
from PETWorks.render.words import LANGUAGES

SCRIBES = [Scribe(language, PAGE) for language in LANGUAGES]
STATUS = {"unasked": "na"}  # what the page calls verdicts, if other than the command line


def section(view: View) -> Mapping[str, Any]:
    """Return the sources of the view's evaluation."""
    return sourced(view.evaluation)


def sourced(evaluation: Evaluation) -> Mapping[str, Any]:
    """Return the sources, each with a row for each of its clauses; none if no source is named."""
    sources = []
    for several in zip(*(by_source(evaluation, scribe) for scribe in SCRIBES), strict=True):
        rows = [
            {
                "clause": _both(one.clause for one in each),
                "text": _both(one.text for one in each),
                "status": STATUS.get(each[0].verdict, each[0].verdict),
            }
            for each in zip(*(source.clauses for source in several), strict=True)
        ]
        named = [source.name or scribe.say("no_source") for source, scribe in zip(several, SCRIBES, strict=True)]
        sources.append({"name": _both(named), "rows": rows})
    heads = [_both(texts) for texts in zip(*map(clause_heads, SCRIBES), strict=True)]
    return {"sources": sources, "heads": heads[1:]}


def _both(texts: Iterable[str]) -> Said:
    return side_by_side(dict(zip(LANGUAGES, texts, strict=True)))
