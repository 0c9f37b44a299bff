"""The old interface: functions with the names, arguments and results that earlier scripts use.

`PETValidation` and `report` evaluate a release; `PETAnonymization` and `output` make one. They only translate old names
and arguments to measures and their parameters.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal, Protocol, TypeVar, get_args

from PETWorks.anonymization.make import by_role, make, population_recoding, require_part
from PETWorks.anonymization.plan import SearchSettings
from PETWorks.anonymization.release_facts import RecodingMap
from PETWorks.anonymization.table import RawTable
from PETWorks.anonymization.writing import ReleaseWriter
from PETWorks.errors import GoalError, ParameterError, UnknownNameError, did_you_mean, show_value
from PETWorks.evaluation.evaluation import Evaluation
from PETWorks.evaluation.release import Release
from PETWorks.facts.notes import Note
from PETWorks.facts.roles import Role, combine_roles, read_role
from PETWorks.facts.sidecar import find_sidecar
from PETWorks.measure.base import Measure
from PETWorks.measure.parameter import find_parameters
from PETWorks.measure.registry import find
from PETWorks.measure.result import Result
from PETWorks.measure.risk.attribute_disclosure import AttributeDisclosure
from PETWorks.measure.risk.linkability import Linkability
from PETWorks.measure.risk.membership_risk import MembershipRisk
from PETWorks.measure.risk.replicated_uniques import ReplicatedUniques
from PETWorks.measure.utility.utility_bias import UtilityBias
from PETWorks.render.atomic_write import replace_atomically
from PETWorks.settings.kinds import Share
from PETWorks.tables.opening import OpenedTable, open_source


class Translation(Protocol):
    """The translation of an old name to a measure, and of old arguments to its parameters."""

    @property
    def measure(self) -> str:
        """The name of the measure."""

    @property
    def arguments(self) -> Mapping[str, str]:
        """By old argument, the parameter."""


T = TypeVar("T")


def find_technique(tech: object, techniques: Mapping[str, T], what: str) -> T:
    """Return the technique with this name; `what` is the word for a technique in errors."""
    if not isinstance(tech, str) or tech not in techniques:
        raise UnknownNameError(f'there is no {what} "{tech}"', hint=did_you_mean(tech, techniques))
    return techniques[tech]


def check_arguments(tech: str, given: Mapping[str, Any], needed: Iterable[str], others: Iterable[str]) -> None:
    """Raise an error for arguments that a technique does not take, and for missing ones."""
    needed = tuple(needed)
    known = (*needed, *others)
    for name in given:
        if name not in known:
            raise UnknownNameError(f'"{tech}" has no argument "{name}"', hint=did_you_mean(name, known))
    if missing := [name for name in needed if name not in given]:
        raise UnknownNameError(f'"{tech}" needs {", ".join(missing)}', hint=f"its arguments: {', '.join(known)}")


def translate(technique: Translation, arguments: Mapping[str, Any]) -> Measure:
    """Build the measure; errors use the old names of arguments."""
    kind = find(technique.measure)
    parameters = find_parameters(kind)
    for old, new in technique.arguments.items():
        if arguments[old] is None:
            raise ParameterError(f"{old} must not be None")
        parameters[new].read(arguments[old], old)
    return kind(**{new: arguments[old] for old, new in technique.arguments.items()})


Keys = Literal["printed", "new"]
ACCEPTED_ARGUMENTS = ("dataHierarchy", "attributeTypes", "key", "pairing")  # accepted for every measure, even if unused


class LegacyAnswer(dict[str, Any]):
    """A dictionary with the keys of the old interface, and the full `result` as an attribute, or several `results`."""

    def __init__(self, answer: Mapping[str, Any], *results: Result) -> None:
        super().__init__(answer)
        self.results = results

    @property
    def result(self) -> Result:
        """The full result, or the first of several."""
        return self.results[0]


@dataclass(frozen=True)
class Technique:
    """The translation of an old name to a measure, of its arguments to parameters, and of its result to old keys."""

    measure: str
    keys: Mapping[str, str | Callable[[Result], Any]]  # by key, the repeated argument, or a function
    arguments: Mapping[str, str] = field(default_factory=dict)
    tables: tuple[str, str] = ("original", "table")  # the meaning of the first two arguments
    new_keys: Mapping[str, Callable[[Result], Any]] = field(default_factory=dict)  # added by keys="new"
    every_column: bool = False  # True: every column is a quasi-identifier, whatever roles are given


def _read_value(result: Result) -> Any:  # noqa: ANN401
    return result.value


def _read_limit(result: Result) -> Any:  # noqa: ANN401
    return None if result.limit is None else float(result.limit)


def _read_verdict(result: Result) -> Any:  # noqa: ANN401
    return result.holds


TECHNIQUES = {
    "Precision": Technique("Precision", {"precision": _read_value}),
    "AECS": Technique("AECS", {"AECS": _read_value}),
    "Non-Uniform Entropy": Technique("Non-Uniform Entropy", {"Non-Uniform Entropy": _read_value}),
    "profitability": Technique(
        "profitability",
        {
            "allow attack": "allowAttack",
            "adversary's cost": "adversaryCost",
            "adversary's gain": "adversaryGain",
            "publisher's loss": "publisherLost",
            "publisher's benefit": "publisherBenefit",
            "profitability": _read_verdict,
        },
        {
            "allowAttack": "allow_attack",
            "adversaryCost": "cost",
            "adversaryGain": "gain",
            "publisherLost": "loss",
            "publisherBenefit": "benefit",
        },
        new_keys={"isProfitable": _read_verdict},
    ),
    "t-closeness": Technique("t-closeness", {"t": _read_limit, "fulfill t-closeness": _read_verdict}, {"tLimit": "t"}),
    "k-anonymity": Technique("k-anonymity", {"k": "k", "fulfill k-anonymity": _read_verdict}, {"k": "k"}),
    "l-diversity": Technique("l-diversity", {"l": "l", "fulfill l-diversity": _read_verdict}, {"l": "l"}),
    "Ambiguity": Technique("Ambiguity", {"ambiguity": _read_value}),
    "d-presence": Technique(
        "δ-presence",
        {"dMin": "dMin", "dMax": "dMax", "d-presence": _read_verdict},
        {"dMin": "d_min", "dMax": "d_max"},
        ("population", "table"),
    ),
    "ReidentificationRisk": Technique(
        "re-identification", {"Re-identification Risk": _read_value}, tables=("table", "original"), every_column=True
    ),
    "UtilityBias": Technique(
        "utility bias", {"UtilityBias": _read_verdict}, {"processingFunc": "function", "maxBias": "max_bias"}
    ),
}


NO_CONTROL = "Cannot be told"  # of membership, without people who took no part
MIA = "Does the data processed with differential privacy"
MAIN, CONTROL, BASELINE = (f"Success rate of {attack} attack" for attack in ("main", "control", "baseline"))
RARE = Fraction(1, 1000)  # so seldom chance places as many members among the highest scores
ATTACKS: Mapping[str, tuple[str, ...]] = {  # techniques on releases whose rows do not pair, and their arguments
    "SinglingOutRisk": ("n_col",),
    "LinkabilityRisk": ("auxiliaryColumns",),
    "InferenceRisk": (),
    "MIATest": (),
}


def judge_attack(tech: str, synthetic: Any, original: Any, keys: Keys, arguments: Mapping[str, Any]) -> LegacyAnswer:  # noqa: ANN401
    """Evaluate a synthetic table beside its original and, if there is one, a hold-out (`control`).

    `nAttack` changes nothing: everybody of the original is looked at, and of the hold-out.
    """
    needed = ["auxiliaryColumns"] if tech == "LinkabilityRisk" else []
    check_arguments(tech, arguments, needed, [*ATTACKS[tech], "control", "nAttack", *ACCEPTED_ARGUMENTS])
    control = arguments.get("control")
    release = Release(
        synthetic,
        original=original,
        holdout=control,
        synthetic=True,
        hierarchies=arguments.get("dataHierarchy"),
        sidecar=False,
    )
    everybody = (Note("everybody_tried"),) if "nAttack" in arguments else ()

    def ask(measure: Measure) -> Result:
        result = release.ask(measure)
        return replace(result, notes=(*result.notes, *everybody))

    if tech == "MIATest":
        return _judge_membership(None if control is None else ask(MembershipRisk()), keys)
    if tech == "InferenceRisk":
        names = release.facts.comparable
        others = {name: [one for one in names if one != name] for name in names}
        found = {name: ask(AttributeDisclosure(target=[name], keys=known)) for name, known in others.items()}
        rates = {name: _read_rates(result, keys, baseline="mode") for name, result in found.items()}
        return LegacyAnswer(
            {key: {name: one[key] for name, one in rates.items()} for key in _list_keys(keys)}, *found.values()
        )
    if tech == "SinglingOutRisk":
        result = ask(ReplicatedUniques(ways=arguments.get("n_col")))
    else:
        first, second = _read_auxiliary(arguments["auxiliaryColumns"])
        result = ask(Linkability(first=first, second=second))
    return LegacyAnswer(_read_rates(result, keys), result)


def _read_auxiliary(given: Any) -> tuple[Any, Any]:  # noqa: ANN401
    if isinstance(given, str) or not isinstance(given, Sequence) or len(given) != 2:  # noqa: PLR2004 (two groups)
        problem = f"auxiliaryColumns must be two lists of columns, not {show_value(given)}"
        raise ParameterError(problem, hint='pass for example (["age"], ["zip", "job"])')
    return given[0], given[1]


def _list_keys(keys: Keys) -> Sequence[str]:
    return (MAIN, CONTROL, BASELINE, *(("excess", "excess at most", "p") if keys == "new" else ()))


def _read_rates(result: Result, keys: Keys, baseline: str = "") -> dict[str, float | None]:
    """Return the shares of people whom an attack flags, in original and hold-out, and those of blind guesses."""
    parts, seen = result.parts, "hold-out" in result.parts
    excess = parts["excess"].figures if seen else {}
    blind = float(result.figures[baseline]) if baseline else None
    main = excess["a"] / excess["n"] if seen else result.value
    answer = {MAIN: main, CONTROL: parts["hold-out"].value if seen else None, BASELINE: blind}
    new = {"excess": "excess", "excess at most": "excess at most", "p": "chance"} if keys == "new" else {}
    return answer | {key: parts[name].value if seen else None for key, name in new.items()}


def _judge_membership(result: Result | None, keys: Keys) -> LegacyAnswer:
    """Return "No" if members can be told from others: a table can refute differential privacy, but never prove it."""
    if result is None:
        return LegacyAnswer({MIA: NO_CONTROL, **({"AUC": None, "TPR at 1% FPR": None} if keys == "new" else {})})
    told = result.figures["above"] == "yes" or Fraction(result.parts["top"].best_known or 0) <= RARE
    answer: dict[str, Any] = {MIA: "No" if told else "Possibly Yes"}
    if keys == "new":
        answer |= {"AUC": result.value, "TPR at 1% FPR": result.parts["TPR"].value, "p": result.parts["top"].value}
    return LegacyAnswer(answer, result)


def PETValidation(  # noqa: N802 (the name is part of the old interface)
    original: Any,  # noqa: ANN401
    anonymized: Any,  # noqa: ANN401
    tech: str,
    *,
    keys: Keys = "printed",
    **arguments: Any,  # noqa: ANN401
) -> LegacyAnswer:
    """Evaluate a release with the arguments of the old interface; `tech` names the measure.

    The first table is the original for most measures, the population for "d-presence", and the release itself for
    "ReidentificationRisk", for which every column is a quasi-identifier. For "SinglingOutRisk", "LinkabilityRisk",
    "InferenceRisk" and "MIATest" it is the synthetic table, the second its original, and `control` the hold-out. With
    `keys="new"`, keys of newer scripts are added: "isProfitable" to "profitability". `key` and `pairing` say how rows
    of the original pair with released ones.
    """
    if keys not in (known_keys := get_args(Keys)):
        raise ParameterError(f"keys cannot be {keys!r}", hint=did_you_mean(str(keys), known_keys))
    if tech in ATTACKS:
        return judge_attack(tech, original, anonymized, keys, arguments)
    if tech not in TECHNIQUES:
        raise UnknownNameError(f'there is no measure "{tech}"', hint=did_you_mean(tech, [*TECHNIQUES, *ATTACKS]))
    technique = TECHNIQUES[tech]
    check_arguments(tech, arguments, technique.arguments, ACCEPTED_ARGUMENTS)
    measure = translate(technique, arguments)
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
    return LegacyAnswer(answer, result)


def report(result: Mapping[str, Any], format: str, file: str | os.PathLike[str] = "output.html") -> str | None:  # noqa: A002 (the name is part of the old interface)
    """Print the result of `PETValidation` as JSON, or write it as a web page and return the path of the page."""
    if format not in (known := ("json", "web")):
        raise UnknownNameError(f'there is no format "{format}"', hint=did_you_mean(str(format), known))
    if format == "json":
        print(json.dumps(result, indent=4))  # noqa: T201
        return None
    if not isinstance(result, LegacyAnswer):
        problem = f"a web page needs what PETValidation returned, not {type(result).__name__}"
        raise ParameterError(problem, hint='call report(PETValidation(…), "web")')
    if not result.results:
        raise ParameterError("nothing was measured, so there is no page", hint="pass control=, the hold-out")
    Evaluation(result.results).to_html(file)
    return os.fspath(Path(file).resolve())


RATE = "maxSuppressionRate"
DATA = ("dataHierarchy", "attributeTypes")  # from the YAML beside the data, if not passed
SUBSET = "subsetData"


@dataclass(frozen=True)
class Model:
    """The translation of an old name to the measure that is the goal, and of old arguments to its parameters."""

    measure: str
    arguments: Mapping[str, str]
    sensitive: bool = False  # True: sensitive attributes are judged; otherwise they are insensitive
    of_subset: bool = False  # True: a subset of the rows is released, and the data is its population


MODELS = {
    "k-anonymity": Model("k-anonymity", {"k": "k"}),
    "l-diversity": Model("l-diversity", {"l": "l"}, sensitive=True),
    "t-closeness": Model("t-closeness", {"t": "t"}, sensitive=True),
    "d-presence": Model("δ-presence", {"dMin": "d_min", "dMax": "d_max"}, of_subset=True),
}


def PETAnonymization(  # noqa: N802 (the name is part of the old interface)
    originalData: Any,  # noqa: ANN401, N803
    tech: str,
    *settings: Any,  # noqa: ANN401
    **arguments: Any,  # noqa: ANN401
) -> Any:  # noqa: ANN401 (a pandas frame)
    """Make a release with the arguments of the old interface, as a pandas frame of text; `tech` names the model.

    `dataHierarchy`, `attributeTypes` and `maxSuppressionRate` follow, by position or name; without the first two, roles
    and hierarchies are those of the YAML beside the data. The models are "k-anonymity" (`k`), "l-diversity" (`l`),
    "t-closeness" (`t`) and "d-presence" (`dMin`, `dMax`, and `subsetData`: the rows of the data that are released; the
    data is their population, and is returned as a whole). Columns without a role become "*".
    """
    model = find_technique(tech, MODELS, "privacy model")
    given = _name_arguments(settings, arguments)
    check_arguments(tech, given, (*model.arguments, *([SUBSET] if model.of_subset else []), RATE), DATA)
    goal, rate = translate(model, given), Share().read(given[RATE], RATE)
    beside = find_sidecar(originalData)
    roles = combine_roles(given.get("attributeTypes"), None, None, None, None) or (beside.roles if beside else [])
    hierarchies = given.get("dataHierarchy")
    if hierarchies is None and beside:
        hierarchies = beside.hierarchies
    data = OpenedTable(originalData, open_source(originalData, "originalData"))
    columns = by_role(data.source, [(name, _read_role(role, model)) for name, role in roles], "identifier")
    original = _open_original(data, hierarchies, **columns)
    plan = SearchSettings(goals=(goal,), suppress_at_most=rate, utility=None, allow_few=True)
    try:
        if model.of_subset:
            recoding = _release_subset(original, data, given[SUBSET], hierarchies, plan)
        else:
            recoding = make(original, plan).recoding
    except GoalError as error:
        hint = f"ask for less, or raise {RATE}"
        raise GoalError(error.template, where=error.where, hint=hint, figures=error.figures) from error
    return ReleaseWriter(data.source, original.roles, recoding).frame("pandas", as_text=True)


def _name_arguments(settings: Sequence[Any], arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Name the arguments that were passed by position: the rate alone, or hierarchies, roles and rate."""
    names = (RATE,) if len(settings) == 1 and RATE not in arguments else (*DATA, RATE)
    if len(settings) > len(names):
        problem = f"{len(settings)} arguments are passed by position after tech, but there are at most {len(names)}"
        raise ParameterError(problem, hint=f"these are {', '.join(names)}; pass the others by name")
    named = dict(zip(names, settings, strict=False))
    if twice := [name for name in named if name in arguments]:
        raise ParameterError(f"{twice[0]} is passed twice, by position and by name")
    return {**named, **arguments}


def _read_role(given: object, model: Model) -> Role:
    role = read_role(given)
    hidden = role is Role.SENSITIVE_ATTRIBUTE and not model.sensitive
    return Role.INSENSITIVE_ATTRIBUTE if hidden else role


def _open_original(table: OpenedTable, hierarchies: Any, **settings: Any) -> Release:  # noqa: ANN401
    """Build a release of a table that is its own original, without the YAML beside it, which was read before."""
    return Release(table, original=table, hierarchies=hierarchies, pairing="position", sidecar=False, **settings)


def _release_subset(
    original: Release,
    data: OpenedTable,
    subset: Any,  # noqa: ANN401
    hierarchies: Any,  # noqa: ANN401
    plan: SearchSettings,
) -> RecodingMap:
    """Make the release of a subset, judged against all of the data, and generalise all of the data like it."""
    part = OpenedTable(subset, open_source(subset, SUBSET))
    columns = original.roles.quasi_identifiers
    sample = _open_original(part, hierarchies, population=data, quasi_identifiers=columns)
    require_part(part.source, data.source, SUBSET)
    made = make(sample, plan)
    return population_recoding(RawTable.of(original.facts), made.levels, made.facts)


def output(frame: Any, path: str | os.PathLike[str]) -> None:  # noqa: ANN401
    """Write the result of `PETAnonymization` to a CSV file with semicolons, whole or not at all."""
    if not hasattr(frame, "to_csv"):
        raise ParameterError(f"output needs what PETAnonymization returned, not {show_value(frame)}")
    with replace_atomically(path) as file:
        frame.to_csv(file, sep=";", index=False, encoding="utf-8", lineterminator="\n")
