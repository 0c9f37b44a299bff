"""A table as its tally: the distinct combinations of some columns, and how often each occurs.

Everything that PETWorks measures depends on how often values occur together, never on the row that has them. So rows
are read once, into a tally; all else is arithmetic on its small integer arrays. The tally of fewer columns is computed
from that of more columns, by dropping columns and regrouping. The tallies of two halves of a table add up to that of
the whole table.

Values are text; `None` is the missing value. The values of a column are sorted (missing last), and the combinations are
sorted by their values. So a tally does not depend on the order of the rows or on the engine that read them.

Combinations are packed into integer keys. The functions at the end sort keys to find the distinct ones, to count them,
and to add up what belongs to equal ones.

>>> keys = np.array([30, 10, 30])
>>> [found.tolist() for found in sum_by_key(keys, np.array([1, 2, 4]), space=31)]
[[10, 30], [2, 5]]
>>> [found.tolist() for found in number_keys(keys, space=31)]
[[10, 30], [1, 0, 1]]
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[Any]  # int64; codes may be narrower; Python integers (dtype object) if 64 bits might overflow
Mask = NDArray[np.bool_]
Value = str | None

INT32, INT64 = 2**31, 2**63
KEY_SPACE = 2**62  # packed keys are smaller than this
DENSE = 8  # keys are counted without sorting if there are at most so many possible keys for each entry


class Before(NamedTuple):
    """The name of a column of the original, in a tally that pairs original and release."""

    name: str


Key = str | Before


@dataclass(frozen=True, eq=False)
class Coded:
    """A column as integer codes, with the value of each code."""

    codes: IntArray
    values: Sequence[Value]

    @classmethod
    def of(cls, cells: Sequence[Value]) -> Coded:
        """Build a coded column from plain cells."""
        lexicon = dict(zip(dict.fromkeys(cells), count()))
        return cls(np.fromiter(map(lexicon.__getitem__, cells), np.int64, len(cells)), list(lexicon))

    @property
    def size(self) -> int:
        """The number of entries of the column."""
        return len(self.codes)

    def code(self, value: Value) -> int:
        """Return the code of a value, or -1 if the column does not have it."""
        try:
            return self.values.index(value)
        except ValueError:
            return -1

    def trim(self) -> Coded:
        """Drop values that no entry has: the categories of a data frame may include values that do not occur."""
        occurs = np.zeros(len(self.values), dtype=bool)
        occurs[self.codes] = True
        if occurs.all():
            return self
        values = [value for value, does in zip(self.values, occurs.tolist(), strict=True) if does]
        return Coded((np.cumsum(occurs) - 1)[self.codes], values)

    def take(self, rows: IntArray | slice | Mask) -> Coded:
        """Return the column with only some of its entries."""
        return Coded(self.codes[rows], self.values)


MISSING_CODE = "(missing: "  # what the text of a missing value that a file itself declares begins with


def write_missing_code(code: str) -> str:
    """Return the text of a value that a file declares as missing; each such value stays distinct.

    >>> write_missing_code("8"), is_missing(write_missing_code(".a")), is_missing(None), is_missing("8")
    ('(missing: 8)', True, True, False)
    """
    return f"{MISSING_CODE}{code})"


def is_missing(value: Value) -> bool:
    """Return True for the missing value, and for the text of a value that a file declares as missing."""
    return value is None or (value.startswith(MISSING_CODE) and value.endswith(")"))


def cell_text(value: Value) -> str:
    """Return a value as text for people; the missing value is "(missing)"."""
    return "(missing)" if value is None else value


Unpack = Callable[[IntArray], list[IntArray]]


def pack(columns: Sequence[IntArray], sizes: Sequence[int]) -> tuple[IntArray, Unpack]:
    """Pack codes, an array for each column, into one integer key for each entry; also return the function that unpacks.

    Keys sort in the same order as the tuples of codes. They have 32 bits if these suffice, since shorter keys sort
    faster. If 62 bits cannot hold all columns, the first columns are replaced by the rank of their combination.
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
        return key, lambda keys: _split_digits(keys, sizes)
    distinct, ranks = np.unique(key, return_inverse=True)
    packed, unpack = pack([ranks, *columns[fitting:]], [len(distinct), *sizes[fitting:]])

    def unpack_all(keys: IntArray) -> list[IntArray]:
        rank, *rest = unpack(keys)
        return [*_split_digits(distinct[rank], sizes[:fitting]), *rest]

    return packed, unpack_all


def _split_digits(keys: IntArray, sizes: Sequence[int]) -> list[IntArray]:
    codes = []
    for size in reversed(sizes):
        keys, digit = np.divmod(keys, size)
        codes.append(digit)
    return codes[::-1]


def rank_keys(keys: IntArray, space: int) -> tuple[IntArray, IntArray]:
    """Return the index of one entry for each distinct key, sorted by key, and the rank of every entry's key.

    Keys are smaller than `space`. If that is small, the keys are not sorted but counted.
    """
    if space > DENSE * len(keys):
        _, first, ids = np.unique(keys, return_index=True, return_inverse=True)
        return first, ids
    first = np.full(space, -1)
    first[keys] = np.arange(len(keys))
    occurs = first >= 0
    return first[occurs], (np.cumsum(occurs) - 1)[keys]


def sum_by_group(ids: IntArray, counts: IntArray, groups: int) -> IntArray:
    """Add up counts by group. The sum is exact, since doubles represent every integer below 2**53."""
    return np.bincount(ids, weights=counts, minlength=groups).astype(np.int64)


@dataclass(frozen=True, eq=False)
class Tally:
    """The distinct combinations of the columns' values, and the number of rows that have each of them."""

    columns: Mapping[Key, Coded]
    counts: IntArray

    @cached_property
    def rows(self) -> int:
        """The number of counted rows."""
        return int(self.counts.sum())

    def group(self, keys: Sequence[Key]) -> tuple[IntArray, Tally]:
        """Drop the other columns and regroup; also return, for each combination, its index in the smaller tally."""
        chosen = [self.columns[key] for key in keys]
        sizes = [len(column.values) for column in chosen]
        packed, _ = pack([column.codes for column in chosen], sizes)
        first, ids = rank_keys(packed, prod(sizes))
        smaller = {key: column.take(first) for key, column in zip(keys, chosen, strict=True)}
        return ids, Tally(smaller, sum_by_group(ids, self.counts, len(first)))

    def select(self, keys: Sequence[Key]) -> Tally:
        """Return the tally of only these columns."""
        return self.group(keys)[1]

    def count_by(self, keys: Sequence[Key]) -> IntArray:
        """Return the number of rows of each combination of some columns, without the combinations themselves."""
        chosen = [self.columns[key] for key in keys]
        sizes = [len(column.values) for column in chosen]
        if prod(sizes) > DENSE * len(self.counts):
            return self.select(keys).counts
        packed, _ = pack([column.codes for column in chosen], sizes)
        counts = sum_by_group(packed, self.counts, prod(sizes))
        return counts[counts > 0]

    def where(self, kept: Mask) -> Tally:
        """Return the tally of only some of the combinations."""
        return Tally({key: column.take(kept) for key, column in self.columns.items()}, self.counts[kept])

    def items(self) -> Iterator[tuple[tuple[Value, ...], int]]:
        """Yield each combination as values, with its count. This is slow, for tests and small tables only."""
        cells = [[column.values[code] for code in column.codes] for column in self.columns.values()]
        yield from zip(zip(*cells, strict=True), self.counts.tolist(), strict=True)


def widen(array: IntArray, largest: int) -> IntArray:
    """Convert an array to Python integers if results up to `largest` would not fit in 64 bits."""
    return array.astype(object) if largest >= INT64 else array


def recode(lexicon: dict[Value, int], values: Sequence[Value]) -> IntArray:
    """Return the code of each value in a lexicon; new values are added to it."""
    return np.array([lexicon.setdefault(value, len(lexicon)) for value in values], dtype=np.int64)


def narrow(codes: IntArray, size: int) -> IntArray:
    """Convert codes, which are smaller than `size`, to the smallest integer type that holds them."""
    return codes.astype(np.min_scalar_type(max(size - 1, 0)), copy=False)


def count_keys(keys: IntArray) -> tuple[IntArray, IntArray]:
    """Sort the keys in place; return the distinct ones, and how often each occurs."""
    keys.sort()
    starts = _find_runs(keys)
    return keys[starts], _measure_runs(starts, len(keys))


def find_distinct(keys: IntArray) -> IntArray:
    """Return the distinct keys, sorted. That is faster than np.unique, which hashes them, if there are very many."""
    keys = np.sort(keys)
    return keys[_find_runs(keys)]


def sum_combinations(packed: IntArray, counts: IntArray) -> tuple[IntArray, IntArray]:
    """Return the index of one entry for each distinct key, sorted by key, and the sum of the counts of each key."""
    order = np.argsort(packed, kind="stable")  # a stable sort is fast for keys that are almost sorted, as most are
    starts = _find_runs(packed[order])
    return order[starts], np.add.reduceat(counts[order], starts)


def sum_by_key(keys: IntArray, counts: IntArray, space: int, *, overwrite: bool = False) -> tuple[IntArray, IntArray]:
    """Return the distinct keys, sorted, and the sum of the counts of each key. Keys are smaller than `space`.

    If 64-bit keys may be overwritten, less memory is needed.
    """
    if space > DENSE * len(keys):
        bits = int(counts.max(initial=0)).bit_length()
        if space << bits >= KEY_SPACE or counts.dtype == object:
            order = np.argsort(keys, kind="stable")
            return sum_adjacent(keys[order], counts[order])
        both = np.left_shift(keys, bits, out=keys if overwrite else None, dtype=np.int64)
        both |= counts  # sorting both as one number is faster than an indirect sort
        both.sort()
        counts = narrow(both & (1 << bits) - 1, 1 << bits)
        both >>= bits
        return sum_adjacent(both, counts)
    added = np.bincount(keys, weights=counts)  # exact, as in `sums`
    occurring = np.flatnonzero(added > 0)
    return occurring, added[occurring].astype(np.int64)


def sum_adjacent(keys: IntArray, counts: IntArray) -> tuple[IntArray, IntArray]:
    """Return the distinct keys, and the sum of the counts of each key. Equal keys must be adjacent."""
    starts = _find_runs(keys)
    return keys[starts], np.add.reduceat(counts, starts, dtype=np.promote_types(counts.dtype, np.int64))


def number_keys(keys: IntArray, space: int) -> tuple[IntArray, IntArray]:
    """Return the distinct keys, sorted, and for each entry the index of its key among them. Keys are below `space`."""
    if space > DENSE * len(keys):
        return _number_by_sorting(keys, space)
    occurs = np.zeros(space, dtype=bool)
    occurs[keys] = True
    if occurs.all():
        return np.arange(space), keys
    return np.flatnonzero(occurs), narrow(np.cumsum(occurs) - 1, space)[keys]


def _number_by_sorting(keys: IntArray, space: int) -> tuple[IntArray, IntArray]:
    bits = len(keys).bit_length()
    if space << bits >= KEY_SPACE:
        return np.unique(keys, return_inverse=True)
    both = np.left_shift(keys, bits, dtype=np.int64)  # sorting both as one number is faster than an indirect sort
    both |= np.arange(len(keys))
    both.sort()
    entries = both & (1 << bits) - 1
    both >>= bits
    places = np.empty(len(keys), dtype=np.int32 if len(keys) < INT32 else np.int64)
    starts = _find_runs(both)
    places[entries] = np.repeat(np.arange(len(starts), dtype=places.dtype), _measure_runs(starts, len(both)))
    return both[starts], places


def _find_runs(keys: IntArray) -> IntArray:
    """Return the index at which each run of equal keys starts."""
    differs = np.ones(len(keys), dtype=bool)
    np.not_equal(keys[1:], keys[:-1], out=differs[1:])
    return np.flatnonzero(differs)


def _measure_runs(starts: IntArray, entries: int) -> IntArray:
    """Return the length of each run."""
    lengths = np.empty_like(starts)
    np.subtract(starts[1:], starts[:-1], out=lengths[:-1])
    lengths[-1:] = entries - starts[-1:]
    return lengths


CACHED_ENTRIES = (
    2**20
)  # columns share a table as long as it has at most so many entries, which fit in the processor's cache
MAX_ENTRIES = 2**24  # most entries of a table that has more than DENSE entries for each combination


class _Step(NamedTuple):
    """Some columns of a lookup. The rank of a row in the previous columns and its codes in these columns form a key."""

    columns: list[int]
    table: IntArray  # by key, the rank of the combination so far; -1 for keys that do not occur
    keys: IntArray | None  # the sorted keys by which `table` is searched; None if keys are its indices


class Lookup:
    """Find combinations of a tally by their values.

    A table lookup for a few columns at a time replaces the search for a key among all keys, which takes ten times as
    long.

    >>> from PETWorks.tables.counting.builder import TallyBuilder
    >>> builder = TallyBuilder(["sex", "age"])
    >>> builder.add([Coded.of(["m", "f", "m"]), Coded.of(["30", None, "30"])])
    >>> Lookup(builder.build()).find([Coded.of(["m", "f", "f"]), Coded.of(["30", None, "31"])]).tolist()
    [1, 0, -1]
    """

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
