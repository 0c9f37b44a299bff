"""The request guard: middleware that checks each request before the application sees it.

Any web page that the user visits can send requests to a port of this machine. So a request must name a host of the
application. It must have the cookie, which the link with the token sets once. A request that changes something must
come from a page of the application. The guard also limits the size of requests, and adds the security headers to each
response.

Browsers send cookies to every port of a host. So all pages stand below a path that nobody can guess, and the cookie is
for that path alone. The application does not know the path: the guard takes it off each request, and puts it before
each address of an answer.
"""

from __future__ import annotations

import asyncio
import hmac
import re
import time
from collections.abc import Callable, Mapping
from secrets import token_urlsafe
from urllib.parse import parse_qs

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from PETWorks.app.forms import BODY

MAX_BODY_BYTES = 4 * 2**20  # bytes of a body
MAX_REQUEST_SECONDS = 20.0  # seconds until a body has arrived
MAX_ADDRESS = 2_000  # characters of an address
SAFE_METHODS = ("GET", "HEAD")
METHODS = (*SAFE_METHODS, "POST", "DELETE")
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
TOKEN_SECONDS = 60.0  # that a token works
ADDRESS = re.compile(rb' (href|src|action|formaction|data-poll|data-spot)="/(?!/)')  # data of a page has no such quotes
ADDRESS_HEADERS = (b"location", b"x-go")
PUBLIC_PREFIX = "/static/"  # files without data, sent without a cookie


class RequestGuard:
    """ASGI middleware. `origins` are the addresses of the application, such as http://127.0.0.1:8000.

    `announce` is called with a new link when one was used after it expired.
    """

    def __init__(
        self,
        app: ASGIApp,
        origins: tuple[str, ...],
        cookie: str,
        announce: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.app = app
        self.prefix = f"/{token_urlsafe(16)}"
        self._announce = announce
        self.renew_token()
        self.last = time.monotonic()  # time of the last accepted request
        self._origins = {origin.partition("//")[2]: origin for origin in origins}  # by host
        self._cookie, self._secret = cookie, token_urlsafe(32)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request to the application, or refuse it."""
        if scope["type"] != "http":
            return
        send_safely = _add_headers(send)
        headers = _read_headers(scope)
        try:
            self._require_own_page(scope, headers)
            scope = self._take_prefix_off(scope)
            if token := _find_token(scope):
                await self._exchange_token(token, headers, send_safely)
                return
            if not scope["path"].startswith(PUBLIC_PREFIX):
                self._require_cookie(headers)
            body = (
                b""
                if scope["method"] in SAFE_METHODS
                else await asyncio.wait_for(_read_body(receive, headers), MAX_REQUEST_SECONDS)
            )
        except TimeoutError:
            await _refuse(send_safely, 408, "the request took too long")
        except _RefusedError as error:
            await _refuse(send_safely, error.status, error.problem)
        except _LinkError as error:
            await _refuse_link(send_safely, self.prefix, error.title, error.lead)
        except _GoneError:
            return
        else:
            scope[BODY] = body
            await self._answer(scope, body, send)

    async def _answer(self, scope: Scope, body: bytes, send: Send) -> None:
        """Run the application; if it fails before it answers, send an error with the security headers."""
        began = False

        async def track(message: Message) -> None:
            nonlocal began
            began = True
            await send(message)

        send_safely = _add_headers(track)
        try:
            await self.app(scope, _replay_body(body), _add_prefix(self.prefix, send_safely))
        except Exception:
            if not began:
                await _refuse(send_safely, 500, "PETWorks made a mistake; the terminal tells more")
            raise

    def _require_own_page(self, scope: Scope, headers: Mapping[str, str]) -> None:
        """Raise an error if a request is malformed, or does not come from a page of the application."""
        host, method = headers.get("host", ""), scope["method"]
        if host not in self._origins or [name for name, _ in scope["headers"]].count(b"host") != 1:
            raise _RefusedError(421, "this address is not served here")
        if method not in METHODS:
            raise _RefusedError(405, "this method is not served here")
        if len(scope["raw_path"]) + len(scope["query_string"]) > MAX_ADDRESS:
            raise _RefusedError(414, "the address is too long")
        site = headers.get("sec-fetch-site")
        if method in SAFE_METHODS:
            navigates = headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document"
            ours = site in (None, "same-origin", "none") or navigates
        else:
            ours = headers.get("origin") == self._origins[host] if site is None else site == "same-origin"
        if not ours:
            raise _RefusedError(403, "the request does not come from a page of this application")

    def _take_prefix_off(self, scope: Scope) -> Scope:
        """Return a request without the secret path prefix; raise an error if the prefix is missing."""
        first, path = scope["path"][: len(self.prefix)], scope["path"][len(self.prefix) :]
        if not hmac.compare_digest(first.encode(), self.prefix.encode()) or not path.startswith("/"):
            raise _RefusedError(403, NO_COOKIE)
        return {**scope, "path": path, "raw_path": scope["raw_path"][len(self.prefix) :]}

    def _require_cookie(self, headers: Mapping[str, str]) -> None:
        """Raise an error if a request has no valid cookie; otherwise record the time."""
        if not self._has_cookie(headers):
            raise _RefusedError(403, NO_COOKIE)
        self.last = time.monotonic()

    def _has_cookie(self, headers: Mapping[str, str]) -> bool:
        """Return True if one of the cookies is valid. Other applications on this machine may have set further ones."""
        pairs = (one.partition("=") for one in headers.get("cookie", "").split(";"))
        found = [value.strip(' \t"') for name, _, value in pairs if name.strip() == self._cookie]
        return any(hmac.compare_digest(value.encode(), self._secret.encode()) for value in found)

    def renew_token(self) -> None:
        """Make a new token; earlier ones become invalid."""
        self.token, self._expires = token_urlsafe(32), time.monotonic() + TOKEN_SECONDS

    @property
    def link(self) -> str:
        """The path, valid once, that gives a browser access."""
        return f"{self.prefix}/?token={self.token}"

    async def _exchange_token(self, token: str, headers: Mapping[str, str], send: Send) -> None:
        """Exchange the token for the cookie. A token works once, and for a minute."""
        known = self._has_cookie(headers)
        if not known and not (self.token and hmac.compare_digest(token.encode(), self.token.encode())):
            raise _LinkError(*USED_LINK)
        if not known and time.monotonic() > self._expires:
            self.renew_token()
            self._announce(self.link)
            raise _LinkError(*LATE_LINK)
        # from a file, a browser would not send the cookie on to where it is redirected: the page leads there itself
        leads = headers.get("sec-fetch-site") == "cross-site"
        home = f"{self.prefix}/".encode()
        answer = [(b"refresh", b"0; url=" + home) if leads else (b"location", home)]
        answer.append((b"content-type", b"text/plain; charset=utf-8"))
        if not known:
            self.token, self.last = "", time.monotonic()
            secure = "; Secure" if all(one.startswith("https:") for one in self._origins.values()) else ""
            cookie = f"{self._cookie}={self._secret}; HttpOnly; SameSite=Strict; Path={self.prefix}{secure}"
            answer.append((b"set-cookie", cookie.encode()))
        await send({"type": "http.response.start", "status": 200 if leads else 303, "headers": answer})
        await send({"type": "http.response.body", "body": b""})


NO_COOKIE = (
    "Open the address that petworks app printed when it was started. It works once, in one browser.\n"
    "請開啟 petworks app 啟動時顯示的網址；該網址僅能在一個瀏覽器中使用一次。"
)
Bilingual = tuple[str, str]  # English and Chinese: the language of the reader is not known before the first page
USED_LINK: tuple[Bilingual, Bilingual] = (
    ("This address was used before", "此網址已使用過"),
    (
        "It works once. Go on in the browser window that used it, or start petworks app again: nothing is lost.",
        "網址僅能使用一次。請在當時的瀏覽器視窗中繼續，或重新啟動 petworks app；資料不會遺失。",
    ),
)
LATE_LINK: tuple[Bilingual, Bilingual] = (
    ("This address has expired", "此網址已逾時"),
    (
        "It works for one minute. The terminal in which petworks app was started shows a new one.",
        "網址僅在一分鐘內有效。啟動 petworks app 的終端機已顯示新的網址。",
    ),
)
LINK_PAGE = """\
<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><title>PETWorks: the address</title>
<link rel="icon" href="{prefix}/static/icon.svg"><link rel="stylesheet" href="{prefix}/static/report.css">
<link rel="stylesheet" href="{prefix}/static/style.css"></head>
<body><main id="main"><div class="in"><section class="answer waits"><div class="verdict"><div>
<h1>{title[0]}<br><span lang="zh-Hant-TW">{title[1]}</span></h1>
<p class="lead">{lead[0]}</p><p class="lead" lang="zh-Hant-TW">{lead[1]}</p>
</div></div></section></div></main></body></html>
"""


class _RefusedError(Exception):
    """A request that is refused, with the status and the message to send."""

    def __init__(self, status: int, problem: str) -> None:
        super().__init__(problem)
        self.status, self.problem = status, problem


class _LinkError(Exception):
    """A link that was used or has expired, with the title and the text of the page that says so."""

    def __init__(self, title: Bilingual, lead: Bilingual) -> None:
        super().__init__(title[0])
        self.title, self.lead = title, lead


class _GoneError(Exception):
    """Raised when the browser has closed the connection."""


async def _read_body(receive: Receive, headers: Mapping[str, str]) -> bytes:
    too_large = _RefusedError(413, f"the request is larger than {MAX_BODY_BYTES:,} bytes")
    length = headers.get("content-length", "0")
    if not length.isdecimal() or int(length[:12]) > MAX_BODY_BYTES:
        raise too_large
    parts, size = list[bytes](), 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise _GoneError
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > MAX_BODY_BYTES:
            raise too_large
        if not message.get("more_body"):
            return b"".join(parts)


def _replay_body(body: bytes) -> Receive:
    """Return a `receive` that passes the body, which was already read, to the application."""

    async def receive() -> Message:
        return {"type": "http.request", "body": body, "more_body": False}

    return receive


def _read_headers(scope: Scope) -> dict[str, str]:
    """Return the headers of a request; several with cookies count as one."""
    headers: dict[str, str] = {}
    for name, value in ((name.decode("latin-1"), value.decode("latin-1")) for name, value in scope["headers"]):
        headers[name] = f"{headers[name]}; {value}" if name == "cookie" and name in headers else value
    return headers


def _add_prefix(prefix: str, send: Send) -> Send:
    """Return a `send` that adds a prefix to each address of a response, except a report, which has no addresses."""
    start: Message = {}
    parts = list[bytes]()

    async def send_all(message: Message) -> None:
        if message["type"] == "http.response.start":
            start.update(message)
            return
        parts.append(message.get("body", b""))
        if message.get("more_body"):
            return
        body, headers = b"".join(parts), dict(start["headers"])
        if headers.get(b"content-type", b"").startswith(b"text/html") and b"content-security-policy" not in headers:
            body = ADDRESS.sub(rb' \1="' + prefix.encode() + b"/", body)
        changed = {name: prefix.encode() + headers[name] for name in ADDRESS_HEADERS if name in headers}
        if b"content-length" in headers:
            changed[b"content-length"] = str(len(body)).encode()
        start["headers"] = [(name, changed.get(name, value)) for name, value in start["headers"]]
        await send(start)
        await send({"type": "http.response.body", "body": body})

    return send_all


def _add_headers(send: Send) -> Send:
    """Return a `send` that adds the security headers to each response."""

    async def send_safely(message: Message) -> None:
        if message["type"] == "http.response.start":
            given = {name.lower() for name, _ in message["headers"]}
            message["headers"] = [*message["headers"], *((k, v) for k, v in HEADERS.items() if k not in given)]
        await send(message)

    return send_safely


def _find_token(scope: Scope) -> str:
    query = scope["query_string"].decode("latin-1")
    return parse_qs(query).get("token", [""])[0] if scope["path"] == "/" and scope["method"] == "GET" else ""


async def _refuse(send: Send, status: int, problem: str) -> None:
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": f"{problem}\n".encode()})


async def _refuse_link(send: Send, prefix: str, title: Bilingual, lead: Bilingual) -> None:
    """Send the page for a link that does not work any more; whoever has one knows the prefix."""
    body = LINK_PAGE.format(prefix=prefix, title=title, lead=lead).encode()
    headers = [(b"content-type", b"text/html; charset=utf-8"), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": 403, "headers": headers})
    await send({"type": "http.response.body", "body": body})
