"""Write combinations to disk, in parts. All combinations of a class are in one part, so each part is counted by itself.

The temporary file has no name in the file system. The system deletes it when the process ends, even after a crash.
"""

from __future__ import annotations

import pickle
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import pairwise
from types import TracebackType
from typing import Self

import numpy as np

from PETWorks.counting.tally import Coded, IntArray, Key, Tally, narrow
from PETWorks.counting.texts import Texts
from PETWorks.errors import SourceError

PARTS = 256  # number of parts that combinations are divided into
MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)  # for Fibonacci hashing: 2^64 divided by the golden ratio


class Spill:
    """A file of combinations with their counts; the values of the columns `by` decide the part of a combination."""

    def __init__(self, folder: str | None, by: Sequence[Key]) -> None:
        self._by = by
        self._folder = folder or tempfile.gettempdir()
        with writable(self._folder):
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
                with writable(self._folder):
                    pieces.append((self._file.tell(), self._file.write(written)))

    def parts(self) -> Iterator[tuple[int, Iterator[tuple[list[Coded], IntArray]]]]:
        """Return, for each part that is not empty, its size in bytes and an iterator over its combinations."""
        with writable(self._folder):
            self._file.flush()
        return ((sum(length for _, length in pieces), self._read(pieces)) for pieces in self._pieces if pieces)

    def _read(self, pieces: Sequence[tuple[int, int]]) -> Iterator[tuple[list[Coded], IntArray]]:
        for start, _ in pieces:
            self._file.seek(start)
            columns, counts = pickle.load(self._file)  # noqa: S301 (nobody else can write to this file)
            yield [Coded(codes, values) for codes, values in columns], counts

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
def writable(folder: str) -> Iterator[None]:
    """Turn an error of the operating system about a temporary file into a SourceError."""
    try:
        yield
    except OSError as error:
        problem = f"temporary files cannot be written: {error.strerror or error}"
        hint = "free space on that disk, or name another folder: temporary="
        raise SourceError(problem, where=folder, hint=hint) from error


def _written(tally: Tally, rows: IntArray) -> bytes:
    """Write some combinations as bytes; values that do not occur in them are left out if there are many."""
    columns = []
    for column in tally.columns.values():
        codes, values = column.codes[rows], column.values
        if len(values) > len(rows):
            used, codes = np.unique(codes, return_inverse=True)
            codes = narrow(codes, len(used))
            values = values.taken(used) if isinstance(values, Texts) else [values[code] for code in used.tolist()]
        columns.append((codes, values))
    return pickle.dumps((columns, tally.counts[rows]))
