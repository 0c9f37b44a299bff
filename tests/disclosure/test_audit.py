"""The audit of small classes equals its definition, which tries every alibi one by one."""

from __future__ import annotations

import random
from collections import Counter
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import PETWorks as pw
from oracle.alibis import alibi
from PETWorks.disclosure import level
from PETWorks.disclosure.level import find_disclosure
from PETWorks.shown import CountBand, Disclosure, DisclosureLevel

Row = tuple[str, ...]


def rows_of(chance: random.Random, columns: int, rows: int) -> list[Row]:
    """Rows with few values, some of them frequent, so that alibis of both kinds, and none, occur."""
    weights = [
        [1 / (place + 1) ** chance.choice((0, 1, 2)) for place in range(chance.randint(1, 4))] for _ in range(columns)
    ]
    cells = [chance.choices(range(len(one)), weights=one, k=rows) for one in weights]
    return [tuple(f"{'abc'[column]}{value}" for column, value in enumerate(row)) for row in zip(*cells, strict=True)]


def release_of(rows: list[Row]) -> pw.Release:
    return pw.Release({f"c{place}": list(column) for place, column in enumerate(zip(*rows, strict=True))})


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 10**9), st.integers(1, 3), st.integers(1, 70))
def test_the_audit_by_definition(seed, columns, rows):
    table = rows_of(random.Random(seed), columns, rows)
    classes = Counter(table)
    few = [one for one, people in classes.items() if people < 5]
    expected = DisclosureLevel.EXACT
    if few:
        expected = DisclosureLevel.BANDED if all(alibi(classes, one) for one in few) else DisclosureLevel.UNLABELLED
    assert find_disclosure(release_of(table).facts, 5).level is expected


LEAVES = {f"{column}{value}": 2 + value // 3 for column in "ab" for value in range(4)}  # of each value, how many
TREES = {
    f"c{place}": [
        (f"{value}.{leaf}", value, "*") for value in LEAVES if value[0] == letter for leaf in range(LEAVES[value])
    ]
    for place, letter in enumerate("ab")
}
KINDS = {"*": "marker"} | LEAVES | {f"{value}.{leaf}": "leaf" for value in LEAVES for leaf in range(LEAVES[value])}


def with_original(seed: int) -> list[tuple[Row, Row]]:
    """Return released rows, each with its original: some are suppressed, few have a leaf or the marker in a cell."""
    chance = random.Random(seed)
    lost, found = chance.choice((0, 0.1, 0.2)), []
    sizes = chance.choice(((0, 0, 2, 6, 9, 12, 20, 40), (1, 2, 4, 9, 12, 15), (0, 0, 1, 2, 11, 17, 18)))
    kept = chance.random() < 0.3  # the second column is released as it was
    for row in product(("a0", "a1", "a2", "a3"), ("b0", "b1", "b2", "b3")[: chance.randint(2, 4)]):
        first, second = leaves = tuple(f"{value}.{chance.randrange(LEAVES[value])}" for value in row)
        shown = (row[0], second if kept else row[1])
        found += [(("*", "*") if chance.random() < lost else shown, leaves) for _ in range(chance.choice(sizes))]
        odd = chance.choice((2, 6)) if chance.random() < 0.1 else 0
        found += [((chance.choice(("*", first)), shown[1]), leaves)] * odd
    return found or [(("a0", "b0"), ("a0.0", "b0.0"))]


def scores_tell(classes: Counter[Row], least: int) -> bool:
    """True if cells of a column are on different levels, or values are of several kinds, and few people have one."""
    for place in range(2):
        people = Counter[str]()
        for row, many in classes.items():
            people[row[place]] += many
        kinds = {KINDS[value] for value in people}
        levels = {kind if isinstance(kind, str) else "value" for kind in kinds}
        if len(levels) > 1 or (len(kinds) > 1 and min(people.values()) < least):
            return True
    return False


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 10**9), st.integers(2, 12))
def test_the_audit_with_an_original_and_hierarchies_by_definition(seed, least):
    released, original = zip(*with_original(seed), strict=True)
    tables = [dict(zip(TREES, map(list, zip(*rows, strict=True)), strict=True)) for rows in (released, original)]
    release = pw.Release(tables[0], original=tables[1], hierarchies=TREES)
    classes = Counter(row for row in released if row != ("*", "*"))
    before = []
    for place in range(2):
        values = {row[place] for row in classes}
        level = 2 if values & LEAVES.keys() else None  # so many letters has a value, or a leaf if all are leaves
        counted = Counter(row[place][:level] for row in original)
        before.append(Counter({value: counted[value] for value in values}))
    expected = DisclosureLevel.EXACT
    if min([*classes.values(), *filter(None, [released.count(("*", "*"))])]) < least:
        few = [one for one, people in classes.items() if people < least]
        innocent = not scores_tell(classes, least) and all(
            alibi(classes, one, least, original=before, kinds=KINDS) for one in few
        )
        expected = DisclosureLevel.BANDED if innocent else DisclosureLevel.UNLABELLED
    assert find_disclosure(release.facts, least).level is expected


def test_both_kinds_of_alibis_and_none_occur():
    """The random tables above are of every kind; an exchange is needed where no combination is free."""
    found = Counter()
    for seed in range(300):
        chance = random.Random(seed)
        classes = Counter(rows_of(chance, 2, 30))
        for one in classes:
            if classes[one] < 5:
                moves = alibi(classes, one)
                found[0 if moves is None else len(moves)] += 1
    assert found[0] > 100
    assert found[1] > 100
    assert found[3] > 0


def test_one_column_never_has_alibis():
    assert find_disclosure(release_of([("a",)] * 9 + [("b",)] * 2).facts, 5).level is DisclosureLevel.UNLABELLED


def test_few_suppressed_rows_are_a_small_crowd():
    release = pw.Release({"a": ["x"] * 9 + ["*"] * 3})
    assert find_disclosure(release.facts, 5).level is DisclosureLevel.BANDED
    assert find_disclosure(release.facts, 1).level is DisclosureLevel.FULL
    assert find_disclosure(pw.Release({"a": ["x"] * 9 + ["*"] * 5}).facts, 5).level is DisclosureLevel.EXACT


MIXED = [("31", "m")] * 12 + [("31", "f")] * 3 + [("3x", "m")] * 12  # the three could be at 3x just as well


def test_a_table_that_takes_too_long_is_told_without_labels(monkeypatch):
    assert find_disclosure(release_of(MIXED).facts, 5).level is DisclosureLevel.BANDED
    monkeypatch.setattr(level, "AFFORDABLE", 0)
    assert find_disclosure(release_of(MIXED).facts, 5).level is DisclosureLevel.UNLABELLED


FAR = {"00": 2, "01": 3, "10": 1, "11": 2, "12": 3, "20": 3, "21": 12}  # the classes 10 and 11 must change both columns


@pytest.mark.parametrize(("affordable", "telling"), [(42, DisclosureLevel.BANDED), (41, DisclosureLevel.UNLABELLED)])
def test_looking_two_columns_away_takes_longer(monkeypatch, affordable, telling):
    """For each of the two: nine pairs of values to go to, and six small classes to exchange with in two columns."""
    monkeypatch.setattr(level, "AFFORDABLE", affordable)
    table = [tuple(one) for one, people in FAR.items() for _ in range(people)]
    assert find_disclosure(release_of(table).facts, 5).level is telling


@pytest.mark.parametrize(
    ("table", "least", "telling"),
    [
        (
            {"01": 1, "02": 9, "10": 9, "20": 1, "21": 1, "22": 4},
            12,
            DisclosureLevel.UNLABELLED,
        ),  # a value would gain too many
        ({"00": 9, "11": 9}, 12, DisclosureLevel.BANDED),
        ({"01": 1, "10": 1}, 5, DisclosureLevel.BANDED),
        (
            {"01": 1, "02": 5, "03": 4, "10": 8, "12": 8, "13": 1},
            3,
            DisclosureLevel.UNLABELLED,
        ),  # a value would not occur
    ],
)
def test_exchanges_at_the_edges_of_bands(table, least, telling):
    classes = {tuple(one): people for one, people in table.items()}
    few = [one for one, people in classes.items() if people < least]
    assert all(alibi(classes, one, least) for one in few) is (telling is DisclosureLevel.BANDED)
    rows = [one for one, people in classes.items() for _ in range(people)]
    assert find_disclosure(release_of(rows).facts, least).level is telling


@pytest.mark.parametrize(
    ("telling", "names", "counts"),
    [
        ("everything", True, True),
        ("exact", True, True),
        ("bands", True, False),
        ("no_labels", False, False),
        ("public", False, False),
    ],
)
def test_what_may_stand_beside_values(telling, names, counts):
    allowed = Disclosure(5, DisclosureLevel(telling))
    assert (allowed.names_classes, allowed.shows_counts) == (names, counts)


def test_values_of_different_levels_are_no_alibi():
    """With a hierarchy, scores of levels would tell the two tables apart."""
    table = {"age": [age for age, _ in MIXED], "sex": [sex for _, sex in MIXED]}
    assert find_disclosure(pw.Release(table).facts, 5).level is DisclosureLevel.BANDED
    ages = [(f"{age}", f"{age // 10}x", "*") for age in range(30, 50)]
    assert find_disclosure(pw.Release(table, hierarchies={"age": ages}).facts, 5).level is DisclosureLevel.UNLABELLED


@pytest.mark.parametrize(
    ("count", "low", "high"),
    [(0, 0, 9), (9, 0, 9), (10, 10, 19), (20, 20, 49), (99, 50, 99), (100, 100, 199), (4999, 2000, 4999)],
)
def test_bands(count, low, high):
    assert CountBand.of(count) == CountBand(low, high)


@pytest.mark.parametrize(
    ("people", "text"), [(1, "fewer than 5"), (4, "fewer than 5"), (5, "5-9"), (9, "5-9"), (10, "10-19")]
)
def test_bands_of_people(people, text):
    assert str(CountBand.of_people(people)) == text
