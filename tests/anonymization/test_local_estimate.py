"""What local recoding would keep is told beside a release with one level for each column, and it is true."""

import random

import pytest

import PETWorks as pw
from PETWorks.anonymization import front

AGES = [(str(age), f"{age // 10 * 10}s", "young" if age < 40 else "old", "*") for age in range(20, 60)]
PLACES = [("Ulm", "north", "*"), ("Bern", "north", "*"), ("Como", "south", "*")]


def made(seed=3, rows=200, goals=pw.KAnonymity(4), **asked):
    chance = random.Random(seed)
    people = {
        "age": [str(min(59, int(chance.expovariate(0.2)) + 20)) for _ in range(rows)],
        "place": [chance.choice(["Ulm", "Bern", "Bern", "Como"]) for _ in range(rows)],
        "ill": [chance.choice(["flu", "cold", "cough"]) for _ in range(rows)],
    }
    roles = {"quasi_identifiers": ["age", "place"], "sensitive": ["ill"]}
    return pw.anonymize(people, goals=goals, hierarchies={"age": AGES, "place": PLACES}, **roles, **asked)


@pytest.mark.parametrize(
    "asked", [{}, {"utility": "loss"}, {"weights": {"age": "1/2"}}, {"finest": {"age": 1}}], ids=str
)
@pytest.mark.parametrize("seed", range(3))
def test_local_recoding_is_at_least_as_good_as_told(seed, asked):
    one, local = made(seed, **asked), made(seed, recoding="local", **asked)
    told = one.local_estimate
    assert told is not None
    if "utility" in asked:
        assert local.worth <= told < one.worth
    else:
        assert one.worth < told <= local.worth
    assert made(seed, **asked).local_estimate == told
    for language, words in (("en", 'recoding="local"'), ("zh_TW", "局部概化")):
        last = str(one.explain(language)).replace("\n", " ")
        assert words in last
        assert f"{told:.2f}" in last


@pytest.mark.parametrize(
    "asked",
    [
        {"levels": {"age": 2}},
        {"recoding": "local"},
        {"utility": pw.AECS()},
        {"goals": pw.KAnonymity(1)},
    ],
    ids=str,
)
def test_nothing_is_told_where_it_is_not_better_or_not_possible(asked):
    one = made(**asked)
    assert one.local_estimate is None
    assert 'recoding="local"' not in str(one.explain())


def test_nothing_is_told_of_a_large_table(monkeypatch):
    monkeypatch.setattr(front, "MAX_COMBINATIONS", 5)
    assert made().local_estimate is None
