"""The best level vector with a population equals its definition: levels are known while a release is made."""

from __future__ import annotations

import random

import pytest

import PETWorks as pw
from oracle.naive_population_making import find_best, measure_loss
from PETWorks.errors import GoalError

TREES = {
    "age": [(str(age), f"{age // 4 * 4}+", "any") for age in range(20, 32)],
    "odd": [("x", "x", "*"), ("y", "z", "*"), ("z", "z", "*")],  # "z" is on two levels
    "low": [("a", "b", "c"), ("b", "b", "c"), ("c", "c", "c")],  # the top is on all levels
    "mid": [("p", "r", "s", "*"), ("q", "r", "s", "*"), ("r", "t", "s", "*"), ("s", "t", "s", "*")],
}


def draw(seed):
    chance = random.Random(seed)
    names = [name for name in TREES if chance.random() < 0.6] or ["odd"]
    leaves = {name: [row[0] for row in TREES[name]][: chance.choice([2, 3, 12])] for name in names}
    everybody = [{name: chance.choice(leaves[name]) for name in names} for _ in range(chance.choice([8, 20, 40]))]
    sample = chance.sample(everybody, chance.randint(2, len(everybody) // 2 + 1))
    if seed % 4 == 0:  # the population has somebody's values wrong, so that some vectors cannot be read
        wrong = chance.choice(everybody)
        everybody = [{**one} for one in everybody if one is not wrong] + [{n: chance.choice(leaves[n]) for n in names}]
    return chance, names, sample, everybody


def as_columns(rows, names):
    return {name: [row[name] for row in rows] for name in names}


@pytest.mark.parametrize("seed", range(160))
def test_is_the_best_of_all_that_can_be_read(seed):
    chance, names, sample, everybody = draw(seed)
    size, least = chance.choice([1, 2, 3]), chance.choice([1, 2, 4])
    most = chance.choice(["1/2", "0.8", 1])
    goals, holds = chance.choice(
        [
            ([pw.KAnonymity(size), pw.KMap(least)], lambda rows, people: rows >= size and people >= least),
            (
                [pw.DeltaPresence(d_min=0, d_max=most)],
                lambda rows, people: rows <= float(most if most != "1/2" else 0.5) * people,
            ),
        ]
    )
    rate = chance.choice([0, 1 / 3, "0.5", 1])
    allowed = {0: 0, 1 / 3: len(sample) // 3, "0.5": len(sample) // 2, 1: len(sample)}[rate]
    trees = {name: TREES[name] for name in names}
    expected = find_best(sample, everybody, trees, holds, allowed)
    asked = {"hierarchies": trees, "quasi_identifiers": names, "population": as_columns(everybody, names)}
    asked |= {"goals": goals, "suppress_at_most": rate, "suppressed_rows": "remove"}
    if expected is None:
        with pytest.raises(GoalError, match="no level vector meets the goals"):
            pw.anonymize(as_columns(sample, names), **asked)
        return
    loss, gone, levels = expected
    made = pw.anonymize(as_columns(sample, names), **asked)
    assert made.proven
    assert (tuple(made.levels.values()), made.suppressed) == (levels, gone)
    assert measure_loss(sample, trees, levels, holds, everybody) == loss
    if gone < len(sample):
        assert made.release.check(*goals).requirements_hold is True
    fixed = pw.anonymize(as_columns(sample, names), **asked, levels=made.levels)
    assert fixed.proven  # searches all vectors again


def test_a_population_that_lacks_people_is_named():
    asked = {
        "quasi_identifiers": ["odd"],
        "hierarchies": {"odd": TREES["odd"]},
        "goals": [pw.KMap(2), pw.KAnonymity(3)],
    }
    with pytest.raises(
        GoalError, match="at other vectors, 1 class has fewer rows in the population than in the release"
    ):
        pw.anonymize({"odd": ["x", "x"]}, **asked, population={"odd": ["y", "x"]})
