"""Read and write plain decimal numbers: sign, digits, fraction, exponent; no separators, no units, no ``nan``.

>>> [numeral(text) for text in ("-1.50", "2e3", "3k", "1,000", "nan", "４", None)]
[Decimal('-1.50'), Decimal('2E+3'), None, None, None, None, None]
>>> decimal(-295, 1), decimal(5, 3), decimal(2000, 3), decimal(7, 0)
('-29.5', '0.005', '2', '7')
"""

from __future__ import annotations

import re
from decimal import Decimal

from PETWorks.counting.tally import Value

# At most three digits of exponent: longer ones occur only by mistake.
NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,3})?")


def numeral(text: Value) -> Decimal | None:
    """Return the exact number that a text is, or None if it is not a number."""
    return Decimal(text) if text is not None and NUMBER.fullmatch(text) else None


def decimal(units: int, places: int) -> str:
    """Write a whole number of units of the last decimal place, without an exponent and without zeros at the end."""
    digits = f"{abs(units):0{places + 1}d}"
    whole, fraction = digits[: len(digits) - places], digits[len(digits) - places :].rstrip("0")
    return f"{'-' if units < 0 else ''}{whole}" + (f".{fraction}" if fraction else "")
