"""Random CSV bytes: the tally must be what Python's csv module reads from the text, or an error of PETWorks.

Stated differences: blanks around cells are cut, a blank line is a row only in a one-column table and not at the end,
a bare CR and text after a closing quote are errors, and so are ragged rows.
"""

from __future__ import annotations

import csv
import io
import tempfile
from collections import Counter
from pathlib import Path
from random import Random

from PETWorks.errors import PETWorksError
from PETWorks.tables.opening import open_source

PIECES = [
    "a",
    "b",
    "1",
    "高雄",
    " ",
    "\u3000",
    ";",
    ";",
    ";",
    ",",
    '"',
    '""',
    "\n",
    "\n",
    "\r\n",
    "\t",
    "|",
    "é",
    "*",
    "\ufeff",
]
FOLDER = Path(tempfile.mkdtemp(prefix="petworks-fuzz-"))


def case(seed: int) -> str:
    """Compare one file."""
    chance = Random(seed)
    header = ";".join(f"c{number}" for number in range(chance.randint(1, 4)))
    rows = [_row(chance, header.count(";") + 1) for _ in range(chance.randint(1, 6))]
    content = chance.choice(["\n", "\r\n"]).join([header, *rows]).encode(chance.choice(["utf-8", "utf-8-sig", "utf-8"]))
    if chance.random() < 0.2:
        place = chance.randrange(len(content))
        content = content[:place] + bytes([chance.randrange(256)]) + content[place + chance.randint(0, 1) :]
    path = FOLDER / "table.csv"
    path.write_bytes(content)
    try:
        source = open_source(path, "t", ";")
        found = Counter(dict(source.tally(source.columns).items()))
    except PETWorksError:
        return ""
    if len(source.columns) == 1 and b'"' in content:  # csv does not tell a blank line from a quoted blank
        return ""
    expected = _expected(content, source.encoding or "utf-8")
    return "" if found == expected else f"{content!r}: {found} instead of {expected}"


def _row(chance: Random, width: int) -> str:
    if chance.random() < 0.3:
        return "".join(chance.choices(PIECES, k=chance.randint(0, 8)))
    cells = ["".join(chance.choices([one for one in PIECES if one not in (";", '"')], k=2)) for _ in range(width)]
    return ";".join(f'"{cell}"' if "\n" in cell or chance.random() < 0.3 else cell for cell in cells)


def _expected(content: bytes, encoding: str) -> Counter[tuple[str | None, ...]]:
    text = content.decode(encoding).removeprefix("\ufeff")
    _, *rows = csv.reader(io.StringIO(text, newline=""), delimiter=";", skipinitialspace=True, strict=True)
    width = len(_)
    blank = [number for number, row in enumerate(rows) if len(row) <= 1 and not "".join(row).strip()]
    while width == 1 and blank and blank[-1] == len(rows) - 1:
        rows.pop(blank.pop())
    kept = rows if width == 1 else [row for row in rows if len(row) > 1]
    return Counter(tuple(cell.strip() or None for cell in row or [""]) for row in kept)
