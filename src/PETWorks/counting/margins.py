"""Count each column by itself, all in one pass over the rows.

>>> from PETWorks.counting.tally import Coded
>>> margins = count_each("table", ["sex"], [[Coded.of(["m", "f", "m"])], [Coded.of([None, "m"])]])
>>> dict(zip(margins["sex"].values, margins["sex"].counts.tolist(), strict=True))
{'m': 3, 'f': 1, None: 1}
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from PETWorks.counting.builder import VALUE_BYTES
from PETWorks.counting.count import COUNTING, Batch, empty
from PETWorks.counting.memory import Workspace
from PETWorks.counting.prefetch import Ahead
from PETWorks.counting.tally import IntArray, Tally, Value, recode
from PETWorks.progress import advanced


class Margin(NamedTuple):
    """How often each value of a column occurs; the values are in no particular order."""

    values: Sequence[Value]
    counts: IntArray
    complete: bool = True  # False: there are too many values for the memory, and these are the first ones

    @classmethod
    def of(cls, tally: Tally) -> Margin:
        """Take the tally of a single column."""
        (column,) = tally.columns.values()
        return cls([column.values[code] for code in column.codes.tolist()], tally.counts)


class _Counter:
    """Counts the values of a column."""

    def __init__(self) -> None:
        self.lexicon: dict[Value, int] = {}
        self._parts: list[tuple[IntArray, IntArray]] = []

    def add(self, values: Sequence[Value], counts: IntArray) -> None:
        self._parts.append((recode(self.lexicon, values), counts))

    def done(self, *, complete: bool = True) -> Margin:
        codes, counts = (np.concatenate(parts) for parts in zip(*self._parts, strict=True))
        summed = np.bincount(codes, weights=counts, minlength=len(self.lexicon)).astype(np.int64)
        return Margin(list(self.lexicon), summed, complete)


def count_each(
    name: str, columns: Sequence[str], batches: Iterable[Batch], workspace: Workspace | None = None
) -> Mapping[str, Margin]:
    """Count the values of each column. A column whose values take up too much memory is counted no further."""
    most = (workspace or Workspace()).memory * COUNTING / VALUE_BYTES
    counters, done, rows = {column: _Counter() for column in columns}, dict[str, Margin](), 0
    with Ahead(_counted, batches) as work:
        for _, counted in work:
            for column, (values, counts) in zip(columns, counted, strict=True):
                if column in counters:
                    counters[column].add(values, counts)
            rows += (read := int(counted[0][1].sum()))
            advanced(read)
            while sum(len(counter.lexicon) for counter in counters.values()) > most:
                largest = max(counters, key=lambda column: len(counters[column].lexicon))
                done[largest] = counters.pop(largest).done(complete=False)
    if not rows:
        raise empty(name)
    done |= {column: counter.done() for column, counter in counters.items()}
    return {column: done[column] for column in columns}


def _counted(batch: Batch) -> list[tuple[Sequence[Value], IntArray]]:
    """Return the values that occur in each column of a batch, and how often each does."""
    counted = []
    for column in batch:
        counts, values = np.bincount(column.codes, minlength=len(column.values)), column.values
        if not (occurring := counts > 0).all():
            counts = counts[occurring]
            values = [value for value, occurs in zip(values, occurring.tolist(), strict=True) if occurs]
        counted.append((values, counts))
    return counted
