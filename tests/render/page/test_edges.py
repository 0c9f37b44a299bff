"""Edge cases: the page is written, has the right headline, and shows no nonsense such as nan or None."""

from __future__ import annotations

import re

import pytest

import PETWorks as pw
from render.page.looks import BROKEN, OVERFLOWING
from render.page.reading import read
from render.page.releases import EDGES

HEADLINES = {
    "no_original": ("fails", "2 of 2 requirements do not hold", "2 項要求中，有 2 項不滿足"),
    "no_sensitive": ("holds", "The requirement holds", "要求已滿足"),
    "suppressed": (
        "na",
        "All 1,030 rows are suppressed: nothing is published, so nothing can fail.",
        "全部 1,030 列皆遭整列遮蔽，未發布任何資料，故無從違反要求。",
    ),
    "one_class": ("holds", "The requirement holds", "要求已滿足"),
    "no_hierarchies": ("fails", "1 of 2 requirements does not hold", "2 項要求中，有 1 項不滿足"),
    "several_sensitive": ("fails", "2 of 3 requirements do not hold", "3 項要求中，有 2 項不滿足"),
    "asked_twice": ("fails", "1 of 4 requirements does not hold", "4 項要求中，有 1 項不滿足"),
    "not_askable": (
        "fails",
        "1 of 2 requirements hold, 1 could not be evaluated",
        "2 項要求中，1 項滿足、1 項無法評估",
    ),
    "no_requirements": ("na", "19 measures, no requirements given", "已評估 19 項指標，未設定要求"),
    "other_failure": ("fails", "2 of 3 requirements do not hold", "3 項要求中，有 2 項不滿足"),
    "between": ("fails", "1 of 1 requirement does not hold", "1 項要求中，有 1 項不滿足"),
    "sourced": (
        "fails",
        "1 of 4 requirements does not hold, 1 could not be evaluated",
        "4 項要求中，有 1 項不滿足、1 項無法評估",
    ),
    "wide": ("fails", "2 of 2 requirements do not hold", "2 項要求中，有 2 項不滿足"),
    "million": ("fails", "2 of 2 requirements do not hold", "2 項要求中，有 2 項不滿足"),
    "fails": ("fails", "2 of 6 requirements do not hold", "6 項要求中，有 2 項不滿足"),
    "holds": ("holds", "All 6 requirements hold", "6 項要求全部滿足"),
}
NONSENSE = re.compile(r"\b(?:nan|inf|None(?! of|\. |: )|Traceback|undefined|Fraction|Decimal)\b|[{}]|<[a-z/]|&\w+;")
JUDGED = ("answer", "requirements", "remedies", "risk", "inference", "utility", "columns")  # sections before the steps


@pytest.fixture
def text(written):
    """Return the page of an edge case, as text by section."""

    def text(name: str, language: str = "en") -> dict[str, str]:
        return read(written(name).read_text(encoding="utf-8"), language)

    return text


@pytest.mark.parametrize("name", HEADLINES)
def test_the_answer_comes_first(written, text, name):
    status, english, chinese = HEADLINES[name]
    page = written(name).read_text(encoding="utf-8")
    assert f'class="answer {status}"' in page
    for language, headline in (("en", english), ("zh_TW", chinese)):
        above = 2 if name == "sourced" else 1  # the file, and that no table can fail a requirement
        assert text(name, language)["answer"].splitlines()[above].startswith(headline)  # premises follow


def test_every_state_has_a_headline():
    assert {*EDGES, "fails", "holds"} == {*HEADLINES}


@pytest.mark.parametrize("name", HEADLINES)
@pytest.mark.parametrize("language", ["en", "zh_TW"])
def test_there_is_no_nonsense(text, name, language):
    for section in text(name, language).values():
        assert NONSENSE.findall(section) == []


@pytest.mark.parametrize("name", HEADLINES)
@pytest.mark.parametrize("language", ["en", "zh_TW"])
def test_numbers_are_written_as_people_read_them(text, name, language):
    """Numbers have commas, scores at most four digits, percentages one decimal; 0% and 100% are shown only if exact."""
    sections = text(name, language)
    shown = "\n".join(sections.get(section, "") for section in JUDGED)
    assert re.findall(r"(?<![\w.,/*-])\d{4,}(?![\w*-])", shown) == []
    assert re.findall(r"(?<![\d.])(?:0\.0|100\.0)%", shown) == []
    for share in re.findall(r"[\d.,]+(?=%)", shown):
        assert re.fullmatch(r"0|25|50|75|100|\d{1,2}\.\d", share)
    for score in re.findall(r"(?<![\w.,-])\d+\.\d+(?![\w%])", shown):
        assert len(score.lstrip("0.").replace(".", "")) <= 4
    assert re.findall(r"(?<!\S)-(?!\S)", shown) == []


@pytest.mark.parametrize("name", HEADLINES)
def test_pages_are_small(written, name):
    assert written(name).stat().st_size < (300_000 if name in ("fails", "holds") else 2_000_000)


@pytest.mark.parametrize("name", ["no_original", "million"])
def test_without_an_original_nothing_is_said_about_it(text, name):
    english, chinese = text(name), text(name, "zh_TW")
    assert english["utility"].splitlines()[1] == "Not evaluated: no original table was given (--original FILE)."
    assert chinese["utility"].splitlines()[1] == "未評估：未提供原始資料表（--original 檔案）。"
    for section in JUDGED:
        for said in ("original detail", "as in the original", "in the original", "Kept", "Precision"):
            assert said not in english.get(section, "")


def test_without_a_sensitive_attribute_there_is_one_line(text):
    assert text("no_sensitive")["inference"].splitlines()[1:] == [
        "Not evaluated: no sensitive attribute was named (--sensitive COLUMN)."
    ]
    assert text("no_sensitive", "zh_TW")["inference"].splitlines()[1:] == [
        "未評估：未指定敏感屬性（--sensitive 欄位）。"
    ]


def test_where_all_is_suppressed_nothing_passes(written, text):
    """The page is grey, without figures and without a score above 0, because no requirement can be judged."""
    page = written("suppressed").read_text(encoding="utf-8")
    assert "<figure aria" not in page
    assert 'class="attribute"' not in page
    assert 'class="requirement holds"' not in page
    assert "0 values" in text("suppressed")["utility"]


def test_one_class_is_neither_a_curve_nor_a_cloud(written, text):
    page = written("one_class").read_text(encoding="utf-8")
    assert 'class="curve"' not in page
    assert 'class="cloud"' not in page
    assert "20–49\n1/20\n1\n30\n30" in text("one_class")["risk"]


def test_without_hierarchies_a_value_is_kept_or_suppressed(text):
    """Without hierarchies, the page does not mention levels."""
    assert "level" not in text("no_hierarchies")["utility"].casefold()
    assert "層" not in text("no_hierarchies", "zh_TW")["utility"]
    assert "kept or suppressed" in text("no_hierarchies")["record"]


@pytest.mark.parametrize("name", ["several_sensitive", "asked_twice"])
def test_every_sensitive_attribute_has_its_figure(written, text, name):
    assert written(name).read_text(encoding="utf-8").count('class="attribute"') == 2
    assert "disease (equal)" in text(name)["inference"]
    assert "salary (ordered)" in text(name)["inference"]


def test_each_sensitive_attribute_has_its_distance(text):
    """The distances differ, so none stands in the title of the requirement."""
    english, chinese = (text("several_sensitive", language)["requirements"] for language in ("en", "zh_TW"))
    assert "\nt-closeness\ndisease (equal) · largest distance" in english
    assert "\nsalary (ordered) · largest distance" in english
    assert "\nsalary（有序） · 最大推土機距離" in chinese
    assert "\nl-diversity (distinct values)\ndisease · least" in english


def test_steps_of_a_measure_that_was_asked_twice_are_told_apart(written):
    """The requirement that fails, k = 30, leads to the steps that say so."""
    page = written("asked_twice").read_text(encoding="utf-8")
    places = re.findall(r' id="([^"]+)"', page)
    assert len(places) == len(set(places))
    anchor = re.search(r'class="requirement fails".*?to-steps"><a href="#([^"]+)"', page, re.DOTALL)[1]
    assert "is below 30" in page.partition(f'id="{anchor}"')[2].partition("</details>")[0]


def test_what_could_not_be_asked_is_no_pass(text):
    lines = text("not_askable")["requirements"].splitlines()
    assert lines[2:4] == ["Could not be evaluated", "k-map"]
    assert "population" in lines[4]
    assert "無法評估" in text("not_askable", "zh_TW")["requirements"]


def test_what_has_no_limit_is_no_pass():
    release = pw.Release({"age": ["1"] * 6}, quasi_identifiers=["age"])
    lines = read(release.check(pw.KAnonymity(5), pw.SampleUniqueness()).to_html(), "en")["requirements"].splitlines()
    assert [lines[lines.index(one) - 1] for one in ("k-anonymity", "Sample uniqueness")] == [
        "Holds",
        "Could not be evaluated",
    ]


def test_without_requirements_nothing_is_judged(text):
    assert "nothing is judged" in text("no_requirements")["requirements"]
    assert "Holds" not in text("no_requirements")["steps"]
    assert "remedies" not in text("no_requirements")


def test_what_fails_besides_is_named(text):
    """The sentence comes first, so it has no "either"; its number is that of the people who fail."""
    assert "either" not in text("other_failure")["answer"]
    assert "2 項" in text("other_failure", "zh_TW")["answer"].splitlines()[2]


def test_class_sizes_are_split_where_the_limit_is(text):
    """Of four classes, the two of 40 people keep k = 30: no line for failing sizes counts them."""
    above = text("between")["risk"].partition("the limit asks for 30 or more")[0]
    assert "20" in above
    assert "80" not in above


def test_many_columns_are_folded(written, text):
    page = written("wide").read_text(encoding="utf-8")
    assert page.count("<details") > 4
    utility = text("wide")["utility"]
    assert "180 further columns" in utility
    assert utility.index("column number 0") < utility.index("180 further columns") < utility.index("column number 20\n")


def test_a_million_classes_are_a_grid(written):
    """Classes of one person are drawn only for those who may see them."""
    assert 'class="depth"' not in written("million").read_text(encoding="utf-8")
    page = EDGES["million"]().to_html(show_small_classes=True)
    assert 1 <= page.count('class="depth"') <= 60 * 30
    assert 'class="within"' not in page


@pytest.mark.parametrize("width", [1280, 375])
@pytest.mark.parametrize("name", ["million", "wide", "suppressed", "one_class", "not_askable"])
def test_nothing_is_squeezed(opened, name, width):
    """Nothing overflows the page, and no number or size is broken into several lines."""
    page = opened(name, "open=all", width)
    assert page.evaluate(OVERFLOWING) == []
    assert page.evaluate(BROKEN) == []
