"""Arrow IPC: files, such as Feather files, and streams.

Columns may be stored as dictionaries, which are read as codes. Batches are checked before they are read: a damaged file
could otherwise lead outside of its memory.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import IO, TYPE_CHECKING

from PETWorks.errors import CellText, OutputError, SourceError
from PETWorks.progress import report_share
from PETWorks.settings.sections import Reading
from PETWorks.tables.counting.count import Batch
from PETWorks.tables.counting.tally import Coded
from PETWorks.tables.counting.workspace import scale_batch
from PETWorks.tables.formats import FileFormat
from PETWorks.tables.source import TableSource, check_column_names
from PETWorks.tables.text_form import SUPPORTED_TYPES_HINT, cast_string_view, encode

if TYPE_CHECKING:
    import pyarrow as pa

    from PETWorks.tables.rewriting.cells import Rewriting

BATCH_ROWS = 2**18  # rows that are coded at a time
FILE = b"ARROW1"
STREAM = b"\xff\xff\xff\xff"
END = STREAM + bytes(4)  # of a stream
FEATHER_1 = b"FEA1"
AGAIN = "check that it was written completely; download or write it again"


class ArrowSource(TableSource):
    """The rows of an Arrow IPC file or stream."""

    def __init__(self, path: Path, name: str) -> None:
        self.name = name
        self._file = path
        with path.open("rb") as file:
            start = file.read(len(FILE))
            file.seek(max(0, file.seek(0, os.SEEK_END) - len(END)))
            end = file.read()
        if start.startswith(FEATHER_1):
            hint = "write it again with a newer version of the program that wrote it, or save it as Parquet"
            raise SourceError(
                "this is a Feather file of version 1, which is not read", where=name, hint=hint, figures={}
            )
        self._is_file = start.startswith(FILE)
        with self._translate_errors(), self._open_batches() as (schema, _):
            self._stored = list(schema.names)
        if not self._is_file and end != END:
            raise SourceError("the Arrow stream has no end: rows may be missing", where=name, hint=AGAIN, figures={})
        self.columns = check_column_names(self._stored, name)

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
        """The name of the format, for the record."""
        return ("Arrow",)

    def set_path(self, path: Path) -> None:
        """Continue with the file under a new path."""
        super().set_path(path)
        self._file = path

    def batches(self, columns: Sequence[str]) -> Iterator[Batch]:
        """Yield the rows."""
        return (batch for batch, _ in self.read_typed(columns, ()))

    def read_typed(self, coded: Sequence[str], kept: Sequence[str]) -> Iterator[tuple[Batch, list[pa.Array]]]:
        """Yield the rows. Columns that are not coded have the types of the file."""
        places = {name: number for number, name in enumerate(sorted({*coded, *kept}, key=self.columns.index))}
        chosen, size = self.find_places(list(places)), scale_batch(BATCH_ROWS, self.memory)
        with self._translate_errors(), self._open_batches(chosen) as (_, read):
            for batch in read:
                self._require_valid(batch)
                for start in range(0, batch.num_rows, size):
                    part = batch.slice(start, size)
                    cells = [self._encode(part.column(places[name]), name) for name in coded]
                    yield cells, [cast_string_view(part.column(places[name])) for name in kept]

    def _require_valid(self, batch: pa.RecordBatch) -> None:
        import pyarrow as pa

        try:
            batch.validate(full=True)
        except (pa.ArrowException, IndexError) as error:  # the message may hold content of the file
            problem = "not readable as Arrow IPC or Feather: some rows are damaged"
            raise SourceError(problem, where=self.name, hint=AGAIN, figures={}) from error

    def _encode(self, column: pa.Array, name: str) -> Coded:
        import pyarrow as pa

        where = f"{self.name}, {name}"
        if pa.types.is_run_end_encoded(column.type):
            column = pa.compute.run_end_decode(column)
        try:
            return encode(column, where)
        except (pa.ArrowNotImplementedError, pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowKeyError) as error:
            problem, figures = "the column has the type {kind}, which is not supported", {"kind": str(column.type)}
            raise SourceError(problem, where=where, hint=SUPPORTED_TYPES_HINT, figures=figures) from error

    @contextmanager
    def _open_batches(
        self, places: Sequence[int] | None = None
    ) -> Iterator[tuple[pa.Schema, Iterator[pa.RecordBatch]]]:
        """Open the file, with the columns at these places only; return its schema and its batches."""
        import pyarrow as pa

        options = pa.ipc.IpcReadOptions(included_fields=places, use_threads=False)
        with pa.OSFile(str(self._file)) as file:
            length = file.size() or 1
            if self._is_file:
                reader = pa.ipc.open_file(file, options=options)
                read = (reader.get_batch(number) for number in range(reader.num_record_batches))
            else:
                reader = pa.ipc.open_stream(file, options=options)
                read = iter(reader)

            def read_batches() -> Iterator[pa.RecordBatch]:
                for batch in read:
                    yield batch
                    report_share(min(1.0, file.tell() / length))

            yield reader.schema, read_batches()

    @contextmanager
    def _translate_errors(self) -> Iterator[None]:
        """Turn Arrow's errors about the file into a SourceError."""
        import pyarrow as pa

        try:
            yield
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            reason = " ".join(str(error).replace(str(self._file), self.name).split())
            if isinstance(error, UnicodeDecodeError):
                reason = "a name in it is not UTF-8"
            problem, figures = "not readable as Arrow IPC or Feather: {reason}", {"reason": CellText(f"{reason:.200}")}
            raise SourceError(problem, where=self.name, hint=AGAIN, figures=figures) from error


def _open(path: Path, name: str, _: Reading) -> TableSource:
    return ArrowSource(path, name)


def write_arrow(rewriting: Rewriting, rows: Iterator[pa.RecordBatch], file: IO[bytes]) -> None:
    """Write an Arrow IPC file (Feather version 2).

    Columns that stay as they are keep their types, the others are text.
    """
    import pyarrow as pa

    from PETWorks.tables.rewriting.frames import build_plain_schema

    first = next(rows)
    schema = build_plain_schema(rewriting, first.schema)
    options = pa.ipc.IpcWriteOptions(compression="lz4", emit_dictionary_deltas=True)
    known: dict[str, pa.Array] = {}
    try:
        with pa.ipc.new_file(file, schema, options=options) as writer:
            for batch in chain([first], rows):
                columns = [
                    _extend_dictionary(column, field, known)
                    for column, field in zip(batch.columns, schema, strict=True)
                ]
                writer.write_batch(pa.record_batch(columns, schema))
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError) as error:
        problem, figures = "a column cannot be stored as Arrow: {reason}", {"reason": CellText(str(error))}
        raise OutputError(problem, hint="write a CSV file, or convert the column", figures=figures) from error


def _extend_dictionary(column: pa.Array, field: pa.Field, known: dict[str, pa.Array]) -> pa.Array:
    """Return a column as the file stores it; its dictionary extends that of earlier batches, which is in `known`."""
    import pyarrow as pa
    from pyarrow import compute

    if not pa.types.is_dictionary(field.type):
        return column.cast(field.type)
    before = known.get(field.name, column.dictionary)
    new = compute.filter(column.dictionary, compute.invert(compute.is_in(column.dictionary, before)))
    known[field.name] = whole = pa.concat_arrays([before, new]) if len(new) else before
    codes = compute.index_in(column.dictionary, whole).take(column.indices).cast(field.type.index_type)
    return pa.DictionaryArray.from_arrays(codes, whole, ordered=field.type.ordered)


FORMAT = FileFormat(
    name="Arrow",
    open=_open,
    endings=(".arrow", ".feather", ".ipc", ".arrows"),
    starts=(FILE, STREAM, FEATHER_1),
    ending_suffices=True,
    write={".arrow": write_arrow, ".feather": write_arrow},
)
