"""The attacker of small classes as a fuzzer: one random table for each seed."""

from __future__ import annotations

from laws.test_small_classes import attacked, release_of, rows_of


def attack(seed: int) -> str:
    """Return what the attacker works out from the report of a random table; "" if nothing."""
    original = seed % 2 == 1
    _, pinned = attacked(release_of(rows_of(seed, original=original), original=original))
    return f"pinned: {pinned}" if pinned else ""
