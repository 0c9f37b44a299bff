"""No output of an inspection tells a value of fewer than five people, or a value of an identifier."""

import json
import pickle
import random
import re

import pytest

import PETWorks as pw
from support import taiwan
from support.output import LANGUAGES


def outputs(inspection):
    yield inspection.to_json()
    yield json.dumps(json.loads(inspection.to_json()), ensure_ascii=False)
    yield inspection._repr_html_()
    yield repr(inspection)
    yield pickle.dumps(inspection).decode("utf-8", errors="ignore")
    for language in LANGUAGES:
        yield inspection.text(language).replace("\n    ", "")


def test_of_patients():
    rows = taiwan.rows()
    header = taiwan.HEADER.split(",")
    columns = dict(zip(header, zip(*rows, strict=True), strict=True))
    found = pw.inspect({name: list(cells) for name, cells in columns.items()})
    texts = "".join(outputs(found))
    for name in ("病歷號", "身分證字號", "姓名", "手機", "出生年月日"):
        assert [value for value in columns[name] if value in texts] == []


@pytest.mark.parametrize("seed", range(20))
def test_of_random_tables(seed):
    """Values are words that occur nowhere else, so that they can be looked for."""
    draw = random.Random(seed)
    names = ["age", "x", "phone", "診斷", "zip", "note", "visit date", "income", "id"]
    table = {}
    for name in draw.sample(names, 5):
        lead, pool = f"{draw.randrange(10**6):06d}", draw.choice([2, 5, 20, 200])
        dash = draw.choice(["7777", "-q", " 王 "])
        table[name] = [f"{lead}{dash}{draw.randrange(pool)}5" for _ in range(60)]
    found = pw.inspect(table)
    for name, cells in table.items():
        hidden = [cell for cell in {*cells} if cells.count(cell) < 5]
        if found[name].role == "identifier":
            hidden = [*{*cells}]
        digits = {cell: re.compile(rf"(?<!\d){re.escape(cell)}(?!\d)") for cell in hidden}
        texts = list(outputs(found))
        assert [cell for cell, form in digits.items() if any(form.search(text) for text in texts)] == []


def test_ends_of_a_range_are_shared():
    ages = ["17"] * 2 + ["20"] * 6 + ["60"] * 9 + ["104"]
    text = str(pw.inspect({"age": ages, "sex": ["M"] * len(ages)}))
    assert "20 to 60" in text
    assert "104" not in text
    assert "17" not in text
