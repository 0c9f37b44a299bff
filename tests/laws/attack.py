"""The attacker of small classes as a fuzzer: one random table for each seed."""

from __future__ import annotations

from laws.test_small_classes import attacked, release_of, rows_of


def attack(seed: int) -> str:
    """Return how many small classes the attacker works out from the report of a random table; "" if none."""
    original = seed % 2 == 1
    pinned = attacked(release_of(rows_of(seed, original=original), original=original)).count(True)
    return f"{pinned} small classes follow from the report" if pinned else ""
