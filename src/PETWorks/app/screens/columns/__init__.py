"""Step 3: whose row a row is, and for each column its role and what is done with it.

Suggested roles have no effect until they are confirmed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from PETWorks.app.files import StepState
from PETWorks.app.forms import BadRequestError, Form, form_of
from PETWorks.app.notices import WAIT_SECONDS, render_busy
from PETWorks.app.project.draft import KEYS, Change, Draft, Table, find_step
from PETWorks.app.responses import Say, language_of, redirect, render_fragments, render_page, wants_fragments
from PETWorks.app.screens.columns.persons import PersonsQuestion, find_answer, read_answer
from PETWorks.app.screens.columns.treatments import (
    DEFAULTS,
    FIELDS,
    OFFERED,
    ColumnTreatmentForm,
    find_misfit,
    read_settings,
)
from PETWorks.app.screens.columns.view import (
    ROLES,
    Asked,
    ColumnQuery,
    ColumnSelection,
    ColumnsView,
    group_suggested,
)
from PETWorks.app.session import Session, require_session
from PETWorks.errors import PETWorksError
from PETWorks.facts.roles import Role
from PETWorks.inspection.survey import Survey
from PETWorks.settings.treatments import read_treatment
from PETWorks.user.keys import new_key, read_key

TEMPLATE, STEP = "columns.html", find_step("columns")
CHANGED_PARTS = ("answer", "door", "steps", "dock", "columns_changed.html")


def describe_step(session: Session, say: Say) -> StepState:
    """Return the state of the step: how many columns have a role."""
    columns = session.columns
    decided = session.draft.roles_of(columns)
    if len(decided) < len(columns):
        return StepState(done=False, words=say("columns_standing", decided=len(decided), columns=len(columns)))
    done = Role.QUASI_IDENTIFIER in decided.values() and bool(find_answer(session.draft))
    return StepState(done=done, words=say("columns_standing_all", columns=len(columns)))


def show(request: Request) -> Response:
    """Show the columns, or that the table is still being inspected."""
    session = require_session(request)
    if busy := render_busy(request, session, STEP):
        return busy
    query = ColumnQuery.of(request.query_params)
    if wants_fragments(request):
        return _render_changes(request, session, query, request.query_params)
    known = _build_context(request, session, session.survey.value, query)
    return render_page(request, TEMPLATE, step=STEP, sheets=("columns",), **known)


def decide(request: Request) -> Response:
    """Set the role of a column: the chosen one, else the suggested one."""
    session, form = require_session(request), form_of(request)
    column = find_column(session, request.path_params["number"])
    if not (work := session.survey).wait(WAIT_SECONDS):
        return RedirectResponse("/columns", 303)
    role = _parse_role(form.get("role")) or work.value.inspection[column].role
    if role is None:
        raise BadRequestError("no role was chosen")
    before = session.draft.roles_of([column]).get(column)
    if before is not role:
        figures = {"column": column, "role": str(role), **({"columns_before": str(before)} if before else {})}
        change = Change("columns_change" if before else "columns_role", **figures)
        session.apply(form, change, session.draft.with_role(column, role))
    return _render_changes(request, session, ColumnQuery.of(form), form)


def decide_together(request: Request) -> Response:
    """Confirm the suggested role of all open columns with the same reason."""
    session, form = require_session(request), form_of(request)
    if not (work := session.survey).wait(WAIT_SECONDS):
        return RedirectResponse("/columns", 303)
    survey, query, role = work.value, ColumnQuery.of(form), _parse_role(form["role"])
    roles = session.draft.roles_of(session.columns)
    if form.get("all"):
        found = group_suggested(survey.inspection.columns, roles)
    else:
        found = ColumnSelection.of(survey.inspection.columns, roles, query).group_open(roles)
    if role is None or role not in found:
        raise BadRequestError("no undecided column has this reason and this suggested role")
    change, draft = Change("columns_together", columns=len(found[role]), role=str(role)), session.draft
    if form.get("all") and role is Role.IDENTIFIER:
        for name in found[role]:
            draft = draft if name in draft.treatments else draft.with_treatment(name, {"remove": True})
    session.apply(form, change, _with_roles(draft, role, found[role]))
    return render_fragments(
        request,
        TEMPLATE,
        ["main", "steps", "dock"],
        to=query.address(),
        step=STEP,
        **_build_context(request, session, survey, query),
    )


def set_person(request: Request) -> Response:
    """Set whose row a row is; if a reason is missing, ask for it and change nothing."""
    session, form = require_session(request), form_of(request)
    if not (work := session.survey).wait(WAIT_SECONDS):
        return RedirectResponse("/columns", 303)
    if found := read_answer(session, form):
        session.apply(form, *found)
        return redirect(request, "/columns")
    known = _build_context(request, session, work.value, ColumnQuery())
    known["persons"] = PersonsQuestion.of(session, form)
    if wants_fragments(request):
        return render_fragments(request, TEMPLATE, ["persons"], to="/columns", step=STEP, **known)
    return render_page(request, TEMPLATE, step=STEP, status=422, sheets=("columns",), **known)


def treat(request: Request) -> Response:
    """Set what is done with a column; while something is missing, show its fields and change nothing."""
    session, form = require_session(request), form_of(request)
    column, word = find_column(session, request.path_params["number"]), form["treatment"]
    if not (work := session.survey).wait(WAIT_SECONDS):
        return RedirectResponse("/columns", 303)
    draft, kind = session.draft, work.value.inspection[column].kind
    if word and (
        word not in OFFERED or find_misfit(column, word, draft.roles.get(column), kind, draft.data.get("person"))
    ):
        raise BadRequestError("there is no such treatment, or it does not fit")
    sent: Form | dict[str, str] = form if "set" in form else {"treatment": word}
    try:
        settings = _read_treatment(session, form, sent, column) if word else None
    except PETWorksError as error:
        values = {**DEFAULTS, **{name: form.get(name) for name in FIELDS[word] if name in form}}
        asked = ColumnTreatmentForm(word, values=values, problem=error if "set" in form else None)
        return _render_changes(request, session, ColumnQuery.of(form), form, {column: asked})
    change = Change("columns_treat", column=column, columns_treatment=word or "usual")
    session.apply(form, change, draft.with_treatment(column, settings))
    return _render_changes(request, session, ColumnQuery.of(form), form)


def _read_treatment(session: Session, form: Form, sent: Mapping[str, str], column: str) -> Table:
    """Return the treatment that a form says; make the key that it asks for, outside of every project."""
    settings, word = read_settings(sent), form["treatment"]
    if name := sent.get("new_key", "").strip():
        session.project.require_revision(form["revision"])
        read_treatment({word: {**settings[word], "key": name}}, column)
        settings[word]["key"] = new_key(name).name
    read_treatment(settings, column)
    if isinstance(settings.get(word), Mapping) and "key" in settings[word]:
        read_key(settings[word]["key"])
    return settings


def _parse_role(chosen: str) -> Role | None:
    return Role(chosen) if chosen in [*Role] else None


def _with_roles(draft: Draft, role: Role, names: list[str]) -> Draft:
    """Return a draft in which these open columns have this role."""
    roles = draft.section("roles")
    return draft.with_section("roles", {**roles, KEYS[role]: [*roles.get(KEYS[role], ()), *names]})


def find_column(session: Session, number: int) -> str:
    """Return the name of a column by its number in addresses, from 1."""
    if not 0 < number <= len(session.columns):
        raise HTTPException(404)
    return session.columns[number - 1]


def _build_context(
    request: Request,
    session: Session,
    survey: Survey,
    query: ColumnQuery,
    numbers: str = "",
    *,
    asked: Asked | None = None,
) -> dict[str, Any]:
    view = ColumnsView.of(session, survey, query, language_of(request), numbers, asked=asked)
    if view.counting:
        again = session.run_in_background(
            ("classes", session.table_key, tuple(view.quasi)), lambda _: survey.tally(view.quasi)
        )
        if again.wait(WAIT_SECONDS):
            view = ColumnsView.of(session, survey, query, language_of(request), numbers, asked=asked)
    return {"view": view, "roles": ROLES, "numbers": numbers, "persons": PersonsQuestion.of(session)}


def _render_changes(
    request: Request, session: Session, query: ColumnQuery, fields: Mapping[str, str], asked: Asked | None = None
) -> Response:
    """Respond with the parts that a decision changes; the columns on the page stay in their places."""
    known = _build_context(request, session, session.survey.value, query, fields.get("shown", ""), asked=asked)
    if asked and not wants_fragments(request):  # without the script, the fields are on a page of their own
        return render_page(request, TEMPLATE, step=STEP, status=422, sheets=("columns",), **known)
    return render_fragments(request, TEMPLATE, CHANGED_PARTS, to=query.address(), step=STEP, **known)


ROUTES = [
    Route("/columns", show),
    Route("/columns/together", decide_together, methods=["POST"]),
    Route("/columns/person", set_person, methods=["POST"]),
    Route("/columns/{number:int}", decide, methods=["POST"]),
    Route("/columns/{number:int}/treatment", treat, methods=["POST"]),
]
