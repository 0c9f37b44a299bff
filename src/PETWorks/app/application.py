"""Builds the application: the routes of all screens, and what happens when one of them raises an error.

Style sheets, script and icon: files of ours that hold nothing of any table.
"""

from __future__ import annotations

from functools import lru_cache
from http import HTTPStatus
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from PETWorks.app import screens
from PETWorks.app.answering import HERE, refused
from PETWorks.app.desk import NoProjectError, StoppedError
from PETWorks.app.files import NAMES, Running
from PETWorks.app.forms import BadRequestError
from PETWorks.app.project.project import StaleError
from PETWorks.errors import PETWorksError
from PETWorks.measure.steps import Name

REPORT = HERE.parent / "render" / "page" / "templates" / "style.css"  # comes first; not copied
KINDS = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml; charset=utf-8",
}


@lru_cache
def files() -> dict[str, tuple[bytes, str]]:
    """Return the content and the type of each file, by its name in addresses."""
    found = {path.name: path for path in sorted((HERE / "static").iterdir()) if path.suffix in KINDS}
    paths: dict[str, Path] = {**found, "report.css": REPORT}
    return {name: (path.read_bytes(), KINDS[path.suffix]) for name, path in paths.items()}


def send(request: Request) -> Response:
    """Answer with a file."""
    found = files().get(request.path_params["name"])
    if found is None:
        return Response(status_code=404, media_type="text/plain; charset=utf-8")
    return Response(found[0], headers={"content-type": found[1]})


ROUTES = [Route("/static/{name}", send)]


def application(running: Running) -> Starlette:
    """Build the application for what is running. `gate.py` must stand before it."""
    modules = {
        found.name: import_module(f"{screens.__name__}.{found.name}") for found in iter_modules(screens.__path__)
    }
    running.tellers = {name: modules[name].standing for name in NAMES if hasattr(modules.get(name), "standing")}
    routes: list[BaseRoute] = [
        *ROUTES,
        *(route for module in modules.values() for route in getattr(module, "ROUTES", ())),
    ]
    handlers = {
        NoProjectError: _to_the_start,
        StoppedError: _to_the_start,  # the first screen offers to read the table again
        StaleError: _stale,
        BadRequestError: _bad_request,
        PETWorksError: _problem,
        HTTPException: _http,
        Exception: _failed,
    }
    app = Starlette(routes=routes, exception_handlers=handlers)
    app.state.running = running
    return app


def _to_the_start(request: Request, error: Exception) -> Response:  # noqa: ARG001
    return RedirectResponse("/", 303)


def _stale(request: Request, error: Exception) -> Response:  # noqa: ARG001
    return refused(request, 409, "frame_stale")


def _bad_request(request: Request, error: Exception) -> Response:
    return refused(request, 400, "frame_bad_request", problem=Name(str(error)))


def _problem(request: Request, error: Exception) -> Response:
    """Tell an error of ours that a screen did not expect, without values of tables."""
    problem = error.guarded() if isinstance(error, PETWorksError) else str(error)
    return refused(request, 422, "frame_problem", problem=Name(problem))


def _http(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    key = "frame_missing" if status == HTTPStatus.NOT_FOUND else "frame_bad_request"
    return refused(request, status, key, problem=Name(str(status)))


def _failed(request: Request, error: Exception) -> Response:
    """Tell that something of ours is wrong; what it was may hold cells, and stays in the terminal."""
    return refused(request, 500, "frame_failed", problem=Name(type(error).__name__))
