"""Cells that a spreadsheet program runs: every output warns of them, and none shows a cell; workbooks have text."""

import json
import re
from random import Random

import pytest

import PETWorks as pw
from app.running import inside
from PETWorks.premises.contents import find_formulas
from support.process import petworks

SIGNS, SECRET = "=+-@＝＋－＠", "ZQ77"
FORMULA = f'=HYPERLINK("http://example.org/{SECRET}")'


POLICY = """
version = 1
[data]
original = "people.csv"
released = "released.csv"
[roles]
quasi_identifiers = ["age"]
insensitive = ["note"]
[[require]]
measure = "k-anonymity"
k = 5
[[accept]]
premise = "changed"
why = "a test"
[[accept]]
premise = "contents"
columns = ["note"]
of = ["url"]
why = "a test"
[report]
json = "record.json"
html = "report.html"
[anonymize.levels]
age = 0
"""


def is_formula(text):
    """Return True for a text that begins with a sign, and is neither a number nor signs alone."""
    text = (text or "").strip()
    if text[:1] not in SIGNS or not text.strip(SIGNS + " \t"):
        return False
    number = text.removesuffix("%").strip().replace(",", "")
    try:
        float(number.replace("－", "-").replace("＋", "+"))
    except ValueError:
        return True
    return number[0] in "=@＝＠"


def test_formulas_are_those_of_the_definition():
    chance = Random(5)
    texts = ["".join(chance.choices("=+-@－＠ 12.,%aE\t", k=chance.randrange(1, 7))) for _ in range(4000)]
    odd = re.compile(r",,|^\s*[-+－]\s|[-+－]\s*,|\.\d*,|[eE].*,|\d\s+%|%.*%")  # numbers in one notation only
    plain = [text for text in texts if not odd.search(text)]
    assert find_formulas(plain).tolist() == list(map(is_formula, plain))
    assert find_formulas([None, "", FORMULA, "-0.5e-3", "+886-2-2720", "\r=1+1"]).tolist() == [False] * 2 + [
        True,
        False,
        True,
        True,
    ]


def write_project(folder, formulas):
    notes = [f"{FORMULA[:-1]}&{row % 2})" if row < formulas else "none" for row in range(40)]
    rows = "".join(f'{20 + row % 2},"{note.replace(chr(34), chr(34) * 2)}"\n' for row, note in enumerate(notes))
    (folder / "people.csv").write_text("age,note\n" + rows, encoding="utf-8")
    (folder / "policy.toml").write_text(
        POLICY,
        encoding="utf-8",
    )


@pytest.mark.parametrize(("formulas", "band"), [(3, "fewer than 5"), (7, "5-9"), (0, "")])
def test_every_output_warns_and_shows_no_cell(tmp_path, formulas, band):
    write_project(tmp_path, formulas)
    made = petworks("anonymize", "policy.toml", cwd=tmp_path)
    checked = petworks("check", "policy.toml", cwd=tmp_path)
    text = f"{band.replace('-', '–')} cells of note would be run as formulas"
    for told in (made.stdout, checked.stdout):
        assert (text in " ".join(told.split())) is bool(band), told
    document = (tmp_path / "record.json").read_text(encoding="utf-8")
    figures = [one["figures"] for one in json.loads(document)["warnings"] if one["kind"] == "formulas"]
    assert figures == ([{"columns": ["note"], "cells": band}] if band else [])
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert ("當作公式執行" in page) is ("would be run as formulas" in page) is bool(band)
    assert SECRET not in made.stdout + made.stderr + checked.stdout + checked.stderr + document + page
    if not band:
        return
    evaluation = pw.Policy(tmp_path / "policy.toml").check()
    evaluation.save(tmp_path / "saved.json")
    assert pw.Evaluation.load(tmp_path / "saved.json").warnings == evaluation.warnings
    public = evaluation.public()
    assert [one.figures for one in public.warnings if one.kind == "public_formulas"] == [{"columns": ["note"]}]
    assert "Cells of note would be run as formulas" in " ".join(map(str, public.warnings))
    assert petworks("verify", "record.json", cwd=tmp_path).returncode == 0


def test_a_workbook_has_text_and_the_application_warns(tmp_path):
    write_project(tmp_path, 7)
    with inside(tmp_path, tmp_path / "policy.toml", "zh_TW") as app:
        app.post("/release/write", revision=app.settled("/release", "released").revision)
        page = app.settled("/release", "released").text
        assert "當作公式執行" in page
        assert SECRET not in page
    openpyxl = pytest.importorskip("openpyxl")
    petworks("anonymize", "policy.toml", "-o", "released.xlsx", cwd=tmp_path)
    cells = list(openpyxl.load_workbook(tmp_path / "released.xlsx").worksheets[0]["B"])[1:]
    assert {one.data_type for one in cells} == {"s"}
    assert sum(one.value.startswith("=HYPERLINK") for one in cells) == 7
