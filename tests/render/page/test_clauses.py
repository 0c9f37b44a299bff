"""The section on sources, clause by clause: in every format and language, for every audience, and never a claim."""

from __future__ import annotations

import pytest

import PETWorks as pw
from PETWorks.render.formats.markdown import evaluation_markdown
from PETWorks.render.summary import write_check
from PETWorks.render.tables import as_html
from PETWorks.render.typography import WIDTH, display_width
from render.evaluations import NotShown, Requirement
from render.page.looks import OVERFLOWING, SPLIT, violations
from render.page.releases import KNOWN, PEOPLE, ROLES, sourced
from render.page.test_browser import LOOKS

TOLD = {
    "en": ["k-anonymity: 10, at least 30", "insider=0.05, breach=0.27", "the contract", "governance"],
    "zh_TW": ["k-匿名性：10，至少 30", "insider=0.05、breach=0.27", "契約", "管理"],
}
CLAIMS = ("complies", "compliant", "certified", "符合法規", "合規證明", "無從識別")
NAMED = ("A guideline", "section 4, groups of 30", "section 5", "An opinion", "linkability", "recipients")


def joined(text: str) -> str:
    return " ".join(text.replace("`", "").split())


@pytest.mark.parametrize("language", ["en", "zh_TW"])
def test_every_text_format_lists_the_clauses(language):
    evaluation = sourced()
    for audience in (evaluation.guarded(), evaluation.public()):
        for text in (write_check(audience, language), evaluation_markdown(audience, language)):
            assert all(name in joined(text) for name in NAMED)
            assert not any(claim in text for claim in CLAIMS)
    for text in (write_check(evaluation, language), evaluation_markdown(evaluation, language)):
        assert text.count({"en": "no table can fail this", "zh_TW": "任何資料表都不會違反。"}[language]) == 2
        assert all(told.replace(" ", "") in joined(text).replace(" ", "") for told in TOLD[language])


def test_terminal_text_has_80_columns():
    for language in ("en", "zh_TW"):
        assert all(display_width(line) <= WIDTH for line in write_check(sourced(), language).splitlines())


def test_without_sources_there_is_no_section():
    evaluation = pw.Release(PEOPLE, original=KNOWN, **ROLES).check(pw.KAnonymity(k=2))
    assert 'id="clauses"' not in evaluation.to_html()
    assert "#clauses" not in evaluation.to_html()
    assert "Clause" not in write_check(evaluation) + evaluation_markdown(evaluation)


def test_hostile_texts_are_escaped():
    evil = "<script>alert(1)</script>\u202e|`"
    evaluation = pw.Release(PEOPLE, **ROLES).check(Requirement(pw.KAnonymity(k=2), source=evil, clause=evil))
    evaluation.not_shown = (NotShown({"en": evil, "zh_TW": evil}, evil, evil),)
    for page in (evaluation.to_html(), evaluation.public().to_html(), as_html(evaluation)):
        assert "<script>alert" not in page
        assert "\u202e" not in page
    for line in evaluation_markdown(evaluation).splitlines():
        assert "\u202e" not in line
        assert line.count("|") - line.count("\\|") in (0, 5, 6)


@pytest.mark.parametrize("name", ["sourced", "public_sourced"])
@pytest.mark.parametrize(("language", "theme", "width"), LOOKS)
def test_it_looks_right(opened, name, language, theme, width):
    page = opened(name, f"lang={language}&theme={theme}", width)
    assert violations(page) == []
    assert [page.evaluate(found) for found in (SPLIT, OVERFLOWING)] == [[], []]
    rows = page.locator("#clauses tbody tr:not(.source)")
    assert rows.count() == 5
    badges = page.locator("#clauses .badge > span").all_inner_texts()
    told = {"en": ("No table can show it", "Could not be evaluated"), "zh": ("資料表無法顯示", "無法評估")}
    no_table, unasked = told[language]
    assert badges.count(no_table) == 2
    assert badges.count(unasked) == 1
    assert page.locator("#clauses .source").count() == 3
    opening = page.locator(".verdict .warning").first
    assert opening.evaluate("one => one.compareDocumentPosition(document.querySelector('h1')) & 4")  # stands before it
