"""Build a tally from batches of rows.

>>> tally = TallyBuilder(["sex", "age"])
>>> tally.add([Coded.of(["m", "f", "m"]), Coded.of(["30", None, "30"])])
>>> for values, count in tally.build().items():
...     print(values, count)
('f', None) 1
('m', '30') 2
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from PETWorks.tables.counting.tally import Coded, IntArray, Key, Tally, Value, narrow, pack, recode, sum_combinations

SMALL_BATCH = 2**12  # a batch of at most so many rows is not condensed before it is merged
MERGE_AT = 2**20  # number of unmerged combinations that starts a merge
MERGE_BYTES = 80  # approximate memory that merging needs for each combination
VALUE_BYTES = 300  # approximate memory to hold, sort and spill a text that is a key of a dictionary


class CountedCombinations(NamedTuple):
    """Combinations, of which several may be equal, and how many rows have each."""

    columns: Sequence[Coded]
    counts: IntArray


def condense_batch(batch: Sequence[Coded], counts: IntArray | None = None) -> CountedCombinations:
    """Return the distinct combinations of a batch, and their counts. A batch may also be combinations with counts."""
    sizes = [len(column.values) for column in batch]
    packed, unpack = pack([column.codes for column in batch], sizes)
    if counts is not None:
        first, counts = sum_combinations(packed, counts)
        return CountedCombinations([column.take(first) for column in batch], counts)
    distinct, counts = np.unique(packed, return_counts=True)  # sorting the keys is faster than an indirect sort
    columns = zip(unpack(distinct), batch, sizes, strict=True)
    return CountedCombinations([Coded(narrow(codes, size), column.values) for codes, column, size in columns], counts)


class TallyBuilder:
    """Counts batches of rows, and adds up the counts of all batches."""

    def __init__(self, keys: Sequence[Key]) -> None:
        self.keys = tuple(keys)
        self._lexicons: list[dict[Value, int]] = [{} for _ in self.keys]
        self._parts: list[tuple[list[IntArray], IntArray]] = []
        self._merged = 0

    def add(self, batch: Sequence[Coded], counts: IntArray | None = None) -> None:
        """Count a batch of rows (or of combinations with their counts)."""
        self.take(condense_batch(batch, counts))

    @staticmethod
    def condense(batch: Sequence[Coded], counts: IntArray | None = None) -> CountedCombinations:
        """Reduce a batch to its combinations and their counts, unless it is small or was counted already."""
        if counts is not None:
            return CountedCombinations(batch, counts)
        rows = batch[0].size
        return (
            condense_batch(batch) if rows > SMALL_BATCH else CountedCombinations(batch, np.ones(rows, dtype=np.int64))
        )

    def take(self, part: CountedCombinations) -> None:
        """Add combinations that were counted already, such as a batch that was condensed in another thread."""
        codes = []
        for lexicon, column in zip(self._lexicons, part.columns, strict=True):
            moved = recode(lexicon, column.values)
            codes.append(narrow(moved, len(lexicon))[column.codes])
        self._parts.append((codes, part.counts))
        if sum(len(part_counts) for _, part_counts in self._parts[1:]) > max(MERGE_AT, self._merged):
            self._merge()

    @property
    def memory(self) -> int:
        """Approximate number of bytes that are needed to hold the combinations, and to merge them."""
        arrays = [array for codes, counts in self._parts for array in (*codes, counts)]
        combinations = sum(len(counts) for _, counts in self._parts)
        held = sum(array.nbytes for array in arrays) + VALUE_BYTES * sum(map(len, self._lexicons))
        return held + MERGE_BYTES * combinations

    def merge(self) -> int:
        """Merge equal combinations of several batches; return the approximate memory, as `memory` does."""
        self._merge()
        return self.memory

    def _merge(self) -> None:
        sizes = [len(lexicon) for lexicon in self._lexicons]
        columns = [np.concatenate(codes) for codes in zip(*(part for part, _ in self._parts), strict=True)]
        packed, _ = pack(columns, sizes)
        first, counts = sum_combinations(packed, np.concatenate([counts for _, counts in self._parts]))
        self._parts = [([codes[first] for codes in columns], counts)]
        self._merged = len(first)

    def build(self) -> Tally:
        """Build the tally of all batches, with values and combinations sorted."""
        if not self._parts:
            self.add([Coded.of([]) for _ in self.keys])
        columns = []
        for place, lexicon in enumerate(self._lexicons):
            whole = Coded(np.concatenate([codes[place] for codes, _ in self._parts]), list(lexicon)).trim()
            order = sorted(whole.values, key=lambda value: (value is None, value or ""))
            self._lexicons[place] = {value: rank for rank, value in enumerate(order)}
            moved = narrow(recode(self._lexicons[place], whole.values), len(order))
            columns.append(moved[whole.codes])
        self._parts = [(columns, np.concatenate([counts for _, counts in self._parts]))]
        self._merge()
        codes, counts = self._parts[0]
        merged = zip(self.keys, codes, self._lexicons, strict=True)
        return Tally({key: Coded(code, tuple(lexicon)) for key, code, lexicon in merged}, counts)
