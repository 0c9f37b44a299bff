"""Read files of SPSS (.sav, .zsav), Stata (.dta) and SAS (.sas7bdat, .xpt).

A value that has a label is read as the label, unless the caller asks for codes. Values that the file declares as
missing (99 in SPSS, .a in Stata) stay different values, such as "(missing: 99)". Rows are read in parts; each part
reads the file from its start, so parts are as large as memory allows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from PETWorks.errors import CellText, EncodingError, MalformedError, SourceError
from PETWorks.progress import report_share
from PETWorks.settings.sections import Reading
from PETWorks.tables.counting.count import Batch
from PETWorks.tables.counting.tally import Coded, Value, is_missing, write_missing_code
from PETWorks.tables.counting.texts import integer_array, text_array
from PETWorks.tables.formats import FileFormat
from PETWorks.tables.source import TableSource, check_column_names
from PETWorks.tables.text_form import convert_column, encode_cells, text_form

if TYPE_CHECKING:
    import pyarrow as pa

SPSS_START = datetime(1582, 10, 14)  # noqa: DTZ001 (SPSS has no time zones)
MIN_PART_ROWS = 2**16  # rows that are read at a time, at least
CELL_BYTES = 100  # bytes that a cell takes up while it is read
MEMORY_PARTS = 8  # the rows of a part take up at most one in so many parts of the memory
SAS = bytes(12) + b"\xc2\xea\x81\x60\xb3\x14\x11\xcf\xbd\x92\x08\x00\x09\xc7\x31\x8c\x18\x1f\x10\x11"
INSTALL_HINT = 'pip install "petworks[statistics]", or save the table as CSV'
STATA_VERSIONS = range(104, 116)  # first byte of files before Stata 13


def recognise_format(start: bytes) -> str | None:
    """Return the format of a file that begins with these bytes; None if it is none of these.

    >>> recognise_format(b"$FL2@(#) SPSS DATA FILE"), recognise_format(b"age;sex")
    ('SPSS', None)
    """
    if start.startswith((b"$FL2", b"$FL3")):
        return "SPSS"
    if start.startswith(b"<stata_dta>") or (start[:1] and start[0] in STATA_VERSIONS and start[1:3] in STATA_MARKS):
        return "Stata"
    if start.startswith(SAS):
        return "SAS"
    return "SAS transport" if start.startswith(b"HEADER RECORD*******LIB") else None


STATA_MARKS = (b"\x01\x01", b"\x02\x01")  # the order of bytes, and the type of file
READERS = {"SPSS": "read_sav", "Stata": "read_dta", "SAS": "read_sas7bdat", "SAS transport": "read_xport"}


class StatisticsSource(TableSource):
    """The rows of a file of SPSS, Stata or SAS."""

    read_with = ("encoding", "value_labels")

    def __init__(self, path: Path, kind: str, name: str, encoding: str | None, value_labels: str | None) -> None:
        self.name = name
        self._file = path
        self._kind = kind
        self._encoding = encoding
        _, told = self._read(metadataonly=True)
        self._ranges: Mapping[str, Sequence[Mapping[str, Any]]] = told.missing_ranges
        self._numeric = {one for one, kind in told.readstat_variable_types.items() if kind != "string"}
        self._stored = list(told.column_names)
        self.columns = check_column_names(self._stored, name)
        self._rows = told.number_rows
        self._single = {one for one, kind in told.readstat_variable_types.items() if kind == "float"}
        labels = {} if value_labels == "codes" else told.variable_value_labels
        self._labels = {one: _key_by_text(labels.get(one, {})) for one in self._stored}

    @property
    def stored_columns(self) -> Sequence[str]:
        """The names of the columns in the file."""
        return self._stored

    @property
    def files(self) -> Sequence[Path]:
        """The path of the file."""
        return [self._file]

    @property
    def form(self) -> tuple[str, ...]:
        """The kind of file, for the record."""
        return (self._kind,)

    def batches(self, columns: Sequence[str]) -> Iterator[Batch]:
        """Yield the rows."""
        return (batch for batch, _ in self.read_typed(columns, ()))

    def read_typed(self, coded: Sequence[str], kept: Sequence[str]) -> Iterator[tuple[Batch, list[pa.Array]]]:
        """Yield the rows. Cells are text where values have labels, and have the types of the file elsewhere."""
        names = dict(zip(self.columns, self._stored, strict=True))
        meanings: dict[str, dict[Value, Value]] = {name: {} for name in (*coded, *kept)}
        as_text = self._find_textual([names[name] for name in kept])
        for part in self._read_parts([names[name] for name in (*coded, *kept)]):
            batch = [self._encode(name, part[names[name]], meanings[name]) for name in coded]
            yield (
                batch,
                [
                    self._convert(name, part[names[name]], meanings[name], as_text=names[name] in as_text)
                    for name in kept
                ],
            )

    def _encode(self, name: str, cells: Sequence[Any], meanings: dict[Value, Value]) -> Coded:
        """Code a column by its labels; raise an error if two values have the same label."""
        stored = self._stored[self.columns.index(name)]
        if stored in self._single:  # of 32 bits: 0.1 must stay 0.1
            cells = [cell if cell is None or isinstance(cell, str) else np.float32(cell) for cell in cells]
        coded = encode_cells(self._mark_missing(stored, cells), self._describe_place(name))
        if not (labels := self._labels[stored]):
            return coded
        texts = [labels.get(value, value) for value in coded.values]
        for value, text in zip(coded.values, texts, strict=True):
            if meanings.setdefault(text, value) != value:
                problem = "two values have the same label, and would be one"
                hint = 'correct the labels, or pass value_labels="codes"'
                raise MalformedError(
                    problem, where=self._describe_place(name), hint=hint, listed=f'"{text}"', figures={}
                )
        return Coded(coded.codes, texts)

    def _mark_missing(self, stored: str, cells: Sequence[Any]) -> Sequence[Any]:
        """Replace values that the file declares as missing by their texts, such as "(missing: 99)"."""
        if ranges := self._ranges.get(stored):
            return [write_missing_code(text_form(cell) or "") if _is_in(ranges, cell) else cell for cell in cells]
        if stored in self._numeric and _has_objects(cells):  # in a column of numbers, text is a code for missing
            return [write_missing_code(f".{cell}") if isinstance(cell, str) else cell for cell in cells]
        return cells

    def _find_textual(self, stored: Sequence[str]) -> set[str]:
        """Return the columns whose cells become text: those with labels, of single precision, or with missing codes."""
        found = {one for one in stored if self._labels[one] or one in self._single}
        may_have = self._ranges if self._kind == "SPSS" else self._numeric
        if rest := [one for one in stored if one in may_have and one not in found]:
            for part in self._read_parts(rest):
                found |= {one for one in rest if any(map(_is_code, self._mark_missing(one, part[one])))}
        return found

    def _convert(self, name: str, cells: Sequence[Any], meanings: dict[Value, Value], *, as_text: bool) -> pa.Array:
        if not as_text:
            return convert_column(list(cells), self._describe_place(name))
        coded = self._encode(name, cells, meanings)
        return text_array(coded.values).take(integer_array(coded.codes))

    def _describe_place(self, name: str) -> str:
        return f"{self.name}, {name}"

    def _read_parts(self, stored: Sequence[str]) -> Iterator[Mapping[str, Sequence[Any]]]:
        size = max(MIN_PART_ROWS, self.memory // MEMORY_PARTS // (CELL_BYTES * max(1, len(stored))))
        start, found = 0, size
        while found == size:
            part, _ = self._read(usecols=list(stored), row_offset=start, row_limit=size)
            found = len(part[stored[0]]) if stored else 0
            start += found
            if found or not start:
                yield part
            if self._rows:
                report_share(start / self._rows)

    def _read(self, **options: Any) -> tuple[Mapping[str, Sequence[Any]], Any]:  # noqa: ANN401
        try:
            import pyreadstat
        except ImportError as error:
            problem = f"pyreadstat, which reads files of {self._kind}, is not installed"
            raise SourceError(problem, where=self.name, hint=INSTALL_HINT) from error
        read: Callable[..., Any] = getattr(pyreadstat, READERS[self._kind])
        if self._kind != "SAS transport":  # pyreadstat does not tell its missing values apart
            options["user_missing"] = True
        if self._encoding:
            options["encoding"] = self._encoding
        try:
            found: tuple[Mapping[str, Sequence[Any]], Any] = read(str(self._file), output_format="dict", **options)
        except UnicodeError as error:
            problem = "text of the file does not fit its encoding"
            raise EncodingError(problem, where=self.name, hint="pass encoding=") from error
        except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError, OSError, ValueError, OverflowError) as error:
            problem, hint = "not readable as a file of {kind}: {reason}", "save it again, or save it as CSV"
            figures = {"kind": self._kind, "reason": CellText(f"{' '.join(str(error).split()):.120}")}
            raise SourceError(problem, where=self.name, hint=hint, figures=figures) from error
        return found


def _is_code(cell: Any) -> bool:  # noqa: ANN401
    return isinstance(cell, str) and is_missing(cell)


def _has_objects(cells: Sequence[Any]) -> bool:
    """Return True unless all cells are numbers of one type."""
    return bool(getattr(cells, "dtype", np.dtype(object)).hasobject)


def _is_in(ranges: Sequence[Mapping[str, Any]], cell: Any) -> bool:  # noqa: ANN401
    """Return True if a cell is in one of the ranges that SPSS declares as missing, in which dates are seconds."""
    if cell is None or cell != cell:
        return False
    if isinstance(cell, date):
        moment = cell if isinstance(cell, datetime) else datetime.combine(cell, time())
        cell = (moment - SPSS_START).total_seconds()
    elif isinstance(cell, time):
        cell = timedelta(hours=cell.hour, minutes=cell.minute, seconds=cell.second).total_seconds()
    elif isinstance(cell, str):
        return any(str(one["lo"]).rstrip() == cell.rstrip() for one in ranges)
    return any(one["lo"] <= cell <= one["hi"] for one in ranges)


def _key_by_text(labels: Mapping[Any, str]) -> dict[Value, Value]:
    """Return labels by the text of their values, without blank labels."""
    return {text_form(value): text for value, label in labels.items() if (text := label.strip())}


def _open(path: Path, name: str, reading: Reading) -> TableSource:
    with path.open("rb") as file:
        kind = recognise_format(file.read(len(SAS)))
    return StatisticsSource(path, kind or "", name, reading.encoding, reading.value_labels)


FORMAT = FileFormat(
    name="SPSS, Stata or SAS",
    open=_open,
    endings=(".sav", ".zsav", ".dta", ".sas7bdat", ".xpt"),
    kinds=("SPSS", "Stata", "SAS"),
    recognise=lambda start: recognise_format(start) is not None,
)
