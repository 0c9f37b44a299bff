"""A policy file: which data, the role of each column, and the limits that a release must keep. So that a pipeline can

    petworks check policy.toml

and a script, to the same answer,

    pw.Policy("policy.toml").check().holds

What the file does not say is not looked for elsewhere; what it says and nobody understands is an error. All problems
are told at once.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast, get_args

from PETWorks.answer.evaluation import Evaluation, Requirement
from PETWorks.errors import ParameterError, PETWorksError, PolicyError, UnknownNameError, did_you_mean, plural
from PETWorks.measure.base import Measure
from PETWorks.measure.parameter import declared, limits
from PETWorks.measure.registry import find, measures
from PETWorks.policy.data import TABLES, read_release
from PETWorks.policy.toml import Problems, Settings, read_toml
from PETWorks.presentation import Language

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

VERSION = 1  # of the format
FORMATS = ("html", "junit", "markdown", "json")


@dataclass(frozen=True)
class Reporting:
    """Which files a check writes, in which language."""

    language: Language | None = None
    files: Mapping[str, Path] = field(default_factory=dict)  # by format
    show_small_classes: bool = False


class Policy:
    """What a release must keep, as a TOML file says it; a `PolicyError` lists all that is wrong with the file."""

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        spark: SparkSession | None = None,
        memory_limit: str | int | None = None,
        temporary: str | os.PathLike[str] | None = None,
    ) -> None:
        self.path = Path(path)
        problems = Problems()
        file = Settings(read_toml(self.path), self.path.name, problems)
        _check_version(file)
        self.title = file.text("title") or ""
        data, roles = file.table("data"), file.table("roles")
        memory = {"memory_limit": memory_limit, "temporary": temporary}
        release = read_release(self.path.parent, data, roles, problems, memory=memory, spark=spark)
        sensitive = roles.names("sensitive")
        self.requirements = tuple(_requirements(file, sensitive, problems))
        named = (self.path.parent / name for table in TABLES if (name := data.text(table)))
        self.inputs = (self.path, *named, *(release.files if release else ()))
        self.report = _reporting(self.path.parent, file.table("report"), self.inputs)
        file.done()
        if release and not problems:
            self.release = release
            return
        for one in self.requirements:
            with problems.gathering():  # the rows may have problems of their own
                _ = release and release.ask(one.measure)
        raise _all_of(problems, self.path.name)

    def check(self) -> Evaluation:
        """Judge the release; one requirement that cannot be evaluated keeps none of the others from being judged."""
        return self.release.check(*self.requirements, title=self.title)

    def __repr__(self) -> str:
        """Name the file and what it requires."""
        return f"<Policy {self.path.name}: {', '.join(one.measure.name for one in self.requirements)}>"


def _check_version(file: Settings) -> None:
    version = file.whole_number("version")
    if version is None and "version" not in file:
        file.refuse("the version of the format is not said", hint=f"say version = {VERSION}, first of all")
    elif version not in (None, VERSION):
        file.refuse(f"version {version} of the format is not known", hint=f"this PETWorks reads version {VERSION}")


def _reporting(folder: Path, report: Settings, inputs: Sequence[Path]) -> Reporting:
    language = cast("Language | None", report.word("language", *get_args(Language)))
    files = {form: folder / name for form in FORMATS if (name := report.text(form))}
    show = report.flag("show_small_classes")
    report.done()
    taken = {path.resolve(): path.name for path in inputs}
    for form, path in files.items():
        if other := taken.get(path.resolve()):
            report.refuse(f"{form} would overwrite {other}", hint="give each file a name of its own")
        taken[path.resolve()] = f"the {form} report"
    return Reporting(language, files, show)


def _requirements(file: Settings, sensitive: Sequence[str], problems: Problems) -> Iterator[Requirement]:
    required = file.tables("require")
    if not required:
        file.refuse("nothing is required", hint='add [[require]] with measure = "k-anonymity" and k = 5, for example')
    for one in required:
        name, why = one.text("measure"), one.text("why") or ""
        if name is None:
            if "measure" not in one:
                one.refuse("no measure is named", hint='say measure = "k-anonymity", for example')
            continue
        with problems.gathering(one.where):
            kind = _kind(name)
            if measure := _measure(kind, one, sensitive, problems):
                yield Requirement(measure, why=why)


def _kind(name: str) -> type[Measure]:
    try:
        return find(name)
    except UnknownNameError as error:
        raise UnknownNameError(f'unknown measure "{name}"', hint=error.hint) from error


def _measure(kind: type[Measure], given: Settings, sensitive: Sequence[str], problems: Problems) -> Measure | None:
    """Make the measure with the limits that must be kept; None if something is wrong with them."""
    before = len(problems)
    known = declared(kind)
    if any(parameter.kind == "function" for parameter in known.values()):
        hint = "a policy file runs no code; evaluate it in Python, with release.check()"
        raise ParameterError(f"{kind.name} needs a function of yours, which a policy cannot pass", hint=hint)
    parameters = {name: value for name, value in given.rest().items() if name in known}
    given.done(*known)
    for name, value in parameters.items():
        with problems.gathering(given.where):
            parameters[name] = _number(kind, name, value) if isinstance(value, dict) else value
            known[name].read(parameters[name], name)
    if (chosen := parameters.get("sensitive")) is not None and chosen not in sensitive:
        given.refuse(f'"{chosen}" is no sensitive attribute', hint=did_you_mean(chosen, sensitive))
    if lacking := [name for name in kind.required() if name not in parameters]:
        given.refuse(f"{kind.name} needs {', '.join(lacking)}")
    if len(problems) > before:
        return None
    measure = kind(**parameters)
    if not measure.judges:
        raise ParameterError(f"{kind.name} judges nothing here: no limit is given", hint=_which_limits(kind))
    return measure


def _number(kind: type[Measure], name: str, given: Mapping[str, Any]) -> Any:  # noqa: ANN401
    """Read a limit that is written with its side: average = { at_most = 0.05 }."""
    if name not in limits(kind):
        raise ParameterError(f"{name} is no limit, so it has no sides", hint=f"say {name} = …; {_which_limits(kind)}")
    side = limits(kind)[name].replace(" ", "_")
    if list(given) != [side]:
        raise ParameterError(f"{name} must be a number or {{ {side} = … }}, not {dict(given)}")
    return given[side]


def _which_limits(kind: type[Measure]) -> str:
    known = [f"{name} ({side})" for name, side in limits(kind).items()]
    if known:
        return f"its limits: {', '.join(known)}"
    judging = ", ".join(name for name, other in measures().items() if limits(other))
    return f"it has no limits; these have: {judging}"


def _all_of(problems: Sequence[PETWorksError], name: str) -> PolicyError:
    """Put problems into one error."""
    first, *others = problems
    if not others:
        return PolicyError(first.problem, where=first.where, hint=first.hint, listed=first.listed, problems=problems)
    listed = "\n  ".join(line for problem in problems for line in str(problem).splitlines())
    return PolicyError(plural(len(problems), "problem"), where=name, hint=listed, problems=problems)
