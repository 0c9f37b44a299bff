"""Write a release as an Excel workbook: a sheet with its rows, and one that says what was done to each column.

Text is written as text, so that no program makes a number of an identifier, or a formula of a cell. A value of another
type is written as a number, a date or a truth value if reading it returns the same value, and else as text. Rows are
written one by one, and only one is in memory. The same release gives the same bytes: they contain no time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime, time
from itertools import chain
from math import isfinite
from tempfile import TemporaryDirectory, gettempdir
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from PETWorks.errors import OutputError
from PETWorks.tables.counting.tally import IntArray, Value
from PETWorks.tables.counting.workspace import translate_write_errors
from PETWorks.tables.formats.workbooks.sheets import COLUMNS_SHEET, RELEASE_SHEET
from PETWorks.tables.text_form import encode, text_form

if TYPE_CHECKING:
    import pyarrow as pa
    from xlsxwriter import Workbook
    from xlsxwriter.worksheet import Worksheet

    from PETWorks.tables.rewriting.cells import Rewriting

MAX_ROWS, MAX_COLUMNS = 2**20, 2**14  # of a sheet
MAX_CELL_LENGTH = 32_767  # in units of UTF-16
MAX_DIGITS = 15  # of longer whole numbers, Excel shows the first ones only
FIRST_DATE = date(1900, 3, 1)  # Excel counts a 29 February 1900, so earlier days are off by one
DATE_FORMATS: dict[type, str] = {date: "yyyy-mm-dd", datetime: "yyyy-mm-dd hh:mm:ss", time: "hh:mm:ss"}
NOT_CHARACTERS = {"\ufffe", "\uffff"}
CREATED = datetime(2000, 1, 1)  # noqa: DTZ001 (a workbook has no time zone)
INSTALL_HINT = 'pip install "petworks[excel]", or write a CSV file'
INSTEAD = "write a CSV or Parquet file"
CellWriter = Callable[[int, int], object]
Parser = Callable[[str], bool | float | date | time | None]


class ExactNumber(float):
    """A number that is written with 17 significant digits, which identify it, as Excel does."""

    def __format__(self, _: str) -> str:
        return repr(float(self)).removesuffix(".0")


class ReleaseSheets:
    """The open workbook, and how its cells are written."""

    def __init__(self, workbook: Workbook, name: str) -> None:
        self._workbook, self._name = workbook, name
        self._formats = {kind: workbook.add_format({"num_format": form}) for kind, form in DATE_FORMATS.items()}
        self._heading = workbook.add_format({"bold": True})

    def write_rows(self, names: Sequence[str], batches: Iterator[pa.RecordBatch]) -> None:
        """Write the sheet of the release."""
        sheet, row, blank = self._start(RELEASE_SHEET, names), 0, False
        for batch in batches:
            if row + batch.num_rows >= MAX_ROWS:
                problem = f"a sheet has at most {MAX_ROWS - 1:,} rows besides its header, and the release has more"
                raise OutputError(problem, where=self._name, hint=INSTEAD)
            columns = [self._prepare(sheet, *pair) for pair in zip(batch.columns, names, strict=True)]
            for cells in zip(*columns, strict=True):
                row, blank = row + 1, True
                for place, write in enumerate(cells):
                    if write is not None:
                        write(row, place)
                        blank = False
        if blank:
            problem = "all cells of the last row are missing, and a sheet ends before such a row"
            raise OutputError(problem, where=self._name, hint=INSTEAD)

    def write_columns(self, lines: Sequence[Sequence[str]]) -> None:
        """Write the sheet that says what was done to each column."""
        sheet = self._start(COLUMNS_SHEET, lines[0])
        for row, line in enumerate(lines[1:], 1):
            for place, text in enumerate(line):
                sheet.write_string(row, place, text)

    def _start(self, title: str, names: Sequence[str]) -> Worksheet:
        if len(names) > MAX_COLUMNS:
            problem = f"a sheet has at most {MAX_COLUMNS:,} columns, and the release has {len(names):,}"
            raise OutputError(problem, where=self._name, hint=INSTEAD)
        sheet = self._workbook.add_worksheet(title, worksheet_class=_build_sheet_class())
        sheet.freeze_panes(1, 0)
        for place, name in enumerate(names):
            self._require_writable(name, f"the name of column {place + 1}")
            sheet.write_string(0, place, name, self._heading)
        return sheet

    def _prepare(self, sheet: Worksheet, column: pa.Array, name: str) -> Iterator[CellWriter | None]:
        """Yield the function that writes each cell of a column; None for a missing cell.

        Each distinct value is examined once.
        """
        import pyarrow as pa

        kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
        texts: Sequence[Value]
        if pa.types.is_string(kind) or pa.types.is_large_string(kind):  # as it is, with its blanks
            column = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
            texts = [*column.dictionary.to_pylist(), None]
            codes: IntArray = np.from_dlpack(column.indices.cast(pa.int64()).fill_null(len(texts) - 1))
        else:
            coded = encode(column, f"{self._name}, {name}")
            codes, texts = coded.codes, coded.values
        parse = _find_parser(kind)
        writers = [self._choose(sheet, text, parse, name) if text else None for text in texts]
        return (writers[code] for code in codes.tolist())

    def _choose(self, sheet: Worksheet, text: str, parse: Parser, name: str) -> CellWriter:
        """Return the function that writes a value: as text, unless another cell type is read back as the same value."""
        value = parse(text)
        if isinstance(value, bool):
            return lambda row, place: sheet.write_boolean(row, place, value)
        if isinstance(value, float):
            number = ExactNumber(value)
            return lambda row, place: sheet.write_number(row, place, number)
        if value is not None:
            form = self._formats[type(value)]
            return lambda row, place: sheet.write_datetime(row, place, value, form)
        self._require_writable(text, name)
        return lambda row, place: sheet.write_string(row, place, text)

    def _require_writable(self, text: str, name: str) -> None:
        """Raise an error for text that a cell cannot hold."""
        problem = ""
        if len(text.encode("utf-16-le")) > 2 * MAX_CELL_LENGTH:
            problem = f"a cell has more than {MAX_CELL_LENGTH:,} characters, which a workbook cannot hold"
        elif not NOT_CHARACTERS.isdisjoint(text):
            problem = "a cell has U+FFFE or U+FFFF, which a workbook cannot hold"
        if problem:
            raise OutputError(problem, where=f"{self._name}, {name}", hint=INSTEAD)


def write_workbook(rewriting: Rewriting, rows: Iterator[pa.RecordBatch], file: IO[bytes]) -> None:
    """Write the sheet of the release, and a sheet on the treatment of columns if that is known."""
    try:
        from xlsxwriter import Workbook
        from xlsxwriter.exceptions import FileCreateError
    except ImportError as error:
        problem = "XlsxWriter, which writes workbooks, is not installed"
        raise OutputError(problem, where=rewriting.source.name, hint=INSTALL_HINT) from error
    first = next(rows)
    with translate_write_errors(rewriting.folder or gettempdir()):
        temporary = TemporaryDirectory(dir=rewriting.folder)
    with temporary as folder:
        workbook = Workbook(file, {"constant_memory": True, "tmpdir": folder})
        workbook.use_zip64()
        workbook.set_properties({"created": CREATED})
        sheets = ReleaseSheets(workbook, rewriting.source.name)
        try:
            sheets.write_rows(first.schema.names, chain([first], rows))
            if rewriting.about:
                sheets.write_columns(rewriting.about)
            workbook.close()
        except FileCreateError as error:
            raise error.args[0] from error  # an error of the operating system
        finally:
            for sheet in workbook.worksheets():
                sheet._opt_close()  # noqa: SLF001 (after an error, nothing else closes its temporary file)


def _build_sheet_class() -> type[Worksheet]:
    """Build a worksheet class that never parses text as markup; XlsxWriter does so for a text from <r> to </r>."""
    from xlsxwriter.worksheet import Worksheet

    class PlainSheet(Worksheet):  # type: ignore[misc]  # XlsxWriter declares no types
        def _xml_rich_inline_string(self, string: str, attributes: Sequence[Any]) -> None:
            self._xml_inline_string(string, True, attributes)

    return PlainSheet


def _find_parser(kind: pa.DataType) -> Parser:
    """Return the function that converts a text to a cell value; None if only text is read back as the same value.

    Decimals are text, since 1.50 would be read as 1.5.
    """
    import pyarrow as pa

    types = pa.types
    if types.is_floating(kind):
        return _parse_number
    if types.is_integer(kind):
        return lambda text: _parse_number(text) if len(text) <= MAX_DIGITS else None
    if types.is_boolean(kind):
        return lambda text: text == "true"
    known = {date: types.is_date, datetime: types.is_timestamp, time: types.is_time}
    found = next((one for one, is_kind in known.items() if is_kind(kind)), None)
    return (lambda text: _parse_moment(found, text)) if found else lambda _: None


def _parse_number(text: str) -> float | None:
    """Return the number of a text, if writing it gives this text again.

    >>> _parse_number("0.1"), _parse_number("39"), _parse_number("inf")
    (0.1, 39.0, None)
    """
    number = float(text)
    return number if isfinite(number) and text_form(number) == text else None


def _parse_moment(kind: type[date | time], text: str) -> date | time | None:
    """Return the date or time of a text, if writing it gives this text again.

    >>> _parse_moment(date, "2026-05-01"), _parse_moment(date, "1900-01-01")
    (datetime.date(2026, 5, 1), None)
    """
    try:
        found = kind.fromisoformat(text)
    except ValueError:
        return None
    day = found.date() if isinstance(found, datetime) else found
    if text_form(found) != text or (isinstance(day, date) and day < FIRST_DATE):
        return None
    has_more = isinstance(found, datetime | time) and (found.microsecond or found.tzinfo)
    return None if has_more else found
