"""Which parameters of a measure are limits, and on which side of them its values must be.

Measures do not declare that; they are asked, about a table of four people, with a parameter and without it. What they
judge with it and not without it, they judge by it.

>>> from PETWorks.measure.registry import find
>>> limits(find("δ-presence"))
{'d_min': 'at least', 'd_max': 'at most'}
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from typing import Any

from PETWorks.errors import PETWorksError
from PETWorks.exact.limit import Limit
from PETWorks.measure.base import Measure
from PETWorks.measure.parameter import declared
from PETWorks.release import Release

SMALL: dict[str, Any] = {"year": ["1970", "1970", "1980", "1980"], "salary": ["1", "2", "1", "2"]}
TREES = {"year": [("1970", "*"), ("1980", "*")], "salary": [("1", "*"), ("2", "*")]}


@lru_cache
def limits(kind: type[Measure]) -> Mapping[str, str]:
    """Give the limits of a measure, each with its side: at most, at least, less than, more than."""
    found = {}
    for name, parameter in declared(kind).items():
        if parameter.kind == "number" and not parameter.required and (side := _side(kind, name)):
            found[name] = side
    return found


def judges(measure: Measure) -> bool:
    """Whether a measure, with the parameters it has, judges anything."""
    try:
        whole = replace(measure, sensitive=None) if hasattr(measure, "sensitive") else measure  # type: ignore[call-arg]
        return bool(_judged(whole))
    except PETWorksError:  # it asks for something that the small table has not
        return any(getattr(measure, name) is not None for name in limits(type(measure)))


def _side(kind: type[Measure], name: str) -> str:
    required = {one: value for one, value in kind.examples[0].items() if one in kind.required()}
    for parameters in (required, *kind.examples):
        without = {one: value for one, value in parameters.items() if one != name}
        with suppress(PETWorksError):
            judged = _judged(kind(**without, **{name: parameters.get(name, 1)}))
            for side, _ in judged - _judged(kind(**without)):
                return side
    return ""


def _judged(measure: Measure) -> set[tuple[str, Limit]]:
    """Ask a measure about the small table; give the sides and limits by which it judges that."""
    result = _small().ask(measure)
    return {(str(part.side), part.limit) for part in (result, *result.parts.values()) if part.limit is not None}


@lru_cache
def _small() -> Release:
    roles: dict[str, Any] = {"quasi_identifiers": ["year"], "sensitive": ["salary"]}
    return Release(SMALL, original=SMALL, population=SMALL, hierarchies=TREES, **roles)
