"""The application in tests: started as a real process or called in this one. Every answer passes one validator."""

from __future__ import annotations

import asyncio
import http.client
import os
import re
import signal
import subprocess
import time
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from threading import Thread
from urllib.parse import urlencode, urlsplit

from PETWorks.app.files import FileBrowser, RunningApplication
from PETWorks.app.open_project import is_project, open_argument, trust_folder
from PETWorks.app.request_guard import CSP, RequestGuard
from PETWorks.app.serve import build_application
from PETWorks.errors import PETWorksError
from support.markup import Element, Markup, parsed
from support.process import COMMAND, PLAIN

LARGEST = 150_000  # bytes of a page
LANGUAGES = ("en", "zh-Hant-TW")
MUST = {
    "cache-control": "no-store",
    "content-security-policy": CSP,
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}
OWN_POLICY = ("/release/report", "/release/approval")  # a report brings its own, which is stricter about what it loads
REVISED = ("/language", "/theme", "/show-small", "/open", "/demonstration")  # forms that change no policy
ID = re.compile(r"[A-Za-z][\w-]*", re.ASCII)


@dataclass(frozen=True)
class Answer:
    """An answer of the application, which `validated` has looked at."""

    path: str
    status: int
    headers: dict[str, str]
    body: bytes
    cookies: Sequence[str] = ()

    @property
    def text(self) -> str:
        return self.body.decode()

    @property
    def to(self) -> str:
        """The address that the answer leads to."""
        return self.headers.get("location") or self.headers.get("x-go", "")

    @cached_property
    def markup(self) -> Markup:
        return parsed(self.text)

    def __getitem__(self, name: str) -> Element:
        """Return the element with an id."""
        return self.markup.ids[name]

    @property
    def h1(self) -> str:
        return self.markup.first("h1").text

    @property
    def revision(self) -> str:
        """The state of the project that the forms of the page know."""
        return next(one.attributes["value"] for one in self.markup.all("input") if one.get("name") == "revision")


def without_prefix(answer: Answer, prefix: str) -> Answer:
    """Return an answer without the path below which all pages stand; fail if an address lacks it."""
    if answer.path.removeprefix(prefix).startswith(OWN_POLICY):
        return replace(answer, path=answer.path.removeprefix(prefix))
    assert not BARE.search(answer.body.replace(f'="{prefix}/'.encode(), b"")), BARE.search(answer.body)
    for name in ("location", "x-go"):
        assert answer.headers.get(name, prefix).startswith(prefix), answer.headers[name]
    headers = {name: value.replace(prefix, "") for name, value in answer.headers.items()}
    body = answer.body.replace(prefix.encode(), b"")
    return replace(answer, path=answer.path.removeprefix(prefix), headers=headers, body=body)


BARE = re.compile(rb' (href|src|action|formaction|data-poll)="/')


def validated(answer: Answer, *, fragments: bool = False) -> Answer:
    """Return the answer; fail if it lacks what every answer of the application must have."""
    assert 200 <= answer.status < 600
    for name, value in MUST.items():
        if not (name == "content-security-policy" and answer.path.startswith(OWN_POLICY)):
            assert answer.headers.get(name) == value, (answer.path, name, answer.headers.get(name))
    assert "'unsafe-" not in answer.headers["content-security-policy"] or answer.path.startswith(OWN_POLICY)
    assert "access-control-allow-origin" not in answer.headers
    assert "server" not in answer.headers
    for cookie in answer.cookies:
        assert "HttpOnly" in cookie
        assert "samesite=strict" in cookie.casefold()
    kind = answer.headers.get("content-type", "")
    if answer.headers.get("content-disposition", "").startswith("attachment;"):  # a file to be kept, not shown
        assert kind == "application/octet-stream"
        return answer
    if answer.body:
        assert kind.partition(";")[0] in ("text/html", "text/plain", "text/css", "text/javascript", "image/svg+xml"), (
            kind
        )
        assert "charset=utf-8" in kind, (answer.path, kind)
        assert "Traceback" not in answer.text
    if kind.startswith("text/html") and answer.body and not answer.path.startswith(OWN_POLICY):
        assert len(answer.body) <= LARGEST, (answer.path, len(answer.body))
        _validate(
            answer.markup, answer, whole=answer.text.lstrip().lower().startswith("<!doctype html>") or not fragments
        )
    return answer


def _validate(markup: Markup, answer: Answer, *, whole: bool) -> None:
    assert markup.problems == [], (answer.path, markup.problems[:5])
    for one in markup.elements:
        _validate_element(one, answer.path)
    names = [one.attributes["id"] for one in markup.elements if "id" in one.attributes]
    assert len(names) == len(set(names)), (answer.path, sorted({one for one in names if names.count(one) > 1}))
    if whole:
        assert markup.first("html").attributes["lang"] in LANGUAGES
        assert len(markup.all("h1")) == 1, (answer.path, [one.text for one in markup.all("h1")])
        assert re.fullmatch(r"PETWorks[:：].{2,30}", markup.first("title").text.replace("： ", "：")), markup.first(
            "title"
        ).text
        for one in markup.elements:
            for name in ("for", "aria-labelledby", "aria-describedby", "aria-controls"):
                for target in one.attributes.get(name, "").split():
                    assert target in markup.ids, (answer.path, name, target)


def _validate_element(one: Element, path: str) -> None:
    assert one.tag != "style", path
    assert one.tag != "script" or (one.get("src", "").startswith("/static/") and not one.text), path
    for name, value in one.attributes.items():
        assert name != "style", (path, one)
        assert not name.startswith("on"), (path, one)
        if name in ("href", "src", "action", "formaction"):
            assert value.startswith(("/", "#")), (path, one.tag, value)
            assert not value.startswith("//"), (path, value)
    if "id" in one.attributes:
        assert ID.fullmatch(one.attributes["id"]), (path, one.attributes["id"])
    if one.tag == "button":
        assert one.get("type") or one.within("dialog"), (path, one.text)
    if one.tag == "form" and one.get("method") == "post" and not one.attributes["action"].startswith(REVISED):
        assert any(field.get("name") == "revision" for field in one.all("input")), (path, one.attributes)


def trust_all(what: object) -> None:
    """Write that the user trusts the project of a folder, or of a policy, that a test made by itself."""
    folder = Path(os.fspath(what))
    folder = folder if folder.is_dir() else folder.parent
    if is_project(folder):
        with suppress(PETWorksError):
            trust_folder(folder)


@dataclass
class Client:
    """A browser without a window: it keeps cookies, and sends what a page of the application would send."""

    origin: str = ""
    prefix: str = ""  # the path below which all pages stand
    cookies: dict[str, str] = field(default_factory=dict)

    def exchange(self, method: str, path: str, headers: dict[str, str], body: bytes) -> Answer:
        raise NotImplementedError

    def ask(self, method: str, path: str, body: bytes = b"", *, fragments: bool = False, **headers: str) -> Answer:
        """Send a request as it is, with these headers besides."""
        given = {"host": self.origin.partition("//")[2], **{key.replace("_", "-"): one for key, one in headers.items()}}
        if self.cookies:
            given.setdefault("cookie", "; ".join(f"{name}={value}" for name, value in self.cookies.items()))
        found = self.exchange(method, f"{self.prefix}{path}", given, body)
        answer = validated(without_prefix(found, self.prefix), fragments=fragments)
        for cookie in answer.cookies:
            name, _, value = cookie.partition(";")[0].partition("=")
            self.cookies[name] = value
        return answer

    @property
    def address(self) -> str:
        """Where the pages stand."""
        return f"{self.origin}{self.prefix}"

    def get(self, path: str, *, fragments: bool = False, **headers: str) -> Answer:
        """Ask for a page, or with `fragments`, as the script does."""
        told = {"x-fragments": "1", "sec-fetch-site": "same-origin"} if fragments else {"sec-fetch-site": "none"}
        return self.ask("GET", path, fragments=fragments, **{**told, **headers})

    def post(
        self, path: str, fields: Sequence[tuple[str, str]] = (), /, *, fragments: bool = False, **named: str
    ) -> Answer:
        """Send a form, and return the answer; `follow` leads on to the page after it."""
        headers = {"content-type": "application/x-www-form-urlencoded", "sec-fetch-site": "same-origin"}
        headers |= {"origin": self.origin} | ({"x-fragments": "1"} if fragments else {})
        return self.ask("POST", path, urlencode([*fields, *named.items()]).encode(), fragments=fragments, **headers)

    def follow(self, answer: Answer) -> Answer:
        """Return the page that an answer leads to."""
        assert answer.status == 303, (answer.status, answer.text[:300])
        return self.get(answer.to)

    def until(self, path: str, wanted: str, seconds: float = 30) -> Answer:
        """Ask for a page until it has an element with this id: until what runs in the background has ended."""
        end = time.monotonic() + seconds
        while wanted not in (answer := self.get(path)).markup.ids:
            assert time.monotonic() < end, answer.text[-3000:]
            time.sleep(0.02)
        return answer

    def settled(self, path: str, part: str, seconds: float = 60) -> Answer:
        """Ask for a page until this part of it waits for nothing any more."""
        end = time.monotonic() + seconds
        while "data-poll" in (answer := self.get(path))[part].attributes:
            assert time.monotonic() < end, answer.text[-3000:]
            time.sleep(0.02)
        return answer


class Process(Client):
    """The real command, in a process of its own."""

    def __init__(
        self,
        *arguments: object,
        cwd: Path,
        enter: bool = True,
        trusted: bool = True,
        env: dict[str, str] | None = None,
    ) -> None:
        command = [*COMMAND, "app", "--no-browser", *map(str, arguments)]
        for one in arguments:
            if trusted and (cwd / str(one)).exists():
                trust_all(cwd / str(one))
        self.process = subprocess.Popen(
            command,
            cwd=cwd,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=PLAIN | {"PETWORKS_LANG": "en"} | (env or {}),
        )
        assert self.process.stdout
        self.url = self.process.stdout.readline().decode().strip()
        if not self.url:
            raise AssertionError(self.process.communicate()[1].decode())
        self.reach(self.url, enter=enter)

    def reach(self, url: str, *, enter: bool = True) -> None:
        """Be ready to send requests to the address that was printed."""
        there = urlsplit(url)
        super().__init__(f"{there.scheme}://{there.netloc}", there.path.rstrip("/"))
        self.url = url
        if enter:
            self.enter()

    def enter(self) -> Answer:
        """Use the link."""
        return self.get(self.url.removeprefix(self.address))

    def exchange(self, method: str, path: str, headers: dict[str, str], body: bytes) -> Answer:
        there = urlsplit(self.origin)
        connection = http.client.HTTPConnection(there.hostname or "", there.port or 80, timeout=60)
        try:
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            for name, value in headers.items():
                connection.putheader(name, value)
            if method not in ("GET", "HEAD"):
                connection.putheader("content-length", str(len(body)))
            connection.endheaders()
            with suppress(BrokenPipeError, ConnectionResetError):  # it answers before a body that is too large ends
                connection.send(body)
            found = connection.getresponse()
            told = {name.lower(): value for name, value in found.getheaders()}
            return Answer(path, found.status, told, found.read(), found.msg.get_all("set-cookie") or ())
        finally:
            connection.close()

    def stop(self, number: int = signal.SIGINT) -> int:
        """Send a signal, and return the exit code."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        return self.process.wait(20)

    def errors(self) -> str:
        """Return what was said on standard error; the process must have ended."""
        assert self.process.stderr
        return self.process.stderr.read().decode()


@contextmanager
def process(*arguments: object, cwd: Path, **options) -> Iterator[Process]:
    """Start the command, and stop it at the end."""
    one = Process(*arguments, cwd=cwd, **options)
    try:
        yield one
    finally:
        one.process.kill()
        one.process.communicate()


class Inside(Client):
    """The application in this process: without a socket, and as fast as it is by itself."""

    strict = True  # raise what the application could not handle; otherwise return the answer that users get

    def __init__(
        self, root: Path, what: object = None, language: str = "en", *, enter: bool = True, trusted: bool = True
    ) -> None:
        super().__init__("http://127.0.0.1:8000")
        if what is not None and trusted:
            trust_all(what)
        self.running = RunningApplication(FileBrowser(root), language)
        open_argument(self.running, None if what is None else os.fspath(what))
        self.guard = RequestGuard(build_application(self.running), (self.origin,), "petworks_8000")
        self.prefix = self.guard.prefix
        self._loop = asyncio.new_event_loop()
        if enter:
            self.get(f"/?token={self.guard.token}")

    def exchange(self, method: str, path: str, headers: dict[str, str], body: bytes) -> Answer:
        there, sent, parts = urlsplit(path), [{"type": "http.request", "body": body, "more_body": False}], list[dict]()
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": there.path,
            "raw_path": there.path.encode(),
            "query_string": there.query.encode(),
            "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
            "server": ("127.0.0.1", 8000),
            "client": ("127.0.0.1", 1),
        }

        async def receive() -> dict:
            return sent.pop() if sent else {"type": "http.disconnect"}

        async def send(message: dict) -> None:
            parts.append(message)

        try:
            self.run(self.guard(scope, receive, send))
        except Exception:
            if self.strict:
                raise
        began, content = parts[0], b"".join(one.get("body", b"") for one in parts[1:])
        found = [(name.decode().lower(), value.decode()) for name, value in began["headers"]]
        cookies = [value for name, value in found if name == "set-cookie"]
        return Answer(path, began["status"], dict(found), content, cookies)

    def close(self) -> None:
        """Let the project go."""
        if self.running.session:
            self.running.session.close()
        self.run(self._loop.shutdown_default_executor())
        self._loop.close()

    def run(self, work: Coroutine) -> None:
        """Run in a thread of its own: the test of a browser has a loop in this one."""
        failed: list[Exception] = []

        def answer() -> None:
            try:
                self._loop.run_until_complete(work)
            except Exception as error:  # noqa: BLE001 (it would be lost in the thread)
                failed.append(error)

        thread = Thread(target=answer)
        thread.start()
        thread.join()
        if failed:
            raise failed[0]


@contextmanager
def opening(root: Path) -> Iterator[Callable[..., Inside]]:
    """Yield `inside` as a function; what it opened is closed at the end."""
    with ExitStack() as opened:
        yield lambda *what, **options: opened.enter_context(inside(root, *what, **options))


@contextmanager
def inside(root: Path, what: object = None, language: str = "en", **options) -> Iterator[Inside]:
    """Run the application in this process."""
    one = Inside(root, what, language, **options)
    try:
        yield one
    finally:
        one.close()
