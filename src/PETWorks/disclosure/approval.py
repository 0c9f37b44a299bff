"""The content of the page that is signed: what everybody may be told of a release, and what was done to each column.

Whoever signs may hand the page over with the release, so it has what a public report has: verdicts, limits, whole
percentages, and no value of a column. What was done to the columns is in the policy, or can be seen in the release.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from PETWorks.disclosure.evaluation import publish_evaluation
from PETWorks.disclosure.exhibits import compute_column_levels, compute_column_values
from PETWorks.disclosure.premises import share_people
from PETWorks.errors import NotAskableError
from PETWorks.evaluation.evaluation import Evaluation
from PETWorks.evaluation.provenance import ColumnTreatment, Provenance
from PETWorks.facts.facts import Facts
from PETWorks.facts.roles import PARAMETERS, Role, Roles
from PETWorks.facts.tallies import find_tables
from PETWorks.settings.sections import SignOff
from PETWorks.shown import THRESHOLD, CountBand, Disclosure, DisclosureLevel, Percent
from PETWorks.tables.source import compute_digest

UNPUBLISHED = ("removed", "masked")  # what was done to columns of which nothing is published


@dataclass(frozen=True)
class ApprovedColumn:
    """A column: its role, and what was done to it."""

    name: str
    role: Role | None
    what: str  # "removed", "masked", "treated", "level", "gone", "mixed", "means", "kept", or "unknown"
    level: int | None = None
    height: int | None = None
    treatment: ColumnTreatment | None = None
    one_value: bool = False  # True: the same value is left in every row that is not suppressed
    vanished: bool = False  # True: some value of the original, at the level of the release, is in no released row


@dataclass(frozen=True, eq=False)
class PlannedColumns:
    """What a plan does to columns."""

    roles: Roles
    plan: Mapping[str, Any]  # the settings of [anonymize] and [treat.<column>] as plain values
    heights: Mapping[str, int]  # of the hierarchies
    levels: Mapping[str, Any]  # by column
    treatments: Mapping[str, ColumnTreatment]

    @classmethod
    def of_plan(cls, roles: Roles, plan: Mapping[str, Any], heights: Mapping[str, int]) -> PlannedColumns:
        """Return what a plan will do."""
        treatments = {name: ColumnTreatment(name, given) for name, given in (plan.get("treat") or {}).items()}
        return cls(roles, plan, heights, plan.get("levels") or {}, treatments)

    @classmethod
    def of_release(cls, making: Provenance) -> PlannedColumns:
        """Return what was done to the columns of a release."""
        treatments = {one.column: one for one in making.treatments}
        return cls(making.roles, making.plan, making.heights, making.levels, treatments)

    def describe(self, name: str) -> ApprovedColumn:
        """Return what is done to a column."""
        role, treatment = _find_role(self.roles, name), self.treatments.get(name)
        given = (self.plan.get("treat") or {}).get(name, {})
        if "remove" in given or given.get("mask") is True:
            return ApprovedColumn(name, role, "removed" if "remove" in given else "masked")
        if role is Role.IDENTIFIER and not given:
            return ApprovedColumn(name, role, "removed" if self.plan.get("drop_identifiers") else "masked")
        if role is not Role.QUASI_IDENTIFIER:
            return ApprovedColumn(name, role, "treated" if treatment else "kept", treatment=treatment)
        height, level = self.heights.get(name), self.levels.get(name)
        what = {"local": "mixed", "microaggregate": "means"}.get(str(self.plan.get("recoding")), "open")
        if isinstance(level, int) and what == "open":
            what = "gone" if level == height and level else "level" if level else "kept"
        what = "treated" if treatment and what in ("kept", "open") else what
        return ApprovedColumn(name, role, what, level if isinstance(level, int) else None, height, treatment)


@dataclass(frozen=True)
class ApprovedFile:
    """A file, and what the page states of its content."""

    name: str
    role: str  # "release", "report", "policy", or the role of another table
    method: str = ""  # of what is stated: SHA-256 of a file that is published, HMAC-SHA-256 of the others
    value: str = ""  # hexadecimal digits; "" if nothing is stated

    @property
    def is_published(self) -> bool:
        """True if the file may be handed over."""
        return self.role in ("release", "report")


@dataclass(frozen=True, eq=False)
class Approval:
    """What the page shows."""

    signoff: SignOff
    name: str  # of the release
    columns: tuple[ApprovedColumn, ...]
    evaluation: Evaluation | None = None  # for everybody; None: nothing was measured yet, so the page is a draft
    holds: bool = False  # True: every requirement and every premise holds
    rows: int = 0
    suppressed: Percent | CountBand | None = None  # the share of people; None: it would tell of few
    smallest: int | None = None  # people of the smallest class; None: fewer than five, or none
    counts_people: bool = False
    names_adversaries: bool = False  # True: the policy names people who must not find anybody
    files: tuple[ApprovedFile, ...] = ()
    written: datetime | None = None  # when the release was
    earlier: tuple[str, ...] = ()  # earlier releases of the same people that were measured with it

    @property
    def is_draft(self) -> bool:
        """True if nothing was measured yet."""
        return self.evaluation is None

    @property
    def keys(self) -> tuple[ColumnTreatment, ...]:
        """The treatments that a secret key was used for."""
        found = [one.treatment for one in self.columns if one.treatment]
        return tuple(one for one in found if {"pseudonym", "shift"} & one.settings.keys())


def disclose_approval(evaluation: Evaluation, signoff: SignOff, report: Path) -> Approval:
    """Return what the page shows of the release that was measured; the report must have been written."""
    if (facts := evaluation.facts) is None:
        hint = "write the page of the evaluation that Policy.check returned"
        raise NotAskableError("there is nothing to sign: no release was measured", hint=hint)
    shown, scope = publish_evaluation(evaluation), facts.scope
    suppressed = scope.people.suppressed if scope.people else scope.suppressed
    sizes = facts.classes.sizes
    least = int(sizes.min()) if len(sizes) else None
    return Approval(
        signoff=signoff,
        name=scope.name,
        columns=tuple(_describe_columns(evaluation, facts)),
        evaluation=shown,
        holds=evaluation.holds is True,
        rows=scope.rows,
        suppressed=share_people(suppressed, scope.everybody),
        smallest=None if least is None or least < THRESHOLD else least,
        counts_people=scope.people is not None,
        names_adversaries=evaluation.has_premises and bool(evaluation.premises.adversaries),
        files=tuple(_describe_files(evaluation, report)),
        written=_find_time(facts),
    )


def draft_approval(signoff: SignOff, name: str, columns: Sequence[str], planned: PlannedColumns) -> Approval:
    """Return what the page shows before a release is written: what the policy says of each column."""
    return Approval(signoff, name, tuple(map(planned.describe, columns)))


def _describe_columns(evaluation: Evaluation, facts: Facts) -> list[ApprovedColumn]:
    """Return what was done to each column, in the order of the original."""
    making, tables = evaluation.provenance or evaluation.recorded, find_tables(facts)
    table = tables.original if tables.original is not None and not tables.unpaired else tables.release
    disclosure = Disclosure(THRESHOLD, DisclosureLevel.PUBLIC)
    asked = dict.fromkeys(facts.roles.quasi_identifiers, disclosure)
    levels = {one.column: one for one in (compute_column_levels(facts, asked) if facts.fits_in_memory else ())}
    gone = {one.column for one in compute_column_values(facts, disclosure) if one.gone}
    found = []
    for name in dict.fromkeys([*table.columns, *tables.release.columns]):
        if making is not None and "treat" in making.plan:
            one = PlannedColumns.of_release(making).describe(name)
        elif name not in tables.release.columns:
            one = ApprovedColumn(name, _find_role(facts.roles, name), "removed")
        else:
            one = _describe_measured(name, facts, levels)
        measured = levels.get(name)
        single = one.what in ("level", "kept", "treated") and measured is not None and measured.after == 1
        vanished = one.what in ("level", "kept") and name in gone
        found.append(ApprovedColumn(**{**vars(one), "one_value": single, "vanished": vanished and not single}))
    return found


def _describe_measured(name: str, facts: Facts, levels: Mapping[str, Any]) -> ApprovedColumn:
    """Return what can be seen of a column in a release that came without its record."""
    role, found = _find_role(facts.roles, name), levels.get(name)
    if role is Role.IDENTIFIER:
        return ApprovedColumn(name, role, "unknown")
    if found is None or found.levels is None:
        return ApprovedColumn(name, role, "unknown" if role is Role.QUASI_IDENTIFIER else "kept")
    if len(found.levels) != 1:
        return ApprovedColumn(name, role, "mixed" if found.levels else "gone", height=found.height)
    (level,) = found.levels
    what = "gone" if level == found.height and level else "level" if level else "kept"
    return ApprovedColumn(name, role, what, level, found.height)


def _describe_files(evaluation: Evaluation, report: Path) -> list[ApprovedFile]:
    """Return the files: those that are published have their digest, the others a commitment if a record is kept."""
    if (record := evaluation.record) is None:
        return []
    stated = {one.role: (one.method, one.value) for one in record.commitments if one.column is None}
    found = [ApprovedFile(one.name, one.role, *stated.get(one.role, ())) for one in record.inputs]
    found.insert(1, ApprovedFile(report.name, "report", "SHA-256", compute_digest(report)))
    if record.policy is not None:
        found.append(ApprovedFile(record.policy.name, "policy", *stated.get("policy", ())))
    return sorted(found, key=lambda one: not one.is_published)


def _find_time(facts: Facts) -> datetime | None:
    """Return when the release was written; None if it is not in one file."""
    files = find_tables(facts).release.files
    if len(files) != 1 or not files[0].is_file():
        return None
    return datetime.fromtimestamp(int(files[0].stat().st_mtime), UTC)


def _find_role(roles: Roles, column: str) -> Role | None:
    """Return the role of a column; None if it has none."""
    return next((role for role, names in PARAMETERS.items() if column in getattr(roles, names)), None)
