"""The numbers on the page are right: some are counted again row by row, or measured on a table that was changed."""

from __future__ import annotations

import csv
import re
from collections import Counter
from math import comb

import pytest

import PETWorks as pw
from PETWorks.demo import LEVELS
from render.page.reading import read
from render.page.releases import QUASI_IDENTIFIERS, adult, class_of, failing, generalise, small, suppress
from support.places import ROOT


def rows_of(path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file, delimiter=";"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("adult")
    adult(folder)
    return folder


@pytest.fixture(scope="module")
def evaluation(folder) -> pw.Evaluation:
    return pw.Policy(folder / "policy.toml").check()


@pytest.fixture(scope="module")
def text(evaluation) -> dict[str, str]:
    return read(evaluation.to_html(), "en")


@pytest.fixture(scope="module")
def shown(evaluation) -> dict[str, str]:
    """The page for those who may see small classes."""
    return read(evaluation.to_html(show_small_classes=True), "en")


@pytest.fixture(scope="module")
def sizes(folder) -> Counter:
    counted = Counter(map(class_of, rows_of(folder / "adult_released.csv")))
    del counted[("*",) * len(QUASI_IDENTIFIERS)]
    return counted


@pytest.fixture(scope="module")
def before() -> list[dict[str, str]]:
    return rows_of(ROOT / "data" / "adult.csv")


def remedy(text: dict[str, str], title: str) -> dict[str, str]:
    """Return the numbers of a card by name."""
    card = text["remedies"].partition(title)[2].partition("\n")[2].partition("\n")[0]
    found = re.search(r"Precision goes from (?P<before>[\d.]+) to (?P<after>[\d.]+)\.", card).groupdict()
    concerned = re.match(r"(?P<classes>[\d,]+) class\w*, (?P<people>[\d,]+) people \((?P<share>[\d.]+%)\)", card)
    return found | (concerned.groupdict() if concerned else {}) | {"text": card}


def test_people_by_class_size(text, sizes):
    people = sum(sizes.values())
    few = sum(size for size in sizes.values() if size < 5)
    assert f"{few:,} of 30,162 people ({few / 30162:.1%}) are in classes of fewer than 5." in text["answer"]
    assert f"suppressed {30162 - people:,}\n{(30162 - people) / 30162:.1%}" in text["answer"]
    assert f"100 or more {sum(size for size in sizes.values() if size > 99):,}\n" in text["answer"]
    for size in (3, 4):
        classes = list(sizes.values()).count(size)
        assert f"\n{size}\n1/{size}\n{classes}\n{size * classes}\n" in text["risk"]


def test_how_many_carry_a_risk(text, sizes, before):
    original = Counter(map(class_of, before))
    above = sum(size for size in original.values() if size < 5) / 30162
    after = sum(size for size in sizes.values() if size < 5) / sum(sizes.values())
    alone = list(original.values()).count(1)
    said = f"Risk above 1/5: {above:.1%} of people in the original, {after:.1%} in the release."
    assert f"{said} Unique people: {alone:,} before, 0 now." in text["risk"]


def test_suppressing_the_small_classes(text, folder, tmp_path):
    """The verdicts that the page predicts are those of a release whose rows are really suppressed."""
    chosen = small(folder, 5)
    card = remedy(text, "Suppress the small classes.")
    assert card["classes"] == f"{len(chosen)}"
    changed = adult(tmp_path, suppress(chosen))
    assert card["after"] == f"{changed['Precision'].value:#.4g}"
    assert changed["k-anonymity"].holds
    left = sum(not one.holds for one in changed.requirements)
    assert f"{left} of 6 requirements would still not hold" in card["text"]


def test_suppressing_every_class_that_fails(text, evaluation, sizes, tmp_path):
    chosen = failing(evaluation, "k-anonymity", "t-closeness")
    card = remedy(text, "Suppress every class that fails.")
    people = sum(sizes[one] for one in chosen)
    assert (card["classes"], card["people"]) == (f"{len(chosen):,}", f"{people:,}")
    assert card["share"] == f"{people / 30162:.1%}"
    changed = adult(tmp_path, suppress(chosen))
    assert changed.holds
    assert "All requirements then hold." in card["text"]
    assert (card["before"], card["after"]) == tuple(f"{one['Precision'].value:#.4g}" for one in (evaluation, changed))


def failing_people(evaluation: pw.Evaluation) -> int:
    """Count the people in classes that fail one requirement or both."""
    classes = evaluation.facts.classes
    wrong = failing(evaluation, "k-anonymity", "t-closeness")
    return sum(int(classes.sizes[one]) for one in range(len(classes)) if tuple(classes.values(one).values()) in wrong)


def test_generalising_a_column(shown, evaluation, tmp_path):
    column = re.search(r"Generalise (\S+) completely\.", shown["remedies"])[1]
    card = remedy(shown, f"Generalise {column} completely.")
    changed = adult(tmp_path, generalise(column))
    assert card["after"] == f"{changed['Precision'].value:#.4g}"
    left = {name: changed[name].failing_rows for name in ("k-anonymity", "t-closeness")}
    assert f"\n{column} completely\n{left['k-anonymity']:,}\n{left['t-closeness']:,}\n" in shown["by-column"]
    now, then = (failing_people(one) for one in (evaluation, changed))
    assert f"People in classes that fail: {now:,} now, {then:,} then." in card["text"]


def kept(column: str, before: list[dict[str, str]], after: list[dict[str, str]]) -> dict[str, float]:
    """The share of rows that each released value has kept."""
    with (ROOT / "data" / "adult_hierarchy" / f"adult_hierarchy_{column}.csv").open(newline="") as file:
        lifted = {row[0]: row[LEVELS[column]] for row in csv.reader(file, delimiter=";")}
    had, has = Counter(lifted[row[column]] for row in before), Counter(row[column] for row in after)
    return {value: has[value] / had[value] for value in had if has[value]}


def test_what_is_kept_of_values(shown, folder, before):
    shares = kept("native-country", before, after := rows_of(folder / "adult_released.csv"))
    rows = Counter(row["native-country"] for row in after)
    for value in ("East Asia", "Caribbean"):
        assert f"\n{value}\n{rows[value]:,}\n{shares[value]:.1%}\n" in shown["utility"]


def test_whom_suppression_hits_hardest(shown, folder, before, sizes):
    """The hardest hit is chosen from all values that may be named, not only from those in the tables."""
    after, shares = rows_of(folder / "adult_released.csv"), {}
    for place, column in enumerate(QUASI_IDENTIFIERS):
        named = {own[place] for own, people in sizes.items() if people >= 5}
        shares |= {(column, value): share for value, share in kept(column, before, after).items() if value in named}
    (column, value), share = min(shares.items(), key=lambda entry: entry[1])
    overall = sum(sizes.values()) / 30162
    said = f"{column} = {value}: {share:.1%} of its rows are left, against {overall:.1%} overall."
    assert f"Suppression falls hardest on {said}" in shown["utility"]


def test_others_see_ranges(text, folder, before):
    """Some classes have three or four people: rows of a value are told as ranges, sets of columns are not counted."""
    rows = Counter(row["native-country"] for row in rows_of(folder / "adult_released.csv"))
    assert 100 <= rows["Caribbean"] < 200
    assert "\nCaribbean\n100–199\n200–499\n" in text["utility"]
    assert f"{rows['Caribbean']}" not in text["utility"]
    assert "Going by these ranges, suppression falls hardest on age = 85-94." in text["utility"]
    assert "withheld" in text["columns"]
    assert "63 sets compared" in text["columns"]
    assert "Generalise" not in text["remedies"]
    assert "--show-small-classes shows it." in text["remedies"]


def test_levels_and_scores_of_columns(text, folder, before, evaluation):
    after = rows_of(folder / "adult_released.csv")
    gone = sum(row["age"] == "*" for row in after)
    values = len({row["age"] for row in before}), len({row["age"] for row in after} - {"*"})
    precision = 1 - (gone + (30162 - gone) * 2 / 4) / 30162
    said = f"age\n{values[0]} → {values[1]} values\nlevel 2 of 4\nPrecision {precision:.4f}\n"
    assert said in text["utility"]
    assert f"All columns\nPrecision {evaluation['Precision'].value:.4f}" in text["utility"]


def test_the_levels_of_a_column_are_drawn_to_scale(evaluation, folder):
    gone = 100 * sum(row["age"] == "*" for row in rows_of(folder / "adult_released.csv")) / 30162
    section = evaluation.to_html().partition('id="utility"')[2]
    strip = re.search(r'<bdi>age</bdi>.*?(<svg class="strip".*?</svg>)', section, re.DOTALL)[1]
    drawn = re.findall(r'class="(\w+)" x="([\d.]+)%" width="([\d.]+)%"', strip)
    left = f"{100 - gone:.2f}"
    assert drawn == [("level1", "0.00", left), ("hatched", left, f"{gone:.2f}")]


def test_columns_that_reveal_most(shown, folder, sizes):
    rows = [row for row in rows_of(folder / "adult_released.csv") if row["sex"] != "*"]
    ages, pairs = Counter(row["age"] for row in rows), comb(len(rows), 2)
    apart = 1 - sum(comb(many, 2) for many in ages.values()) / pairs
    assert f"\nage\nCombinations{len(ages)}\nDistinction < 0.1%\nSeparation {apart:.1%}\n" in shown["columns"]
    apart = 1 - sum(comb(many, 2) for many in sizes.values()) / pairs
    shares = f"Combinations{len(sizes)}\nDistinction {len(sizes) / len(rows):.1%}\nSeparation {apart:.1%}\n"
    assert f"{' '.join(QUASI_IDENTIFIERS)}\n{shares}" in shown["columns"]
    assert "63 sets compared" in shown["columns"]


def test_classes_by_different_values(text, folder):
    """Classes of fewer than five people are not among them."""
    values: dict[tuple[str, ...], list[str]] = {}
    for row in rows_of(folder / "adult_released.csv"):
        values.setdefault(class_of(row), []).append(row["occupation"])
    del values[("*",) * len(QUASI_IDENTIFIERS)]
    three = sum(len(set(found)) == 3 for found in values.values() if len(found) >= 5)
    assert re.search(rf"People\n3\n{three}\n", text["inference"])


def test_people_are_counted_for_the_attribute_that_is_named():
    """One attribute fails for 20 people, the other for all 60."""
    table = {"g": ["a"] * 10 + ["b"] * 20 + ["c"] * 30, "d": ["x"] * 10 + ["y"] * 25 + ["x"] * 25}
    release = pw.Release(table | {"s": ["1"] * 30 + ["2"] * 30}, quasi_identifiers=["g"], sensitive=["d", "s"])
    evaluation = release.evaluate(pw.TCloseness(t="0.45"))
    assert [part.failing_rows for part in evaluation[0].parts.values()] == [20, 60]
    lead = read(evaluation.to_html(), "en")["answer"].splitlines()[2]
    assert "60 people (100%), being in their class says more about d " not in lead
