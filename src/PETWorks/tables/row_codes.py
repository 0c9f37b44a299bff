"""Whole columns of a table as codes, row by row: what a tally does not keep is the row that each value stands in.

>>> from PETWorks.tables.opening import open_source
>>> table = open_source({"zip": ["100", "200", "100"], "sex": ["m", None, "f"]}, "release")
>>> read = read_row_codes(table, ["zip", "sex"])
>>> read.rows, read["zip"].codes.tolist(), list(read["sex"].values)
(3, [0, 1, 0], ['m', None, 'f'])
>>> number_rows([read["zip"], read["sex"]])[0].tolist()
[0, 2, 1]
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from PETWorks.tables.counting.count import build_too_large_error
from PETWorks.tables.counting.tally import Coded, IntArray, Value, narrow, number_keys, pack, recode
from PETWorks.tables.counting.texts import WholeNumbers, integer_array
from PETWorks.tables.counting.workspace import Workspace
from PETWorks.tables.source import TableSource, restart_on_change

TEXT_BYTES = 180  # approximate memory for a distinct text while it is read: the string, and its place in a dictionary
ROW_BYTES = 32  # approximate memory for each row, to sort combinations of columns
MEMORY_SHARE = 0.5  # share of the memory limit that the codes of a table may take up


@dataclass(frozen=True, eq=False)
class RowCodes(Mapping[str, Coded]):
    """The columns of a table by name, each with a code for every row."""

    columns: Mapping[str, Coded]
    rows: int

    def __getitem__(self, name: str) -> Coded:
        """Return a column."""
        return self.columns[name]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names of the columns."""
        return iter(self.columns)

    def __len__(self) -> int:
        """Return the number of columns."""
        return len(self.columns)


class _ColumnReader:
    """The codes of one column, batch by batch. Whole numbers get their codes at the end, all at once."""

    def __init__(self) -> None:
        self.lexicon: dict[Value, int] = {}
        self.parts: list[IntArray] = []
        self.numbers: list[IntArray] | None = []  # None: the column has other values than whole numbers
        self.nbytes = 0

    def add(self, column: Coded) -> None:
        if isinstance(column, WholeNumbers) and self.numbers is not None:
            self.numbers.append(column.numbers)
            self.nbytes += column.numbers.nbytes
            return
        self._leave_numbers()
        self._recode(column)

    def _recode(self, column: Coded) -> None:
        codes = recode(self.lexicon, column.values)
        self.parts.append(narrow(codes, len(self.lexicon))[column.codes])
        self.nbytes += self.parts[-1].nbytes

    def _leave_numbers(self) -> None:
        numbers, self.numbers = self.numbers or (), None
        for one in numbers:
            self.nbytes -= one.nbytes
            self._recode(WholeNumbers(one))

    def build(self) -> Coded:
        if self.numbers:
            coded = integer_array(np.concatenate(self.numbers)).dictionary_encode()
            values = np.from_dlpack(coded.dictionary)
            self.numbers = None
            return Coded(narrow(np.from_dlpack(coded.indices), len(values)), list(map(str, values.tolist())))
        whole = np.concatenate([np.zeros(0, dtype=np.uint8), *self.parts])
        self.parts.clear()
        return Coded(whole, list(self.lexicon)).trim()


def read_row_codes(source: TableSource, columns: Sequence[str], workspace: Workspace | None = None) -> RowCodes:
    """Read whole columns of a table; raise a TooLargeError if they do not fit in memory."""
    return _read(source, tuple(columns), workspace or Workspace())


@restart_on_change
def _read(source: TableSource, columns: Sequence[str], workspace: Workspace) -> RowCodes:
    readers, rows = [_ColumnReader() for _ in columns], 0
    try:
        for batch in source.batches(columns):
            for reader, column in zip(readers, batch, strict=True):
                reader.add(column)
            rows += batch[0].size if batch else 0
            used = sum(one.nbytes + TEXT_BYTES * len(one.lexicon) for one in readers) + ROW_BYTES * rows
            if used > workspace.memory * MEMORY_SHARE:
                raise build_too_large_error(source.name, len(columns), rows, workspace)
        return RowCodes({name: reader.build() for name, reader in zip(columns, readers, strict=True)}, rows)
    finally:
        source.check_unchanged()


def number_rows(columns: Sequence[Coded], rows: int = 0) -> tuple[IntArray, int]:
    """Return the number of each row's combination of values, and how many combinations there are.

    Without columns, all `rows` have the same combination.
    """
    if not columns:
        return np.zeros(rows, dtype=np.int64), min(rows, 1)
    sizes = [max(1, len(column.values)) for column in columns]
    packed, _ = pack([column.codes for column in columns], sizes)
    found, ids = number_keys(packed, prod(sizes))
    return ids, len(found)
