"""`Rewriting`: the released cells of each combination of quasi-identifiers, applied to the rows of the original.

`DividedRewriting` is for tables in which rows with equal values may be released differently. `RewrittenSource` reads a
release that is not written yet: the rows of the original with their released cells.

`Shuffle` puts rows in random order, within a memory limit. Each row gets a random key, and the rows are sorted by their
keys. So every order is equally likely, and a seed gives the same order whatever the memory. Rows that do not fit in
memory are written to a nameless file, and sorted range by range.
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
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from PETWorks.errors import OutputError, SourceError
from PETWorks.progress import report_rows
from PETWorks.tables.counting.count import Batch
from PETWorks.tables.counting.tally import Coded, Lookup, Mask, Tally
from PETWorks.tables.source import ReadAgainError, TableSource

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
        if not rows:
            yield first.slice(0, 0)  # for its columns
            return
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


CHANGED = "the rows are not those that were counted: the table changed while the release was made"
T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Rewriting:
    """A table, and the released cells of each combination of its quasi-identifiers."""

    source: TableSource
    before: Tally  # the combinations of quasi-identifiers
    after: Mapping[str, Coded]  # by column, the released cell of each combination
    removed: Mask | None = None  # True for combinations whose rows are left out; None: all rows are kept
    marked: frozenset[str] = frozenset()  # columns whose cells all become the marker
    dropped: frozenset[str] = frozenset()  # columns that are left out
    marker: str = "*"
    encoding: str = "utf-8"  # of a CSV file, or "utf-8-sig": with a byte-order mark
    shuffle: Shuffle | None = None  # None: the rows stay in order
    about: Sequence[Sequence[str]] = ()  # what was done to each column, line by line, for formats that hold it
    folder: str | None = None  # of temporary files; None: that of the system

    @cached_property
    def coded(self) -> list[str]:
        """The columns that determine the released cells: the quasi-identifiers."""
        return [str(key) for key in self.before.columns]

    @cached_property
    def columns(self) -> list[str]:
        """The columns of the release."""
        return [name for name in self.source.columns if name not in self.dropped]

    @cached_property
    def kept(self) -> list[str]:
        """The columns that are written unchanged."""
        return [name for name in self.columns if name not in self.marked and name not in self.after]

    @cached_property
    def rows(self) -> int:
        """The number of rows of the release."""
        return int(self.before.counts.sum() if self.removed is None else self.before.counts[~self.removed].sum())

    @cached_property
    def replacements(self) -> dict[str, Coded]:
        """For each combination, the released cells of all columns that are not written unchanged."""
        marks = Coded(np.zeros(len(self.before.counts), dtype=np.int64), [self.marker])
        return {name: self.after.get(name, marks) for name in self.columns if name in self.after or name in self.marked}

    @cached_property
    def unchanged(self) -> dict[str, Coded]:
        """The replaced columns whose cells equal the original in all retained rows: they keep their types.

        Their values are those of the retained rows.
        """
        retained = slice(None) if self.removed is None else ~self.removed
        original = {str(key): column for key, column in self.before.columns.items()}
        return {
            name: _restrict(original[name], retained)
            for name, column in self.after.items()
            if name in original and _is_same(original[name].take(retained), column.take(retained))
        }

    @cached_property
    def _lookup(self) -> Lookup:
        return Lookup(self.before)

    def find(self, batch: Batch) -> tuple[IntArray, IntArray | slice]:
        """Return the combination of each retained row, and the indices of these rows in the batch."""
        found = self._look_up_combinations(batch)
        if self.removed is None or not (gone := self.removed[found]).any():
            return found, slice(None)
        rows = np.flatnonzero(~gone)
        return found[rows], rows

    def _look_up_combinations(self, batch: Batch) -> IntArray:
        found = self._lookup.find(batch)
        if found.size and found.min() < 0:
            raise self.changed
        return found

    @property
    def changed(self) -> SourceError:
        """The error for a table whose rows are not those that were counted."""
        return SourceError(
            CHANGED, where=self.source.name, hint="make the release again from a table that stays as it is", figures={}
        )

    def put_in_order(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield the rows of the release in their final order; raise an error if rows are missing or too many."""
        found = self._require_all(batches)
        return self.shuffle.apply(found, self.rows) if self.shuffle else found

    def _require_all(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        rows = 0
        for batch in batches:
            rows += batch.num_rows
            yield batch
        if rows != self.rows:
            problem = "the rows to be written are not those of the release: some are missing, or were to be removed"
            raise OutputError(problem, where=self.source.name, hint="choose another file format, and report this")

    def check_batches(self, batches: Iterable[tuple[Batch, T]]) -> Iterator[tuple[Batch, T]]:
        """Yield the batches of the source; raise an error if they are not the rows that were counted."""
        rows = 0
        try:
            for batch, others in batches:
                rows += batch[0].size
                yield batch, others
                report_rows(batch[0].size)
        except ReadAgainError as error:
            raise self.changed from error
        except Exception:
            self.source.check_unchanged()  # the change may be the reason
            raise
        self.source.check_unchanged()
        if rows != self.before.rows:
            raise self.changed


def _is_same(before: Coded, after: Coded) -> bool:
    """Return True if two columns have the same values, entry by entry."""
    place = {value: code for code, value in enumerate(after.values)}
    codes = np.array([place.get(value, -1) for value in before.values], dtype=np.int64)
    return bool((codes[before.codes] == after.codes).all())


def _restrict(column: Coded, rows: Mask | slice) -> Coded:
    """Return a column with only the values of some entries; other entries get the first of these."""
    kept = column.take(rows).trim()
    place = {value: code for code, value in enumerate(kept.values)}
    return Coded(np.array([place.get(value, 0) for value in column.values], dtype=np.int64)[column.codes], kept.values)


class DividedRewriting(Rewriting):
    """A table, and the released cells of each *piece*: some of the rows that have equal values in some columns.

    `before` also has the sensitive attributes. Several pieces may have the same values; these pieces are adjacent. In
    the order of the table, the first rows with these values belong to the first of these pieces, and so on.
    """

    @cached_property
    def _first_pieces(self) -> IntArray:
        """The first piece of each combination of values."""
        new = np.zeros(len(self.before.counts), dtype=bool)
        new[:1] = True
        for column in self.before.columns.values():
            new[1:] |= column.codes[1:] != column.codes[:-1]
        return np.flatnonzero(new)

    @cached_property
    def _lookup(self) -> Lookup:
        return Lookup(self.before.where(self._first_pieces))

    def check_batches(self, batches: Iterable[tuple[Batch, T]]) -> Iterator[tuple[Batch, T]]:
        """Yield the batches with the index of each row's piece in place of the first column.

        Later, batches are processed in threads and may be out of order, so pieces are assigned here.
        """
        ends = np.cumsum(self.before.counts)  # rows are numbered piece by piece
        following = (
            ends[self._first_pieces] - self.before.counts[self._first_pieces]
        )  # by combination, the number of its next row
        lasts = np.append(following[1:], ends[-1:])
        for batch, others in super().check_batches(batches):
            values = super()._look_up_combinations(batch[: len(self.coded)])
            numbers = following[values] + _count_equal_before(values)
            if (numbers >= lasts[values]).any():
                raise self.changed
            following += np.bincount(values, minlength=len(following))
            pieces = np.searchsorted(ends, numbers, side="right")
            yield [Coded(pieces, ()), *batch[1:]], others

    def _look_up_combinations(self, batch: Batch) -> IntArray:
        return batch[0].codes


def _count_equal_before(values: IntArray) -> IntArray:
    """Return, for each entry, how many entries before it have the same value.

    >>> _count_equal_before(np.array([5, 7, 5, 5, 7])).tolist()
    [0, 0, 1, 2, 1]
    """
    order = np.argsort(values, kind="stable")
    starts = np.flatnonzero(np.append(True, np.diff(values[order]) != 0)[: len(values)])
    sizes = np.diff(np.append(starts, len(values)))
    found = np.empty(len(values), dtype=np.int64)
    found[order] = np.arange(len(values)) - np.repeat(starts, sizes)
    return found


class RewrittenSource(TableSource):
    """The rows of a release that is not written yet, in the order of the original."""

    def __init__(self, rewriting: Rewriting) -> None:
        self.name = f"{rewriting.source.name}, anonymized"
        self.columns = tuple(rewriting.columns)
        self._rewriting = rewriting

    @property
    def encoding(self) -> str | None:
        """None: it is not in a file."""
        return None

    def batches(self, columns: Sequence[str]) -> Iterator[Batch]:
        """Read the original, and replace cells."""
        rewriting = self._rewriting
        kept = [name for name in columns if name not in rewriting.replacements]
        names = list(dict.fromkeys([*rewriting.coded, *kept]))
        read = rewriting.source.batches(names)
        for batch, _ in rewriting.check_batches((batch, None) for batch in read):
            found, rows = rewriting.find(batch[: len(rewriting.coded)])
            cells = {name: column.take(found) for name, column in rewriting.replacements.items() if name in columns}
            cells |= {name: batch[names.index(name)].take(rows) for name in kept}
            yield [cells[name] for name in columns]
