"""Numbers as callers give them to a plan: shares, levels, weights and times."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from PETWorks.errors import ParameterError, shown
from PETWorks.exact.limit import Limit, Number

UNITS = {"": 1, "s": 1, "min": 60, "h": 3600}
_TIME = re.compile(r"(\d+(?:\.\d+)?) ?(s|min|h|)", re.ASCII)


def share_of_rows(given: Any, name: str) -> Limit:  # noqa: ANN401
    """Read the share of rows that may be suppressed, also as a percentage; `name` is the parameter's, for errors."""
    if isinstance(given, str) and given.strip().endswith("%"):
        exact = Limit.of(given.strip().removesuffix("%"), name).exact / 100
        rate = Limit(exact)
    else:
        rate = Limit.of(given, name)
    if not 0 <= rate.exact <= 1:
        problem = f"{name} must be a share of the rows, from 0 to 1, not {shown(given)}"
        raise ParameterError(problem, hint='pass for example "5%" or "1/20"')
    return rate


def levels_of(name: str, given: Mapping[str, int] | None) -> dict[str, int]:
    """Read levels by column; `name` is the parameter's, for errors."""
    for column, level in (found := _mapped(name, given, 2)).items():
        if isinstance(level, bool) or not isinstance(level, int):
            raise ParameterError(f'{name}: the level of "{column}" must be a whole number, not {shown(level)}')
    return found


def weights_of(given: Mapping[str, Number] | None) -> dict[str, Fraction]:
    """Read weights by column."""
    weights = {}
    for name, number in _mapped("weights", given, "1/2").items():
        weights[name] = Limit.of(number, f'the weight of "{name}"').exact
        if not 0 <= weights[name] <= 1:
            raise ParameterError(f'the weight of "{name}" must be from 0 to 1, not {shown(number)}')
    return weights


def seconds_of(given: str | float | None) -> float | None:
    """Read a time: seconds as a number, or text such as "60 s" or "2 min"."""
    if given is None:
        return None
    found = _TIME.fullmatch(given.strip()) if isinstance(given, str) else None
    seconds = float(found[1]) * UNITS[found[2]] if found else given
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 < seconds < float("inf"):
        raise ParameterError(f"time_limit cannot be {shown(given)}", hint='pass for example "60 s" or "2 min"')
    return float(seconds)


def _mapped(name: str, given: Any, example: object) -> dict[str, Any]:  # noqa: ANN401
    if not isinstance(given, Mapping | None):
        hint = f'pass {name}={{"age": {example!r}}}'
        raise ParameterError(f"{name} must map columns to numbers, not {shown(given)}", hint=hint)
    return dict(given or {})
