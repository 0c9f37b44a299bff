"""Step 3: how each quasi-identifier may become coarser. Every way to build a hierarchy is a rule of the library.

Files that may hold a hierarchy: in the project's folder, and beside the table, where others keep theirs.
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

from PETWorks.app.answering import Say, fragments, language_of, page, wants_fragments
from PETWorks.app.desk import Desk, opened
from PETWorks.app.files import Standing
from PETWorks.app.forms import BadRequestError, Form, form_of
from PETWorks.app.notices import PATIENCE, still_looking
from PETWorks.app.project.draft import Change
from PETWorks.app.project.project import POLICY
from PETWorks.app.screens.hierarchies.changes import (
    BUILDERS,
    NotSaidError,
    field_of,
    fixed,
    grouped,
    said,
    with_hierarchy,
)
from PETWorks.app.screens.hierarchies.present import (
    FILE,
    HAND,
    NONE,
    TILES,
    Hierarchies,
    Present,
    folder_files,
    needed_for,
)
from PETWorks.app.screens.hierarchies.view import HierarchiesView, Wrong
from PETWorks.errors import PETWorksError
from PETWorks.facts.roles import Role

LISTED, LOOKED, DEPTH = 100, 2_000, 2  # most files that are offered, that are looked at, and folders within folders


def candidates(desk: Desk, column: str) -> list[str]:
    """Return CSV files relative to the project's folder, those whose names fit the column first; no table is one."""
    here, found = desk.folder.resolve(), dict[str, None]()
    for folder in (here, desk.table_path.resolve().parent):
        for path in _files(folder):
            if path.suffix.casefold() == ".csv" and _may_be(desk, path):
                found[os.path.relpath(path, here).replace(os.sep, "/")] = None
    return sorted(found, key=lambda file: not fits(file, column))[:LISTED]


def fits(file: str, column: str) -> bool:
    """Return True if a file is named as that of a column is: `age.csv`, or `anything_hierarchy_age.csv`."""
    stem = Path(file).stem.casefold()
    return stem == column.casefold() or stem.endswith(f"_hierarchy_{column.casefold()}")


def _files(root: Path) -> Iterator[Path]:
    """Yield files in a folder, then those in folders below, the nearest first."""
    looked, folders = 0, [(root, 0)]
    for folder, depth in folders:
        try:
            entries = sorted(os.scandir(folder), key=lambda one: one.name)
        except OSError:
            continue
        for one in entries:
            if (looked := looked + 1) > LOOKED:
                return
            if one.is_dir(follow_symlinks=False):
                folders += [(Path(one.path), depth + 1)] if depth < DEPTH and not one.name.startswith(".") else []
            elif one.is_file():
                yield Path(one.path)


def _may_be(desk: Desk, path: Path) -> bool:
    """Return True if a file may be opened, and is neither the table nor a release beside a policy."""
    try:
        known = desk.within(path)
    except PETWorksError:
        return False
    released = path.name.startswith("released") and path.with_name(POLICY).exists()
    return known != desk.table_path and not released


TEMPLATE, STEP, SHEETS = "hierarchies.html", 3, ("hierarchies",)
SOON = 0.05  # seconds that the bar of steps waits
CHANGED = ("answer", "split", "door", "steps", "dock")


def standing(desk: Desk, say: Say) -> Standing:
    """Tell in the bar of steps how many quasi-identifiers have a hierarchy, and whether all values have a place."""
    roles = desk.draft.roles_of(desk.columns)
    quasi = [name for name, role in roles.items() if role is Role.QUASI_IDENTIFIER]
    if not quasi:
        return Standing(done=False)
    sensitive = [name for name, role in roles.items() if role is Role.SENSITIVE_ATTRIBUTE]
    wanted = [*quasi, *needed_for(desk.draft, sensitive)]
    made = {key.strip() for key in desk.draft.rules} | {*folder_files(desk)}
    words = say("hierarchies_standing", made=sum(name in made for name in wanted), all=len(wanted))
    if (work := desk.survey).state != "done":
        return Standing(done=False, words=words)
    found = Hierarchies(desk, work.value)
    key = ("standing", desk.table_key, tuple(wanted), repr(desk.draft.rules), desk.draft.data.get("hierarchies"))
    if not desk.background(key, lambda _: [*found]).wait(SOON):  # columns of many values are built meanwhile
        return Standing(done=False, words=words)
    return Standing(done=all(map(found.is_good, found)) and not any(one.waits for one in found), words=words)


def show_first(request: Request) -> Response:
    """Lead to the first quasi-identifier that is not complete, else to the first that waits, else to the first."""
    desk = opened(request)
    if busy := still_looking(request, desk, STEP):
        return busy
    found = Hierarchies(desk, desk.survey.value)
    if not found.quasi:
        return page(request, "hierarchies_none.html", step=STEP)
    every = [*found]
    first = [one for one in every if not found.is_good(one)] + [one for one in every if one.waits] + every
    return RedirectResponse(f"/hierarchies/{first[0].number}", 303)


def show(request: Request) -> Response:
    """Show one quasi-identifier, and a way to build its hierarchy."""
    desk = opened(request)
    if busy := still_looking(request, desk, STEP):
        return busy
    found, present = _looked_at(request, desk)
    view = _view(request, desk, found, present, request.query_params.get("builder", ""))
    if wants_fragments(request):
        return fragments(request, TEMPLATE, CHANGED, to=request.url.path, step=STEP, view=view, tiles=TILES)
    return page(request, TEMPLATE, step=STEP, sheets=SHEETS, view=view, tiles=TILES)


def build(request: Request) -> Response:
    """Build a hierarchy as the form says; if that is not possible, say why, and keep what was there."""
    desk = opened(request)
    if not desk.survey.wait(PATIENCE):
        return RedirectResponse(request.url.path, 303)
    found, present = _looked_at(request, desk)
    form = form_of(request)
    if fix := form.get("fix"):
        desk.apply(form, *fixed(desk, _view(request, desk, found, present, present.kind), fix))
        return _changed(request, desk, present)
    kind, settings = form["builder"], dict[str, Any]()
    try:
        kind, settings = _said(request, desk, found, present, form)
        found.build(present.name, kind, settings)
    except NotSaidError as error:
        return _answered(request, _view(request, desk, found, present, kind, wrong=Wrong(kind, key=str(error))))
    except PETWorksError as error:
        wrong = Wrong(field_of(kind, error), error)
        return _answered(request, _view(request, desk, found, present, kind, typed=settings, wrong=wrong))
    if kind != present.kind and kind in BUILDERS and not form.get("use"):  # what it would give, before it is taken
        return _answered(request, _view(request, desk, found, present, kind, typed=settings))
    if (kind, settings) != (present.kind, {**present.settings}):
        at = f"/hierarchies/{present.number}"
        told = Change("hierarchies_rule", at=at, column=present.name, hierarchies_made=kind)
        change = told if settings else Change("hierarchies_none", at=at, column=present.name)
        desk.apply(form, change, with_hierarchy(desk, present.name, settings or None))
    return _changed(request, desk, present, form["builder"] if kind == NONE else "")


def _said(request: Request, desk: Desk, found: Hierarchies, present: Present, form: Form) -> tuple[str, dict[str, Any]]:
    """Return the builder that a form names, and the settings that it says."""
    kind = form["builder"]
    if kind not in TILES:
        raise BadRequestError("there is no such builder")
    view = _view(request, desk, found, present, kind)
    if kind == HAND:
        mapping = grouped(view.tree, form)
        return (HAND, {HAND: mapping}) if mapping else (NONE, {})
    if kind == FILE:
        return kind, {FILE: (form.get("chosen") or form["file"]).strip()}
    return kind, said(kind, form, view.hidden) if kind in BUILDERS else {}


def _looked_at(request: Request, desk: Desk) -> tuple[Hierarchies, Present]:
    """Return all quasi-identifiers, and the one that the address names."""
    found, number = Hierarchies(desk, desk.survey.value), request.path_params["number"]
    name = next((name for name, other in found.numbers.items() if other == number), None)
    if name is None:
        raise HTTPException(404)
    return found, found[name]


def _view(
    request: Request,
    desk: Desk,
    found: Hierarchies,
    present: Present,
    asked: str,
    **typed: Any,  # noqa: ANN401
) -> HierarchiesView:
    names = found.quasi
    if not found.survey.is_quick(names):  # a column that may name people is counted with the others
        desk.background(("classes", desk.table_key, tuple(names)), lambda _: found.survey.tally(names)).wait(PATIENCE)
    part = request.query_params.get("part", "1")
    return HierarchiesView(
        found,
        present,
        language_of(request),
        small=request.app.state.running.shows_small(request),
        asked=asked,
        part=int(part) if part.isascii() and part.isdecimal() and 0 < len(part) < 6 else 1,  # noqa: PLR2004
        files=candidates(desk, present.name) if FILE in (asked, present.kind) else (),
        **typed,
    )


def _changed(request: Request, desk: Desk, before: Present, asked: str = "") -> Response:
    """Answer with the parts that changed; the builder that was asked for stays in sight."""
    found = Hierarchies(desk, desk.survey.value)
    view = _view(request, desk, found, found[before.name], asked)
    address = f"/hierarchies/{before.number}{f'?builder={asked}' if asked else ''}"
    return fragments(request, TEMPLATE, CHANGED, to=address, step=STEP, view=view, tiles=TILES)


def _answered(request: Request, view: HierarchiesView) -> Response:
    """Show what a form would do, or what is wrong with it beside the field; nothing has changed."""
    if wants_fragments(request):
        return fragments(request, TEMPLATE, ["split"], to=request.url.path, step=STEP, view=view, tiles=TILES)
    status = 422 if view.wrong else 200
    return page(request, TEMPLATE, step=STEP, status=status, sheets=SHEETS, view=view, tiles=TILES)


ROUTES = [
    Route("/hierarchies", show_first),
    Route("/hierarchies/{number:int}", show),
    Route("/hierarchies/{number:int}", build, methods=["POST"]),
]
