"""Read tables from files, data frames and Spark. Only this room sees rows; it returns tallies."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from PETWorks.errors import ParameterError, SourceError
from PETWorks.settings.preparing import RowsOfFile
from PETWorks.settings.section import declared
from PETWorks.settings.sections import Preparing, Reading
from PETWorks.tables.decoding import build_missing_file_error, build_unreadable_error, copy_pipe, is_pipe
from PETWorks.tables.formats import START_BYTES, find_folder_format, find_format
from PETWorks.tables.paired import PairedSources
from PETWorks.tables.query import NAME, Query
from PETWorks.tables.source import TableSource, read_signature

if TYPE_CHECKING:
    from PETWorks.tables.spark.files import SparkPath

__all__ = ["OpenedTable", "PairedSources", "TableSource", "open_part", "open_source", "set_path"]

MAX_PATH_LENGTH = 255  # longer paths are shortened in errors; most systems allow no longer file name
UNPACK = "unpack it, and name the file in it"
CSV_INSTEAD = "save it as CSV or Parquet"
OTHER_FORMATS = {  # what files begin with that no format reads, what they are, and what to do
    b"%PDF": ("a PDF", CSV_INSTEAD),
    b"SQLite format 3": ("an SQLite database", "export one of its tables as CSV or Parquet"),
    b"Obj\x01": ("an Avro file", CSV_INSTEAD),
    b"PARE": ("an encrypted Parquet file", "decrypt it, and name the copy"),
    b"\x89HDF\r\n\x1a\n": ("an HDF5 file", CSV_INSTEAD),
    b"RDX2\n": ("a workspace of R", CSV_INSTEAD),
    b"RDX3\n": ("a workspace of R", CSV_INSTEAD),
    b"BZh91AY&SY": ("a bzip2 file", UNPACK),
    b"\xfd7zXZ\x00": ("an xz file", UNPACK),
    b"7z\xbc\xaf\x27\x1c": ("a 7-Zip archive", UNPACK),
    b"\x28\xb5\x2f\xfd": ("a Zstandard file", UNPACK),
}
ORC = (b"ORC", ".orc")
DUCKDB = re.compile(rb".{8}DUCK.\0{7}", re.DOTALL)
ADDRESS = re.compile(r"([a-z][a-z0-9+.-]+):/", re.IGNORECASE)  # a path has one slash where an address has two


class OpenedTable(NamedTuple):
    """A table as the caller passed it, with its open source, so that it is opened only once."""

    given: Any
    source: TableSource


def open_source(
    table: Any,  # noqa: ANN401
    name: str,
    *options: str | None,
    rows: RowsOfFile | None = None,
    **named_options: str | None,
) -> TableSource:
    """Build the source of a path or of a table in memory. Messages call a table in memory `name`.

    The other arguments, by position or by name, are the settings of `Reading`. `rows` says which rows of the file are
    the table.
    """
    reading = Reading.of({**dict(zip(declared(Reading), options, strict=False)), **named_options})
    if isinstance(table, OpenedTable):
        return table.source
    if isinstance(table, Query):
        _require_all_rows(rows, NAME)
        return table.open()
    if isinstance(table, str) and hasattr(table, "spark"):  # its module is imported by those who use Spark only
        return cast("SparkPath", table).open(reading.delimiter, reading.encoding)
    if not isinstance(table, str | os.PathLike):
        _require_all_rows(rows, name)
        from PETWorks.tables.frames import open_frame

        return open_frame(table, name)
    path = Path(table)
    if not _path_exists(path):
        if address := ADDRESS.match(str(path)):
            problem = f"addresses ({address[1].casefold()}://) are not read"
            raise SourceError(problem, hint="download the file, and name the copy")
        raise build_missing_file_error(path, f"{str(path)[:80]!r}…" if len(str(path)) > MAX_PATH_LENGTH else str(path))
    if is_pipe(path):
        copy, place = copy_pipe(path)
        source = _open_file(place, reading, str(path), rows)
        source.copy = copy
        return source
    return _open_file(path.absolute(), reading, path.name, rows)  # absolute: the working directory may change


def open_original(table: Any, reading: Reading, preparing: Preparing, person: str | None) -> TableSource:  # noqa: ANN401
    """Build the source of an original as it is measured: prepared, and with derived columns."""
    if not preparing or isinstance(table, OpenedTable):
        return open_source(table, "original", *reading)
    from PETWorks.tables.prepare import prepare_source

    rows = preparing.prepare.rows
    source = open_source(table, "original", *reading, rows=rows)
    return prepare_source(source, preparing.prepare, preparing.derive, person)


def open_part(path: Path, target: Path) -> TableSource:
    """Open a complete file before it takes its name: it is read, and messages call it, as if it had its name."""
    return _open_file(path, Reading(), target.name)


def set_path(source: TableSource, path: Path) -> None:
    """Continue with a file that was renamed after it was opened; open it again if its source keeps the old path."""
    source.set_path(path)
    if list(source.files) != [path]:
        opened = source.opened
        vars(source).update(vars(_open_file(path, Reading(), path.name)), opened=opened)


def _require_all_rows(rows: RowsOfFile | None, name: str) -> None:
    """Raise an error if rows are selected of a table of which all rows are read."""
    if rows and replace(rows, drop_duplicates=False) != RowsOfFile():
        problem = "header_row, names and skip_last are for CSV files and workbooks"
        raise ParameterError(problem, where=name, hint="leave them out: this table names its columns, and has no sums")


def _open_file(path: Path, reading: Reading, name: str, rows: RowsOfFile | None = None) -> TableSource:
    if path.is_dir():
        _require_all_rows(rows, name)
        source = find_folder_format().open(path, name, reading)
    else:
        start = _read_start(path, name) if path.is_file() else b""
        _require_table(start, path.suffix.casefold(), name)
        form = find_format(start, name)
        if rows and form.open_rows:
            source = form.open_rows(path, name, reading, rows)
        else:
            _require_all_rows(rows, name)
            source = form.open(path, name, reading)
    source.opened = {file: read_signature(file) for file in source.files}
    return source


def _require_table(start: bytes, ending: str, name: str) -> None:
    """Raise an error for a file of a known kind that cannot be read."""
    found = next((known for magic, known in OTHER_FORMATS.items() if start.startswith(magic)), None)
    if start.startswith(ORC[0]) and ending == ORC[1]:
        found = ("an ORC file", CSV_INSTEAD)
    if DUCKDB.match(start):
        found = ("a DuckDB database", "export one of its tables as Parquet, or pass a relation")
    if found:
        raise SourceError(f"this is {found[0]}, not a table", where=name, hint=found[1])


def _path_exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # too long for a path: the caller may have passed the text of a whole table
        return False


def _read_start(path: Path, name: str) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(START_BYTES)
    except OSError as error:
        raise build_unreadable_error(error, name) from error
