"""Exact numbers as a caller writes them: limits, amounts of money, thresholds.

An int, a str such as ``"0.2"`` or ``"2/3"``, a Decimal and a Fraction are exact. A float is not: two thirds, for
example, cannot be written as a float. So a float stands for the decimal that it prints as, and for every exact number
that rounds to it. Such a number is equal to the limit, neither below nor above.

>>> Limit.of(0.375).compare(Fraction(3, 8))
0
>>> Limit.of(2 / 3).compare(Fraction(2, 3)), Limit.of(Fraction(2, 3)).compare(Fraction(2, 3))
(0, 0)
>>> Limit.of("0.666666666666").compare(Fraction(2, 3))
1

Plain decimal numbers in cells have a sign, digits, a fraction and an exponent; no separators, no units, no ``nan``.

>>> [parse_number(text) for text in ("-1.50", "2e3", "3k", "1,000", "nan", "４", None)]
[Decimal('-1.50'), Decimal('2E+3'), None, None, None, None, None]
>>> format_decimal(-295, 1), format_decimal(5, 3), format_decimal(2000, 3), format_decimal(7, 0)
('-29.5', '0.005', '2', '7')
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction
from numbers import Rational, Real
from typing import TYPE_CHECKING

from PETWorks.errors import ParameterError, show_value

if TYPE_CHECKING:
    from PETWorks.tables.counting.tally import Value

MAX_INT_DIGITS = 4300  # digits of a whole number that Python converts from and to text
# At most three digits of exponent: longer ones occur only by mistake.
NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,3})?")


def parse_number(text: Value) -> Decimal | None:
    """Return the exact number that a text states, or None if it is not a number."""
    return Decimal(text) if text is not None and NUMBER.fullmatch(text) else None


def read_whole(text: str) -> int:
    """Read a whole number; `int` refuses more than 4,300 digits."""
    return int(text) if len(text) <= MAX_INT_DIGITS else int(Decimal(text))


def write_whole(number: int) -> str:
    """Write a whole number; `str` refuses more than 4,300 digits.

    >>> write_whole(-5), write_whole(10**5000) == "1" + 5000 * "0", read_whole(write_whole(10**5000)) == 10**5000
    ('-5', True, True)
    """
    return str(number) if number.bit_length() <= 3 * MAX_INT_DIGITS else format(Decimal(number), "f")


def format_decimal(units: int, places: int) -> str:
    """Write a whole number of units of the last decimal place, without an exponent and without zeros at the end."""
    digits = write_whole(abs(units)).zfill(places + 1)
    whole, fraction = digits[: len(digits) - places], digits[len(digits) - places :].rstrip("0")
    return f"{'-' if units < 0 else ''}{whole}" + (f".{fraction}" if fraction else "")


FINITE = "a finite number", 'write it as 0.2 or "1/5"'
WHOLE = "a whole number", "write it in digits, as in 5"
LARGEST_LIMIT = 10**300  # the largest float is about 1.8 · 10**308
MAX_DIGITS = 1000  # characters of a limit, and digits of its numerator and denominator, at most

_TEXT = re.compile(r"[+-]?(\d+/0*[1-9]\d*|(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?)", re.ASCII | re.IGNORECASE)


class Side(StrEnum):
    """The side of a limit that a score must be on."""

    AT_MOST = "at most"
    AT_LEAST = "at least"
    LESS_THAN = "less than"
    MORE_THAN = "more than"

    @property
    def high_is_bad(self) -> bool:
        """True if larger scores are worse."""
        return self in (Side.AT_MOST, Side.LESS_THAN)

    def allows(self, relation: int) -> bool:
        """Return True if a score below (-1), at (0) or above (1) the limit is on this side of it."""
        allowed = {Side.AT_MOST: (-1, 0), Side.AT_LEAST: (0, 1), Side.LESS_THAN: (-1,), Side.MORE_THAN: (1,)}
        return relation in allowed[self]


@dataclass(frozen=True)
class Limit:
    """A number to compare with: its exact value, and the float that the caller wrote, if it was one."""

    exact: Fraction
    written: float | None = None

    @classmethod
    def of(cls, given: Number, name: str = "limit", *, whole: bool = False) -> Limit:
        """Build a limit from the caller's number; raise a ParameterError unless it is finite (`whole`: an integer)."""
        limit = given if isinstance(given, Limit) else cls._read(given, name)
        if limit is None or (whole and limit.exact.denominator != 1):
            kind, hint = WHOLE if whole else FINITE
            if isinstance(given, str) and not whole and (share := cls._read(given.strip().removesuffix("%"), name)):
                hint = f"write {given.strip()} as {Decimal(share.exact.numerator) / share.exact.denominator / 100}"
            raise ParameterError(f"{name} must be {kind}, not {show_value(given)}", hint=hint)
        return cls(limit.exact) if whole else limit

    @classmethod
    def _read(cls, given: object, name: str) -> Limit | None:
        """Build a limit; return None if the text or object is not a finite number."""
        if isinstance(given, bool) or not isinstance(given, str | Decimal | Real):
            return None
        if isinstance(given, Rational):
            exact = Fraction(int(given.numerator), int(given.denominator))  # int: NumPy's integers overflow
        else:
            text = str(given).strip()
            if len(text) > MAX_DIGITS:
                raise _build_digits_error(given, name)
            if not _TEXT.fullmatch(text):
                return None
            exact = Fraction(text)
        if abs(exact) > LARGEST_LIMIT:
            raise ParameterError(f"{name} is too large: {show_value(given)}", hint="write a number of at most 1e300")
        if exact.denominator > 10**MAX_DIGITS:
            raise _build_digits_error(given, name)
        return cls(exact, None if isinstance(given, str | Decimal | Rational) else float(str(given)))

    def compare(self, value: Fraction) -> int:
        """Return -1, 0 or 1 if a value is below, equal to or above this limit.

        If the limit was written as a float, a value that rounds to this float is equal to it.
        """
        if value == self.exact or (self.written is not None and float(value) == self.written):
            return 0
        return -1 if value < self.exact else 1

    def count_within(self, whole: int) -> int:
        """Return the largest number that is at most this share of a whole.

        >>> Limit.of(1 / 3).count_within(3), Limit.of("0.3333").count_within(3)
        (1, 0)
        """
        found = int(self.exact * whole)
        return found + int(found < whole and self.compare(Fraction(found + 1, whole)) <= 0)

    def __float__(self) -> float:
        """Return the nearest float."""
        return float(self.exact)

    def __str__(self) -> str:
        """Write the limit as a decimal if a finite one is equal to it, else as a fraction."""
        if self.written is not None:
            return f"{self.written:.15g}" if float(f"{self.written:.15g}") == self.written else repr(self.written)
        return write_exact(self.exact)

    def __repr__(self) -> str:
        """Write an expression from which `Limit.of` builds the same limit."""
        if self.written is not None:
            return repr(self.written)
        return str(self.exact) if self.exact.denominator == 1 else f"'{self}'"


def _build_digits_error(given: object, name: str) -> ParameterError:
    return ParameterError(
        f"{name} has too many digits: {show_value(given)}", hint=f"write at most {MAX_DIGITS:,} digits"
    )


Number = int | float | str | Decimal | Fraction | Limit


def write_exact(value: Fraction) -> str:
    """Write an exact number as a decimal if a finite one is equal to it, else as a fraction.

    >>> write_exact(Fraction(3, 8)), write_exact(Fraction(2, 3))
    ('0.375', '2/3')
    """
    places = 30
    if 10**places % value.denominator:
        return str(value)
    return format_decimal(int(value * 10**places), places)
