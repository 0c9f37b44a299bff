"""The gate before every request: who may come in, how large a request may be, and what every answer must say.

The table is as safe as this gate: any web page that the user visits can send requests to a port of this machine. So
a request must name a host that is ours; it must have a cookie, which only the link with the token gives, once; and one
that changes something must come from a page of ours.
"""

from __future__ import annotations

import asyncio
import hmac
import time
from collections.abc import Mapping
from http.cookies import CookieError, SimpleCookie
from secrets import token_urlsafe
from urllib.parse import parse_qs

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from PETWorks.app.forms import BODY

LARGEST = 4 * 2**20  # bytes of a body
SLOWEST = 20.0  # seconds until a body has arrived
LONGEST = 2_000  # characters of an address
SAFE = ("GET", "HEAD")
METHODS = (*SAFE, "POST", "DELETE")
CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self';"
    " base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    b"cache-control": b"no-store",
    b"content-security-policy": CSP.encode(),
    b"cross-origin-opener-policy": b"same-origin",
    b"cross-origin-resource-policy": b"same-origin",
    b"permissions-policy": b"camera=(), geolocation=(), microphone=()",
    b"referrer-policy": b"no-referrer",
    b"x-content-type-options": b"nosniff",
    b"x-frame-options": b"DENY",
}
OPEN = "/static/"  # files of ours, which hold nothing of any table


class Gate:
    """ASGI middleware. `origins` are the addresses that the user's browser may show, such as http://127.0.0.1:8000."""

    def __init__(self, app: ASGIApp, origins: tuple[str, ...], cookie: str) -> None:
        self.app = app
        self.token = token_urlsafe(32)
        self.last = time.monotonic()  # when somebody last came in
        self._origins = {origin.partition("//")[2]: origin for origin in origins}  # by host
        self._cookie, self._secret = cookie, token_urlsafe(32)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request in, or refuse it."""
        if scope["type"] != "http":
            return
        guarded = _guarded(send)
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        try:
            self._require_ours(scope, headers)
            if token := _token(scope):
                await self._greet(token, headers, guarded)
                return
            if not scope["path"].startswith(OPEN):
                self._require_known(headers)
            body = b"" if scope["method"] in SAFE else await asyncio.wait_for(_body(receive, headers), SLOWEST)
        except TimeoutError:
            await _refuse(guarded, 408, "the request took too long")
        except _RefusedError as error:
            await _refuse(guarded, error.status, error.problem)
        except _GoneError:
            return
        else:
            scope[BODY] = body
            await self._answer(scope, body, send)

    async def _answer(self, scope: Scope, body: bytes, send: Send) -> None:
        """Let the application answer; should it fail without an answer, say so with the same headers as all answers."""
        began = False

        async def counted(message: Message) -> None:
            nonlocal began
            began = True
            await send(message)

        guarded = _guarded(counted)
        try:
            await self.app(scope, _read(body), guarded)
        except Exception:
            if not began:
                await _refuse(guarded, 500, "PETWorks made a mistake; the terminal tells more")
            raise

    def _require_ours(self, scope: Scope, headers: Mapping[str, str]) -> None:
        """Raise an error if a request is not well formed, or does not come from a page of ours."""
        host, method = headers.get("host", ""), scope["method"]
        if host not in self._origins or [name for name, _ in scope["headers"]].count(b"host") != 1:
            raise _RefusedError(421, "this address is not served here")
        if method not in METHODS:
            raise _RefusedError(405, "this method is not served here")
        if len(scope["raw_path"]) + len(scope["query_string"]) > LONGEST:
            raise _RefusedError(414, "the address is too long")
        site = headers.get("sec-fetch-site")
        if method in SAFE:
            navigates = headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document"
            ours = site in (None, "same-origin", "none") or navigates
        else:
            ours = headers.get("origin") == self._origins[host] if site is None else site == "same-origin"
        if not ours:
            raise _RefusedError(403, "the request does not come from a page of this application")

    def _require_known(self, headers: Mapping[str, str]) -> None:
        """Raise an error if a request has no cookie of ours; otherwise somebody was here just now."""
        if not self._is_known(headers):
            raise _RefusedError(403, NO_COOKIE)
        self.last = time.monotonic()

    def _is_known(self, headers: Mapping[str, str]) -> bool:
        try:
            found = SimpleCookie(headers.get("cookie", "")).get(self._cookie)
        except CookieError:
            return False
        return found is not None and hmac.compare_digest(found.value.encode(), self._secret.encode())

    async def _greet(self, token: str, headers: Mapping[str, str], send: Send) -> None:
        """Exchange the token, which is worth something once, for the cookie."""
        known = self._is_known(headers)
        if not known and not (self.token and hmac.compare_digest(token.encode(), self.token.encode())):
            raise _RefusedError(403, USED)
        answer = [(b"location", b"/"), (b"content-type", b"text/plain; charset=utf-8")]
        if not known:
            self.token, self.last = "", time.monotonic()
            secure = "; Secure" if all(one.startswith("https:") for one in self._origins.values()) else ""
            cookie = f"{self._cookie}={self._secret}; HttpOnly; SameSite=Strict; Path=/{secure}"
            answer.append((b"set-cookie", cookie.encode()))
        await send({"type": "http.response.start", "status": 303, "headers": answer})
        await send({"type": "http.response.body", "body": b""})


NO_COOKIE = (
    "Open the address that petworks app printed when it was started. It works once, in one browser.\n"
    "請開啟 petworks app 啟動時顯示的網址；該網址僅能在一個瀏覽器中使用一次。"
)
USED = (
    "This address was used before, and works once. Go on in the browser window that used it, or start petworks app"
    " again: nothing is lost.\n"
    "此網址已使用過，僅能使用一次。請在當時的瀏覽器視窗中繼續，或重新啟動 petworks app；資料不會遺失。"
)


class _RefusedError(Exception):
    """A request is refused."""

    def __init__(self, status: int, problem: str) -> None:
        super().__init__(problem)
        self.status, self.problem = status, problem


class _GoneError(Exception):
    """The browser went away."""


async def _body(receive: Receive, headers: Mapping[str, str]) -> bytes:
    too_large = _RefusedError(413, f"the request is larger than {LARGEST:,} bytes")
    length = headers.get("content-length", "0")
    if not length.isdecimal() or int(length[:12]) > LARGEST:
        raise too_large
    parts, size = list[bytes](), 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise _GoneError
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > LARGEST:
            raise too_large
        if not message.get("more_body"):
            return b"".join(parts)


def _read(body: bytes) -> Receive:
    """Return a function that gives the body, which was read, to the application."""

    async def receive() -> Message:
        return {"type": "http.request", "body": body, "more_body": False}

    return receive


def _guarded(send: Send) -> Send:
    """Return a function that adds to every answer what it must say."""

    async def guarded(message: Message) -> None:
        if message["type"] == "http.response.start":
            given = {name.lower() for name, _ in message["headers"]}
            message["headers"] = [*message["headers"], *((k, v) for k, v in HEADERS.items() if k not in given)]
        await send(message)

    return guarded


def _token(scope: Scope) -> str:
    query = scope["query_string"].decode("latin-1")
    return parse_qs(query).get("token", [""])[0] if scope["path"] == "/" and scope["method"] == "GET" else ""


async def _refuse(send: Send, status: int, problem: str) -> None:
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": f"{problem}\n".encode()})
