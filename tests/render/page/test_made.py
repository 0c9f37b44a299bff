"""The section on how a release was made, and the page of the front: what they say, and what they keep to themselves."""

import re
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, product

import pytest

import PETWorks as pw
from anonymization.interrupting import interrupt_front, stop_early
from evaluation.comparison.test_compare_people import ONE_ROW, ORIGINAL, ZIPS
from laws.test_guarded_view import SECRET, reached
from PETWorks.render.page import front_page
from render.page.looks import OVERFLOWING, SPLIT, UNREACHED, violations
from render.page.made import AGES, KINDS, PLACES, evaluation, made
from render.page.reading import read
from render.page.test_browser import LOOKS
from support.release_facts import Alternative, EvaluationView, Front, SuppressedAmount, disclose_front, disclose_making

LANGUAGES = ("en", "zh_TW")


def section(kind, language="en", **options):
    return read(evaluation(kind).to_html(**options), language)["making"]


def front(kind="global", language="en", least=5):
    one = made(kind)
    making = disclose_making(one.provenance, least)
    return front_page(
        disclose_front(one.front(), making.gone, least), making, "raw.csv", least=least, language=language
    )


def test_levels_suppressed_rows_and_a_proof_that_adds_up():
    one, told = made(), section("global")
    for column, level in one.levels.items():
        assert re.search(rf"^{column}\nlevel {level} of {3 if column == 'age' else 2}$", told, re.MULTILINE)
    assert f"At most 5.0% of the rows could be suppressed, 15 of 300; suppressed: {one.suppressed}" in told
    assert f"granularity {one.utility.value:.4g}." in told
    *parts, whole = map(
        int, re.search(r"(\d+) measured \+ (\d+) finer .* \+ (\d+) that .* = (\d+) comb", told).groups()
    )
    assert sum(parts) == whole == one.outcome.proof.vectors == 12
    assert "Proven best" in told


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("loss", ("the one that loses least", "損失最少者")),
        ("weighted", ("weighted granularity", "粒度（加權）")),
        ("local", ("local recoding", "局部概化")),
        ("local", ("not proven: another local recoding might keep more", "未證明：其他局部概化可能保留更多")),
        ("means", ("no other groups lose less", "沒有損失更少的分組")),
        (
            "removed",
            ("These rows were removed. The rows are in a random order.", "這些資料列已移除。資料列的順序為隨機。"),
        ),
        ("small", ("No row could be suppressed.", "不得整列遮蔽任何資料列。")),
        ("nothing left", ("suppressed: 300 (100%)", "實際遮蔽 300 列（100%）")),
        ("population", ("Proven best", "已證明為最佳")),
    ],
)
def test_both_languages_say(kind, words):
    for language, text in zip(LANGUAGES, words, strict=True):
        assert text in section(kind, language)


def test_a_search_that_was_stopped(monkeypatch):
    stop_early(monkeypatch)
    one = made.__wrapped__("global")
    told = read(one.release.check(*one.plan.goals).to_html(), "en")["making"]
    assert "Best found, not proven: the search was stopped." in told
    assert re.search(r"No other can have more than [01]\.\d+; this one has 0\.\d+\.", told)
    *parts, whole = map(
        int, re.search(r"(\d+) meas.* (\d+) finer.* (\d+) that.* (\d+) not looked at = (\d+)", told).groups()
    )
    assert (sum(parts), whole) == (12, 12)


@pytest.mark.parametrize("kind", KINDS)
def test_no_page_fails_and_nothing_is_behind_it(kind):
    view = EvaluationView.of(evaluation(kind))
    assert [one for one in reached(view) if isinstance(one, SECRET)] == []
    assert section(kind, "zh_TW").startswith("如何製作？")


def test_a_release_that_was_not_made_has_no_such_section():
    assert "making" not in read(pw.Release({"a": ["1", "1"]}).evaluate().to_html(), "en")


def test_the_public_page_tells_nothing_of_it():
    page = evaluation("global").public().to_html()
    assert "How was it made?" not in page
    assert '"making"' not in evaluation("global").public().to_json()


def points(suppressed):
    """A front of releases with so many suppressed rows, the second of which is the release itself."""
    return Front(
        tuple(
            Alternative({"k": size}, Fraction(1, 20), {"age": 1}, rows, Fraction(1, size), 0.5, chosen=place == 1)
            for place, (size, rows) in enumerate(suppressed)
        ),
        complete=True,
    )


def test_differences_of_few_people_are_left_out():
    front = points([(5, 12), (5, 14), (5, 20), (7, 24), (9, 3), (4, 99), (5, 0), (6, 104)])
    told = disclose_front(front, SuppressedAmount(14), least=5)
    assert [one.suppressed for one in told.points] == [14, 20, 0, 104]
    assert told.left_out == 4
    assert disclose_front(front, SuppressedAmount(14), least=1).points == front.points


def test_where_people_have_several_rows_their_number_decides():
    release = SuppressedAmount(40, 10)
    assert SuppressedAmount(52, 15).is_apart([release], 5)
    assert SuppressedAmount(40, 10).is_apart([release], 5)
    assert not SuppressedAmount(60, 14).is_apart([release], 5)  # twenty rows, of four people
    assert not SuppressedAmount(46, 10).is_apart([release], 5)  # other rows of the same number of people
    one = points([(5, 60), (5, 90), (9, 6)])
    numbered = [
        replace(point, chosen=False, people=people) for point, people in zip(one.points, (14, 16, 4), strict=True)
    ]
    one = replace(one, points=tuple(numbered))
    assert [point.suppressed for point in disclose_front(one, release, 5).points] == [90]


@pytest.mark.parametrize("kind", ["global", "small", "loss"])
def test_the_front_of_a_table_gives_nobody_away(kind):
    one = made(kind)
    told = disclose_front(one.front(), one.provenance.gone, 5).points
    assert all(point.chosen or point.risk <= Fraction(1, 5) for point in told)
    for two in combinations({0, one.suppressed, *(point.suppressed for point in told)}, 2):
        assert abs(two[0] - two[1]) >= 5 or 0 < one.suppressed < 5
    own = [point for point in told if point.chosen]
    assert [(point.levels, point.suppressed) for point in own] == [(one.levels, one.suppressed)]


@pytest.mark.parametrize("kind", ["small", "one column"])
def test_no_value_is_named_where_classes_are_small(kind):
    for language in LANGUAGES:
        told = section(kind, language)
        assert not any(value in told.split() for row in (*AGES, *PLACES) for value in row if value[0].isalpha())


def test_the_front_stands_in_a_table_in_order_of_risk():
    text = "\n".join(read(front(), "en").values())
    shown = disclose_front(made().front(), made().provenance.gone, 5).points
    risks = [Fraction(risk) for risk in re.findall(r"^\d.*\n(1/\d+)\n0\.", text, re.MULTILINE)]
    assert risks == sorted(point.risk for point in shown)
    assert f"{len(shown)} releases could be had" in text
    assert text.count("this release") == 1


def test_a_front_that_was_cut_says_after_how_many_vectors():
    one = made.__wrapped__("global")
    found = one.front(work=0)
    assert (found.complete, found.nodes, [point.chosen for point in found]) == (False, 0, [True])
    some = one.front(work=7)
    assert (some.complete, some.nodes, some.work) == (False, 7, 7)
    for language, told in (("en", "stopped after 7 combinations of levels"), ("zh_TW", "試過 7 種層級組合後即停止")):
        page = front_page(some, disclose_making(one.provenance, 5), "raw.csv", least=5)
        assert told in "\n".join(read(page, language).values())
    whole = one.front()
    assert whole.complete
    assert whole.nodes < whole.work
    assert one.front(work=whole.nodes) == replace(whole, work=whole.nodes)


def test_ctrl_c_stops_the_front_with_what_was_found(monkeypatch):
    one, calls = made.__wrapped__("global"), interrupt_front(monkeypatch)
    found = one.front()
    assert (found.complete, 0 < len(found.points) < 4) == (False, True)
    assert len(calls) == 4


@pytest.fixture
def pages(tmp_path):
    def write(name):
        path = tmp_path / f"{name}.html"
        if name == "front":
            path.write_text(front(), encoding="utf-8")
        else:
            evaluation(name).to_html(path)
        return path

    return write


@pytest.mark.parametrize(("language", "theme", "width"), LOOKS)
def test_in_a_browser(opened, pages, language, theme, width):
    for name in ("front", "global", "local") if width == 375 else ("front", "global"):
        page = opened(pages(name), f"lang={language}&theme={theme}", width)
        assert page.evaluate(OVERFLOWING) == []
        assert page.evaluate(UNREACHED) == []
        assert page.evaluate(SPLIT) == []
        assert violations(page) == []


def test_headings_links_and_tables(opened, pages):
    for name, look in product(("front", "global"), ("lang=en", "lang=zh")):
        page = opened(pages(name), look)
        assert page.locator("h1").count() == 1
        assert page.locator("table:not(:has(> caption), [aria-labelledby])").count() == 0
        assert page.locator("th:not([scope])").count() == 0
        assert page.locator("figure:not([aria-labelledby])").count() == 0
        for place in page.evaluate("[...document.querySelectorAll('a')].map((one) => one.getAttribute('href'))"):
            assert page.locator(place).count() == 1


def test_a_front_says_who_is_counted():
    about = {"hierarchies": ZIPS, "quasi_identifiers": ["zip"], "sensitive": ["dx"]}
    for person, sentence in ({"person": "pid"}, "known=&#34;one&#34;"), ({}, ONE_ROW["en"]):
        made = pw.anonymize(ORIGINAL, goals=[pw.KAnonymity(2)], **about, **(person or {"identifiers": ["pid"]}))
        page = front_page(made.front(), made.provenance, "visits.csv", least=5)
        assert (sentence in page, ONE_ROW["en"] in page) == (True, not person)
