"""Columns that look like identifiers and would be published as they are: told on every screen that decides.

Which screens mend a problem: where something is missing, a button leads to the screen that decides about it.

While the table is being looked at, screens that need what is found say so, and ask again by themselves.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response

from PETWorks.app.answering import Say, fragments, page, wants_fragments
from PETWorks.app.desk import Desk
from PETWorks.app.screens.requirements.asking import kind_of, lifted, sensitive_of
from PETWorks.errors import GoalError, HierarchyError, OutputError, PersonError, PETWorksError, RoleError, SourceError
from PETWorks.facts.roles import Role
from PETWorks.inspection.survey import Survey
from PETWorks.inspection.uniqueness import published_identifiers, published_note
from PETWorks.measure.base import Need
from PETWorks.measure.steps import Name
from PETWorks.render.page.markup import PAGE
from PETWorks.render.text import warning_text

PATIENCE = 0.3  # seconds that a page waits until the table is looked at


def published_of(desk: Desk) -> tuple[str, ...] | None:
    """Return the columns, by the roles that are decided; None while the table is being looked at."""
    work = desk.survey
    return published_in(work.value, desk) if work.wait(PATIENCE) else None


def published_in(survey: Survey, desk: Desk) -> tuple[str, ...]:
    """Return the columns of a table that was looked at, by the roles that are decided."""
    draft = desk.draft
    return published_identifiers(survey.inspection, draft.roles_of(desk.columns), draft.data.get("weight"))


def but(title: Markup, columns: Sequence[str] | None, say: Say) -> Markup:
    """Return an answer that does not hide what no measure sees."""
    return title + say("frame_but_published", columns=[Name(one) for one in columns]) if columns else title


def told(columns: Sequence[str] | None, language: str) -> Markup:
    """Write the warning, as reports begin with it; "" if there is nothing to be told."""
    return Markup(warning_text(published_note(columns), language, PAGE)) if columns else Markup()  # noqa: S704 (escaped)


class Door(NamedTuple):
    """A screen, and the key of the words of its button."""

    address: str
    key: str


OPEN, COLUMNS = Door("/", "frame_to_open"), Door("/columns", "frame_to_columns")
HIERARCHIES, REQUIREMENTS = Door("/hierarchies", "frame_to_hierarchies"), Door("/requirements", "frame_to_requirements")
EXPLORE = Door("/explore", "frame_to_explore")
PLACES = {"[roles]": COLUMNS, "[hierarchies": HIERARCHIES, "[[require]]": REQUIREMENTS, "[anonymize": EXPLORE}


def doors(desk: Desk, error: PETWorksError) -> tuple[Door, ...]:
    """Return the screens that mend an error, the first one first."""
    found = dict.fromkeys(_missing(desk))
    if not found:
        each = getattr(error, "problems", ()) or (error,)
        found = dict.fromkeys(_door(one) for one in each if not isinstance(one, OutputError))
    return tuple(found)


def _missing(desk: Desk) -> Iterator[Door]:
    """Yield the screens on which something is not decided that every release, or a requirement, needs."""
    try:
        columns = desk.columns
    except PETWorksError:
        yield OPEN
        return
    roles, sensitive = desk.draft.roles_of(columns), sensitive_of(desk)
    if len(roles) < len(columns) or Role.QUASI_IDENTIFIER not in roles.values():
        yield COLUMNS
    asked = desk.draft.requirements
    if not sensitive and any(Need.SENSITIVE in kind.needs for one in asked if (kind := kind_of(one))):
        yield from (COLUMNS, REQUIREMENTS)
    made = {key.strip() for key in desk.draft.rules}
    if any(name not in made for one in asked for name in lifted(one, sensitive)):
        yield from (HIERARCHIES, REQUIREMENTS)


def _door(error: PETWorksError) -> Door:
    """Return the screen that an error is about: by its kind, or by the place in the policy that it names."""
    if isinstance(error, GoalError):
        return EXPLORE
    if isinstance(error, HierarchyError):
        return HIERARCHIES
    if isinstance(error, RoleError | PersonError):
        return COLUMNS
    if isinstance(error, SourceError):
        return OPEN
    return next((door for place, door in PLACES.items() if place in error.where), REQUIREMENTS)


TEMPLATE = "columns_busy.html"


def still_looking(request: Request, desk: Desk, step: int) -> Response | None:
    """Return the page that says that the table is being looked at; None if that is done."""
    path, work = request.url.path, desk.survey
    if work.wait(PATIENCE):
        if wants_fragments(request) and request.query_params.get("busy"):  # the whole page is new
            return Response(headers={"X-Go": path}, media_type="text/html")
        return None
    address = f"{path}?busy=1"
    if wants_fragments(request):
        return fragments(request, TEMPLATE, ["busy"], to=path, step=step, work=work, address=address)
    return page(request, TEMPLATE, step=step, work=work, address=address)
