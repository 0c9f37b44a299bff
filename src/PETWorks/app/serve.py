"""Starts the application: a port of this machine, a link with a token, a browser; and stops it."""

from __future__ import annotations

import asyncio
import socket
import sys
import time
import webbrowser
from collections.abc import Callable
from threading import Thread

import uvicorn

from PETWorks.app.application import application
from PETWorks.app.gate import Gate
from PETWorks.app.running import Running
from PETWorks.errors import ParameterError

LOOPBACK = ("127.0.0.1", "::1", "localhost")
IDLE = 3600.0  # seconds without a request after which it stops
LOOKS = 5.0  # seconds between two looks at whether it is idle


class Served:
    """An application with its port: `url` opens it once."""

    def __init__(self, running: Running, host: str, port: int, public: str = "") -> None:
        self._socket = _listening(host, port)
        self.port = self._socket.getsockname()[1]
        origins = (
            (public,) if public else tuple(f"http://{one}:{self.port}" for one in ("127.0.0.1", "localhost", "[::1]"))
        )
        self._running = running
        self._gate = Gate(application(running), origins, f"petworks_{self.port}")
        shown = f"[{host}]" if ":" in host else host
        self.url = f"{public or f'http://{shown}:{self.port}'}/?token={self._gate.token}"

    def run(self, started: Callable[[], None], *, idle: float = IDLE) -> bool:
        """Serve until a signal comes, or nobody has asked for anything for so long; return True if that was the end."""
        config = uvicorn.Config(
            self._gate,
            http="h11",
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_keep_alive=75,
            timeout_graceful_shutdown=1,
            h11_max_incomplete_event_size=2**14,
            limit_concurrency=200,
        )
        server, rested = uvicorn.Server(config), False

        async def serve() -> None:
            nonlocal rested
            serving = asyncio.create_task(server.serve(sockets=[self._socket]))
            while not server.started and not serving.done():
                await asyncio.sleep(0.005)
            started()
            while not serving.done():
                await asyncio.wait([serving], timeout=min(LOOKS, idle))
                if time.monotonic() - self._gate.last > idle and not serving.done():
                    rested = server.should_exit = True
            await serving

        try:
            asyncio.run(serve())
        finally:
            if self._running.desk:
                self._running.desk.close()
        return rested


def open_browser(url: str) -> None:
    """Open the address in the user's browser, without waiting for it."""
    Thread(target=webbrowser.open, args=(url,), daemon=True).start()


def _listening(host: str, port: int) -> socket.socket:
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
