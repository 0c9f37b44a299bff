"""Measures of releases whose rows do not pair have the same results on Spark."""

from __future__ import annotations

import random

import PETWorks as pw
from tables.spark.on_spark import to_spark


def draw(seed, rows):
    chance = random.Random(seed)
    return {
        "sex": [chance.choice("FM") for _ in range(rows)],
        "zip": [chance.choice(["100", "106", "110", None]) for _ in range(rows)],
        "age": [str(chance.randint(20, 60)) for _ in range(rows)],
        "ill": [chance.choice(["flu", "cold"]) for _ in range(rows)],
    }


ASKED = [
    *(pw.ExactCopies(), pw.ReplicatedUniques(bins={"age": 4}), pw.AttributeDisclosure(), pw.MembershipRisk()),
    *(pw.Linkability(first=["sex", "zip"], second=["ill"]), pw.MarginDistance(), pw.TransferAccuracy()),
    pw.RegressionOverlap("age ~ 1"),
    pw.PramOdds(matrix={"flu": {"flu": "0.9", "cold": "0.1"}, "cold": {"flu": "0.2", "cold": "0.8"}}),
]


def test_measures_agree(spark):
    tables = draw(1, 40), draw(2, 50), draw(3, 30)
    roles = {"quasi_identifiers": ["sex", "zip", "age"], "sensitive": ["ill"], "synthetic": True}

    def answer(release, original, holdout):
        made = pw.Release(release, original=original, holdout=holdout, **roles)
        return [made.ask(measure).to_dict() for measure in ASKED]

    assert answer(*(to_spark(spark, table) for table in tables)) == answer(*tables)
