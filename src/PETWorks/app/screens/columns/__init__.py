"""Step 2: what each column says about a person. Roles are suggested, and count for nothing until they are confirmed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from PETWorks.app.answering import Say, fragments, language_of, page, wants_fragments
from PETWorks.app.desk import Desk, opened
from PETWorks.app.files import Standing
from PETWorks.app.forms import BadRequestError, form_of
from PETWorks.app.notices import PATIENCE, still_looking
from PETWorks.app.project.draft import KEYS, Change, Draft
from PETWorks.app.screens.columns.view import ROLES, Asked, ColumnsView, Found
from PETWorks.facts.roles import Role
from PETWorks.inspection.survey import Survey

TEMPLATE, STEP = "columns.html", 2
CHANGED = ("answer", "door", "steps", "dock", "columns_changed.html")


def standing(desk: Desk, say: Say) -> Standing:
    """Tell in the bar of steps how many columns are decided."""
    columns = desk.columns
    decided = desk.draft.roles_of(columns)
    if len(decided) < len(columns):
        return Standing(done=False, words=say("columns_standing", decided=len(decided), columns=len(columns)))
    quasi = Role.QUASI_IDENTIFIER in decided.values()
    return Standing(done=quasi, words=say("columns_standing_all", columns=len(columns)))


def show(request: Request) -> Response:
    """Show the columns, or that the table is still being looked at."""
    desk = opened(request)
    if busy := still_looking(request, desk, STEP):
        return busy
    asked = Asked.of(request.query_params)
    if wants_fragments(request):
        return _changed(request, desk, asked, request.query_params)
    known = _view(request, desk, desk.survey.value, asked)
    return page(request, TEMPLATE, step=STEP, sheets=("columns",), **known)


def decide(request: Request) -> Response:
    """Give a column a role: the one that was chosen, or else the suggested one."""
    desk, form = opened(request), form_of(request)
    column = column_of(desk, request.path_params["number"])
    if not (work := desk.survey).wait(PATIENCE):
        return RedirectResponse("/columns", 303)
    role = _role(form.get("role")) or work.value.inspection[column].role
    if role is None:
        raise BadRequestError("no role was chosen")
    before = desk.draft.roles_of([column]).get(column)
    if before is not role:
        told = {"column": column, "role": str(role), **({"columns_before": str(before)} if before else {})}
        change = Change("columns_change" if before else "columns_role", **told)
        desk.apply(form, change, desk.draft.with_role(column, role))
    return _changed(request, desk, Asked.of(form), form)


def decide_together(request: Request) -> Response:
    """Confirm the suggested role of all open columns that were found by one reason."""
    desk, form = opened(request), form_of(request)
    if not (work := desk.survey).wait(PATIENCE):
        return RedirectResponse("/columns", 303)
    survey, asked, role = work.value, Asked.of(form), _role(form["role"])
    roles = desk.draft.roles_of(desk.columns)
    found = Found.of(survey.inspection.columns, roles, asked).together(roles)
    if role is None or role not in found:
        raise BadRequestError("no column that waits has this reason and this role")
    change = Change("columns_together", columns=len(found[role]), role=str(role))
    desk.apply(form, change, _with_roles(desk.draft, role, found[role]))
    return fragments(
        request,
        TEMPLATE,
        ["main", "steps", "dock"],
        to=asked.address(),
        step=STEP,
        **_view(request, desk, survey, asked),
    )


def _role(chosen: str) -> Role | None:
    return Role(chosen) if chosen in [*Role] else None


def _with_roles(draft: Draft, role: Role, names: list[str]) -> Draft:
    """Return a draft in which columns that are open have this role."""
    roles = draft.section("roles")
    return draft.with_section("roles", {**roles, KEYS[role]: [*roles.get(KEYS[role], ()), *names]})


def column_of(desk: Desk, number: int) -> str:
    """Return the name of a column by its number in addresses, from 1."""
    if not 0 < number <= len(desk.columns):
        raise HTTPException(404)
    return desk.columns[number - 1]


def _view(request: Request, desk: Desk, survey: Survey, asked: Asked, numbers: str = "") -> dict[str, Any]:
    view = ColumnsView.of(desk, survey, asked, language_of(request), numbers)
    if view.counting:
        again = desk.background(("classes", desk.table_key, tuple(view.quasi)), lambda _: survey.tally(view.quasi))
        if again.wait(PATIENCE):
            view = ColumnsView.of(desk, survey, asked, language_of(request), numbers)
    return {"view": view, "roles": ROLES, "numbers": numbers}


def _changed(request: Request, desk: Desk, asked: Asked, fields: Mapping[str, str]) -> Response:
    """Answer with the parts that a decision changes; the columns that are on the page stay in their places."""
    known = _view(request, desk, desk.survey.value, asked, fields.get("shown", ""))
    return fragments(request, TEMPLATE, CHANGED, to=asked.address(), step=STEP, **known)


ROUTES = [
    Route("/columns", show),
    Route("/columns/together", decide_together, methods=["POST"]),
    Route("/columns/{number:int}", decide, methods=["POST"]),
]
