"""Put rows in random order, within a memory limit.

Each row gets a random key, and the rows are sorted by their keys. So every order is equally likely, and a seed gives
the same order whatever the memory. Rows that do not fit in memory are written to a nameless file, and sorted range by
range.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from itertools import chain, pairwise
from math import ceil
from typing import IO, TYPE_CHECKING

import numpy as np

from PETWorks.tables.counting.tally import IntArray
from PETWorks.tables.counting.texts import integer_array
from PETWorks.tables.counting.workspace import Workspace, translate_write_errors

if TYPE_CHECKING:
    import pyarrow as pa

PART_SHARE = 0.1  # share of the memory that the rows of one range of keys may take up
MAX_PART_BYTES = 2**28  # bytes that they may take up at most
KEY = ""  # the name of the column of keys; no column of a table has this name
BATCH_ROWS = 2**18  # rows that are yielded at a time


@dataclass(frozen=True)
class Shuffle:
    """A random order of rows. Without a seed, nobody can reproduce it."""

    seed: int | None = None
    workspace: Workspace = field(default_factory=Workspace)

    def make_key_generator(self) -> Callable[[int], IntArray]:
        """Return a function that draws a number of random 64-bit keys; each call draws further ones."""
        if self.seed is not None:
            return np.random.PCG64(self.seed).random_raw
        return lambda rows: np.frombuffer(os.urandom(8 * rows), dtype=np.uint64)

    def apply(self, batches: Iterable[pa.RecordBatch], rows: int) -> Iterator[pa.RecordBatch]:
        """Yield the rows of all batches, of which there are so many, in random order."""
        draw, found = self.make_key_generator(), iter(batches)
        if (first := next(found, None)) is None:
            return
        expected = first.nbytes / max(1, first.num_rows) * rows
        parts = max(1, ceil(expected / min(MAX_PART_BYTES, self.workspace.memory * PART_SHARE)))
        keyed = (batch.append_column(KEY, integer_array(draw(batch.num_rows))) for batch in chain([first], found))
        yield from _sort(keyed) if parts == 1 else self._sort_by_parts(keyed, parts)

    def _sort_by_parts(self, keyed: Iterable[pa.RecordBatch], parts: int) -> Iterator[pa.RecordBatch]:
        """Write the rows to a temporary file, and sort them range by range."""
        folder = self.workspace.folder or tempfile.gettempdir()
        with translate_write_errors(folder):
            file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 (closed below)
        with closing(file):
            starts: list[list[int]] = [[] for _ in range(parts)]
            for batch in keyed:
                for part, written in _split_by_key(batch, parts):
                    with translate_write_errors(folder):
                        starts[part].append(file.tell())
                        file.write(written)
            for some in starts:
                yield from _sort(chain.from_iterable(_read_batches(file, start) for start in some))


def _split_by_key(batch: pa.RecordBatch, parts: int) -> Iterator[tuple[int, pa.Buffer]]:
    """Yield the rows of each range of keys, as bytes."""
    import pyarrow as pa

    keys: IntArray = np.from_dlpack(batch.column(KEY))
    part = (keys // np.uint64(-(-(2**64) // parts))).astype(np.int64)
    order = np.argsort(part, kind="stable")
    bounds = np.searchsorted(part[order], np.arange(parts + 1)).tolist()
    rows = batch.take(integer_array(order))
    for number, (start, end) in enumerate(pairwise(bounds)):
        if start < end:
            sink = pa.BufferOutputStream()
            with pa.ipc.new_stream(sink, rows.schema) as stream:
                stream.write_batch(rows.slice(start, end - start))
            yield number, sink.getvalue()


def _read_batches(file: IO[bytes], start: int) -> list[pa.RecordBatch]:
    import pyarrow as pa

    file.seek(start)
    with pa.ipc.open_stream(file) as stream:
        return list(stream)


def _sort(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield the rows in the order of their keys, without the keys."""
    import pyarrow as pa

    if found := list(batches):
        table = pa.Table.from_batches(found).combine_chunks()
        order = np.argsort(np.from_dlpack(table.column(KEY).chunk(0)), kind="stable")
        yield from table.drop_columns(KEY).take(integer_array(order)).to_batches(BATCH_ROWS)
