"""How the application starts and ends, and where it listens."""

import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from threading import Thread
from urllib.parse import urlsplit
from urllib.request import url2pathname

import pytest

from app.running import Process, process
from PETWorks.app import request_guard, serve
from PETWorks.app.files import FileBrowser, RunningApplication
from support.process import petworks


def test_the_address_is_the_first_line(tmp_path):
    with process(cwd=tmp_path, enter=False) as app:
        there = urlsplit(app.url)
        assert (there.scheme, there.hostname) == ("http", "127.0.0.1")
        assert re.fullmatch(r"/[\w-]{22}/", there.path)
        assert there.port
        assert len(there.query.removeprefix("token=")) >= 43
        assert app.enter().status == 303
        assert app.get("/").status == 200


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_it_quietly(tmp_path, number):
    app = Process(cwd=tmp_path)
    assert app.get("/").status == 200
    assert app.stop(number) == 0
    out, errors = app.process.communicate()
    assert out == b""
    told = errors.decode().splitlines()
    assert len(told) == 2, told
    assert told[1] == "The application has stopped. Nothing is lost: every change is in the project's folder."


def test_it_ends_while_a_browser_keeps_its_connection(tmp_path):
    app = Process(cwd=tmp_path)
    there = urlsplit(app.origin)
    with socket.create_connection((there.hostname, there.port), 20) as one:
        one.sendall(f"GET {app.prefix}/static/style.css HTTP/1.1\r\nHost: {there.netloc}\r\n\r\n".encode())
        assert one.recv(20).startswith(b"HTTP/1.1 200")
        began = time.monotonic()
        assert app.stop() == 0
        assert time.monotonic() - began < 10
    app.process.communicate()


def in_thread(work):
    """Run something that has a loop of its own, whether a browser of another test has one here or not."""
    came = []
    thread = Thread(target=lambda: came.append(work()))
    thread.start()
    thread.join()
    return came[0]


def test_it_stops_when_nobody_uses_it(tmp_path):
    running = RunningApplication(FileBrowser(tmp_path))
    served = serve.AppServer(running, "127.0.0.1", 0)
    began = time.monotonic()
    assert in_thread(lambda: served.run(lambda: None, idle=0.3)) is True
    assert time.monotonic() - began < 20


def test_headers_that_never_end(tmp_path, monkeypatch):
    monkeypatch.setattr(serve, "MAX_REQUEST_SECONDS", 0.2)
    running = RunningApplication(FileBrowser(tmp_path))
    served = serve.AppServer(running, "127.0.0.1", 0)
    seen = []

    def visit():
        def wait():
            with socket.create_connection(("127.0.0.1", served.port), 20) as one:
                one.sendall(b"GET / HTTP/1.1\r\nX-Slow: ")
                seen.append(one.recv(100))

        Thread(target=wait).start()

    in_thread(lambda: served.run(visit, idle=2.0))
    assert seen == [b""], "the connection was closed"


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.1.7", "::", "example.org"])  # noqa: S104
def test_other_machines_are_kept_out(tmp_path, host):
    found = petworks("app", "--no-browser", "--host", host, cwd=tmp_path)
    assert found.returncode == 2
    assert f"--host {host} would open the application to other machines" in found.stderr
    assert "--behind-proxy https://" in found.stderr


@pytest.mark.parametrize("url", ["petworks.example.org", "https://petworks.example.org/path", "ftp://x", "https://"])
def test_the_address_of_a_proxy(tmp_path, url):
    found = petworks("app", "--no-browser", "--behind-proxy", url, cwd=tmp_path)
    assert found.returncode == 2
    assert "--behind-proxy cannot be" in found.stderr


def test_behind_a_proxy(tmp_path):
    app = Process("--behind-proxy", "https://petworks.example.org", "--port", free_port(), cwd=tmp_path, enter=False)
    try:
        assert app.address.startswith("https://petworks.example.org/")
        port = int(app.process.args[-1])
        token, app.origin = app.url.partition("/?")[2], f"http://127.0.0.1:{port}"
        assert app.get("/", host=f"127.0.0.1:{port}").status == 421
        answer = app.get(f"/?{token}", host="petworks.example.org")
        assert answer.status == 303
        assert "; Secure" in answer.cookies[0]
        assert app.get("/", host="petworks.example.org").status == 200
        told = {"content-type": "application/x-www-form-urlencoded", "host": "petworks.example.org"}
        form = b"language=zh_TW&back=/"
        assert app.ask("POST", "/language", form, origin="http://petworks.example.org", **told).status == 403
        assert app.ask("POST", "/language", form, origin="https://petworks.example.org", **told).status == 303
    finally:
        app.stop()
        errors = app.process.communicate()[1].decode()
    assert "The proxy must encrypt" in errors
    assert str(port) in errors


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def test_a_port_that_is_taken(tmp_path):
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        one.listen()
        port = one.getsockname()[1]
        found = petworks("app", "--no-browser", "--port", port, cwd=tmp_path)
    assert found.returncode == 2
    assert f"port {port} of 127.0.0.1 cannot be used" in found.stderr
    assert petworks("app", "--port", "70000", cwd=tmp_path).returncode == 2


@pytest.mark.parametrize(
    ("named", "problem"),
    [
        ("nothing.csv", "there is no such file or folder"),
        ("bad.csv", "the file is empty"),
    ],
)
def test_what_cannot_be_opened_is_told_before_anything_starts(tmp_path, named, problem):
    (tmp_path / "bad.csv").touch()
    found = petworks("app", named, "--no-browser", cwd=tmp_path)
    assert found.returncode == 2
    assert problem in found.stderr
    assert found.stdout == ""


def test_a_folder_that_is_no_project_is_where_a_file_is_chosen(tmp_path):
    (tmp_path / "visits").mkdir()
    (tmp_path / "visits" / "march.csv").write_text("zip,age\n100,30\n")
    with process("visits", cwd=tmp_path) as app:
        assert "march.csv" in app.get("/").body.decode()


WITHOUT = """
import runpy, sys
sys.modules["starlette"] = None
sys.argv = ["petworks", "app", "--no-browser"]
runpy.run_module("PETWorks", run_name="__main__")
"""


def test_without_the_packages_of_the_extra(tmp_path):
    found = subprocess.run([sys.executable, "-c", WITHOUT], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert found.returncode == 2
    assert 'pip install "petworks[app]"' in found.stderr


def test_nothing_is_left_behind_where_nothing_was_opened(tmp_path):
    with process(cwd=tmp_path, env={"HOME": str(tmp_path)}) as app:
        app.get("/")
    assert [*tmp_path.iterdir()] == []
    assert request_guard.MAX_REQUEST_SECONDS > 1


def test_a_browser_is_let_in_by_a_file_that_only_its_owner_can_read(tmp_path, browser, monkeypatch):
    """The arguments of a browser, which everybody on the machine can read, have no token."""
    opened = []
    monkeypatch.setattr(serve.webbrowser, "open", opened.append)
    with process(cwd=tmp_path, enter=False) as app:
        with serve.open_browser(app.url):
            while not opened:
                time.sleep(0.01)
            file = Path(url2pathname(urlsplit(opened[0]).path))
            assert urlsplit(opened[0]).scheme == "file"
            assert [path.stat().st_mode & 0o777 for path in (file, file.parent)] == [0o600, 0o700]
            context = browser.new_context()
            page = context.new_page()
            page.goto(opened[0])
            page.wait_for_selector("main h1")
            assert page.url == f"{app.address}/"
            cookie = next(one for one in context.cookies() if one["name"].startswith("petworks_"))
            assert (cookie["path"], cookie["sameSite"], cookie["httpOnly"]) == (app.prefix, "Strict", True)
            context.close()
        assert not file.parent.exists()
