"""The page in a real browser: both languages, light and dark, wide and narrow, printed, by keyboard, without script."""

from __future__ import annotations

import io
import re
from itertools import pairwise, product
from unicodedata import normalize

import pytest

from render.page.looks import OVERFLOWING, SPLIT, UNREACHED, violations

LANGUAGES = {"en": "en", "zh": "zh-Hant-TW"}
LOOKS = [  # any two of a language, a theme and a width meet in one of them
    ("en", "light", 1280),
    ("en", "dark", 375),
    ("zh", "light", 375),
    ("zh", "dark", 1280),
]
WHITE, A4 = "rgb(255, 255, 255)", (595, 842)


@pytest.mark.parametrize(("language", "theme", "width"), LOOKS)
@pytest.mark.parametrize("name", ["fails", "holds"])
def test_nothing_overflows(opened, name, language, theme, width):
    page = opened(name, f"lang={language}&theme={theme}", width)
    assert page.evaluate(OVERFLOWING) == []
    page.click("[data-all=open]")
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    assert page.evaluate(OVERFLOWING) == []
    assert page.evaluate(UNREACHED) == []


@pytest.mark.parametrize(("language", "width"), list(product(LANGUAGES, (1280, 375))))
@pytest.mark.parametrize("name", ["fails", "several_sensitive", "not_askable"])
def test_no_word_is_broken(opened, name, language, width):
    assert opened(name, f"lang={language}&open=all", width).evaluate(SPLIT) == []


@pytest.mark.parametrize(("language", "theme", "width"), LOOKS)
def test_axe_finds_nothing(opened, language, theme, width):
    page = opened("fails", f"lang={language}&theme={theme}", width)
    assert violations(page) == []


@pytest.mark.parametrize(("look", "width"), [("lang=en&theme=dark", 1280), ("lang=zh&theme=light", 375)])
def test_axe_finds_nothing_where_all_is_unfolded(opened, look, width):
    assert violations(opened("holds", f"{look}&open=all", width)) == []


def test_buttons_switch_the_language(opened):
    page = opened("fails")
    html, english, chinese = page.locator("html"), page.get_by_text("English"), page.get_by_text("繁體中文")
    turns = [(chinese, english, "zh-Hant-TW", "不滿足"), (english, chinese, "en", "do not hold")]
    for button, other, tag, word in turns:
        button.click()
        assert html.get_attribute("lang") == tag
        assert (button.get_attribute("aria-pressed"), other.get_attribute("aria-pressed")) == ("true", "false")
        assert word in page.inner_text("h1")
        assert not page.locator(f"span[lang]:not([lang='{tag}']):visible").count()


def test_a_button_switches_the_theme(opened):
    page = opened("fails", color_scheme="light")
    button, ground = page.locator("[data-dark]"), "getComputedStyle(document.body).backgroundColor"
    assert (button.get_attribute("aria-pressed"), page.evaluate(ground)) == ("false", WHITE)
    button.click()
    assert (button.get_attribute("aria-pressed"), page.evaluate(ground)) == ("true", "rgb(17, 22, 28)")
    button.click()
    assert (button.get_attribute("aria-pressed"), page.evaluate(ground)) == ("false", WHITE)


def test_dark_where_the_reader_prefers_it(opened):
    page = opened("fails", color_scheme="dark")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(17, 22, 28)"
    assert page.locator("[data-dark]").get_attribute("aria-pressed") == "true"


def test_forced_colors_keep_bars_and_marks_apart_from_the_ground(opened):
    page = opened("fails", forced_colors="active")
    fills = "(what) => [...document.querySelectorAll(what)].map((one) => getComputedStyle(one).fill)"
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    for what in (".sizes .d1", ".bullet .mark", ".hero .band0", ".distribution .d1", "#beyond"):
        found = set(page.evaluate(fills, what))
        assert found
        assert ground not in found


@pytest.mark.parametrize(("language", "tag", "word"), [("en", "en", "do not hold"), ("zh_TW", "zh-Hant-TW", "不滿足")])
def test_without_script_it_reads_in_the_language_asked_for(opened, written, language, tag, word):
    page = opened(written("fails", language=language), java_script_enabled=False)
    assert page.locator("html").get_attribute("lang") == tag
    assert word in page.inner_text("h1")
    assert not page.locator(f"main span[lang]:not([lang='{tag}']):visible").count()
    page.locator("summary").first.click()
    assert page.locator("details").first.get_attribute("open") is not None


def test_a_link_to_steps_opens_them(opened):
    page = opened("fails")
    folded = page.locator("#m-t-closeness")
    assert folded.get_attribute("open") is None
    page.locator("a[href='#m-t-closeness']").click()
    page.wait_for_function("document.querySelector('#m-t-closeness').open")
    page.wait_for_function("document.querySelector('#m-t-closeness').getBoundingClientRect().top < innerHeight / 2")
    assert folded.locator("ol li").first.is_visible()


def test_every_link_leads_somewhere(opened):
    page = opened("fails")
    places = page.evaluate("[...document.querySelectorAll('a')].map((one) => one.getAttribute('href'))")
    assert len(places) > 10
    for place in places:
        assert re.fullmatch(r"#[\w-]+", place)
        assert page.locator(place).count() == 1


def test_the_first_stop_of_the_keyboard_skips_to_the_answer(opened):
    page = opened("fails")
    page.keyboard.press("Tab")
    link = page.locator(":focus")
    assert link.inner_text() == "Skip to the answer"
    assert link.bounding_box()["x"] >= 0
    page.keyboard.press("Enter")
    page.wait_for_function("document.activeElement.id === 'main'")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_stop_of_the_keyboard_is_seen(opened, theme):
    page = opened("fails", f"theme={theme}")
    stops = page.locator(":is(a, button, summary, [tabindex='0']):visible").count()
    seen = """() => {
      const one = document.activeElement, style = getComputedStyle(one), box = one.getBoundingClientRect();
      const inside = box.top > -1 && box.bottom < innerHeight + 1;
      return [one.tagName, parseFloat(style.outlineWidth), style.outlineStyle, inside];
    }"""
    for _ in range(stops):
        page.keyboard.press("Tab")
        tag, width, style, inside = page.evaluate(seen)
        assert tag in {"A", "BUTTON", "SUMMARY", "DIV"}
        assert (width, style, inside) == (3, "solid", True)


def test_buttons_and_folds_are_large_enough_to_hit(opened):
    page = opened("fails", width=375)
    for one in page.locator("button:visible, summary, nav a").all():
        assert one.bounding_box()["height"] >= 32


@pytest.mark.parametrize("name", ["fails", "holds"])
def test_headings_are_in_order(opened, name):
    page = opened(name)
    tags = page.evaluate("[...document.querySelectorAll('h1, h2, h3, h4')].map((one) => one.tagName)")
    levels = [int(tag[1]) for tag in tags]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    assert page.locator("section:not(.answer)").count() == page.locator("section > h2:first-child").count()


def test_drawings_are_hidden_or_named(opened):
    page = opened("fails")
    unnamed = "svg:not([aria-hidden='true'], svg[aria-hidden='true'] svg, [role='img'][aria-labelledby])"
    assert page.locator("svg").count() > 50
    assert page.locator(unnamed).count() == 0
    assert page.locator("figure:not([aria-labelledby])").count() == 0


def test_what_names_something_is_there_once(opened):
    page = opened("fails")
    named = page.evaluate("""() => [...document.querySelectorAll("[aria-labelledby], [aria-describedby]")].flatMap(
      (one) => [one.getAttribute("aria-labelledby"), one.getAttribute("aria-describedby")]).filter(Boolean)""")
    assert named
    for place in named:
        assert page.locator(f"#{place}").count() == 1
    assert page.evaluate("[...document.querySelectorAll('[id]')].map((one) => one.id)").count("main") == 1


def test_tables_have_a_name_and_headings(opened):
    page = opened("fails", "open=all")
    tables = page.locator("table")
    assert tables.count() > 10
    unnamed = tables.and_(page.locator("table:not(:has(> caption), [aria-labelledby], [aria-label])"))
    assert [one.inner_text()[:60] for one in unnamed.all()] == []
    assert page.locator("th:not([scope])").count() == 0
    assert page.locator("table:not(:has(> thead th[scope='col']))").count() == 0
    assert page.locator("tbody tr:not(.limit-row, :has(> th[scope='row']))").count() == 0


def printed(page) -> list[str]:
    """Print to PDF, and return the text of each page."""
    pypdf = pytest.importorskip("pypdf", reason="pypdf is not installed")
    sheets = pypdf.PdfReader(io.BytesIO(page.pdf(prefer_css_page_size=True, print_background=True))).pages
    assert {tuple(round(float(length)) for length in sheet.mediabox[2:]) for sheet in sheets} == {A4}
    return [bare(sheet.extract_text()) for sheet in sheets]


def bare(text: str) -> str:
    """Remove spaces, and normalise characters: a PDF may have a radical instead of a Han character."""
    return "".join(normalize("NFKC", text).split())


@pytest.mark.parametrize(("language", "scripted"), [("en", True), ("zh", False)])
def test_it_prints_with_what_was_folded(opened, written, language, scripted):
    path = written("fails", language={"en": "en", "zh": "zh_TW"}[language])
    page = opened(path, "theme=dark", java_script_enabled=scripted)
    tag = LANGUAGES[language]
    folded = page.locator(f"#m-t-closeness li > span[lang='{tag}']").all_text_contents()
    sheets = printed(page)
    text = "".join(sheets)
    assert len(folded) > 5
    for sentence in folded:
        assert bare(sentence)[:40] in text
    assert all(f"{number}/{len(sheets)}" in sheet for number, sheet in enumerate(sheets, 1))


SIGNED = {"en": ("Prepared", "Reviewed", "Approved"), "zh": ("承辦", "覆核", "核定")}
ANNEX = {"en": "Annex: the details", "zh": "附錄：詳細內容"}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", ["fails", "holds", "several_sensitive"])
def test_two_sheets_are_enough_to_sign(opened, name, language):
    """Answer, requirements, remedies and signatures are on the first two sheets; the details follow as an annex."""
    page = opened(name, f"lang={language}")
    summary = page.locator("h1, .lead, #requirements h3, #remedies li b").all_inner_texts()
    details = page.locator("section:not(.answer, #premises, #requirements, #remedies) > h2").all_inner_texts()
    sheets = printed(page)
    first, annex = "".join(sheets[:2]), next(n for n, sheet in enumerate(sheets) if bare(ANNEX[language]) in sheet)
    assert 0 < annex <= 2
    assert len(summary) > 5
    for text in (*summary, *SIGNED[language]):
        assert bare(text)[:40] in first
    for title in details:
        assert bare(title) not in "".join(sheets[:annex])
        assert bare(title) in "".join(sheets[annex:])


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_word_is_broken_on_paper(opened, language):
    page = opened("fails", f"lang={language}&open=all", 688)  # A4 without its margins
    page.emulate_media(media="print")
    assert page.evaluate(SPLIT) == []


def test_paper_is_white_whatever_the_theme(opened):
    page = opened("fails", "theme=dark")
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == WHITE
    assert page.evaluate("getComputedStyle(document.body).color") == "rgb(26, 33, 41)"
    for gone in (".top", ".toc", ".skip", "#steps button"):
        assert not page.locator(gone).first.is_visible()
    assert page.locator(".signoff").is_visible()
