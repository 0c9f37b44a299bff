"""A score for every class: floats to sort by, and exact where floats are too close to call.

Most scores are fractions of counts (`Ratios`). Where a definition takes a logarithm, the score is one (`Logarithms`),
and is still compared exactly.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from PETWorks.bits import DIGITS, Bits
from PETWorks.limit import Limit
from PETWorks.tally import IntArray

FloatArray = NDArray[np.float64]
SIMPLE = 10**6  # largest denominator of a fraction that a logarithm is tried for


class Scores(ABC):
    """The scores of all classes."""

    approximate: FloatArray

    @abstractmethod
    def key(self, number: int) -> Hashable:
        """Give something that classes with equal scores mostly share, to compare them once."""

    @abstractmethod
    def precise(self, number: int) -> Fraction | Decimal:
        """Give the score of a class, exactly or with many digits."""

    @abstractmethod
    def exact(self, number: int) -> Fraction | None:
        """Give the score of a class as a fraction, None if it is none."""

    @abstractmethod
    def compare(self, number: int, limit: Limit) -> int:
        """Tell whether the score of a class is below (-1), at (0) or above (1) a limit, exactly."""

    def value(self, number: int) -> float:
        """Give the score of a class, correctly rounded."""
        return float(self.precise(number))


class Ratios(Scores):
    """Scores that are quotients of integers."""

    def __init__(self, numerator: IntArray, denominator: IntArray | int = 1) -> None:
        self.numerator = numerator
        self.denominator = np.broadcast_to(denominator, numerator.shape)
        self.approximate = np.asarray(self.numerator / self.denominator, dtype=float)

    def key(self, number: int) -> Hashable:
        """Give numerator and denominator."""
        return self.numerator[number], self.denominator[number]

    def exact(self, number: int) -> Fraction:
        """Give the fraction."""
        return Fraction(int(self.numerator[number]), int(self.denominator[number]))

    precise = exact

    def compare(self, number: int, limit: Limit) -> int:
        """Compare fractions."""
        return limit.compare(self.exact(number))


class Largest(Ratios):
    """The largest of several quotients in each class, whose entries start at `starts`; classes have at least one."""

    def __init__(self, numerator: IntArray, denominator: IntArray, starts: IntArray) -> None:
        super().__init__(numerator, denominator)
        self._ends = np.append(starts[1:], len(numerator))
        self._starts = starts
        self._entries = self.approximate
        self.approximate = np.maximum.reduceat(self._entries, starts) if len(starts) else np.zeros(0)

    def key(self, number: int) -> Hashable:
        """Give the largest quotient."""
        return self.exact(number)

    def exact(self, number: int) -> Fraction:
        """Compare the close ones exactly."""
        entries = np.arange(self._starts[number], self._ends[number])
        close = entries[self._entries[entries] >= self.approximate[number] * (1 - 1e-12)]
        return max(Fraction(int(self.numerator[entry]), int(self.denominator[entry])) for entry in close)

    precise = exact


class Logarithms(Scores):
    """Scores that are sums of logarithms to base 2 or, with `power`, 2 to that power."""

    def __init__(self, approximate: FloatArray, bits: Callable[[int], Bits], *, power: bool = False) -> None:
        self.approximate = approximate
        self._bits = bits
        self._power = power

    def key(self, number: int) -> Hashable:
        """Give the terms of the sum."""
        return frozenset(self._bits(number).weights.items())

    def precise(self, number: int) -> Decimal:
        """Give many digits."""
        with localcontext(prec=DIGITS):
            natural = self._bits(number).natural()
            return natural.exp() if self._power else natural / Decimal(2).ln()

    def exact(self, number: int) -> Fraction | None:
        """Give the score if it is a simple fraction."""
        near = Fraction(float(self.approximate[number])).limit_denominator(SIMPLE)
        return near if self._sign(number, near) == 0 else None

    def compare(self, number: int, limit: Limit) -> int:
        """Find the exact sign of the difference."""
        if limit.written is not None and self.value(number) == limit.written:
            return 0
        return self._sign(number, limit.exact)

    def _sign(self, number: int, limit: Fraction) -> int:
        if not self._power:
            return (self._bits(number) - Bits({2: limit})).sign()
        if limit <= 0:
            return 1
        return (self._bits(number) - Bits.log(limit)).sign()


class LogQuotients(Scores):
    """Scores that are quotients of sums of logarithms, with one positive denominator for all."""

    def __init__(self, approximate: FloatArray, numerator: Callable[[int], Bits], denominator: Bits) -> None:
        self.approximate = approximate
        self._numerator = numerator
        self._denominator = denominator

    def key(self, number: int) -> Hashable:
        """Give the terms of the numerator."""
        return frozenset(self._numerator(number).weights.items())

    def precise(self, number: int) -> Decimal:
        """Give many digits."""
        with localcontext(prec=DIGITS):
            return self._numerator(number).natural() / self._denominator.natural()

    def exact(self, number: int) -> Fraction | None:  # noqa: ARG002
        """Give nothing: such a score is hardly ever a fraction."""
        return None

    def compare(self, number: int, limit: Limit) -> int:
        """Find the exact sign of the difference, without dividing."""
        if limit.written is not None and self.value(number) == limit.written:
            return 0
        return (self._numerator(number) - self._denominator * limit.exact).sign()
