"""The page of a comparison in a real browser: both languages, light and dark, wide and narrow, printed."""

from __future__ import annotations

import random

import pytest

import PETWorks as pw
from render.page.looks import OVERFLOWING, SPLIT, UNREACHED, violations

ROWS = 300
COLUMNS = ("age", "sex", "marital-status", "native-country", "education")


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """Write the page of three candidates, one of which fails and is beaten."""
    draw = random.Random(3)
    original = {name: [draw.choice(["first value", "second", "third"]) for _ in range(ROWS)] for name in COLUMNS}
    tables = []
    for kept in (2, 2, 1):
        table = {name: cells if place < kept else ["*"] * ROWS for place, (name, cells) in enumerate(original.items())}
        tables.append({name: ["*"] * 10 * len(tables) + cells[10 * len(tables) :] for name, cells in table.items()})
    releases = [pw.Release(table, original=original, quasi_identifiers=COLUMNS) for table in tables]
    comparison = pw.compare(*releases, names=["one", "two", "候選方案三"], requirements=[pw.KAnonymity(40)])
    return comparison.to_html(tmp_path_factory.mktemp("page") / "compare.html")


@pytest.mark.parametrize(("language", "theme", "width"), [("en", "light", 1280), ("zh", "dark", 375)])
def test_it_is_accessible_and_nothing_overflows(opened, page, language, theme, width):
    shown = opened(page, f"lang={language}&theme={theme}&open=all", width)
    assert violations(shown) == []
    assert [shown.evaluate(found) for found in (SPLIT, OVERFLOWING, UNREACHED)] == [[], [], []]


def test_only_what_differs(opened, page):
    shown = opened(page)
    rows = shown.locator(".compare tbody tr:visible")
    before, same = rows.count(), shown.locator(".compare .same").count()
    shown.check("#only-differences")
    assert same > 0
    assert rows.count() == before - same
