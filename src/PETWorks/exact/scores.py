"""The score of every class: approximate floats for sorting, and exact comparison where floats are too close to decide.

Most scores are fractions of counts (`Ratios`). If the definition of a measure uses logarithms, so do the scores
(`Logarithms`, `LogQuotients`); these are compared exactly, too.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from PETWorks.exact.limit import Limit
from PETWorks.exact.sums import DIGITS, Bits
from PETWorks.tables.counting.tally import INT64, IntArray

FloatArray = NDArray[np.float64]
MAX_DENOMINATOR = 10**6  # largest denominator of the fractions that a logarithm is tested to be equal to


class Scores(ABC):
    """The scores of all classes."""

    @property
    @abstractmethod
    def approximate(self) -> FloatArray:
        """The scores of all classes as floats."""

    @abstractmethod
    def marks(self, indices: IntArray) -> list[IntArray]:
        """Return integers by which classes can be grouped: equal marks mean equal scores, but not always vice versa."""

    @abstractmethod
    def precise(self, index: int) -> Fraction | Decimal:
        """Return the score of a class, exactly or with many digits."""

    @abstractmethod
    def exact(self, index: int) -> Fraction | None:
        """Return the score of a class as a fraction; None if it is not known to be a fraction."""

    @abstractmethod
    def compare(self, index: int, limit: Limit) -> int:
        """Return -1, 0 or 1 if the score of a class is below, equal to or above a limit, exactly."""

    @abstractmethod
    def difference(self, one: int, other: int) -> int:
        """Return -1, 0 or 1 if the score of a class is below, equal to or above that of another, exactly."""

    def relations(self, limit: Limit) -> IntArray | None:  # noqa: ARG002
        """Return the results of `compare` for all classes at once; None if they cannot be computed fast."""
        return None

    def value(self, index: int) -> float:
        """Return the score of a class, correctly rounded to a float."""
        return float(self.precise(index))

    def best_known(self, index: int) -> Fraction | float:
        """Return the score of a class as a fraction if it is known to be a fraction, else as a float."""
        exact = self.exact(index)
        return self.value(index) if exact is None else exact

    def group_alike(self, indices: IntArray) -> tuple[IntArray, IntArray]:
        """Return one class for each distinct mark, and for each class the position of its mark among these."""
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

    @property
    def approximate(self) -> FloatArray:
        """The quotients as floats; computed each time, because results keep their scores and memory is scarce."""
        return np.asarray(self.numerator / self.denominator, dtype=float)

    def marks(self, indices: IntArray) -> list[IntArray]:
        """Return the numerators and denominators of the reduced fractions."""
        return _reduce(self.numerator[indices], self.denominator[indices])

    def exact(self, index: int) -> Fraction:
        """Return the fraction."""
        return Fraction(int(self.numerator[index]), int(self.denominator[index]))

    precise = exact

    def compare(self, index: int, limit: Limit) -> int:
        """Compare the fraction with the limit."""
        return limit.compare(self.exact(index))

    def relations(self, limit: Limit) -> IntArray | None:
        """Compare products of integers; None if they might not fit 64 bits, or if the limit was written as a float."""
        above, below = limit.exact.numerator, limit.exact.denominator
        if limit.written is not None or self.numerator.dtype == object or not len(self.numerator):
            return None
        largest = max(int(np.abs(self.numerator).max()) * below, abs(above) * int(self.denominator.max()))
        if max(largest, below, abs(above)) >= INT64 // 2:
            return None
        signs: IntArray = np.sign(self.numerator.astype(np.int64) * below - above * self.denominator)
        return signs

    def difference(self, one: int, other: int) -> int:
        """Compare the fractions."""
        return Limit(self.exact(other)).compare(self.exact(one))


def _reduce(numerator: IntArray, denominator: IntArray) -> list[IntArray]:
    common = np.gcd(numerator, denominator)
    return [numerator // common, denominator // common]


class Largest(Ratios):
    """The largest of the quotients in each class, and the entry (`entries`) that has it."""

    def __init__(self, numerator: IntArray, denominator: IntArray, entries: IntArray) -> None:
        super().__init__(numerator[entries], denominator[entries])
        self.entries = entries


def find_largest(numerator: IntArray, denominator: IntArray, starts: IntArray) -> Largest:
    """Return the largest of the quotients in each class. The entries of a class, at least one, begin at `starts`."""
    if not len(starts):
        return Largest(numerator, denominator, starts)
    quotients = numerator / denominator
    of_class = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(quotients))))
    top = np.maximum.reduceat(quotients, starts)
    close = np.flatnonzero(quotients >= top[of_class] * (1 - 1e-12))
    leads = np.diff(of_class[close], prepend=-1) > 0
    first, others = close[leads], close[~leads]
    leader = first[of_class[others]]
    pairs = zip(*(_reduce(numerator[one], denominator[one]) for one in (others, leader)), strict=True)
    for index in np.unique(of_class[others[np.any([one != other for one, other in pairs], axis=0)]]).tolist():
        entries = close[of_class[close] == index].tolist()  # too close for floats: compare fractions
        first[index] = max(entries, key=lambda entry: Fraction(int(numerator[entry]), int(denominator[entry])))
    return Largest(numerator, denominator, first)


class Logarithms(Scores):
    """Scores that are sums of logarithms to base 2; with `power`, 2 to the power of such a sum."""

    def __init__(
        self,
        approximate: FloatArray,
        bits: Callable[[int], Bits],
        marks: Callable[[IntArray], list[IntArray]],
        *,
        power: bool = False,
    ) -> None:
        self._approximate = approximate
        self._bits = bits
        self._marks = marks
        self._power = power

    @property
    def approximate(self) -> FloatArray:
        """The scores as floats."""
        return self._approximate

    def marks(self, indices: IntArray) -> list[IntArray]:
        """Return integers that the measure assigned to the classes: classes with equal ones have equal scores."""
        return self._marks(indices)

    def precise(self, index: int) -> Decimal:
        """Return the score with DIGITS digits."""
        with localcontext(prec=DIGITS):
            natural = self._bits(index).natural()
            return natural.exp() if self._power else natural / Bits({2: 1}).natural()

    def exact(self, index: int) -> Fraction | None:
        """Return the score if it is equal to a fraction with a small denominator, else None."""
        near = Fraction(float(self.approximate[index])).limit_denominator(MAX_DENOMINATOR)
        return near if self._sign(index, near) == 0 else None

    def compare(self, index: int, limit: Limit) -> int:
        """Return the exact sign of the difference between score and limit."""
        if limit.written is not None and self.value(index) == limit.written:
            return 0
        return self._sign(index, limit.exact)

    def difference(self, one: int, other: int) -> int:
        """Return the exact sign of the difference between the sums of logarithms."""
        return (self._bits(one) - self._bits(other)).sign()

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
        self._approximate = approximate
        self._numerator = numerator
        self._denominator = denominator
        self._marks = marks

    @property
    def approximate(self) -> FloatArray:
        """The scores as floats."""
        return self._approximate

    def marks(self, indices: IntArray) -> list[IntArray]:
        """Return integers that the measure assigned to the classes: classes with equal ones have equal scores."""
        return [mark[indices] for mark in self._marks]

    def precise(self, index: int) -> Decimal:
        """Return the score with DIGITS digits."""
        with localcontext(prec=DIGITS):
            return self._numerator(index).natural() / self._denominator.natural()

    def exact(self, index: int) -> Fraction | None:
        """Return the score if it is equal to a fraction with a small denominator, else None."""
        near = Fraction(self.precise(index)).limit_denominator(MAX_DENOMINATOR)
        return near if not (self._numerator(index) - self._denominator * near).sign() else None

    def compare(self, index: int, limit: Limit) -> int:
        """Return the exact sign of the difference between score and limit, without dividing."""
        if limit.written is not None and self.value(index) == limit.written:
            return 0
        return (self._numerator(index) - self._denominator * limit.exact).sign()

    def difference(self, one: int, other: int) -> int:
        """Return the exact sign of the difference between the numerators."""
        return (self._numerator(one) - self._numerator(other)).sign()
