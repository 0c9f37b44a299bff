"""A project is a folder: every change is on disk before it is shown, and nothing is lost."""

import json
import random
import tomllib
from contextlib import suppress
from http.client import HTTPException
from pathlib import Path
from threading import Timer

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.forked import Forked, parent
from app.running import Process, inside, process
from PETWorks.app.project import project as journal
from PETWorks.app.project.draft import Change, Draft
from PETWorks.app.project.project import Journal, Project, StaleError
from PETWorks.attributetypes import Role
from PETWorks.errors import OutputError, PolicyError

TABLE = "age;sex;job\n" + "".join(f"{20 + row % 30};{'MF'[row % 2]};{'abc'[row % 3]}\n" for row in range(60))


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text(TABLE, encoding="utf-8")
    return path


@pytest.fixture
def project(tmp_path):
    one = made(tmp_path / "study")
    yield one
    one.close()


def made(folder: Path) -> Project:
    return Project.create(folder, Draft.of_table("../people.csv"), Change("open_table", table="people.csv"))


def role(project: Project, column: str, role: Role = Role.QUASI_IDENTIFIER) -> None:
    draft = project.draft.with_role(column, role)
    project.apply(project.revision, Change("columns_role", column=column, role=str(role)), draft)


def reopened(project: Project) -> Project:
    project.close()
    return Project(project.folder)


def test_a_change_is_on_disk(project):
    role(project, "age")
    assert tomllib.loads(project.path.read_text())["roles"] == {"quasi_identifiers": ["age"]}
    lines = [json.loads(line) for line in (project.folder / "journal.jsonl").read_text().splitlines()]
    assert [line["kind"] for line in lines] == ["open_table", "columns_role"]
    assert lines[1]["policy"] == project.path.read_text() == project.text


def test_no_change_is_no_line(project):
    role(project, "age")
    before = project.revision
    project.apply(before, Change("columns_role", column="age", role="quasi_identifier"), project.draft)
    assert project.revision == before


def test_undo_and_redo_outlive_restarts(project):
    texts = [project.text]
    for column in "abc":
        role(project, column)
        texts.append(project.text)
    for text in reversed(texts[:-1]):
        assert project.undo(project.revision)
        assert project.text == text == project.path.read_text()
        project = reopened(project)
        assert project.text == text
    assert project.undo(project.revision) is None
    for text in texts[1:]:
        assert project.redo(project.revision).change.kind == "columns_role"
        assert project.text == text
        project = reopened(project)
    assert project.redo(project.revision) is None
    project.undo(project.revision)
    role(project, "d")
    assert project.redo(project.revision) is None, "a change after undo makes redo impossible"
    project.close()


def test_an_old_state_is_refused(project):
    old = project.revision
    role(project, "age")
    with pytest.raises(StaleError):
        project.apply(old, Change("columns_role", column="sex", role="identifier"), project.draft)
    with pytest.raises(StaleError):
        project.undo(old)
    assert project.draft.roles == {"age": Role.QUASI_IDENTIFIER}


def test_revisions_of_two_projects_differ(tmp_path, project):
    """A window that shows one project must not change another that was opened meanwhile."""
    other = made(tmp_path / "other")
    assert other.revision != project.revision
    other.close()


def test_what_was_noted_changes_no_revision(project):
    before = project.revision
    project.note(Change("frame_small", at="/"))
    assert project.revision == before
    again = reopened(project)
    assert again.revision == before
    assert again.journal.entries[-1].change.kind == "frame_small"
    again.close()


@pytest.mark.parametrize("torn", [b"{", b'{"number": 3', b"\xff\xfe", b'{"number": 3}\n', b"null\n", b"\0" * 500])
def test_a_torn_last_line_is_dropped(project, torn):
    role(project, "age")
    text, lines = project.text, project.folder / "journal.jsonl"
    with lines.open("ab") as file:
        file.write(torn)
    again = reopened(project)
    assert again.text == text
    assert not lines.read_bytes().endswith(torn)
    role(again, "sex")
    last = reopened(again)
    assert [*last.draft.roles] == ["age", "sex"]
    last.close()


def test_a_journal_cut_anywhere_keeps_all_whole_lines(tmp_path):
    project = made(tmp_path / "study")
    for column in ("age", "sex", "年齡"):
        role(project, column)
    project.undo(project.revision)
    project.close()
    whole = (tmp_path / "study" / "journal.jsonl").read_bytes()
    ends = [place + 1 for place, byte in enumerate(whole) if byte == ord("\n")]
    for cut in [*range(ends[0], len(whole), 37), *ends]:
        (tmp_path / "cut.jsonl").write_bytes(whole[:cut])
        journal = Journal(tmp_path / "cut.jsonl")
        assert len(journal.entries) == sum(end <= cut for end in ends)


def test_a_damaged_line_in_the_middle_is_told(project):
    role(project, "age")
    role(project, "sex")
    journal = project.folder / "journal.jsonl"
    first, second, third = journal.read_text().splitlines()
    journal.write_text("\n".join([first, second[:-9], third]) + "\n")
    project.close()
    with pytest.raises(PolicyError, match=r"journal\.jsonl, line 2: not a line of a journal"):
        Project(project.folder)
    assert journal.read_text().count("\n") == 3, "nothing is dropped but a torn last line"


def test_a_full_disk_leaves_no_torn_line(project, monkeypatch):
    role(project, "age")
    before = (project.folder / "journal.jsonl").read_bytes()

    def full(file, content):
        file.write(content[:20])
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(journal, "_write_all", full)
        with pytest.raises(OutputError, match="No space left on device"):
            role(project, "sex")
    assert (project.folder / "journal.jsonl").read_bytes() == before
    assert [*project.draft.roles] == ["age"]
    role(project, "sex")
    again = reopened(project)
    assert [*again.draft.roles] == ["age", "sex"]
    again.close()


def test_a_crash_between_journal_and_policy(project):
    role(project, "age")
    old = project.text
    role(project, "sex")
    new = project.text
    project.path.write_text(old)
    again = reopened(project)
    assert again.text == new == again.path.read_text()
    project.path.unlink()
    last = reopened(again)
    assert last.path.read_text() == new
    last.close()


def test_what_others_wrote_is_taken_over(project):
    role(project, "age")
    old = project.revision
    project.path.write_text(project.text + "\n# by hand\n[anonymize]\nsuppress_at_most = 0.05\n")
    project.refresh()
    assert project.revision != old
    assert project.draft.making == {"suppress_at_most": "0.05"}
    assert project.journal.past[-1].change.kind == "open_outside"
    assert "# by hand" in project.text
    project.undo(project.revision)
    assert "by hand" not in project.path.read_text()


def test_what_others_wrote_while_nobody_was_there(project):
    role(project, "age")
    project.close()
    project.path.write_text(project.text.replace("age", "sex"))
    again = Project(project.folder)
    assert [*again.draft.roles] == ["sex"]
    assert again.journal.past[-1].change.kind == "open_outside"
    again.close()


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("version = ", "not valid TOML"),
        ("roles = 3\ndata = 4\n", "2 problems"),
        ("[roles]\nsensitive = 'age'\n", "sensitive must be a list of names"),
        ("[data]\noriginal = 1979-05-27\n", "original must be text"),
        ("[report]\nwhen = 1979-05-27\n", "cannot have a value of type date"),
        ("a = " + "[" * 3000 + "]" * 3000, "TOML|nested"),
        ("a = " + "9" * 5000, "TOML|digits"),
    ],
)
def test_a_policy_that_cannot_be_used_changes_nothing(project, text, problem):
    role(project, "age")
    known, revision = project.text, project.revision
    project.path.write_text(text)
    project.refresh()
    assert project.problem
    assert any(word in str(project.problem) for word in problem.split("|")), str(project.problem)
    assert (project.text, project.revision) == (known, revision)
    assert project.path.read_text() == text, "the file is theirs until something is changed here"
    role(project, "sex")
    assert project.problem is None
    assert project.path.read_text() == project.text


def test_one_process_at_a_time(project):
    with pytest.raises(OutputError, match="another petworks app has this project open"):
        Project(project.folder)
    again = reopened(project)
    again.close()


names = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1).filter(str.strip)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(names, st.sampled_from(Role)), max_size=6), names, st.dictionaries(names, names, max_size=4))
def test_a_draft_is_read_as_it_was_written(roles, title, parents):
    draft = Draft.of_table("people.csv").with_section("title", title)
    for column, role in roles:
        draft = draft.with_role(column, role)
    if parents:
        draft = draft.with_rule(title, {"parents": parents})
    draft = draft.with_making("suppress_at_most", "5%").with_pin({"name": title, "levels": {title: 2}})
    draft = draft.with_requirement({"measure": "k-anonymity", "k": 5}).with_making("weights", {title: "0.1"})
    again = Draft.read(draft.text())
    assert again == draft
    assert Draft.read(again.text({column: title for column, _ in roles})) == draft


def test_numbers_stay_as_they_were_written():
    draft = Draft.read('[[require]]\nmeasure = "t-closeness"\nt = 0.30000000000000000001\n')
    assert "t = 0.30000000000000000001\n" in draft.text()


def test_two_windows(tmp_path, table):
    with inside(tmp_path, table) as app:
        first = app.until("/", "content").revision
        assert app.post("/open/reading", revision=first, encoding="utf-8").status == 303
        late = app.post("/open/reading", revision=first, encoding="cp950")
        assert late.status == 409
        assert late.h1 == "The project was changed elsewhere"
        assert "cp950" not in (tmp_path / "people-project" / "policy.toml").read_text()
        again = app.until("/", "content")
        assert app.post("/undo", revision=again.revision).to == "/"
        assert "utf-8" not in (tmp_path / "people-project" / "policy.toml").read_text()


def test_two_processes_on_one_project(tmp_path, table):
    with (
        process(table, cwd=tmp_path),
        pytest.raises(AssertionError, match="another petworks app has this project open"),
    ):
        Process(table, cwd=tmp_path)


def test_killed_at_any_moment(tmp_path, table):
    """Whatever was answered is there after the next start; of what was not, all or nothing."""
    moments, encodings = random.Random(1994), ("utf-8", "cp950", "big5hkscs")
    confirmed, sent = "", ""
    with parent(tmp_path) as starting:
        for attempt in range(50):
            app = Forked(starting, table)
            page = app.get("/text")
            kept = tomllib.loads((tmp_path / "people-project" / "policy.toml").read_text())["data"].get("encoding", "")
            assert kept in {confirmed, sent}, attempt
            confirmed = kept
            killing = Timer(moments.uniform(0, 0.1), app.kill)
            killing.start()
            with suppress(OSError, EOFError, ValueError, StopIteration, HTTPException):
                for number in range(1000):
                    sent = encodings[(attempt + number) % 3]
                    app.post("/open/reading", revision=page.revision, encoding=sent)
                    confirmed = sent
                    page = app.get("/text")
            killing.join()
    journal = Journal(tmp_path / "people-project" / "journal.jsonl")
    assert len(journal.entries) > 20
    assert [*(tmp_path / "people-project").glob(".*.part")] == [] or journal.policy
