"""Exact sums of logarithms and of square roots, and as many digits of other numbers as a comparison needs.

`Bits`: w1·log2(n1) + w2·log2(n2) + …, with integers n and rational weights w. Information losses and entropies of
counted data have this form. Such a sum is shown as a float, but its sign is exact. Floats decide the sign if the sum is
clearly not zero. Otherwise the common factors of the integers decide whether the sum is zero. If it is not, it is
computed with more and more digits until its sign is certain.

>>> (Bits({8: 1}) - Bits({2: 3})).sign(), (Bits({3: 5}) - Bits({2: 8})).sign()
(0, -1)

`Roots`: w1·√n1 + w2·√n2 + …, with integers n and w. The errors of records have this form. Such a sum is shown as a
float, but its sign, and whether the quotient of two sums is a fraction, are exact. Floats decide the sign if the sum is
clearly not zero. Otherwise the roots are computed as integers, with more and more bits until the sign is certain. If
128 bits do not decide, the sum may be zero: roots of numbers whose product is a square are multiples of each other, all
others are independent over the rationals, so the sum is zero only if each such group adds up to zero.

>>> (Roots({8: 1}) - Roots({2: 2})).sign(), (Roots({2: 1, 3: 1}) - Roots({10: 1})).sign()
(0, -1)
>>> Roots({8: 1, 12: 1}) / Roots({2: 6, 3: 6})
Fraction(1, 3)

`compute_digits`: a number with logarithms or roots can be computed to any number of digits, but not to all. To compare
it with a limit, digits are added until it is clearly above or below the limit. If 200 digits do not decide, the number
is taken to be equal to the limit.

>>> near = Fraction("1.4142135623730950488016887242096980785696718753769")  # to fifty digits the root of 2
>>> compute_digits(lambda: Decimal(2).sqrt(), near) > near
True
>>> compute_digits(lambda: Decimal(4).sqrt(), Fraction(2))
Fraction(2, 1)
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from decimal import Decimal, getcontext, localcontext
from fractions import Fraction
from functools import lru_cache
from math import fsum, isqrt, sqrt

import numpy as np

from PETWorks.tables.counting.tally import IntArray

Weight = int | Fraction
SPARE_DIGITS = 20  # further digits, so that sums are correct to the last digit
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
        return +self._compute(getcontext().prec + SPARE_DIGITS, getcontext().prec)  # the sign rounds to the context

    def _compute_terms(self) -> Iterator[Decimal]:
        for number, weight in self.weights.items():
            yield _ln(number, getcontext().prec) * weight.numerator / weight.denominator

    def __bool__(self) -> bool:
        """Return True if the sum is not zero."""
        return self.sign() != 0

    def sign(self) -> int:
        """Return -1, 0 or 1 if the sum is negative, zero or positive, without rounding error."""
        if (largest := max((abs(int(weight)) for weight in self.weights.values()), default=0)) >= MAX_FLOAT_NUMBER:
            return (self * Fraction(1, largest)).sign()
        size = math.fsum(abs(float(weight)) * math.log2(number) for number, weight in self.weights.items())
        value = float(self)
        if abs(value) > size * 2.0**-48:
            return 1 if value > 0 else -1
        if self._is_zero():
            return 0
        return 1 if self._compute(2 * DIGITS) > 0 else -1

    def _is_zero(self) -> bool:
        """Return True if the sum is zero.

        All numbers are written as products of powers of numbers that have no common factor. The logarithms of these are
        linearly independent, so the sum is zero only if each of them has the weight zero.
        """
        for base in _find_coprime_base(self.weights):
            if sum(weight * _find_exponent(base, number) for number, weight in self.weights.items()):
                return False
        return True

    def _compute(self, digits: int, right: int = 0) -> Decimal:
        """Return the sum, which is not zero, with enough digits that its sign and `right` digits are certain."""
        while True:
            with localcontext(prec=digits):
                terms = list(self._compute_terms())
                total, size = sum(terms, Decimal(0)), sum(map(abs, terms), Decimal(0))
                if abs(total) > size.scaleb(len(terms).bit_length() + 4 - digits + right):
                    return total
            digits *= 2


@lru_cache(2**14)
def _ln(number: int, digits: int) -> Decimal:
    """Return a natural logarithm. It is cached, since the same few thousand counts occur often."""
    with localcontext(prec=digits):
        return Decimal(number).ln()


def _find_coprime_base(numbers: Iterable[int]) -> set[int]:
    """Return pairwise coprime numbers; every input number is a product of their powers. They need not be prime."""
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


def _find_exponent(base: int, number: int) -> int:
    """Return the largest power of the base that divides the number, as an exponent."""
    power = 0
    while number % base == 0:
        number //= base
        power += 1
    return power


MAX_FLOAT_NUMBER = 10**100  # floats are not used for larger numbers
SIGN_BITS = 64  # bits behind the point with which the search for a sign starts
QUOTIENT_BITS = 192  # bits behind the point of the roots that are divided
SIMPLE = 10**18  # largest denominator of the fractions that a quotient is tested to be equal to
PRIMES = (
    *(2147483647, 2147483629, 2147483587, 2147483579, 2147483563, 2147483549, 2147483543, 2147483497),
    *(2147483489, 2147483477, 2147483423, 2147483399, 2147483353, 2147483323, 2147483269, 2147483249),
)  # large, so that they divide few numbers


class Roots:
    """A sum of weighted square roots of positive integers, all divided by the root of one number."""

    def __init__(self, weights: Mapping[int, int] | None = None, below: Fraction | int = 1) -> None:
        self.weights = {number: weight for number, weight in (weights or {}).items() if number and weight}
        self.below = Fraction(below)

    @classmethod
    def of(cls, numbers: Iterable[int], times: Iterable[int], below: Fraction) -> Roots:
        """Build the sum of √(number ÷ below), each taken a number of times."""
        weights = defaultdict[int, int](int)
        for number, many in zip(numbers, times, strict=True):
            weights[number] += many
        return cls(weights, below)

    def __mul__(self, factor: int) -> Roots:
        """Scale a sum by an integer."""
        return Roots({number: weight * factor for number, weight in self.weights.items()}, self.below)

    def __sub__(self, other: Roots) -> Roots:
        """Subtract a sum that is divided by the same root."""
        assert self.below == other.below  # noqa: S101
        weights = defaultdict[int, int](int, self.weights)
        for number, weight in other.weights.items():
            weights[number] -= weight
        return Roots(weights, self.below)

    def __truediv__(self, other: Roots) -> Fraction | Decimal:
        """Divide by a sum that is not zero: a fraction if the quotient is a simple one, else many digits of it."""
        near = Fraction(self._scale_to_integer(QUOTIENT_BITS), other._scale_to_integer(QUOTIENT_BITS))
        simple = near.limit_denominator(SIMPLE)
        is_near = abs(near - simple) < Fraction(1, 2 ** (QUOTIENT_BITS * 3 // 4))
        if is_near and not (self * simple.denominator - other * simple.numerator).sign():
            return simple
        with localcontext(prec=DIGITS):
            return Decimal(near.numerator) / near.denominator

    def __float__(self) -> float:
        """Return the value as a float."""
        above, below = (isqrt(number << 2 * SIGN_BITS) for number in self.below.as_integer_ratio())
        return float(Fraction(self._scale_to_integer(2 * SIGN_BITS) * below, above << 2 * SIGN_BITS))

    def __bool__(self) -> bool:
        """Return True if the sum is not zero."""
        return self.sign() != 0

    def sign(self) -> int:
        """Return -1, 0 or 1 if the sum is negative, zero or positive, without rounding error."""
        small = [(number, weight) for number, weight in self.weights.items() if number + abs(weight) < MAX_FLOAT_NUMBER]
        terms = [weight * sqrt(number) for number, weight in small]
        value, size = fsum(terms), fsum(map(abs, terms))
        if len(terms) == len(self.weights) and abs(value) > size * 2.0**-48:
            return 1 if value > 0 else -1
        error, bits = sum(map(abs, self.weights.values())), SIGN_BITS
        while abs(total := self._scale_to_integer(bits)) <= error:
            if bits == 2 * SIGN_BITS and self._is_zero():
                return 0
            bits *= 2
        return 1 if total > 0 else -1

    def _scale_to_integer(self, bits: int) -> int:
        """Return the weighted roots times 2 to the power of `bits`; each root is rounded down to an integer."""
        return sum(weight * isqrt(number << 2 * bits) for number, weight in self.weights.items())

    def _is_zero(self) -> bool:
        """Return True if every group of roots that are multiples of each other adds up to zero.

        Numbers of one group are squares, or not, modulo the same primes. That separates most groups at once.
        """
        primes = [prime for prime in PRIMES if all(number % prime for number in self.weights)]
        groups: dict[tuple[int, ...], dict[int, int]] = defaultdict(dict)  # by a member of each group, its sum
        for number, weight in self.weights.items():
            members = groups[tuple(pow(number, prime // 2, prime) for prime in primes)]
            for member in members:
                if (root := isqrt(number * member)) ** 2 == number * member:
                    members[member] += weight * root
                    break
            else:
                members[number] = weight * number
        return not any(total for members in groups.values() for total in members.values())


SETTLED_DIGITS = (
    40,
    80,
    160,
    200,
)  # of the first attempt, and of further ones until the limit is clearly above or below
LOST_DIGITS = 8  # digits at the end that rounding may have changed


def compute_digits(compute: Callable[[], Decimal], limit: Fraction | None = None) -> Decimal | Fraction:
    """Return a number with enough digits to compare it with a limit; the limit itself if they are indistinguishable.

    `compute` works with the precision of the current decimal context; rounding changes fewer than `LOST_DIGITS` digits.
    """
    for digits in SETTLED_DIGITS:
        with localcontext(prec=digits):
            value = compute()
        if limit is None or abs(Fraction(value) - limit) > Fraction(abs(value)) / 10 ** (digits - LOST_DIGITS):
            return value
    return limit or Fraction(0)


def is_simple(number: Fraction) -> bool:
    """Return True if a fraction is short enough to be written, and does not stand for the digits of another number."""
    return len(str(number.denominator)) < SETTLED_DIGITS[0] - LOST_DIGITS


def convert_to_decimal(number: Fraction) -> Decimal:
    """Return a fraction as a decimal number with more digits than comparisons need."""
    with localcontext(prec=2 * SETTLED_DIGITS[-1]):
        return Decimal(number.numerator) / number.denominator


def find_exact_power(base: Fraction, exponent: Fraction) -> Fraction | None:
    """Return a positive fraction to the power of another one if the result is a fraction, else None.

    >>> find_exact_power(Fraction(4, 9), Fraction(3, 2)), find_exact_power(Fraction(2), Fraction(1, 2))
    (Fraction(8, 27), None)
    """
    above, below = (_find_integer_root(number, exponent.denominator) for number in base.as_integer_ratio())
    return None if above is None or below is None else Fraction(above, below) ** exponent.numerator


def _find_integer_root(number: int, degree: int) -> int | None:
    """Return the root of a positive integer if it is an integer."""
    with localcontext(prec=len(str(number)) + 10):
        root = round(Decimal(number) ** (1 / Decimal(degree)))
    return root if root**degree == number else None
