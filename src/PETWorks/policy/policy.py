"""A policy file: which data, the role of each column, and the limits that a release must keep. A pipeline runs

    petworks check policy.toml

and a script gets the same verdict from

    pw.Policy("policy.toml").check().holds

Settings come from this file only, not from a YAML file beside the table. An unknown key is an error. All problems are
reported at once.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast, get_args

from PETWorks.answer.evaluation import Evaluation
from PETWorks.answer.requirement import Requirement
from PETWorks.errors import ParameterError, PETWorksError, PolicyError, UnknownNameError, did_you_mean, plural, shown
from PETWorks.facts.record import PolicyInput
from PETWorks.measure.base import Measure
from PETWorks.measure.parameter import declared, limits
from PETWorks.measure.registry import find, measures
from PETWorks.policy.data import TABLES, read_release
from PETWorks.policy.toml import Problems, Settings, read_toml
from PETWorks.presentation import Audience, Language
from PETWorks.render.atomic_write import resolved
from PETWorks.sources.source import file_digest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

VERSION = 1  # version of the file format
FORMATS = ("html", "junit", "markdown", "json")


@dataclass(frozen=True)
class Reporting:
    """The report files that a check writes, their language, and who may read them."""

    language: Language | None = None
    files: Mapping[str, Path] = field(default_factory=dict)  # by format
    show_small_classes: bool = False
    audience: Audience | None = None  # None: as is usual for each format


class Policy:
    """The requirements of a TOML file, and the release it names; a `PolicyError` lists all problems of the file.

    Files are looked for relative to the policy, or where the function `located` finds the names that the policy has.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        spark: SparkSession | None = None,
        memory_limit: str | int | None = None,
        temporary: str | os.PathLike[str] | None = None,
        located: Callable[[str], Path] | None = None,
    ) -> None:
        self.path = Path(path)
        problems = Problems()
        file = Settings(read_toml(self.path), self.path.name, problems)
        self._input = PolicyInput(self.path.name, file_digest(self.path))
        _check_version(file)
        self.title = file.text("title") or ""
        data, roles = file.table("data"), file.table("roles")
        memory = {"memory_limit": memory_limit, "temporary": temporary}
        release = read_release(self.path.parent, data, roles, problems, memory=memory, spark=spark, located=located)
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
            with problems.gathering():  # also report problems of the rows, which are found by evaluating
                _ = release and release.ask(one.measure)
        raise _all_of(problems, self.path.name)

    def check(self) -> Evaluation:
        """Evaluate all requirements. If one cannot be evaluated, its problem is kept and the others still are."""
        evaluation = self.release.check(*self.requirements, title=self.title)
        evaluation.policy = self._input
        return evaluation

    def __repr__(self) -> str:
        """Name the file and what it requires."""
        return f"<Policy {self.path.name}: {', '.join(one.measure.name for one in self.requirements)}>"


def _check_version(file: Settings) -> None:
    version = file.whole_number("version")
    if version is None and "version" not in file:
        file.refuse('missing key "version"', hint=f"add version = {VERSION} as the first line")
    elif version not in (None, VERSION):
        file.refuse(
            f"unknown version {shown(version)} of the file format", hint=f"this PETWorks reads version {VERSION}"
        )


def _reporting(folder: Path, report: Settings, inputs: Sequence[Path]) -> Reporting:
    language = cast("Language | None", report.word("language", *get_args(Language)))
    files = {form: folder / name for form in FORMATS if (name := report.text(form))}
    show = report.flag("show_small_classes")
    audience = cast("Audience | None", report.word("audience", *get_args(Audience)))
    report.done()
    if show and audience == "public":
        hint = 'leave out show_small_classes = true or audience = "public"'
        report.refuse("small classes are not for the public", hint=hint)
    taken = {resolved(path): path.name for path in inputs}
    for form, path in files.items():
        if other := taken.get(resolved(path)):
            report.refuse(f"{form} would overwrite {other}", hint="give each file a name of its own")
        taken[resolved(path)] = f"the {form} report"
    return Reporting(language, files, show, audience)


def _requirements(file: Settings, sensitive: Sequence[str], problems: Problems) -> Iterator[Requirement]:
    required = file.tables("require")
    if not required:
        hint = 'add [[require]] with measure = "k-anonymity" and k = 5, for example'
        file.refuse("there is no requirement", hint=hint)
    for one in required:
        name, why = one.text("measure"), one.text("why") or ""
        if name is None:
            if "measure" not in one:
                one.refuse('missing key "measure"', hint='add measure = "k-anonymity", for example')
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
    """Build the measure with its limits; return None after adding what is wrong to `problems`."""
    before = len(problems)
    known = declared(kind)
    if any(parameter.kind == "function" for parameter in known.values()):
        hint = "evaluate it in Python, with release.check(): a policy file runs no code"
        raise ParameterError(f"{kind.name} needs a Python function, which a policy file cannot pass", hint=hint)
    parameters = {name: value for name, value in given.rest().items() if name in known}
    given.done(*known)
    for name, value in parameters.items():
        with problems.gathering(given.where):
            parameters[name] = _number(kind, name, value) if isinstance(value, dict) else value
            known[name].read(parameters[name], name)
    if (chosen := parameters.get("sensitive")) is not None and chosen not in sensitive:
        given.refuse(f'"{chosen}" is not a sensitive attribute', hint=did_you_mean(chosen, sensitive))
    if lacking := [name for name in kind.required() if name not in parameters]:
        given.refuse(f"{kind.name} needs {', '.join(lacking)}")
    if len(problems) > before:
        return None
    measure = kind(**parameters)
    if not measure.judges:
        raise ParameterError(f"no limit is given for {kind.name}", hint=_which_limits(kind))
    return measure


def _number(kind: type[Measure], name: str, given: Mapping[str, Any]) -> Any:  # noqa: ANN401
    """Return the number of a limit that is written with its side: average = { at_most = 0.05 }."""
    if name not in limits(kind):
        hint = f"write {name} = …; {_which_limits(kind)}"
        raise ParameterError(f"{name} is not a limit, so it cannot be written as {dict(given)}", hint=hint)
    side = limits(kind)[name].replace(" ", "_")
    if list(given) != [side]:
        raise ParameterError(f"{name} must be a number or {{ {side} = … }}, not {dict(given)}")
    return given[side]


def _which_limits(kind: type[Measure]) -> str:
    known = [f"{name} ({side})" for name, side in limits(kind).items()]
    if known:
        return f"its limits: {', '.join(known)}"
    judging = ", ".join(name for name, other in measures().items() if limits(other))
    return f"it has no limits; measures with limits: {judging}"


def _all_of(problems: Sequence[PETWorksError], name: str) -> PolicyError:
    """Combine all problems into one error."""
    first, *others = problems
    if not others:
        return PolicyError(first.problem, where=first.where, hint=first.hint, listed=first.listed, problems=problems)
    listed = "\n  ".join(line for problem in problems for line in str(problem).splitlines())
    return PolicyError(plural(len(problems), "problem"), where=name, hint=listed, problems=problems)
