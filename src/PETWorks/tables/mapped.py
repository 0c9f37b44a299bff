"""`MappedSource`: the rows of another table, in which some columns are computed, distinct value by distinct value.

A `ColumnMap` says which columns it reads, and converts their cells. Cells that it cannot read are collected, and
reported with their count at the end of the pass.

>>> from PETWorks.tables.frames import open_frame
>>> class Upper(ColumnMap):
...     def convert(self, cells):
...         return cells[0].upper() if cells[0] else None
>>> source = MappedSource(open_frame({"id": ["a", "b", None]}, "ids"), {"id": Upper("id"), "raw": "id"})
>>> [[column.values[code] for code in column.codes.tolist()] for column in source.first_batch()]
[['A', 'B', None], ['a', 'b', None]]
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from PETWorks.errors import NotAskableError, Quantity, SourceError
from PETWorks.tables.counting.count import Batch
from PETWorks.tables.counting.tally import Coded, IntArray, Value, pack
from PETWorks.tables.counting.texts import integer_array, text_array
from PETWorks.tables.source import MAX_LISTED_VALUES, TableSource

if TYPE_CHECKING:
    import pyarrow as pa

    from PETWorks.tables.formats.delimited import DelimitedSource, Runs, SplitRows

LACKING = "\0"  # stands for a value that was not converted yet; no cell is this object
MAX_HELD = 2**20  # converted values that a map remembers between batches


class UnreadableError(Exception):
    """Raised by a map for cells that it cannot read."""


@dataclass(eq=False)
class Unreadable:
    """The cells of a column that its map could not read: their number, and the first row numbers."""

    count: int = 0
    rows: list[int] = field(default_factory=list)

    def add(self, rows: IntArray) -> None:
        """Add rows."""
        self.count += len(rows)
        self.rows += rows[: MAX_LISTED_VALUES - len(self.rows)].tolist()


class ColumnMap:
    """Computes the cells of a column from the cells of the columns in `reads`.

    A subclass has `convert`, or `apply` if it computes whole columns faster than value by value.
    """

    expected = "values of another kind"  # what the cells that it reads must be, for errors
    hint = ""
    forgiving = False  # True: a cell that cannot be read is missing

    def __init__(self, *reads: str) -> None:
        self.reads = reads
        self._held: dict[tuple[Value, ...], Value] = {}

    def convert(self, cells: tuple[Value, ...]) -> Value:
        """Return the cell computed from the cells of a row; raise an UnreadableError if they cannot be read."""
        raise NotImplementedError

    def apply(self, columns: Sequence[Coded], unreadable: Unreadable, start: int) -> Coded:
        """Return the computed column of some rows; the first has the number `start`."""
        codes, distinct = find_distinct_cells(columns)
        held, wrong = self._held, list[int]()
        found: list[Value] = [held.get(cells, LACKING) for cells in distinct]
        for place, value in enumerate(found):
            if value is LACKING:
                try:
                    found[place] = held[distinct[place]] = self.convert(distinct[place])
                except UnreadableError:
                    wrong.append(place)
                    found[place] = None
        if len(held) > MAX_HELD:
            self.forget()
        if wrong and not self.forgiving:
            unreadable.add(start + np.flatnonzero(np.isin(codes, wrong)))
        return merge_equal(Coded(codes, found))

    def forget(self) -> None:
        """Forget the values of the previous pass."""
        self._held.clear()

    def finish(self) -> None:
        """Raise an error if the values of a whole pass are invalid together."""


def find_distinct_cells(columns: Sequence[Coded]) -> tuple[IntArray, list[tuple[Value, ...]]]:
    """Return the distinct combinations of cells of some columns, and the index of the combination of each row."""
    trimmed = [column.trim() for column in columns]
    if len(trimmed) == 1:
        return trimmed[0].codes, [(value,) for value in trimmed[0].values]
    key, unpack = pack([column.codes for column in trimmed], [len(column.values) or 1 for column in trimmed])
    keys, codes = np.unique(key, return_inverse=True)
    texts = [
        [column.values[code] for code in places.tolist()] for column, places in zip(trimmed, unpack(keys), strict=True)
    ]
    return codes, list(zip(*texts, strict=True))


def merge_equal(column: Coded) -> Coded:
    """Return a column in which every value has one code."""
    lexicon: dict[Value, int] = {}
    places = [lexicon.setdefault(value, len(lexicon)) for value in column.values]
    if len(lexicon) == len(column.values):
        return column
    return Coded(np.array(places, dtype=np.int64)[column.codes], list(lexicon))


class MappedSource(TableSource):
    """The rows of another source. `made` has, for each column, its map or the name of the column that it copies."""

    def __init__(self, base: TableSource, made: Mapping[str, ColumnMap | str]) -> None:
        if base.counts_in_cluster:
            hint = "write the table to a Parquet file, and name the file"
            raise NotAskableError("cells of a table on a cluster are not computed here", where=base.name, hint=hint)
        self.base, self.made = base, dict(made)
        self.name, self.columns = base.name, tuple(made)
        self.folder, self.read_with, self.has_first_line = base.folder, base.read_with, base.has_first_line

    @property
    def computed(self) -> frozenset[str]:
        """The columns that are computed, rather than copied from a file."""
        below = self.base.computed
        return frozenset(name for name, one in self.made.items() if isinstance(one, ColumnMap) or one in below)

    @property
    def raw(self) -> TableSource:
        """The source of the columns that are copied."""
        return self.base.raw

    @property
    def raw_columns(self) -> Mapping[str, str]:
        """For each copied column, its name in the raw source."""
        below = self.base.raw_columns
        return {name: below[one] for name, one in self.made.items() if isinstance(one, str) and one in below}

    @property
    def stored_columns(self) -> Sequence[str]:
        """The names of the columns as stored; the names of computed columns unchanged."""
        stored = dict(zip(self.base.columns, self.base.stored_columns, strict=True))
        return [stored[one] if isinstance(one, str) and one == name else name for name, one in self.made.items()]

    @property
    def opened(self) -> Any:  # type: ignore[override]  # noqa: ANN401
        """The files of the table, with their state when they were opened."""
        return self.base.opened

    @property
    def copy(self) -> Any:  # type: ignore[override]  # noqa: ANN401
        """The temporary file of a table that arrived through a pipe."""
        return self.base.copy

    @property
    def memory(self) -> int:
        """The memory limit."""
        return self.base.memory

    @memory.setter
    def memory(self, limit: int) -> None:
        self.base.memory = limit

    @property
    def encoding(self) -> str | None:
        """The encoding of the text file."""
        return self.base.encoding

    @property
    def files(self) -> Sequence[Path]:
        """The files that the table is read from."""
        return self.base.files

    @property
    def form(self) -> tuple[str, ...]:
        """The kind of table and its format."""
        return self.base.form

    @property
    def local_kind(self) -> str:
        """The kind of table if only this process can read it."""
        return self.base.local_kind

    def set_path(self, path: Path) -> None:
        """Continue with the file under a new path."""
        self.base.set_path(path)
        self.name = self.base.name

    def hash_while_reading(self) -> None:
        """Compute the digest of the file while its rows are read."""
        self.base.hash_while_reading()

    def digest(self) -> str | None:
        """Return the digest of the file, as it is stored."""
        return self.base.digest()

    def check_unchanged(self) -> None:
        """Raise an error if a file changed after it was opened."""
        self.base.check_unchanged()

    def find_faults(self, most: int) -> Sequence[Any]:
        """Return errors of the rows of the file."""
        return self.base.find_faults(most)

    def batches(self, columns: Sequence[str]) -> Iterator[Batch]:
        """Return the rows in order, with the columns that are computed."""
        computing = self.start(columns)
        for batch in self.base.batches(computing.reads):
            yield computing.compute(batch)
        computing.finish()

    def read_typed(self, coded: Sequence[str], kept: Sequence[str]) -> Iterator[tuple[Batch, list[pa.Array]]]:
        """Yield the rows. Columns that are copies keep their types; those that are computed are text."""
        copied = [name for name in kept if isinstance(self.made[name], str)]
        texts = [name for name in kept if name not in copied]
        computing = self.start([*coded, *texts])
        for batch, cells in self.base.read_typed(computing.reads, [str(self.made[name]) for name in copied]):
            found = computing.compute(batch)
            columns = dict(zip(copied, cells, strict=True))
            columns |= {name: as_text_array(one) for name, one in zip(texts, found[len(coded) :], strict=True)}
            yield found[: len(coded)], [columns[name] for name in kept]
        computing.finish()

    def read_split_rows(self, columns: Sequence[str], runs: Runs) -> Iterator[tuple[Batch, SplitRows | None]]:
        """Yield the rows of a CSV file with some columns, and with runs of adjacent columns of the file as written."""
        computing = self.start(columns)
        base = cast("DelimitedSource | MappedSource", self.base)
        for batch, cut in base.read_split_rows(computing.reads, runs):
            yield computing.compute(batch), cut
        computing.finish()

    def start(self, columns: Sequence[str]) -> Computing:
        """Return a pass that computes some columns from those of the base, batch by batch."""
        return Computing(self, columns)


class Computing:
    """One pass over the rows, in which columns are computed from others."""

    def __init__(self, source: MappedSource, columns: Sequence[str]) -> None:
        self._source, self._columns = source, columns
        used = [one.reads if isinstance(one := source.made[name], ColumnMap) else (one,) for name in columns]
        self.reads = list(dict.fromkeys(name for names in used for name in names))
        self._unreadable: dict[str, Unreadable] = {name: Unreadable() for name in columns}
        self._start = 1

    def compute(self, batch: Batch) -> list[Coded]:
        """Return the computed columns of a batch."""
        read = dict(zip(self.reads, batch, strict=True))
        found = []
        for name in self._columns:
            one = self._source.made[name]
            if isinstance(one, ColumnMap):
                found.append(one.apply([read[other] for other in one.reads], self._unreadable[name], self._start))
            else:
                found.append(read[one])
        self._start += batch[0].size if batch else 0
        return found

    def finish(self) -> None:
        """Raise an error for unreadable cells, with their count and up to ten row numbers."""
        for name, wrong in self._unreadable.items():
            one = self._source.made[name]
            if isinstance(one, ColumnMap) and wrong.count:
                more = f" and {wrong.count - len(wrong.rows):,} more" if wrong.count > len(wrong.rows) else ""
                rows = "row" if wrong.count == 1 else "rows"
                figures = {
                    "cells_are": Quantity(wrong.count, "cell is", "cells are"),
                    "expected": one.expected,
                    "hint": one.hint,
                }
                raise SourceError(
                    "{cells_are} not {expected}",
                    where=f"{self._source.name}, {name}",
                    hint="{hint}",
                    listed=f"{rows} {', '.join(f'{row:,}' for row in wrong.rows)}{more}",
                    figures=figures,
                )
            if isinstance(one, ColumnMap):
                one.finish()


def as_text_array(column: Coded) -> pa.Array:
    """Return a column as an Arrow array of text."""
    import pyarrow as pa

    codes = column.codes.astype(np.int64)
    return text_array(column.values).take(integer_array(codes)).cast(pa.string())
