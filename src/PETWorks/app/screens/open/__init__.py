"""Step 1: which table is it about? It is read where it lies, and nothing is written before it can be read.

Whose rows are they? Asked where a column repeats as the number of a person does who has several rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from PETWorks.app.answering import Say, fragments, go, language_of, page, wants_fragments
from PETWorks.app.desk import Desk, opened
from PETWorks.app.files import Running, Standing
from PETWorks.app.forms import BadRequestError, Form, form_of
from PETWorks.app.project.draft import Change
from PETWorks.app.screens.open.view import OpenView, Trouble, part_of
from PETWorks.app.starting import is_project, open_demonstration, open_project, open_table
from PETWorks.errors import PETWorksError
from PETWorks.facts.people import KNOWN, UNKNOWN
from PETWorks.facts.roles import Role
from PETWorks.measure.steps import Name
from PETWorks.policy.data import TAB
from PETWorks.tables.opening import open_source

ONE, ALL = KNOWN


@dataclass(frozen=True)
class Repeating:
    """A column that may say whose rows they are."""

    number: int
    name: Name
    people: int  # different cells
    chosen: bool


@dataclass(frozen=True)
class Persons:
    """What is asked about persons, and what was answered."""

    columns: Sequence[Repeating]
    known: str
    unknown: str
    lacking: bool  # True: some rows of these columns have no person

    @classmethod
    def of(cls, desk: Desk) -> Persons | None:
        """Return what is asked of a table that was read; None if no column repeats as persons do."""
        if (found := desk.inspected) is None:
            return None
        data = desk.draft.data
        offered = {*found.persons, data.get("person")}
        columns = [one for one in found if one.name in offered]
        numbers = {name: number for number, name in enumerate(desk.columns, 1)}
        listed = [
            Repeating(numbers[one.name], Name(one.name), one.distinct, one.name == data.get("person"))
            for one in columns
        ]
        lacking = any(one.missing for one in columns)
        return cls(listed, data.get("known", ONE), data.get("unknown_person", ""), lacking) if listed else None

    @property
    def none(self) -> bool:
        """True if every row is taken for one person."""
        return not any(one.chosen for one in self.columns)


def tell(request: Request) -> Response:
    """Write down whose rows they are: the column is an identifier, and requirements count people."""
    desk, form = opened(request), form_of(request)
    known, unknown = _word(form, "known", KNOWN), _word(form, "unknown_person", ("", *UNKNOWN))
    if not form["person"]:
        draft, change = desk.draft.with_data(person=None, known=None, unknown_person=None), Change("open_nobody")
    elif not 1 <= (number := form.number("person")) <= len(desk.columns):
        raise BadRequestError("there is no such column")
    else:
        name = desk.columns[number - 1]
        said = {"person": name, "known": ALL if known == ALL else None, "unknown_person": unknown or None}
        draft = desk.draft.with_data(**said).with_role(name, Role.IDENTIFIER)
        change = Change("open_person", person=name)
    desk.apply(form, change, draft)
    return go(request, "/")


def _word(form: Form, name: str, words: Sequence[str]) -> str:
    if (word := form.get(name, words[0])) not in words:
        raise BadRequestError(f"the field {name!r} has no such value")
    return word


PERSONS_ROUTES = [Route("/open/persons", tell, methods=["POST"])]


TEMPLATE, STEP, SHEETS = "open.html", 1, ("open",)
PATIENCE = 0.3  # seconds that a page waits for the table before it says that it is busy
READING = ("encoding", "delimiter", "sheet", "value_labels")
TYPED = "other"  # an encoding or a delimiter that is typed


def standing(desk: Desk, say: Say) -> Standing:
    """Tell the size of the table."""
    inspection = desk.inspected
    if inspection is None:
        return Standing(done=False, words=say("open_standing_columns", columns=len(desk.columns)))
    return Standing(done=True, words=say("open_standing", rows=inspection.rows, columns=len(inspection)))


def show(request: Request) -> Response:
    """Show the table that is open, how it was read, and what else can be opened."""
    running: Running = request.app.state.running
    if (desk := running.desk) is None:
        return _page(request, OpenView.empty(running.chooser))
    desk.project.refresh()
    try:
        ended = desk.survey.stopping or desk.survey.wait(PATIENCE)
        if ended and wants_fragments(request):  # what was waited for is there: the whole page is new
            return go(request, "/")
        view = _view(request, running, desk)
    except PETWorksError as error:  # the table is not there, or cannot even be opened
        view = OpenView.failed(running.chooser, desk, Trouble.of(error))
    if wants_fragments(request):
        return fragments(request, TEMPLATE, ["answer"], to="/", step=STEP, view=view)
    return _page(request, view)


def _view(request: Request, running: Running, desk: Desk) -> OpenView:
    """Return what is shown of the table, whether it was read or not."""
    work, chooser = desk.survey, running.chooser
    if work.stopping:
        return OpenView.stopped(chooser, desk)
    if work.state == "running":
        return OpenView.busy(chooser, desk, work)
    if problem := work.problem:
        return OpenView.failed(chooser, desk, Trouble.of(problem, desk.table.source))
    desk.remember_counted()
    part, small = part_of(request.query_params.get("part", "")), running.shows_small(request)
    return OpenView.read(chooser, desk, work.value, part, language_of(request), rows=small)


def choose(request: Request) -> Response:
    """Open a table, a project or a folder of the chooser; a table that cannot be read is told, and nothing is made."""
    running, form = request.app.state.running, form_of(request)
    chooser = running.chooser
    reading = _reading(form)
    path = None
    try:
        path = chooser.named(form["path"]) if form.get("path").strip() else chooser.path(form.number("number"))
        if is_project(path if path.is_dir() else path.parent) and (path.is_dir() or path.suffix == ".toml"):
            open_project(running, path if path.is_dir() else path.parent)
        elif path.is_dir() and not any(path.glob("*.parquet")):
            return go(request, f"/files/{chooser.number(path)}")
        else:
            open_table(running, path, **reading)
    except PETWorksError as error:
        number = chooser.number(path) if path else None
        view = OpenView.refused(chooser, Trouble.of(error, path=path), number, reading)
        return _page(request, view)
    return go(request, "/")


def browse(request: Request) -> Response:
    """Show what is in a folder."""
    running: Running = request.app.state.running
    return _page(request, OpenView.empty(running.chooser, request.path_params["number"], desk=running.desk))


def demonstrate(request: Request) -> Response:
    """Open the demonstration."""
    form_of(request)
    open_demonstration(request.app.state.running)
    return go(request, "/")


def read_again(request: Request) -> Response:
    """Read the table in another encoding, with another delimiter, or another sheet of it."""
    desk, form = opened(request), form_of(request)
    reading = _reading(form)
    draft = desk.draft.with_data(**{name: reading.get(name) for name in READING if name in form})
    try:
        open_source(desk.table_path, "table", *draft.reading)
    except PETWorksError as error:
        chooser = request.app.state.running.chooser
        return _page(request, OpenView.failed(chooser, desk, Trouble.of(error, path=desk.table_path), reading))
    told = {name: text for name, text in reading.items() if text != desk.draft.data.get(name)}
    name, text = next(iter(told.items()), ("reading", ""))
    change = Change(f"open_{name}", **({name: text} if text else {}))
    desk.apply(form, change, draft)
    return go(request, "/")


def stop(request: Request) -> Response:
    """Stop reading the table; the project stays."""
    desk = opened(request)
    form_of(request)
    desk.survey.stop()
    return go(request, "/")


def start_again(request: Request) -> Response:
    """Read a table again whose reading was stopped, or failed."""
    desk = opened(request)
    form_of(request)
    desk.forget(("work", desk.survey_key))
    desk.forget(desk.table_key)
    return go(request, "/")


def _page(request: Request, view: OpenView) -> Response:
    status, desk = 422 if view.trouble else 200, request.app.state.running.desk
    asked = Persons.of(desk) if desk and view.state == "read" else None
    known = {"sheets": SHEETS, "view": view, "persons": asked, "tab": TAB, "typed": TYPED}
    return page(request, TEMPLATE, step=STEP, status=status, **known)


def _reading(form: Form) -> dict[str, str]:
    """Return how the table is to be read, as far as the form says."""
    said = {name: form.get(name).strip() or form.get(name)[:1] for name in READING if form.get(name)}
    for name in ("encoding", "delimiter"):
        if said.get(name) == TYPED:
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
    *PERSONS_ROUTES,
]
