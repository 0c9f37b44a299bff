"""Who may come in, and what every answer must say."""

import json
import re
import socket
import time
from contextlib import suppress
from urllib.parse import urlsplit

import pytest

from app.running import Inside, inside, process
from PETWorks.app import request_guard
from support.output import words

PAGES = ("/", "/text", "/nothing", "/static/style.css", "/static/nothing.css")


@pytest.fixture
def app(tmp_path):
    with inside(tmp_path) as one:
        yield one


def stranger(app: Inside) -> Inside:
    """Return the same application as somebody else sees it."""
    app.cookies.clear()
    return app


@pytest.mark.parametrize(
    "host",
    ["evil.example", "127.0.0.1", "127.0.0.1:8001", "localhost.evil.example:8000", "", "127.0.0.1:8000.evil.example"],
)
@pytest.mark.parametrize("path", PAGES)
def test_another_host_is_refused(app, host, path):
    """A name that an attacker's server resolves to 127.0.0.1 makes the browser send their pages' requests here."""
    answer = app.get(path, host=host)
    assert answer.status == 421
    assert b"<" not in answer.body


@pytest.mark.parametrize("path", ["/", "/text", "/nothing", "/columns"])
def test_without_the_cookie_nothing_is_shown(app, path):
    answer = stranger(app).get(path)
    assert answer.status == 403
    assert "petworks app" in answer.text
    assert answer.cookies == []


def test_a_wrong_cookie(app):
    assert app.get("/").status == 200
    app.cookies["petworks_8000"] = "x" * 43
    assert app.get("/").status == 403
    app.cookies["petworks_8000"] = "\u00e9"
    assert app.get("/").status == 403


def test_the_token_works_once(tmp_path):
    with inside(tmp_path, enter=False) as app:
        token = app.guard.token
        assert app.get("/?token=wrong").status == 403
        first = app.get(f"/?token={token}")
        assert (first.status, first.to) == (303, "/")
        assert token not in "".join(first.cookies)
        assert app.get("/").status == 200
        again = app.get(f"/?token={token}")  # the same browser, say by its history
        assert (again.status, list(again.cookies)) == (303, [])
        used = stranger(app).get(f"/?token={token}")
        assert (used.status, used.cookies) == (403, [])
        assert "used before" in used.h1
        assert "此網址已使用過" in used.h1
        assert token not in used.text
        sheets = [one.get("href") for one in used.markup.all("link")]
        assert {stranger(app).get(one.removeprefix(app.prefix)).status for one in sheets} == {200}
        assert app.get("/?token=").status == 403


@pytest.mark.parametrize(
    "headers",
    [
        {"sec-fetch-site": "cross-site", "origin": "https://evil.example"},
        {"sec-fetch-site": "same-site", "origin": "http://127.0.0.1:8000"},
        {"sec-fetch-site": "none"},
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:8001"},
        {},
    ],
)
def test_a_form_of_another_page_is_refused(app, headers):
    told = {"content-type": "application/x-www-form-urlencoded", **headers}
    assert app.ask("POST", "/language", b"language=zh_TW&back=/", **told).status == 403
    assert app.get("/").markup.first("html").get("lang") == "en"


@pytest.mark.parametrize("headers", [{"sec-fetch-site": "same-origin"}, {"origin": "http://127.0.0.1:8000"}])
def test_a_form_of_ours_is_taken(app, headers):
    told = {"content-type": "application/x-www-form-urlencoded", **headers}
    assert app.ask("POST", "/language", b"language=zh_TW&back=/", **told).status == 303
    assert app.get("/").markup.first("html").get("lang") == "zh-Hant-TW"


def test_other_pages_cannot_load_anything(app):
    for path in PAGES:
        assert app.get(path, **{"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors"}).status == 403


@pytest.mark.parametrize("method", ["PUT", "PATCH", "OPTIONS", "TRACE", "CONNECT"])
def test_other_methods(app, method):
    assert app.ask(method, "/", **{"sec-fetch-site": "same-origin"}).status == 405


def test_a_large_body(app):
    assert app.post("/language", back="/", language="en", more="x" * request_guard.MAX_BODY_BYTES).status == 413


def test_a_long_address(app):
    assert app.get("/?" + "x" * request_guard.MAX_ADDRESS).status == 414


@pytest.mark.parametrize("body", [b"%ff=1", b"a", b"a=\xff", b"&".join([b"a=1"] * 20_001)])
def test_a_form_that_cannot_be_read(app, body):
    told = {"content-type": "application/x-www-form-urlencoded", "sec-fetch-site": "same-origin"}
    assert app.ask("POST", "/theme", body, **told).status == 400


def test_a_body_of_another_kind(app):
    told = {"content-type": "application/json", "sec-fetch-site": "same-origin"}
    assert app.ask("POST", "/theme", b'{"theme": "dark"}', **told).status == 400


@pytest.mark.parametrize(
    "back", ["https://evil.example/", "//evil.example", "evil", "", "/\\evil.example", "/a\r\nx: y"]
)
def test_no_way_back_to_elsewhere(app, back):
    assert app.post("/language", back=back, language="en").status == 400


def test_a_real_process_refuses_the_same(tmp_path):
    with process(cwd=tmp_path) as app:
        assert app.get("/").status == 200
        assert app.get("/", host="evil.example").status == 421
        assert app.post("/language", back="/", language="en", more="x" * request_guard.MAX_BODY_BYTES).status == 413
        app.cookies.clear()
        assert app.get("/").status == 403
        there = urlsplit(app.origin)
        with socket.create_connection((there.hostname, there.port), 20) as one:
            one.sendall(f"GET {app.prefix}/ HTTP/1.1\r\nHost: {there.netloc}\r\nHost: evil.example\r\n\r\n".encode())
            assert b" 400 " in one.recv(4096) or b" 421 " in one.recv(4096)
        with socket.create_connection((there.hostname, there.port), 20) as one, suppress(ConnectionError):
            one.sendall(b"GET / HTTP/1.1\r\nX: " + b"x" * 100_000 + b"\r\n\r\n")
            assert b" 400 " in one.recv(4096)  # which may be lost: the server closes before it has read all
        assert app.get("/").status == 403


ODD_COOKIES = [
    *("a", "a=b=c", "=", "; ;", 'a="', 'a="b', "a=b;;c", "a,b=c", "a b=c", "a[0]=1", "{}", 'a={"b": "c", "d": 1}'),
    *("$Version=1", "a=\xe9\xa0", "a=\x7f", "a:b=1", "expires=Thu, 01 Jan 1970", "a@b=c", "(a)=b", "petworks_8001=x"),
]


@pytest.mark.parametrize("odd", ODD_COOKIES)
def test_cookies_of_other_applications_lock_nobody_out(app, odd):
    """Cookies are sent to every port of this machine."""
    ours = f"petworks_8000={app.cookies['petworks_8000']}"
    for cookie in (f"{odd}; {ours}", f"{ours}; {odd}", f"petworks_8000=another; {odd}; {ours}"):
        assert app.get("/", cookie=cookie).status == 200
    assert app.get("/", cookie=odd).status == 403


def test_the_cookie_is_for_a_path_that_nobody_can_guess(tmp_path):
    with inside(tmp_path, enter=False) as app, inside(tmp_path, enter=False) as other:
        assert re.fullmatch(r"/[\w-]{22}", app.prefix)
        assert app.prefix != other.prefix
        cookie = app.get(f"/?token={app.guard.token}").cookies[0]
        assert cookie.endswith(f"; Path={app.prefix}")
        headers = {"host": "127.0.0.1:8000", "sec-fetch-site": "none", "cookie": cookie.partition(";")[0]}
        for path in (
            "/",
            "/columns",
            "/static/style.css",
            app.prefix,
            f"{app.prefix}x/",
            f"/x{app.prefix}/",
            other.prefix,
        ):
            answer = app.exchange("GET", path, headers, b"")
            assert answer.status == 403, path
            assert app.prefix not in answer.text
        assert app.exchange("GET", f"{app.prefix}/", headers, b"").status == 200


def test_the_token_works_for_a_minute(tmp_path, monkeypatch):
    with inside(tmp_path, enter=False) as app:
        said = []
        app.guard._announce = said.append
        first = app.guard.token
        clock = time.monotonic()
        monkeypatch.setattr(request_guard.time, "monotonic", lambda: clock + request_guard.TOKEN_SECONDS + 1)
        late = app.get(f"/?token={first}")
        assert (late.status, list(late.cookies)) == (403, [])
        assert "此網址已逾時" in late.h1
        assert said == [app.guard.link]
        assert app.get(f"/?token={first}").status == 403
        assert len(said) == 1, "only whoever has the link makes a new one"
        assert app.get(said[0].removeprefix(app.prefix)).status == 303


def test_cells_cannot_become_addresses(tmp_path):
    (tmp_path / "people.csv").write_text('name\n"<a href=""/evil"" src=""/x"">"\n' * 1 + "b\n" * 20)
    with inside(tmp_path, tmp_path / "people.csv") as app:
        app.until("/", "content")
        small = app.follow(app.post("/show-small", back="/"))
        assert "&#34;/evil&#34; src=&#34;/x&#34;" in small.text


@pytest.mark.parametrize(
    "at", ["javascript:alert(1)", "data:text/html,x", "//evil.example", "https://evil.example", "/a\r\nx: y", "/\\x"]
)
def test_the_journal_leads_nowhere_else(tmp_path, at):
    (tmp_path / "people.csv").write_text("a;b\n1;2\n" * 1 + "3;4\n")
    with inside(tmp_path, tmp_path / "people.csv") as app:
        page = app.until("/", "content")
        assert app.post("/open/reading", revision=page.revision, encoding="utf-8").status == 303
    journal = tmp_path / "people-project" / "journal.jsonl"
    lines = [json.loads(line) for line in journal.read_text().splitlines()]
    journal.write_text("".join(json.dumps(one | {"at": at}) + "\n" for one in lines))
    with inside(tmp_path, tmp_path / "people-project") as app:
        for move in ("/undo", "/redo"):
            answer = app.post(move, revision=app.until("/", "content").revision)
            assert (answer.status, answer.to) == (303, "/")


@pytest.mark.parametrize("language", ["en", "zh_TW"])
def test_a_mistake_of_ours_is_told_without_what_it_was(tmp_path, language):
    """Its text may hold cells of the table; the page tells its kind only, with the headers of all pages."""

    def fail(*_):
        raise ValueError("secretcell")

    (tmp_path / "people.csv").write_text("a;b\n1;2\n")
    with inside(tmp_path, tmp_path / "people.csv", language) as app:
        app.running.describers = {**app.running.describers, "open": fail}
        with pytest.raises(ValueError, match="secretcell"):
            app.get("/text")
        app.strict = False
        answer = app.get("/text")
        assert answer.status == 500
        assert answer.h1 == words(language).app["frame_failed_title"]
        assert "ValueError" in answer.text
        assert "secretcell" not in answer.text


def test_a_slow_body_is_given_up(tmp_path, monkeypatch):
    """Its end never comes; meanwhile others are answered."""
    monkeypatch.setattr(request_guard, "MAX_REQUEST_SECONDS", 0.2)
    with inside(tmp_path) as app:
        began = time.monotonic()
        sent = [{"type": "http.request", "body": b"language=", "more_body": True}]
        parts = []

        async def receive():
            import asyncio

            if sent:
                return sent.pop()
            await asyncio.sleep(60)
            return {"type": "http.disconnect"}

        async def send(message):
            parts.append(message)

        headers = {"host": "127.0.0.1:8000", "sec-fetch-site": "same-origin"}
        headers["cookie"] = f"petworks_8000={app.cookies['petworks_8000']}"
        path = f"{app.prefix}/language"
        scope = {"type": "http", "method": "POST", "path": path, "raw_path": path.encode(), "query_string": b""}
        scope["headers"] = [(name.encode(), value.encode()) for name, value in headers.items()]
        app.run(app.guard(scope, receive, send))
        assert parts[0]["status"] == 408
        assert time.monotonic() - began < 30
