"""The messy table of a hospital goes from the raw file to a release by commands alone."""

from __future__ import annotations

import csv
import runpy
from pathlib import Path

import pytest

import PETWorks as pw
from support.places import ROOT
from support.process import petworks

SCRIPT = runpy.run_path(str(ROOT / "docs" / "messy_hospital.py"))
TREATED = """
[derive."年齡"]
years = { from = "生日", at = "就診日期" }
[derive."天數"]
days = { from = "就診日期", since = "first" }
[derive."居住地"]
place = { county = "縣市", township = "鄉鎮市區" }
[[require]]
measure = "l-diversity"
l = 2
[[accept]]
premise = "rest"
columns = ["天數"]
at_most = 400
why = "days since the first visit are known to the hospital only"
[treat."病歷號碼"]
pseudonym = { key = "study-2026", scope = "clinic" }
[treat."費用(元)"]
round = 500
top = "99%"
[treat."備註"]
remove = true
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    pytest.importorskip("xlsxwriter")
    place = tmp_path_factory.mktemp("hospital")
    SCRIPT["write_tables"](place)
    return place


def read(path: Path) -> list[dict[str, str]]:
    return [*csv.DictReader(path.read_text(encoding="utf-8-sig").splitlines())]


@pytest.mark.parametrize("name", ["hospital.csv", "hospital.xlsx"])
def test_the_findings(folder, name):
    found = pw.inspect(folder / name).findings
    assert [(one.kind, one.column) for one in found] == [
        ("header_row", None),
        ("skip_last", None),
        ("spellings", "性別"),
        ("dates", "生日"),
        ("dates", "就診日期"),
        ("variants", "縣市"),
        ("code", "診斷碼"),
        ("numbers", "費用(元)"),
    ]
    assert found[0].settings == {"header_row": 3}
    sexes = found[2]
    assert (sexes.before, sexes.after, sexes.changes_meaning) == (6, 2, True)
    assert sexes.cells == sum(row[1] not in "男女" for row in SCRIPT["build_rows"]())


@pytest.mark.parametrize("language", ["en", "zh_TW"])
@pytest.mark.parametrize("name", ["hospital.csv", "hospital.xlsx"])
def test_the_whole_way_by_commands(folder, tmp_path, name, language):
    env = {"XDG_CONFIG_HOME": str(tmp_path / "config")}
    for command in (
        ("key", "new", "study-2026"),
        ("inspect", folder / name, "--lang", language),
        ("init", folder / name, "-o", tmp_path, "--yes", "-m", "k-anonymity", "--k", "5", "--lang", language),
    ):
        run = petworks(*command, env=env)
        assert run.returncode == 0, run.stderr
    policy = tmp_path / "policy.toml"
    text = policy.read_text(encoding="utf-8")
    assert 'code = "ICD-10"' in text
    assert ("left:" if language == "en" else "未處理：") in text
    roles = """[roles]
quasi_identifiers = ["性別", "年齡", "居住地"]
sensitive = ["診斷碼", "費用(元)"]
identifiers = ["備註"]
insensitive = ["天數"]
[hierarchies."年齡"]
intervals = [5, 10, 20]
[hierarchies."居住地"]
places = ["county", "region"]
"""
    before, after = text.index("[roles]"), text.index("[[require]]")
    text = text[:before] + roles + text[after:]
    text = text.replace("header_row = 3", 'header_row = 3\nduplicates = "remove"')
    text = text.replace(
        '[prepare."生日"]', '[prepare."性別"]\nspellings = { "男" = ["M", "1"], "女" = ["F", "2"] }\n[prepare."生日"]'
    )
    assert 'person = "病歷號碼"' in text
    text = text.replace('"5%"', '"20%"')
    policy.write_text(text.replace('html = "report.html"', 'record = "record.json"') + TREATED, encoding="utf-8")
    run = petworks("anonymize", policy, cwd=tmp_path, env=env)
    assert run.returncode == 0, run.stdout + run.stderr
    told = run.stderr.replace("\n", "").replace(" ", "")
    assert ("2linesabovethenames" in told) if language == "en" else ("以上的2行與最後的1行" in told)
    assert ("fewerthanfiverows" in told) if language == "en" else ("不足5列" in told)
    released = tmp_path / "released.csv"
    assert released.read_bytes().startswith("\ufeff".encode())
    rows, raw = read(released), SCRIPT["build_rows"]()[:-2]
    assert [*rows[0]] == ["病歷號碼", "性別", "診斷碼", "費用(元)", "年齡", "天數", "居住地"]
    assert len(rows) == len(raw)
    assert {row["性別"] for row in rows} <= {"男", "女", "*"}
    assert {row["診斷碼"] for row in rows} == {"E11.9", "I10", "J45.9"}
    assert all(
        (row["費用(元)"].isdecimal() and int(row["費用(元)"]) % 500 == 0) or "≥" in row["費用(元)"] for row in rows
    )
    assert len({row["病歷號碼"] for row in rows}) == SCRIPT["PEOPLE"]
    assert petworks("check", policy, cwd=tmp_path, env=env).returncode == 0
    again = petworks("verify", "record.json", "--folder", folder, "--folder", tmp_path, cwd=tmp_path, env=env)
    assert again.returncode == 0, again.stdout + again.stderr
    assert not [path for path in tmp_path.glob("*.*") if "0912" in path.read_text(encoding="utf-8")]
