"""An original and its release as one table, row by row: by position, or by a key column."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from PETWorks.errors import PairingError, listing, plural
from PETWorks.sources.source import Batch, Source, count, restarted
from PETWorks.tally import Before, Coded, Key, Tally, Value, recode


class Paired:
    """The rows of an original, whose columns are called `Before(name)`, each beside its released row."""

    def __init__(self, original: Source, release: Source, key: str | None = None) -> None:
        self.original = original
        self.release = release
        self.key = key

    @restarted
    def tally(self, before: Sequence[str], after: Sequence[str]) -> Tally:
        """Count how often each combination of original and released values occurs."""
        keys: list[Key] = [*map(Before, before), *after]
        pairs = self._by_position(before, after) if self.key is None else self._by_key(self.key, before, after)
        return count(self.release.name, keys, pairs)

    def _by_position(self, before: Sequence[str], after: Sequence[str]) -> Iterator[Batch]:
        left, right = _Rows(self.original.batches(before)), _Rows(self.release.batches(after))
        while left.ready() and right.ready():
            rows = min(left.waiting, right.waiting)
            yield [*left.take(rows), *right.take(rows)]
        left.skip()
        right.skip()
        if left.seen != right.seen:
            problem = f"{left.seen:,} rows in {self.original.name}, {right.seen:,} in {self.release.name}"
            hint = "rows pair by position, so both need the same number; or name a column that both have: key="
            raise PairingError(f"the rows cannot be paired: {problem}", hint=hint)

    def _by_key(self, key: str, before: Sequence[str], after: Sequence[str]) -> Iterator[Batch]:
        keys, *left = gather(self.original, [key, *before])
        other, *right = gather(self.release, [key, *after])
        for source, column in ((self.original, keys), (self.release, other)):
            _check_key(source, key, column)
        if alone := [*(set(keys.values) ^ set(other.values))]:
            problem = f'{plural(len(alone), "value")} of the key "{key}" in one table only'
            where, listed = f"{self.original.name} and {self.release.name}", listing(sorted(map(str, alone)))
            raise PairingError(problem, where=where, hint="keep the rows that both tables have", listed=listed)
        row_of = np.empty(len(keys.values), dtype=np.int64)
        row_of[keys.codes] = np.arange(len(keys.codes))
        code_of = {value: code for code, value in enumerate(keys.values)}
        rows = row_of[np.array([code_of[value] for value in other.values], dtype=np.int64)[other.codes]]
        yield [*(column.take(rows) for column in left), *right]


class _Rows:
    """Batches as a queue of rows, from which any number can be taken."""

    def __init__(self, batches: Iterator[Batch]) -> None:
        self._batches = batches
        self._batch: Batch = ()
        self._start = 0
        self.waiting = 0
        self.seen = 0

    def ready(self) -> bool:
        """Whether there is a row to take."""
        while not self.waiting:
            if (batch := next(self._batches, None)) is None:
                return False
            self._batch, self._start, self.waiting = batch, 0, len(batch[0].codes)
            self.seen += self.waiting
        return True

    def take(self, rows: int) -> list[Coded]:
        """Take some of the rows that wait."""
        part = slice(self._start, self._start + rows)
        self._start += rows
        self.waiting -= rows
        return [column.take(part) for column in self._batch]

    def skip(self) -> None:
        """Count the rows that are left."""
        self.waiting = 0
        while self.ready():
            self.waiting = 0


def gather(source: Source, columns: Sequence[str]) -> list[Coded]:
    """Read whole columns."""
    source.require(columns[:1], "the key")
    lexicons: list[dict[Value, int]] = [{} for _ in columns]
    parts: list[list[np.ndarray]] = [[] for _ in columns]
    for batch in source.batches(columns):
        for lexicon, part, column in zip(lexicons, parts, batch, strict=True):
            part.append(recode(lexicon, column.values)[column.codes])
    empty = np.zeros(0, dtype=np.int64)
    columns_read = zip(parts, lexicons, strict=True)
    return [Coded(np.concatenate([empty, *part]), list(lexicon)) for part, lexicon in columns_read]


def _check_key(source: Source, key: str, column: Coded) -> None:
    if None in column.values:
        hint = "name a column that has a value of its own in every row"
        raise PairingError(f'the key "{key}" has missing cells', where=source.name, hint=hint)
    if twice := [column.values[code] for code in np.flatnonzero(np.bincount(column.codes) > 1).tolist()]:
        problem = f'{plural(len(twice), "value")} of the key "{key}" more than once'
        hint = "name a column that has a value of its own in every row"
        raise PairingError(problem, where=source.name, hint=hint, listed=listing(twice))
