"""What a person types into a field for a parameter, as the plain value that a policy holds, and back.

Numbers stay text, so that 2/5 and 0.4 are read exactly; whole ones become whole numbers. Nothing is checked here but
the form of a table: `Parameter.read` says what is allowed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from PETWorks.errors import ParameterError
from PETWorks.measure.parameter import Parameter

WHOLE = re.compile(r"[+-]?[0-9]{1,18}", re.ASCII)


def typed(parameter: Parameter, text: str, name: str) -> Any:  # noqa: ANN401
    """Return the value that a policy holds; None if nothing was typed.

    >>> [typed(Parameter("number"), text, "t") for text in (" 5 ", "2/5", "")]
    [5, '2/5', None]
    """
    given = text.strip()
    if parameter.kind == "flag":
        return given == "true"
    if not given:
        return None
    match parameter.kind:
        case "number" if WHOLE.fullmatch(given):
            return int(given)
        case "values":
            return [line.strip() for line in given.splitlines() if line.strip()]
        case "table":
            found = entries(parameter, [line for line in map(str.strip, given.splitlines()) if line], name)
            return next(iter(found)) if len(found) == 1 and next(iter(found)) in parameter.words else found
    return given


def entries(parameter: Parameter, lines: Sequence[str], name: str) -> dict[str, Any]:
    """Return a table that was typed entry by entry: NAME=NUMBER, NAME.KEY=NUMBER, or a word that may stand alone.

    >>> known = Parameter("table", words=("public",))
    >>> entries(known, ["public", "insider = 0.05", "friend.prevalence=0.01", "friend.acquaintances=150"], "attempts")
    {'public': 1, 'insider': '0.05', 'friend': {'prevalence': '0.01', 'acquaintances': '150'}}
    """
    found: dict[str, Any] = {}
    for entry in lines:
        key, given, number = (part.strip() for part in entry.rpartition("="))
        if not given and entry not in parameter.words:
            raise ParameterError(f'{name} must be NAME=NUMBER, not "{entry}"', hint=f"write {name} insider=0.05")
        if "=" in key:
            parts = " ".join(f"{name} {part.strip()}" for part in entry.split(","))
            raise ParameterError(f'{name} must be NAME=NUMBER, not "{entry}"', hint=f"write {parts}")
        outer, _, inner = (key or entry).partition(".")
        place, last = (found.setdefault(outer, {}), inner) if inner else (found, outer)
        if not isinstance(place, dict) or last in place:
            raise ParameterError(f'{name} has the name "{outer}" twice', hint="state it once")
        place[last] = number if given else 1
    return found


def as_typed(value: Any) -> str:  # noqa: ANN401
    """Write a value of a policy as it is typed into a field.

    >>> as_typed({"insider": "0.05", "friend": {"prevalence": "0.01"}}).splitlines(), as_typed(None)
    (['insider = 0.05', 'friend.prevalence = 0.01'], '')
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        lines = []
        for name, one in value.items():
            inner = (
                {f"{name}.{key}": number for key, number in one.items()} if isinstance(one, Mapping) else {name: one}
            )
            lines += [f"{key} = {number}" for key, number in inner.items()]
        return "\n".join(lines)
    return "\n".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
