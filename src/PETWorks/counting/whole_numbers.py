"""A column of whole numbers, which is coded only if somebody asks for codes.

Numbers that tell people apart are nearly as many as the rows. To count people, the numbers themselves serve as codes:
finding all distinct ones, as coding does, takes longer than all the rest.

>>> column = WholeNumbers(np.array([7, 5, 7]))
>>> column.take(np.array([1, 2])).numbers.tolist(), column.codes.tolist(), list(column.values)
([5, 7], [0, 1, 0], ['7', '5'])
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from PETWorks.counting.arrow_arrays import integers
from PETWorks.counting.tally import Coded, IntArray, Mask, Value
from PETWorks.counting.texts import Numerals


class WholeNumbers(Coded):
    """A column of whole numbers of at most 64 bits, none of which is missing. The text of each is its numeral."""

    numbers: IntArray

    def __init__(self, numbers: IntArray) -> None:
        vars(self).update(numbers=numbers)

    @cached_property
    def _coded(self) -> tuple[IntArray, Sequence[Value]]:
        coded = integers(self.numbers).dictionary_encode()
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
        """How many entries the column has."""
        return len(self.numbers)

    def take(self, rows: IntArray | slice | Mask) -> WholeNumbers:
        """Return the column with only some of its entries."""
        return WholeNumbers(self.numbers[rows])


def as_numbers(column: Coded) -> Coded:
    """Return a column whose values are numerals as their numbers, and any other column as it is."""
    if isinstance(column, WholeNumbers) or not isinstance(column.values, Numerals):
        return column
    return WholeNumbers(column.values.numbers[column.codes])
