"""Rewrite a table whose rows part ways although their values are the same."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property

import numpy as np

from PETWorks.counting.count import Batch
from PETWorks.counting.lookup import Lookup
from PETWorks.counting.tally import Coded, IntArray
from PETWorks.sources.rewriting.rewriting import Rewriting, T


class DividedRewriting(Rewriting):
    """A table, and the released cells of each *piece*: some of the rows that have equal values in some columns.

    `before` has the sensitive attributes, too, and several pieces may have the same values; these are adjacent. The
    first rows that have these values, in the order of the table, belong to the first of these pieces, and so on.
    """

    @cached_property
    def _first(self) -> IntArray:
        """The first piece of each combination of values."""
        new = np.zeros(len(self.before.counts), dtype=bool)
        new[:1] = True
        for column in self.before.columns.values():
            new[1:] |= column.codes[1:] != column.codes[:-1]
        return np.flatnonzero(new)

    @cached_property
    def _lookup(self) -> Lookup:
        return Lookup(self.before.where(self._first))

    def reading(self, batches: Iterable[tuple[Batch, T]]) -> Iterator[tuple[Batch, T]]:
        """Pass on the batches, with the piece of each row in the place of the first column.

        Batches come in the order of the table only here: they are processed in threads.
        """
        ends = np.cumsum(self.before.counts)  # rows are numbered piece by piece
        following = ends[self._first] - self.before.counts[self._first]  # by combination, the number of its next row
        lasts = np.append(following[1:], ends[-1:])
        for batch, others in super().reading(batches):
            values = super()._found(batch[: len(self.coded)])
            numbers = following[values] + _nth(values)
            if (numbers >= lasts[values]).any():
                raise self.changed
            following += np.bincount(values, minlength=len(following))
            pieces = np.searchsorted(ends, numbers, side="right")
            yield [Coded(pieces, ()), *batch[1:]], others

    def _found(self, batch: Batch) -> IntArray:
        return batch[0].codes


def _nth(values: IntArray) -> IntArray:
    """Return how many of the entries before each have the same value.

    >>> _nth(np.array([5, 7, 5, 5, 7])).tolist()
    [0, 0, 1, 2, 1]
    """
    order = np.argsort(values, kind="stable")
    starts = np.flatnonzero(np.append(True, np.diff(values[order]) != 0)[: len(values)])
    sizes = np.diff(np.append(starts, len(values)))
    found = np.empty(len(values), dtype=np.int64)
    found[order] = np.arange(len(values)) - np.repeat(starts, sizes)
    return found
