"""Parquet: one file, or a folder of them. Columns stored as dictionaries are read as codes, cells never become text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from PETWorks.counting.count import Batch
from PETWorks.errors import MalformedError, SourceError
from PETWorks.progress import reached
from PETWorks.sources.source import Source, column_names
from PETWorks.sources.text_form import encode

BATCH_ROWS = 2**18


class ParquetSource(Source):
    """The rows of one Parquet file, or of all in a folder, in the order of their names."""

    def __init__(self, path: Path) -> None:
        import pyarrow.parquet as pq

        self.name = path.name or str(path.resolve())
        self._files = sorted(path.rglob("*.parquet")) if path.is_dir() else [path]
        if not self._files:
            hint = "name a CSV or Parquet file, or a folder of *.parquet"
            raise MalformedError("the folder holds no .parquet file", where=self.name, hint=hint)
        if path.is_dir() and (split := [file for file in self._files if "=" in str(file.parent.relative_to(path))]):
            problem = (
                f'the folder is split by columns, as in "{split[0].parent.relative_to(path)}", which would be lost'
            )
            raise MalformedError(problem, where=self.name, hint="write the table with all its columns into the files")
        headers, self._rows = [], 0
        for file in self._files:
            with _readable(file):
                metadata = pq.read_metadata(file)
                headers.append(metadata.schema.to_arrow_schema().names)
                self._rows += metadata.num_rows
        self.columns = column_names(headers[0], self.name)
        for file, header in zip(self._files, headers, strict=True):
            if set(header) != set(headers[0]):
                problem = f"its columns differ from those of {self._files[0].name}"
                raise MalformedError(problem, where=file.name, hint="keep files of one table in a folder")
        self._stored = dict(zip(self.columns, headers[0], strict=True))

    @property
    def files(self) -> Sequence[Path]:
        """The file, or all in the folder."""
        return self._files

    @property
    def form(self) -> tuple[str, ...]:
        """Parquet, and how many files where there are several."""
        return ("Parquet", f"{len(self._files):,} files") if len(self._files) > 1 else ("Parquet",)

    def batches(self, columns: Sequence[str]) -> Iterator[Batch]:
        """Give the rows of all files."""
        import pyarrow.parquet as pq
        from pyarrow.types import is_nested

        wanted = [self._stored[name] for name in columns]
        rows, large = 0, self._rows > BATCH_ROWS  # for one batch, threads cost more than they give
        for path in self._files:
            with _readable(path), pq.ParquetFile(path) as plain:
                texts = [name for name in wanted if not is_nested(plain.schema_arrow.field(name).type)]
            with _readable(path), pq.ParquetFile(path, metadata=plain.metadata, read_dictionary=texts) as file:
                for batch in file.iter_batches(BATCH_ROWS, columns=wanted, use_threads=large):
                    yield [encode(batch.column(name), f"{path.name}, {name}") for name in wanted]
                    rows += batch.num_rows
                    reached(rows / self._rows)


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    """Turn Arrow's complaints about a file into ours."""
    import pyarrow as pa

    try:
        yield
    except (pa.ArrowException, OSError) as error:
        reason = " ".join(str(error).split())
        hint = "was it written to its end? fetch or write it anew"
        raise SourceError(f"not readable as Parquet: {reason:.200}", where=path.name, hint=hint) from error
