"""The words of the page: headings, what stands beside a value, and nothing that only a programmer understands."""

import re

import pytest

import PETWorks as pw
from PETWorks import measures
from PETWorks.render.page.markup import find_heading
from PETWorks.render.words import LANGUAGES
from render.page.reading import read
from render.page.releases import KNOWN, PEOPLE, ROLES

CODE = re.compile(r"\w=(?=[\s,.;，、；。]|$)|=…|\w\(\)|memory_limit|\bpw\.|\bTrue\b|\bFalse\b|_\w")


@pytest.fixture(params=LANGUAGES)
def language(request):
    return request.param


def test_headings_begin_alike():
    titles = [find_heading(kind)["en"] for kind in measures().values()]
    assert {title for title in titles if title[0].islower()} == {
        title for title in titles if re.match(r"[a-zβδ]-", title)
    }
    assert {"Re-identification", "Profitability", "k-anonymity", "AECS", "(α,k)-anonymity"} <= set(titles)


def test_requirements_and_steps_are_headed_alike(text_of):
    asked = pw.ReidentificationRisk(average="0.05"), pw.Profitability(cost=4, gain=300, loss=300, benefit=1200)
    read = text_of("en", *asked)
    for section in ("requirements", "steps"):
        assert re.search(r"^Re-identification", read[section], re.MULTILINE)
        assert re.search(r"^Profitability", read[section], re.MULTILINE)


@pytest.fixture
def text_of():
    def text_of(language: str, *asked: object, **roles: object) -> dict[str, str]:
        release = pw.Release(PEOPLE, original=KNOWN, **(ROLES | roles))
        return read(release.check(*asked).to_html() if asked else release.evaluate().to_html(), language)

    return text_of


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (
            pw.ReidentificationRisk(average="0.05"),
            ("1 in 10 for the person most at risk", "風險最高者，猜中的機率為 1/10"),
        ),
        (pw.Precision(at_least="0.6"), ("higher is better", "越大越好")),
        (pw.Shares(at_most="0.6"), ("lower is better", "越小越好")),
        (pw.KAnonymity(k=5), ("in all of 4 classes", "4 個等價類皆符合")),
    ],
)
def test_something_stands_beside_every_value(text_of, language, asked, told):
    assert told[LANGUAGES.index(language)] in text_of(language, asked)["requirements"].splitlines()


@pytest.mark.parametrize("asked", [(), (pw.KAnonymity(k=2), pw.KMap(k=2), pw.PopulationUniqueness(at_most="0.1"))])
def test_no_reader_needs_to_know_python(text_of, language, asked):
    for section, text in text_of(language, *asked, sensitive=[] if asked else ["disease"]).items():
        assert [line for line in text.splitlines() if CODE.search(line)] == [], section


def test_what_is_missing_is_said_in_words(text_of, language):
    told = {
        "en": ("No population that holds the release was given.", "Not given: what an attack on a row costs the"),
        "zh_TW": ("未提供包含發布資料表的母體。", "未提供：攻擊者成本："),
    }
    for one in told[language]:
        assert one in text_of(language)["steps"]


def test_references_are_introduced_and_remarks_on_them_translated(text_of):
    steps = {language: text_of(language)["steps"] for language in LANGUAGES}
    count = steps["en"].count("\nReference: ")
    assert count == steps["zh_TW"].count("\n參考文獻：") > 10
    assert "placed on a scale as in ARX" in steps["en"]
    assert "換算為 0 至 1 的方式同 ARX。" in steps["zh_TW"]
    for line in steps["zh_TW"].splitlines():
        if line.startswith("參考文獻："):
            assert not re.search(r"\b(placed|counts|discusses|several levels|they say)\b", line)


def test_chinese_terms(text_of):
    read = text_of("zh_TW", pw.KAnonymity(k=30), pw.Precision(at_least="0.9"))
    assert "（即精準度 1）" in read["answer"]
    assert "猜中的機率為 1/10" in read["risk"]
    assert "關鍵等價類有 10 人" in read["steps"]
    assert "決定結果" not in "".join(read.values())


@pytest.mark.parametrize(("person", "told"), [(None, False), ("id", True)])
def test_an_original_that_was_given_is_not_said_to_be_missing(person, told):
    """Where people have several rows, its class sizes are not shown beside those of the release."""
    table = {"id": [f"p{row // 2}" for row in range(40)], "age": ["20s", "30s"] * 20, "sex": list("ffmm") * 10}
    original = table | {"age": [f"{20 + 10 * (row % 2) + row % 5}" for row in range(40)]}
    hierarchies = {"age": [(str(age), f"{age // 10}0s", "*") for age in range(20, 40)]}
    roles = {"identifiers": ["id"], "quasi_identifiers": ["age", "sex"]}
    options = {"person": person, "hierarchies": hierarchies, **roles}
    page = pw.Release(table, original=original, **options).check(pw.KAnonymity(3)).to_html()
    assert "no original table was given" not in page
    assert ("people have several rows, and its classes count rows" in page) == told
    assert "no original table was given" in pw.Release(table, **options).check(pw.KAnonymity(3)).to_html()
