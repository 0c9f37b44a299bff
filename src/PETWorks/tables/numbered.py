"""A table with one more column: the number of each row, from 1."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from PETWorks.tables.counting.count import Batch
from PETWorks.tables.counting.tally import Coded
from PETWorks.tables.counting.texts import Numerals
from PETWorks.tables.source import TableSource


class NumberedSource(TableSource):
    """A table and the number of each row, in a column that no table has.

    >>> from PETWorks.tables.opening import open_source
    >>> table = NumberedSource(open_source({"zip": ["100", "200"]}, "people"), "row")
    >>> [list(one.values) for one in next(iter(table.batches(["row", "zip"])))]
    [['1', '2'], ['100', '200']]
    """

    def __init__(self, base: TableSource, numbers: str) -> None:
        self.base, self.numbers = base, numbers
        self.name, self.columns = base.name, (*base.columns, numbers)
        self.opened, self.folder, self.read_with = base.opened, base.folder, base.read_with
        self.found_rows, self.has_first_line = base.found_rows, base.has_first_line

    @property
    def files(self) -> Sequence[Path]:
        """The files that the table is read from."""
        return self.base.files

    @property
    def form(self) -> tuple[str, ...]:
        """The kind of table and its format."""
        return self.base.form

    @property
    def encoding(self) -> str | None:
        """The encoding of a text file."""
        return self.base.encoding

    def digest(self) -> str | None:
        """Return the SHA-256 of the file."""
        return self.base.digest()

    def batches(self, columns: Sequence[str]) -> Iterator[Batch]:
        """Yield the rows in order, with their numbers where these are asked for."""
        others = [name for name in columns if name != self.numbers] or [self.base.columns[0]]
        before = 0
        for batch in self.base.batches(others):
            rows = batch[0].size
            known = dict(zip(others, batch, strict=True))
            numbers = np.arange(before + 1, before + rows + 1)
            known[self.numbers] = Coded(np.arange(rows), Numerals(numbers))
            before += rows
            yield [known[name] for name in columns]

    def read_typed(self, coded: Sequence[str], kept: Sequence[str]) -> Iterator[object]:  # type: ignore[override]
        """Raise an error: no release is written from it."""
        raise NotImplementedError
