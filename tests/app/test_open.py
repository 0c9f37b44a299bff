"""Step 1: what can be opened, what is shown of it, and what is said of a file that cannot be read."""

import json
import os
import time
from pathlib import Path

import pytest
from openpyxl import Workbook

from app.running import inside, process
from PETWorks.app.files import FileBrowser, OutsideError
from PETWorks.app.screens.open import view
from PETWorks.app.session import Work
from PETWorks.errors import MissingFileError
from support.output import words

SCRIPT = "<script>alert(1)</script>"


def write(path: Path, text: str, encoding: str = "utf-8") -> Path:
    path.write_bytes(text.encode(encoding))
    return path


def people(many: int = 40) -> str:
    return "id;age;sex\n" + "".join(f"P{row:05};{20 + row % 4};{'MF'[row % 2]}\n" for row in range(many))


def test_the_first_start(tmp_path):
    write(tmp_path / "people.csv", people())
    (tmp_path / "more").mkdir()
    (tmp_path / "notes.docx").touch()
    with inside(tmp_path) as app:
        page = app.get("/")
        assert page.h1 == "Choose a table, or try the demonstration"
        assert "people.csv" in page["main"].text
        assert "more/" in page["main"].text
        assert "Not listed: 1 file of other kinds." in page["main"].text
        assert page["dock"].text == ""
        assert app.get("/text").to == "/"
        assert [*tmp_path.glob("*project*")] == [], "nothing is written before something is opened"


def test_a_table_is_opened_from_the_list(tmp_path):
    write(tmp_path / "people.csv", people())
    with inside(tmp_path) as app:
        page = app.get("/")
        number = next(one.get("value") for one in page.markup.all("input") if one.get("name") == "number")
        app.follow(app.post("/open", number=number))
        page = app.until("/", "content")
        assert page.h1 == "people.csv was read: 40 rows, 3 columns"
        assert page["dock"].text == "Undo Ctrl ZRedo Last: opened people.csv As text T"
        assert "30" not in page["content"].text
        rows = [
            [cell.text for cell in row.walk() if cell.tag in ("th", "td")]
            for row in page.markup.first("tbody").all("tr")
        ]
        assert rows == [
            ["id", "pattern A##### may name people: none is shown", "40", "0"],
            ["age", "20 10 21 10 22 10 and 1 more", "4", "0"],
            ["sex", "F 20 M 20", "2", "0"],
        ]
        assert (tmp_path / "people-project" / "policy.toml").read_text().count("../people.csv") == 1


def test_a_table_has_one_project(tmp_path):
    write(tmp_path / "people.csv", people())
    write(tmp_path / "people.txt", people(30))
    for name, rows, folder in (("people.csv", 40, "people-project"), ("people.txt", 30, "people-project-2")) * 2:
        with inside(tmp_path, tmp_path / name) as app:
            assert f"{rows} rows" in app.until("/", "content").h1
            assert app.running.session.folder.name == folder


def test_what_is_given_on_the_command_line_may_be_elsewhere(tmp_path):
    (tmp_path / "root").mkdir()
    table = write(tmp_path / "people.csv", people())
    with inside(tmp_path / "root", table) as app:
        assert "40 rows" in app.until("/", "content").h1
        assert app.post("/open", path="../other.csv").status == 422


@pytest.mark.parametrize(
    "path",
    ["../secret.csv", "/etc/passwd", "link.csv", "folder/secret.csv", "a/../../secret.csv", "..", "/", "\0", "~"],
)
def test_nothing_outside_the_folder(tmp_path, path):
    write(tmp_path / "secret.csv", people())
    root = tmp_path / "root"
    root.mkdir()
    (root / "link.csv").symlink_to(tmp_path / "secret.csv")
    (root / "folder").symlink_to(tmp_path)
    (root / "circle").symlink_to(root / "circle")
    browser = FileBrowser(root)
    with pytest.raises((OutsideError, MissingFileError)):
        browser.find_by_path(path)
    with inside(root) as app:
        answer = app.post("/open", path=path)
        assert answer.status == 422
        assert answer.h1 == "1 problem; nothing was read"
        assert "secret" not in app.get("/")["main"].text
        assert app.running.session is None
    assert [*tmp_path.rglob("journal.jsonl")] == []


def test_a_project_whose_policy_names_files_outside(tmp_path):
    write(tmp_path / "secret.csv", people())
    folder = tmp_path / "root" / "study"
    folder.mkdir(parents=True)
    for text in ('[data]\noriginal = "../../secret.csv"\n', '[hierarchies.age]\nfile = "/etc/passwd"\n'):
        write(folder / "policy.toml", "version = 1\n" + text)
        with inside(tmp_path / "root") as app:
            answer = app.post("/open", path="study")
            assert answer.status == 422
            assert "this is not below the folder that was given at the start" in answer["answer"].text
            assert app.running.session is None


def test_a_policy_changed_to_name_files_outside(tmp_path):
    write(tmp_path / "secret.csv", people(7))
    (tmp_path / "root").mkdir()
    write(tmp_path / "root" / "people.csv", people())
    with inside(tmp_path / "root") as app:
        app.post("/open", path="people.csv")
        app.until("/", "content")
        policy = tmp_path / "root" / "people-project" / "policy.toml"
        policy.write_text(policy.read_text().replace("../people.csv", "../../secret.csv"))
        page = app.get("/")
        assert "40 rows" in page.h1
        assert "policy.toml was changed outside, and cannot be used" in page["main"].text


def test_all_ragged_lines_are_told_at_once(tmp_path):
    lines = people(50).splitlines()
    lines[16] += ";more"
    lines[30] = "P;secretcell"
    write(tmp_path / "people.csv", "\n".join(lines))
    with inside(tmp_path) as app:
        app.post("/open", path="people.csv")
        page = app.until("/", "main")
        while "nothing was read" not in page.h1:
            page = app.get("/")
        assert page.status == 422
        assert page.h1 == "2 problems; nothing was read"
        assert "people.csv, line 17: the record has 4 cells, but the header has 3 columns" in page["answer"].text
        assert "people.csv, line 31: the record has 2 cells" in page["answer"].text
        assert "secretcell" not in page.text
        assert app.get("/text").status == 200


def test_many_ragged_lines(tmp_path):
    write(tmp_path / "people.csv", "a;b\n" + "1;2;3\n" * 5000)
    with inside(tmp_path) as app:
        app.post("/open", path="people.csv")
        while "nothing was read" not in (page := app.get("/")).h1:
            pass
        assert page.h1 == "20 problems or more; nothing was read"


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "the file is empty"),
        (b"a;a\n1;2\n", "have the same name"),
        (b"a;b\n", "no rows"),
        (b"%PDF-1.4", "this is a PDF, not a table"),
        (b"\xff\xff;b\n1;2\n", "neither UTF-8 nor CP950"),
        (b"a;b\n1\x002;3\n", "NUL byte"),
    ],
)
def test_a_file_that_cannot_be_read(tmp_path, content, problem):
    (tmp_path / "people.csv").write_bytes(content)
    with inside(tmp_path) as app:
        answer = app.post("/open", path="people.csv")
        while answer.status == 303 or "nothing was read" not in answer.h1:
            answer = app.get("/")
        assert problem in answer["answer"].text
        assert answer.status == 422


def test_another_encoding(tmp_path):
    write(tmp_path / "people.csv", "性別;年齡\n" + "男;30\n女;40\n" * 9, "cp950")
    with inside(tmp_path) as app:
        app.post("/open", path="people.csv")
        page = app.until("/", "content")
        assert "CP950" in page["answer"].text
        assert (
            app.post("/open/reading", revision=page.revision, encoding="other", encoding_typed="utf-99").status == 422
        )
        assert "性別" in app.until("/", "content")["main"].text, "the last good state stays"
        wrong = app.post("/open/reading", revision=page.revision, encoding="utf-8", delimiter="")
        assert wrong.status == 422
        assert "not UTF-8" in wrong["answer"].text
        assert app.post("/open/reading", revision=page.revision, encoding="cp1252").status == 303
        page = app.until("/", "content")
        assert "性別" not in page["main"].text
        policy = (tmp_path / "people-project" / "policy.toml").read_text()
        assert 'encoding = "cp1252"' in policy
        assert app.post("/undo", revision=page.revision).to == "/"
        assert "性別" in app.until("/", "content")["main"].text


def test_a_tab_stands_in_the_policy_as_a_word(tmp_path):
    write(tmp_path / "people.csv", people().replace(";", "\t"))
    with inside(tmp_path) as app:
        app.post("/open", path="people.csv")
        page = app.until("/", "content")
        assert "tab" in page["answer"].text
        app.post("/open/reading", revision=page.revision, delimiter="tab")
        page = app.until("/", "content")
        assert "3 columns" in page.h1
        assert 'delimiter = "tab"' in (tmp_path / "people-project" / "policy.toml").read_text()


def test_a_workbook_of_several_sheets(tmp_path):
    book = Workbook()
    book.active.title = SCRIPT[:25].replace("/", "")
    sheet = book.create_sheet("people")
    for line in people().splitlines():
        sheet.append(line.split(";"))
    book.save(tmp_path / "people.xlsx")
    with inside(tmp_path) as app:
        answer = app.post("/open", path="people.xlsx")
        assert answer.h1 == "Which sheet is it?"
        options = [one.get("value") for one in answer["answer"].all("option")]
        assert options == [SCRIPT[:25].replace("/", ""), "people"]
        number = next(one.get("value") for one in answer["answer"].all("input") if one.get("name") == "number")
        app.follow(app.post("/open", number=number, sheet="people"))
        page = app.until("/", "content")
        assert "40 rows, 3 columns" in page.h1
        assert 'sheet = "people"' in (tmp_path / "people-project" / "policy.toml").read_text()


@pytest.mark.parametrize("language", ["en", "zh_TW"])
def test_few_rows_and_one_column_are_warned_of(tmp_path, language):
    write(tmp_path / "people.csv", "age\n1\n2\n")
    with inside(tmp_path, language=language) as app:
        app.post("/open", path="people.csv")
        page = app.until("/", "content")
        assert words(language).app["open_few_rows"] in page["main"].text
        assert words(language).inspection["one_column"] in page["main"].text


def test_ten_thousand_columns(tmp_path):
    names = ";".join(f"column {number}" for number in range(10_000))
    write(tmp_path / "wide.csv", "\n".join([names, *[";".join(["1"] * 10_000)] * 6]))
    with inside(tmp_path) as app:
        app.post("/open", path="wide.csv")
        page = app.until("/", "content", 120)
        assert "10,000 columns" in page.h1
        assert "Columns 1 to 100 of 10,000" in page["main"].text
        last = app.get("/?part=100")
        assert "Columns 9,901 to 10,000 of 10,000" in last["main"].text
        assert "column 9999" in last["main"].text
        for part in ("101", "0", "-1", "x", "9" * 99):
            assert app.get(f"/?part={part}").status == 200
        assert "and 9,960 more" in app.get("/release").text  # columns that could be quasi-identifiers


def test_names_and_cells_are_text(tmp_path):
    names = [SCRIPT, '"><img src=x onerror=alert(1)>', "{{ 7 * 7 }}", "a\u202eb", "' onfocus='x"]
    cells = ";".join('"' + name.replace('"', '""') + '"' for name in names)
    write(tmp_path / f"{SCRIPT.replace('/', '')}.csv", "\n".join([cells] + [cells] * 9))
    with inside(tmp_path) as app:
        app.post("/open", path=f"{SCRIPT.replace('/', '')}.csv")
        page = app.until("/", "content")
        assert "<script>alert" not in page.text
        assert "<img" not in page.text
        assert "49" not in page["main"].text
        assert "onfocus" in page["main"].text
        text = app.get("/text").text
        assert text.count("<script") == text.count('<script src="/static/') > 0


def test_rows_are_shown_only_when_asked_for(tmp_path):
    write(tmp_path / "people.csv", people().replace("P00003", "Wang"))
    with inside(tmp_path) as app:
        app.post("/open", path="people.csv")
        page = app.until("/", "content")
        assert "Wang" not in page.text
        answer = app.post("/show-small", back="/")
        assert answer.to.startswith("/?small=")
        page = app.get(answer.to)
        assert "Wang" in page["main"].text
        assert "P00005" not in page.text, "the first five rows only"
        journal = [
            json.loads(line) for line in (tmp_path / "people-project" / "journal.jsonl").read_text().splitlines()
        ]
        assert journal[-1]["kind"] == "frame_small"
        assert "Wang" not in str(journal)
        assert "Wang" in app.get(answer.to).text, "it may be reloaded"
        assert "Wang" not in app.get("/").text
        assert "Wang" not in app.get(answer.to).text, "the page was left"
        assert "Wang" not in app.get("/?small=x").text


def test_a_table_that_is_gone_or_changed(tmp_path):
    table = write(tmp_path / "people.csv", people())
    with inside(tmp_path, table) as app:
        app.until("/", "content")
        table.rename(tmp_path / "moved.csv")
        page = app.get("/")
        assert page.status == 422
        assert "there is no such file" in page["answer"].text
        assert app.get("/text").status == 200
        write(table, people(44))
        page = app.until("/", "content")
        assert "44 rows" in page.h1
        assert "The table is not as it was when it was counted before" in page["main"].text
    with inside(tmp_path, table) as app:
        assert "counted before" not in app.until("/", "content")["main"].text


def test_a_large_table_is_read_in_the_background(tmp_path):
    with (tmp_path / "large.csv").open("w") as file:
        file.write("id;age;zip;sex\n")
        for row in range(1_500_000):
            file.write(f"{row};{row % 90};{row % 7919};{row % 2}\n")
    with process(cwd=tmp_path) as app:
        began = time.monotonic()
        app.post("/open", path="large.csv")
        page = app.get("/")
        assert page.h1 == "large.csv is being read: 4 columns"
        assert page["answer"].get("data-poll") == "/"
        assert page["answer"].all("progress")
        assert app.get("/text").status == 200, "other pages answer meanwhile"
        part = app.get("/", fragments=True)
        assert part.markup.ids.keys() == {"answer"} or part.to == "/"
        app.post("/open/stop", revision=page.revision)
        page = app.get("/")
        assert page.h1 == "Reading large.csv was stopped"
        assert app.get("/columns").to in ("", "/"), "a screen that needs the table leads to where it can be read again"
        app.post("/open/again", revision=page.revision)
        assert "being read" in app.get("/").h1
        assert "1,500,000 rows" in app.until("/", "content", 60).h1
        assert time.monotonic() - began < 60
        assert app.get("/", fragments=True).to == "/"


def test_folders_have_numbers(tmp_path):
    (tmp_path / "more" / "deep").mkdir(parents=True)
    write(tmp_path / "more" / "deep" / "people.csv", people())
    with inside(tmp_path) as app:
        page = app.get("/")
        for name in ("more/", "deep/"):
            link = next(one for one in page.markup.all("a") if one.text == name)
            assert link.get("href").startswith("/files/")
            page = app.get(link.get("href"))
        assert "people.csv" in page["main"].text
        assert app.get("/files/99").status == 422
        app.post("/open", path="more/deep/people.csv")
        app.until("/", "content")
        assert "people-project" in app.get("/")["others"].parent.text


def test_the_demonstration(tmp_path):
    with inside(tmp_path) as app:
        app.follow(app.post("/demonstration"))
        page = app.until("/", "content")
        assert page.h1 == "adult.csv was read: 30,162 rows, 10 columns"
        first = (tmp_path / "petworks-demonstration" / "adult.csv").read_bytes()
        app.running.close()
        app.follow(app.post("/demonstration"))
        assert (tmp_path / "petworks-demonstration" / "adult.csv").read_bytes() == first
        assert view.COLUMNS_PER_PAGE == 100


def test_a_folder_that_may_not_be_written_to(tmp_path):
    if os.geteuid() == 0:
        pytest.skip("nothing is forbidden to this user")
    write(tmp_path / "people.csv", people())
    tmp_path.chmod(0o500)
    with inside(tmp_path) as app:
        assert "cannot be made" in app.post("/open", path="people.csv")["answer"].text


def test_progress_never_goes_back():
    def work(progress):
        told = []
        for share in (0.2, None, 0.9, 0.1, 0.95):
            progress.report(10, share)
            told.append(progress.share)
        return told

    done = Work(work)
    assert done.wait(10)
    assert done.value == [0.2, 0.2, 0.9, 0.9, 0.95]
    assert done.rows == 50


@pytest.mark.parametrize("path", ["x" * 300, "x/" * 400, "a/" + "y" * 1000])
def test_a_name_that_is_too_long_is_no_such_file(tmp_path, path):
    with inside(tmp_path) as app:
        answer = app.post("/open", path=path)
        assert answer.status == 422
        assert "there is no such file" in answer.text
