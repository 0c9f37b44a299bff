"""The page for the public: it says no more than it may, and looks like the report."""

from __future__ import annotations

from itertools import pairwise, product

import pytest

from render.page.looks import OVERFLOWING, SPLIT, UNREACHED, violations
from render.page.test_browser import LOOKS

NAMES = [f"public_{name}" for name in ("fails", "not_askable", "no_requirements", "several_sensitive", "suppressed")]
STATUSES = {"fails": "fails", "holds": "holds", "not_askable": "fails", "no_requirements": "na", "suppressed": "na"}


def withheld_verdicts(page) -> int:
    return page.locator(".requirement.verdict_withheld").count()


@pytest.mark.parametrize(("name", "status"), STATUSES.items())
def test_it_answers_as_the_report_does(opened, name, status):
    public, report = opened(f"public_{name}"), opened(name)
    assert public.locator(f".answer.{status} .verdict > .icon").count() == 1
    for told in (".requirement .badge", ".requirement h3", ".limit-text"):
        known, shown = (sorted(page.locator(told).all_inner_texts()) for page in (report, public))
        assert len(shown) == len(known)
        assert set(shown) <= {*known, "Verdict withheld"}
    if not withheld_verdicts(public):
        assert public.locator("h1").all_inner_texts() == report.locator("h1").all_inner_texts()


@pytest.mark.parametrize(("language", "width"), list(product(("en", "zh"), (1280, 375))))
@pytest.mark.parametrize("name", NAMES)
def test_no_word_is_broken_and_nothing_overflows(opened, name, language, width):
    page = opened(name, f"lang={language}", width)
    assert [page.evaluate(found) for found in (SPLIT, OVERFLOWING, UNREACHED)] == [[], [], []]


@pytest.mark.parametrize(("language", "theme", "width"), LOOKS)
@pytest.mark.parametrize("name", ["public_fails", "public_no_requirements"])
def test_axe_finds_nothing(opened, name, language, theme, width):
    assert violations(opened(name, f"lang={language}&theme={theme}", width)) == []


@pytest.mark.parametrize("name", NAMES)
def test_headings_and_tables_are_in_order(opened, name):
    page = opened(name)
    tags = page.evaluate("[...document.querySelectorAll('h1, h2, h3, h4')].map((one) => one.tagName)")
    levels = [int(tag[1]) for tag in tags]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    assert page.locator("table:not(:has(> caption)), th:not([scope]), a:not([href='#main'])").count() == 0
