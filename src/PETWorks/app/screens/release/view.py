"""The view of step 7 after writing, in the reader's language.

`State` says whether the release is not ready, to be written, being written, written and evaluated, or changed.

`ReleaseForm` has the settings of writing: file name, format, rows and identifiers, all of them in the policy.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePath
from secrets import randbelow
from typing import Any, NamedTuple, get_args

from markupsafe import Markup

from PETWorks.anonymization.people import require_countable
from PETWorks.app.as_text import after_writing
from PETWorks.app.forms import BadRequestError, Form
from PETWorks.app.notices import append_published, find_published
from PETWorks.app.project.draft import Draft
from PETWorks.app.responses import Say
from PETWorks.app.screens.release.after import (
    WRITTEN,
    Measured,
    Written,
    is_as_recorded,
    is_current,
    is_of_table,
    key,
    measured,
    name_record,
    recorded,
    target_of,
)
from PETWorks.app.session import Session, Work
from PETWorks.disclosure.approval import PlannedColumns, draft_approval
from PETWorks.disclosure.report import EvaluationView
from PETWorks.errors import OutputError, PETWorksError
from PETWorks.evaluation.evaluation import Evaluation
from PETWorks.evaluation.requirement import Requirement
from PETWorks.facts.commitment import Commitment
from PETWorks.facts.notes import Name
from PETWorks.facts.roles import PARAMETERS, Role, Roles
from PETWorks.measure.utility.granularity import Granularity
from PETWorks.policy.policy import Policy
from PETWorks.presentation import Language
from PETWorks.render.lines import LineWriter
from PETWorks.render.page import answer, making
from PETWorks.render.page.answer import build_requirement_entry
from PETWorks.render.page.approval import write_approval
from PETWorks.render.page.markup import PAGE
from PETWorks.render.page.svg import draw_bar, draw_strip
from PETWorks.render.premises import PremiseWriter, list_open_lines
from PETWorks.render.text import warning_text
from PETWorks.render.typography import format_number
from PETWorks.render.words import words
from PETWorks.settings.sections import Order, SignOff, SuppressedRows, Writing

FORMATS = {"csv": ".csv", "excel": ".csv", "workbook": ".xlsx", "parquet": ".parquet"}
ENCODINGS = {"csv": "utf-8", "excel": "utf-8-sig"}  # "excel": with a byte-order mark
NAME = re.compile(r"""[^\\/:*?"<>|.\x00-\x1f\x7f][^\\/:*?"<>|\x00-\x1f\x7f]{0,99}""")
RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)  # which Windows cannot open
SEEDS = 2**31


@dataclass(frozen=True)
class ReleaseForm:
    """The settings of writing in the policy."""

    name: str  # without the ending
    form: str
    suppressed: str  # "keep" or "remove"
    order: str  # "original" or "shuffled"
    identifiers: str  # "mark" or "drop"
    folder: str = ""  # before the name, if the policy has one

    @classmethod
    def of(cls, draft: Draft) -> ReleaseForm:
        """Return the settings of a draft."""
        path, making = PurePath(str(draft.data.get("released", "released.csv"))), draft.making
        form = {".parquet": "parquet", ".xlsx": "workbook"}.get(path.suffix, "csv")
        if form == "csv" and making.get("output_encoding") == ENCODINGS["excel"]:
            form = "excel"
        return cls(
            name=path.name.removesuffix(".parquet").removesuffix(".xlsx").removesuffix(".gz").removesuffix(".csv"),
            form=form,
            suppressed=str(making.get("suppressed_rows", Writing.suppressed_rows)),
            order=str(making.get("order", Writing.order)),
            identifiers="drop" if making.get("drop_identifiers") else "mark",
            folder="" if path.parent == PurePath() else str(path.parent),
        )

    @property
    def file(self) -> str:
        """The name of the file to write."""
        return f"{self.name}{self.ending}"

    @property
    def ending(self) -> str:
        """The ending of the file name."""
        return FORMATS[self.form]


def read_form(form: Form, before: ReleaseForm) -> ReleaseForm:
    """Return the settings of a form that was sent."""

    def one_of(name: str, words: Sequence[str], default: str) -> str:
        found = form.get(name, default)
        if found not in words:
            raise BadRequestError(f"the field {name!r} is not one of its words")
        return found

    return ReleaseForm(
        name=form.get("name", before.name).strip(),
        form=one_of("form", tuple(FORMATS), before.form),
        suppressed=one_of("suppressed", get_args(SuppressedRows), before.suppressed),
        order=one_of("order", get_args(Order), before.order),
        identifiers=one_of("identifiers", ("mark", "drop"), before.identifiers),
        folder=before.folder,
    )


def have_several_rows(desk: Session) -> bool:
    """Return True if people have, or may have, several rows: then rows can be neither removed nor shuffled."""
    if not (person := desk.draft.data.get("person")):
        return False
    found = desk.inspection
    return found is None or person not in desk.columns or found[person].distinct < found.rows


def wrong_name(settings: ReleaseForm, desk: Session) -> str:
    """Return the problem with the file name, as a key of words; "" if there is none."""
    if not NAME.fullmatch(settings.name) or RESERVED.fullmatch(settings.name) or settings.name.endswith((" ", ".")):
        return "release_wrong_name"
    target = desk.folder / settings.folder / settings.file
    return "release_wrong_input" if target.resolve() == desk.table_path.resolve() else ""


def with_settings(draft: Draft, settings: ReleaseForm) -> Draft:
    """Return a draft with these settings. A shuffled order gets a seed, so that it can be repeated."""
    shuffled = settings.order == "shuffled"
    released = str(PurePath(settings.folder) / settings.file).replace("\\", "/")
    draft = draft.with_data(released=released)
    draft = draft.with_making("output_encoding", ENCODINGS.get(settings.form))
    draft = draft.with_making("suppressed_rows", "remove" if settings.suppressed == "remove" else None)
    draft = draft.with_making("order", "shuffled" if shuffled else None)
    draft = draft.with_making("seed", draft.making.get("seed", randbelow(SEEDS)) if shuffled else None)
    return draft.with_making("drop_identifiers", settings.identifiers == "drop" or None)


def with_reports(draft: Draft, language: Language) -> Draft:
    """Return a draft that names a report, a record, and the first language of the report."""
    is_public = draft.section("report").get("audience") == "public"
    record = {"record" if is_public else "json": name_record(draft)}
    report = {"language": language, "html": "report.html", **record, **draft.section("report")}
    draft = draft.with_section("report", report)
    return draft if draft.section("signoff") else Draft({**draft.content, "signoff": {}})


def draft_page(desk: Session, language: Language) -> str:
    """Write the page that is signed as a draft: what the policy says of each column, before anything is measured."""
    draft = desk.draft
    columns, given = [*desk.columns], draft.roles_of(desk.columns)
    roles = {key: tuple(name for name in columns if given.get(name) is role) for role, key in PARAMETERS.items()}

    heights = find_heights(desk)
    plan = {**draft.making, "treat": draft.section("treat")}
    planned = PlannedColumns.of_plan(Roles(**roles), plan, heights)
    signoff = SignOff.of(dict(draft.section("signoff")))
    approval = draft_approval(signoff, PurePath(str(draft.data.get("released", "released.csv"))).name, columns, planned)
    return write_approval(approval, language=language)


def find_heights(desk: Session) -> Mapping[str, int]:
    """Return the heights of the hierarchies, by column; none if no release can be made of the policy."""

    def look() -> Mapping[str, int]:
        with suppress(PETWorksError):
            facts = Policy(desk.project.path, **desk.memory, purpose="anonymize").original.facts
            return {name: facts.hierarchies[name].height for name in facts.hierarchies}
        return {}

    return desk.cache(("heights", desk.project.text, desk.table_key), look)


@dataclass(frozen=True)
class ReleaseCell:
    """A column, its role, and its treatment in the release."""

    column: str
    role: Role | None
    what: str  # a key of the words
    level: int | None = None


def columns_of(desk: Session) -> list[ReleaseCell]:
    """Return the treatment of each column in the release."""
    levels, local = desk.draft.making.get("levels", {}), desk.draft.making.get("recoding") == "local"
    roles, dropped = desk.draft.roles_of(desk.columns), bool(desk.draft.making.get("drop_identifiers"))
    heights, found = find_heights(desk) if any(levels.values()) else {}, []
    for column in desk.columns:
        role = roles.get(column)
        if role is Role.QUASI_IDENTIFIER:
            by_level = "release_column_level" if levels.get(column) else "release_column_kept"  # of level 0
            if levels.get(column) and levels[column] == heights.get(column, 1):
                by_level = "release_column_gone"
            what = "release_column_local" if local else by_level if column in levels else "release_column_open"
        elif role is Role.IDENTIFIER:
            what = "release_column_dropped" if dropped else "release_column_marked"
        else:
            what = "release_column_undecided" if role is None else "release_column_kept"
        found.append(ReleaseCell(column, role, what, levels.get(column)))
    return found


class AfterView:
    """The view of the evaluated file."""

    def __init__(self, found: Measured, desk: Session, language: str, say: Say) -> None:
        self._view, self._language, self._say, self._file = found.view, language, say, target_of(desk).name
        self._published = find_published(desk)
        self.hidden = _describe_identifiers(columns_of(desk), say)
        self.time = datetime.fromtimestamp(target_of(desk).stat().st_mtime).astimezone().isoformat(timespec="seconds")
        self.said = found.said
        counted = self._choose_text(answer.write_counting(found.view.scope.known))
        self.legal = say("release_legal") + words(language).gap + counted
        self.commands = after_writing(desk.draft, name_record(desk.draft))
        self.entries = [self._entry(one) for one in found.view.requirements]
        self._premises = PremiseWriter(LineWriter(language, PAGE))
        self.premises = list_open_lines(found.view.evaluation, self._premises.writer)
        self.formulas = self._warn_of_formulas(found.view.evaluation)
        told = answer.build_answer_section(found.view)
        self.bands = [{**band, "label": self._choose_text(band["label"])} for band in told["bands"]]
        self.strip = draw_strip([(band["kind"], band["share"]) for band in self.bands], 30)
        most = max([1, *(one.people for one in found.if_known)])
        self.if_known = [
            {
                "name": Name(one.column),
                "role": one.role,
                "people": one.people,
                "bar": draw_bar(one.people / most, "d2", height=12),
            }
            for one in found.if_known
        ]

    def _warn_of_formulas(self, evaluation: Evaluation) -> Markup:
        """Write the warning of cells that a spreadsheet program runs; empty if there are none."""
        formulas = evaluation.premises.formulas if evaluation.judges_premises else None
        return Markup(warning_text(formulas, self._language, PAGE)) if formulas else Markup()  # noqa: S704 (escaped)

    @property
    def view(self) -> EvaluationView:
        """The view of the report."""
        return self._view

    @property
    def counts(self) -> dict[str, int]:
        """The numbers of requirements that hold and that do not."""
        verdicts = [one.holds for one in self._view.requirements]
        return {
            "all": len(verdicts),
            "holds": verdicts.count(True),
            "fails": verdicts.count(False),
            "unasked": verdicts.count(None),
        }

    @property
    def status(self) -> str:
        """The mark beside the headline."""
        evaluation = self._view.evaluation
        if self._published or evaluation.premises_fail:
            return "fails"
        accepted = evaluation.judges_premises and evaluation.premises.accepted
        return "waits" if self._verdict == "holds" and accepted else self._verdict

    @property
    def _verdict(self) -> str:
        counts = self.counts
        return "fails" if counts["fails"] else "waits" if counts["unasked"] or not counts["all"] else "holds"

    @property
    def headline(self) -> Markup:
        """The answer of the screen."""
        kind = {"fails": "release_h1_fails", "waits": "release_h1_some", "holds": "release_h1_holds"}[self._verdict]
        title = self._say(kind, file=Name(self._file), **self.counts)
        evaluation = self._view.evaluation
        if evaluation.judges_premises:
            title = Markup(self._premises.write_answer(evaluation, str(title)))  # noqa: S704 (escaped)
        return append_published(title, self._published, self._say)

    @property
    def lead(self) -> Markup:
        """The size of the written release, in figures."""
        scope, sizes = self._view.scope, self._view.sizes
        figures = {
            "file": Name(self._file),
            "rows": scope.rows,
            "suppressed": scope.suppressed,
            "share": scope.suppressed / scope.rows if scope.rows else 0,
            "classes": scope.classes,
            "least": min(sizes, default=0),
        }
        doubtful = self._view.evaluation.doubts_people and scope.people is None
        told = self._say("release_lead_rows" if doubtful else "release_lead", **figures)
        kept = self._view.find(Granularity)
        if kept is not None and kept.value is not None:
            told += Markup(" ") * (self._language == "en") + self._say(
                "release_lead_kept", share=kept.value, value=format_number(kept.value)
            )
        return told

    @property
    def making(self) -> dict[str, Any]:
        """How it was made, and the proof that it is the best; empty if only the record has it."""
        told = making.build_making_section(self._view)
        if not told["is_made"]:
            return {}
        return {key: self._choose_text(told[key]) or "" for key in ("sentences", "proof", "sum")}

    @property
    def tables(self) -> list[tuple[str, str, Commitment | None]]:
        """The tables that were read: role, name, and the public form of the digest."""
        record = self._view.record
        by_role = {one.role: one for one in record.commitments if one.column is None}
        return [(one.role, one.name, by_role.get(one.role)) for one in record.inputs]

    def _entry(self, one: Requirement) -> dict[str, Any]:
        entry = build_requirement_entry(one, {})
        parts = [{key: self._choose_text(value) for key, value in part.items()} for part in entry["parts"]]
        return {
            **entry,
            "title": self._choose_text(entry["title"]),
            "reason": self._choose_text(entry["reason"]),
            "parts": parts,
        }

    def _choose_text(self, said: Any) -> Any:  # noqa: ANN401
        """Return the text in the reader's language, if there are several."""
        return Markup(said.texts[self._language]) if hasattr(said, "texts") else said  # noqa: S704 (escaped)


def _describe_identifiers(columns: Sequence[ReleaseCell], say: Say) -> Markup:
    """Describe what was done to the identifiers; empty if there are none."""
    marked = [Name(one.column) for one in columns if one.what == "release_column_marked"]
    dropped = [Name(one.column) for one in columns if one.what == "release_column_dropped"]
    if dropped:
        return say("release_done_dropped", columns=dropped)
    kind = "release_done_identifiers" if len(marked) == 1 else "release_done_identifiers_many"
    return say(kind, columns=marked) if marked else Markup()


PATIENCE = 0.2  # seconds that a page waits for work that may be done soon


class State(NamedTuple):
    """The state of the release."""

    kind: str  # "shut", "before", "again", "outdated", "busy", "measuring", "failed", "foreign" or "after"
    problem: PETWorksError | None = None
    work: Work[Written] | Work[Measured] | None = None
    after: AfterView | None = None
    is_written: bool = False  # True: the release was written before what failed


def state_of(desk: Session, language: str, say: Say, *, small: bool) -> State:
    """Return the state of the release in the project."""
    if problem := _problem(desk):
        return State("shut", problem)
    work = desk.get_cached(("work", key(desk)))
    if isinstance(work, Work):
        if not work.wait(PATIENCE):
            return State("busy", work=work)
        if work.problem:
            return State("failed", work.problem, is_written=(work.share or 0) >= WRITTEN)
    return _find_state_on_disk(desk, language, say, small=small)


def _find_state_on_disk(desk: Session, language: str, say: Say, *, small: bool) -> State:
    """Return the state of the release on disk."""
    target, record = target_of(desk), recorded(desk)
    if not target.is_file() or record is None or not is_current(desk, record):
        return State("again" if target.is_file() and record is not None else "before")
    if not is_as_recorded(desk, record):
        return State("foreign")
    if not is_of_table(desk, record):
        return State("outdated")
    work = measured(desk, language, small=small)
    if not work.wait(PATIENCE):
        return State("measuring", work=work)
    if work.problem:
        return State("failed", work.problem)
    return State("after", after=AfterView(work.value, desk, language, say))


def _problem(desk: Session) -> PETWorksError | None:
    """Return the problem with the policy; None if a release can be made."""

    def look() -> PETWorksError | None:
        try:
            recipe = Policy(desk.project.path, **desk.memory, purpose="anonymize")
        except PETWorksError as error:
            return error
        try:
            if have_several_rows(desk) and (recipe.plan.suppressed_rows, recipe.plan.order) != ("keep", "original"):
                require_countable(recipe.original.facts, recipe.plan)
        except PETWorksError as error:  # to be decided on this very screen
            return OutputError(error.problem, hint=error.hint)
        return None

    try:
        return desk.cache(("recipe", desk.project.text, desk.table_key), look) or desk.survey.problem
    except PETWorksError as error:
        return error
