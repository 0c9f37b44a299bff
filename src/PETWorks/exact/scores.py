"""A score for every class: floats to sort by, and exact where floats are too close to call.

Most scores are fractions of counts (`Ratios`). Where a definition takes a logarithm, the score is one (`Logarithms`),
and is still compared exactly.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from PETWorks.counting.tally import IntArray
from PETWorks.exact.limit import Limit
from PETWorks.exact.log_sum import DIGITS, Bits

FloatArray = NDArray[np.float64]
SIMPLE = 10**6  # largest denominator of a fraction that a logarithm is tried for


class Scores(ABC):
    """The scores of all classes."""

    approximate: FloatArray

    @abstractmethod
    def marks(self, indices: IntArray) -> list[IntArray]:
        """Give integers that are equal only where scores are."""

    @abstractmethod
    def precise(self, index: int) -> Fraction | Decimal:
        """Give the score of a class, exactly or with many digits."""

    @abstractmethod
    def exact(self, index: int) -> Fraction | None:
        """Give the score of a class as a fraction, None if it is none."""

    @abstractmethod
    def compare(self, index: int, limit: Limit) -> int:
        """Tell whether the score of a class is below (-1), at (0) or above (1) a limit, exactly."""

    def value(self, index: int) -> float:
        """Give the score of a class, correctly rounded."""
        return float(self.precise(index))

    def best_known(self, index: int) -> Fraction | float:
        """Give the score of a class as people read it: a fraction if it is one."""
        exact = self.exact(index)
        return self.value(index) if exact is None else exact

    def alike(self, indices: IntArray) -> tuple[IntArray, IntArray]:
        """Choose one class of each different score; and tell for each class which of the chosen is like it."""
        marks = self.marks(indices)
        order = np.lexsort(marks)
        differs = np.zeros(len(indices), dtype=bool)
        differs[:1] = True
        for mark in marks:
            differs[1:] |= mark[order][1:] != mark[order][:-1]
        like = np.empty(len(indices), dtype=np.int64)
        like[order] = np.cumsum(differs) - 1
        return indices[order[differs]], like


class Ratios(Scores):
    """Scores that are quotients of integers."""

    def __init__(self, numerator: IntArray, denominator: IntArray | int = 1) -> None:
        self.numerator = numerator
        self.denominator = np.broadcast_to(denominator, numerator.shape)
        self.approximate = np.asarray(self.numerator / self.denominator, dtype=float)

    def marks(self, indices: IntArray) -> list[IntArray]:
        """Give the reduced fractions."""
        return _reduced(self.numerator[indices], self.denominator[indices])

    def exact(self, index: int) -> Fraction:
        """Give the fraction."""
        return Fraction(int(self.numerator[index]), int(self.denominator[index]))

    precise = exact

    def compare(self, index: int, limit: Limit) -> int:
        """Compare fractions."""
        return limit.compare(self.exact(index))


def _reduced(numerator: IntArray, denominator: IntArray) -> list[IntArray]:
    common = np.gcd(numerator, denominator)
    return [numerator // common, denominator // common]


class Largest(Ratios):
    """Of the quotients in each class the largest, and the entry that it belongs to."""

    def __init__(self, numerator: IntArray, denominator: IntArray, entries: IntArray) -> None:
        super().__init__(numerator[entries], denominator[entries])
        self.entries = entries


def largest(numerator: IntArray, denominator: IntArray, starts: IntArray) -> Largest:
    """Take the largest of the quotients in each class; its entries, at least one, start at `starts`."""
    if not len(starts):
        return Largest(numerator, denominator, starts)
    quotients = np.asarray(numerator / denominator, dtype=float)
    of_class = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(quotients))))
    top = np.maximum.reduceat(quotients, starts)
    close = np.flatnonzero(quotients >= top[of_class] * (1 - 1e-12))
    leads = np.diff(of_class[close], prepend=-1) > 0
    first, others = close[leads], close[~leads]
    leader = first[of_class[others]]
    pairs = zip(*(_reduced(numerator[one], denominator[one]) for one in (others, leader)), strict=True)
    for index in np.unique(of_class[others[np.any([one != other for one, other in pairs], axis=0)]]).tolist():
        entries = close[of_class[close] == index].tolist()  # too close for floats to tell
        first[index] = max(entries, key=lambda entry: Fraction(int(numerator[entry]), int(denominator[entry])))
    return Largest(numerator, denominator, first)


class Logarithms(Scores):
    """Scores that are sums of logarithms to base 2 or, with `power`, 2 to that power."""

    def __init__(
        self,
        approximate: FloatArray,
        bits: Callable[[int], Bits],
        marks: Callable[[IntArray], list[IntArray]],
        *,
        power: bool = False,
    ) -> None:
        self.approximate = approximate
        self._bits = bits
        self._marks = marks
        self._power = power

    def marks(self, indices: IntArray) -> list[IntArray]:
        """Give what the maker of these scores says."""
        return self._marks(indices)

    def precise(self, index: int) -> Decimal:
        """Give many digits."""
        with localcontext(prec=DIGITS):
            natural = self._bits(index).natural()
            return natural.exp() if self._power else natural / Bits({2: 1}).natural()

    def exact(self, index: int) -> Fraction | None:
        """Give the score if it is a simple fraction."""
        near = Fraction(float(self.approximate[index])).limit_denominator(SIMPLE)
        return near if self._sign(index, near) == 0 else None

    def compare(self, index: int, limit: Limit) -> int:
        """Find the exact sign of the difference."""
        if limit.written is not None and self.value(index) == limit.written:
            return 0
        return self._sign(index, limit.exact)

    def _sign(self, index: int, limit: Fraction) -> int:
        if not self._power:
            return (self._bits(index) - Bits({2: limit})).sign()
        if limit <= 0:
            return 1
        return (self._bits(index) - Bits.log(limit)).sign()


class LogQuotients(Scores):
    """Scores that are quotients of sums of logarithms, with one positive denominator for all."""

    def __init__(
        self,
        approximate: FloatArray,
        numerator: Callable[[int], Bits],
        denominator: Bits,
        marks: Sequence[IntArray],
    ) -> None:
        self.approximate = approximate
        self._numerator = numerator
        self._denominator = denominator
        self._marks = marks

    def marks(self, indices: IntArray) -> list[IntArray]:
        """Give what the maker of these scores says."""
        return [mark[indices] for mark in self._marks]

    def precise(self, index: int) -> Decimal:
        """Give many digits."""
        with localcontext(prec=DIGITS):
            return self._numerator(index).natural() / self._denominator.natural()

    def exact(self, index: int) -> Fraction | None:  # noqa: ARG002
        """Give nothing: such a score is hardly ever a fraction."""
        return None

    def compare(self, index: int, limit: Limit) -> int:
        """Find the exact sign of the difference, without dividing."""
        if limit.written is not None and self.value(index) == limit.written:
            return 0
        return (self._numerator(index) - self._denominator * limit.exact).sign()
