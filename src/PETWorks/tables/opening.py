"""Read tables from files, data frames and Spark. Only this room sees rows; it returns tallies."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, NamedTuple

from PETWorks.errors import SourceError
from PETWorks.tables.decoding import copied, is_pipe, missing_file, unreadable
from PETWorks.tables.paired import Paired
from PETWorks.tables.source import Reading, Source, signature
from PETWorks.tables.spark.files import SparkPath
from PETWorks.tables.statistics import kind_of

__all__ = ["OpenedTable", "Paired", "Reading", "Source", "SparkPath", "open_source"]

PARQUET = b"PAR1"
LONG = 255  # a path of more characters is shortened in errors: most systems allow no longer file name
WORKBOOKS = (b"PK\x03\x04", b"PK\x05\x06", b"\xd0\xcf\x11\xe0")
START = 32  # bytes by which the kind of a file is recognised
NOT_TABLES = {
    b"%PDF": "a PDF",
    b"SQLi": "an SQLite database",
}


class OpenedTable(NamedTuple):
    """A table as the caller passed it, and its source, so that it is not opened again."""

    given: Any
    source: Source


def open_source(table: Any, name: str, *said: str | None, **named: str | None) -> Source:  # noqa: ANN401
    """Build the source for a path or a table in memory. `name` is what messages call a table in memory.

    What is said about files, by position or by name, are the entries of a `Reading`.
    """
    reading = Reading(*said, **named)
    if isinstance(table, OpenedTable):
        return table.source
    if isinstance(table, SparkPath):
        return table.source(reading.delimiter, reading.encoding)
    if not isinstance(table, str | os.PathLike):
        from PETWorks.tables.frames import frame_source

        return frame_source(table, name)
    path = Path(table)
    if not _exists(path):
        raise missing_file(path, f"{str(path)[:80]!r}…" if len(str(path)) > LONG else str(path))
    if is_pipe(path):
        copy, place = copied(path)
        source = _file_source(place, reading, str(path))
        source.copy = copy
        return source
    return _file_source(path.absolute(), reading, path.name)  # absolute: the working directory may change


def _file_source(path: Path, reading: Reading, name: str) -> Source:
    start = _first_bytes(path, name) if path.is_file() else b""
    magic = start[:4]
    if kind := NOT_TABLES.get(magic):
        raise SourceError(f"this is {kind}, not a table", where=name, hint="save it as CSV or Parquet")
    if path.is_dir() or magic == PARQUET:
        from PETWorks.tables.parquet import ParquetSource

        source: Source = ParquetSource(path, name)
    elif magic in WORKBOOKS:
        from PETWorks.tables.workbooks.sheets import WorkbookSource

        source = WorkbookSource(path, reading.sheet, name)
    elif kind := kind_of(start):
        from PETWorks.tables.statistics import StatisticsSource

        source = StatisticsSource(path, kind, name, reading.encoding, reading.value_labels)
    else:
        from PETWorks.tables.delimited import DelimitedSource

        source = DelimitedSource(path, reading.delimiter, reading.encoding, name)
    source.opened = {file: signature(file) for file in source.files}
    return source


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # too long for a path: the caller may have passed the text of a whole table
        return False


def _first_bytes(path: Path, name: str) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(START)
    except OSError as error:
        raise unreadable(error, name) from error
