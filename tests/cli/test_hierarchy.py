"""``petworks hierarchy``: what it builds, tells and writes."""

from __future__ import annotations

import tomllib

import pytest

from PETWorks import Hierarchy
from support.process import petworks
from support.rules import build_rule, read_hierarchy

AGES = [number for number in range(20, 60) for _ in range(6)] + [17, 98]


@pytest.fixture
def table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    jobs = ["clerk", "nurse", "clerk", "judge"] * len(AGES)
    rows = [f"{age};{job};臺北市大安區;1990-05-21" for age, job in zip(AGES, jobs, strict=False)]
    (tmp_path / "people.csv").write_text("\n".join(["age;job;home;born", *rows]) + "\n", encoding="utf-8")
    return "people.csv"


WAYS = {
    "intervals": ("age", ["--widths", "5,10,20", "--bottom", "0"], Hierarchy.intervals("age", [5, 10, 20], 0)),
    "decimals": (
        "age",
        ["--widths", "0.5,5", "--origin", "-2.5"],
        Hierarchy.intervals("age", ["0.5", 5], origin="-2.5"),
    ),
    "quantiles": ("age", ["--parts", "4,2"], Hierarchy.quantiles("age", [4, 2])),
    "prefixes": ("age", ["--keep", "1", "--mask", "#"], Hierarchy.prefixes("age", [1], "#")),
    "suffixes": (
        "age",
        ["--keep", "1", "--keep-from", "right"],
        Hierarchy.prefixes("age", [1], keep_from="right"),
    ),
    "ordered": (
        "job",
        ["--order", "nurse, clerk, judge", "--sizes", "2"],
        Hierarchy.ordered("job", ["nurse", "clerk", "judge"], [2]),
    ),
    "rare_last": ("job", ["--share", "30%", "--label", "rest"], Hierarchy.rare_last("job", ["30%"], "rest")),
    "places": ("home", ["--places"], Hierarchy.places("home")),
    "dates": (
        "born",
        ["--dates", "month,five years", "--write", "roc"],
        Hierarchy.dates("born", ["month", "five years"], write="roc"),
    ),
}


@pytest.mark.parametrize("way", WAYS)
def test_each_way_is_written_and_printed_as_a_policy_has_it(table, way):
    column, options, rule = WAYS[way]
    done = petworks("hierarchy", table, column, *options, "-o", "x.csv")
    assert (done.returncode, "Wrote x.csv" in done.stderr) == (0, True)
    assert [*read_hierarchy(column, "x.csv").rows()] == [*rule.build(table).rows()]
    section = tomllib.loads(done.stdout.partition("In a policy:")[2])
    assert build_rule(column, section["hierarchies"][column]) == rule


def test_what_is_not_covered_is_told_by_people_and_values_of_few_are_not_named(table):
    done = petworks("hierarchy", table, "age", "--order", ",".join(map(str, range(21, 60))), "--sizes", "3")
    assert done.returncode == 1
    assert "Not covered in age: 3 of 42 values, 8 of 242 people." in done.stdout
    assert "20: 6 people" in done.stdout
    assert "2 values of fewer than 5 people each, 2 people, not shown" in done.stdout
    assert not [age for age in ("17", "98") if age in done.stdout]


def test_a_file_is_compared_with_the_table(table, tmp_path):
    petworks("hierarchy", table, "age", "--widths", "10", "-o", "age.csv")
    done = petworks("hierarchy", table, "age", "--file", "age.csv")
    assert (done.returncode, "all 42 values of 242 people are covered" in done.stdout) == (0, True)
    lines = (tmp_path / "age.csv").read_text().splitlines()
    (tmp_path / "age.csv").write_text("\n".join(line for line in lines if not line.startswith("31;")))
    done = petworks("hierarchy", table, "age", "--file", "age.csv", "--lang", "zh_TW")
    assert (done.returncode, "31：6 人" in done.stdout) == (1, True)


def test_without_a_way_the_suggestion_is_built(table):
    done = petworks("hierarchy", table, "age")
    assert done.stdout.startswith("age: 42 different numbers: intervals of 2, 10.")
    assert "intervals = [2, 10]\n  bottom = 20\n  top = 60" in done.stdout


def test_words_become_a_file_to_be_edited(table, tmp_path):
    (tmp_path / "trees").mkdir()
    petworks("hierarchy", table, "job", "-o", "trees")
    assert "clerk;*" in (tmp_path / "trees/people_hierarchy_job.csv").read_text()


def test_a_suggested_order_does_not_name_values_of_few_people(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    cells = ["國小"] * 9 + ["國中"] * 9 + ["高中"] * 9 + ["博士"]
    (tmp_path / "x.csv").write_text("\n".join(["學歷,x", *(f"{cell},1" for cell in cells)]), encoding="utf-8")
    done = petworks("hierarchy", "x.csv", "學歷")
    assert ("博士" in done.stdout, "似有順序" in done.stdout or "seem to have an order" in done.stdout) == (False, True)


WRONG = {
    "widths": (["age", "--widths", "10,25"], "10 does not divide into 25"),
    "two ways": (["age", "--widths", "5", "--keep", "1"], "--widths and --keep build the same hierarchy"),
    "no way": (["age", "--bottom", "5"], "--bottom cannot be used alone"),
    "another way's option": (["age", "--keep", "1", "--top", "5"], "--top does not go with --keep"),
    "a column": (["ages"], 'did you mean "age"?'),
    "no date": (["job", "--dates", "year"], "none of its values is a date"),
    "a file and a way": (["age", "--file", "x.csv", "--keep", "1"], "--keep and --file build the same hierarchy"),
    "no file": (["age", "--file", "x.csv"], "does not exist"),
    "an existing file": (["age", "-o", "people.csv"], "this file exists"),
}


@pytest.mark.parametrize("case", WRONG)
def test_mistakes(table, case):
    arguments, words = WRONG[case]
    done = petworks("hierarchy", table, *arguments)
    assert (done.returncode, words in done.stderr) == (2, True), done.stderr


@pytest.mark.parametrize("language", ["en", "zh_TW"])
def test_eighty_columns(table, language):
    from support.output import display_width

    done = petworks("hierarchy", table, "age", "--widths", "5,10", "--lang", language)
    assert max(map(display_width, done.stdout.splitlines())) <= 80
