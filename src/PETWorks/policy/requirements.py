"""The requirements of a policy file: measures with their limits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, get_args

from PETWorks.answer.requirement import NotShown, Requirement
from PETWorks.errors import ParameterError, UnknownNameError, did_you_mean
from PETWorks.facts.notes import Name, Note, Reason
from PETWorks.measure.base import Measure
from PETWorks.measure.parameter import declared, limits
from PETWorks.measure.registry import find, measures
from PETWorks.policy.looking import findable
from PETWorks.policy.toml import Problems, Settings
from PETWorks.presentation import Language


def read_requirements(file: Settings, sensitive: Sequence[str], problems: Problems) -> Iterator[Requirement]:
    """Yield the requirements under [[require]]; add what is wrong with others to `problems`."""
    required = file.tables("require")
    if not required:
        hint = 'add [[require]] with measure = "k-anonymity" and k = 5, for example'
        file.refuse("there is no requirement", hint=hint)
    for one in required:
        name, why = one.text("measure"), one.text("why") or ""
        source, clause = one.text("source") or "", one.text("clause") or ""
        changed = one.tables("changed")
        if name is None:
            if "measure" not in one:
                one.refuse('missing key "measure"', hint='add measure = "k-anonymity", for example')
            continue
        with problems.gathering(one.where):
            kind = _kind(name)
            if measure := _measure(kind, one, sensitive, problems):
                why = with_changes(why, measure, [_change(kind, other) for other in changed])
                yield Requirement(measure, why=why, source=source, clause=clause)


def read_not_shown(file: Settings) -> Iterator[NotShown]:
    """Yield what is under [[not_shown]]; a text that is not given by language is the same in all."""
    for one in file.tables("not_shown"):
        source, clause = one.text("source") or "", one.text("clause") or ""
        what, looks_for = one.spoken("what", get_args(Language)), tuple(one.names("looks_for"))
        for name in (name for name in looks_for if name not in findable()):
            one.refuse(f'an inspection does not look for "{name}"', hint=did_you_mean(name, findable()))
        if "what" not in one:
            one.refuse('missing key "what"', hint='add what = "the contract with the recipient", for example')
        one.done()
        yield NotShown(what, source, clause, looks_for)


def read_removed(file: Settings, problems: Problems) -> Iterator[Note]:
    """Yield what is under [[removed]], requirements that were given up: every output begins with them."""
    for one in file.tables("removed"):
        name, why = one.text("measure"), one.text("why")
        for key in ("measure", "why"):
            if key not in one:
                one.refuse(f'missing key "{key}"', hint="say which requirement was removed, and why")
        with problems.gathering(one.where):
            if name is None or why is None:
                continue
            kind = _kind(name)
            limits_before = ", ".join(f"{key} {_shown(value)}" for key, value in one.rest().items())
            one.done(*declared(kind), "source", "clause", "changed")
            figures = {"measure": Name(f"{kind.name} ({limits_before})" if limits_before else kind.name)}
            yield Note("removed_requirement", {**figures, "why": Reason(why)}, warning=True, leading=True)


def with_changes(why: str, measure: Measure, changes: Sequence[Mapping[str, Any]]) -> str:
    """Write why a limit is what it is, after what it was before and why it was changed, so that no report omits it.

    Each change has the values before it, and its reason as "why". Its signs are the same in every language.

    >>> with_changes("the board", find("t-closeness")(t="0.5"), [{"t": "0.3", "why": "first release"}])
    'the board; t 0.3 → 0.5: first release'
    """
    now: dict[str, Any] = {name: getattr(measure, name) for name in declared(type(measure))}
    told = list[str]()
    for change in reversed(changes):
        steps = [f"{name} {_shown(value)} → {_shown(now[name])}" for name, value in change.items() if name in now]
        told.insert(0, f"{', '.join(steps)}: {change['why']}")
        now |= {name: value for name, value in change.items() if name in now}
    return "; ".join([*filter(None, [why]), *told])


def _shown(value: Any) -> str:  # noqa: ANN401
    return "–" if value in (None, "") else str(value)


def _change(kind: type[Measure], given: Settings) -> dict[str, Any]:
    """Read what a limit was, and why it was changed; an empty text stands for a limit that was not set."""
    why = given.text("why")
    if why is None and "why" not in given:
        given.refuse('missing key "why"', hint='add why = "the review board decided so", for example')
    before = {name: value for name, value in given.rest().items() if name in declared(kind)}
    given.done(*declared(kind))
    if not before:
        given.refuse("nothing is said to have changed", hint=_which_limits(kind))
    return {**before, "why": why or ""}


def _kind(name: str) -> type[Measure]:
    try:
        return find(name)
    except UnknownNameError as error:
        raise UnknownNameError(f'unknown measure "{name}"', hint=error.hint) from error


def _measure(kind: type[Measure], given: Settings, sensitive: Sequence[str], problems: Problems) -> Measure | None:
    """Build the measure with its limits; return None after adding what is wrong to `problems`."""
    before = len(problems)
    known = declared(kind)
    if any(parameter.kind == "function" for parameter in known.values()):
        hint = "evaluate it in Python, with release.check(): a policy file runs no code"
        raise ParameterError(f"{kind.name} needs a Python function, which a policy file cannot pass", hint=hint)
    parameters = {name: value for name, value in given.rest().items() if name in known}
    given.done(*known)
    for name, value in parameters.items():
        with problems.gathering(given.where):
            sided = isinstance(value, dict) and known[name].kind != "table"
            parameters[name] = _number(kind, name, value) if sided else value
            known[name].read(parameters[name], name)
    if (chosen := parameters.get("sensitive")) is not None and chosen not in sensitive:
        given.refuse(f'"{chosen}" is not a sensitive attribute', hint=did_you_mean(chosen, sensitive))
    if lacking := [name for name in kind.required() if name not in parameters]:
        given.refuse(f"{kind.name} needs {', '.join(lacking)}")
    if len(problems) > before:
        return None
    measure = kind(**parameters)
    if not measure.judges:
        raise ParameterError(f"no limit is given for {kind.name}", hint=_which_limits(kind))
    return measure


def _number(kind: type[Measure], name: str, given: Mapping[str, Any]) -> Any:  # noqa: ANN401
    """Return the number of a limit that is written with its side: average = { at_most = 0.05 }."""
    if name not in limits(kind):
        hint = f"write {name} = …; {_which_limits(kind)}"
        raise ParameterError(f"{name} is not a limit, so it cannot be written as {dict(given)}", hint=hint)
    side = limits(kind)[name].replace(" ", "_")
    if list(given) != [side]:
        raise ParameterError(f"{name} must be a number or {{ {side} = … }}, not {dict(given)}")
    return given[side]


def _which_limits(kind: type[Measure]) -> str:
    known = [f"{name} ({side})" for name, side in limits(kind).items()]
    if known:
        return f"its limits: {', '.join(known)}"
    judging = ", ".join(name for name, other in measures().items() if limits(other))
    return f"it has no limits; measures with limits: {judging}"
