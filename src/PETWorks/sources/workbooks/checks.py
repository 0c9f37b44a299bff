"""What is looked for in a sheet before its cells are read: cells that have no value of their own, and its size.

>>> cell_name(6, 1), cell_name(0, 26), cell_name(0, 701)
('B7', 'AA1', 'ZZ1')
>>> place_of("B7"), place_of("$ZZ$1")
((6, 1), (0, 701))
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from PETWorks.errors import MalformedError, SourceError

MOST_CELLS = 50_000_000  # of the used area; all of it is held in memory, at about 60 bytes a cell while it is read
LISTED = 5  # most cells that an error names
ALPHABET = 26

Place = tuple[int, int]  # row and column, counted from 0
PROBLEMS = {
    "error": ("an error value such as #N/A", "correct the formula, or clear the cell if the value is missing"),
    "formula": ("a formula whose value was not saved", "open the workbook in Excel or LibreOffice, and save it"),
    "merged": ("merged cells", "unmerge them, and fill in every cell"),
}


def cell_name(row: int, column: int) -> str:
    """Return the name of a cell, as Excel shows it."""
    letters, rest = "", column + 1
    while rest:
        rest, letter = divmod(rest - 1, ALPHABET)
        letters = chr(ord("A") + letter) + letters
    return f"{letters}{row + 1}"


def place_of(name: str) -> Place | None:
    """Return the place of a cell by its name; None for a name that is none."""
    if not (parts := re.fullmatch(r"\$?([A-Za-z]{1,3})\$?([0-9]{1,7})", name)):
        return None
    column = 0
    for letter in parts[1].upper():
        column = column * ALPHABET + ord(letter) - ord("A") + 1
    return int(parts[2]) - 1, column - 1


@dataclass
class Checks:
    """Cells of a sheet that have no value of their own, and the corners of the area that is used."""

    found: dict[str, list[str]] = field(default_factory=dict)  # by kind of problem, the first cells
    counts: dict[str, int] = field(default_factory=dict)
    first: Place | None = None
    last: Place = (0, 0)

    def use(self, row: int, column: int, rows: int = 1, columns: int = 1) -> None:
        """Extend the used area by some cells."""
        if rows == columns == 1 and self.first and self.first[1] <= column <= self.last[1] and row == self.last[0]:
            return  # the next cell of a row, in most cases
        top, left = self.first or (row, column)
        self.first = min(top, row), min(left, column)
        self.last = max(self.last[0], row + rows - 1), max(self.last[1], column + columns - 1)

    def add(self, kind: str, row: int, column: int, end: Place | None = None) -> None:
        """Add a cell, or an area, that has a problem."""
        self.counts[kind] = self.counts.get(kind, 0) + 1
        if len(listed := self.found.setdefault(kind, [])) < LISTED:
            listed.append(cell_name(row, column) + (f":{cell_name(*end)}" if end else ""))

    def add_merged(self, ranges: Sequence[tuple[Place, Place]]) -> None:
        """Add the merged areas that lie within the used area."""
        for (top, left), end in ranges:
            if self.first and top <= self.last[0] and left <= self.last[1]:
                self.add("merged", top, left, end)

    def require_size(self, where: str) -> None:
        """Raise an error if the used area is too large to be read."""
        if self.first is None:
            return
        cells = (self.last[0] - self.first[0] + 1) * (self.last[1] - self.first[1] + 1)
        if cells > MOST_CELLS:
            problem = f"the sheet has {cells:,} cells, from {cell_name(*self.first)} to {cell_name(*self.last)}"
            hint = f"at most {MOST_CELLS:,} are read; delete what is outside the table, or save it as CSV or Parquet"
            raise SourceError(problem, where=where, hint=hint)

    def require_values(self, where: str) -> None:
        """Raise an error if a cell has no value of its own."""
        for kind, listed in self.found.items():
            what, hint = PROBLEMS[kind]
            more = f" and {self.counts[kind] - len(listed):,} more" if self.counts[kind] > len(listed) else ""
            raise MalformedError(f"{what}: {', '.join(listed)}{more}", where=where, hint=hint)
