"""The requirements, measured on what would be released, and on what there was before classes were suppressed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from PETWorks.answer.requirement import Requirement
from PETWorks.answer.run import judge
from PETWorks.app.screens.explore.state import State
from PETWorks.facts.discretion import name_nothing
from PETWorks.making.exploring import Look
from PETWorks.measure.guard import guarded
from PETWorks.measure.result import Part
from PETWorks.render.lines import HIGHER, Line, Scribe
from PETWorks.render.page.markup import PAGE
from PETWorks.render.page.svg import bullet


@dataclass(frozen=True)
class Goal:
    """A requirement, or a part of it."""

    verdict: str
    name: Markup
    called: str  # what the value is; "" if the name says so
    value: Markup
    limit: Markup
    bar: Markup
    classes: int  # that fail before suppression
    people: int
    detail: Markup  # what fails still, or why it cannot be told


def goals(state: State, look: Look, language: str, least: int) -> tuple[Goal, ...]:
    """Return a line for each limit of each requirement."""
    with state.exploration.lock:
        after = judge(look.released, state.requirements).requirements
        before = judge(look.before, state.requirements).requirements if look.before is not look.released else after
        name_nothing(look.released, least)
        shown = [_guarded(one, least) for one in after]
    scribe = Scribe(language, PAGE)
    found: list[Goal] = []
    for one, other in zip(shown, before, strict=True):
        called = "" if one.measure.fixed_parts else one.measure.words[language].measured
        found += [_goal(line, other, called) for line in scribe.requirement(one)]
    return tuple(found)


def _guarded(one: Requirement, least: int) -> Requirement:
    if one.result is None:
        return one
    return Requirement(one.measure, guarded(one.result, least, explained=False), why=one.why)


def _goal(line: Line, before: Requirement, called: str) -> Goal:
    part, past = _part(line.result, line.part), _part(before.result, line.part)
    drawn = Markup()
    if part is not None and part.limit is not None:
        low = part.side in HIGHER
        drawn = bullet(part.value, float(part.limit), low_is_bad=low, holds=part.holds)
    name, value, limit, detail = map(Markup, (line.name, line.value, line.limit, line.detail))  # escaped by the scribe
    classes, people = (past.failing_classes, past.failing_people) if past is not None else (0, 0)
    return Goal(line.verdict, name, called, value, limit, drawn, classes, people, detail)


def _part(result: object, name: str) -> Part | None:
    parts: dict[str, Part] = getattr(result, "parts", {})
    return parts.get(name, result if isinstance(result, Part) else None)


def holding(shown: Sequence[Goal]) -> int:
    """Return how many hold."""
    return sum(one.verdict == "holds" for one in shown)
