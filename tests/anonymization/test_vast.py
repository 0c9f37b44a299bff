"""Lattices of so many level vectors that no array holds them: the best that was found, with a bound, not proven."""

import random
from itertools import product

import pytest

import PETWorks as pw
from PETWorks.anonymization import search
from PETWorks.anonymization import search as vast
from PETWorks.errors import GoalError

YEARS = [(str(year), f"{year // 2 * 2}+", f"{year // 4 * 4}++", "*") for year in range(8)]


def asked(seed, columns, rows):
    chance = random.Random(seed)
    table = {f"c{number}": [str(chance.randrange(8)) for _ in range(rows)] for number in range(columns)}
    about = {"quasi_identifiers": list(table), "hierarchies": dict.fromkeys(table, YEARS), "utility": "loss"}
    return table, about


@pytest.mark.parametrize(("seed", "rate"), list(product(range(6), ["0", "20%"])))
def test_what_is_found_is_a_release_and_the_bound_is_below_the_best(monkeypatch, seed, rate):
    table, about = asked(seed, 4, 60)
    best = pw.anonymize(table, **about, goals=pw.KAnonymity(3), suppress_at_most=rate)
    monkeypatch.setattr(vast, "MAX_ARRAY_VECTORS", 0)
    found = pw.anonymize(table, **about, goals=pw.KAnonymity(3), suppress_at_most=rate)
    assert (best.proven, found.proven) == (True, False)
    assert found.bound <= best.loss <= found.loss
    assert found.release.ask(pw.KAnonymity(3)).holds
    assert found.outcome.proof.open > 0


def test_more_vectors_than_memory_has_bytes(monkeypatch):
    monkeypatch.setattr(search, "CLIMB_BUDGET", 50)
    table, about = asked(1, 24, 40)
    made = pw.anonymize(table, **about, goals=pw.KAnonymity(5))
    assert made.outcome.proof.vectors == 4**24
    assert made.release.ask(pw.KAnonymity(5)).holds
    assert "Not proven" in str(made)


def test_goals_that_cannot_be_met():
    table, about = asked(1, 24, 40)
    with pytest.raises(GoalError, match="no level vector among those that were tried in time meets the goals"):
        pw.anonymize(table, **about, goals=pw.KAnonymity(41))
