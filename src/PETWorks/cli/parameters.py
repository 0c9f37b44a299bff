"""The parameters of measures as options: ``--k``, ``--population-size``, ``--no-allow-attack``.

Each field of each measure is an option. Its value is passed to every evaluated measure that has such a field. Numbers
stay text, so that 2/5 and 0.4 are read exactly.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from PETWorks.cli.parser import OnceFlag
from PETWorks.errors import ParameterError, UnknownNameError, did_you_mean
from PETWorks.measure.base import Measure
from PETWorks.measure.parameter import Parameter, find_parameters, parse_entries
from PETWorks.measure.registry import find, measures
from PETWorks.policy.toml import Problems

PREFIX = "parameter "  # before the names in the argparse namespace, so that they cannot clash with other options
METAVARS = {
    "number": "NUMBER",
    "text": "COLUMN",
    "values": "VALUE",
    "function": "MODULE:NAME",
    "model": "MODULE:NAME",
    "formula": "FORMULA",
    "table": "NAME=NUMBER",
}
TAKEN = {"sensitive": "only-sensitive"}  # other names for parameters whose name is already an option of the table


def write_option(name: str) -> str:
    """Return the option of a parameter.

    >>> write_option("population_size"), write_option("sensitive")
    ('--population-size', '--only-sensitive')
    """
    return f"--{TAKEN.get(name, name).replace('_', '-')}"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add an option for every parameter of every measure."""
    group = parser.add_argument_group("parameters of measures", "Numbers may be written as 0.4 or 2/5.")
    owners: dict[str, list[type[Measure]]] = {}
    for kind in measures().values():
        for name in find_parameters(kind):
            owners.setdefault(name, []).append(kind)
    for name, kinds in owners.items():
        _add(group, name, kinds)


def _add(group: argparse._ArgumentGroup, name: str, kinds: Sequence[type[Measure]]) -> None:
    known = [find_parameters(kind)[name] for kind in kinds]
    options: dict[str, Any] = {"dest": PREFIX + name, "default": argparse.SUPPRESS, "help": _write_help(name, kinds)}
    written = [one.kind for one in known]
    match "values" if "values" in written else written[0]:  # one column is a list of one
        case "flag":
            options["action"] = OnceFlag
        case "word":
            options["choices"] = list(dict.fromkeys(word for one in known for word in one.words))
            options["metavar"] = "WORD"
        case "values" | "table" as kind:
            options |= {"action": "append", "metavar": METAVARS[kind]}
        case kind:
            options["metavar"] = METAVARS[kind]
    group.add_argument(write_option(name), **options)


def _write_help(name: str, kinds: Sequence[type[Measure]]) -> str:
    """Write the help of a parameter: the measures that have it, and its allowed values for each."""
    by_range: dict[str, list[str]] = {}
    for kind in kinds:
        parameter = find_parameters(kind)[name]
        by_range.setdefault(", ".join([*write_bounds(parameter), *parameter.words]), []).append(kind.name)
    texts = [", ".join(names) + (f": {known}" if known else "") for known, names in by_range.items()]
    return "; ".join(texts).replace("%", "%%")


def write_bounds(parameter: Parameter) -> list[str]:
    """Write the bounds of a number."""
    if parameter.least is not None and parameter.most is not None:
        return [f"{parameter.least} to {parameter.most}"]
    known = {"at least": parameter.least, "more than": parameter.above, "at most": parameter.most}
    return [f"{side} {bound}" for side, bound in known.items() if bound is not None]


def collect_parameters(options: argparse.Namespace) -> dict[str, Any]:
    """Return the parameters that the user set, by name."""
    return {name.removeprefix(PREFIX): value for name, value in vars(options).items() if name.startswith(PREFIX)}


def build_measures(names: Sequence[str], parameters: Mapping[str, Any], problems: Problems) -> list[Measure]:
    """Build the named measures with their parameters; without names, all measures that have one of the parameters."""
    asked: list[type[Measure]] = []
    for name in names:
        with problems.gathering():
            asked.append(find(name))
    kinds = list(dict.fromkeys(asked)) if names else list(_find_takers(measures().values(), parameters))
    for name, value in parameters.items():
        if not list(_find_takers(kinds, {name: value})) and len(asked) == len(names):
            problems.add(_build_untaken_error(name, value, kinds))
    found = []
    for kind in kinds:
        with problems.gathering():
            taken = {name: value for name, value in parameters.items() if _takes(kind, name, value)}
            found.append(_build_measure(kind, taken, named=bool(names)))
    return found


def list_unnamed_errors(parameters: Mapping[str, Any]) -> Iterator[ParameterError]:
    """Yield an error for each parameter that belongs to no named measure."""
    for name, value in parameters.items():
        takers = [kind.name for kind in _find_takers(measures().values(), {name: value})]
        yield ParameterError(
            f"{write_option(name)} was given, but no measure is named", hint=f"name one with -m: {', '.join(takers)}"
        )


def _find_takers(kinds: Iterable[type[Measure]], parameters: Mapping[str, Any]) -> Iterator[type[Measure]]:
    for kind in kinds:
        if any(_takes(kind, name, value) for name, value in parameters.items()):
            yield kind


def _takes(kind: type[Measure], name: str, value: Any) -> bool:  # noqa: ANN401
    """Return True if a measure has a parameter and, if that is a choice of words, allows this value."""
    parameter = find_parameters(kind).get(name)
    return parameter is not None and (parameter.kind != "word" or value in parameter.words)


def _build_untaken_error(name: str, value: Any, kinds: Sequence[type[Measure]]) -> UnknownNameError:  # noqa: ANN401
    for kind in kinds:
        if parameter := find_parameters(kind).get(name):
            problem = f'{write_option(name)} of {kind.name} cannot be "{value}"'
            return UnknownNameError(problem, hint=did_you_mean(value, parameter.words))
    takers = [kind.name for kind in _find_takers(measures().values(), {name: value})]
    problem = f"{write_option(name)} was given, but none of the named measures has it"
    return UnknownNameError(problem, hint=f"measures that have it: {', '.join(takers)}")


def _build_measure(kind: type[Measure], parameters: Mapping[str, Any], *, named: bool) -> Measure:
    if lacking := [write_option(name) for name in kind.list_required() if name not in parameters]:
        raise ParameterError(f"{kind.name} {'also ' if parameters else ''}needs {', '.join(lacking)}")
    read = {name: _read(find_parameters(kind)[name], value, write_option(name)) for name, value in parameters.items()}
    try:
        return kind(**read)
    except ParameterError as error:  # about several parameters of this measure together
        error.where = kind.name
        others = [other.name for other in _find_takers(measures().values(), parameters) if other is not kind]
        if others and not named:
            error.hint_template += f"\nor name the measure that you mean: {', '.join(others)}"
        raise


def _read(parameter: Parameter, value: Any, name: str) -> Any:  # noqa: ANN401
    """Read what was typed for a parameter."""
    if parameter.kind == "table":
        value = parse_entries(parameter, value, name)
    elif parameter.kind == "text" and isinstance(value, list):  # another measure takes several columns by this name
        if len(value) > 1:
            raise ParameterError(f"{name} names one column here, not {len(value)}", hint=f"write {name} once")
        (value,) = value
    return parameter.read(value, name)
