"""The section on what would help: classes to suppress, the column whose generalisation helps most, or two changes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from markupsafe import Markup

from PETWorks.answer.advice import Advice
from PETWorks.answer.remedies import Remedy
from PETWorks.answer.requirement import Requirement
from PETWorks.answer.view import View
from PETWorks.measure.base import Measure
from PETWorks.privacy.k_anonymity import KAnonymity
from PETWorks.render.page.markup import Both, markup_of, say, title_of
from PETWorks.render.page.requirements import limit_of, markup_of_title
from PETWorks.render.page.svg import bar
from PETWorks.render.words import LANGUAGES, words

MOST = 20  # the most columns in the table; the others are folded


def section(view: View) -> Mapping[str, Any]:
    """Return the remedies as cards, and, by column, who would still fail if that column were generalised further."""
    if (advice := view.advice) is None:
        return {"cards": [], "untold": False, "columns": [], "folded": [], "failing": []}
    named = [*advice.suppress, *advice.generalise[:1], *([advice.combined] if advice.combined else [])]
    cards = [_card(view, advice, remedy) for remedy in named]
    judged = [number for number, one in enumerate(view.evaluation.requirements) if _counts_people(one)]
    rows = [_row(view, remedy, judged) for remedy in advice.generalise] if judged else []
    headings = [_heading(view.evaluation.requirements[number]) for number in judged]
    results = [view.evaluation.requirements[number].result for number in judged]
    released = [_cell(view, result.failing_people, "d2") for result in results if result]
    return {
        "cards": cards,
        "untold": advice.untold,
        "failing": headings,
        "columns": rows[:MOST],
        "folded": rows[MOST:],
        "released": released,
    }


def _heading(requirement: Requirement) -> Markup:
    """Write the title of a requirement, with its limit if it has one."""
    result = requirement.result
    limit = Markup("") if result is None or result.limit is None else Markup(" · ") + limit_of(result)
    return markup_of_title(requirement) + limit


def _counts_people(requirement: Requirement) -> bool:
    return requirement.holds is False and requirement.measure.family == "privacy"


def _card(view: View, advice: Advice, remedy: Remedy) -> dict[str, Any]:
    """Write what a remedy changes, whom it concerns, and what holds after it."""
    figures = {"classes": remedy.classes, "people": remedy.people, "share": remedy.people / view.scope.everybody}
    if remedy.lifts:
        title = say("combine" if remedy.classes else "generalise", lifts=remedy.lifts)
    elif remedy.only:
        small = all(isinstance(one, KAnonymity) for one in remedy.only)
        title = say("suppress_small" if small else "suppress_some", measures=_titles(remedy.only))
    else:
        title = say("suppress_failing")
    texts = [say("concerned", **figures)] if remedy.classes else []
    if remedy.lifts and not remedy.classes:
        texts.append(say("left_failing", people=advice.failing_people, left=remedy.failing_people))
        texts += [say("further_suppressed", **figures)] if remedy.people else []
    return {"title": title, "texts": [*texts, *_after(view, remedy)]}


def _titles(measures: Sequence[Measure]) -> Both:
    """Write the titles of some measures."""
    titles = {one: [measure.words[one].title for measure in measures] for one in LANGUAGES}
    return Both({one: words(one).separator.join(listed) for one, listed in titles.items()})


def _after(view: View, remedy: Remedy) -> Iterator[Markup]:
    """Yield sentences on the verdicts after a remedy, and on its cost."""
    unasked = "" if remedy.evaluated == len(remedy.after) else "_unasked"
    if remedy.failing:
        first = next(one for one in remedy.after if one.holds is False)
        figures = {"fails": remedy.failing, "all": remedy.evaluated, "measure": title_of(first.measure)}
        yield say(f"then_fails{unasked}", **figures)
    else:
        yield say(f"then_holds{unasked}")
    before = view.advice.precision if view.advice else None
    if view.has_original and before is not None and remedy.precision is not None:
        yield say("then_precision", before=before, after=remedy.precision)


def _row(view: View, remedy: Remedy, judged: list[int]) -> dict[str, Any]:
    cells = [_cell(view, remedy.after[number].failing_rows) for number in judged]
    return {"name": markup_of(remedy.lifts), "cells": cells}


def _cell(view: View, people: int, kind: str = "d1") -> dict[str, Any]:
    most = max(one.result.failing_people for one in view.evaluation.requirements if one.result)
    return {"people": people, "bar": bar(people / most if most else 0, kind)}
