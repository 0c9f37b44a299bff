"""Exact sums of logarithms: w1·log2(n1) + w2·log2(n2) + …, with integers n and rational weights w.

Information losses and entropies of counted data have this form. Such a sum is shown as a float, but its sign is exact.
Floats decide the sign if the sum is clearly not zero. Otherwise the common factors of the integers decide whether the
sum is zero. If it is not, it is computed with more and more digits until its sign is certain.

>>> (Bits({8: 1}) - Bits({2: 3})).sign(), (Bits({3: 5}) - Bits({2: 8})).sign()
(0, -1)
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal, getcontext, localcontext
from fractions import Fraction
from functools import lru_cache

import numpy as np

from PETWorks.counting.tally import IntArray

Weight = int | Fraction
SPARE = 20  # further digits, so that sums are right to the last digit
DIGITS = 40  # decimal digits of quotients and scores, and half of those with which the search for a sign starts


class Bits:
    """A sum of weighted base-2 logarithms of positive integers."""

    def __init__(self, weights: Mapping[int, Weight] | None = None) -> None:
        self.weights = {number: weight for number, weight in (weights or {}).items() if weight}

    @classmethod
    def of(cls, counts: IntArray) -> Bits:
        """Build the sum of c·log2(c) over all counts c, of which zeros add nothing."""
        sizes, times = np.unique(counts, return_counts=True)
        return cls({size: size * many for size, many in zip(sizes.tolist(), times.tolist(), strict=True)})

    @classmethod
    def log(cls, number: Fraction) -> Bits:
        """Build the logarithm of a positive rational number."""
        return cls({number.numerator: 1}) - cls({number.denominator: 1})

    def __add__(self, other: Bits) -> Bits:
        """Add two sums."""
        weights = defaultdict[int, Weight](int, self.weights)
        for number, weight in other.weights.items():
            weights[number] += weight
        return Bits(weights)

    def __mul__(self, factor: Weight) -> Bits:
        """Scale a sum by a rational number."""
        return Bits({number: weight * factor for number, weight in self.weights.items()})

    def __sub__(self, other: Bits) -> Bits:
        """Subtract a sum."""
        return self + other * -1

    def __float__(self) -> float:
        """Return the value as a float."""
        return math.fsum(float(weight) * math.log2(number) for number, weight in self.weights.items())

    def __truediv__(self, other: Bits) -> Decimal:
        """Divide two sums, and return the quotient with DIGITS digits."""
        with localcontext(prec=DIGITS):
            return self.natural() / other.natural()

    def natural(self) -> Decimal:
        """Return the sum with natural logarithms instead of base 2, right to the digits of the decimal context."""
        if not self.sign():
            return Decimal(0)
        return +self._by_digits(getcontext().prec + SPARE, getcontext().prec)  # the sign rounds to the context

    def _terms(self) -> Iterator[Decimal]:
        for number, weight in self.weights.items():
            yield _ln(number, getcontext().prec) * weight.numerator / weight.denominator

    def __bool__(self) -> bool:
        """Return True if the sum is not zero."""
        return self.sign() != 0

    def sign(self) -> int:
        """Return -1, 0 or 1 if the sum is negative, zero or positive, without rounding error."""
        size = math.fsum(abs(float(weight)) * math.log2(number) for number, weight in self.weights.items())
        value = float(self)
        if abs(value) > size * 2.0**-48:
            return 1 if value > 0 else -1
        if self._is_zero():
            return 0
        return 1 if self._by_digits(2 * DIGITS) > 0 else -1

    def _is_zero(self) -> bool:
        """Return True if the sum is zero.

        All numbers are written as products of powers of numbers that have no common factor. The logarithms of these are
        linearly independent, so the sum is zero only if each of them has the weight zero.
        """
        for base in _coprime_base(self.weights):
            if sum(weight * _power(base, number) for number, weight in self.weights.items()):
                return False
        return True

    def _by_digits(self, digits: int, right: int = 0) -> Decimal:
        """Return the sum, which is not zero, with as many digits as it takes that its sign and `right` digits are."""
        while True:
            with localcontext(prec=digits):
                terms = list(self._terms())
                total, size = sum(terms, Decimal(0)), sum(map(abs, terms), Decimal(0))
                if abs(total) > size.scaleb(len(terms).bit_length() + 4 - digits + right):
                    return total
            digits *= 2


@lru_cache(2**14)
def _ln(number: int, digits: int) -> Decimal:
    """Return a natural logarithm. It is cached, since the same few thousand counts occur often."""
    with localcontext(prec=digits):
        return Decimal(number).ln()


def _coprime_base(numbers: Iterable[int]) -> set[int]:
    """Return pairwise coprime numbers of whose powers every given number is a product. They need not be prime."""
    base, waiting = set[int](), list(numbers)
    while waiting:
        number = waiting.pop()
        for other in base:
            if (common := math.gcd(number, other)) > 1:
                base.remove(other)
                waiting += [common, number // common, other // common]
                break
        else:
            base |= {number} - {1}
    return base


def _power(base: int, number: int) -> int:
    """Return the largest power of the base that divides the number, as an exponent."""
    power = 0
    while number % base == 0:
        number //= base
        power += 1
    return power
