"""A check tells whom adversaries find: as `attack` finds them, in every format and in both languages."""

import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import PETWorks as pw
from PETWorks.render.formats.markdown import evaluation_markdown
from PETWorks.render.summary import write_check

CELLS = st.lists(st.tuples(st.sampled_from("fm"), st.sampled_from("ABCDE"), st.integers(0, 6)), min_size=1, max_size=30)


def build(rows, **roles):
    columns = {name: [str(row[place]) for row in rows] for place, name in enumerate(("sex", "ward", "visits"))}
    return pw.Release(columns, quasi_identifiers=["sex"], insensitive=["ward", "visits"], **roles)


@settings(deadline=None, max_examples=30)
@given(CELLS)
def test_a_check_finds_whom_the_attack_finds(rows):
    release = build(rows)
    tried = release.check(pw.KAnonymity(k=2)).premises.tried
    assert tried.to_dict() == pw.attack(release, remedies=False).to_dict()
    for name, place in (("quasi_identifiers", 0), ("column ward", 1), ("column visits", 2)):
        cells = [row[place] for row in rows]
        few = sum(cells.count(one) < 5 for one in cells)
        assert few == (tried[name].found if name in [one.name for one in tried] else 0)


ROWS = [("f", ward, 0) for ward in "AAAAAAAB"] + [("m", "A", 0)] * 6
DOORS = {
    "text": lambda evaluation, language: write_check(evaluation.guarded(), language),
    "markdown": lambda evaluation, language: evaluation_markdown(evaluation.guarded(), language),
    "html": lambda evaluation, language: evaluation.to_html(language=language),
}
TOLD = {
    "en": ("Whom somebody would find", "Whoever knows", "finds nobody."),
    "zh_TW": ("誰會被找到", "的人，可找到", "找不到任何人。"),
}


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("language", TOLD)
def test_every_output_tells_it(door, language):
    shown = DOORS[door](build(ROWS).check(pw.KAnonymity(k=5)), language)
    assert all(text in shown for text in TOLD[language])


def test_it_is_kept_and_disclosed(tmp_path):
    evaluation = build(ROWS).check(pw.KAnonymity(k=5))
    evaluation.save(tmp_path / "saved.json")
    assert pw.Evaluation.load(tmp_path / "saved.json").premises.tried == evaluation.premises.tried
    assert json.loads(evaluation.to_json())["attack"]["results"][1]["found"] == 1
    published = evaluation.public()
    told = " ".join(write_check(published).split())
    assert "finds" not in told  # who finds nobody for certain would tell that no class has a single person


def test_nothing_is_said_of_a_synthetic_release_or_without_a_check():
    assert (
        build(ROWS, original={"sex": ["f"], "ward": ["A"], "visits": ["0"]}, synthetic=True).check().premises.tried
        is None
    )
    assert "Whom somebody" not in write_check(build(ROWS).evaluate(pw.KAnonymity(k=5)))


ACCEPTED = [pw.Accept("people", why="the register says so")]
NUMBERED = {"patient no": [str(row // 3) for row in range(30)], "sex": ["f"] * 15 + ["m"] * 15}


def test_no_class_has_people_where_rows_may_not_be_people():
    """What was accepted is no finding: the page counts rows, or says under which condition rows are people."""
    release = pw.Release(NUMBERED, quasi_identifiers=["sex"], insensitive=["patient no"])
    page = release.check(pw.KAnonymity(k=5), accept=ACCEPTED).to_html()
    assert "No class has fewer than 15 rows: as many people only if one row is one person." in page
    assert "No class has fewer than 15 people" not in page
    assert "All 30 rows, by how many rows share their class" in page
    assert "全部 30 列，依所屬等價類之列數分布" in page
    assert "10–19 rows" in page
    assert "10–19 people" not in page


HEADLINES = {
    "en": "The one requirement holds. 1 premise rests on what a person accepted: one row is one person.",
    "zh_TW": "唯一的要求滿足。有 1 項前提由人接受：一列即一人。",
}


@pytest.mark.parametrize("language", HEADLINES)
def test_the_answer_names_premises_in_words(language):
    released, original = (NUMBERED | {"sex": ["f"] * women + ["m"] * (30 - women)} for women in (15, 17))
    roles = {"quasi_identifiers": ["sex"], "insensitive": ["patient no"]}
    release = pw.Release(released, original=original, hierarchies={"sex": [("f", "*"), ("m", "*")]}, **roles)
    shown = "".join(write_check(release.check(pw.KAnonymity(k=5), accept=ACCEPTED), language).split())
    assert "".join(HEADLINES[language].split()) in shown, shown


@pytest.mark.parametrize("door", DOORS)
def test_numbers_of_single_columns_are_bands_where_values_may_not_be_told(door):
    visits = {
        "person": list("AABBCCDDEE"),
        "zip": ["100", "100", "100", "200", "200", "200", "300", "300", "300", "300"],
        "diagnosis": ["flu", "asthma", "flu", "flu", "angina", "flu", "flu", "gout", "flu", "flu"],
    }
    roles = {"quasi_identifiers": ["zip"], "sensitive": ["diagnosis"], "person": "person"}
    evaluation = pw.Release(visits, **roles).check(pw.KAnonymity(k=2))
    assert evaluation.premises.tried["column diagnosis"].found == 3
    shown = re.sub("<[^>]*>", "", " ".join(DOORS[door](evaluation, "en").split())).replace("&lt;", "<")
    assert "finds fewer than 5 of 5 people, fewer than 5 of them for certain" in shown


def test_no_band_goes_beyond_everybody():
    rows = [("fffffmm"[place], "A", place) for place in range(7)]
    told = write_check(build(rows).check(pw.KAnonymity(k=5)).guarded())
    assert "Whoever knows visits and nothing else finds 5–7 of 7 people" in " ".join(told.split())
