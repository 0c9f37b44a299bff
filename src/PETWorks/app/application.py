"""The web application: the routes of all screens, the handlers of errors, and the static files."""

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
from PETWorks.app.files import STEP_NAMES, RunningApplication
from PETWorks.app.forms import BadRequestError
from PETWorks.app.project.project import StaleError
from PETWorks.app.responses import HERE, render_refusal
from PETWorks.app.session import NoProjectError, StoppedError
from PETWorks.errors import PETWorksError
from PETWorks.measure.steps import Name

REPORT_STYLE = HERE.parent / "render" / "page" / "templates" / "style.css"  # comes first; not copied
MEDIA_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml; charset=utf-8",
}


@lru_cache
def read_static_files() -> dict[str, tuple[bytes, str]]:
    """Return the content and media type of each static file, by its name in addresses."""
    found = {path.name: path for path in sorted((HERE / "static").iterdir()) if path.suffix in MEDIA_TYPES}
    paths: dict[str, Path] = {**found, "report.css": REPORT_STYLE}
    return {name: (path.read_bytes(), MEDIA_TYPES[path.suffix]) for name, path in paths.items()}


def send_static_file(request: Request) -> Response:
    """Answer with a static file; 404 if there is none of this name."""
    found = read_static_files().get(request.path_params["name"])
    if found is None:
        return Response(status_code=404, media_type="text/plain; charset=utf-8")
    return Response(found[0], headers={"content-type": found[1]})


ROUTES = [Route("/static/{name}", send_static_file)]


def build_application(running: RunningApplication) -> Starlette:
    """Build the application. Only `RequestGuard` may call it."""
    modules = {
        found.name: import_module(f"{screens.__name__}.{found.name}") for found in iter_modules(screens.__path__)
    }
    running.describers = {
        name: modules[name].describe_step for name in STEP_NAMES if hasattr(modules.get(name), "describe_step")
    }
    routes: list[BaseRoute] = [
        *ROUTES,
        *(route for module in modules.values() for route in getattr(module, "ROUTES", ())),
    ]
    handlers = {
        NoProjectError: _redirect_to_start,
        StoppedError: _redirect_to_start,  # the first screen offers to read the table again
        StaleError: _refuse_stale,
        BadRequestError: _refuse_bad_request,
        PETWorksError: _refuse_problem,
        HTTPException: _refuse_http,
        Exception: _refuse_failure,
    }
    app = Starlette(routes=routes, exception_handlers=handlers)
    app.state.running = running
    return app


def _redirect_to_start(request: Request, error: Exception) -> Response:  # noqa: ARG001
    return RedirectResponse("/", 303)


def _refuse_stale(request: Request, error: Exception) -> Response:  # noqa: ARG001
    return render_refusal(request, 409, "frame_stale")


def _refuse_bad_request(request: Request, error: Exception) -> Response:
    return render_refusal(request, 400, "frame_bad_request", problem=Name(str(error)))


def _refuse_problem(request: Request, error: Exception) -> Response:
    """Show an error of the library that no screen caught, without values of tables."""
    problem = error.summarise() if isinstance(error, PETWorksError) else str(error)
    return render_refusal(request, 422, "frame_problem", problem=Name(problem))


def _refuse_http(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    key = "frame_missing" if status == HTTPStatus.NOT_FOUND else "frame_bad_request"
    return render_refusal(request, status, key, problem=Name(str(status)))


def _refuse_failure(request: Request, error: Exception) -> Response:
    """Show that the application failed. The error itself may hold cells; only the terminal shows it."""
    return render_refusal(request, 500, "frame_failed", problem=Name(type(error).__name__))
