"""Write a release to a file: CSV or Parquet."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Iterator
from gzip import GzipFile
from itertools import chain
from typing import IO, TYPE_CHECKING

import numpy as np

from PETWorks.errors import OutputError
from PETWorks.sources.rewriting.batches import plain_schema, record_batches
from PETWorks.sources.rewriting.lines import Lines
from PETWorks.sources.rewriting.rewriting import Rewriting

if TYPE_CHECKING:
    import pyarrow as pa

GROUP_ROWS = 2**19  # rows of a group in a Parquet file
COMPRESSION = 6  # of gzip
ARROW_SCHEMA = "ARROW:schema"  # the entry of a Parquet file that tells Arrow the types of its columns


def write_csv(rewriting: Rewriting, file: IO[bytes]) -> None:
    """Write UTF-8 text, with the delimiter and line ends of the original if it is a CSV file."""
    import pyarrow as pa

    lines = Lines.of(rewriting)
    file.write(lines.header())
    for batch in rewriting.ordered(pa.record_batch([rows], ["line"]) for rows in lines.batches()):
        if batch.num_rows:
            (rows,) = batch.columns
            _, offsets, data = rows.buffers()
            bounds = np.frombuffer(offsets, dtype=np.int64)[rows.offset : rows.offset + len(rows) + 1]
            file.write(memoryview(data)[bounds[0] : bounds[-1]])


def write_gzipped_csv(rewriting: Rewriting, file: IO[bytes]) -> None:
    """Write the same, compressed. The same text gives the same bytes: they contain neither a name nor a time."""
    with GzipFile("", "wb", COMPRESSION, file, mtime=0) as compressed:
        write_csv(rewriting, compressed)  # type: ignore[arg-type]  # a binary file all the same


def write_parquet(rewriting: Rewriting, file: IO[bytes]) -> None:
    """Write Parquet: columns that stay as they are keep their types, the others are text."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    batches = record_batches(rewriting)
    first = next(batches)
    plain = plain_schema(rewriting, first.schema)
    try:
        with pq.ParquetWriter(file, first.schema, store_schema=False) as writer:
            writer.add_key_value_metadata({ARROW_SCHEMA: b64encode(plain.serialize()).decode()})
            for table in _groups(chain([first], batches)):
                writer.write_table(table, GROUP_ROWS)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError) as error:
        problem = f"a column cannot be stored as Parquet: {error}"
        raise OutputError(problem, hint="write a CSV file, or convert the column") from error


def _groups(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.Table]:
    """Yield the rows in groups of the size that is written at a time."""
    import pyarrow as pa

    waiting = list[pa.RecordBatch]()
    for batch in batches:
        waiting.append(batch)
        if sum(one.num_rows for one in waiting) >= GROUP_ROWS:
            yield pa.Table.from_batches(waiting)
            waiting.clear()
    if waiting:
        yield pa.Table.from_batches(waiting)
