"""What would help: classes to suppress, or the column whose complete generalisation helps most."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from markupsafe import Markup

from PETWorks.answer.advice import Remedy, failing_people
from PETWorks.answer.evaluation import Requirement
from PETWorks.explain.step import Name
from PETWorks.measure.privacy import Privacy
from PETWorks.render.page.markup import name, say, title_of
from PETWorks.render.page.requirements import limit_of, markup_of_title
from PETWorks.render.page.svg import bar
from PETWorks.render.page.view import View

MOST = 20  # columns in the table; the rest is folded


def section(view: View) -> Mapping[str, Any]:
    """Give the remedies as cards, and people that would still fail if one column were generalised completely."""
    if (advice := view.advice) is None:
        return {"cards": [], "columns": [], "folded": [], "failing": []}
    cards = [_suppress(view, remedy) for remedy in advice.suppress]
    if advice.generalise:
        cards.append(_generalise(view, advice.generalise[0]))
    judged = [number for number, one in enumerate(view.evaluation.requirements) if _counts_people(one)]
    rows = [_row(view, remedy, judged) for remedy in advice.generalise] if judged else []
    headings = [_heading(view.evaluation.requirements[number]) for number in judged]
    released = [_cell(view, view.evaluation.requirements[number], "d2") for number in judged]
    return {
        "cards": cards,
        "failing": headings,
        "columns": rows[:MOST],
        "folded": rows[MOST:],
        "released": released,
    }


def _heading(requirement: Requirement) -> Markup:
    """Name a requirement with its limit, where it has one."""
    result = requirement.result
    limit = Markup("") if result is None or result.limit is None else Markup(" · ") + limit_of(result)
    return markup_of_title(requirement) + limit


def _counts_people(requirement: Requirement) -> bool:
    return requirement.holds is False and isinstance(requirement.measure, Privacy)


def _suppress(view: View, remedy: Remedy) -> dict[str, Any]:
    figures = {"classes": remedy.classes, "people": remedy.people, "share": remedy.people / view.scope.rows}
    return {"title": say(remedy.kind), "texts": [say("concerned", **figures), *_after(view, remedy)]}


def _generalise(view: View, remedy: Remedy) -> dict[str, Any]:
    before = failing_people(view.evaluation.requirements, view.facts)
    text = say("left_failing", people=before, left=remedy.failing_people)
    return {"title": say("generalise", column=Name(remedy.column)), "texts": [text, *_after(view, remedy)]}


def _after(view: View, remedy: Remedy) -> Iterator[Markup]:
    """Say how the requirements would come out, and what it would cost."""
    if remedy.failing:
        first = next(one for one in remedy.after if not one.holds)
        yield say("then_fails", fails=remedy.failing, all=len(remedy.after), measure=title_of(first.measure))
    else:
        yield say("then_holds")
    before = view.advice.precision if view.advice else None
    if view.facts.original is not None and before is not None and remedy.precision is not None:
        yield say("then_precision", before=before.value, after=remedy.precision.value)


def _row(view: View, remedy: Remedy, judged: list[int]) -> dict[str, Any]:
    return {"name": name(remedy.column), "cells": [_cell(view, remedy.after[number]) for number in judged]}


def _cell(view: View, requirement: Requirement, kind: str = "d1") -> dict[str, Any]:
    people = requirement.result.failing_rows if requirement.result else 0
    most = max(one.result.failing_rows for one in view.evaluation.requirements if one.result)
    return {"people": people, "bar": bar(people / most if most else 0, kind)}
