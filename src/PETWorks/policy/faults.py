"""What is wrong with a requirement before it is part of a policy, by parameter: a form says it beside the field."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from PETWorks.errors import ParameterError, PETWorksError, did_you_mean
from PETWorks.measure.base import Measure
from PETWorks.measure.parameter import declared, limits
from PETWorks.policy.fill_in import FILL_IN

WHOLE = ""  # the key of what is wrong with the requirement as a whole


def faults(kind: type[Measure], given: Mapping[str, Any], sensitive: Sequence[str]) -> dict[str, PETWorksError]:
    """Return what is wrong with parameters as a policy holds them, by name. What is still to be filled in is not.

    >>> from PETWorks import TCloseness
    >>> str(faults(TCloseness, {"t": "1.2"}, ["salary"])["t"])
    "t must be at least 0 and at most 1, not '1.2'"
    """
    known, found = declared(kind), dict[str, PETWorksError]()
    for name, value in given.items():
        if value != FILL_IN and name in known and not _is_open(value):
            try:
                known[name].read(value, name)
            except PETWorksError as error:
                found[name] = error
    if (chosen := given.get("sensitive")) is not None and chosen not in sensitive:
        found["sensitive"] = ParameterError(
            f'"{chosen}" is not a sensitive attribute', hint=did_you_mean(chosen, sensitive)
        )
    for name in kind.required():
        if given.get(name) is None:
            found[name] = ParameterError(f"{kind.name} needs {name}")
    if not found and not any(map(_is_open, given.values())):
        try:
            measure = kind(**{name: value for name, value in given.items() if name in known})
        except PETWorksError as error:
            return {WHOLE: error}
        if not measure.judges:
            named = ", ".join(limits(kind))
            found[WHOLE] = ParameterError(f"no limit is given for {kind.name}", hint=f"state at least one of: {named}")
    return found


def _is_open(value: Any) -> bool:  # noqa: ANN401
    """Return True if a value, or one within it, is still to be filled in."""
    return any(map(_is_open, value.values())) if isinstance(value, Mapping) else value == FILL_IN
