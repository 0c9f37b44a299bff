"""Step 1: open a table. It is read in place, and nothing is written before it can be read."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from PETWorks.app.files import RunningApplication, StepState
from PETWorks.app.forms import Form, form_of
from PETWorks.app.open_project import is_project, open_demonstration, open_project, open_table, trust_project
from PETWorks.app.probe import open_safely
from PETWorks.app.project.draft import Change, find_step
from PETWorks.app.responses import Say, language_of, redirect, render_fragments, render_page, wants_fragments
from PETWorks.app.screens.open.view import OpenView, Trouble, parse_part
from PETWorks.app.session import Session, require_session
from PETWorks.errors import PETWorksError
from PETWorks.settings.kinds import TAB

TEMPLATE, STEP, SHEETS = "open.html", find_step("open"), ("open",)
WAIT_SECONDS = 0.3  # that a page waits for the table before it shows that it is busy
READING_FIELDS = ("encoding", "delimiter", "sheet", "value_labels")
OTHER = "other"  # an encoding or a delimiter that is typed


def describe_step(session: Session, say: Say) -> StepState:
    """Return the state of the step: the size of the table."""
    work = session.raw_survey
    if work.state != "done":
        columns = session.raw_table.source.columns
        return StepState(done=False, words=say("open_standing_columns", columns=len(columns)))
    inspection = work.value.inspection
    return StepState(done=True, words=say("open_standing", rows=inspection.rows, columns=len(inspection)))


def show(request: Request) -> Response:
    """Show the open table, how it was read, and what else can be opened."""
    running: RunningApplication = request.app.state.running
    if (session := running.session) is None:
        return _render_view(request, OpenView.make_empty(running.browser))
    session.project.refresh()
    try:
        ended = session.raw_survey.stopping or session.raw_survey.wait(WAIT_SECONDS)
        if ended and wants_fragments(request):  # the work has ended: the whole page is new
            return redirect(request, "/")
        view = _build_view(request, running, session)
    except PETWorksError as error:  # the table is not there, or cannot even be opened
        view = OpenView.make_failed(running.browser, session, Trouble.of(error))
    if wants_fragments(request):
        return render_fragments(request, TEMPLATE, ["answer"], to="/", step=STEP, view=view)
    return _render_view(request, view)


def _build_view(request: Request, running: RunningApplication, session: Session) -> OpenView:
    """Return the view of the table: being read, stopped, failed or read."""
    work, browser = session.raw_survey, running.browser
    if work.stopping:
        return OpenView.make_stopped(browser, session)
    if work.state == "running":
        return OpenView.make_busy(browser, session, work)
    if problem := work.problem:
        return OpenView.make_failed(browser, session, Trouble.of(problem, session.raw_table.source))
    session.note_counted_table()
    part, small = parse_part(request.query_params.get("part", "")), running.shows_small(request)
    return OpenView.make_read(browser, session, work.value, part, language_of(request), rows=small)


def choose(request: Request) -> Response:
    """Open a table, project or folder of the file browser; if a table cannot be read, show why and create nothing."""
    running, form = request.app.state.running, form_of(request)
    browser = running.browser
    reading = _read_settings(form)
    path = None
    try:
        path = (
            browser.find_by_path(form["path"])
            if form.get("path").strip()
            else browser.find_by_number(form.number("number"))
        )
        if is_project(path if path.is_dir() else path.parent) and (path.is_dir() or path.suffix == ".toml"):
            open_project(running, path if path.is_dir() else path.parent)
        elif path.is_dir() and not any(path.glob("*.parquet")):
            return redirect(request, f"/files/{browser.get_number(path)}")
        else:
            open_table(running, path, **reading)
    except PETWorksError as error:
        number = browser.get_number(path) if path else None
        view = OpenView.make_refused(browser, Trouble.of(error, path=path), number, reading)
        return _render_view(request, view)
    return redirect(request, "/")


def trust(request: Request) -> Response:
    """Record that the user trusts the project, and open it again, so that changes are written."""
    session = require_session(request)
    form_of(request)
    if not session.project.trusted:
        trust_project(request.app.state.running, session)
    return redirect(request, "/")


def browse(request: Request) -> Response:
    """Show the contents of a folder."""
    running: RunningApplication = request.app.state.running
    return _render_view(
        request, OpenView.make_empty(running.browser, request.path_params["number"], session=running.session)
    )


def demonstrate(request: Request) -> Response:
    """Open the demonstration."""
    form_of(request)
    open_demonstration(request.app.state.running)
    return redirect(request, "/")


def read_again(request: Request) -> Response:
    """Read the table with another encoding, delimiter or sheet."""
    session, form = require_session(request), form_of(request)
    reading = _read_settings(form)
    draft = session.draft.with_data(**{name: reading.get(name) for name in READING_FIELDS if name in form})
    try:
        open_safely(session.table_path, draft.reading)
    except PETWorksError as error:
        browser = request.app.state.running.browser
        return _render_view(
            request, OpenView.make_failed(browser, session, Trouble.of(error, path=session.table_path), reading)
        )
    changed = {name: text for name, text in reading.items() if text != session.draft.data.get(name)}
    name, text = next(iter(changed.items()), ("reading", ""))
    change = Change(f"open_{name}", **({name: text} if text else {}))
    session.apply(form, change, draft)
    return redirect(request, "/")


def stop(request: Request) -> Response:
    """Stop reading the table; the project stays open."""
    session = require_session(request)
    form_of(request)
    session.raw_survey.stop()
    return redirect(request, "/")


def start_again(request: Request) -> Response:
    """Read the table again after reading was stopped or failed."""
    session = require_session(request)
    form_of(request)
    for key in (("work", session.survey_key), ("work", session.raw_survey_key), session.table_key, session.raw_key):
        session.forget(key)
    return redirect(request, "/")


def _render_view(request: Request, view: OpenView) -> Response:
    status = 422 if view.trouble else 200
    known = {"sheets": SHEETS, "view": view, "tab": TAB, "typed": OTHER}
    return render_page(request, TEMPLATE, step=STEP, status=status, **known)


def _read_settings(form: Form) -> dict[str, str]:
    """Return the settings for reading the table, from the fields of the form."""
    said = {name: form.get(name).strip() or form.get(name)[:1] for name in READING_FIELDS if form.get(name)}
    for name in ("encoding", "delimiter"):
        if said.get(name) == OTHER:
            said[name] = form.get(f"{name}_typed") or ""
    if said.get("delimiter") == "\t":
        said["delimiter"] = TAB
    return {name: text for name, text in said.items() if text}


ROUTES = [
    Route("/", show),
    Route("/files/{number:int}", browse),
    Route("/open", choose, methods=["POST"]),
    Route("/open/reading", read_again, methods=["POST"]),
    Route("/open/stop", stop, methods=["POST"]),
    Route("/open/again", start_again, methods=["POST"]),
    Route("/demonstration", demonstrate, methods=["POST"]),
    Route("/open/trust", trust, methods=["POST"]),
]
