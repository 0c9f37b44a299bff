"""A raw table to try the application with: Adult, with a made-up number for each person, and some hierarchies."""

from __future__ import annotations

import random
from pathlib import Path

from PETWorks.demo.folder import data_folder
from PETWorks.render.atomic_write import write_whole

TABLE, FOLDER = "adult.csv", "hierarchies"
NUMBER = "record-number"
GIVEN = ("sex", "race", "marital-status", "education", "native-country")  # the hierarchy of age is left to be built
SEED = 1994  # of the census


def write_raw(folder: Path) -> dict[str, str]:
    """Write the table and the hierarchies; return the files of hierarchies, relative to the folder, by column."""
    data = data_folder()
    (folder / FOLDER).mkdir(parents=True, exist_ok=True)
    header, *rows = (data / TABLE).read_text(encoding="utf-8").splitlines()
    numbers = random.Random(SEED).sample(range(100_000, 1_000_000), len(rows))  # noqa: S311 (they protect nothing)
    lines = [f"{NUMBER};{header}", *(f"C{number};{row}" for number, row in zip(numbers, rows, strict=True))]
    write_whole(folder / TABLE, "\n".join(lines) + "\n")
    files = {name: f"{FOLDER}/{name}.csv" for name in GIVEN}
    for name, file in files.items():
        write_whole(
            folder / file, (data / "adult_hierarchy" / f"adult_hierarchy_{name}.csv").read_text(encoding="utf-8")
        )
    return files
