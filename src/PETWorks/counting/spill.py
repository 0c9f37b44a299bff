"""Write combinations to disk, in parts. All combinations of a class are in one part, so each part is counted by itself.

The temporary file has no name in the file system. The system deletes it when the process ends, even after a crash.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import pairwise
from types import TracebackType
from typing import TYPE_CHECKING, Self

import numpy as np

from PETWorks.counting.tally import Coded, IntArray, Key, Tally
from PETWorks.errors import SourceError

if TYPE_CHECKING:
    import pyarrow as pa

PARTS = 256  # number of parts that combinations are divided into
MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)  # for Fibonacci hashing: 2^64 divided by the golden ratio


class Spill:
    """A file of combinations with their counts; the values of the columns `by` decide the part of a combination."""

    def __init__(self, folder: str | None, by: Sequence[Key]) -> None:
        self._by = by
        self._folder = folder or tempfile.gettempdir()
        with self._writable():
            self._file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 (it is closed on leaving)
        self._pieces: list[list[tuple[int, int]]] = [[] for _ in range(PARTS)]  # offset and length of each

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with suppress(OSError):  # closing flushes; if the disk is full, that error was already raised by `put`
            self._file.close()

    def put(self, tally: Tally) -> None:
        """Write combinations to their parts."""
        parts = self._parts_of(tally)
        order = np.argsort(parts, kind="stable")
        bounds = np.searchsorted(parts[order], np.arange(PARTS + 1)).tolist()
        for pieces, (start, end) in zip(self._pieces, pairwise(bounds), strict=True):
            if start < end:
                written = _written(tally, order[start:end])
                with self._writable():
                    pieces.append((self._file.tell(), self._file.write(written)))

    def parts(self) -> Iterator[tuple[int, Iterator[tuple[list[Coded], IntArray]]]]:
        """Return, for each part that is not empty, its size in bytes and an iterator over its combinations."""
        with self._writable():
            self._file.flush()
        return ((sum(length for _, length in pieces), self._read(pieces)) for pieces in self._pieces if pieces)

    def _read(self, pieces: Sequence[tuple[int, int]]) -> Iterator[tuple[list[Coded], IntArray]]:
        import pyarrow as pa

        for start, length in pieces:
            self._file.seek(start)
            *columns, counts = pa.ipc.open_stream(self._file.read(length)).read_next_batch().columns
            decoded = [Coded(np.from_dlpack(one.indices), one.dictionary.to_pylist()) for one in columns]
            yield decoded, np.from_dlpack(counts)

    def _parts_of(self, tally: Tally) -> IntArray:
        """Return the part of each combination. It depends on the values only, not on the codes of this tally."""
        mixed = np.zeros(len(tally.counts), dtype=np.uint64)
        for key in self._by:
            column = tally.columns[key]
            hashes = np.array([hash(value) for value in column.values], dtype=np.int64).view(np.uint64)
            mixed = (mixed ^ hashes[column.codes]) * MULTIPLIER
            mixed ^= mixed >> np.uint64(32)
        return (mixed % np.uint64(PARTS)).astype(np.int64)

    @contextmanager
    def _writable(self) -> Iterator[None]:
        """Turn an error of the operating system about the temporary file into a SourceError."""
        try:
            yield
        except OSError as error:
            problem = f"temporary files cannot be written: {error.strerror or error}"
            hint = "free space on that disk, or name another folder: temporary=, --temporary"
            raise SourceError(problem, where=self._folder, hint=hint) from error


def _written(tally: Tally, rows: IntArray) -> pa.Buffer:
    """Write some combinations as an Arrow stream; values that do not occur in them may be left out."""
    import pyarrow as pa

    columns = []
    for column in tally.columns.values():
        codes, values = column.codes[rows], column.values
        if len(values) > len(rows):
            used, codes = np.unique(codes, return_inverse=True)
            values = [values[code] for code in used.tolist()]
        try:
            texts = pa.array(values, pa.large_string())
        except UnicodeEncodeError as error:
            problem = "a cell holds half a surrogate pair, which is not valid Unicode"
            raise SourceError(problem, hint="write the table anew as UTF-8") from error
        columns.append(pa.DictionaryArray.from_arrays(pa.array(codes.astype(np.int32)), texts))
    batch = pa.record_batch([*columns, pa.array(tally.counts[rows])], [str(place) for place in range(len(columns) + 1)])
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema) as stream:
        stream.write_batch(batch)
    return sink.getvalue()
