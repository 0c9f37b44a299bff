"""Step 3: the hierarchy of each quasi-identifier, built by a rule of the library or read from a file.

Files can be chosen from the project's folder and from the folder of the table. Values of fewer than five people are
hidden.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from PETWorks.app.files import StepState
from PETWorks.app.forms import BadRequestError, Form, form_of
from PETWorks.app.notices import WAIT_SECONDS, render_busy
from PETWorks.app.project.draft import Change, find_step
from PETWorks.app.project.folder import POLICY
from PETWorks.app.responses import (
    Say,
    advise,
    describe_error,
    language_of,
    render_fragments,
    render_page,
    wants_fragments,
)
from PETWorks.app.screens.hierarchies.changes import (
    BUILDERS,
    VALUES_PER_PAGE,
    BuilderField,
    GroupBox,
    GroupTree,
    MissingFieldError,
    ValueLine,
    apply_fix,
    find_field,
    format_setting,
    read_groups,
    read_settings,
    suggest_settings,
    with_hierarchy,
)
from PETWorks.app.screens.hierarchies.column_hierarchies import (
    FILE,
    HAND,
    NONE,
    TILES,
    ColumnHierarchy,
    HierarchyOutcome,
    ProjectHierarchies,
    find_folder_files,
    find_needed,
)
from PETWorks.app.session import Session, require_session
from PETWorks.errors import PETWorksError
from PETWorks.facts.roles import Role
from PETWorks.hierarchies.files import build_rule
from PETWorks.hierarchies.hierarchy import Hierarchy
from PETWorks.hierarchies.value_rules import Parents
from PETWorks.hierarchies.values import count_people
from PETWorks.render.inspection import suggestion_text

MAX_CHOICES = 12  # files that have a button


class FieldProblem(NamedTuple):
    """A problem with a field."""

    field: str
    error: PETWorksError | None = None
    key: str = ""  # of the words for what is missing


@dataclass(frozen=True)
class HierarchiesView(HierarchyOutcome):
    """The view of one quasi-identifier and one builder for its hierarchy."""

    asked: str = ""  # the requested builder
    typed: Mapping[str, Any] | None = None  # the content of the fields, if it is not in use
    wrong: FieldProblem | None = None
    part: int = 1
    files: Sequence[str] = ()  # which may hold a hierarchy

    @property
    def builder(self) -> str:
        """The builder that is shown: the requested one, else the present one, else the suggested one."""
        if self.asked in TILES:
            return self.asked
        if self.present.kind in TILES and self.present.kind != NONE:
            return self.present.kind
        rule = self.present.suggestion.rule
        none = self.present.suggestion.kind == "few" and not self.present.needed_by
        return rule.kind if rule else NONE if none else HAND

    @property
    def suggestion(self) -> str:
        """The findings on the column, and the suggestion."""
        return suggestion_text(self.present.suggestion, self.language).replace("\n  ", " ")

    @property
    def fields(self) -> Sequence[BuilderField]:
        """The fields of the builder."""
        return BUILDERS.get(self.builder, ())

    @cached_property
    def hidden(self) -> Sequence[str]:
        """The values of few people in the present order: they stay in it, and are not shown."""
        listed = self.present.settings.get("ordered", ()) if self.builder == "ordered" else ()
        return [str(one) for one in listed if 0 < self.present.counts.get(str(one), 0) < self.least]

    @cached_property
    def _settings(self) -> Mapping[str, Any]:
        if self.typed is not None:
            return self.typed
        if self.present.kind == self.builder:
            return self.present.settings
        rule = self.present.suggestion.rule
        return suggest_settings(self.builder, self.present.counts, rule.settings() if rule else None)

    @cached_property
    def _made(self) -> Hierarchy | PETWorksError | None:
        """The hierarchy that the fields would build, or the error; None if they are in use."""
        if self.wrong or self.in_use or self.builder in (HAND, FILE):
            return None
        try:
            return self.all.build(self.present.name, self.builder, self._settings)
        except PETWorksError as error:
            return error

    @cached_property
    def viewed(self) -> ColumnHierarchy:
        """The hierarchy that is shown: a preview of the fields if they are not in use, else the present one."""
        if not isinstance(self._made, Hierarchy):
            return self.present
        key = (self.present.key, self.builder, repr(self._settings))
        preview = replace(self.present, kind=self.builder, settings=self._settings, key=key, problem=None)
        return replace(preview, hierarchy=self._made)

    @property
    def cannot(self) -> str:
        """The reason why the initial fields build no hierarchy of this column; "" if they do."""
        return self.render_message(self._made) if isinstance(self._made, PETWorksError) else ""

    @property
    def preview(self) -> bool:
        """True if the hierarchy that is shown is not in use."""
        return self.viewed is not self.present

    def format_field(self, one: BuilderField) -> Any:  # noqa: ANN401
        """Return the content of a field."""
        return format_setting(one, self._settings, self.hidden)

    @property
    def in_use(self) -> bool:
        """True if the present hierarchy is made by this builder."""
        return self.present.kind == self.builder

    @property
    def takes_suggestion(self) -> bool:
        """True if the fields still hold the suggestion."""
        rule = self.present.suggestion.rule
        return self.typed is None and rule is not None and rule.kind == self.builder

    @property
    def fitting(self) -> Sequence[str]:
        """The files that are suggested as buttons, except the one in use."""
        return [one for one in self.files if one != self.file][:MAX_CHOICES]

    @property
    def file(self) -> str:
        """The file of the hierarchy."""
        return str(self._settings.get(FILE, ""))

    def find_wrong(self, name: str) -> FieldProblem | None:
        """Return the problem with a field; None if there is none."""
        return self.wrong if self.wrong and self.wrong.field == name else None

    def render_message(self, error: PETWorksError, folder: Path | None = None) -> str:
        """Return the message of an error, without values of few people."""
        text, hint = describe_error(error, folder), advise(error)
        text = f"{text} ({hint})" if hint else text
        for number, value in enumerate(self.hidden, 1):
            text = text.replace(value, f"‹{number}›")
        return text

    @cached_property
    def tree(self) -> GroupTree:
        """The groups made by hand."""
        built = self.present.kind == HAND and self.present.hierarchy
        rule = build_rule(self.present.name, self.present.settings) if built else None
        mapping = rule.mapping if isinstance(rule, Parents) else {}
        return GroupTree(mapping, self.present.counts, self.least)

    @property
    def copies(self) -> bool:
        """True if the present groups can be copied for editing by hand."""
        present = self.present
        return present.kind != HAND and present.hierarchy is not None and present.hierarchy.height > 1

    @cached_property
    def _lines(self) -> Sequence[ValueLine]:
        return self.tree.list_lines()

    @property
    def parts(self) -> int:
        """The number of pages of the table of values."""
        return max((len(self._lines) + VALUES_PER_PAGE - 1) // VALUES_PER_PAGE, 1)

    @property
    def lines(self) -> list[tuple[ValueLine, list[GroupBox | None]]]:
        """The values of this page, each with the groups that begin there."""
        first = (min(self.part, self.parts) - 1) * VALUES_PER_PAGE
        rows = self._lines[first : first + VALUES_PER_PAGE]
        return [*zip(rows, self.tree.list_boxes(rows), strict=True)]

    @property
    def most(self) -> int:
        """The number of people of the most frequent value."""
        return max((one.people for one in self._lines), default=1)

    @property
    def few(self) -> tuple[int, int]:
        """The numbers of values that are not shown and of people who have one of them."""
        counts = self.present.counts
        few = [value for value, people in counts.items() if value is not None and people < self.least]
        return len(few), count_people(counts, few)


MAX_LISTED, MAX_SCANNED, MAX_DEPTH = (
    100,
    2_000,
    2,
)  # files offered, files scanned, depth of folders


def find_candidate_files(session: Session, column: str) -> list[str]:
    """Return CSV files relative to the project's folder, those named for the column first; without the table."""
    here, found = session.folder.resolve(), dict[str, None]()
    for folder in (here, session.table_path.resolve().parent):
        for path in _walk_files(folder):
            if path.suffix.casefold() == ".csv" and _may_be_hierarchy(session, path):
                found[os.path.relpath(path, here).replace(os.sep, "/")] = None
    return sorted(found, key=lambda file: not is_named_for(file, column))[:MAX_LISTED]


def is_named_for(file: str, column: str) -> bool:
    """Return True if a file is named for a column: `age.csv`, or `anything_hierarchy_age.csv`."""
    stem = Path(file).stem.casefold()
    return stem == column.casefold() or stem.endswith(f"_hierarchy_{column.casefold()}")


def _walk_files(root: Path) -> Iterator[Path]:
    """Yield the files in a folder, then those in folders below it, nearest first."""
    looked, folders = 0, [(root, 0)]
    for folder, depth in folders:
        try:
            entries = sorted(os.scandir(folder), key=lambda one: one.name)
        except OSError:
            continue
        for one in entries:
            if (looked := looked + 1) > MAX_SCANNED:
                return
            if one.is_dir(follow_symlinks=False):
                folders += [(Path(one.path), depth + 1)] if depth < MAX_DEPTH and not one.name.startswith(".") else []
            elif one.is_file():
                yield Path(one.path)


def _may_be_hierarchy(session: Session, path: Path) -> bool:
    """Return True if a file may be opened and is neither the table nor a release beside a policy."""
    try:
        known = session.resolve_allowed(path)
    except PETWorksError:
        return False
    released = path.name.startswith("released") and path.with_name(POLICY).exists()
    return known != session.table_path and not released


TEMPLATE, STEP, SHEETS = "hierarchies.html", find_step("hierarchies"), ("hierarchies",)
CHANGED_PARTS = ("answer", "split", "door", "steps", "dock")


def describe_step(session: Session, say: Say) -> StepState:
    """Return the state of the step: how many quasi-identifiers have a hierarchy; done if all values have a place."""
    roles = session.draft.roles_of(session.columns)
    quasi = [name for name, role in roles.items() if role is Role.QUASI_IDENTIFIER]
    if not quasi:
        return StepState(done=False)
    sensitive = [name for name, role in roles.items() if role is Role.SENSITIVE_ATTRIBUTE]
    wanted = [*quasi, *find_needed(session.draft, sensitive)]
    made = {key.strip() for key in session.draft.rules} | {*find_folder_files(session)}
    words = say("hierarchies_standing", made=sum(name in made for name in wanted), all=len(wanted))
    if (work := session.survey).state != "done":
        return StepState(done=False, words=words)
    found = ProjectHierarchies(session, work.value)
    key = (
        "standing",
        session.table_key,
        tuple(wanted),
        repr(session.draft.rules),
        session.draft.data.get("hierarchies"),
    )
    if not session.run_in_background(key, lambda _: [*found]).wait(WAIT_SECONDS):  # columns of many values take longer
        return StepState(done=False, words=words)
    return StepState(done=all(map(found.is_complete, found)) and not any(one.waits for one in found), words=words)


def show_first(request: Request) -> Response:
    """Lead to the first incomplete quasi-identifier, else to the first with only a suggestion, else to the first."""
    session = require_session(request)
    if busy := render_busy(request, session, STEP):
        return busy
    found = ProjectHierarchies(session, session.survey.value)
    if not found.quasi:
        return render_page(request, "hierarchies_none.html", step=STEP)
    every = [*found]
    first = [one for one in every if not found.is_complete(one)] + [one for one in every if one.waits] + every
    return RedirectResponse(f"/hierarchies/{first[0].number}", 303)


def show(request: Request) -> Response:
    """Show one quasi-identifier, and one builder for its hierarchy."""
    session = require_session(request)
    if busy := render_busy(request, session, STEP):
        return busy
    found, present = _find_viewed(request, session)
    view = _build_view(request, session, found, present, request.query_params.get("builder", ""))
    if wants_fragments(request):
        return render_fragments(
            request, TEMPLATE, CHANGED_PARTS, to=request.url.path, step=STEP, view=view, tiles=TILES
        )
    return render_page(request, TEMPLATE, step=STEP, sheets=SHEETS, view=view, tiles=TILES)


def build(request: Request) -> Response:
    """Build a hierarchy from the form; if that fails, show why and change nothing."""
    session = require_session(request)
    if not session.survey.wait(WAIT_SECONDS):
        return RedirectResponse(request.url.path, 303)
    found, present = _find_viewed(request, session)
    form = form_of(request)
    if fix := form.get("fix"):
        session.apply(form, *apply_fix(session, _build_view(request, session, found, present, present.kind), fix))
        return _render_changes(request, session, present)
    kind, settings = form["builder"], dict[str, Any]()
    try:
        kind, settings = _read_builder(request, session, found, present, form)
        found.build(present.name, kind, settings)
    except MissingFieldError as error:
        return _render_trial(
            request, _build_view(request, session, found, present, kind, wrong=FieldProblem(kind, key=str(error)))
        )
    except PETWorksError as error:
        wrong = FieldProblem(find_field(kind, error), error)
        return _render_trial(request, _build_view(request, session, found, present, kind, typed=settings, wrong=wrong))
    if kind != present.kind and kind in BUILDERS and not form.get("use"):  # a preview, before it is used
        return _render_trial(request, _build_view(request, session, found, present, kind, typed=settings))
    if (kind, settings) != (present.kind, {**present.settings}):
        at = f"/hierarchies/{present.number}"
        change = Change("hierarchies_none", at=at, column=present.name)
        if settings:
            change = Change("hierarchies_rule", at=at, column=present.name, hierarchies_made=kind)
        session.apply(form, change, with_hierarchy(session, present.name, settings or None))
    return _render_changes(request, session, present, form["builder"] if kind == NONE else "")


def _read_builder(
    request: Request, session: Session, found: ProjectHierarchies, present: ColumnHierarchy, form: Form
) -> tuple[str, dict[str, Any]]:
    """Return the builder and the settings of a form."""
    kind = form["builder"]
    if kind not in TILES:
        raise BadRequestError("there is no such builder")
    view = _build_view(request, session, found, present, kind)
    if kind == HAND:
        mapping = read_groups(view.tree, form)
        return (HAND, {HAND: mapping}) if mapping else (NONE, {})
    if kind == FILE:
        return kind, {FILE: (form.get("chosen") or form["file"]).strip()}
    return kind, read_settings(kind, form, view.hidden) if kind in BUILDERS else {}


def _find_viewed(request: Request, session: Session) -> tuple[ProjectHierarchies, ColumnHierarchy]:
    """Return all hierarchies, and the one whose number is in the address."""
    found, number = ProjectHierarchies(session, session.survey.value), request.path_params["number"]
    name = next((name for name, other in found.numbers.items() if other == number), None)
    if name is None:
        raise HTTPException(404)
    return found, found[name]


def _build_view(
    request: Request,
    session: Session,
    found: ProjectHierarchies,
    present: ColumnHierarchy,
    asked: str,
    **typed: Any,  # noqa: ANN401
) -> HierarchiesView:
    names = found.quasi
    if not found.survey.is_quick(names):  # a column of nearly unique values is counted with the others
        session.run_in_background(
            ("classes", session.table_key, tuple(names)), lambda _: found.survey.tally(names)
        ).wait(WAIT_SECONDS)
    part = request.query_params.get("part", "1")
    return HierarchiesView(
        found,
        present,
        language_of(request),
        small=request.app.state.running.shows_small(request),
        asked=asked,
        part=int(part) if part.isascii() and part.isdecimal() and 0 < len(part) < 6 else 1,  # noqa: PLR2004
        files=find_candidate_files(session, present.name) if FILE in (asked, present.kind) else (),
        **typed,
    )


def _render_changes(request: Request, session: Session, before: ColumnHierarchy, asked: str = "") -> Response:
    """Answer with the parts that changed; the requested builder stays shown."""
    found = ProjectHierarchies(session, session.survey.value)
    view = _build_view(request, session, found, found[before.name], asked)
    address = f"/hierarchies/{before.number}{f'?builder={asked}' if asked else ''}"
    return render_fragments(request, TEMPLATE, CHANGED_PARTS, to=address, step=STEP, view=view, tiles=TILES)


def _render_trial(request: Request, view: HierarchiesView) -> Response:
    """Show a preview of a form, or its problem beside the field; nothing has changed."""
    if wants_fragments(request):
        return render_fragments(request, TEMPLATE, ["split"], to=request.url.path, step=STEP, view=view, tiles=TILES)
    status = 422 if view.wrong else 200
    return render_page(request, TEMPLATE, step=STEP, status=status, sheets=SHEETS, view=view, tiles=TILES)


ROUTES = [
    Route("/hierarchies", show_first),
    Route("/hierarchies/{number:int}", show),
    Route("/hierarchies/{number:int}", build, methods=["POST"]),
]
