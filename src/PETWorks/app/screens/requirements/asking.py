"""Requirements as a draft holds them: read from forms, and judged by the library, which knows what is allowed."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from PETWorks.app.desk import Desk
from PETWorks.app.forms import Form
from PETWorks.app.project.draft import Draft
from PETWorks.app.screens.requirements.fields import PREFIX
from PETWorks.errors import PETWorksError, UnknownNameError
from PETWorks.explain.step import Name
from PETWorks.facts.notes import Reason
from PETWorks.facts.roles import Role
from PETWorks.measure.base import Measure
from PETWorks.measure.parameter import Parameter, declared, limits
from PETWorks.measure.registry import find
from PETWorks.measure.typed import typed
from PETWorks.policy.faults import faults
from PETWorks.policy.fill_in import FILL_IN
from PETWorks.policy.writing import Figure

DECIMAL = re.compile(r"[+-]?(0|[1-9][0-9]*)\.[0-9]+", re.ASCII)  # a decimal number that TOML can hold as such
TEXTS = ("why", "source", "clause")
LONGEST = 2000  # characters of a text
Content = Mapping[str, Any]


def kind_of(content: Content) -> type[Measure] | None:
    """Return the measure of a requirement; None if it is not installed."""
    try:
        return find(str(content.get("measure", "")))
    except UnknownNameError:
        return None


def given_to(kind: type[Measure], content: Content) -> dict[str, Any]:
    """Return the parameters that a requirement sets; a limit that is written with its side is a number."""
    return {name: _number(content[name], one) for name, one in declared(kind).items() if name in content}


def measure_of(content: Content) -> Measure | None:
    """Return the measure with its limits; None if something is open or wrong."""
    kind = kind_of(content)
    if kind is None or is_open(content):
        return None
    try:
        measure = kind(**given_to(kind, content))
    except PETWorksError:
        return None
    return measure if measure.judges else None


def is_open(content: Content) -> bool:
    """Return True if something must still be filled in: a value of a template, or the first limit."""
    kind = kind_of(content)
    if kind is None:
        return True
    given = given_to(kind, content).values()
    if any(one == FILL_IN or (isinstance(one, Mapping) and FILL_IN in one.values()) for one in given):
        return True
    limited = kind.always_judges or any(content.get(name) is not None for name in limits(kind))
    return not limited or any(content.get(name) is None for name in kind.required())


def sensitive_of(desk: Desk) -> list[str]:
    """Return the sensitive attributes."""
    return [name for name, role in desk.draft.roles.items() if role is Role.SENSITIVE_ATTRIBUTE]


def lifted(content: Content, sensitive: Sequence[str]) -> list[str]:
    """Return the sensitive attributes of which a requirement needs a hierarchy."""
    if (kind := kind_of(content)) is None:
        return []
    given = given_to(kind, content)
    if not any(given.get(name) == word for name, word in kind.by_hierarchy.items()):
        return []
    return [name for name in sensitive if given.get("sensitive") in (None, name)]


def explored(desk: Desk) -> bool:
    """Return True if somebody has seen what the limits cost: levels or candidates were chosen, or looked for."""
    making = desk.draft.making
    seen = (entry.change.kind.startswith("explore_") for entry in desk.project.journal.entries)
    return bool(making.get("levels") or making.get("pinned")) or any(seen)


def new(kind: type[Measure]) -> dict[str, Any]:
    """Return a requirement of a measure with all that must be set left open."""
    return {"measure": kind.name, **dict.fromkeys(kind.required(), FILL_IN)}


@dataclass(frozen=True)
class Answer:
    """What a form says: the requirement, texts as typed, and what is wrong with it."""

    content: Mapping[str, Any]
    texts: Mapping[str, str]
    others: Mapping[str, str]
    wrong: Mapping[str, PETWorksError]
    changed: Mapping[str, Any]  # parameters that are not as they were: what they were


def answer_of(form: Form, before: Content, kind: type[Measure], sensitive: Sequence[str]) -> Answer:
    """Read a form; `before` is the requirement as it was."""
    before = {**before, **given_to(kind, before)}
    given, texts, wrong = dict[str, Any](), dict[str, str](), dict[str, PETWorksError]()
    for name, parameter in declared(kind).items():
        texts[name] = text = _text(form, name, parameter)
        try:
            value = _figure(typed(parameter, text, name))
        except PETWorksError as error:
            wrong[name], value = error, text
        if value is None and before.get(name) == FILL_IN:
            value = FILL_IN
        if value is not None and (parameter.required or value != parameter.default):
            given[name] = value
    wrong = {**faults(kind, given, sensitive), **wrong}
    others = {key: " ".join(form.get(key).split())[:LONGEST] for key in (*TEXTS, "reason")}
    told = {key: others[key] for key in TEXTS if others[key]}
    kept = {"changed": before["changed"]} if "changed" in before else {}
    content = {"measure": before["measure"], **given, **told, **kept}
    return Answer(content, texts, others, wrong, _changed(kind, before, content))


def _changed(kind: type[Measure], before: Content, after: Content) -> dict[str, Any]:
    """Return the parameters that are no longer what they were; an empty text stands for one that was not set.

    Not only limits weaken a requirement: so does the sensitive attribute that it is restricted to, or its form.
    """
    was = {name: before.get(name) for name in declared(kind) if before.get(name) != FILL_IN}
    return {name: "" if value is None else value for name, value in was.items() if str(value) != str(after.get(name))}


def with_reason(answer: Answer) -> dict[str, Any]:
    """Return the requirement with what its limits were, and why they were changed."""
    change = {**answer.changed, "why": answer.others["reason"]}
    return {**answer.content, "changed": [*answer.content.get("changed", []), change]}


def given_up(before: Sequence[Content], after: Sequence[Content]) -> list[Content]:
    """Return the requirements that were set, and are no more; where some were still open, nothing was asked yet."""
    kept = [_asked(one) for one in after]
    return [one for one in before if not is_open(one) and _asked(one) not in kept]


def with_removed(draft: Draft, gone: Sequence[Content], reason: str) -> Draft:
    """Return a draft that says which requirements were given up, and why, so that every report tells it."""
    told = [{**_asked(one), "why": reason} for one in gone]
    return draft.with_section("removed", [*draft.content.get("removed", ()), *told])


def removed_of(draft: Draft) -> list[tuple[Name, Reason]]:
    """Return the requirements that were given up, as they were, and why."""
    found = []
    for one in draft.content.get("removed", ()):
        was = ", ".join(f"{name} {value}" for name, value in one.items() if name not in ("measure", *TEXTS))
        found.append(
            (Name(f"{one.get('measure', '')} ({was})" if was else one.get("measure", "")), Reason(one.get("why", "")))
        )
    return found


def _asked(content: Content) -> dict[str, Any]:
    """Return what a requirement asks, without its reasons."""
    return {name: value for name, value in content.items() if name not in (*TEXTS, "changed")}


def _text(form: Form, name: str, parameter: Parameter) -> str:
    if parameter.kind != "table":
        return form.get(PREFIX + name)
    pairs = zip(form.all(f"{PREFIX}{name}_name"), form.all(f"{PREFIX}{name}_number"), strict=False)
    lines = [(key.strip(), number.strip()) for key, number in pairs if key.strip() or number.strip()]
    return "\n".join(
        key if key in parameter.words and number in ("", "1") else f"{key} = {number}" for key, number in lines
    )


def _figure(value: Any) -> Any:  # noqa: ANN401
    """Return a decimal number so that a policy holds it without quotes."""
    if isinstance(value, Mapping):
        return {name: _figure(one) if one != "" else FILL_IN for name, one in value.items()}
    return Figure(value) if isinstance(value, str) and DECIMAL.fullmatch(value) else value


def _number(value: Any, parameter: Parameter) -> Any:  # noqa: ANN401
    """Return the number of a limit that is written with its side: average = { at_most = 0.05 }."""
    return next(iter(value.values()), None) if parameter.side and isinstance(value, Mapping) else value
