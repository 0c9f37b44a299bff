"""Pair the rows of an original and its release, by position or by a key column, and count the pairs."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

import numpy as np

from PETWorks.errors import PairingError, Quantity
from PETWorks.tables.counting.builder import VALUE_BYTES
from PETWorks.tables.counting.count import Batch, count
from PETWorks.tables.counting.size_histogram import Grouping
from PETWorks.tables.counting.tally import Before, Coded, Key, Tally, Value, narrow, recode
from PETWorks.tables.counting.workspace import Workspace
from PETWorks.tables.source import (
    TableSource,
    build_lone_key_error,
    build_missing_key_error,
    build_repeated_key_error,
    restart_on_change,
)


class PairedSources:
    """The rows of an original, each paired with its released row. Columns of the original are called `Before(name)`."""

    def __init__(
        self, original: TableSource, release: TableSource, key: str | None = None, *, removed: bool = False
    ) -> None:
        self.original = original
        self.release = release
        self.key = key
        self.removed = removed  # True: the release may lack rows of the original

    @restart_on_change
    def tally(
        self,
        before: Sequence[str],
        after: Sequence[str],
        workspace: Workspace | None = None,
        grouping: Grouping | None = None,
    ) -> Tally:
        """Count how often each combination of original and released values occurs."""
        if self.original.counts_in_cluster or self.release.counts_in_cluster:
            from PETWorks.tables.spark.source import tally_pairs

            return tally_pairs((self.original, self.release), self.key, before, after, workspace)
        keys: list[Key] = [*map(Before, before), *after]
        if self.key is None:
            pairs = self.read_in_order(before, after)
        else:
            pairs = self._pair_by_key(self.key, before, after, workspace or Workspace())
        try:
            return count(self.release.name, keys, pairs, workspace, grouping)
        finally:
            for source in (self.original, self.release):
                source.check_unchanged()

    def read_in_order(self, before: Sequence[str], after: Sequence[str]) -> Iterator[Batch]:
        """Yield the rows paired by position: columns of the original, then columns of the release."""
        return _pair_in_order([(self.original, before), (self.release, after)])

    def _pair_by_key(
        self, key: str, before: Sequence[str], after: Sequence[str], workspace: Workspace
    ) -> Iterator[Batch]:
        keys, *left = read_columns(self.original, [key, *before], workspace.memory // 2)
        other, *right = read_columns(self.release, [key, *after], workspace.memory // 2)
        for source, column in ((self.original, keys), (self.release, other)):
            _check_key(source, key, column)
        strange, lacking = set(other.values) - set(keys.values), set(keys.values) - set(other.values)
        if alone := [*strange, *(() if self.removed else lacking)]:
            raise build_lone_key_error(
                (self.original.name, self.release.name), key, sorted(map(str, alone)), len(alone)
            )
        row_of = np.empty(len(keys.values), dtype=np.int64)
        row_of[keys.codes] = np.arange(len(keys.codes))
        code_of = {value: code for code, value in enumerate(keys.values)}
        rows = row_of[np.array([code_of[value] for value in other.values], dtype=np.int64)[other.codes]]
        yield [*(column.take(rows) for column in left), *right]


class SourcesSideBySide:
    """The rows of several tables, paired by position."""

    def __init__(self, *sources: TableSource) -> None:
        self.sources = sources

    @restart_on_change
    def tally(self, columns: Sequence[str], workspace: Workspace | None = None) -> Tally:
        """Count how often each combination of values of all tables occurs; `name_column` names their columns."""
        keys: list[Key] = [name_column(number, name) for number in range(len(self.sources)) for name in columns]
        try:
            rows = _pair_in_order([(source, columns) for source in self.sources])
            return count(self.sources[0].name, keys, rows, workspace)
        finally:
            for source in self.sources:
                source.check_unchanged()


def name_column(number: int, column: str) -> str:
    """Return the name of a column of one of several tables that are read side by side."""
    return f"{number} {column}"


def _pair_in_order(tables: Sequence[tuple[TableSource, Sequence[str]]]) -> Iterator[Batch]:
    """Yield the rows of several tables, paired by position: the columns of the first, then those of the next."""
    queues = [_RowQueue(source.read_to_count(columns)) for source, columns in tables]
    while all([queue.load() for queue in queues]):  # noqa: C419 (all of them are made ready)
        rows = min(queue.waiting for queue in queues)
        yield [column for queue in queues for column in queue.take(rows)]
    for queue in queues:
        queue.skip()
    if len({queue.seen for queue in queues}) > 1:
        figures: dict[str, object] = {
            f"rows_{place}": Quantity(queue.seen, "row") for place, queue in enumerate(queues)
        }
        figures |= {f"table_{place}": source.name for place, (source, _) in enumerate(tables)}
        counts = ", ".join(f"{{rows_{place}}} in {{table_{place}}}" for place in range(len(queues)))
        hint = "to pair by position, both need the same number of rows; or pass a column that both have as key="
        raise PairingError(f"the rows cannot be paired: {counts}", hint=hint, figures=figures)


class _RowQueue:
    """A queue of rows that is filled batch by batch; any number of waiting rows can be taken."""

    def __init__(self, batches: Iterator[Batch]) -> None:
        self._batches = batches
        self._batch: Batch = ()
        self._start = 0
        self.waiting = 0
        self.seen = 0

    def load(self) -> bool:
        """Load the next batch if no rows wait. Return True if there are rows to take."""
        while not self.waiting:
            if (batch := next(self._batches, None)) is None:
                return False
            self._batch, self._start, self.waiting = batch, 0, batch[0].size
            self.seen += self.waiting
        return True

    def take(self, rows: int) -> list[Coded]:
        """Return the next rows of the present batch; at least so many must wait."""
        part = slice(self._start, self._start + rows)
        self._start += rows
        self.waiting -= rows
        return [column.take(part) for column in self._batch]

    def skip(self) -> None:
        """Skip the remaining rows, adding their number to `seen`."""
        self.waiting = 0
        while self.load():
            self.waiting = 0


def read_columns(source: TableSource, columns: Sequence[str], memory: int = sys.maxsize) -> list[Coded]:
    """Read whole columns, of which the first is the key; raise an error if they need more than `memory` bytes."""
    source.require(columns[:1], "the key", beside=columns)
    lexicons: list[dict[Value, int]] = [{} for _ in columns]
    parts: list[list[np.ndarray]] = [[] for _ in columns]
    held = 0
    for batch in source.read_to_count(columns):
        for lexicon, part, column in zip(lexicons, parts, batch, strict=True):
            part.append(narrow(recode(lexicon, column.values), len(lexicon))[column.codes])
            held += part[-1].nbytes
        if held + VALUE_BYTES * sum(map(len, lexicons)) > memory:
            problem = f'pairing by the key "{columns[0]}" needs more memory than the limit allows'
            hint = "raise memory_limit=, or sort both tables by the key and omit key="
            raise PairingError(problem, where=source.name, hint=hint)
    empty = np.zeros(0, dtype=np.uint8)
    columns_read = zip(parts, lexicons, strict=True)
    return [Coded(np.concatenate([empty, *part]), list(lexicon)).trim() for part, lexicon in columns_read]


def _check_key(source: TableSource, key: str, column: Coded) -> None:
    if None in column.values:
        raise build_missing_key_error(source.name, key)
    if twice := [column.values[code] for code in np.flatnonzero(np.bincount(column.codes) > 1).tolist()]:
        raise build_repeated_key_error(source.name, key, twice, len(twice))
