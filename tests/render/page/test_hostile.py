"""Text of a table, a policy or a file name is shown as text, and is never executed."""

from __future__ import annotations

from collections import Counter
from functools import cache

import pytest

import PETWorks as pw
from render.evaluations import Requirement
from render.page.looks import ATTRIBUTES, OVERFLOWING, TAGS

HOSTILE = {  # the text of a cell or a header, and how the page shows it
    "<script>document.title='ran'</script>": "<script>document.title='ran'</script>",
    "<img src=x onerror=alert(1)>": "<img src=x onerror=alert(1)>",
    "</style></table></td><h1>big": "</style></table></td><h1>big",
    "\"><b onclick='alert(2)'>": "\"><b onclick='alert(2)'>",
    "two\nlines\rand\ttab": "two␊lines␍and␉tab",
    "right \u202eto left\u2066 marks\u200f": "right ⟨U+202E⟩to left⟨U+2066⟩ marks⟨U+200F⟩",
    "nul \0 bell \a escape \x1b[31m": "nul ␀ bell ⟨U+0007⟩ escape ⟨U+001B⟩[31m",
    "x" * 10_000: "x" * 80 + "… (10,000)",
    "👩🏽 emoji 🎉": "👩🏽 emoji 🎉",
    "{{ 31*1301 }}{% raw %}": "{{ 31*1301 }}{% raw %}",
    "{x} {0} {rows!r} {rows.__class__} }{": "{x} {0} {rows!r} {rows.__class__} }{",
    "%s %(rows)d %n": "%s %(rows)d %n",
    "`code` ${1} $& \\1": "`code` ${1} $& \\1",
    "&lt;b&gt; &amp; &#x3c;": "&lt;b&gt; &amp; &#x3c;",
    "javascript:alert(3)": "javascript:alert(3)",
    "漢字、「引號」": "漢字、「引號」",
    "مرحبا": "مرحبا",
}
TAME = {one: f"word {number}" for number, one in enumerate(HOSTILE)}
EACH = 6  # rows of a class


def release(words: dict[str, str]) -> pw.Release:
    """Each hostile text is the header of a column, and a cell of every column in some class."""
    cells = [words[one] for one in HOSTILE]
    classes = [cells[number:] + cells[:number] for number in range(len(cells))]
    table = {header: [own[place] for own in classes for _ in range(EACH)] for place, header in enumerate(cells[:8])}
    table |= {header: [cell for cell in cells for _ in range(EACH)] for header in cells[8:]}
    trees = {header: [(cell, f"{cell} and more", "*") for cell in cells] for header in (cells[0], cells[9], cells[10])}
    roles = {"quasi_identifiers": cells[:8], "sensitive": cells[8:12], "identifiers": cells[12:14]}
    return pw.Release(table, original=table, hierarchies=trees, **roles)


@cache
def evaluation(kind: str) -> pw.Evaluation:
    words = {one: one for one in HOSTILE} if kind == "hostile" else TAME
    texts = [words[one] for one in HOSTILE]
    required = [pw.KAnonymity(k=10), pw.TCloseness(t="0.1"), pw.LDiversity(l=1), pw.KMap(k=2)]
    why = [texts[0], texts[10], texts[14], texts[5]]
    judged = [Requirement(one, why=text) for one, text in zip(required, why, strict=True)]
    return release(words).check(*judged, title=texts[2])


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    @cache
    def made(kind: str, *, public: bool = False):
        path = tmp_path_factory.mktemp("hostile") / f"{kind}.html"
        shown = evaluation(kind).public() if public else evaluation(kind)
        shown.to_html(path, command=next(iter(HOSTILE)) if kind == "hostile" else "word")
        return path

    return made


@pytest.mark.parametrize("language", ["en", "zh"])
def test_hostile_text_is_shown_as_text(opened, made, language):
    page = opened(made("hostile"), f"lang={language}&open=all")
    text = page.inner_text("main")
    for shown in HOSTILE.values():
        assert shown in text
    assert "40331" not in text.replace(",", "")
    assert page.title().startswith("PETWorks: </style></table></td><h1>big")


@pytest.mark.parametrize("public", [False, True])
def test_hostile_text_makes_no_elements(opened, made, public):
    hostile, tame = (opened(made(kind, public=public)) for kind in ("hostile", "tame"))
    assert Counter(hostile.evaluate(TAGS)) == Counter(tame.evaluate(TAGS))
    attributes = {*hostile.evaluate(ATTRIBUTES)}
    assert attributes == {*tame.evaluate(ATTRIBUTES)}
    assert not [name for name in attributes if name.startswith("on") or name in ("title", "src")]


@pytest.mark.parametrize("width", [1280, 375])
@pytest.mark.parametrize("public", [False, True])
def test_hostile_text_pushes_nothing_out_of_the_page(opened, made, public, width):
    page = opened(made("hostile", public=public), "open=all", width)
    assert page.evaluate(OVERFLOWING) == []


def test_what_a_table_holds_cannot_turn_the_text_around_it(opened, made):
    """Cells and names are in their own elements, and the page has no mark that changes the direction of text."""
    page = opened(made("hostile"))
    assert page.locator("bdi").count() > 100
    marks = set("\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
    assert not marks & set(page.content())
    apart = "[...document.querySelectorAll('bdi')].every((one) => getComputedStyle(one).unicodeBidi === 'isolate')"
    assert page.evaluate(apart)


@pytest.mark.parametrize("name", ["<img src=x>.csv", "{rows}.csv", "`%s`.csv", "a\u202eb.csv", "' onload=alert(1).csv"])
def test_file_names_are_text(opened, tmp_path, name):
    table = tmp_path / "folder that nobody need know" / name
    table.parent.mkdir()
    table.write_text("year;sex\n" + "197*;m\n" * 6, encoding="utf-8")
    page = tmp_path / "page.html"
    pw.Release(table, original=table).evaluate(pw.KAnonymity(k=2)).to_html(page)
    shown = opened(page)
    assert shown.inner_text(".file code") == name.replace("\u202e", "⟨U+202E⟩")
    assert "folder that nobody" not in page.read_text(encoding="utf-8")


def test_messages_are_text(opened, tmp_path):
    """A reason why something was not evaluated may quote names."""
    table = {"<b>{x}</b>": ["1", "2"] * 5, "<i>s": ["u", "v"] * 5}
    roles = {"quasi_identifiers": ["<b>{x}</b>"], "sensitive": ["<i>s"]}
    released = pw.Release(table, original={"<b>{x}</b>": ["1"] * 9}, **roles)
    page = tmp_path / "page.html"
    released.check(pw.KAnonymity(k=2), pw.Precision(at_least="0.5")).to_html(page)
    text = opened(page, "open=all").inner_text("main")
    assert "<b>{x}</b>" in text
    assert "<i>s" in text
