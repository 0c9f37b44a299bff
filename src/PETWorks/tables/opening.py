"""Read tables from files, data frames and Spark. Only this room sees rows; it returns tallies."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, NamedTuple

from PETWorks.errors import SourceError
from PETWorks.tables.decoding import build_missing_file_error, build_unreadable_error, copy_pipe, is_pipe
from PETWorks.tables.paired import PairedSources
from PETWorks.tables.source import Reading, TableSource, read_signature
from PETWorks.tables.spark.files import SparkPath
from PETWorks.tables.statistics import recognise_format

__all__ = ["OpenedTable", "PairedSources", "Reading", "SparkPath", "TableSource", "open_source"]

PARQUET_MAGIC = b"PAR1"
MAX_PATH_LENGTH = 255  # longer paths are shortened in errors; most systems allow no longer file name
WORKBOOK_MAGIC = (b"PK\x03\x04", b"PK\x05\x06", b"\xd0\xcf\x11\xe0")
START_BYTES = 32  # bytes by which the kind of a file is recognised
OTHER_FORMATS = {
    b"%PDF": "a PDF",
    b"SQLi": "an SQLite database",
}


class OpenedTable(NamedTuple):
    """A table as the caller passed it, with its open source, so that it is opened only once."""

    given: Any
    source: TableSource


def open_source(table: Any, name: str, *options: str | None, **named_options: str | None) -> TableSource:  # noqa: ANN401
    """Build the source of a path or of a table in memory. Messages call a table in memory `name`.

    The other arguments, by position or by name, are the entries of a `Reading`.
    """
    reading = Reading(*options, **named_options)
    if isinstance(table, OpenedTable):
        return table.source
    if isinstance(table, SparkPath):
        return table.open(reading.delimiter, reading.encoding)
    if not isinstance(table, str | os.PathLike):
        from PETWorks.tables.frames import open_frame

        return open_frame(table, name)
    path = Path(table)
    if not _path_exists(path):
        raise build_missing_file_error(path, f"{str(path)[:80]!r}…" if len(str(path)) > MAX_PATH_LENGTH else str(path))
    if is_pipe(path):
        copy, place = copy_pipe(path)
        source = _open_file(place, reading, str(path))
        source.copy = copy
        return source
    return _open_file(path.absolute(), reading, path.name)  # absolute: the working directory may change


def _open_file(path: Path, reading: Reading, name: str) -> TableSource:
    start = _read_start(path, name) if path.is_file() else b""
    magic = start[:4]
    if kind := OTHER_FORMATS.get(magic):
        raise SourceError(f"this is {kind}, not a table", where=name, hint="save it as CSV or Parquet")
    if path.is_dir() or magic == PARQUET_MAGIC:
        from PETWorks.tables.parquet import ParquetSource

        source: TableSource = ParquetSource(path, name)
    elif magic in WORKBOOK_MAGIC:
        from PETWorks.tables.workbooks.sheets import WorkbookSource

        source = WorkbookSource(path, reading.sheet, name)
    elif kind := recognise_format(start):
        from PETWorks.tables.statistics import StatisticsSource

        source = StatisticsSource(path, kind, name, reading.encoding, reading.value_labels)
    else:
        from PETWorks.tables.delimited import DelimitedSource

        source = DelimitedSource(path, reading.delimiter, reading.encoding, name)
    source.opened = {file: read_signature(file) for file in source.files}
    return source


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
