"""Numbers as people read them: commas, four significant digits, small fractions as fractions.

>>> four_digits(30162), four_digits(0.73098), four_digits(Fraction(1, 3)), four_digits(None)
('30,162', '0.7310', '0.3333', '-')
>>> four_digits(0.30000002), four_digits(0.30000002, Limit.of("0.3"))
('0.3000', '0.30000002')
>>> exact(Fraction(3, 8)), percent(0.000123), percent(1)
('3/8 (0.375)', '< 0.1%', '100%')
"""

from __future__ import annotations

from fractions import Fraction

from PETWorks.exact.limit import Limit
from PETWorks.facts.bands import DIGITS, Rounded

MOST_DIGITS = 17  # these tell any two floats apart
LARGEST_DENOMINATOR = 1000  # the largest denominator of a fraction that is shown as one


def four_digits(value: float | Fraction | Limit | None, limit: Limit | None = None) -> str:
    """Write a number with four significant digits, or as many as show on which side of its limit it is.

    Whole numbers are written in full, rounded ones with the digits that are told.
    """
    if value is None:
        return "-"
    if isinstance(value, Limit):
        return str(value)
    if value == int(value):
        return f"{int(value):,}"
    large = abs(float(value)) >= LARGEST_DENOMINATOR
    for digits in range(DIGITS if isinstance(value, Rounded) else 4, MOST_DIGITS + 1):
        text = f"{float(value):,.{digits - 3}f}" if large else f"{float(value):#.{digits}g}"
        if limit is None or limit.compare(Fraction(text.replace(",", ""))) == limit.compare(Fraction(value)):
            break
    return text


def exact(
    value: Fraction | None, otherwise: float | None = None, brackets: str = " ({})", limit: Limit | None = None
) -> str:
    """Write a fraction with its decimal value, as in 3/8 (0.375); only the decimal if the denominator is large."""
    if value is None:
        return four_digits(otherwise, limit)
    return f"{value}{brackets.format(f'{float(value):.4g}')}" if is_small(value) else four_digits(value, limit)


def brief(value: Fraction | None, otherwise: float | None = None, limit: Limit | None = None) -> str:
    """Write a number within a sentence: as a fraction if its denominator is small, else as a decimal."""
    if value is not None and is_small(value):
        return str(value)
    return four_digits(otherwise if value is None else value, limit)


def is_small(value: Fraction) -> bool:
    """Return True if a fraction is easier to read as a fraction than as a decimal."""
    return 1 < value.denominator <= LARGEST_DENOMINATOR and abs(value.numerator) <= LARGEST_DENOMINATOR


def percent(share: float | Fraction) -> str:
    """Write a share as a percentage with one decimal; 0% and 100% only if they are exact."""
    if share in (0, 1):
        return f"{int(share)}00%" if share else "0%"
    text = f"{float(share) * 100:.1f}%"
    return {"0.0%": "< 0.1%", "100.0%": "> 99.9%"}.get(text, text)
