"""Step 3: the hierarchy of each quasi-identifier, built by a rule of the library or read from a file.

Files are offered from the project's folder and from the folder of the table.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from PETWorks.app.files import StepState
from PETWorks.app.forms import BadRequestError, Form, form_of
from PETWorks.app.notices import WAIT_SECONDS, render_busy
from PETWorks.app.project.draft import Change
from PETWorks.app.project.project import POLICY
from PETWorks.app.responses import Say, language_of, render_fragments, render_page, wants_fragments
from PETWorks.app.screens.hierarchies.changes import (
    BUILDERS,
    MissingFieldError,
    apply_fix,
    find_field,
    read_groups,
    read_settings,
    with_hierarchy,
)
from PETWorks.app.screens.hierarchies.column_hierarchies import (
    FILE,
    HAND,
    NONE,
    TILES,
    ColumnHierarchy,
    ProjectHierarchies,
    find_folder_files,
    find_needed,
)
from PETWorks.app.screens.hierarchies.view import FieldProblem, HierarchiesView
from PETWorks.app.session import Session, require_session
from PETWorks.errors import PETWorksError
from PETWorks.facts.roles import Role

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


TEMPLATE, STEP, SHEETS = "hierarchies.html", 3, ("hierarchies",)
BAR_SECONDS = 0.05  # that the bar of steps waits for hierarchies to be built
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
