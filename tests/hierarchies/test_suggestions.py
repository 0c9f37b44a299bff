"""Suggested hierarchies: what the values call for, why, and what is asked."""

from __future__ import annotations

from datetime import date, timedelta
from itertools import pairwise
from pathlib import Path

import pytest

import PETWorks as pw
from PETWorks import Hierarchy
from PETWorks.hierarchies.places import read_known_places

DAYS = [date(1950, 1, 1) + timedelta(13 * number) for number in range(1100)]
DISTRICTS = [name for name, place in read_known_places()[1].items() if name.startswith(place.county)]
EDUCATION = ["國小", "國中", "高中", "專科", "大學", "碩士", "博士"]
CASES = {
    "ages": ("age", [*map(str, range(17, 91))] * 5, Hierarchy.intervals("age", [5, 10, 20], 0, 100), "numbers", False),
    "one very old": (
        "age",
        [*map(str, range(20, 60))] * 5 + ["109"],
        Hierarchy.intervals("age", [2, 10], 20, 60),
        "numbers",
        False,
    ),
    "amounts that nobody shares": (
        "income",
        [str(number * 997) for number in range(100)],
        Hierarchy.intervals("income", [5000, 10000, 20000], 0, 100000),
        "numbers",
        False,
    ),
    "decimals": (
        "bmi",
        [f"{number / 10}" for number in range(180, 400, 5)] * 5,
        Hierarchy.intervals("bmi", ["2", "10"], "10", "40"),
        "numbers",
        False,
    ),
    "dates": (
        "born",
        [day.isoformat() for day in DAYS],
        Hierarchy.dates("born", ["month", "year", "five years", "decade"]),
        "dates",
        False,
    ),
    "times": (
        "seen",
        [f"{day}T{hour}:15:00" for day in DAYS for hour in ("08", "17")],
        Hierarchy.dates("seen", ["day", "month", "year", "five years", "decade"]),
        "dates",
        False,
    ),
    "months": (
        "seen",
        [f"{day:%Y-%m}" for day in DAYS],
        Hierarchy.dates("seen", ["year", "five years", "decade"]),
        "dates",
        False,
    ),
    "months of two years": (
        "seen",
        [f"{year}-{month:02}" for year in (2023, 2024) for month in range(1, 13)] * 5,
        Hierarchy.dates("seen", ["year"]),
        "dates",
        False,
    ),
    "months of a year": (
        "seen",
        [f"2024-{month:02}" for month in range(1, 13)] * 5,
        Hierarchy.dates("seen", ["quarter", "half-year"]),
        "dates",
        False,
    ),
    "months of a quarter": ("seen", ["2024-01", "2024-02", "2024-03"] * 5, None, "few", False),
    "Taiwanese dates": (
        "生日",
        [f"{day.year - 1911:03}{day:%m%d}" for day in DAYS],
        Hierarchy.dates("生日", ["month", "year", "five years", "decade"]),
        "dates_roc",
        False,
    ),
    "short years": (
        "born",
        [f"{day.year - 1911:02}/{day:%m/%d}" for day in DAYS],
        Hierarchy.dates("born", ["month", "year", "five years", "decade"], read="roc"),
        "dates_roc",
        True,
    ),
    "years": (
        "year",
        [str(1930 + number % 70) for number in range(900)],
        Hierarchy.intervals("year", [5, 10, 20], 1920, 2000),
        "numbers",
        False,
    ),
    "postal codes": ("zip", ["10617", "10089", "80145"] * 9, Hierarchy.prefixes("zip", [3, 1]), "codes", False),
    "digits": ("x", ["10617", "10089", "80145"] * 9, Hierarchy.prefixes("x", [3, 1]), "codes", True),
    "diagnoses": ("dx", ["A01.1", "J45", "E11.9"] * 9, Hierarchy.prefixes("dx", [3, 1]), "codes", False),
    "districts": ("home", DISTRICTS, Hierarchy.places("home", ["county", "region"]), "places", False),
    "counties": ("home", [*read_known_places()[0]], Hierarchy.places("home", ["region"]), "places", False),
    "addresses": ("home", [f"{name}中山路1號" for name in DISTRICTS], Hierarchy.places("home"), "places", False),
    "education": ("學歷", EDUCATION * 5, Hierarchy.ordered("學歷", EDUCATION, [2, 4]), "ordinal", True),
    "few": ("sex", ["m", "f", None] * 9, None, "few", False),
    "few numbers": ("cars", ["0", "1", "2"] * 9, None, "few", False),
    "all different": ("note", [f"word {number}" for number in range(60)], None, "different", True),
    "words": ("job", [f"job {number}" for number in range(30)] * 9, None, "words", True),
    "nothing": ("x", [None, "*"], None, "few", False),
}


@pytest.mark.parametrize("case", CASES)
def test_suggestion(case):
    name, cells, rule, kind, question = CASES[case]
    found = pw.suggest_hierarchies({name: cells})[name]
    assert (found.rule, found.kind, found.question) == (rule, kind, question)
    if rule:
        assert found.rule.build(cells).coverage(cells).complete


@pytest.mark.parametrize("case", [case for case, one in CASES.items() if one[3].startswith("dates")])
def test_every_suggested_period_makes_fewer_groups_than_the_one_before(case):
    _, cells, rule, *_ = CASES[case]
    groups = [len(level.values) for level in rule.build(cells).levels]
    assert all(coarse < fine for fine, coarse in pairwise(groups)), groups


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("language", ["en", "zh_TW"])
def test_a_suggestion_names_no_value(case, language):
    name, cells, *_ = CASES[case]
    said = pw.suggest_hierarchies({name: cells})[name].text(language)
    assert not [cell for cell in set(cells) - {None, "*", "5", "10", "20", "40"} if len(cell) > 2 and cell in said]


def test_a_few_strangers_do_not_matter():
    found = pw.suggest_hierarchies({"age": [*map(str, range(17, 91))] * 5 + ["unknown"]})
    assert found["age"].kind == "numbers"


def test_rules_that_are_no_question():
    found = pw.suggest_hierarchies({"age": [*map(str, range(90))] * 5, "x": ["10617", "10089"] * 225})
    assert [rule.name for rule in found.rules] == ["age"]
    assert str(found).startswith("age: 90 different numbers: intervals of 5, 10, 20.\nx: 2 different codes")


def test_adult():
    found = pw.suggest_hierarchies(Path(__file__).parents[2] / "data/adult.csv", quasi_identifiers=["age", "education"])
    assert (found["age"].rule, found["education"].question) == (Hierarchy.intervals("age", [5, 10, 20], 0, 100), True)


def test_coverage():
    ages = {"17": 5, "18": 9, "old": 6, "x": 2, "y": 1, None: 3, "*": 4}
    coverage = Hierarchy.intervals("age", 10).build(["17"]).coverage(ages)
    assert (coverage.values, coverage.people, coverage.lacking_people, coverage.complete) == (6, 26, 18, False)
    assert list(coverage.lacking) == ["18", "old", "x", "y"]
    assert [(one.groups, one.smallest) for one in coverage.levels] == [(2, 3), (2, 3), (1, 8)]
    text = coverage.text()
    assert "18: 9 people" in text
    assert "2 values of fewer than 5 people each, 3 people, not shown" in text
    assert "fewer than 5" in text.splitlines()[-1]
    assert not [one for one in ("x", "y") if f" {one}:" in text]


def test_a_complete_hierarchy():
    coverage = Hierarchy.intervals("age", 10).build(["17", "18"]).coverage(["17", "18", "18"])
    assert str(coverage).splitlines()[0] == "age: all 2 values of 3 people are covered."
    assert "皆已涵蓋" in coverage.text("zh_TW")


def test_a_suggestion_is_no_hierarchy_until_somebody_takes_it():
    table = {"age": [str(number) for number in range(17, 91)] * 5}
    found = pw.suggest_hierarchies(table)
    with pytest.raises(pw.PETWorksError, match=r"pass its rule, or hierarchies=found\.rules"):
        pw.Release(table, hierarchies=found).ask("granularity")
    assert pw.Release(table, original=table, hierarchies=found.rules).ask("granularity").exact == 1
