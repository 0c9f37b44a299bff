"""The columns of the tables that are measured, which are those of Adult."""

from __future__ import annotations

from pathlib import Path

DATA = Path(__file__).parents[1] / "data"
DELIMITER = ";"
SENSITIVE = "occupation"
PERSON = "person"  # in tables whose people have several rows


def columns() -> list[str]:
    """Read the column names of Adult."""
    with (DATA / "adult.csv").open(encoding="ascii") as file:
        return file.readline().rstrip("\n").split(DELIMITER)


COLUMNS = columns()
KNOWN = [name for name in COLUMNS if name != SENSITIVE]
