"""Find the combination of each row in a tally.

A table lookup for a few columns at a time replaces the search for a key among all keys, which takes ten times as long.

>>> from PETWorks.tables.counting.builder import TallyBuilder
>>> builder = TallyBuilder(["sex", "age"])
>>> builder.add([Coded.of(["m", "f", "m"]), Coded.of(["30", None, "30"])])
>>> Lookup(builder.build()).find([Coded.of(["m", "f", "f"]), Coded.of(["30", None, "31"])]).tolist()
[1, 0, -1]
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from PETWorks.tables.counting.tally import DENSE, INT32, Coded, IntArray, Tally, Value

CACHED_ENTRIES = (
    2**20
)  # columns share a table as long as it has at most so many entries, which fit in the processor's cache
MAX_ENTRIES = 2**24  # most entries of a table that has more than DENSE entries for each combination


class _Step(NamedTuple):
    """Some of the columns. The rank of a row in the columns before and its codes in these columns make a key."""

    columns: list[int]
    table: IntArray  # by key, the rank of the combination so far; -1 for keys that do not occur
    keys: IntArray | None  # the sorted keys by which `table` is searched; None if keys are its indices


class Lookup:
    """The combinations of a tally, found by their values."""

    def __init__(self, tally: Tally) -> None:
        columns = [*tally.columns.values()]
        self._codes: list[dict[Value, int]] = [
            {value: code for code, value in enumerate(one.values)} for one in columns
        ]
        self._sizes = [max(1, len(one.values)) for one in columns]
        self._steps: list[_Step] = []
        rank, ranks, place = np.zeros(len(tally.counts), dtype=np.int64), 1, 0
        while place < len(columns):
            chosen, space = [place], ranks * self._sizes[place]
            while (place := place + 1) < len(columns) and space * self._sizes[place] <= CACHED_ENTRIES:
                chosen.append(place)
                space *= self._sizes[place]
            key = self._build_key(rank, chosen, [one.codes for one in columns], space)
            distinct, rank = np.unique(key, return_inverse=True)
            ranks = len(distinct)
            self._steps.append(_build_step(chosen, distinct, space))
        self._combination = np.empty(ranks + 1, dtype=np.int64)
        self._combination[rank] = np.arange(len(rank))
        self._combination[-1] = -1  # of what is not found

    def find(self, batch: Sequence[Coded]) -> IntArray:
        """Return, for each row of a batch, the index of its combination in the tally, or -1 if there is none."""
        rows = batch[0].size
        rank, unknown = np.zeros(rows, dtype=np.int64), np.zeros(rows, dtype=bool)
        codes = []
        for column, known in zip(batch, self._codes, strict=True):
            moved = np.array([known.get(value, -1) for value in column.values], dtype=np.int32)
            codes.append(moved[column.codes])
            if (moved < 0).any():
                unknown |= codes[-1] < 0
        for step in self._steps:
            space = len(step.table) if step.keys is None else INT32
            key = self._build_key(rank, step.columns, codes, space)
            key[unknown] = 0
            if step.keys is None:
                rank = step.table[key]
            else:
                found = np.minimum(np.searchsorted(step.keys, key), len(step.keys) - 1)
                rank = np.where(step.keys[found] == key, step.table[found], -1)
            unknown |= rank < 0
        rank[unknown] = -1
        return self._combination[rank]

    def _build_key(self, rank: IntArray, chosen: Sequence[int], codes: Sequence[IntArray], space: int) -> IntArray:
        key: IntArray = rank.astype(np.int32 if space < INT32 else np.int64)
        for place in chosen:
            key *= self._sizes[place]
            key += codes[place]
        return key


def _build_step(columns: list[int], keys: IntArray, space: int) -> _Step:
    ranks = np.arange(len(keys), dtype=np.int32)
    if space > max(MAX_ENTRIES, DENSE * len(keys)):
        return _Step(columns, ranks, keys)
    table = np.full(space, -1, dtype=np.int32)
    table[keys] = ranks
    return _Step(columns, table, None)
