"""A table as its tally: the distinct combinations of some columns, and how often each occurs.

Everything that PETWorks measures depends on how often values occur together, never on which row they stood in. So rows
are read once, into a tally; all else is arithmetic on its small integer arrays. Tallies compose: dropping columns and
regrouping gives the tally of the rest, and the tallies of two halves of a table add up to that of the whole.

Values are text; `None` is the missing value. The values of a column are sorted (missing last) and the combinations
stand in the order of their values, so a tally does not depend on the order of rows or on the engine that read them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[Any]  # of int64; codes may be narrower; Python integers (dtype object) where 64 bits might not do
Mask = NDArray[np.bool_]
Value = str | None

INT32, INT64 = 2**31, 2**63
KEY_SPACE = 2**62  # packed keys stay below this
DENSE = 8  # times as many possible combinations as there are entries can be counted without sorting


class Before(NamedTuple):
    """The name of a column of the original, in a tally that pairs original and release."""

    name: str


Key = str | Before


@dataclass(frozen=True, eq=False)
class Coded:
    """A column as integer codes and what each code stands for."""

    codes: IntArray
    values: Sequence[Value]

    @classmethod
    def of(cls, cells: Sequence[Value]) -> Coded:
        """Code plain cells."""
        lexicon: dict[Value, int] = {}
        return cls(recode(lexicon, cells), list(lexicon))

    def code(self, value: Value) -> int:
        """Give the code of a value, or -1 if it does not occur."""
        try:
            return self.values.index(value)
        except ValueError:
            return -1

    def trimmed(self) -> Coded:
        """Leave out values that no entry has: the categories of a frame may be more than occur."""
        occurs = np.zeros(len(self.values), dtype=bool)
        occurs[self.codes] = True
        if occurs.all():
            return self
        values = [value for value, does in zip(self.values, occurs.tolist(), strict=True) if does]
        return Coded((np.cumsum(occurs) - 1)[self.codes], values)

    def take(self, rows: IntArray | slice | Mask) -> Coded:
        """Keep some of the entries."""
        return Coded(self.codes[rows], self.values)


def cell_text(value: Value) -> str:
    """Write a value for people to read."""
    return "(missing)" if value is None else value


Unpack = Callable[[IntArray], list[IntArray]]


def pack(columns: Sequence[IntArray], sizes: Sequence[int]) -> tuple[IntArray, Unpack]:
    """Pack codes, an array for each column, into one integer key for each entry; also give what unpacks keys.

    Keys sort as the tuples of codes do, the quicker the fewer bits they have: 32 if that will do. Where 62 bits do not
    hold all columns, the first ones are replaced by the rank of their combination.
    """
    key: IntArray = np.zeros(len(columns[0]), dtype=np.int32 if prod(sizes) < INT32 else np.int64)
    space, fitting = 1, 0
    for codes, size in zip(columns, sizes, strict=True):
        if space * size >= KEY_SPACE:
            break
        key *= size
        key += codes
        space, fitting = space * size, fitting + 1
    else:
        return key, lambda keys: _digits(keys, sizes)
    distinct, ranks = np.unique(key, return_inverse=True)
    packed, unpack = pack([ranks, *columns[fitting:]], [len(distinct), *sizes[fitting:]])

    def unpack_all(keys: IntArray) -> list[IntArray]:
        rank, *rest = unpack(keys)
        return [*_digits(distinct[rank], sizes[:fitting]), *rest]

    return packed, unpack_all


def _digits(keys: IntArray, sizes: Sequence[int]) -> list[IntArray]:
    codes = []
    for size in reversed(sizes):
        keys, digit = np.divmod(keys, size)
        codes.append(digit)
    return codes[::-1]


def ranked(keys: IntArray, space: int) -> tuple[IntArray, IntArray]:
    """Give an entry with each of the different keys, in their order, and the place of every key among them.

    Keys are below `space`; if that is small, they need not be sorted.
    """
    if space > DENSE * len(keys):
        _, first, ids = np.unique(keys, return_index=True, return_inverse=True)
        return first, ids
    first = np.full(space, -1, dtype=np.int64)
    first[keys] = np.arange(len(keys))
    occurs = first >= 0
    return first[occurs], (np.cumsum(occurs) - 1)[keys]


def sums(ids: IntArray, counts: IntArray, groups: int) -> IntArray:
    """Add up counts by group. Doubles hold every integer below 2**53, so this is exact."""
    return np.bincount(ids, weights=counts, minlength=groups).astype(np.int64)


def combine(packed: IntArray, counts: IntArray) -> tuple[IntArray, IntArray]:
    """Give an entry with each of the different keys, in their order, and the sum of the counts that each has."""
    order = np.argsort(packed, kind="stable")  # which is quick where keys are almost in order, as they mostly are
    starts = _runs(packed[order])
    return order[starts], np.add.reduceat(counts[order], starts)


def totals(keys: IntArray, counts: IntArray, space: int) -> tuple[IntArray, IntArray]:
    """Give the different keys, in their order, and the sum of the counts that each has; keys are below `space`."""
    if space > DENSE * len(keys):
        order = np.argsort(keys, kind="stable")
        return side_by_side(keys[order], counts[order])
    added = np.bincount(keys, weights=counts, minlength=space)  # exact, as in `sums`
    occurring = np.flatnonzero(added > 0)
    return occurring, added[occurring].astype(np.int64)


def side_by_side(keys: IntArray, counts: IntArray) -> tuple[IntArray, IntArray]:
    """Give the different keys, and the sum of the counts that each has; equal keys stand side by side."""
    starts = _runs(keys)
    return keys[starts], np.add.reduceat(counts, starts)


def _runs(keys: IntArray) -> IntArray:
    """Find where each run of equal keys starts."""
    differs = np.ones(len(keys), dtype=bool)
    np.not_equal(keys[1:], keys[:-1], out=differs[1:])
    return np.flatnonzero(differs)


@dataclass(frozen=True, eq=False)
class Tally:
    """Distinct combinations of the columns' values with the number of rows that hold each."""

    columns: Mapping[Key, Coded]
    counts: IntArray

    @cached_property
    def rows(self) -> int:
        """How many rows were counted."""
        return int(self.counts.sum())

    def grouped(self, keys: Sequence[Key]) -> tuple[IntArray, Tally]:
        """Drop the other columns and regroup; also tell for each combination its place in the smaller tally."""
        chosen = [self.columns[key] for key in keys]
        sizes = [len(column.values) or 1 for column in chosen]
        packed, _ = pack([column.codes for column in chosen], sizes)
        first, ids = ranked(packed, prod(sizes))
        smaller = {key: column.take(first) for key, column in zip(keys, chosen, strict=True)}
        return ids, Tally(smaller, sums(ids, self.counts, len(first)))

    def of(self, keys: Sequence[Key]) -> Tally:
        """Drop the other columns and regroup."""
        return self.grouped(keys)[1]

    def sizes_by(self, keys: Sequence[Key]) -> IntArray:
        """Count the rows of each combination of some columns, where only the counts matter."""
        chosen = [self.columns[key] for key in keys]
        space = prod(len(column.values) or 1 for column in chosen)
        if space > DENSE * len(self.counts):
            return self.of(keys).counts
        packed, _ = pack([column.codes for column in chosen], [len(column.values) or 1 for column in chosen])
        counts = sums(packed, self.counts, space)
        return counts[counts > 0]

    def where(self, kept: Mask) -> Tally:
        """Keep some of the combinations."""
        return Tally({key: column.take(kept) for key, column in self.columns.items()}, self.counts[kept])

    def items(self) -> Iterator[tuple[tuple[Value, ...], int]]:
        """Give each combination as values, with its count: for tests and for small tables."""
        cells = [[column.values[code] for code in column.codes] for column in self.columns.values()]
        yield from zip(zip(*cells, strict=True), self.counts.tolist(), strict=True)


def wide(array: IntArray, largest: int) -> IntArray:
    """Turn an array into Python integers if results up to `largest` would not fit 64 bits."""
    return array.astype(object) if largest >= INT64 else array


def recode(lexicon: dict[Value, int], values: Sequence[Value]) -> IntArray:
    """Give the code of each value in a lexicon that takes up new values as they come."""
    return np.array([lexicon.setdefault(value, len(lexicon)) for value in values], dtype=np.int64)


def narrow(codes: IntArray, size: int) -> IntArray:
    """Keep codes, of which there are `size`, in as few bytes as will do."""
    return codes.astype(np.min_scalar_type(max(size - 1, 0)), copy=False)
