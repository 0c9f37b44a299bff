"""The application in a real browser, which reaches it through a proxy of ours only: each request is noted there, and
each answer passes the validator that all tests of the application share."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from typing import Any
from urllib.parse import urlsplit

from app.running import Client, Inside, validated, without_prefix
from render.page.looks import UNREACHED, violations

OURS = ("connection", "proxy-connection", "keep-alive", "accept-encoding", "content-length")  # headers of the way
BROWSERS_OWN = ("content-autofill.googleapis.com:443",)  # Chromium asks there about forms: how they are built
LANGUAGES = {"en": "en", "zh_TW": "zh-Hant-TW"}
WIDE, NARROW = 1280, 375
OVERFLOWING = """() => {
  const wide = document.documentElement.clientWidth, found = [];
  const unseen = (one) => one && (one.offsetWidth < 2 || one.matches(".skip, .scroll") || unseen(one.parentElement));
  if (document.documentElement.scrollWidth > wide) found.push("the page");
  for (const one of document.querySelectorAll("main *, #dock *, #sheet *, header *, nav *")) {
    const box = one.getBoundingClientRect(), beyond = box.left < -0.5 || box.right > wide + 0.5;
    if (box.width > 1 && box.height && beyond && !unseen(one.closest("svg") || one.parentElement)) {
      found.push(`${one.tagName}.${one.getAttribute("class")} ${one.textContent.trim().slice(0, 40)}`);
    }
  }
  return found;
}"""
STOP = """() => {
  const one = document.activeElement, style = getComputedStyle(one), box = one.getBoundingClientRect();
  const dock = document.getElementById("dock")?.getBoundingClientRect();
  const below = dock && dock.height && !one.closest("#dock, #sheet, dialog") ? dock.top : innerHeight;
  return {
    tag: one.tagName, name: one.id || one.name || one.textContent.trim().slice(0, 40),
    ring: parseFloat(style.outlineWidth) > 0 && style.outlineStyle !== "none" || style.boxShadow !== "none",
    seen: box.top < below && box.bottom > 0 && box.left < innerWidth && box.right > 0,
  };
}"""


class Proxy(ThreadingHTTPServer):
    """Hands requests on to the application, and nowhere else."""

    daemon_threads = True

    def __init__(self, app: Client) -> None:
        super().__init__(("127.0.0.1", 0), Carrier)
        self.app = app
        self.turn = Lock() if isinstance(app, Inside) else nullcontext()  # one loop serves one request at a time
        self.asked: list[str] = []  # method and path of each request that the application got
        self.wrong: list[str] = []  # requests to elsewhere, and what the validator said


class Carrier(BaseHTTPRequestHandler):
    """Carries one request, and its answer."""

    server: Proxy
    protocol_version = "HTTP/1.1"

    def carry(self) -> None:
        there, app = urlsplit(self.path), self.server.app
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        if f"{there.scheme}://{there.netloc}" != app.origin:
            self.server.wrong.append(f"a request to elsewhere: {self.command} {self.path}")
            self.send_error(502)
            return
        path = there.path + (f"?{there.query}" if there.query else "")
        self.server.asked.append(f"{self.command} {path.removeprefix(app.prefix)}")
        headers = {name.lower(): value for name, value in self.headers.items() if name.lower() not in OURS}
        with self.server.turn:
            answer = app.exchange(self.command, path, headers, body)
        try:
            validated(without_prefix(answer, app.prefix), fragments="x-fragments" in headers)
            assert answer.status < 500, answer.text[-600:]
        except AssertionError as error:
            self.server.wrong.append(f"{self.command} {path}: {error}")
        self.send_response_only(answer.status)
        for name, value in answer.headers.items():
            if name not in (*OURS, "transfer-encoding", "set-cookie"):
                self.send_header(name, value)
        for cookie in answer.cookies:
            self.send_header("set-cookie", cookie)
        self.send_header("content-length", str(len(answer.body)))
        self.end_headers()
        self.wfile.write(answer.body)

    do_GET = do_POST = do_DELETE = do_HEAD = do_PUT = carry  # noqa: N815 (names that http.server asks for)

    def do_CONNECT(self) -> None:
        """Refuse a way to a server that encrypts."""
        if self.path not in BROWSERS_OWN:
            self.server.wrong.append(f"a request to elsewhere: {self.path}")
        self.send_error(502)

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def handle(self) -> None:
        """Serve a connection, which a page that is left may close at any time."""
        try:
            super().handle()
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True


@dataclass
class Windows:
    """Windows of one application. What they asked for, and what went wrong in any of them, is noted."""

    browser: Any
    app: Client
    proxy: Proxy
    contexts: dict[tuple, Any] = field(default_factory=dict)
    heard: list[str] = field(default_factory=list)

    def open(self, path: str = "/", language: str = "en", width: int = WIDE, **options: Any) -> Any:
        """Open a page in a new window."""
        page = self.context(language, **options).new_page()
        page.set_viewport_size({"width": width, "height": 900})
        page.goto(self.app.address + path)
        return page

    def context(self, language: str = "en", *, cookies: bool = True, **options: Any) -> Any:
        """Return the browser of somebody who reads this language and has used the link."""
        key = (language, cookies, *sorted(options.items()))
        if key not in self.contexts:
            way = {"server": f"http://127.0.0.1:{self.proxy.server_port}", "bypass": "<-loopback>"}
            context = self.contexts[key] = self.browser.new_context(proxy=way, **options)
            context.set_default_timeout(10_000)
            known = {**self.app.cookies, "petworks_language": language} if cookies else {}
            given = [{"name": name, "value": value, "url": self.app.origin} for name, value in known.items()]
            context.add_cookies([one | {"httpOnly": True, "sameSite": "Strict"} for one in given])
            context.on("page", self._listen)
        return self.contexts[key]

    def _listen(self, page: Any) -> None:
        page.on("console", lambda one: self._hear(one.text) if one.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: self.heard.append(f"error: {error}"))
        page.on("dialog", lambda dialog: (self.heard.append(f"dialog: {dialog.message}"), dialog.dismiss()))

    def _hear(self, text: str) -> None:
        if not text.startswith("Failed to load resource"):  # the browser's word for a refusal, which tests look at
            self.heard.append(f"console: {text}")

    def check(self) -> None:
        """Fail if anything went elsewhere, did not pass the validator, or was complained about by the browser."""
        assert self.proxy.wrong == [], "\n".join(dict.fromkeys(self.proxy.wrong[:9]))
        assert self.heard == [], "\n".join(dict.fromkeys(self.heard[:9]))

    def close(self) -> None:
        for one in self.contexts.values():
            one.close()


@contextmanager
def windows(browser: Any, app: Client) -> Iterator[Windows]:
    """Open windows of an application; at the end all that they did is checked."""
    proxy = Proxy(app)
    Thread(target=proxy.serve_forever, daemon=True).start()
    one = Windows(browser, app, proxy)
    try:
        yield one
        one.check()
    finally:
        one.close()
        proxy.shutdown()
        proxy.server_close()


def mistakes(page: Any, *, layout_only: bool = False) -> list[str]:
    """Return what is wrong with how a page looks: wide and light, narrow and dark, with all that is folded unfolded.

    With `layout_only`, axe is left out: for a page that it has looked at in another language.
    """
    found = []
    page.evaluate("document.querySelectorAll('main details').forEach((one) => { one.open = true; })")
    for width, theme in ((NARROW, "dark"), (WIDE, "light")):
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=theme, reduced_motion="reduce")
        where = f"{urlsplit(page.url).path}, {page.get_attribute('html', 'lang')}, {width} px, {theme}"
        found += [] if layout_only else [f"{where}: {one}" for one in violations(page)]
        found += [f"{where}: too wide: {one}" for one in page.evaluate(OVERFLOWING)]
        found += [f"{where}: not reached by keyboard: {one}" for one in page.evaluate(UNREACHED)]
    return found


def stops(page: Any, most: int = 400) -> list[dict[str, Any]]:
    """Press Tab from the top of a page to its end, and return each stop."""
    page.focus(".skip")
    found: list[dict[str, Any]] = [page.evaluate(STOP)]
    for _ in range(most):
        page.keyboard.press("Tab")
        stop = page.evaluate(STOP)
        if stop["tag"] == "BODY":
            break
        found.append(stop)
    return found
