"""Build a tally from batches of rows.

>>> tally = TallyBuilder(["sex", "age"])
>>> tally.add([Coded.of(["m", "f", "m"]), Coded.of(["30", None, "30"])])
>>> for values, count in tally.done().items():
...     print(values, count)
('f', None) 1
('m', '30') 2
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from PETWorks.counting.sorted_keys import combine
from PETWorks.counting.tally import Coded, IntArray, Key, Tally, Value, narrow, pack, recode
from PETWorks.counting.texts import Texts, unified

MERGE_AT = 2**20  # number of unmerged combinations that starts a merge
MERGE_BYTES = 80  # approximate memory that merging needs for each combination
VALUE_BYTES = 300  # approximate memory to hold, sort and spill a text that is a key of a dictionary


def condensed(batch: Sequence[Coded], counts: IntArray | None = None) -> tuple[list[Coded], IntArray]:
    """Return the distinct combinations of a batch of rows (or of combinations with counts), and their counts."""
    sizes = [len(column.values) for column in batch]
    packed, unpack = pack([column.codes for column in batch], sizes)
    if counts is not None:
        first, counts = combine(packed, counts)
        return [column.take(first) for column in batch], counts
    distinct, counts = np.unique(packed, return_counts=True)  # sorting the keys is faster than an indirect sort
    columns = zip(unpack(distinct), batch, sizes, strict=True)
    return [Coded(narrow(codes, size), column.values) for codes, column, size in columns], counts


class TallyBuilder:
    """Counts batches of rows, and adds up the counts of all batches."""

    def __init__(self, keys: Sequence[Key], person: Key | None = None) -> None:
        self.keys = tuple(keys)
        self._person = self.keys.index(person) if person is not None else None  # a column of many texts
        self._texts: list[Texts] = []  # of the persons, those that are merged first; codes count through all of them
        self._known = 0  # how many texts there are
        self._lexicons: list[dict[Value, int]] = [{} for _ in self.keys]
        self._parts: list[tuple[list[IntArray], IntArray]] = []
        self._merged = 0

    def add(self, batch: Sequence[Coded], counts: IntArray | None = None) -> None:
        """Count a batch of rows (or of combinations with their counts)."""
        self.take(*condensed(batch, counts))

    def take(self, batch: Sequence[Coded], counts: IntArray) -> None:
        """Add combinations with their counts, without counting them first."""
        codes = []
        for place, (lexicon, column) in enumerate(zip(self._lexicons, batch, strict=True)):
            if place == self._person:
                texts = Texts.of(column.values)
                if not self._texts or self._texts[-1] is not texts:  # batches may share their texts
                    self._texts.append(texts)
                    self._known += len(texts)
                codes.append(column.codes.astype(np.int64) + (self._known - len(texts)))
                continue
            moved = recode(lexicon, column.values)
            codes.append(narrow(moved, len(lexicon))[column.codes])
        self._parts.append((codes, counts))
        if sum(len(part_counts) for _, part_counts in self._parts[1:]) > max(MERGE_AT, self._merged):
            self._merge()

    @property
    def memory(self) -> int:
        """Approximate number of bytes that are needed to hold the combinations, and to merge them."""
        arrays = [array for codes, counts in self._parts for array in (*codes, counts)]
        combinations = sum(len(counts) for _, counts in self._parts)
        held = sum(array.nbytes for array in arrays) + VALUE_BYTES * sum(map(len, self._lexicons))
        return held + MERGE_BYTES * combinations + 3 * sum(texts.nbytes for texts in self._texts)

    def merged(self) -> int:
        """Merge the combinations, of which several batches may have had the same; return the memory as above."""
        self._merge()
        return self.memory

    def _merge(self) -> None:
        sizes = [len(lexicon) for lexicon in self._lexicons]
        columns = [np.concatenate(codes) for codes in zip(*(part for part, _ in self._parts), strict=True)]
        if self._person is not None:
            texts, same = unified(self._texts)
            self._texts, self._known = [texts], len(texts)
            sizes[self._person] = len(texts)
            columns[self._person] = same[columns[self._person]]
        packed, _ = pack(columns, sizes)
        first, counts = combine(packed, np.concatenate([counts for _, counts in self._parts]))
        self._parts = [([codes[first] for codes in columns], counts)]
        self._merged = len(first)

    def done(self) -> Tally:
        """Return the tally of all batches: the values of each column and the combinations are sorted."""
        if not self._parts:
            self.add([Coded.of([]) for _ in self.keys])
        columns = []
        for place, lexicon in enumerate(self._lexicons):
            if place == self._person:
                columns.append(np.concatenate([codes[place] for codes, _ in self._parts]))
                continue
            whole = Coded(np.concatenate([codes[place] for codes, _ in self._parts]), list(lexicon)).trimmed()
            order = sorted(whole.values, key=lambda value: (value is None, value or ""))
            self._lexicons[place] = {value: rank for rank, value in enumerate(order)}
            moved = narrow(recode(self._lexicons[place], whole.values), len(order))
            columns.append(moved[whole.codes])
        self._parts = [(columns, np.concatenate([counts for _, counts in self._parts]))]
        self._merge()
        codes, counts = self._parts[0]
        values: list[Sequence[Value]] = [tuple(lexicon) for lexicon in self._lexicons]
        if self._person is not None:
            values[self._person] = self._texts[0]
        merged = zip(self.keys, codes, values, strict=True)
        return Tally({key: Coded(code, known) for key, code, known in merged}, counts)
