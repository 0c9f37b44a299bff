"""Whole columns of a table as codes, row by row. A tally does not have the row of each value; this does.

>>> from PETWorks.tables.opening import open_source
>>> table = open_source({"zip": ["100", "200", "100"], "sex": ["m", None, "f"]}, "release")
>>> read = RowRecorder(table).codes
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

from PETWorks.errors import TooLargeError
from PETWorks.tables.counting.count import Batch, build_too_large_error
from PETWorks.tables.counting.tally import Coded, IntArray, Value, narrow, number_keys, pack, recode
from PETWorks.tables.counting.texts import Texts, WholeNumbers, integer_array, unify
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
    """The codes of one column, collected batch by batch.

    Integers and columns with many texts are coded at the end, at once.
    """

    def __init__(self) -> None:
        self._lexicon: dict[Value, int] = {}
        self._parts: list[IntArray] = []
        self._numbers: list[IntArray] | None = []  # None: the column has other values than whole numbers
        self._texts: list[Texts] = []  # those that a batch has too many of for the lexicon
        self._many: list[tuple[IntArray, int]] = []  # the codes of such a batch, and which texts they stand for
        self.nbytes = 0

    def add(self, column: Coded) -> None:
        """Add a batch."""
        if isinstance(column, WholeNumbers) and self._numbers is not None:
            self._numbers.append(column.numbers)
            self.nbytes += column.numbers.nbytes
            return
        self._leave_numbers()
        self._add_texts(column)

    def _add_texts(self, column: Coded) -> None:
        if not self._texts and not isinstance(column.values, Texts):
            self._recode(column)
            return
        if not self._texts:
            self._leave_lexicon()
        self._add_many(column.codes, Texts.of(column.values))

    def _recode(self, column: Coded) -> None:
        known = len(self._lexicon)
        codes = recode(self._lexicon, column.values)
        self._parts.append(narrow(codes, len(self._lexicon))[column.codes])
        self.nbytes += self._parts[-1].nbytes + TEXT_BYTES * (len(self._lexicon) - known)

    def _add_many(self, codes: IntArray, texts: Texts) -> None:
        if not self._texts or self._texts[-1] is not texts:  # batches may share their texts
            self._texts.append(texts)
            self.nbytes += texts.nbytes + TEXT_BYTES * len(texts)
        self._many.append((narrow(codes, len(texts)), len(self._texts) - 1))
        self.nbytes += self._many[-1][0].nbytes

    def merge(self) -> None:
        """Merge equal texts of all batches."""
        if len(self._texts) < 2:  # noqa: PLR2004
            return
        whole, places = unify(self._texts)
        starts = np.cumsum([0, *map(len, self._texts)])
        parts = [narrow(places, len(whole))[starts[number] :][codes] for codes, number in self._many]
        self._texts, self._many, self.nbytes = [whole], [(part, 0) for part in parts], 0
        self.nbytes = whole.nbytes + TEXT_BYTES * len(whole) + sum(part.nbytes for part in parts)

    def _leave_lexicon(self) -> None:
        """Convert the lexicon to an array of texts, as for columns with many texts."""
        if self._parts:
            parts, self.nbytes = self._parts, 0
            texts = Texts.of(list(self._lexicon))
            self._parts, self._lexicon = [], {}
            for codes in parts:
                self._add_many(codes, texts)

    def _leave_numbers(self) -> None:
        numbers, self._numbers = self._numbers or (), None
        for one in numbers:
            self.nbytes -= one.nbytes
            self._recode(WholeNumbers(one))

    def build(self) -> Coded:
        """Return the whole column."""
        if self._numbers:
            coded = integer_array(np.concatenate(self._numbers)).dictionary_encode()
            values = np.from_dlpack(coded.dictionary)
            self._numbers = None
            return Coded(narrow(np.from_dlpack(coded.indices), len(values)), list(map(str, values.tolist())))
        if self._texts:
            self.merge()
            codes, texts = np.concatenate([codes for codes, _ in self._many]), self._texts[0]
            self._many.clear()
            return Coded(codes, texts).trim()
        whole = np.concatenate([np.zeros(0, dtype=np.uint8), *self._parts])
        self._parts.clear()
        return Coded(whole, list(self._lexicon)).trim()


class RowRecorder:
    """Stores the codes of all columns during the next pass over a table, whatever columns that pass reads.

    >>> from PETWorks.tables.opening import open_source
    >>> table = open_source({"zip": ["100", "200", "100"], "sex": ["m", None, "f"]}, "release")
    >>> table.recorder = RowRecorder(table)
    >>> table.tally(["zip"]).counts.tolist(), table.recorder.recorded
    ([2, 1], True)
    >>> table.recorder.codes["sex"].codes.tolist()
    [0, 1, 2]
    """

    def __init__(self, source: TableSource, workspace: Workspace | None = None) -> None:
        self._source, self._workspace = source, workspace or Workspace()
        self._reading = False
        self._codes: RowCodes | None = None
        self._problem: TooLargeError | None = None

    @property
    def recorded(self) -> bool:
        """True if a pass was recorded, or if its codes did not fit in memory."""
        return self._codes is not None or self._problem is not None

    @property
    def codes(self) -> RowCodes:
        """The whole columns; raises a TooLargeError if they do not fit in memory.

        Reads the rows if no pass was recorded.
        """
        if not self.recorded:
            self._read_all()
        if self._problem is not None:
            raise self._problem
        assert self._codes is not None  # noqa: S101 (recorded)
        return self._codes

    def _read_all(self) -> None:
        @restart_on_change
        def read(source: TableSource) -> None:
            try:
                for _ in self.batches(()):
                    if self._problem is not None:
                        return
            finally:
                source.check_unchanged()

        read(self._source)

    def batches(self, columns: Sequence[str]) -> Iterator[Batch]:
        """Yield the rows in order; store the codes of all columns, unless they are already stored."""
        if self.recorded or self._reading:
            yield from self._source.batches(columns)
            return
        self._reading = True
        try:
            yield from self._record(self._source.find_places(columns))
        finally:
            self._reading = False

    def _record(self, places: Sequence[int]) -> Iterator[Batch]:
        readers, rows = [_ColumnReader() for _ in self._source.columns], 0
        for batch in self._source.batches(self._source.columns):
            if self._problem is None:
                for reader, column in zip(readers, batch, strict=True):
                    reader.add(column)
                rows += batch[0].size if batch else 0
                if not self._fits(readers, rows):
                    self._problem = build_too_large_error(self._source.name, len(readers), rows, self._workspace)
                    readers = []
            yield [batch[place] for place in places]
        if self._problem is None:
            columns = zip(self._source.columns, readers, strict=True)
            self._codes = RowCodes({name: reader.build() for name, reader in columns}, rows)

    def _fits(self, readers: Sequence[_ColumnReader], rows: int) -> bool:
        most = self._workspace.memory * MEMORY_SHARE - ROW_BYTES * rows
        if sum(one.nbytes for one in readers) <= most:
            return True
        for one in readers:
            one.merge()
        return sum(one.nbytes for one in readers) <= most


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
