"""Numbers that are not fractions, computed to as many digits as a comparison needs.

A number with logarithms or roots in it can be computed to any number of digits, but not all of them. To compare it with
a limit, digits are added until the limit lies clearly above or below. If 200 digits do not decide, the number is
taken to be at the limit.

>>> near = Fraction("1.4142135623730950488016887242096980785696718753769")  # to fifty digits the root of 2
>>> settled(lambda: Decimal(2).sqrt(), near) > near
True
>>> settled(lambda: Decimal(4).sqrt(), Fraction(2))
Fraction(2, 1)
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal, localcontext
from fractions import Fraction

DIGITS = (40, 80, 160, 200)  # of the first attempt, and of further ones until the limit is clearly above or below
LOST = 8  # digits at the end that rounding may have changed


def settled(compute: Callable[[], Decimal], limit: Fraction | None = None) -> Decimal | Fraction:
    """Return a number with enough digits to compare it with a limit; the limit itself if they cannot be told apart.

    `compute` works with the precision of the current decimal context, and loses fewer than `LOST` digits to rounding.
    """
    for digits in DIGITS:
        with localcontext(prec=digits):
            value = compute()
        if limit is None or abs(Fraction(value) - limit) > Fraction(abs(value)) / 10 ** (digits - LOST):
            return value
    return limit or Fraction(0)


def simple(number: Fraction) -> bool:
    """Return True if a fraction is worth writing: not one that stands for so many digits of another number."""
    return len(str(number.denominator)) < DIGITS[0] - LOST


def decimal(number: Fraction) -> Decimal:
    """Return a fraction as a decimal number with more digits than comparisons need."""
    with localcontext(prec=2 * DIGITS[-1]):
        return Decimal(number.numerator) / number.denominator


def exact_power(base: Fraction, exponent: Fraction) -> Fraction | None:
    """Return a positive fraction to the power of another one if that is a fraction, else None.

    >>> exact_power(Fraction(4, 9), Fraction(3, 2)), exact_power(Fraction(2), Fraction(1, 2))
    (Fraction(8, 27), None)
    """
    above, below = (_root(number, exponent.denominator) for number in base.as_integer_ratio())
    return None if above is None or below is None else Fraction(above, below) ** exponent.numerator


def _root(number: int, degree: int) -> int | None:
    """Return the root of a positive integer if it is an integer."""
    with localcontext(prec=len(str(number)) + 10):
        root = round(Decimal(number) ** (1 / Decimal(degree)))
    return root if root**degree == number else None
