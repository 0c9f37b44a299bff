"""How many random tables the attackers try: ``PETWORKS_ATTACKS=10`` stands for ten times as many as usual."""

import os

TIMES = int(os.environ.get("PETWORKS_ATTACKS", "1"))


def attack_seeds(cases: int, first: int = 0) -> range:
    """Return the seeds of the tables that an attacker tries."""
    return range(first, first + cases * TIMES)
