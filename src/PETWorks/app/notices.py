"""Notices that several screens share.

A warning of columns that look like identifiers and would be published unchanged. Buttons that lead from a problem to
the screens that can solve it. The page that is shown while the table is inspected, and that polls until this is done.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response

from PETWorks.app.responses import Say, render_fragments, render_page, wants_fragments
from PETWorks.app.screens.requirements.requirement_form import find_measure_class, list_generalised, list_sensitive
from PETWorks.app.session import Session
from PETWorks.errors import GoalError, HierarchyError, OutputError, PersonError, PETWorksError, RoleError, SourceError
from PETWorks.facts.roles import Role
from PETWorks.inspection.survey import Survey
from PETWorks.inspection.uniqueness import build_published_note, find_published_identifiers
from PETWorks.measure.base import Need
from PETWorks.measure.steps import Name
from PETWorks.render.page.markup import PAGE
from PETWorks.render.text import warning_text

WAIT_SECONDS = 0.3  # that a page waits for the inspection of the table


def find_published(session: Session) -> tuple[str, ...] | None:
    """Return the published identifiers by the decided roles; None while the table is inspected."""
    work = session.survey
    return find_published_in(work.value, session) if work.wait(WAIT_SECONDS) else None


def find_published_in(survey: Survey, session: Session) -> tuple[str, ...]:
    """Return the published identifiers of a surveyed table by the decided roles."""
    draft = session.draft
    return find_published_identifiers(survey.inspection, draft.roles_of(session.columns), draft.data.get("weight"))


def append_published(title: Markup, columns: Sequence[str] | None, say: Say) -> Markup:
    """Add to an answer the columns that would be published as identifiers."""
    return title + say("frame_but_published", columns=[Name(one) for one in columns]) if columns else title


def render_published(columns: Sequence[str] | None, language: str) -> Markup:
    """Render the warning of published identifiers, as in reports; "" if there are none."""
    return Markup(warning_text(build_published_note(columns), language, PAGE)) if columns else Markup()  # noqa: S704 (escaped)


class ScreenLink(NamedTuple):
    """The address of a screen, and the key of the words of its button."""

    address: str
    key: str


OPEN, COLUMNS = ScreenLink("/", "frame_to_open"), ScreenLink("/columns", "frame_to_columns")
PREPARE = ScreenLink("/prepare", "frame_to_prepare")
HIERARCHIES, REQUIREMENTS = (
    ScreenLink("/hierarchies", "frame_to_hierarchies"),
    ScreenLink("/requirements", "frame_to_requirements"),
)
EXPLORE = ScreenLink("/explore", "frame_to_explore")
PLACES = {
    "[prepare": PREPARE,
    "[derive": PREPARE,
    "[treat": COLUMNS,
    "[roles]": COLUMNS,
    "[hierarchies": HIERARCHIES,
    "[[require]]": REQUIREMENTS,
    "[anonymize": EXPLORE,
}


def find_mending_screens(session: Session, error: PETWorksError) -> tuple[ScreenLink, ...]:
    """Return the screens that can solve an error, in the order to visit them."""
    if is_of_preparing(session, error):
        return (PREPARE,)
    found = dict.fromkeys(_find_undecided(session))
    if not found:
        each = getattr(error, "problems", ()) or (error,)
        found = dict.fromkeys(_choose_screen(one) for one in each if not isinstance(one, OutputError))
    return tuple(found)


def is_of_preparing(session: Session, error: PETWorksError) -> bool:
    """Return True if an error is about a column that the draft prepares or derives: a step cannot read its cells."""
    columns = {*session.draft.section("prepare"), *session.draft.section("derive")}
    return isinstance(error, SourceError) and any(
        error.where == name or error.where.endswith(f", {name}") for name in columns
    )


def _find_undecided(session: Session) -> Iterator[ScreenLink]:
    """Yield the screens that lack a decision which every release, or a requirement, needs."""
    try:
        columns = session.columns
    except PETWorksError:
        yield PREPARE if _is_readable(session) else OPEN
        return
    roles, sensitive = session.draft.roles_of(columns), list_sensitive(session)
    if len(roles) < len(columns) or Role.QUASI_IDENTIFIER not in roles.values():
        yield COLUMNS
    asked = session.draft.requirements
    if not sensitive and any(Need.SENSITIVE in kind.needs for one in asked if (kind := find_measure_class(one))):
        yield from (COLUMNS, REQUIREMENTS)
    made = {key.strip() for key in session.draft.rules}
    if any(name not in made for one in asked for name in list_generalised(one, sensitive)):
        yield from (HIERARCHIES, REQUIREMENTS)


def _is_readable(session: Session) -> bool:
    """Return True if the raw table can be opened."""
    try:
        return bool(session.raw_table)
    except PETWorksError:
        return False


def _choose_screen(error: PETWorksError) -> ScreenLink:
    """Return the screen of an error: by its class, or by the section of the policy that it names."""
    if isinstance(error, GoalError):
        return EXPLORE
    if isinstance(error, HierarchyError):
        return HIERARCHIES
    if isinstance(error, RoleError | PersonError):
        return COLUMNS
    found = next((door for place, door in PLACES.items() if place in error.where), None)
    return found or (OPEN if isinstance(error, SourceError) else REQUIREMENTS)


TEMPLATE = "columns_busy.html"


def render_busy(request: Request, session: Session, step: int) -> Response | None:
    """Return the page that is shown while the table is inspected; None if that is done."""
    path, work = request.url.path, session.survey
    if work.wait(WAIT_SECONDS):
        if wants_fragments(request) and request.query_params.get("busy"):  # the whole page is new
            return Response(headers={"X-Go": path}, media_type="text/html")
        return None
    address = f"{path}?busy=1"
    if wants_fragments(request):
        return render_fragments(request, TEMPLATE, ["busy"], to=path, step=step, work=work, address=address)
    return render_page(request, TEMPLATE, step=step, work=work, address=address)
