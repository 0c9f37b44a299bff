"""A project that somebody else sent is only read until it is trusted, and nothing is written through its links."""

import json
import os
from pathlib import Path

import pytest

from app.running import inside
from PETWorks.app.project.draft import Change, Draft
from PETWorks.app.project.project import Project
from PETWorks.errors import PETWorksError, PolicyError

TABLE = "age;job\n" + "".join(f"{20 + row % 5};{'abc'[row % 3]}\n" for row in range(60))
POLICY = """version = 1
title = "$(touch run)"
[data]
original = "people.csv"
released = "released.csv"
[roles]
quasi_identifiers = ["age"]
sensitive = ["job"]
[[require]]
measure = "k-anonymity"
k = 2
[anonymize]
levels = { age = 0 }
[report]
html = "report.html"
json = "record.json"
"""


@pytest.fixture(autouse=True)
def settings(tmp_path_factory, monkeypatch):
    """No project is trusted yet."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path_factory.mktemp("settings")))
    monkeypatch.setenv("APPDATA", os.environ["XDG_CONFIG_HOME"])


@pytest.fixture
def received(tmp_path):
    folder = tmp_path / "study"
    folder.mkdir()
    (folder / "people.csv").write_text(TABLE)
    (folder / "policy.toml").write_text(POLICY)
    return folder


def contents(folder):
    return {
        path.relative_to(folder).as_posix(): path.readlink() if path.is_symlink() else path.read_bytes()
        for path in folder.rglob("*")
        if path.is_symlink() or path.is_file()
    }


def test_it_is_only_read_until_it_is_trusted(tmp_path, received):
    before = contents(tmp_path)
    with inside(tmp_path, received, trusted=False) as app:
        page = app.until("/", "content")
        assert "nothing is written to its folder" in page["untrusted"].text
        refused = app.post("/columns/1", revision=page.revision, role="identifier", part="roles")
        assert (refused.status, refused.h1) == (422, "This project is only read")
        assert app.post("/release/write", revision=page.revision).status == 422
        assert app.post("/undo", revision=page.revision).status == 422
        for path in ("/columns", "/hierarchies", "/requirements", "/explore", "/compare", "/release", "/text"):
            app.get(path)
        assert contents(tmp_path) == before
        assert app.follow(app.post("/open/trust", revision=page.revision)).markup.ids.get("untrusted") is None
        page = app.until("/", "content")
        assert app.post("/open/reading", revision=page.revision, encoding="utf-8").status == 303
    assert 'encoding = "utf-8"' in (received / "policy.toml").read_text()
    with inside(tmp_path, received, trusted=False) as app:
        assert "untrusted" not in app.get("/").markup.ids
    assert (Path(os.environ["XDG_CONFIG_HOME"]) / "petworks" / "trusted.json").stat().st_mode & 0o777 == 0o600


def test_a_project_that_was_made_here_is_trusted(tmp_path, received):
    for _ in range(2):
        with inside(tmp_path, received / "people.csv", trusted=False) as app:
            assert "untrusted" not in app.until("/", "content").markup.ids


def test_another_project_in_the_place_of_a_trusted_one(tmp_path, received):
    with inside(tmp_path, received / "people.csv", trusted=False) as app:
        app.until("/", "content")
    made = received / "people-project"
    lines = (made / "journal.jsonl").read_text().splitlines()
    first = json.loads(lines[0])
    lines[0] = json.dumps(first | {"birth": "0" * len(first["birth"])}, ensure_ascii=False)
    (made / "journal.jsonl").write_text("\n".join(lines) + "\n")
    with inside(tmp_path, made, trusted=False) as app:
        assert "untrusted" in app.get("/").markup.ids


@pytest.mark.parametrize("name", ["policy.toml", "journal.jsonl", ".petworks", ".petworks/lock"])
@pytest.mark.parametrize("there", [True, False], ids=["a file", "dangling"])
def test_no_link_in_place_of_its_own_files(tmp_path, received, name, there):
    """Also if the user trusts it: the file at the other end is neither made, nor changed, nor made shorter."""
    target, path = tmp_path / "bash_aliases", received / name
    path.parent.mkdir(exist_ok=True)
    path.unlink(missing_ok=True)
    if there and name != ".petworks":
        target.write_text("ssh-ed25519 AAAA torn")
    elif there:
        target.mkdir()
    path.symlink_to(target)
    before = contents(tmp_path)
    draft, change = Draft.of_table("people.csv"), Change("open_table", table="people.csv")
    with pytest.raises((PETWorksError, OSError)):
        Project(received)
    with pytest.raises((PETWorksError, OSError)):
        Project.create(received, draft, change)
    after = contents(tmp_path)
    assert {key: after[key] for key in before} == before
    assert not {"bash_aliases", "bash_aliases/lock"} & (after.keys() - before.keys())


@pytest.mark.parametrize("name", ["released.csv", "report.html", "record.json"])
def test_nothing_is_written_through_a_link(tmp_path, received, name):
    target = tmp_path / "authorized_keys"
    target.write_text("mine\n")
    (received / name).symlink_to(target)
    with inside(tmp_path, received, trusted=False) as app:
        page = app.until("/", "content")
        assert name in page["untrusted"].text
        app.follow(app.post("/open/trust", revision=page.revision))
        page = app.until("/", "content")
        assert app.post("/release/write", revision=page.revision, confirmed="1").status < 500
        app.settled("/release", "released")
        assert "symbolic link" in app.get("/release").text
    assert target.read_text() == "mine\n"
    assert (received / name).is_symlink()


@pytest.mark.parametrize(
    ("key", "path"),
    [("released", "../out.csv"), ("html", "../out.html"), ("json", ".profile"), ("html", "/petworks-out.html")],
)
def test_nothing_is_written_outside_its_folder(tmp_path, received, key, path):
    names = {"released": "released.csv", "html": "report.html", "json": "record.json"}
    (received / "policy.toml").write_text(POLICY.replace(f'{key} = "{names[key]}"', f'{key} = "{path}"'))
    with inside(tmp_path) as app:
        opened = app.post("/open", path="study")
        if opened.status == 422:
            assert "not below the folder" in opened.text
            return
        page = app.until("/", "content")
        app.follow(app.post("/open/trust", revision=page.revision))
        page = app.until("/", "content")
        app.post("/release/write", revision=page.revision, confirmed="1")
        app.settled("/release", "released")
    assert not (received / path).exists()


def test_a_folder_that_is_a_link_is_not_written_through(tmp_path, received):
    (tmp_path / "elsewhere").mkdir()
    (received / "out").symlink_to(tmp_path / "elsewhere")
    (received / "policy.toml").write_text(POLICY.replace('"released.csv"', '"out/released.csv"'))
    with inside(tmp_path, received, trusted=False) as app:
        page = app.until("/", "content")
        app.follow(app.post("/open/trust", revision=page.revision))
        page = app.until("/", "content")
        app.post("/release/write", revision=page.revision, confirmed="1")
        app.settled("/release", "released")
        assert "symbolic link" in app.get("/release").text
    assert not any((tmp_path / "elsewhere").iterdir())


@pytest.mark.parametrize("content", [b"ssh-ed25519 AAAA me@here", b"[[requir", b"{}\n", b'{"number": 1}\n', b"\0"])
def test_what_is_no_journal_stays_as_it_is(received, content):
    journal = received / "journal.jsonl"
    journal.write_bytes(content)
    with pytest.raises(PolicyError, match="this is no journal"):
        Project(received)
    assert journal.read_bytes() == content


def test_a_first_line_that_was_torn_is_dropped(tmp_path, received):
    Project(received).close()
    journal = received / "journal.jsonl"
    whole = journal.read_bytes()
    for cut in (1, 10, 30, len(whole) - 1):
        journal.write_bytes(whole[:cut])
        project = Project(received)
        assert len(project.journal.entries) == 1
        project.close()


def test_a_link_that_comes_later_is_asked_about(tmp_path, received):
    with inside(tmp_path, received) as app:
        assert "untrusted" not in app.until("/", "content").markup.ids
    (received / "notes").symlink_to(tmp_path / "elsewhere")
    for trusted in (False, True):
        with inside(tmp_path, received, trusted=trusted) as app:
            assert ("untrusted" in app.get("/").markup.ids) is not trusted
    (received / "notes").unlink()
    (received / "notes").symlink_to(tmp_path / "another")
    with inside(tmp_path, received, trusted=False) as app:
        assert "notes -> " in app.get("/")["untrusted"].text


def test_the_demonstration_is_not_written_through_a_link(tmp_path):
    for name in ("adult.csv", "hierarchies", ""):
        root = tmp_path / (name or "folder")
        folder = root / "petworks-demonstration"
        (folder if name else root).mkdir(parents=True)
        (tmp_path / "home").mkdir(exist_ok=True)
        (folder / name if name else folder).symlink_to(tmp_path / "home" / ("bashrc" if name == "adult.csv" else ""))
        with inside(root) as app:
            assert app.post("/demonstration").status == 422, name
        assert not any((tmp_path / "home").iterdir())


def test_a_file_that_is_kept_under_another_name_keeps_its_content(tmp_path):
    from PETWorks.app.screens.release.after import keep_old

    (tmp_path / "elsewhere.csv").write_text("old")
    (tmp_path / "released.csv").symlink_to(tmp_path / "elsewhere.csv")
    assert keep_old(tmp_path / "released.csv") == "released.1.csv"
    (tmp_path / "elsewhere.csv").write_text("new")
    assert (tmp_path / "released.1.csv").read_text() == "old"
