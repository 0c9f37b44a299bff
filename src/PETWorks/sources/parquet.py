"""Read Parquet: one file, or a folder of files.

Columns that are stored as dictionaries are read as codes. Only their distinct values are turned into text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from PETWorks.counting.count import Batch
from PETWorks.counting.memory import AMPLE, scaled
from PETWorks.errors import MalformedError, SourceError
from PETWorks.progress import reached
from PETWorks.sources.source import Source, column_names
from PETWorks.sources.text_form import encode

BATCH_ROWS = 2**18  # rows that are read at a time


class ParquetSource(Source):
    """The rows of one Parquet file, or of all Parquet files in a folder, sorted by name."""

    def __init__(self, path: Path, name: str) -> None:
        import pyarrow.parquet as pq

        self.name = name or path.resolve().name
        self._files = sorted(path.rglob("*.parquet")) if path.is_dir() else [path]
        if not self._files:
            hint = "name a CSV or Parquet file, or a folder with *.parquet files"
            raise MalformedError("the folder holds no .parquet file", where=self.name, hint=hint)
        if path.is_dir() and (split := [file for file in self._files if "=" in str(file.parent.relative_to(path))]):
            folder = split[0].parent.relative_to(path)
            problem = f'a column is stored in the names of folders such as "{folder}", and would be lost'
            raise MalformedError(problem, where=self.name, hint="write the table with all its columns into the files")
        headers, self._rows = [], 0
        for file in self._files:
            with self._readable(file):
                metadata = pq.read_metadata(file)
                headers.append(metadata.schema.to_arrow_schema().names)
                self._rows += metadata.num_rows
        self.columns = column_names(headers[0], self.name)
        for file, header in zip(self._files, headers, strict=True):
            if set(header) != set(headers[0]):
                problem = f"its columns differ from those of {self._files[0].name}"
                hint = "keep only the files of one table in the folder"
                raise MalformedError(problem, where=file.name, hint=hint)
        self._stored = dict(zip(self.columns, headers[0], strict=True))

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
        import pyarrow.parquet as pq
        from pyarrow.types import is_nested

        wanted = [self._stored[name] for name in columns]
        rows, large = 0, self._rows > BATCH_ROWS  # for a single batch, starting threads takes longer than it saves
        for path in self._files:
            with self._readable(path), pq.ParquetFile(path) as plain:
                texts = [name for name in wanted if not is_nested(plain.schema_arrow.field(name).type)]
            if self.memory < AMPLE:  # dictionaries are those of whole groups of rows: fast, but large
                texts = []
            with (
                self._readable(path),
                pq.ParquetFile(
                    path, metadata=plain.metadata, read_dictionary=texts, page_checksum_verification=True
                ) as file,
            ):
                for batch in file.iter_batches(scaled(BATCH_ROWS, self.memory), columns=wanted, use_threads=large):
                    yield [encode(batch.column(name), f"{path.name}, {name}") for name in wanted]
                    rows += batch.num_rows
                    reached(rows / self._rows)

    @contextmanager
    def _readable(self, path: Path) -> Iterator[None]:
        """Turn Arrow's errors about a file into a SourceError."""
        import pyarrow as pa

        try:
            yield
        except (pa.ArrowException, OSError) as error:
            name = self.name if len(self._files) == 1 else path.name
            reason = " ".join(str(error).replace(str(path), name).split())
            hint = "check that it was written completely; download or write it again"
            raise SourceError(f"not readable as Parquet: {reason:.200}", where=name, hint=hint) from error
