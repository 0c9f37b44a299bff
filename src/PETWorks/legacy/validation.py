"""Measuring as before: `PETValidation` and `report`, with the arguments and keys that earlier scripts use.

The dictionary that is returned has the full result as an attribute.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

from PETWorks.answer.evaluation import Evaluation
from PETWorks.errors import ParameterError, UnknownNameError, did_you_mean
from PETWorks.legacy.arguments import check_arguments, technique_of, translated
from PETWorks.measure.result import Result
from PETWorks.release import Release
from PETWorks.utility.utility_bias import UtilityBias

Keys = Literal["printed", "new"]
ALWAYS = ("dataHierarchy", "attributeTypes", "key", "pairing")  # accepted for every measure, also where not used


class Answer(dict[str, Any]):
    """A dictionary with the keys of the old interface, and the full `result` as an attribute."""

    def __init__(self, answer: Mapping[str, Any], result: Result) -> None:
        super().__init__(answer)
        self.result = result


@dataclass(frozen=True)
class Technique:
    """How an old name is translated: to a measure, old arguments to its parameters, and its result to the old keys."""

    measure: str
    keys: Mapping[str, str | Callable[[Result], Any]]  # by key, the argument whose value is repeated, or a function
    arguments: Mapping[str, str] = field(default_factory=dict)
    tables: tuple[str, str] = ("original", "table")  # what the first two arguments are
    new_keys: Mapping[str, Callable[[Result], Any]] = field(default_factory=dict)  # added by keys="new"
    every_column: bool = False  # True: every column is a quasi-identifier, whatever roles are given


def _value(result: Result) -> Any:  # noqa: ANN401
    return result.value


def _limit(result: Result) -> Any:  # noqa: ANN401
    return None if result.limit is None else float(result.limit)


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
        new_keys={"isProfitable": _holds},
    ),
    "t-closeness": Technique("t-closeness", {"t": _limit, "fulfill t-closeness": _holds}, {"tLimit": "t"}),
    "k-anonymity": Technique("k-anonymity", {"k": "k", "fulfill k-anonymity": _holds}, {"k": "k"}),
    "l-diversity": Technique("l-diversity", {"l": "l", "fulfill l-diversity": _holds}, {"l": "l"}),
    "Ambiguity": Technique("Ambiguity", {"ambiguity": _value}),
    "d-presence": Technique(
        "δ-presence",
        {"dMin": "dMin", "dMax": "dMax", "d-presence": _holds},
        {"dMin": "d_min", "dMax": "d_max"},
        ("population", "table"),
    ),
    "ReidentificationRisk": Technique(
        "re-identification", {"Re-identification Risk": _value}, tables=("table", "original"), every_column=True
    ),
    "UtilityBias": Technique(
        "utility bias", {"UtilityBias": _holds}, {"processingFunc": "function", "maxBias": "max_bias"}
    ),
}


def PETValidation(  # noqa: N802 (the name is part of the old interface)
    original: Any,  # noqa: ANN401
    anonymized: Any,  # noqa: ANN401
    tech: str,
    *,
    keys: Keys = "printed",
    **arguments: Any,  # noqa: ANN401
) -> Answer:
    """Measure a release with the arguments of the old interface; `tech` names the measure.

    The first table is the original for most measures, the population for "d-presence", and the release itself for
    "ReidentificationRisk", for which every column is a quasi-identifier. With `keys="new"`, keys of newer scripts are
    added: "isProfitable" to "profitability". `key` and `pairing` say how rows of the original pair with released ones.
    """
    if keys not in (known_keys := get_args(Keys)):
        raise ParameterError(f"keys cannot be {keys!r}", hint=did_you_mean(str(keys), known_keys))
    technique = technique_of(tech, TECHNIQUES, "measure")
    check_arguments(tech, arguments, technique.arguments, ALWAYS)
    measure = translated(technique, arguments)
    tables = dict(zip(technique.tables, (original, anonymized), strict=True))
    if isinstance(measure, UtilityBias):  # its function may take objects that are not tables
        result = measure.of_anything(released=tables["table"], original=tables["original"])
    else:
        roles = None if technique.every_column else arguments.get("attributeTypes")
        rows = {name: arguments[name] for name in ("key", "pairing") if name in arguments}
        hierarchies = arguments.get("dataHierarchy")
        release = Release(**tables, **rows, roles=roles, hierarchies=hierarchies, sidecar=not technique.every_column)
        result = release.ask(measure)
    told = {**technique.keys, **(technique.new_keys if keys == "new" else {})}
    answer = {key: arguments[how] if isinstance(how, str) else how(result) for key, how in told.items()}
    return Answer(answer, result)


def report(result: Mapping[str, Any], format: str, file: str | os.PathLike[str] = "output.html") -> str | None:  # noqa: A002 (the name is part of the old interface)
    """Print what `PETValidation` returned as JSON, or write it as a web page and return the path of the page."""
    if format not in (known := ("json", "web")):
        raise UnknownNameError(f'there is no format "{format}"', hint=did_you_mean(str(format), known))
    if format == "json":
        print(json.dumps(result, indent=4))  # noqa: T201
        return None
    if not isinstance(result, Answer):
        problem = f"a web page needs what PETValidation returned, not {type(result).__name__}"
        raise ParameterError(problem, hint='call report(PETValidation(…), "web")')
    Evaluation([result.result]).to_html(file)
    return os.fspath(Path(file).resolve())
