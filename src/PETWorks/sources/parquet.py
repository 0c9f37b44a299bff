"""Parquet: one file, or a folder of them. Columns stored as dictionaries are read as codes, cells never become text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from PETWorks.errors import MalformedError, SourceError
from PETWorks.sources.source import Batch, Source, column_names
from PETWorks.sources.text import encode

BATCH_ROWS = 2**20


class ParquetSource(Source):
    """The rows of one Parquet file, or of all in a folder, in the order of their names."""

    def __init__(self, path: Path) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        self.name = path.name
        self._files = sorted(path.rglob("*.parquet")) if path.is_dir() else [path]
        if not self._files:
            raise MalformedError("the folder holds no .parquet file", where=self.name)
        try:
            headers = [pq.read_schema(file).names for file in self._files]
        except pa.ArrowException as error:
            raise SourceError(f"not readable as Parquet: {error}", where=self.name) from error
        self.columns = column_names(headers[0], self.name)
        for file, header in zip(self._files, headers, strict=True):
            if set(header) != set(headers[0]):
                raise MalformedError(f"its columns differ from those of {self._files[0].name}", where=file.name)
        self._stored = dict(zip(self.columns, headers[0], strict=True))

    def batches(self, columns: Sequence[str]) -> Iterator[Batch]:
        """Give the rows of all files."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        wanted = [self._stored[name] for name in columns]
        for path in self._files:
            try:
                with pq.ParquetFile(path, read_dictionary=wanted) as file:
                    for batch in file.iter_batches(BATCH_ROWS, columns=wanted):
                        yield [encode(batch.column(name)) for name in wanted]
            except pa.ArrowException as error:
                raise SourceError(f"not readable as Parquet: {error}", where=path.name) from error
