"""A small project whose policy has all that it needs, for the last screens of the application."""

from __future__ import annotations

import random
import tomllib
from pathlib import Path
from typing import Any

POLICY = """
version = 1
title = "people"

[data]
original = "people.csv"
released = "released.csv"

[roles]
identifiers = ["id"]
quasi_identifiers = ["age", "sex"]
sensitive = ["disease"]
insensitive = ["club"]

[hierarchies.age]
intervals = [5, 10, 20]
bottom = 20
top = 60

[[require]]
measure = "k-anonymity"
k = 5
why = "the agreement"

[[require]]
measure = "l-diversity"
l = 2

[anonymize]
suppress_at_most = "10%"
"""
PINS = """
[[anonymize.pinned]]
name = "A"
levels = { age = 2, sex = 0 }

[[anonymize.pinned]]
name = "B"
levels = { age = 1, sex = 1 }
"""
COLUMNS = ("id", "age", "sex", "disease", "club")


def people(rows: int = 400, seed: int = 9) -> list[tuple[str, ...]]:
    """Return people at random, the same for each seed."""
    draw = random.Random(seed)
    return [
        (
            f"P{number:05}",
            str(20 + int(40 * draw.random() ** 10)),
            draw.choice("fm"),
            draw.choice(["flu", "cold", "asthma"]),
            draw.choice("abcdefgh"),
        )
        for number in range(rows)
    ]


def project(folder: Path, more: str = "", policy: str = POLICY) -> Path:
    """Write the table and the policy; return the policy."""
    lines = [",".join(COLUMNS), *map(",".join, people())]
    (folder / "people.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "policy.toml").write_text(policy + more, encoding="utf-8")
    return folder / "policy.toml"


def policy_of(folder: Path) -> dict[str, Any]:
    """Read the policy; decimal numbers stay text."""
    return tomllib.loads((folder / "policy.toml").read_text("utf-8"), parse_float=str)
