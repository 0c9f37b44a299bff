"""Rules build what their definitions say, on random values."""

from __future__ import annotations

from collections import Counter
from datetime import date, timedelta
from fractions import Fraction
from math import floor
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracle import naive_hierarchies as naive
from PETWorks import Hierarchy
from PETWorks.errors import HierarchyError
from PETWorks.hierarchies.files import build_rule, find_rule_kinds
from PETWorks.hierarchies.places import read_known_places

NUMBERS = st.one_of(
    st.integers(-60, 130).map(str),
    st.decimals(-20, 20, places=2).map(lambda number: f"{number:f}"),
    st.sampled_from(["0", "-0", "007", "1e2", "2.50", "12345678901234567890123"]),
    st.floats(-40, 40).map(repr),
)
FEW = settings(max_examples=60, deadline=None)


def ancestors(hierarchy, value):
    return [hierarchy.lift(value, level) for level in range(1, hierarchy.height)]


def same_groups(labels, groups):
    """Return True if labels tell the same values apart as groups do."""
    pairs = set(zip(labels, groups, strict=True))
    return len(pairs) == len({*labels}) == len({*groups})


@FEW
@given(
    st.lists(NUMBERS, min_size=1, max_size=30, unique=True),
    st.sampled_from([["0.5", 1, 10], [5, 10, 20], [3], ["2.5", 5], [1, 2, 4, 8]]),
    st.sampled_from([(None, None, None), (0, 120, None), (-40, None, None), (None, 40, None), (None, None, "0.25")]),
)
def test_intervals(values, widths, borders):
    built = Hierarchy.intervals("x", widths, *borders).build(values)
    for value in values:
        assert ancestors(built, value) == naive.interval(value, widths, values, borders)


@FEW
@given(st.dictionaries(NUMBERS, st.integers(1, 9), min_size=1, max_size=30))
def test_quantiles(counts):
    built = Hierarchy.quantiles("x", [6, 2]).build(counts)
    levels = zip(*(ancestors(built, value) for value in counts), strict=True)
    parts = zip(*(naive.quantile(value, [6, 2], counts) for value in counts), strict=True)
    assert all(same_groups(labels, groups) for labels, groups in zip(levels, parts, strict=True))


def test_quantiles_do_not_tell_the_extreme_values():
    built = Hierarchy.quantiles("x", [4, 2]).build({str(number): 1 for number in range(3, 99)})
    assert [one.values for one in built.levels[1:3]] == [["<27", "27-50", "51-74", ">=75"], ["<51", ">=51"]]


@FEW
@given(st.lists(st.text("0123abc臺北", min_size=1, max_size=6), min_size=1, unique=True))
def test_prefixes(values):
    built = Hierarchy.prefixes("x", [4, 2, 1]).build(values)
    assert all(ancestors(built, value) == naive.prefix(value, [4, 2, 1]) for value in values)


@FEW
@given(st.lists(st.text("0123abc臺北", min_size=1, max_size=6), min_size=1, unique=True))
def test_prefixes_from_the_right(values):
    """They are those of the codes that are read backwards."""
    built = Hierarchy.prefixes("x", [4, 2, 1], keep_from="right").build(values)
    for value in values:
        assert ancestors(built, value) == [text[::-1] for text in naive.prefix(value[::-1], [4, 2, 1])]


@pytest.mark.parametrize("size", [1, 2, 5, 11])
def test_ordered(size):
    order = [f"v{number}" for number in range(11)]
    sizes = [2, 4] if size == 1 else [size, 2 * size]
    built = Hierarchy.ordered("x", order, sizes).build(order[1:])
    for value in order[1:]:
        for label, group in zip(ancestors(built, value), naive.neighbours(value, order, sizes), strict=True):
            assert label == (value if len(group) == 1 else f"{group[0]} - {group[-1]}")


def test_ordered_groups_of_any_size():
    built = Hierarchy.ordered("x", [*"abcdef"], [[1, 2, 3], [3, 3]]).build([*"abcdef"])
    assert ancestors(built, "c") == ["b - c", "a - c"]
    assert ancestors(built, "a") == ["a", "a - c"]


@FEW
@given(st.dictionaries(st.text("abc", min_size=1, max_size=3), st.integers(1, 50), min_size=1))
def test_rare_last(counts):
    built = Hierarchy.rare_last("x", ["5%", "1/3"], label="其他").build(counts)
    for value in counts:
        rare = naive.rare(value, [Fraction(1, 20), Fraction(1, 3)], counts)
        labels = ["其他 (<5%)", "其他 (<1/3)"]
        assert ancestors(built, value) == [
            label if is_rare else value for label, is_rare in zip(labels, rare, strict=True)
        ]


WRITTEN = {
    "iso": lambda day: day.isoformat(),
    "slashes": lambda day: f"{day.year}/{day.month}/{day.day}",
    "packed": lambda day: f"{day:%Y%m%d}",
    "Chinese": lambda day: f"{day.year}年{day.month}月{day.day}日",
    "time": lambda day: f"{day.isoformat()}T08:30:00+08:00",
    "roc": lambda day: f"民國{day.year - 1911}年{day.month}月{day.day}日",
    "roc with marks": lambda day: f"{day.year - 1911:03}/{day.month:02}/{day.day:02}",
    "roc packed": lambda day: f"{day.year - 1911:03}{day.month:02}{day.day:02}",
    "roc, era and marks": lambda day: f"中華民國 {day.year - 1911}-{day.month:02}-{day.day:02}",
}
PERIODS = ["day", "month", "quarter", "half-year", "year", "five years", "decade"]


@pytest.mark.parametrize("form", WRITTEN)
@pytest.mark.parametrize("write", [None, "iso", "roc"])
def test_dates(form, write):
    chance = Random(form)
    days = [date(1912, 1, 1) + timedelta(chance.randrange(45000)) for _ in range(60)]
    values = {WRITTEN[form](day): day for day in days}
    built = Hierarchy.dates("x", PERIODS, write=write).build([*values])
    roc = write == "roc" or (write is None and form.startswith("roc"))
    for level, name in enumerate(PERIODS):
        years = 1911 if roc else 0
        groups = [naive.period(day.year - years, day.month, day.day, name) for day in values.values()]
        labels = [built.lift(value, level + 1) for value in values]
        assert same_groups(labels, groups)
        assert all(label.startswith("民國") == roc for label in labels)


def test_labels_of_dates():
    built = Hierarchy.dates("x", PERIODS).build(["2026-11-16"])
    labels = ["2026-11-16", "2026-11", "2026-Q4", "2026-H2", "2026", "2025-2029", "2020-2029"]
    assert ancestors(built, "2026-11-16") == labels
    built = Hierarchy.dates("x", PERIODS, write="roc").build(["2026-11-16"])
    roc = ["年11月16日", "年11月", "年第4季", "年下半年", "年"]
    assert ancestors(built, "2026-11-16") == [*(f"民國115{end}" for end in roc), "民國115-119年", "民國110-119年"]


@pytest.mark.parametrize(
    "text", ["2026-02-30", "2026-13-01", "2026-00-10", "79", "790521", "0-05-21", "yesterday", "1.5", "120.5", "1990.5"]
)
def test_what_is_no_date(text):
    assert text not in Hierarchy.dates("x", ["year"]).build(["2026-11-16", text])


def test_short_years_need_a_sign_of_their_calendar():
    assert "79-05-21" not in Hierarchy.dates("x", ["year"]).build(["79-05-21", "2026-11-16"])
    assert Hierarchy.dates("x", ["year"]).build(["79-05-21", "101-05-21"]).lift("79-05-21", 1) == "民國79年"
    assert Hierarchy.dates("x", ["year"], read="roc").build(["79-05-21"]).lift("79-05-21", 1) == "民國79年"
    with pytest.raises(HierarchyError, match="years are short") as raised:
        Hierarchy.dates("x", ["year"]).build(["79-05-21", "other"])
    assert raised.value.hint == 'say read="roc" if it is 民國'


def test_months_and_years_stay_what_is_known_of_them():
    built = Hierarchy.dates("x", ["day", "quarter", "year"]).build(["2026-11", "2026"])
    assert ancestors(built, "2026-11") == ["2026-11", "2026-Q4", "2026"]
    assert ancestors(built, "2026") == ["2026", "2026", "2026"]


def test_all_places_of_taiwan():
    counties, districts = read_known_places()
    whole = {name: place for name, place in districts.items() if name == place.county + place.district}
    assert (len(counties), len(whole)) == (22, 368)
    assert Counter(place.region for place in counties.values()) == {
        "北部": 7,
        "中部": 5,
        "南部": 5,
        "東部": 2,
        "離島": 3,
    }
    sizes = Counter(place.county for place in whole.values())
    assert (sizes["臺北市"], sizes["高雄市"], sizes["嘉義市"], sizes["連江縣"]) == (12, 38, 2, 4)
    assert {name[-1] for name in whole} == set("鄉鎮市區")
    built = Hierarchy.places("x").build([name.replace("臺", "台") for name in whole])
    for name, place in whole.items():
        assert ancestors(built, name.replace("臺", "台")) == [name, place.county, place.region]


@pytest.mark.parametrize(
    ("text", "district"),
    [
        ("臺北市 大安區", "臺北市大安區"),
        ("台北市大安區和平東路1段1號", "臺北市大安區"),
        ("高雄市那瑪夏區達卡努瓦里", "高雄市那瑪夏區"),
        ("雲林縣台西鄉", "雲林縣臺西鄉"),
        ("板橋區", "新北市板橋區"),
        ("台東縣", "臺東縣"),
    ],
)
def test_a_place(text, district):
    assert Hierarchy.places("x").build([text]).lift(text, 1) == district


@pytest.mark.parametrize("text", ["東區", "臺北", "臺北市東京區", "Taipei", "市", "臺北縣板橋市", "板橋區文化路"])
def test_what_is_no_place(text):
    assert text not in Hierarchy.places("x").build(["花蓮市", text])


def test_parents():
    links = {"MA": "graduate", "PhD": "graduate", "graduate": "university", "BA": "university", "none": "school"}
    built = Hierarchy.parents("x", links).build(["MA", "BA", "none", "graduate"])
    assert [ancestors(built, value) for value in built.leaves] == [
        ["graduate", "university"],
        ["BA", "university"],
        ["school", "school"],
        ["graduate", "university"],
    ]
    lists = {"MA": ["graduate", "university"], "BA": ["first", "university"]}
    assert ancestors(Hierarchy.parents("x", lists).build(["MA"]), "MA") == ["graduate", "university"]


RULES = [
    Hierarchy.intervals("x", [5, 10], bottom=0, top=100),
    Hierarchy.quantiles("x", [4, 2]),
    Hierarchy.prefixes("x", [2, 1], mask="#"),
    Hierarchy.prefixes("x", [2, 1], keep_from="right"),
    Hierarchy.dates("x", ["month", "year"], read="roc", write="iso"),
    Hierarchy.ordered("x", ["1", "2", "3"], [[1, 2]]),
    Hierarchy.rare_last("x", "5%"),
    Hierarchy.parents("x", {"1": "odd", "2": "even"}),
    Hierarchy.places("x", ["county", "region"]),
]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.kind)
def test_a_rule_as_the_settings_of_a_policy(rule):
    assert build_rule("x", rule.settings()) == rule
    assert {one.kind for one in RULES} == {*find_rule_kinds()}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.kind)
def test_all_levels_stay_and_the_top_is_a_star(rule):
    known = {"dates": "79-05-21", "places": "花蓮市"}.get(rule.kind, "1")
    built = rule.build({known: 3, None: 2, "*": 1})
    assert (built.height, built.top, [*built.leaves]) == (rule.height, "*", [known, None])
    assert [built.lift(None, level) for level in range(built.height)] == [None] * built.height


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.kind)
def test_a_column_without_values(rule):
    built = rule.build([None, ""])
    assert ([*built.leaves], built.height) == ([None], rule.height)


def test_values_from_anywhere(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("age;sex\n17;m\n23;f\n17;f\n")
    rule = Hierarchy.quantiles("age", 2)
    rows = {
        frozenset(rule.build(values).rows())
        for values in (
            ["17", " 23", 17],
            {"17": 2, "23": 1},
            path,
            str(path),
            {"age": [17, 23, 17]},
            (number for number in (17, 17, 23.0)),
        )
    }
    assert len(rows) == 1


def test_numbers_are_compared_exactly():
    values = ["0.3", "0.30000000000000004", "0.29999999999999999"]
    built = Hierarchy.intervals("x", ["0.1"]).build(values)
    assert [built.lift(value, 1) for value in values] == ["[0.3, 0.4)", "[0.3, 0.4)", "[0.2, 0.3)"]


def test_numbers_of_full_length_are_in_their_intervals():
    """In units of their last decimal place, these numbers do not fit 64 bits together."""
    values = ["2.3", "0.012345678901234567"]
    built = Hierarchy.intervals("z", widths=[1], bottom=-8, top=8).build(values)
    assert [built.lift(value, 1) for value in values] == ["[2, 3)", "[0, 1)"]
    built = Hierarchy.intervals("z", widths=[10, 100]).build(values)
    assert [built.lift("2.3", level) for level in (1, 2)] == ["[0, 10)", "[0, 100)"]
    chance = Random(7)
    draws = [repr(chance.gauss(0, 1)) for _ in range(994)]
    built = Hierarchy.intervals("z", widths=[1], bottom=-8, top=8).build(draws)
    assert all(built.lift(one, 1) == f"[{floor(float(one))}, {floor(float(one)) + 1})" for one in draws)


@pytest.mark.parametrize("bottom", [-(10**18), -4 * 10**18, -(10**19), 10**30])
def test_borders_of_any_size(bottom):
    values = ["4000000000000000000", "-4000000000000000000", "7", str(10**30 + 7)]
    built = Hierarchy.intervals("z", widths=[10], bottom=bottom).build(values)
    for value in values:
        low = int(value) // 10 * 10
        if int(value) < bottom:
            assert built.lift(value, 1) == f"<{bottom}"
        else:
            assert built.lift(value, 1) == (f"{low}-{low + 9}" if low >= 0 else f"[{low}, {low + 10})")


@pytest.mark.parametrize("rule", RULES[:3], ids=lambda rule: rule.kind)
def test_every_label_has_one_meaning(rule):
    assert rule.build([*map(str, range(100))]).one_meaning
