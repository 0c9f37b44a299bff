"""Columns with many distinct texts, stored as Arrow arrays: they become Python strings only when they are used.

The cells that identify people are nearly as many as the rows, and only their equality matters.

>>> texts = Texts(text_array(["b", None, "a"]))
>>> list(texts), len(texts), texts.find(["a", None])
(['b', None, 'a'], 3, [1, 2])
>>> whole, codes = unify([texts, Texts(text_array(["a", "c"]))])
>>> list(whole), codes.tolist()
(['b', None, 'a', 'c'], [0, 1, 2, 2, 3])
>>> list(Numerals(np.array([70, -5]))), Numerals(np.array([70, -5])).find(["-5", "070", None])
(['70', '-5'], [1])

A column of whole numbers computes its codes on first use (`WholeNumbers`). To count people, the numbers themselves are
the codes: finding all distinct ones takes longer than all the rest.

>>> column = WholeNumbers(np.array([7, 5, 7]))
>>> column.take(np.array([1, 2])).numbers.tolist(), column.codes.tolist(), list(column.values)
([5, 7], [0, 1, 0], ['7', '5'])

Arrow's own `array` and `scalar` would import pandas, which takes long, so arrays are built from buffers here.

>>> text_array(["a", None, "高雄"]).to_pylist()
['a', None, '高雄']
>>> integer_array(np.array([2, 1]), valid=np.array([True, False])).to_pylist()
[2, None]
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from PETWorks.errors import SourceError
from PETWorks.tables.counting.tally import Coded, IntArray, Mask, Value

if TYPE_CHECKING:
    import pyarrow as pa


def integer_array(numbers: IntArray, valid: Mask | None = None) -> pa.Array:
    """Return integers as an Arrow array without copying them; invalid ones become null."""
    import pyarrow as pa

    numbers = np.ascontiguousarray(numbers)
    return pa.Array.from_buffers(
        pa.from_numpy_dtype(numbers.dtype), len(numbers), [_pack_validity(valid), pa.py_buffer(numbers)]
    )


def binary_array(pieces: Sequence[bytes]) -> pa.Array:
    """Build an array of bytes."""
    import pyarrow as pa

    ends = np.cumsum([0, *map(len, pieces)], dtype=np.int64)
    return pa.Array.from_buffers(
        pa.large_binary(), len(pieces), [None, pa.py_buffer(ends), pa.py_buffer(b"".join(pieces))]
    )


def text_array(values: Sequence[Value]) -> pa.Array:
    """Build an array of text; missing values become null."""
    import pyarrow as pa

    try:
        _, ends, data = binary_array([(value or "").encode() for value in values]).buffers()
    except UnicodeEncodeError as error:
        problem = "a cell holds text that is not Unicode: half of a pair of surrogates"
        raise SourceError(
            problem, hint="correct the text where it comes from, for example its \\u escapes", figures={}
        ) from error
    missing = None if None not in values else np.array([value is not None for value in values])
    return pa.Array.from_buffers(pa.large_string(), len(values), [_pack_validity(missing), ends, data])


def _pack_validity(valid: Mask | None) -> pa.Buffer | None:
    import pyarrow as pa

    return None if valid is None else pa.py_buffer(np.packbits(valid, bitorder="little"))


NUMERAL = re.compile("0|-?[1-9][0-9]{0,18}")  # a whole number as `str` writes it


class Texts(Sequence[Value]):
    """Texts and missing values, in an Arrow array of large strings."""

    def __init__(self, array: pa.Array) -> None:
        self.array = array
        self.owner: object = None  # the object they were built from, which must not be freed

    @classmethod
    def of(cls, values: Sequence[Value]) -> Texts:
        """Build the texts from values that may be Python strings."""
        if isinstance(values, Texts):
            return values
        return cls(text_array(values))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the array only."""
        return Texts, (self.array,)

    @cached_property
    def _values(self) -> list[Value]:
        values: list[Value] = self.array.to_pylist()
        return values

    def __len__(self) -> int:
        """Return the number of texts."""
        return len(self.array)

    def __iter__(self) -> Iterator[Value]:
        """Iterate over the texts as strings."""
        return iter(self._values)

    @overload
    def __getitem__(self, index: int) -> Value: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Value]: ...
    def __getitem__(self, index: int | slice) -> Value | Sequence[Value]:
        """Return a text by its index, or a slice of the texts."""
        if isinstance(index, slice):
            return list(self.take(np.arange(len(self))[index]))
        return self._values[index]

    def find(self, wanted: Iterable[Value]) -> list[int]:
        """Return the sorted indices of some texts."""
        from pyarrow import compute

        found = compute.index_in(self.array, value_set=text_array(list(wanted)))
        places: list[int] = compute.indices_nonzero(found.is_valid()).to_pylist()
        return places

    def clear(self, places: Sequence[int]) -> Texts:
        """Return the texts with those at some indices made missing."""
        kept = np.ones(len(self), dtype=bool)
        kept[places] = False
        return Texts(self.array.take(integer_array(np.arange(len(self)), kept)))

    def take(self, places: IntArray) -> Texts:
        """Return the texts at some indices."""
        return Texts(self.array.take(integer_array(places)))

    @property
    def nbytes(self) -> int:
        """The bytes of memory of the texts."""
        return int(self.array.nbytes)


def find_cells(values: Sequence[Value], marker: str) -> Mask:
    """Return a mask of the values that are neither missing nor the marker."""
    if isinstance(values, Texts):
        cells = np.ones(len(values), dtype=bool)
        cells[values.find([None, marker])] = False
        return cells
    return np.fromiter((value is not None and value != marker for value in values), bool, len(values))


def take_values(values: Sequence[Value], places: IntArray) -> Sequence[Value]:
    """Return the values at some places."""
    return values.take(places) if isinstance(values, Texts) else [values[place] for place in places.tolist()]


class Numerals(Texts):
    """The numerals of distinct integers, which become texts only when they are used."""

    def __init__(self, numbers: IntArray) -> None:
        self.numbers = numbers

    @cached_property
    def array(self) -> pa.Array:
        """The numerals, as an Arrow array."""
        import pyarrow as pa

        return integer_array(self.numbers).cast(pa.large_string())

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the numbers only."""
        return Numerals, (self.numbers,)

    def __len__(self) -> int:
        """Return the number of numerals."""
        return len(self.numbers)

    def find(self, wanted: Iterable[Value]) -> list[int]:
        """Return the sorted indices of some texts."""
        numbers = [int(text) for text in wanted if text is not None and NUMERAL.fullmatch(text)]
        found = [np.flatnonzero(self.numbers == number) for number in numbers]
        return sorted(place for places in found for place in places.tolist())

    def take(self, places: IntArray) -> Numerals:
        """Return the numerals at some indices."""
        return Numerals(self.numbers[places])

    @property
    def nbytes(self) -> int:
        """The bytes of memory of the numbers."""
        return self.numbers.nbytes


def unify(several: Sequence[Texts]) -> tuple[Texts, IntArray]:
    """Join several arrays of texts; return the distinct texts, and the index of each input text among them."""
    import pyarrow as pa

    joined = pa.concat_arrays([one.array for one in several]).dictionary_encode(null_encoding="encode")
    return Texts(joined.dictionary), np.from_dlpack(joined.indices)


class WholeNumbers(Coded):
    """A column of 64-bit integers without missing values. The text of each is its numeral."""

    numbers: IntArray

    def __init__(self, numbers: IntArray) -> None:
        vars(self).update(numbers=numbers)

    @cached_property
    def _coded(self) -> tuple[IntArray, Sequence[Value]]:
        coded = integer_array(self.numbers).dictionary_encode()
        return np.from_dlpack(coded.indices), Numerals(np.from_dlpack(coded.dictionary))

    @property
    def codes(self) -> IntArray:
        """The codes of the numbers, in the order in which these first occur."""
        return self._coded[0]

    @property
    def values(self) -> Sequence[Value]:
        """The numeral that each code stands for."""
        return self._coded[1]

    @property
    def size(self) -> int:
        """The number of entries of the column."""
        return len(self.numbers)

    def take(self, rows: IntArray | slice | Mask) -> WholeNumbers:
        """Return the column with only some of its entries."""
        return WholeNumbers(self.numbers[rows])


def convert_to_numbers(column: Coded) -> Coded:
    """Return a column of numerals as integers, and any other column unchanged."""
    if isinstance(column, WholeNumbers) or not isinstance(column.values, Numerals):
        return column
    return WholeNumbers(column.values.numbers[column.codes])
