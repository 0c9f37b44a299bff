"""Excel (.xlsx, .xls) and OpenDocument (.ods) workbooks.

calamine reads the cells. It reads error cells, and formulas whose value was not saved, as blank cells; so the sheet is
checked first, and such cells are errors that name their place.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING

from PETWorks.settings.preparing import RowsOfFile
from PETWorks.settings.sections import Reading
from PETWorks.tables.formats import FileFormat
from PETWorks.tables.source import TableSource

if TYPE_CHECKING:
    import pyarrow as pa

    from PETWorks.tables.rewriting.cells import Rewriting


def _open(path: Path, name: str, reading: Reading, rows: RowsOfFile | None = None) -> TableSource:
    from PETWorks.tables.formats.workbooks.sheets import WorkbookSource

    return WorkbookSource(path, reading.sheet, name, rows)


def _write(rewriting: Rewriting, rows: Iterator[pa.RecordBatch], file: IO[bytes]) -> None:
    from PETWorks.tables.formats.workbooks.writing import write_workbook

    write_workbook(rewriting, rows, file)


FORMAT = FileFormat(
    name="a workbook or zip archive",
    open=_open,
    open_rows=_open,
    endings=(".xlsx", ".xls", ".ods"),
    kinds=("Excel", "OpenDocument"),
    starts=(b"PK\x03\x04", b"PK\x05\x06", b"\xd0\xcf\x11\xe0"),
    write={".xlsx": _write},
)
