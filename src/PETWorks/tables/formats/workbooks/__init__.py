"""Excel (.xlsx, .xls) and OpenDocument (.ods) workbooks.

calamine reads the cells. It reads error cells, and formulas whose value was not saved, as blank cells; so the sheet is
checked first, and such cells are errors that name their place.
"""

from pathlib import Path

from PETWorks.settings.sections import Reading
from PETWorks.tables.formats import FileFormat
from PETWorks.tables.source import TableSource


def _open(path: Path, name: str, reading: Reading) -> TableSource:
    from PETWorks.tables.formats.workbooks.sheets import WorkbookSource

    return WorkbookSource(path, reading.sheet, name)


FORMAT = FileFormat(
    name="a workbook or zip archive",
    open=_open,
    endings=(".xlsx", ".xls", ".ods"),
    kinds=("Excel", "OpenDocument"),
    starts=(b"PK\x03\x04", b"PK\x05\x06", b"\xd0\xcf\x11\xe0"),
)
