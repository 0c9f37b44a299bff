"""Many texts, held as Arrow does: they become Python strings only if somebody asks for them.

The cells that tell people apart are nearly as many as the rows, and nobody needs them as strings: it is enough to know
which are equal.

>>> texts = Texts(text_array(["b", None, "a"]))
>>> list(texts), len(texts), texts.places(["a", None])
(['b', None, 'a'], 3, [1, 2])
>>> whole, codes = unified([texts, Texts(text_array(["a", "c"]))])
>>> list(whole), codes.tolist()
(['b', None, 'a', 'c'], [0, 1, 2, 2, 3])
>>> list(Numerals(np.array([70, -5]))), Numerals(np.array([70, -5])).places(["-5", "070", None])
(['70', '-5'], [1])
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from PETWorks.counting.arrow_arrays import integers, text_array
from PETWorks.counting.tally import IntArray, Value

if TYPE_CHECKING:
    import pyarrow as pa

NUMERAL = re.compile("0|-?[1-9][0-9]{0,18}")  # a whole number as `str` writes it


class Texts(Sequence[Value]):
    """Texts and missing values, in an Arrow array of large strings."""

    def __init__(self, array: pa.Array) -> None:
        self.array = array
        self.kept: object = None  # what they were made from, as long as it must not be freed

    @classmethod
    def of(cls, values: Sequence[Value]) -> Texts:
        """Take texts that may be strings."""
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
        """Return how many there are."""
        return len(self.array)

    def __iter__(self) -> Iterator[Value]:
        """Return all of them as strings."""
        return iter(self._values)

    @overload
    def __getitem__(self, index: int) -> Value: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Value]: ...
    def __getitem__(self, index: int | slice) -> Value | Sequence[Value]:
        """Return a text, or some of them."""
        if isinstance(index, slice):
            return list(self.taken(np.arange(len(self))[index]))
        return self._values[index]

    def places(self, wanted: Iterable[Value]) -> list[int]:
        """Return the places of some texts, sorted."""
        from pyarrow import compute

        found = compute.index_in(self.array, value_set=text_array(list(wanted)))
        places: list[int] = compute.indices_nonzero(found.is_valid()).to_pylist()
        return places

    def without(self, places: Sequence[int]) -> Texts:
        """Return the texts with those at some places as missing ones."""
        kept = np.ones(len(self), dtype=bool)
        kept[places] = False
        return Texts(self.array.take(integers(np.arange(len(self)), kept)))

    def taken(self, places: IntArray) -> Texts:
        """Return only some of the texts."""
        return Texts(self.array.take(integers(places)))

    @property
    def nbytes(self) -> int:
        """How many bytes of memory they take up."""
        return int(self.array.nbytes)


class Numerals(Texts):
    """The numerals of distinct whole numbers. They become texts only if somebody asks for these."""

    def __init__(self, numbers: IntArray) -> None:
        self.numbers = numbers

    @cached_property
    def array(self) -> pa.Array:
        """The numerals, as an Arrow array."""
        import pyarrow as pa

        return integers(self.numbers).cast(pa.large_string())

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the numbers only."""
        return Numerals, (self.numbers,)

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self.numbers)

    def places(self, wanted: Iterable[Value]) -> list[int]:
        """Return the places of some texts, sorted."""
        numbers = [int(text) for text in wanted if text is not None and NUMERAL.fullmatch(text)]
        found = [np.flatnonzero(self.numbers == number) for number in numbers]
        return sorted(place for places in found for place in places.tolist())

    def taken(self, places: IntArray) -> Numerals:
        """Return only some of the numerals."""
        return Numerals(self.numbers[places])

    @property
    def nbytes(self) -> int:
        """How many bytes of memory the numbers take up."""
        return self.numbers.nbytes


def unified(several: Sequence[Texts]) -> tuple[Texts, IntArray]:
    """Join texts: return all different ones, and for each of the given, one after the other, its place among them."""
    import pyarrow as pa

    joined = pa.concat_arrays([one.array for one in several]).dictionary_encode(null_encoding="encode")
    return Texts(joined.dictionary), np.from_dlpack(joined.indices)
