"""Read Parquet: one file, or a folder of files.

Columns that are stored as dictionaries are read as codes. Only their distinct values are turned into text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING

from PETWorks.errors import CellText, MalformedError, SourceError
from PETWorks.progress import report_share
from PETWorks.settings.sections import Reading
from PETWorks.tables.counting.count import Batch
from PETWorks.tables.counting.workspace import AMPLE_MEMORY, scale_batch
from PETWorks.tables.formats import FileFormat
from PETWorks.tables.source import TableSource, check_column_names
from PETWorks.tables.text_form import encode

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

    from PETWorks.tables.rewriting.cells import Rewriting

BATCH_ROWS = 2**18  # rows that are read at a time
CODE_BYTES = 4  # largest size of a code, in bytes
DICTIONARY_BYTES = 2**20  # largest size of the dictionary of values that most writers of Parquet store


class ParquetSource(TableSource):
    """The rows of one Parquet file, or of all Parquet files in a folder, sorted by name."""

    def __init__(self, path: Path, name: str) -> None:
        import pyarrow.parquet as pq

        self.name = name or path.resolve().name
        self.folder = path if path.is_dir() else None
        self._files = sorted(path.rglob("*.parquet")) if path.is_dir() else [path]
        if not self._files:
            hint = "name a CSV or Parquet file, or a folder with *.parquet files"
            raise MalformedError("the folder holds no .parquet file", where=self.name, hint=hint, figures={})
        if path.is_dir() and (split := [file for file in self._files if "=" in str(file.parent.relative_to(path))]):
            folder = split[0].parent.relative_to(path)
            problem = 'a column is stored in the names of folders such as "{folder}", and would be lost'
            hint, figures = "write the table with all its columns into the files", {"folder": CellText(str(folder))}
            raise MalformedError(problem, where=self.name, hint=hint, figures=figures)
        headers, self._rows = list[list[str]](), 0
        for file in self._files:
            with self._translate_errors(file):
                metadata = pq.read_metadata(file)
                headers.append(metadata.schema.to_arrow_schema().names)
                self._rows += metadata.num_rows
        self.columns = check_column_names(headers[0], self.name)
        for file, header in zip(self._files, headers, strict=True):
            if set(header) != set(headers[0]):
                problem = f"its columns differ from those of {self._files[0].name}"
                hint = "keep only the files of one table in the folder"
                raise MalformedError(problem, where=file.name, hint=hint)
        self._stored = headers[0]

    def set_path(self, path: Path) -> None:
        """Continue with the file under a new path."""
        super().set_path(path)
        self._files = [path]

    @property
    def stored_columns(self) -> Sequence[str]:
        """The names of the columns in the first file."""
        return self._stored

    @property
    def files(self) -> Sequence[Path]:
        """The path of the file, or of all files in the folder."""
        return self._files

    @property
    def form(self) -> tuple[str, ...]:
        """Parquet, and the number of files if there are several."""
        return ("Parquet", f"{len(self._files):,} files") if len(self._files) > 1 else ("Parquet",)

    def batches(self, columns: Sequence[str]) -> Iterator[Batch]:
        """Yield the rows of all files."""
        return (batch for batch, _ in self.read_typed(columns, ()))

    def read_typed(self, coded: Sequence[str], kept: Sequence[str]) -> Iterator[tuple[Batch, list[pa.Array]]]:
        """Yield the rows of all files. Columns that are not coded have the types of the first file."""
        import pyarrow.parquet as pq

        stored = dict(zip(self.columns, self._stored, strict=True))
        wanted, others = [stored[name] for name in coded], [stored[name] for name in kept]
        types: list[pa.DataType] = []
        rows, large = 0, self._rows > BATCH_ROWS  # for a single batch, starting threads takes longer than it saves
        for path in self._files:
            with self._translate_errors(path), pq.ParquetFile(path) as plain:
                schema = plain.schema_arrow
                types = types or [schema.field(name).type for name in others]
                # a dictionary holds the values of a whole group of rows: fast, but large
                texts = _find_coded(plain, schema, wanted) if self.memory >= AMPLE_MEMORY else []
            with (
                self._translate_errors(path),
                pq.ParquetFile(
                    path, metadata=plain.metadata, read_dictionary=texts, page_checksum_verification=True
                ) as file,
            ):
                size, chosen = scale_batch(BATCH_ROWS, self.memory), [*wanted, *others]
                for batch in file.iter_batches(size, columns=chosen, use_threads=large):
                    cells = [batch.column(name).cast(kind) for name, kind in zip(others, types, strict=True)]
                    place = path.name if len(self._files) > 1 else self.name
                    yield [encode(batch.column(name), f"{place}, {name}") for name in wanted], cells
                    rows += batch.num_rows
                    report_share(rows / self._rows)

    @contextmanager
    def _translate_errors(self, path: Path) -> Iterator[None]:
        """Turn Arrow's errors about a file into a SourceError."""
        import pyarrow as pa

        try:
            yield
        except (pa.ArrowException, OSError) as error:
            name = self.name if len(self._files) == 1 else path.name
            reason = " ".join(str(error).replace(str(path), name).split())
            hint = "check that it was written completely; download or write it again"
            figures = {"reason": CellText(f"{reason:.200}")}
            raise SourceError("not readable as Parquet: {reason}", where=name, hint=hint, figures=figures) from error


def _find_coded(file: pq.ParquetFile, schema: pa.Schema, names: Sequence[str]) -> list[str]:
    """Return the columns that are stored as codes. Writers store columns with many values as plain values."""
    from pyarrow.types import is_nested

    places = {file.schema.column(place).path: place for place in range(len(file.schema))}
    groups = [file.metadata.row_group(number) for number in range(file.metadata.num_row_groups)]

    def is_coded(name: str) -> bool:
        if name not in places or is_nested(schema.field(name).type):
            return False
        chunks = [group.column(places[name]) for group in groups]
        size = sum(chunk.total_uncompressed_size for chunk in chunks)
        return bool(size <= sum(CODE_BYTES * chunk.num_values + DICTIONARY_BYTES for chunk in chunks))

    return [name for name in names if is_coded(name)]


def _open(path: Path, name: str, _: Reading) -> TableSource:
    return ParquetSource(path, name)


def _write(rewriting: Rewriting, rows: Iterator[pa.RecordBatch], file: IO[bytes]) -> None:
    from PETWorks.tables.rewriting.files import write_parquet

    write_parquet(rewriting, rows, file)


FORMAT = FileFormat(
    name="Parquet",
    open=_open,
    endings=(".parquet",),
    starts=(b"PAR1",),
    reads_folders=True,
    write={".parquet": _write},
)
