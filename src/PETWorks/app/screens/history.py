"""Undo and redo, and the settings of a reader: language, theme, small figures."""

from __future__ import annotations

import re

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from PETWorks.app.forms import BadRequestError, form_of
from PETWorks.app.project.draft import Change
from PETWorks.app.responses import LANGUAGE, THEME, THEMES, redirect
from PETWorks.app.session import require_session
from PETWorks.render.words import LANGUAGES

PATH = re.compile(r"/|(/[a-z0-9-]+)+", re.ASCII)  # of a page of the application
YEAR = 365 * 24 * 3600  # seconds


def undo(request: Request) -> Response:
    """Undo the last change, and lead to the screen that shows it."""
    entry = require_session(request).project.undo(form_of(request)["revision"])
    return redirect(request, entry.change.at if entry else "/")


def redo(request: Request) -> Response:
    """Redo the change that was undone last, and lead to the screen that shows it."""
    entry = require_session(request).project.redo(form_of(request)["revision"])
    return redirect(request, entry.change.at if entry else "/")


def show_small(request: Request) -> Response:
    """Show figures of fewer than five people on one page until it is left; write that to the journal."""
    back = _read_path(form_of(request)["back"])
    require_session(request).project.note(Change("frame_small", at=back))
    return redirect(request, f"{back}?small={request.app.state.running.show_small(back)}")


def set_language(request: Request) -> Response:
    """Set the reader's language."""
    return _set_cookie(request, "language", LANGUAGE, LANGUAGES)


def set_theme(request: Request) -> Response:
    """Set the light or dark theme."""
    return _set_cookie(request, "theme", THEME, THEMES)


def _set_cookie(request: Request, name: str, cookie: str, known: tuple[str, ...]) -> Response:
    form = form_of(request)
    if form[name] not in known:
        raise BadRequestError(f"{name} cannot be {form[name]!r:.40}")
    answer = RedirectResponse(_read_path(form["back"]), 303)
    answer.set_cookie(cookie, form[name], max_age=YEAR, httponly=True, samesite="strict")
    return answer


def _read_path(address: str) -> str:
    """Return the path of the page to go back to; raise an error for any other address."""
    if not PATH.fullmatch(address):
        raise BadRequestError("there is no such page to go back to")
    return address


ROUTES = [
    Route("/undo", undo, methods=["POST"]),
    Route("/redo", redo, methods=["POST"]),
    Route("/show-small", show_small, methods=["POST"]),
    Route("/language", set_language, methods=["POST"]),
    Route("/theme", set_theme, methods=["POST"]),
]
