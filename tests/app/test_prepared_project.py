"""A project whose policy prepares, derives and treats: the screens count the table that the release is made of."""

from __future__ import annotations

import runpy
import shlex
import subprocess
import sys
import tomllib

import pytest

import PETWorks as pw
from app.running import inside
from PETWorks.app.as_text import commands, python
from PETWorks.app.project.draft import Draft
from PETWorks.app.screens.explore.state import list_requirements, make_plan
from support.places import ROOT
from support.process import COMMAND, PLAIN

SCRIPT = runpy.run_path(str(ROOT / "docs" / "messy_hospital.py"))
POLICY = """version = 1
title = "visits"
[data]
original = "../hospital.csv"
released = "released.csv"
person = "病歷號碼"
[prepare]
header_row = 3
skip_last = 1
duplicates = "remove"
trim = true
short_years = "roc"
[prepare."性別"]
spellings = { "男" = ["M", "1"], "女" = ["F", "2"] }
[prepare."生日"]
date = "any"
[prepare."就診日期"]
date = "any"
[prepare."縣市"]
variants = "tw"
[prepare."診斷碼"]
code = "ICD-10"
[prepare."費用(元)"]
number = true
[derive."年齡"]
years = { from = "生日", at = "就診日期" }
[derive."年"]
part = { of = "就診日期", keep = "year" }
[roles]
quasi_identifiers = ["性別", "年齡", "費用(元)"]
sensitive = ["診斷碼"]
identifiers = ["備註", "病歷號碼"]
insensitive = ["年", "縣市", "鄉鎮市區"]
[hierarchies."年齡"]
intervals = [10, 20]
[hierarchies."費用(元)"]
intervals = [1000, 2000]
[treat."病歷號碼"]
pseudonym = { key = "study", scope = "clinic" }
[treat."費用(元)"]
round = 500
top = 3000
[treat."備註"]
remove = true
[treat."鄉鎮市區"]
remove = true
[[require]]
measure = "k-anonymity"
k = 3
[[accept]]
premise = "rest"
columns = ["年", "縣市"]
at_most = 400
why = "known to the hospital only"
[anonymize]
suppress_at_most = "30%"
"""


@pytest.fixture
def project(tmp_path, monkeypatch):
    pytest.importorskip("xlsxwriter")
    SCRIPT["write_tables"](tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    folder = tmp_path / "study"
    folder.mkdir()
    (folder / "policy.toml").write_text(POLICY, encoding="utf-8")
    environment = {**PLAIN, "XDG_CONFIG_HOME": str(tmp_path / "config")}
    run = [*COMMAND, "key", "new", "study"]
    subprocess.run(run, env=environment, check=True, capture_output=True)
    return folder, environment


def test_the_text_of_a_draft_says_the_same():
    draft = Draft.read(POLICY)
    assert tomllib.loads(draft.text()) == tomllib.loads(POLICY)
    assert draft.preparing.prepare.rows.header_row == 3
    assert "男" not in python(draft), "values of the table stay in the policy"


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        ("[[prepare]]\ntrim = true", "prepare must be a table"),
        ("treat = { a = true }", "a must be a table"),
        ("[derive]\nx = 1", "x must be a table"),
        ("accept = 5", "accept must be"),
    ],
)
def test_what_is_not_of_its_kind(wrong, problem):
    with pytest.raises(Exception, match=problem):
        Draft.read(f"version = 1\n{wrong}\n")


def test_the_screens_count_what_the_release_is_made_of(project, tmp_path):
    folder, environment = project
    with inside(tmp_path, folder, "zh_TW") as app:
        opened = app.until("/", "content")
        assert "某醫院" not in opened.text
        assert "生日" in opened.text
        page = app.until("/columns", "columns")
        assert "年齡" in page.text
        assert "H000" not in page.text
        app.until("/explore", "search")
        app.settled("/explore", "search")
        session = app.running.session
        policy = pw.Policy(folder / "policy.toml", purpose="anonymize")
        made = policy.anonymize()
        exploration = session.get_cached("explore helper").exploration
        plan = make_plan(session.draft, exploration.table, list_requirements(session.draft))
        assert plan.treat == policy.plan.treat
        heights = dict(zip(exploration.names, exploration.heights, strict=True))
        assert heights == {ladder.name: ladder.height for ladder in made.facts.combination_labels.table.ladders}
        assert heights["費用(元)"] == 4  # the rounded amounts are a level of their own
        figures = exploration.evaluate(tuple(made.levels[name] for name in exploration.names))
        assert figures.suppressed == made.suppressed
        assert session.draft.making["levels"] == dict(made.levels)
    text = (folder / "policy.toml").read_text(encoding="utf-8")
    draft = Draft.read(text)
    releases = []
    for line in [*commands(draft, folder).splitlines()[1:2], None]:
        run = [sys.executable, "-c", python(draft)] if line is None else [*COMMAND, *shlex.split(line)[1:]]
        done = subprocess.run(run, cwd=folder, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode in (0, 1), done.stderr
        releases.append((folder / "released.csv").read_bytes())
        (folder / "released.csv").unlink()
    assert releases[0] == releases[1]
    made.write(tmp_path / "here.csv")
    assert (tmp_path / "here.csv").read_bytes() == releases[0]
