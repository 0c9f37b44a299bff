"""The old door: `PETValidation` and `report`, with the arguments and keys that earlier scripts use.

Nothing is measured here; names are translated. The dictionary that comes back carries the full result along.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from PETWorks.errors import UnknownNameError, did_you_mean
from PETWorks.registry import find
from PETWorks.release import Release
from PETWorks.result import Result

ALWAYS = ("dataHierarchy", "attributeTypes")  # accepted by every call, needed or not


class Answer(dict[str, Any]):
    """A plain dictionary with the keys of old, and the full `result` they came from."""

    def __init__(self, answer: Mapping[str, Any], result: Result) -> None:
        super().__init__(answer)
        self.result = result


@dataclass(frozen=True)
class Technique:
    """How an old name is asked today: its arguments as parameters, its keys as what they show."""

    measure: str
    keys: Mapping[str, str | Callable[[Result], Any]]  # the name of an argument that is repeated, or what to show
    arguments: Mapping[str, str] = field(default_factory=dict)


def _value(result: Result) -> Any:  # noqa: ANN401
    return result.value


def _holds(result: Result) -> Any:  # noqa: ANN401
    return result.holds


TECHNIQUES = {
    "Precision": Technique("Precision", {"precision": _value}),
    "AECS": Technique("AECS", {"AECS": _value}),
    "Non-Uniform Entropy": Technique("Non-Uniform Entropy", {"Non-Uniform Entropy": _value}),
    "profitability": Technique(
        "profitability",
        {
            "allow attack": "allowAttack",
            "adversary's cost": "adversaryCost",
            "adversary's gain": "adversaryGain",
            "publisher's loss": "publisherLost",
            "publisher's benefit": "publisherBenefit",
            "profitability": _holds,
        },
        {
            "allowAttack": "allow_attack",
            "adversaryCost": "cost",
            "adversaryGain": "gain",
            "publisherLost": "loss",
            "publisherBenefit": "benefit",
        },
    ),
    "t-closeness": Technique("t-closeness", {"t": "tLimit", "fulfill t-closeness": _holds}, {"tLimit": "t"}),
}


def PETValidation(original: Any, anonymized: Any, tech: str, **arguments: Any) -> Answer:  # noqa: ANN401, N802
    """Measure a release as scripts of old ask for it; `tech` names the measure."""
    if tech not in TECHNIQUES:
        raise UnknownNameError(f'there is no measure "{tech}"', hint=did_you_mean(tech, TECHNIQUES))
    technique = TECHNIQUES[tech]
    known = (*technique.arguments, *ALWAYS)
    for name in arguments:
        if name not in known:
            raise UnknownNameError(f'"{tech}" has no argument "{name}"', hint=did_you_mean(name, known))
    if missing := [name for name in technique.arguments if name not in arguments]:
        raise UnknownNameError(f'"{tech}" needs {", ".join(missing)}', hint=f"Known: {', '.join(known)}")
    release = Release(
        anonymized,
        original=original,
        roles=arguments.get("attributeTypes"),
        hierarchies=arguments.get("dataHierarchy"),
    )
    parameters = {new: arguments[old] for old, new in technique.arguments.items()}
    result = release.ask(find(technique.measure)(**parameters))
    answer = {key: arguments[how] if isinstance(how, str) else how(result) for key, how in technique.keys.items()}
    return Answer(answer, result)


def report(result: Mapping[str, Any], format: str) -> None:  # noqa: A002 (the name is part of the old interface)
    """Print what `PETValidation` gave, as JSON."""
    if format not in (known := ("json",)):
        raise UnknownNameError(f'there is no format "{format}"', hint=did_you_mean(str(format), known))
    print(json.dumps(result, indent=4))  # noqa: T201
