"""Step 2: the role of each column. Suggested roles have no effect until they are confirmed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from PETWorks.app.files import StepState
from PETWorks.app.forms import BadRequestError, form_of
from PETWorks.app.notices import WAIT_SECONDS, render_busy
from PETWorks.app.project.draft import KEYS, Change, Draft, find_step
from PETWorks.app.responses import Say, language_of, render_fragments, render_page, wants_fragments
from PETWorks.app.screens.columns.view import ROLES, ColumnQuery, ColumnSelection, ColumnsView
from PETWorks.app.session import Session, require_session
from PETWorks.facts.roles import Role
from PETWorks.inspection.survey import Survey

TEMPLATE, STEP = "columns.html", find_step("columns")
CHANGED_PARTS = ("answer", "door", "steps", "dock", "columns_changed.html")


def describe_step(session: Session, say: Say) -> StepState:
    """Return the state of the step: how many columns have a role."""
    columns = session.columns
    decided = session.draft.roles_of(columns)
    if len(decided) < len(columns):
        return StepState(done=False, words=say("columns_standing", decided=len(decided), columns=len(columns)))
    quasi = Role.QUASI_IDENTIFIER in decided.values()
    return StepState(done=quasi, words=say("columns_standing_all", columns=len(columns)))


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
    found = ColumnSelection.of(survey.inspection.columns, roles, query).group_open(roles)
    if role is None or role not in found:
        raise BadRequestError("no column that waits has this reason and this role")
    change = Change("columns_together", columns=len(found[role]), role=str(role))
    session.apply(form, change, _with_roles(session.draft, role, found[role]))
    return render_fragments(
        request,
        TEMPLATE,
        ["main", "steps", "dock"],
        to=query.address(),
        step=STEP,
        **_build_context(request, session, survey, query),
    )


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
    request: Request, session: Session, survey: Survey, query: ColumnQuery, numbers: str = ""
) -> dict[str, Any]:
    view = ColumnsView.of(session, survey, query, language_of(request), numbers)
    if view.counting:
        again = session.run_in_background(
            ("classes", session.table_key, tuple(view.quasi)), lambda _: survey.tally(view.quasi)
        )
        if again.wait(WAIT_SECONDS):
            view = ColumnsView.of(session, survey, query, language_of(request), numbers)
    return {"view": view, "roles": ROLES, "numbers": numbers}


def _render_changes(request: Request, session: Session, query: ColumnQuery, fields: Mapping[str, str]) -> Response:
    """Answer with the parts that a decision changes; the columns on the page stay in their places."""
    known = _build_context(request, session, session.survey.value, query, fields.get("shown", ""))
    return render_fragments(request, TEMPLATE, CHANGED_PARTS, to=query.address(), step=STEP, **known)


ROUTES = [
    Route("/columns", show),
    Route("/columns/together", decide_together, methods=["POST"]),
    Route("/columns/{number:int}", decide, methods=["POST"]),
]
