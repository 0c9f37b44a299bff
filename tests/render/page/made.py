"""Releases that were made, for tests of the section on how, and of the page of the front."""

from __future__ import annotations

import random
from functools import cache

import PETWorks as pw

AGES = [(str(age), f"{age // 10}0s", "young" if age < 40 else "old", "*") for age in range(20, 60)]
PLACES = [("Ulm", "north", "*"), ("Bern", "north", "*"), ("Como", "south", "*")]


def table(rows: int = 300, seed: int = 3) -> dict[str, list[str]]:
    """Return people, some of whom are rare."""
    chance = random.Random(seed)
    return {
        "age": [str(min(59, 20 + int(chance.expovariate(0.12)))) for _ in range(rows)],
        "place": chance.choices([place for place, *_ in PLACES], [6, 3, 1], k=rows),
        "illness": chance.choices(["flu", "hiv", "ulcer"], k=rows),
    }


@cache
def made(kind: str = "global") -> pw.AnonymizedTable:
    """Make a release of some kind."""
    asked = {
        "global": {"suppress_at_most": "5%"},
        "loss": {"suppress_at_most": "5%", "utility": "loss"},
        "weighted": {"weights": {"age": "1/2"}},
        "small": {"goals": [pw.KAnonymity(2)]},
        "one column": {"quasi_identifiers": ["age"], "goals": [pw.KAnonymity(2)], "suppress_at_most": "1%"},
        "nothing left": {"goals": [pw.KAnonymity(299)], "coarsest": {"age": 0, "place": 0}, "suppress_at_most": 1},
        "local": {"recoding": "local", "suppress_at_most": "5%"},
        "means": {"recoding": "microaggregate", "quasi_identifiers": ["age"], "hierarchies": None},
        "removed": {"suppressed_rows": "remove", "order": "shuffled", "suppress_at_most": "5%"},
        "population": {"goals": [pw.KMap(20)], "population": {name: table()[name] * 3 for name in table()}},
    }[kind]
    given = {"quasi_identifiers": ["age", "place"], "sensitive": ["illness"], "the_rest": "insensitive"}
    trees = {"age": AGES, "place": PLACES}
    return pw.anonymize(table(), **{"goals": [pw.KAnonymity(5)], "hierarchies": trees, **given, **asked})


KINDS = ("global", "loss", "weighted", "small", "one column", "nothing left", "local", "means", "removed", "population")


def evaluation(kind: str) -> pw.Evaluation:
    """Judge such a release."""
    one = made(kind)
    return one.release.check(*one.plan.goals)
