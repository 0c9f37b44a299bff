"""The web application and its server.

The application: the routes of all screens, the handlers of errors, and the static files. The server: a port of this
machine, a link with a token, and the end by a signal or after an idle time.
"""

from __future__ import annotations

import asyncio
import signal
import socket
import sys
import time
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from http import HTTPStatus
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from tempfile import TemporaryDirectory
from threading import Thread, current_thread, main_thread
from typing import Any

import uvicorn
from markupsafe import escape
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route
from uvicorn.protocols.http.h11_impl import H11Protocol

from PETWorks.app import screens
from PETWorks.app.files import STEP_NAMES, RunningApplication
from PETWorks.app.forms import BadRequestError
from PETWorks.app.notices import PREPARE, is_of_preparing
from PETWorks.app.project.project import StaleError, UntrustedError
from PETWorks.app.request_guard import MAX_REQUEST_SECONDS, RequestGuard
from PETWorks.app.responses import HERE, language_of, make_say, render_page, render_refusal
from PETWorks.app.session import NoProjectError, StoppedError
from PETWorks.errors import ParameterError, PETWorksError
from PETWorks.measure.steps import Name
from PETWorks.render.atomic_write import write_whole

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
        UntrustedError: _refuse_untrusted,
        BadRequestError: _refuse_bad_request,
        PETWorksError: _refuse_problem,
        HTTPException: _refuse_http,
        Exception: _refuse_failure,
    }
    app = Starlette(routes=routes, exception_handlers=handlers)
    app.router.redirect_slashes = False  # it would redirect to an address without the path of the guard
    app.state.running = running
    return app


def _redirect_to_start(request: Request, error: Exception) -> Response:  # noqa: ARG001
    return RedirectResponse("/", 303)


def _refuse_stale(request: Request, error: Exception) -> Response:  # noqa: ARG001
    return render_refusal(request, 409, "frame_stale")


def _refuse_untrusted(request: Request, error: Exception) -> Response:  # noqa: ARG001
    return render_refusal(request, 422, "frame_untrusted")


def _refuse_bad_request(request: Request, error: Exception) -> Response:
    return render_refusal(request, 400, "frame_bad_request", problem=Name(str(error)))


def _refuse_problem(request: Request, error: Exception) -> Response:
    """Show an error of the library that no screen caught, without values of tables."""
    session = request.app.state.running.session
    if session and isinstance(error, PETWorksError) and is_of_preparing(session, error):
        say = make_say(language_of(request))
        message = {"title": say("frame_unprepared_title"), "lead": say("frame_unprepared_lead")}
        return render_page(request, "refused.html", status=422, message=message, problem=error, to=PREPARE)
    problem = error.summarise() if isinstance(error, PETWorksError) else str(error)
    return render_refusal(request, 422, "frame_problem", problem=Name(problem))


def _refuse_http(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    key = "frame_missing" if status == HTTPStatus.NOT_FOUND else "frame_bad_request"
    return render_refusal(request, status, key, problem=Name(str(status)))


def _refuse_failure(request: Request, error: Exception) -> Response:
    """Show that the application failed. The error itself may hold cells; only the terminal shows it."""
    return render_refusal(request, 500, "frame_failed", problem=Name(type(error).__name__))


LOCAL_HOSTS = ("127.0.0.1", "localhost", "[::1]")  # of this machine, in addresses
MAX_IDLE_SECONDS = 3600.0  # seconds without a request after which it stops
MAX_HEADER_BYTES = 2**16  # bytes of the headers of a request: other applications of this machine set cookies, too
SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")


class AppServer:
    """The application on a port: `url` opens it once. `public` is the address of a proxy in front of it.

    `announce` is called with a new address when one was used after it expired.
    """

    def __init__(
        self,
        running: RunningApplication,
        host: str,
        port: int,
        public: str = "",
        announce: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._socket = _open_socket(host, port)
        self.port = self._socket.getsockname()[1]
        origins = (public,) if public else tuple(f"http://{name}:{self.port}" for name in LOCAL_HOSTS)
        self._running = running
        shown = f"[{host}]" if ":" in host else host
        address = public or f"http://{shown}:{self.port}"
        application = build_application(running)
        self._gate = RequestGuard(
            application, origins, f"petworks_{self.port}", lambda link: announce(f"{address}{link}")
        )
        self.url = f"{address}{self._gate.link}"

    def run(self, started: Callable[[], None], *, idle: float = MAX_IDLE_SECONDS) -> bool:
        """Serve until a signal, or until no request came for `idle` seconds; return True in the second case."""
        config = uvicorn.Config(
            self._gate,
            http=_Protocol,
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_keep_alive=75,
            timeout_graceful_shutdown=1,
            h11_max_incomplete_event_size=MAX_HEADER_BYTES,
            limit_concurrency=200,
        )
        server = _Server(config, started, lambda: time.monotonic() - self._gate.last > idle)
        try:
            server.run(sockets=[self._socket])
        finally:
            self._running.close()
        return server.was_idle


class _Server(uvicorn.Server):
    """The server. A signal or an idle time ends it without a traceback."""

    def __init__(self, config: uvicorn.Config, on_start: Callable[[], None], is_unused: Callable[[], bool]) -> None:
        super().__init__(config)
        self._on_start, self._is_unused = on_start, is_unused
        self.was_idle = False  # True: it ended because no request came

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._on_start()

    async def on_tick(self, counter: int) -> bool:
        self.was_idle = self.was_idle or self._is_unused()
        return await super().on_tick(counter) or self.was_idle

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """End at a signal. Unlike uvicorn, do not raise the signal again afterwards."""
        if current_thread() is not main_thread():
            yield
            return
        known = [getattr(signal, name) for name in SIGNALS if hasattr(signal, name)]
        before = {one: signal.signal(one, self.handle_exit) for one in known}
        try:
            yield
        finally:
            for one, handler in before.items():
                signal.signal(one, handler)


class _Protocol(H11Protocol):
    """The protocol of a connection. It closes the connection if the headers of a request take too long."""

    _timeout: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:  # noqa: ANN401 (as uvicorn has it)
        super().connection_made(transport)
        self._start_timeout()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._start_timeout()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._cancel_timeout()

    def _start_timeout(self) -> None:
        """Start the timeout for headers, unless a request is being answered."""
        answering = self.cycle is not None and not self.cycle.response_complete
        if answering:
            self._cancel_timeout()
        elif self._timeout is None:
            self._timeout = self.loop.call_later(MAX_REQUEST_SECONDS, self._close_if_waiting)

    def _cancel_timeout(self) -> None:
        if self._timeout:
            self._timeout.cancel()
            self._timeout = None

    def _close_if_waiting(self) -> None:
        self._timeout = None
        if self.cycle is None or self.cycle.response_complete:
            self.transport.close()


@contextmanager
def open_browser(url: str) -> Iterator[None]:
    """Open the address in the user's browser, and do not wait for it; what it reads is deleted at the end.

    Every user of the machine can read the arguments of a browser. So they name a file that only this user can read,
    which redirects to the address.
    """
    with TemporaryDirectory(prefix="petworks-", ignore_cleanup_errors=True) as folder:  # only its owner can enter it
        file = write_whole(Path(folder) / "open.html", LEAD.format(url=escape(url)), private=True)
        Thread(target=webbrowser.open, args=(file.as_uri(),), daemon=True).start()
        yield


LEAD = """<!DOCTYPE html>
<html lang="en"><meta charset="utf-8"><meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url={url}"><title>PETWorks</title><p><a href="{url}">PETWorks</a></p></html>
"""


def _open_socket(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    found = socket.socket(family, socket.SOCK_STREAM)
    try:
        if sys.platform != "win32":
            found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind((host, port))
        found.listen(64)
    except OSError as error:
        found.close()
        hint = "choose another one with --port, or leave it out: then a free one is taken"
        raise ParameterError(f"port {port} of {host} cannot be used: {error.strerror or error}", hint=hint) from error
    return found
