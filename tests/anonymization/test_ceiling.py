"""No local recoding exceeds its ceiling: all those that would are tried, on small tables."""

import random
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

import PETWorks as pw
from anonymization.test_local import adult, losses_of, table
from anonymization.test_table import HIERARCHIES, raw_table
from PETWorks.anonymization.local.recode import bound_loss
from PETWorks.anonymization.plan import read_search
from PETWorks.anonymization.table import RawTable

AGES = [("1", "1-2", "*"), ("2", "1-2", "*"), ("3", "3-4", "*"), ("4", "3-4", "*")]
ODD = [("x", "y", "*"), ("y", "z", "*"), ("z", "z", "*")]  # "y" and "z" are on two levels, for different values
GOALS = [
    [pw.KAnonymity(3)],
    [pw.LDiversity(2)],
    [pw.LDiversity("2.2", variant="entropy")],
    [pw.LDiversity(2, c=1, variant="recursive")],
    [pw.TCloseness("0.3", distance="equal")],
    [pw.TCloseness("0.2", distance="ordered", order=["a", "b", "c", "*"])],
    [pw.AlphaKAnonymity(alpha="0.6", k=2)],
    [pw.BetaLikeness("1/2")],
    [pw.DeltaDisclosure("1/2", absent="count")],
    [pw.PSensitiveKAnonymity(p=2, k=3)],
    [pw.Profitability(cost=10, gain=30, loss=100, benefit=60)],
    [pw.KAnonymity(2), pw.TCloseness("0.4", distance="equal"), pw.ReidentificationRisk(average="0.4")],
]


def small(seed):
    """Return a table with few combinations of quasi-identifiers, and its hierarchies."""
    chance = random.Random(seed)
    trees = chance.choice([{"age": AGES}, {"odd": ODD}, {"age": AGES, "odd": ODD}])
    many = 4 if len(trees) == 1 else 3
    known = list(product(*([line[0] for line in tree] for tree in trees.values())))
    chosen = chance.sample(known, min(many, len(known)))
    rows = [one for one in chosen for _ in range(chance.randint(1, 3))]
    table = {name: [row[place] for row in rows] for place, name in enumerate(trees)}
    table["ill"] = [chance.choice(["a", "a", "b", "c", *["*"] * (seed % 5 == 0)]) for _ in rows]
    return table, trees


def raw_of(table, trees):
    facts = pw.Release(table, original=table, hierarchies=trees, quasi_identifiers=list(trees), sensitive=["ill"]).facts
    return RawTable.of(facts)


def recodings(original):
    """Yield the levels and suppressed combinations of every local recoding."""
    heights = [range(ladder.height + 1) for ladder in original.ladders]
    for chosen in product([*product(*heights), None], repeat=len(original.counts)):
        gone = np.array([one is None for one in chosen])
        yield [np.array([one[place] if one else 0 for one in chosen]) for place in range(len(heights))], gone


def holds(original, goals, levels, gone, *, removes):
    """Return True if a recoding meets the goals; suppressed rows may be removed."""
    labels = original.look_up_labels(levels)
    facts = original.build_facts_from_labels(labels, gone)
    gone = facts.combination_labels.suppressed
    if removes and not gone.all():
        facts = original.select(~gone).build_facts_from_labels([codes[~gone] for codes in labels])
    return all(goal.evaluate(facts).holds is not False for goal in goals)


@pytest.mark.parametrize("goals", GOALS, ids=lambda goals: " ".join(goal.name for goal in goals))
def test_what_loses_less_than_the_ceiling_does_not_hold(goals):
    refuted = 0
    for seed in random.Random(goals[0].name).sample(range(1000), 6):
        original = raw_of(*small(seed))
        removes, geometric = seed % 3 == 0, seed % 2 == 0
        losses = losses_of(original, age=Fraction(1, 2), geometric=geometric)
        privacy = [goal for goal in goals if goal.family == "privacy"]
        ranges = read_search(goals).ranges(original.ladders)
        least = bound_loss(original, privacy, losses.additive, ranges, fixed=not removes)
        for levels, gone in recodings(original):
            lost = losses.compute_total(losses.compute_means(original, levels, gone))
            if (np.log1p(lost) if geometric else lost) < least:
                assert not holds(original, goals, levels, gone, removes=removes), (seed, levels, gone)
                refuted += 1
    assert refuted


def test_ceiling_of_a_large_lattice_is_the_sum_over_groups_of_columns(monkeypatch):
    original = raw_table(table(3))
    losses, ranges = losses_of(original), read_search(pw.KAnonymity(4)).ranges(original.ladders)

    def ceiling():
        return bound_loss(original, [pw.KAnonymity(4)], losses, ranges, fixed=True)

    whole = ceiling()
    monkeypatch.setattr("PETWorks.anonymization.local.recode.MAX_LOOKED_AT", 12 * len(original.counts))
    assert 0 < ceiling() < whole


@pytest.mark.parametrize("recoding", ["local", "global"])
def test_weighted_columns_are_told_with_their_bound(recoding):
    made = pw.anonymize(
        {name: cells for name, cells in table(3).items() if name in HIERARCHIES},
        quasi_identifiers=list(HIERARCHIES),
        hierarchies=HIERARCHIES,
        goals=pw.KAnonymity(4),
        weights={"age": "1/4"},
        recoding=recoding,
    )
    assert made.weighted
    assert made.worth != pytest.approx(made.utility.value)
    assert made.worth <= made.bound + 1e-9


def test_ceiling_is_told():
    made = pw.anonymize(
        table(3),
        quasi_identifiers=list(HIERARCHIES),
        sensitive=["ill", "pay"],
        hierarchies=HIERARCHIES,
        goals=pw.KAnonymity(4),
        recoding="local",
    )
    assert made.utility.value < made.bound < 1
    assert f"No other has a utility above {made.bound + 5e-5:.4f}" in str(made.explain())
    assert "皆不超過" in str(made.explain("zh_TW"))


def test_ceiling_of_adult():
    """The figure that a first implementation had."""
    raw = adult("occupation")
    goals, losses = [pw.KAnonymity(5), pw.TCloseness("0.3", distance="equal")], losses_of(raw)
    least = bound_loss(raw, goals, losses, read_search(goals).ranges(raw.ladders), fixed=True)
    assert 1 - least / losses.suppressed.sum() == pytest.approx(0.9504, abs=5e-5)
