"""Starts the application: a port of this machine, a link with a token; ends it when told, or when nobody is there."""

from __future__ import annotations

import asyncio
import signal
import socket
import sys
import time
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Thread, current_thread, main_thread
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from PETWorks.app.application import build_application
from PETWorks.app.files import RunningApplication
from PETWorks.app.request_guard import MAX_REQUEST_SECONDS, RequestGuard
from PETWorks.errors import ParameterError

LOCAL_HOSTS = ("127.0.0.1", "localhost", "[::1]")  # of this machine, in addresses
MAX_IDLE_SECONDS = 3600.0  # seconds without a request after which it stops
MAX_HEADER_BYTES = 2**14  # bytes of the headers of a request
SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")


class AppServer:
    """An application with its port: `url` opens it once. `public` is the address of a proxy that stands before it."""

    def __init__(self, running: RunningApplication, host: str, port: int, public: str = "") -> None:
        self._socket = _open_socket(host, port)
        self.port = self._socket.getsockname()[1]
        origins = (public,) if public else tuple(f"http://{name}:{self.port}" for name in LOCAL_HOSTS)
        self._running = running
        self._gate = RequestGuard(build_application(running), origins, f"petworks_{self.port}")
        shown = f"[{host}]" if ":" in host else host
        self.url = f"{public or f'http://{shown}:{self.port}'}/?token={self._gate.token}"

    def run(self, started: Callable[[], None], *, idle: float = MAX_IDLE_SECONDS) -> bool:
        """Serve until a signal comes, or nobody has asked for anything for so long; return True if that was the end."""
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
        return server.rested


class _Server(uvicorn.Server):
    """The server. A signal ends it without a word, and so does a time without requests."""

    def __init__(self, config: uvicorn.Config, started: Callable[[], None], unused: Callable[[], bool]) -> None:
        super().__init__(config)
        self._tell_started, self._unused = started, unused
        self.rested = False  # True: it ended because nobody used it

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._tell_started()

    async def on_tick(self, counter: int) -> bool:
        self.rested = self.rested or self._unused()
        return await super().on_tick(counter) or self.rested

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Take signals as a wish to end; unlike in uvicorn, they are not raised again after that."""
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
    """The protocol of a connection, which is closed if the headers of a request take too long."""

    _patience: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:  # noqa: ANN401 (as uvicorn has it)
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._rest()

    def _wait(self) -> None:
        """Start to wait for headers, unless a request is being answered."""
        answering = self.cycle is not None and not self.cycle.response_complete
        if answering:
            self._rest()
        elif self._patience is None:
            self._patience = self.loop.call_later(MAX_REQUEST_SECONDS, self._give_up)

    def _rest(self) -> None:
        if self._patience:
            self._patience.cancel()
            self._patience = None

    def _give_up(self) -> None:
        self._patience = None
        if self.cycle is None or self.cycle.response_complete:
            self.transport.close()


def open_browser(url: str) -> None:
    """Open the address in the user's browser, without waiting for it."""
    Thread(target=webbrowser.open, args=(url,), daemon=True).start()


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
