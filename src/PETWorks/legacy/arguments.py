"""The arguments of the old interface: which a technique takes, and the measure that they are translated to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol, TypeVar

from PETWorks.errors import ParameterError, UnknownNameError, did_you_mean
from PETWorks.measure.base import Measure
from PETWorks.measure.parameter import declared
from PETWorks.measure.registry import find


class Translated(Protocol):
    """How an old name is translated: to a measure, and old arguments to its parameters."""

    @property
    def measure(self) -> str:
        """The name of the measure."""

    @property
    def arguments(self) -> Mapping[str, str]:
        """By old argument, the parameter."""


T = TypeVar("T")


def technique_of(tech: object, techniques: Mapping[str, T], what: str) -> T:
    """Return the technique with this name; `what` is what errors call one."""
    if not isinstance(tech, str) or tech not in techniques:
        raise UnknownNameError(f'there is no {what} "{tech}"', hint=did_you_mean(tech, techniques))
    return techniques[tech]


def check_arguments(tech: str, given: Mapping[str, Any], needed: Iterable[str], others: Iterable[str]) -> None:
    """Raise an error for arguments that a technique does not take, and for those that it needs and lacks."""
    needed = tuple(needed)
    known = (*needed, *others)
    for name in given:
        if name not in known:
            raise UnknownNameError(f'"{tech}" has no argument "{name}"', hint=did_you_mean(name, known))
    if missing := [name for name in needed if name not in given]:
        raise UnknownNameError(f'"{tech}" needs {", ".join(missing)}', hint=f"its arguments: {', '.join(known)}")


def translated(technique: Translated, arguments: Mapping[str, Any]) -> Measure:
    """Build the measure; errors name the arguments as the caller did."""
    kind = find(technique.measure)
    parameters = declared(kind)
    for old, new in technique.arguments.items():
        if arguments[old] is None:
            raise ParameterError(f"{old} must not be None")
        parameters[new].read(arguments[old], old)
    return kind(**{new: arguments[old] for old, new in technique.arguments.items()})
