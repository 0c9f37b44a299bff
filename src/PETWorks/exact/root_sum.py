"""Exact sums of square roots: w1·√n1 + w2·√n2 + …, with integers n and w.

The errors of records have this form. Such a sum is shown as a float, but its sign, and whether the quotient of two sums
is a fraction, are exact. Floats decide the sign if the sum is clearly not zero. Otherwise the roots are computed as
integers, with more and more bits until the sign is certain. If 128 bits do not decide, the sum may be zero: roots of
numbers whose product is a square are multiples of each other, all others are independent over the rationals, so the sum
is zero only if each such group adds up to zero.

>>> (Roots({8: 1}) - Roots({2: 2})).sign(), (Roots({2: 1, 3: 1}) - Roots({10: 1})).sign()
(0, -1)
>>> Roots({8: 1, 12: 1}) / Roots({2: 6, 3: 6})
Fraction(1, 3)
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from decimal import Decimal, localcontext
from fractions import Fraction
from math import fsum, isqrt, sqrt

DIGITS = 40  # decimal digits of quotients that are not fractions
LARGE = 10**100  # floats are not used for larger numbers
BITS = 64  # bits behind the point with which the search for a sign starts
QUOTIENT = 192  # bits behind the point of the roots that are divided
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
        near = Fraction(self._times(QUOTIENT), other._times(QUOTIENT))
        simple = near.limit_denominator(SIMPLE)
        is_near = abs(near - simple) < Fraction(1, 2 ** (QUOTIENT * 3 // 4))
        if is_near and not (self * simple.denominator - other * simple.numerator).sign():
            return simple
        with localcontext(prec=DIGITS):
            return Decimal(near.numerator) / near.denominator

    def __float__(self) -> float:
        """Return the value as a float."""
        above, below = (isqrt(number << 2 * BITS) for number in self.below.as_integer_ratio())
        return float(Fraction(self._times(2 * BITS) * below, above << 2 * BITS))

    def __bool__(self) -> bool:
        """Return True if the sum is not zero."""
        return self.sign() != 0

    def sign(self) -> int:
        """Return -1, 0 or 1 if the sum is negative, zero or positive, without rounding error."""
        small = [(number, weight) for number, weight in self.weights.items() if number + abs(weight) < LARGE]
        terms = [weight * sqrt(number) for number, weight in small]
        value, size = fsum(terms), fsum(map(abs, terms))
        if len(terms) == len(self.weights) and abs(value) > size * 2.0**-48:
            return 1 if value > 0 else -1
        error, bits = sum(map(abs, self.weights.values())), BITS
        while abs(total := self._times(bits)) <= error:
            if bits == 2 * BITS and self._is_zero():
                return 0
            bits *= 2
        return 1 if total > 0 else -1

    def _times(self, bits: int) -> int:
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
