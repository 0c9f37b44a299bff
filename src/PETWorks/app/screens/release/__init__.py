"""Step 7: write the release, read it back from disk, and measure it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import quote

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from PETWorks.app.files import StepState
from PETWorks.app.forms import SettingField, form_of, list_setting_fields
from PETWorks.app.notices import append_published, find_mending_screens, find_published, render_published
from PETWorks.app.project.draft import Change, find_step
from PETWorks.app.project.folder import read_file
from PETWorks.app.responses import Say, language_of, make_say, render_fragments, render_page, wants_fragments
from PETWorks.app.screens.release.after import (
    HAND_OVER,
    approval_of,
    files_of,
    is_as_recorded,
    is_current,
    is_of_table,
    key,
    move_aside,
    next_name,
    recorded,
    report_answer,
    target_of,
    write,
)
from PETWorks.app.screens.release.view import (
    PATIENCE,
    ReleaseForm,
    columns_of,
    draft_page,
    have_several_rows,
    read_form,
    state_of,
    with_reports,
    with_settings,
    wrong_name,
)
from PETWorks.app.session import Session, Work, require_session
from PETWorks.errors import PETWorksError
from PETWorks.measure.steps import Name
from PETWorks.settings.sections import MAKING, SignOff

STEP, PAGE, HERE = find_step("release"), "release.html", "/release"
PARTS = ("released", "steps", "dock")


def describe_step(desk: Session, say: Say) -> StepState:
    """Return the state of the step: whether the release is written."""
    record = recorded(desk)
    if record is None or not target_of(desk).is_file():
        return StepState(done=False, words=say("release_standing_none"))
    if not is_current(desk, record):
        return StepState(done=False, words=say("release_standing_old"))
    if not is_as_recorded(desk, record, PATIENCE):
        return StepState(done=False, words=say("release_standing_foreign"))
    done = is_of_table(desk, record, PATIENCE)
    return StepState(done, say("release_standing" if done else "release_standing_outdated"))


def show(request: Request) -> Response:
    """Show what will be written, or what was written."""
    desk = require_session(request)
    if wants_fragments(request):
        return render_fragments(request, PAGE, PARTS[:2], to=HERE, step=STEP, **_build_context(request, desk))
    return render_page(request, PAGE, step=STEP, **_build_context(request, desk))


def decide(request: Request) -> Response:
    """Set how the release is written."""
    desk, form = require_session(request), form_of(request)
    wanted = read_form(form, ReleaseForm.of(desk.draft))
    further = [field.with_form(form) for field in _list_further(request, desk)]
    wrong = wrong_name(wanted, desk)
    if wrong or any(field.wrong for field in further):
        known = _build_context(request, desk) | {"settings": wanted, "wrong": wrong, "further": further}
        if wants_fragments(request):
            return render_fragments(request, PAGE, PARTS, to=HERE, step=STEP, **known)
        return render_page(request, PAGE, step=STEP, status=422, **known)
    draft = with_settings(desk.draft, wanted)
    for field in further:
        draft = draft.with_making(field.setting.name, field.plain)
    desk.apply(form, Change("release_set", file=wanted.file), draft)
    return render_fragments(request, PAGE, PARTS, to=HERE, step=STEP, **_build_context(request, desk))


def start(request: Request) -> Response:
    """Write the release, in the background."""
    desk, form, language = require_session(request), form_of(request), language_of(request)
    name, known = target_of(desk).name, _build_context(request, desk)
    published = known["published"]
    desk.project.require_revision(form["revision"])
    if published is None or (published and not form.get("confirmed")):  # nobody publishes an identifier by mistake
        known |= {"unconfirmed": True}
    if known["unconfirmed"] or known["state"].kind == "shut":
        if wants_fragments(request):
            return render_fragments(request, PAGE, PARTS, to=HERE, step=STEP, **known)
        return render_page(request, PAGE, step=STEP, status=422, **known)
    desk.apply(form, Change("release_set", file=name), with_reports(desk.draft, language))
    if published:
        desk.project.note(Change("release_confirm", columns=[*map(str, published)]))
    if write(desk, language):
        desk.project.note(Change("release_write", file=name))
    return render_fragments(request, PAGE, PARTS, to=HERE, step=STEP, **_build_context(request, desk))


def stop(request: Request) -> Response:
    """Stop writing; an earlier release stays in place."""
    desk = require_session(request)
    form_of(request)
    work = desk.get_cached(("work", key(desk)))
    if isinstance(work, Work):
        work.stop()
        work.wait(2)
    return render_fragments(request, PAGE, PARTS, to=HERE, step=STEP, **_build_context(request, desk))


def aside(request: Request) -> Response:
    """Rename a file that is not the one that was measured."""
    desk, form = require_session(request), form_of(request)
    desk.project.require_revision(form["revision"])
    record, target = recorded(desk), target_of(desk)
    if record is not None and target.is_file() and not is_as_recorded(desk, record):
        name = move_aside(target)
        desk.project.note(Change("release_aside", file=target.name, name=name))
    return render_fragments(request, PAGE, PARTS, to=HERE, step=STEP, **_build_context(request, desk))


def report(request: Request) -> Response:
    """Show the report that was written."""
    desk = require_session(request)
    path = desk.folder / str(desk.draft.section("report").get("html", "report.html"))
    if not path.is_file() or not path.resolve().is_relative_to(desk.folder.resolve()):
        raise HTTPException(404)
    return report_answer(read_file(path) or b"")


def approval(request: Request) -> Response:
    """Show the page that is signed: the one that was written, or a draft while there is none of this policy."""
    desk = require_session(request)
    path, record = approval_of(desk), recorded(desk)
    written = record is not None and is_current(desk, record) and is_as_recorded(desk, record)
    if written and path.is_file() and path.resolve().is_relative_to(desk.folder.resolve()):
        return report_answer(read_file(path) or b"")
    return report_answer(draft_page(desk, language_of(request)))


def download(request: Request) -> Response:
    """Send a file that may be handed over."""
    desk, name = require_session(request), request.path_params["name"]
    if name not in {one.name for one in files_of(desk) if one.whom == HAND_OVER}:
        raise HTTPException(404)
    path = target_of(desk) if name == target_of(desk).name else desk.folder / name
    if not path.is_file() or not path.resolve().is_relative_to(desk.folder.resolve()):
        raise HTTPException(404)
    headers = {"content-disposition": f"attachment; filename*=UTF-8''{quote(name)}"}
    return Response(path.read_bytes(), media_type="application/octet-stream", headers=headers)


def set_signoff(request: Request) -> Response:
    """Set what the page that is signed says."""
    desk, form = require_session(request), form_of(request)
    fields = _check_signoff([one.with_form(form) for one in _list_signoff(request, desk)])
    wrong = any(one.wrong for one in fields)
    if not wrong:
        content = {one.setting.name: one.plain for one in fields if one.plain is not None}
        desk.apply(form, Change("release_signoff"), desk.draft.with_section("signoff", content))
    known = _build_context(request, desk) | {"signoff": fields}
    if wrong and not wants_fragments(request):
        return render_page(request, PAGE, step=STEP, status=422, **known)
    return render_fragments(request, PAGE, PARTS, to=HERE, step=STEP, **known)


def _check_signoff(fields: Sequence[SettingField]) -> list[SettingField]:
    """Return the fields with what is wrong between them: what is too long, or ends before it begins."""
    try:
        SignOff.of({one.setting.name: one.plain for one in fields if not one.wrong})
    except PETWorksError as error:
        named = error.problem.split(" ", 1)[0].rstrip(",")
        return [replace(one, wrong=str(error)) if one.setting.name == named else one for one in fields]
    return [*fields]


def _list_signoff(request: Request, desk: Session) -> tuple[SettingField, ...]:
    return list_setting_fields(desk.draft.section("signoff"), language_of(request), SignOff)


def _build_context(request: Request, desk: Session) -> dict[str, Any]:
    """Return the variables of the page."""
    language, small = language_of(request), request.app.state.running.shows_small(request)
    state = state_of(desk, language, make_say(language), small=small)  # before others: files may be there only now
    table = _of_table(desk)
    target = target_of(desk)
    return {
        **table,
        "state": state,
        "sheets": ("release",),
        "settings": ReleaseForm.of(desk.draft),
        "wrong": "",
        "further": _list_further(request, desk),
        "signoff": _list_signoff(request, desk),
        "unconfirmed": False,
        "exists": target.is_file(),
        "next_name": next_name(target),
        "files": files_of(desk),
        "record": recorded(desk),
        "doors": find_mending_screens(desk, state.problem) if state.problem else (),
        "published_warning": render_published(table["published"], language),
        "but": append_published,
    }


def _list_further(request: Request, desk: Session) -> tuple[SettingField, ...]:
    """Return the fields of the settings that no screen shows in its own way."""
    return list_setting_fields(desk.draft.making, language_of(request), *MAKING)


def _of_table(desk: Session) -> dict[str, Any]:
    """Return the variables about the table; none if it cannot be read, which the state then says."""
    try:
        published = find_published(desk)
        return {
            "columns": columns_of(desk),
            "shut": ("remove", "shuffled") if have_several_rows(desk) else (),
            "published": None if published is None else [Name(one) for one in published],
        }
    except PETWorksError:
        return {"columns": (), "shut": (), "published": ()}


ROUTES = [
    Route(HERE, show),
    Route(f"{HERE}/settings", decide, methods=["POST"]),
    Route(f"{HERE}/write", start, methods=["POST"]),
    Route(f"{HERE}/stop", stop, methods=["POST"]),
    Route(f"{HERE}/aside", aside, methods=["POST"]),
    Route(f"{HERE}/report", report),
    Route(f"{HERE}/approval", approval),
    Route(f"{HERE}/files/{{name}}", download),
    Route(f"{HERE}/signoff", set_signoff, methods=["POST"]),
]
