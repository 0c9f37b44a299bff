"""Find the row that names the columns, below titles, and rows with sums at the end, from the first and last lines."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from PETWorks.errors import PETWorksError
from PETWorks.settings.preparing import RowsOfFile
from PETWorks.settings.sections import Reading
from PETWorks.tables.decoding import TextFile
from PETWorks.tables.formats import find_format
from PETWorks.tables.records import DELIMITERS
from PETWorks.tables.source import ReadAgainError, looks_like_cell

LINES = 40  # that are looked at
BYTES = 2**16  # at the start, and at the end, of a text file
TOTALS = ("合計", "總計", "小計", "總和", "total", "totals", "sum", "grand total")


def find_rows(path: Path, reading: Reading) -> RowsOfFile:
    """Return which rows of a file seem to be the table; all of them unless the first and last lines are clear."""
    with suppress(PETWorksError, OSError, UnicodeDecodeError, csv.Error):
        with path.open("rb") as file:
            form = find_format(file.read(512), path.name).name
        if form == "CSV":
            return _judge(*_read_text_lines(path, reading))
        if "workbook" in form:
            return _judge(*_read_sheet_lines(path, reading))
    return RowsOfFile()


def _judge(first: Sequence[Sequence[str]], last: Sequence[Sequence[str]]) -> RowsOfFile:
    widths = Counter(len(_strip(cells)) for cells in first if len(_strip(cells)) > 1)
    if not widths:
        return RowsOfFile()
    width = max(widths, key=lambda one: (widths[one], one))
    header = next((place for place, cells in enumerate(first) if _names_columns(cells, width)), 0)
    sums = 0
    for cells in reversed(last):
        if not (filled := [cell for cell in cells if cell.strip()]):
            continue
        if filled[0].strip().casefold().rstrip(":：") not in TOTALS:
            break
        sums += 1
    return RowsOfFile(header_row=header + 1, skip_last=sums)


def _strip(cells: Sequence[str]) -> list[str]:
    """Return the cells without trailing blank ones."""
    filled = [place for place, cell in enumerate(cells, 1) if cell.strip()]
    return list(cells[: filled[-1]]) if filled else []


def _names_columns(cells: Sequence[str], width: int) -> bool:
    names = [cell.strip() for cell in _strip(cells)]
    return len(names) >= width and all(names) and len({*names}) == len(names) and not any(map(looks_like_cell, names))


def _read_text_lines(path: Path, reading: Reading) -> tuple[list[list[str]], list[list[str]]]:
    file = TextFile(path, reading.encoding)
    while True:
        try:
            start = next(file.blocks(BYTES), b"").decode(errors="ignore")
            break
        except ReadAgainError:
            continue
    lines = start.splitlines()[:LINES]
    marks = [reading.delimiter] if reading.delimiter else DELIMITERS
    delimiter = max(marks, key=lambda mark: sum(mark in line for line in lines))
    with path.open("rb") as raw:
        raw.seek(max(0, path.stat().st_size - BYTES))
        end = raw.read().decode(file.encoding, errors="ignore").splitlines()[-5:]
    return [list(csv.reader(io.StringIO("\n".join(some)), delimiter=delimiter)) for some in (lines, end)]  # type: ignore[return-value]


def _read_sheet_lines(path: Path, reading: Reading) -> tuple[list[list[str]], list[list[str]]]:
    from python_calamine import CalamineWorkbook

    from PETWorks.tables.formats.workbooks.sheets import require_sheet_size

    require_sheet_size(path, reading.sheet)  # all of it is read, and it may be anybody's
    with CalamineWorkbook.from_path(str(path)) as book:
        sheet = book.get_sheet_by_name(reading.sheet or book.sheet_names[0])
        rows = [[str(cell) for cell in row] for row in sheet.to_python(skip_empty_area=False)]
    return rows[:LINES], rows[-5:]
