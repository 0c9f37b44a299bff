"""A policy file: which data, the role of each column, and the limits that a release must keep. A pipeline runs

    petworks check policy.toml

and a script gets the same verdict from

    pw.Policy("policy.toml").check().holds

Settings come from this file only, not from a YAML file beside the table. An unknown key is an error. All problems are
reported at once.

The same policy makes the release that it requires, from the original that it names.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from PETWorks.anonymization.made_release import apply_plan_settings
from PETWorks.anonymization.plan import SearchSettings
from PETWorks.anonymization.recodings import load_recoding
from PETWorks.anonymization.treatments import find_further_level
from PETWorks.errors import OutputError, ParameterError, PETWorksError, show_value
from PETWorks.evaluation.evaluation import Evaluation
from PETWorks.evaluation.release import Release
from PETWorks.facts.notes import Note
from PETWorks.facts.record import PolicyInput
from PETWorks.facts.roles import read_role
from PETWorks.facts.tallies import find_tables
from PETWorks.measure.base import Measure
from PETWorks.policy.data import TABLES, MakingReader, PinnedLevels, read_columns, read_release
from PETWorks.policy.earlier import list_goals, list_required, read_all
from PETWorks.policy.inspection import find_unshowable
from PETWorks.policy.premises import read_said
from PETWorks.policy.requirements import find_blanks, read_not_shown, read_removed, read_requirements
from PETWorks.policy.toml import (
    DecimalLiteral,
    Problems,
    TomlSection,
    join_problems,
    put_tables_last,
    read_toml,
    toml_text,
)
from PETWorks.premises.check import PremiseCheck
from PETWorks.presentation import AudienceName, Language
from PETWorks.render.atomic_write import resolve_path, write_whole
from PETWorks.render.formats import OutputSettings, list_format_names, write_for_audience
from PETWorks.settings.sections import ReportFiles, RoleLists, SignOff
from PETWorks.settings.treatments import Treatment
from PETWorks.tables.source import compute_digest

if TYPE_CHECKING:  # what makes releases is imported when a policy makes one: a check starts faster
    from pyspark.sql import SparkSession

    from PETWorks.anonymization.anonymized_table import AnonymizedTable
    from PETWorks.anonymization.search import Listener
    from PETWorks.evaluation.comparison import Comparison
    from PETWorks.inspection.inspection import Inspection

APPROVAL = "approval.html"  # the page that is signed, beside the report
VERSION = 1  # version of the file format
REPORT_FORMATS = ("html", "junit", "markdown", "json")  # the order in which they are written; others follow


@dataclass(frozen=True)
class Reporting:
    """The report files that a check writes, their language, and who may read them."""

    language: Language | None = None
    files: Mapping[str, Path] = field(default_factory=dict)  # by format
    show_small_classes: bool = False
    audience: AudienceName | None = None  # None: as is usual for each format
    record: Path | None = None  # a further JSON file, which is the record whoever the audience is
    signoff: SignOff | None = None  # what the page that is signed says
    signed_report: Path | None = None  # the report that it is beside, and whose digest it has

    @property
    def kept_record(self) -> Path | None:
        """The file of the record: the one under `record`, or the JSON report if it is not for the public."""
        return self.record or (None if self.audience == "public" else self.files.get("json"))

    @property
    def all_files(self) -> tuple[Path, ...]:
        """All files that the check writes."""
        return (*self.files.values(), *(one for one in (self.record, self.approval) if one))

    @property
    def approval(self) -> Path | None:
        """The page that is signed; None if the policy asks for none, or for no report."""
        return self.signed_report.with_name(APPROVAL) if self.signoff and self.signed_report else None

    def render(self, evaluation: Evaluation, settings: OutputSettings) -> Iterator[tuple[str, Path, Callable[[], str]]]:
        """Yield the format and path of each report, and a function that renders its text; the record comes first.

        The reports have commitments if a record is kept.
        """
        if self.kept_record:
            evaluation.prepare_record(self.kept_record, original_digest=settings.original_digest)
        if self.record:
            yield "json", self.record, partial(write_for_audience, evaluation, "json", settings, "internal")
        if self.audience == "public":
            settings = settings._replace(show_small_classes=False)
        for form, path in self.files.items():
            yield form, path, partial(write_for_audience, evaluation, form, settings, self.audience)
        if self.approval and self.signoff and self.signed_report:  # last, since it has the report's digest
            from PETWorks.render.page.approval import approval_page

            write = partial(approval_page, evaluation, self.signoff, self.signed_report, language=settings.language)
            yield "approval", self.approval, write


Purpose = Literal["check", "anonymize"]
MAIN: Mapping[Purpose, str] = {"check": "released", "anonymize": "original"}  # the table that is read


class Policy:
    """A policy file: the data it names, its requirements, and how its release is made.

    `source` is a TOML file, or its content as a dict, whose paths are then relative to the current folder. A
    `PolicyError` lists all problems. A policy is read to check its released table or to anonymize its original; without
    `purpose`, to check, unless the release is still to be made. `located` maps paths in the policy to files; with
    `read_outside`, its query may read files outside of its folder; `released` and `instead` (settings of the search)
    replace those in the file.
    """

    def __init__(
        self,
        source: str | os.PathLike[str] | Mapping[str, Any],
        *,
        purpose: Purpose | None = None,
        spark: SparkSession | None = None,
        memory_limit: str | int | None = None,
        temporary: str | os.PathLike[str] | None = None,
        located: Callable[[str], Path] | None = None,
        read_outside: bool = False,
        instead: Mapping[str, Any] | None = None,
        released: str | os.PathLike[str] | None = None,
    ) -> None:
        self._arguments: dict[str, Any] = {"spark": spark, "memory_limit": memory_limit, "temporary": temporary}
        self._arguments |= {"located": located, "read_outside": read_outside, "instead": instead, "released": released}
        self._source = source
        content = self._read_content(source)
        folder, problems = self.path.parent, Problems()
        if released is not None and isinstance(data := content.setdefault("data", {}), dict):
            data["released"] = str(Path(released).absolute())
            data["sha256"] = {name: one for name, one in data.get("sha256", {}).items() if name != "released"}
        if blanks := find_blanks(content, self.text, self.path.name):
            raise join_problems(blanks, self.path.name)
        file = TomlSection(content, self.path.name, problems)
        _check_version(file)
        self.title, self.makes = file.text("title") or "", "anonymize" in file
        data, roles, trees = file.table("data"), file.table("roles"), file.table("hierarchies")
        self.named = {table: folder / name for table in TABLES if (name := data.text(table))}
        self._signed, query = data.table("sha256").text("released"), data.text("query")
        self.purpose = purpose or self._find_purpose(query)
        memory = self._memory = {"memory_limit": memory_limit, "temporary": temporary}
        main, named = MAIN[self.purpose], roles.read_sections(RoleLists)
        preparing, treat = read_columns(file, {name.strip() for one in named.values() for name in one}, problems)
        self.earlier = read_all(file, folder, located or folder.joinpath, self.purpose, problems)
        options = {
            "spark": spark,
            "located": located,
            "read_outside": read_outside,
            "treat": treat,
            "preparing": preparing,
            "earlier": self.earlier.releases,
        }
        release = read_release(folder, data, roles, trees, problems, main=main, memory=memory, **options)  # type: ignore[arg-type]
        self.requirements = list_required(read_requirements(file, named["sensitive"], problems), self.earlier)
        self.not_shown, removed = tuple(read_not_shown(file)), tuple(read_removed(file, problems))
        self.accept, self.adversaries = read_said(file, release, treat, problems)
        goals, reader = list_goals(self.requirements, self.purpose, self.earlier, file), self._check_columns
        making = MakingReader(file.table("anonymize"), problems, partial(reader, release))
        self._plan, pinned = making.read(goals, {"treat": treat, **(instead or {})} if treat else instead or {})
        self.pinned = pinned
        known = {name.strip() for names in named.values() for name in names}
        self.rest = (
            [name for name in find_tables(release.facts).release.columns if name not in known] if release else []
        )
        self.inputs = (self.path, *self.named.values(), *(release.files if release else ()))
        self.report = _read_reporting(folder, file.table("report"), self.inputs, _read_signoff(file, problems))
        file.report_unread()
        if release is None or problems:
            if release:  # also report problems of the rows, which are found by evaluating
                self._read_rows(release, problems)
            raise join_problems(problems, self.path.name)
        self._release = _with_remarks(release, removed)

    @classmethod
    def from_inspection(
        cls,
        inspection: Inspection,
        original: str | os.PathLike[str],
        requirements: Measure | Sequence[Measure],
        *,
        roles: Mapping[str, object] | None = None,
        released: str | os.PathLike[str] = "released.csv",
        **options: Any,  # noqa: ANN401
    ) -> Policy:
        """Return the policy of an inspected table, with the suggested roles; `roles` by column replace them."""
        from PETWorks.policy.starting import Start

        decided = {**inspection.roles, **{name: read_role(role) for name, role in (roles or {}).items()}}
        listed = [requirements] if isinstance(requirements, Measure) else requirements
        data = {"original": os.fspath(original), "released": os.fspath(released)}
        start = Start(inspection, Path(original).stem, data, decided, requirements=[*map(_write_requirement, listed)])
        return cls(tomllib.loads(start.text(), parse_float=DecimalLiteral), **options)

    def _read_content(self, source: str | os.PathLike[str] | Mapping[str, Any]) -> dict[str, Any]:
        """Read the source; set the path, the text, and the entry of the file in a record."""
        if isinstance(source, Mapping):
            self.path, self.input = Path("policy.toml"), None
            self.text = toml_text(put_tables_last(source))
            return tomllib.loads(self.text, parse_float=str)
        self.path = Path(source)
        content, self.text = read_toml(self.path)
        self.input = PolicyInput(self.path.name, compute_digest(self.path))
        return content

    def _find_purpose(self, query: str | None) -> Purpose:
        """Return the default purpose: to anonymize if the release is still to be made, else to check."""
        released = self.named.get("released")
        made = released is not None and released.exists()
        return "anonymize" if self.makes and ("original" in self.named or query) and not made else "check"

    def _read_for(self, purpose: Purpose) -> Policy:
        """Return a copy of the policy, read for a purpose."""
        if purpose == self.purpose:
            return self
        return Policy(self._source, purpose=purpose, **self._arguments)

    @cached_property
    def _for_check(self) -> Policy:
        return self._read_for("check")

    @cached_property
    def _for_anonymize(self) -> Policy:
        return self._read_for("anonymize")

    @cached_property
    def release(self) -> Release:
        """The release that the policy names. If the policy also makes it, it is read with the settings for writing."""
        if self.purpose != "check":
            return self._for_check.release
        return apply_plan_settings(self._release, self._plan) if self.makes and self._plan else self._release

    def check(self) -> Evaluation:
        """Evaluate all requirements. One that cannot be evaluated is listed with its problem."""
        evaluation = self.release.check(
            *self.requirements, title=self.title, accept=self.accept, adversaries=self.adversaries
        )
        evaluation.policy = self.input
        table = find_tables(self.release.facts).release
        evaluation.not_shown = find_unshowable(self.not_shown, table, self._memory)
        return evaluation

    def anonymize(self, listener: Listener | None = None) -> AnonymizedTable:
        """Make the release from the original that the policy names; `listener` is called with the progress."""
        if self.purpose != "anonymize":
            return self._for_anonymize.anonymize(listener)
        from PETWorks.anonymization.make import make

        return make(self._release, self.plan, listener, self.rest)

    def write(self, path: str | os.PathLike[str]) -> Path:
        """Write the policy as a TOML file, and return its path; relative paths in it stay as they are."""
        return write_whole(path, self.text)

    @property
    def plan(self) -> SearchSettings:
        """The requirements as goals, and the settings of the search."""
        assert self._plan is not None  # noqa: S101 (otherwise an error was raised)
        return self._plan

    @property
    def original(self) -> Release:
        """The original, as a release of itself."""
        return self._release if self.purpose == "anonymize" else self._for_anonymize.original

    @property
    def target(self) -> Path | None:
        """The path to write the release to, if the policy names one."""
        return self.named.get("released")

    def require_replaceable(self, path: Path) -> None:
        """Raise an error if a file is the release whose digest the policy pins: somebody may have signed it."""
        if self._signed is None or not path.is_file():
            return
        is_named = self.target is not None and resolve_path(path) == resolve_path(self.target)
        if is_named or compute_digest(path) == self._signed.casefold():
            hint = "write to another file, or delete released under [data.sha256]"
            problem = "the policy pins this release by its SHA-256, so it is not replaced"
            raise OutputError(problem, where=str(path), hint=hint)

    def hash_while_reading(self) -> None:
        """Compute the digests of CSV files while they are read, for a record."""
        self._release.hash_while_reading()

    def judge(self, measured: Evaluation) -> Evaluation:
        """Return an evaluation of the release as the verdict of this policy, with its title and its reasons."""
        pairs = zip(self.requirements, measured.requirements, strict=True)
        required = [replace(one, result=other.result) for one, other in pairs]
        judged = Evaluation(measured.results, requirements=required, title=self.title, facts=measured.facts)
        judged.policy, judged.not_shown, judged.provenance_source = (
            self.input,
            self.not_shown,
            measured.provenance_source,
        )
        judged.secret, judged.front = measured.secret, measured.front
        judged.premise_source, judged.judges_premises = measured.premise_source, measured.judges_premises
        if isinstance(check := measured.premise_source, PremiseCheck):
            judged.premise_source = replace(check, accept=self.accept, adversaries=self.adversaries)
        return judged

    def __repr__(self) -> str:
        """Name the file and what it requires."""
        return f"<Policy {self.path.name}: {', '.join(one.measure.name for one in self.requirements)}>"

    def _check_columns(self, release: Release | None, plan: SearchSettings) -> None:
        """Raise an error if settings name columns or levels that the table does not have."""
        if release and (self.purpose == "check" or not load_recoding(plan.recoding).generalises):
            plan.require_known(release.roles.quasi_identifiers)
        elif release:
            further = {name: find_further_level(plan, name) for name in plan.treat}
            heights = _find_heights(release)
            plan.levels_allowed({name: height + further.get(name, 0) for name, height in heights.items()})

    def _read_rows(self, release: Release, problems: Problems) -> None:
        """Add problems that only reading the rows can find."""
        if self.purpose == "anonymize":
            from PETWorks.anonymization.table import RawTable

            with problems.gathering():
                _ = RawTable.of(release.facts).ladders
            return
        for one in self.requirements:
            with problems.gathering():
                release.ask(one.measure)


def _write_requirement(measure: Measure) -> dict[str, Any]:
    """Return a measure as the entry of a policy."""
    given = {name: value for name, value in measure.parameters().items() if value is not None}
    plain = {name: DecimalLiteral(value) if isinstance(value, float) else value for name, value in given.items()}
    return {"measure": measure.name, **plain}


def _with_remarks(release: Release, notes: Sequence[Note]) -> Release:
    """Return the release with further remarks, which all its results repeat."""
    if not notes:
        return release
    facts = release.facts
    return release.with_facts(replace(facts, remarks=(*facts.remarks, *notes)))


def _check_version(file: TomlSection) -> None:
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


def _read_signoff(file: TomlSection, problems: Problems) -> SignOff | None:
    """Return what the page that is signed says; None if the policy asks for none."""
    section = file.table("signoff")
    given = section.read_sections(SignOff)
    section.report_unread()
    found: list[SignOff] = []
    with problems.gathering():
        found += [SignOff.of(given)] if "signoff" in file else []
    return next(iter(found), None)


def _read_reporting(folder: Path, report: TomlSection, inputs: Sequence[Path], signoff: SignOff | None) -> Reporting:
    given = report.read_sections(ReportFiles)
    language, audience, show = given["language"], given["audience"], given["show_small_classes"]
    given |= {form: report.text(form) for form in list_report_formats() if form not in given}  # of plug-ins
    files = {form: folder / name for form in list_report_formats() if (name := given[form])}
    record = folder / given["record"] if given["record"] else None
    report.report_unread()
    if show and audience == "public":
        hint = 'leave out show_small_classes = true or audience = "public"'
        report.refuse("small classes are not for the public", hint=hint)
    taken = {resolve_path(path): path.name for path in inputs}
    reporting = Reporting(language, files, show, audience, record, signoff, files.get("html"))
    further = {name: path for name, path in (("record", record), ("approval", reporting.approval)) if path}
    for form, path in (*files.items(), *further.items()):
        if other := taken.get(resolve_path(path)):
            report.refuse(f"{form} would overwrite {other}", hint="give each file a name of its own")
        taken[resolve_path(path)] = f"the {form} report"
    return reporting


def _find_heights(release: Release) -> Mapping[str, int]:
    """Return the heights of the quasi-identifiers; a column without a hierarchy has two levels."""
    trees = release.facts.hierarchies
    return {name: trees[name].height if name in trees else 1 for name in release.roles.quasi_identifiers}


def read_original(
    content: Mapping[str, Any], folder: Path, memory: Mapping[str, Any], name: str = "policy.toml"
) -> tuple[Release, dict[str, Treatment]]:
    """Return the prepared table that a policy names as its original, as a release of itself, and its treatments.

    `content` is what TOML reads from the policy. A `PolicyError` lists all problems.
    """
    problems = Problems()
    file = TomlSection({**content}, name, problems)
    data, roles, trees = map(file.table, ("data", "roles", "hierarchies"))
    named = roles.read_sections(RoleLists)
    preparing, treat = read_columns(file, {name.strip() for one in named.values() for name in one}, problems)
    given: dict[str, Any] = {"memory": memory, "treat": treat, "preparing": preparing}
    release = read_release(folder, data, roles, trees, problems, main="original", **given)
    if release is None or problems:
        raise join_problems(problems, name)
    return release, treat


@dataclass(frozen=True, eq=False)
class PinnedRelease:
    """A pinned release of a policy, or the problem why it cannot be made."""

    pinned: PinnedLevels
    made: AnonymizedTable | None = None
    problem: PETWorksError | None = None


def make_pinned(policy: Policy, pinned: PinnedLevels) -> PinnedRelease:
    """Make one pinned release of a policy."""
    from PETWorks.anonymization.make import make

    try:
        return PinnedRelease(pinned, make(policy.original, pinned.apply_to(policy.plan), rest=policy.rest))
    except PETWorksError as error:
        return PinnedRelease(pinned, problem=error)


def compare_pinned(policy: Policy, found: Sequence[PinnedRelease]) -> Comparison:
    """Compare the pinned releases that could be made, by the requirements of the policy."""
    from PETWorks.anonymization.compare import compare

    made = [one for one in found if one.made is not None]
    if len(made) < 2:  # noqa: PLR2004 (nothing to compare)
        hint = "pin two or more under [[anonymize.pinned]], with name and levels"
        raise ParameterError("fewer than two candidates can be made", where=policy.path.name, hint=hint)
    names = [one.pinned.name for one in made]
    releases = [one.made for one in made if one.made is not None]
    required, title = policy.requirements, policy.title
    said: dict[str, Any] = {"accept": policy.accept, "adversaries": policy.adversaries}
    return compare(*releases, names=names, requirements=required, title=title, **said)
