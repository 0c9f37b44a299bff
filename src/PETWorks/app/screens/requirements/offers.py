"""What may be added to the requirements: templates by who receives the table, and measures of the three families."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from PETWorks.answer.run import why_not
from PETWorks.app.answering import Say
from PETWorks.app.screens.requirements.asking import kind_of
from PETWorks.facts.facts import Facts
from PETWorks.measure.base import Measure
from PETWorks.measure.parameter import declared, limits
from PETWorks.measure.registry import measures
from PETWorks.policy.fill_in import FILL_IN
from PETWorks.policy.templates.template import Template, templates
from PETWorks.render.words import words

FAMILIES = ("privacy", "risk", "utility")


@dataclass(frozen=True)
class Tile:
    """A template to start from."""

    name: str
    title: Markup
    about: str
    sets: tuple[tuple[str, str], ...]  # titles of measures, with what is set, or "" for what is open
    sources: tuple[str, ...]
    used: bool


@dataclass(frozen=True)
class Offer:
    """A measure that can be added, or the reason why not."""

    name: str
    title: str
    about: str
    reason: Markup | None


def tiles(asked: Sequence[Mapping[str, Any]], language: str, say: Say) -> list[Tile]:
    """Return the templates; `asked` are the requirements that are set."""
    return [_tile(one, asked, language, say) for one in templates().values()]


def _tile(template: Template, asked: Sequence[Mapping[str, Any]], language: str, say: Say) -> Tile:
    sets = list[tuple[str, str]]()
    for one in template.asked:
        kind = kind_of(one.content)
        assert kind is not None  # noqa: S101 (templates are ours)
        given = {name: one.content.get(name) for name in limits(kind)}
        values = [f"{name} {value}" for name, value in given.items() if value not in (None, FILL_IN)]
        sets.append((kind.words[language].title, ", ".join(values)))
    used = all(any(_is_of(content, one.content) for content in asked) for one in template.asked)
    title, about = say(f"requirements_template_{template.name}"), words(language).templates[template.name]
    return Tile(template.name, title, about, tuple(sets), template.sources, used)


def _is_of(content: Mapping[str, Any], template: Mapping[str, Any]) -> bool:
    """Return True if a requirement is one of a template, whatever its limits and what was to be filled in are."""
    kind = kind_of(template)
    free = limits(kind) if kind else ()
    fixed = {key: value for key, value in template.items() if key not in free and value != FILL_IN}
    return all(_named(content.get(key)) == _named(value) for key, value in fixed.items())


def _named(value: Any) -> Any:  # noqa: ANN401
    """Return the names of a table, whose numbers may be anything; a word alone is one that is certain."""
    return {*value} if isinstance(value, Mapping) else {value} if isinstance(value, str) else value


def offers(facts: Facts | None, language: str, say: Say) -> dict[str, list[Offer]]:
    """Return the measures by family; without facts, nobody knows yet what the table has."""
    found: dict[str, list[Offer]] = {family: [] for family in FAMILIES}
    for kind in measures().values():
        own = kind.words[language]
        about = own.page.summary if own.page else (kind.__doc__ or "").strip().partition("\n")[0]
        reason = _why_not(kind, facts, say)
        found.setdefault(kind.family, []).append(Offer(kind.name, heading(kind, language), about, reason))
    return found


def _why_not(kind: type[Measure], facts: Facts | None, say: Say) -> Markup | None:
    """Say why a measure cannot be asked; None if it can be."""
    if any(one.kind == "function" for one in declared(kind).values()):
        return say("requirements_cannot_function")
    if not limits(kind) and not kind.always_judges:
        return say("requirements_cannot_no_limit")
    note = facts and why_not(kind, facts, with_parameters=True)
    return say(f"requirements_cannot_{note.kind}") if note else None


def heading(measure: Measure | type[Measure], language: str) -> str:
    """Return the title of a measure; a word begins with a capital letter, a symbol stays (k-anonymity)."""
    title = measure.words[language].title
    return title[0].upper() + title[1:] if title[:2].isalpha() else title
