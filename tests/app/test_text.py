"""Everything as text: what is shown works when a colleague runs it, and gives the same release."""

import os
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from app.running import inside
from PETWorks.app.as_text import commands, listing_columns, policy_lines, python
from PETWorks.app.project.draft import Change, Draft
from PETWorks.app.project.project import Project
from PETWorks.attributetypes import Role
from support.places import ROOT
from support.process import COMMAND, PLAIN

GROUPS = {"Male": "person", "Female": "person"}


def people(folder: Path, delimiter: str = ";") -> None:
    rows = (ROOT / "data" / "adult.csv").read_text().splitlines()[:2000]
    (folder / "people.csv").write_text("\n".join(rows).replace(";", delimiter) + "\n")
    (folder / "study").mkdir()
    file = (ROOT / "data" / "adult_hierarchy" / "adult_hierarchy_education.csv").read_text()
    (folder / "study" / "education.csv").write_text(file)


def decided(delimiter: str = ";") -> Draft:
    reading = {"delimiter": delimiter} if delimiter != ";" else {}
    draft = Draft.of_table("../people.csv", **reading)
    for name in ("sex", "age", "education"):
        draft = draft.with_role(name, Role.QUASI_IDENTIFIER)
    for name in ("race", "marital-status", "native-country", "workclass", "salary-class"):
        draft = draft.with_role(name, Role.INSENSITIVE_ATTRIBUTE)
    draft = draft.with_role("occupation", Role.SENSITIVE_ATTRIBUTE)
    draft = draft.with_rule("age", {"intervals": [5, 10, 20], "bottom": 15, "top": 95})
    draft = draft.with_rule("education", {"file": "education.csv"}).with_rule("sex", {"parents": GROUPS})
    draft = draft.with_requirement({"measure": "k-anonymity", "k": 5, "why": "as agreed"})
    draft = draft.with_requirement({"measure": "l-diversity", "l": 2})
    draft = draft.with_requirement({"measure": "re-identification", "average": {"at_most": "0.05"}})
    return draft.with_making("suppress_at_most", "5%").with_making("coarsest", {"sex": 1})


def shell(script: str, folder: Path) -> None:
    """Run lines as a shell would, with this package's command."""
    for line in script.splitlines():
        word, *arguments = shlex.split(line)
        if word == "cd":
            folder /= arguments[0]
        else:
            assert word == "petworks"
            done = subprocess.run(
                [*COMMAND, *arguments], cwd=folder, env=PLAIN, capture_output=True, text=True, check=False
            )
            assert done.returncode in (0, 1), done.stderr


@pytest.mark.parametrize("delimiter", [";", "tab"])
def test_commands_and_python_give_the_same_release(tmp_path, delimiter):
    people(tmp_path, "\t" if delimiter == "tab" else ";")
    draft = decided(delimiter)
    Project.create(tmp_path / "study", draft, Change("open_table", table="people.csv")).close()
    shell(commands(draft, tmp_path / "study"), tmp_path)
    released = tmp_path / "study" / "released.csv"
    first = released.read_bytes()
    assert first.count(b"\n") == 2000
    assert (tmp_path / "study" / "report.html").exists()
    released.unlink()
    script = python(draft)
    assert "pw.KAnonymity(k=5)" in script
    assert 'average="0.05"' in script
    assert "Male" not in script, "values of the table stay in the policy"
    env = {**os.environ, "PYTHONUTF8": "1"}
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path / "study", env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert released.read_bytes() == first


def test_before_anything_is_decided(tmp_path):
    people(tmp_path)
    draft = Draft.of_table("../people.csv", encoding="utf-8")
    assert commands(draft, tmp_path / "study") == "cd study\npetworks inspect ../people.csv --encoding utf-8"
    shell(commands(draft, tmp_path / "study"), tmp_path)
    done = subprocess.run(
        [sys.executable, "-c", python(draft)], cwd=tmp_path / "study", capture_output=True, text=True, check=False
    )
    assert "1,999 rows" in done.stdout, done.stderr


def test_hostile_names_stay_text(tmp_path):
    name = "a'; rm -rf ~ #\"\\\n$(x)`y`"
    draft = Draft.of_table(f"../{name}.csv").with_role(name, Role.QUASI_IDENTIFIER)
    draft = draft.with_requirement({"measure": "k-anonymity", "k": 5}).with_rule(name, {"prefixes": [3, 1]})
    compile(python(draft), "text", "exec")
    assert f"../{name}.csv" in shlex.split(commands(Draft.of_table(f"../{name}.csv"), tmp_path))
    assert tomllib.loads(draft.text())["data"]["original"] == f"../{name}.csv"


def test_changed_lines_are_marked():
    before = decided()
    after = before.with_making("suppress_at_most", "2%")
    lines = policy_lines(after.text(), before.text())
    assert [line.text for line in lines if line.new] == ['suppress_at_most = "2%"']
    assert "\n".join(line.text for line in lines) + "\n" == after.text()
    assert not any(line.new for line in policy_lines(after.text(), ""))


def test_values_of_the_table_are_not_listed():
    draft = decided()
    assert listing_columns(draft) == ["sex"]
    shown = "\n".join(line.text for line in policy_lines(draft.text(), "", ["sex"]))
    assert "Male" not in shown
    assert "# … 2 lines with values of the table: in policy.toml" in shown
    assert "[[require]]" in shown
    ordered = draft.with_rule("grade of pay", {"ordered": ["low", "mid", "high"], "sizes": [2]})
    shown = "\n".join(line.text for line in policy_lines(ordered.text(), "", listing_columns(ordered)))
    assert "mid" not in shown
    assert "sizes = [2]" in shown


@pytest.mark.parametrize("language", ["en", "zh_TW"])
def test_the_sheet_and_the_page(tmp_path, language):
    people(tmp_path)
    Project.create(tmp_path / "study", decided(), Change("open_table", table="people.csv")).close()
    with inside(tmp_path, tmp_path / "study", language) as app:
        page = app.get("/text")
        assert "petworks anonymize policy.toml" in page["text-commands"].text
        assert "pw.anonymize(" in page["text-python"].text
        assert 'suppress_at_most = "5%"' in page["text-policy"].text
        assert "Female" not in page.text
        part = app.get("/text", fragments=True)
        assert [*part.markup.ids] == ["text-sheet", "text-policy", "text-commands", "text-python"]
        lines = app.running.session.project.text.count("\n")
        assert part["text-policy"].text.count("[") > 5
        assert len("".join(part["text-policy"]._texts()).splitlines()) >= lines - 4


def test_a_policy_too_long_for_a_page(tmp_path):
    people(tmp_path)
    draft = decided().with_requirements([{"measure": "k-anonymity", "k": 5, "why": "x" * 90}] * 2000)
    Project.create(tmp_path / "study", draft, Change("open_table", table="people.csv")).close()
    with inside(tmp_path, tmp_path / "study") as app:
        assert "more lines are in policy.toml" in app.get("/text")["main"].text


def test_undo_leads_to_the_screen_of_the_change(tmp_path):
    people(tmp_path)
    with inside(tmp_path, tmp_path / "people.csv") as app:
        page = app.until("/", "content")
        app.post("/open/reading", revision=page.revision, encoding="cp950")
        page = app.get("/text")
        assert "encoding CP950" in page["dock"].text or "encoding cp950" in page["dock"].text
        assert "disabled" not in page["undo"].attributes
        assert "disabled" in page["redo"].attributes
        back = app.post("/undo", revision=page.revision, fragments=True)
        assert back.headers["x-go"] == "/"
        page = app.get("/text")
        assert "disabled" in page["undo"].attributes
        assert app.post("/redo", revision=page.revision).to == "/"
        page = app.get("/text")
        assert page.markup.all("tbody")[-1].first("tr").text.endswith("done again: encoding cp950")
        assert app.post("/redo", revision=page.revision).to == "/", "nothing to do again"
