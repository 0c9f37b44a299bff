"""Markdown, as a CommonMark parser with tables reads it."""

from html.parser import HTMLParser

import pytest
from markdown_it import MarkdownIt

import PETWorks as pw
from PETWorks.render.fill import cut, escape_unprintable
from PETWorks.render.formats.markdown import evaluation_markdown
from PETWorks.render.parts import select_line_parts
from PETWorks.render.words import LANGUAGES
from render.evaluations import HOSTILE, all_sorts, hostile, judged, small, unasked

both = pytest.mark.parametrize("language", LANGUAGES)
OURS = {
    "p",
    "strong",
    "table",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
    "br",
    "code",
    "bdi",
    "details",
    "summary",
    "ol",
    "ul",
    "li",
}


class Page(HTMLParser):
    """The elements of a page, and the texts within some of them."""

    def __init__(self, markdown: str) -> None:
        super().__init__()
        self.tags, self.open, self.texts = [], [], {}
        self.feed(MarkdownIt("commonmark", {"html": True}).enable("table").render(markdown))
        assert not self.open

    def handle_starttag(self, tag, attrs):  # noqa: ARG002
        self.tags.append(tag)
        if tag != "br":  # which has no end
            self.open.append(tag)
        self.texts.setdefault(tag, []).append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        for tag in set(self.open):
            self.texts[tag][-1] += data

    def handle_comment(self, data):
        raise AssertionError(data)


def test_a_small_table():
    written = evaluation_markdown(judged(small()).guarded())
    assert written.startswith("""\
**1 of 5 requirements does not hold.**

Fewer than 3 people have suppressed rows: whoever is known to be in the table and matches no class must be one of them.

`release`, 8 rows, 1 suppressed (12.5%), 2 classes

| Verdict | Requirement | Measured | Limit | Failing |
| --- | --- | ---: | --- | --- |
| **FAIL** | k-anonymity | 2 | at least 3 | 1 class, 2 people |
| **ok** | profitability | yes | required |  |
| **ok** | t-closeness, `disease` | 0.2500 | at most 0.3 |  |
| **ok** | re-identification (mean) | 0.2857 | at most 0.5 |  |
| **ok** | Precision | 0.6562 | at least 0.25 |  |

<details>
<summary>k-anonymity: 2, at least 3: does not hold</summary>

1. Grouped 7 published rows by `sex`, `age` into 2 classes; 1 suppressed row forms no class.
""")


@both
@pytest.mark.parametrize("kind", all_sorts())
def test_everything_stands_where_it_belongs(kind, language):
    evaluation = all_sorts()[kind].guarded()
    page = Page(evaluation_markdown(evaluation, language))
    unjudged = [result for result in evaluation if result.holds is None]
    failing = [one.result for one in evaluation.requirements if one.holds is False]
    steps = [step for result in failing for step in result.steps]
    assert set(page.tags) <= OURS
    assert page.tags.count("table") == 1
    lines = [
        result for one in evaluation.requirements for result in (select_line_parts(one.result) if one.result else [one])
    ]
    assert page.tags.count("tr") == 1 + len(lines) + sum(len(select_line_parts(result)) for result in unjudged)
    assert page.tags.count("td") == page.tags.count("th") * (page.tags.count("tr") - 1)
    assert page.tags.count("details") == page.tags.count("ol") == len(failing)
    bullets = page.texts.get("ul", [])
    assert page.tags.count("li") >= len(steps) + sum(len(step.lines) for step in steps)
    assert bool(bullets) or not evaluation.skipped


@both
@pytest.mark.parametrize("name", HOSTILE, ids=ascii)
def test_names_and_cells_are_shown_as_they_are(name, language):
    release = hostile(name)
    for evaluation in (
        release.evaluate(pw.LDiversity(l=9), pw.TCloseness(t=0), pw.KAnonymity(k=9)),
        release.evaluate(),
    ):
        page = Page(evaluation_markdown(evaluation, language))
        assert set(page.tags) <= OURS
        assert any(cut(escape_unprintable(f"{name} of the sensitive".strip())) in text for text in page.texts["code"])
        assert page.tags.count("td") == page.tags.count("th") * (page.tags.count("tr") - 1)


@both
def test_a_column_without_details_is_left_out(language):
    """The public learns of no failing class; a reason is a note."""
    heads = ["Verdict", "Requirement", "Measured", "Limit", "Notes"]
    if language == "zh_TW":
        heads = ["判定", "要求", "數值", "門檻", "備註"]
    for evaluation, expected in ((judged(small()), heads[:-1]), (unasked(), heads)):
        page = Page(evaluation_markdown(evaluation.public(), language))
        assert page.texts["th"] == expected
        assert page.tags.count("td") == page.tags.count("th") * (page.tags.count("tr") - 1)


@both
def test_what_could_not_be_asked(language):
    evaluation = unasked()
    page = Page(evaluation_markdown(evaluation, language))
    assert page.texts["strong"].count({"en": "?", "zh_TW": "無法評估"}[language]) == 2
    assert "a.csv: 2 values <b>x</b>" in page.texts["code"]
    assert "Small" in page.texts["code"]
    assert "rule 7" in page.texts["code"]
