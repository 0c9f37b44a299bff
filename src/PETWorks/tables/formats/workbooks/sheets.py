"""Read the rows of a sheet."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import date, datetime, time
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PETWorks.errors import CellText, MalformedError, SourceError, UnknownNameError, did_you_mean, list_quoted
from PETWorks.progress import report_share
from PETWorks.settings.preparing import RowsOfFile
from PETWorks.tables.counting.count import Batch
from PETWorks.tables.counting.tally import Coded, Value
from PETWorks.tables.counting.texts import integer_array, text_array
from PETWorks.tables.formats.workbooks.checks import (
    CONTENT,
    SAVE_AGAIN_HINT,
    WORKBOOK,
    Archive,
    SheetChecks,
    check_ods,
    check_xls,
    check_xlsx,
    write_cell_name,
)
from PETWorks.tables.source import TableSource, check_column_names
from PETWorks.tables.text_form import encode_cells

if TYPE_CHECKING:
    import pyarrow as pa
    from python_calamine import CalamineWorkbook

BATCH_ROWS = 2**16  # rows that are coded at a time
BINARY_WORKBOOK = "xl/workbook.bin"
RELEASE_SHEET, COLUMNS_SHEET = "release", "columns"  # of a workbook that PETWorks wrote
WRITTEN_SHEETS = [RELEASE_SHEET, COLUMNS_SHEET]


class WorkbookSource(TableSource):
    """A sheet. It is read when it is opened; then only codes and the distinct values of each column stay in memory."""

    read_with = ("sheet",)
    has_first_line = True

    def __init__(self, path: Path, sheet: str | None, name: str, table: RowsOfFile | None = None) -> None:
        self.name, table = name, table or RowsOfFile()
        self._file = path
        archive = None if _is_old(path) else Archive(path, name)
        if archive:
            _require_workbook(archive)
            archive.require_size()
        with _translate_errors(name), _import_calamine().load_workbook(path) as book:
            self.sheet = _choose_sheet(book, sheet, name)
            where = f"{name}, sheet {self.sheet}"
            checks = _check_sheet(path, archive, book.sheet_names.index(self.sheet), self.sheet, name)
            checks.require_size(where)
            cells = book.get_sheet_by_name(self.sheet)
            if cells.start is None or cells.end is None:
                raise MalformedError("the sheet is empty", where=where, hint="name another with sheet=", figures={})
            checks.extend_area(*cells.start)
            checks.extend_area(*cells.end)
            top, left = cells.start
            top = max(top, table.header_row - 1)
            checks.add_merged([area for area in cells.merged_cell_ranges or () if area[1][0] >= top])
            checks.require_values(where)
            rows = islice(cells.iter_rows(), top, None)
            if table.names:
                head, self.has_first_line = list[Any](table.names), False
            elif not (head := next(rows, [])):
                problem = f"there is no row {table.header_row} that could name the columns"
                raise MalformedError(problem, where=where, hint="leave out header_row, or name the row")
            self.columns = check_column_names(head, f"{where}, row {top + 1}, from {write_cell_name(top, left)}")
            if len(self.columns) != cells.end[1] - left + 1:
                figures = {"names": len(self.columns), "columns": cells.end[1] - left + 1}
                hint = "name all of them, and delete what is outside the table"
                raise MalformedError("{names} names for {columns} columns", where=where, hint=hint, figures=figures)
            self._types: list[set[type]] = [set() for _ in self.columns]
            self._batches = leave_out_last(list(self._encode_rows(rows, where, cells.end[0] - top)), table.skip_last)

    @property
    def files(self) -> Sequence[Path]:
        """The path of the workbook."""
        return [self._file]

    @property
    def form(self) -> tuple[str, ...]:
        """The kind of file, and the sheet."""
        return ("workbook", self.sheet)

    def batches(self, columns: Sequence[str]) -> Iterator[Batch]:
        """Yield the rows."""
        places = self.find_places(columns)
        return ([batch[place] for place in places] for batch in self._batches)

    def read_typed(self, coded: Sequence[str], kept: Sequence[str]) -> Iterator[tuple[Batch, list[pa.Array]]]:
        """Yield the rows. Columns whose cells are all of one type have that type, the others are text."""
        types = [self._types[place] for place in self.find_places(kept)]
        for batch, others in zip(self.batches(coded), self.batches(kept), strict=True):
            yield (
                batch,
                [
                    _restore_type(column.values, own).take(integer_array(column.codes))
                    for column, own in zip(others, types, strict=True)
                ],
            )

    def _encode_rows(self, rows: Iterator[list[Any]], where: str, total: int) -> Iterator[list[Coded]]:
        """Return the rows as codes. Blank rows at the end, left by formulas with an empty text, are dropped."""
        done, blank = 0, 0
        while part := list(islice(rows, BATCH_ROWS)):
            done += len(part)
            used = max((place for place, row in enumerate(part, 1) if any(cell != "" for cell in row)), default=0)
            if used:
                part = [[""] * len(self.columns)] * blank + part
                used, blank = used + blank, 0
            blank += len(part) - used
            if used:
                columns = list(zip(*part[:used], strict=True))
                for types, cells in zip(self._types, columns, strict=True):
                    types.update(type(cell) for cell in cells if cell != "")
                yield [
                    encode_cells(cells, f"{where}, {name}") for name, cells in zip(self.columns, columns, strict=True)
                ]
            report_share(done / max(total, 1))


def leave_out_last(batches: list[list[Coded]], rows: int) -> list[list[Coded]]:
    """Return the batches without the last rows."""
    kept = list(batches)
    while rows and kept:
        last = kept.pop()
        if (stay := last[0].size - rows) > 0:
            return [*kept, [column.take(slice(stay)).trim() for column in last]]
        rows -= last[0].size
    return kept


def _restore_type(texts: Sequence[Value], types: set[type]) -> pa.Array:
    """Return texts as values of the type that all of them had; as text if they had several."""
    import pyarrow as pa

    restore: Callable[[str], Any]
    if types and types <= {int, float}:
        restore, stored = float, pa.float64()
    elif types == {bool}:
        restore, stored = "true".__eq__, pa.bool_()
    elif types == {date}:
        restore, stored = date.fromisoformat, pa.date32()
    elif types and types <= {date, datetime}:
        restore, stored = datetime.fromisoformat, pa.timestamp("us")
    elif types == {time}:
        restore, stored = time.fromisoformat, pa.time64("us")
    else:
        return text_array(texts)
    return pa.array([None if text is None else restore(text) for text in texts], stored)


def read_sheet_names(path: Path) -> list[str]:
    """Return the names of a workbook's sheets."""
    if not _is_old(path):
        Archive(path, path.name).require_size()
    with _translate_errors(path.name), _import_calamine().load_workbook(path) as book:
        return list(book.sheet_names)


def require_sheet_size(path: Path, sheet: str | None) -> None:
    """Raise an error if a sheet, from its cell A1 on, is too large to be read."""
    archive = None if _is_old(path) else Archive(path, path.name)
    if archive:
        archive.require_size()
    with _translate_errors(path.name), _import_calamine().load_workbook(path) as book:
        chosen = _choose_sheet(book, sheet, path.name)
        checks = _check_sheet(path, archive, book.sheet_names.index(chosen), chosen, path.name)
    checks.extend_area(0, 0)
    checks.require_size(path.name)


def _import_calamine() -> Any:  # noqa: ANN401 (a module)
    try:
        import python_calamine
    except ImportError as error:
        raise SourceError(
            "python-calamine, which reads workbooks, is not installed", hint=INSTALL_HINT, figures={}
        ) from error
    return python_calamine


INSTALL_HINT = 'pip install "petworks[excel]", or save the table as CSV'


def _is_old(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(2) != b"PK"


def _require_workbook(archive: Archive) -> None:
    if BINARY_WORKBOOK in archive.members:
        raise SourceError(
            "binary workbooks (.xlsb) are not read", where=archive.name, hint="save it as .xlsx or CSV", figures={}
        )
    if archive.members.keys().isdisjoint((WORKBOOK, CONTENT)):
        raise SourceError(
            "this is a zip archive, not an Excel workbook", where=archive.name, hint="unpack it", figures={}
        )


def _choose_sheet(book: CalamineWorkbook, sheet: str | None, name: str) -> str:
    """Return the sheet that the caller named, or the only one.

    In a workbook that PETWorks wrote, the release is the default, and is found even if the other sheet has its name.
    """
    names = book.sheet_names
    if names == WRITTEN_SHEETS and sheet not in names:
        return RELEASE_SHEET
    if sheet is None:
        if len(names) == 1:
            return names[0]
        problem, hint = "the workbook has {count} sheets: {names}", "say which one with sheet="
        figures = {"count": len(names), "names": list_quoted(names)}
        raise MalformedError(problem, where=name, hint=hint, figures=figures)
    if sheet not in names:
        raise UnknownNameError(f'there is no sheet "{sheet}"', where=name, hint=did_you_mean(sheet, names))
    return sheet


def _check_sheet(path: Path, archive: Archive | None, number: int, sheet: str, name: str) -> SheetChecks:
    if archive is None:
        return check_xls(path, number, name)
    return (check_xlsx if WORKBOOK in archive.members else check_ods)(archive, sheet)


@contextmanager
def _translate_errors(name: str) -> Iterator[None]:
    """Turn calamine's errors into ours; a panic of its code is an error, too."""
    try:
        yield
    except (SourceError, UnknownNameError):
        raise
    except BaseException as error:
        if type(error).__module__ not in ("python_calamine", "pyo3_runtime") and not isinstance(error, OSError):
            raise
        if type(error).__name__ == "PasswordError":
            raise SourceError(
                "the workbook is protected by a password", where=name, hint="remove it", figures={}
            ) from error
        problem = "not readable as an Excel workbook: {reason}"
        figures = {"reason": CellText(f"{' '.join(str(error).split()):.120}")}
        raise SourceError(problem, where=name, hint=SAVE_AGAIN_HINT, figures=figures) from error
