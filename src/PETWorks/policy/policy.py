"""A policy file: which data, the role of each column, and the limits that a release must keep. A pipeline runs

    petworks check policy.toml

and a script gets the same verdict from

    pw.Policy("policy.toml").check().holds

Settings come from this file only, not from a YAML file beside the table. An unknown key is an error. All problems are
reported at once.

A policy file as a recipe: the original that it names becomes the release that it requires.

The original of a policy that is still being written: a release of itself, before there are requirements.

The candidates that a policy has pinned: each made from the original, and all of them compared.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, cast, get_args

from PETWorks.anonymization.anonymized_table import AnonymizedTable, apply_plan_settings
from PETWorks.anonymization.compare import compare
from PETWorks.anonymization.make import make
from PETWorks.anonymization.plan import Plan
from PETWorks.anonymization.search import Listener
from PETWorks.anonymization.table import RawTable
from PETWorks.errors import ParameterError, PETWorksError, PolicyError, plural, show_value
from PETWorks.evaluation.comparison.comparison import Comparison
from PETWorks.evaluation.evaluation import Evaluation
from PETWorks.evaluation.release import Release
from PETWorks.facts.memo import Memo
from PETWorks.facts.notes import Note
from PETWorks.facts.record import PolicyInput
from PETWorks.inspection.uniqueness import warn_of_identifiers
from PETWorks.policy.data import ROLES, TABLES, Making, Pinned, read_release
from PETWorks.policy.looking import looked_for
from PETWorks.policy.requirements import read_not_shown, read_removed, read_requirements, unfilled
from PETWorks.policy.toml import Problems, Settings, read_toml
from PETWorks.presentation import Audience, Language
from PETWorks.render.atomic_write import resolve_path
from PETWorks.render.output_format import list_format_names
from PETWorks.tables.source import compute_digest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

VERSION = 1  # version of the file format
REPORT_FORMATS = ("html", "junit", "markdown", "json")  # the order in which they are written; others follow


@dataclass(frozen=True)
class Reporting:
    """The report files that a check writes, their language, and who may read them."""

    language: Language | None = None
    files: Mapping[str, Path] = field(default_factory=dict)  # by format
    show_small_classes: bool = False
    audience: Audience | None = None  # None: as is usual for each format


class PolicyFile(ABC):
    """A policy file that was read: its requirements, and how its release is made. A `PolicyError` lists all problems.

    Files are looked for relative to the policy, or where the function `located` finds the names that the policy has.
    """

    main: ClassVar[str]  # the table that the file is read for: "released", or "original"

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        spark: SparkSession | None = None,
        memory_limit: str | int | None = None,
        temporary: str | os.PathLike[str] | None = None,
        located: Callable[[str], Path] | None = None,
        instead: Mapping[str, Any] | None = None,  # parameters of `plan`, used instead of those of the file
        released: str | os.PathLike[str] | None = None,  # the released table, instead of that of the file
    ) -> None:
        self.path = Path(path)
        folder, problems = self.path.parent, Problems()
        content, text = read_toml(self.path)
        if released is not None and isinstance(data := content.setdefault("data", {}), dict):
            data["released"] = str(Path(released).absolute())
            data["sha256"] = {name: one for name, one in data.get("sha256", {}).items() if name != "released"}
        if blanks := unfilled(content, text, self.path.name):
            raise all_of(blanks, self.path.name)
        file = Settings(content, self.path.name, problems)
        self.input = PolicyInput(self.path.name, compute_digest(self.path))
        _check_version(file)
        self.title = file.text("title") or ""
        data, roles, trees = file.table("data"), file.table("roles"), file.table("hierarchies")
        memory = self._memory = {"memory_limit": memory_limit, "temporary": temporary}
        release = read_release(
            folder, data, roles, trees, problems, main=self.main, memory=memory, spark=spark, located=located
        )
        named = {role: roles.names(role) for role in ROLES}
        self.requirements = tuple(read_requirements(file, named["sensitive"], problems))
        self.not_shown = tuple(read_not_shown(file))
        removed = tuple(read_removed(file, problems))
        self.makes = "anonymize" in file
        goals, section = [one.measure for one in self.requirements], file.table("anonymize")
        self.making = Making(section, goals, problems, partial(self._check_columns, release), instead or {})
        known = {name.strip() for names in named.values() for name in names}
        self.rest = [name for name in release._tables.release.columns if name not in known] if release else []  # noqa: SLF001 (of our own)
        self.named = {table: folder / name for table in TABLES if (name := data.text(table))}
        self.inputs = (self.path, *self.named.values(), *(release.files if release else ()))
        self.report = _reporting(folder, file.table("report"), self.inputs)
        file.done()
        if release is None or problems:
            if release:  # also report problems of the rows, which are found by evaluating
                self._read_rows(release, problems)
            raise all_of(problems, self.path.name)
        self._release = _remarking(release, removed)

    @abstractmethod
    def _check_columns(self, release: Release | None, plan: Plan) -> None:
        """Raise an error if a plan is about columns or levels that the table does not have."""

    @abstractmethod
    def _read_rows(self, release: Release, problems: Problems) -> None:
        """Add the problems of the rows."""


class Policy(PolicyFile):
    """The requirements of a TOML file, and the release it names; a `PolicyError` lists all problems of the file."""

    main = "released"

    @cached_property
    def release(self) -> Release:
        """The release that the file names; if the file says how it is made, it is read as it was written."""
        plan = self.making.plan
        release = apply_plan_settings(self._release, plan) if self.makes and plan else self._release
        return _remarking(release, [*self._published_identifiers(release)])

    def _published_identifiers(self, release: Release) -> Iterator[Note]:
        """Yield the warning that identifiers are in the release as they are; a pipe, or a cluster, is not asked."""
        tables, path = release._tables, self.named["released"]  # noqa: SLF001 (of our own)
        with suppress(PETWorksError):  # told when the table is counted
            if path.is_file() or path.is_dir():
                yield from warn_of_identifiers(tables.release, release.roles.identifiers, tables.marker)

    def check(self) -> Evaluation:
        """Evaluate all requirements. If one cannot be evaluated, its problem is kept and the others still are."""
        evaluation = self.release.check(*self.requirements, title=self.title)
        evaluation.policy = self.input
        evaluation.not_shown = looked_for(self.not_shown, self._release._tables.release, self._memory)  # noqa: SLF001 (of our own)
        return evaluation

    def __repr__(self) -> str:
        """Name the file and what it requires."""
        return f"<Policy {self.path.name}: {', '.join(one.measure.name for one in self.requirements)}>"

    def _check_columns(self, release: Release | None, plan: Plan) -> None:
        if release:
            plan.require_known(release.roles.quasi_identifiers)

    def _read_rows(self, release: Release, problems: Problems) -> None:
        for one in self.requirements:
            with problems.gathering():
                release.ask(one.measure)


def _remarking(release: Release, notes: Sequence[Note]) -> Release:
    """Return the release with further notes on it, which all results have."""
    if not notes:
        return release
    facts, other = release._facts, copy(release)  # noqa: SLF001 (of our own)
    other._facts = replace(facts, remarks=(*facts.remarks, *notes), _memo=Memo())  # noqa: SLF001 (of our own)
    return other


def _check_version(file: Settings) -> None:
    version = file.whole_number("version")
    if version is None and "version" not in file:
        file.refuse('missing key "version"', hint=f"add version = {VERSION} as the first line")
    elif version not in (None, VERSION):
        file.refuse(
            f"unknown version {show_value(version)} of the file format", hint=f"this PETWorks reads version {VERSION}"
        )


def list_report_formats() -> tuple[str, ...]:
    """Return the names of the formats that a policy may ask for under [report]."""
    others = (name for name in list_format_names() if name not in (*REPORT_FORMATS, "text"))
    return (*REPORT_FORMATS, *others)


def _reporting(folder: Path, report: Settings, inputs: Sequence[Path]) -> Reporting:
    language = cast("Language | None", report.word("language", *get_args(Language)))
    files = {form: folder / name for form in list_report_formats() if (name := report.text(form))}
    show = report.flag("show_small_classes")
    audience = cast("Audience | None", report.word("audience", *get_args(Audience)))
    report.done()
    if show and audience == "public":
        hint = 'leave out show_small_classes = true or audience = "public"'
        report.refuse("small classes are not for the public", hint=hint)
    taken = {resolve_path(path): path.name for path in inputs}
    for form, path in files.items():
        if other := taken.get(resolve_path(path)):
            report.refuse(f"{form} would overwrite {other}", hint="give each file a name of its own")
        taken[resolve_path(path)] = f"the {form} report"
    return Reporting(language, files, show, audience)


def all_of(problems: Sequence[PETWorksError], name: str) -> PolicyError:
    """Combine all problems into one error."""
    first, *others = problems
    if not others:
        return PolicyError(first.problem, where=first.where, hint=first.hint, listed=first.listed, problems=problems)
    listed = "\n  ".join(line for problem in problems for line in str(problem).splitlines())
    return PolicyError(plural(len(problems), "problem"), where=name, hint=listed, problems=problems)


class Recipe(PolicyFile):
    """A policy file that says how its release is to be made; a `PolicyError` lists all problems of the file."""

    main = "original"

    @property
    def plan(self) -> Plan:
        """The requirements as goals, and what may be done to meet them."""
        assert self.making.plan is not None  # noqa: S101 (otherwise an error was raised)
        return self.making.plan

    @property
    def original(self) -> Release:
        """The original, as a release of itself."""
        return self._release

    @property
    def target(self) -> Path | None:
        """The file that the release is to be written to, if the policy names one."""
        return self.named.get("released")

    def hash_while_reading(self) -> None:
        """Compute the digests of CSV files while they are read, for a record."""
        self._release.hash_while_reading()

    def make(self, listener: Listener | None = None) -> AnonymizedTable:
        """Make the release; `listener` is told about the progress."""
        return make(self._release, self.plan, listener, self.rest)

    def judged(self, measured: Evaluation) -> Evaluation:
        """Return what was measured of the release as the judgement of this file, with its title and its reasons."""
        pairs = zip(self.requirements, measured.requirements, strict=True)
        required = [replace(one, result=other.result) for one, other in pairs]
        told = Evaluation(measured.results, requirements=required, title=self.title, facts=measured.facts)
        told.policy, told.not_shown, told.provenance_source = self.input, self.not_shown, measured.provenance_source
        return told

    def _check_columns(self, release: Release | None, plan: Plan) -> None:
        if release and plan.recoding == "microaggregate":
            plan.require_known(release.roles.quasi_identifiers)
        elif release:
            plan.levels_allowed(_heights(release))

    def _read_rows(self, release: Release, problems: Problems) -> None:
        with problems.gathering():
            _ = RawTable.of(release._facts).ladders  # noqa: SLF001 (of our own)


def _heights(release: Release) -> Mapping[str, int]:
    """Return the heights of the quasi-identifiers; a column without a hierarchy has two levels."""
    trees = release._facts.hierarchies  # noqa: SLF001 (of our own)
    return {name: trees[name].height if name in trees else 1 for name in release.roles.quasi_identifiers}


def original_of(
    content: Mapping[str, Any], folder: Path, memory: Mapping[str, Any], name: str = "policy.toml"
) -> Release:
    """Return the table that a policy names as its original, with its roles and hierarchies, as a release of itself.

    `content` is what TOML reads from the policy. A `PolicyError` lists all problems.
    """
    problems = Problems()
    file = Settings({**content}, name, problems)
    data, roles, trees = map(file.table, ("data", "roles", "hierarchies"))
    release = read_release(folder, data, roles, trees, problems, main="original", memory=memory)
    if release is None or problems:
        raise all_of(problems, name)
    return release


@dataclass(frozen=True, eq=False)
class Candidate:
    """A pinned candidate: the release that was made of it, or the problem why it cannot be made."""

    pinned: Pinned
    made: AnonymizedTable | None = None
    problem: PETWorksError | None = None


def candidate(recipe: Recipe, pinned: Pinned) -> Candidate:
    """Make a pinned candidate of a policy."""
    try:
        return Candidate(pinned, make(recipe.original, pinned.planned(recipe.plan), rest=recipe.rest))
    except PETWorksError as error:
        return Candidate(pinned, problem=error)


def compared(recipe: Recipe, found: Sequence[Candidate]) -> Comparison:
    """Compare the candidates that could be made, by the requirements of the policy."""
    made = [one for one in found if one.made is not None]
    if len(made) < 2:  # noqa: PLR2004 (nothing to compare)
        hint = "pin two or more under [[anonymize.pinned]], with name and levels"
        raise ParameterError("fewer than two candidates can be made", where=recipe.path.name, hint=hint)
    names = [one.pinned.name for one in made]
    releases = [one.made for one in made if one.made is not None]
    return compare(*releases, names=names, requirements=recipe.requirements, title=recipe.title)
