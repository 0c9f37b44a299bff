"""Tables in terminals and notebooks."""

import io
from html.parser import HTMLParser

import pytest
from rich.console import Console

import PETWorks as pw
from PETWorks.render.fill import cut, escape_unprintable
from PETWorks.render.words import LANGUAGES
from render.evaluations import HOSTILE, all_sorts, hostile, judged, small

both = pytest.mark.parametrize("language", LANGUAGES)
OURS = {"div", "p", "strong", "table", "thead", "tbody", "tr", "th", "td", "ol", "ul", "li", "code", "bdi"}


class Page(HTMLParser):
    """A parser that collects elements, and checks that each is closed and has allowed attributes only."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags, self.open, self.codes, self.text, self.language = [], [], [], "", ""
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        assert {name for name, _ in attrs} <= {"lang", "style", "scope"}
        self.language = self.language or dict(attrs).get("lang")
        self.tags.append(tag)
        self.open.append(tag)
        if tag == "code":
            self.codes.append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data
        if "code" in self.open:
            assert "bdi" in self.open
            self.codes[-1] += data

    def handle_comment(self, data):
        raise AssertionError(data)


def drawn(subject, width=80) -> str:
    """Return what a terminal shows."""
    stream = io.StringIO()
    Console(file=stream, width=width).print(subject)
    return stream.getvalue()


def shown(evaluation, language):
    """Yield an evaluation, its results and their explanations, as displayed in a language."""
    yield evaluation.in_language(language)
    for result in evaluation:
        yield result.in_language(language)
        yield result.explain(language)


@both
@pytest.mark.parametrize("kind", all_sorts())
def test_every_sort_shows_itself(kind, language):
    for subject in shown(all_sorts()[kind], language):
        page = Page(subject._repr_html_())
        assert set(page.tags) <= OURS
        assert page.language == {"en": "en", "zh_TW": "zh-Hant-TW"}[language]
        text = drawn(subject)
        assert text.splitlines()[0].rstrip()
        for text in (drawn(subject), page.text):
            assert "None" not in text
            if "hostile" not in kind:
                assert text.encode("cp950")


def test_english_unless_told_otherwise():
    evaluation = judged(small())
    assert "1 of 5 requirements does not hold." in drawn(evaluation)
    assert "1 of 5 requirements does not hold." in evaluation._repr_html_()
    assert "不滿足" in drawn(evaluation.in_language("zh_TW"))
    assert "不滿足" in evaluation[0].in_language("zh_TW")._repr_html_()
    assert "不滿足" in drawn(evaluation[0].explain("zh_TW"))
    assert str(evaluation.in_language("zh_TW")) == repr(evaluation.in_language("zh_TW")) == evaluation.text("zh_TW")
    with pytest.raises(pw.PETWorksError, match="zh_TW"):
        evaluation.in_language("zh_CN")._repr_html_()


def test_the_same_words_as_in_print():
    result = judged(small())[0]
    for text in (drawn(result), Page(result._repr_html_()).text, str(result)):
        assert "k-anonymity: 2, at least 3: does not hold" in text
        assert "1 of 2 classes, with 2 of 7 people, fail the limit." in text


def test_the_analyst_sees_everything_others_do_not():
    result = judged(small())[0]
    for picture in (drawn, lambda one: Page(one._repr_html_()).text):
        assert "sex=m, age=4x" in picture(result)
        assert "sex=" not in picture(result.guarded())


@both
@pytest.mark.parametrize("name", HOSTILE, ids=ascii)
def test_names_and_cells_are_text(name, language):
    release = hostile(name)
    expected = cut(escape_unprintable(f"{name} of the sensitive".strip()))
    for subject in shown(release.evaluate(pw.LDiversity(l=9)), language):
        page = Page(subject._repr_html_())
        assert set(page.tags) <= OURS
        assert expected in page.codes
        assert expected in "".join(drawn(subject, width=2_000).split("\n"))


def test_many_parts_are_counted():
    table = {f"c{number}": ["1", "2"] for number in range(12)}
    text = drawn(pw.Release(table, original=table).ask("Precision"))
    assert "… and 2 more" in text
