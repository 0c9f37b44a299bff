"""Read text that is a plain decimal number: sign, digits, fraction, exponent; no separators, no units, no ``nan``.

>>> [numeral(text) for text in ("-1.50", "2e3", "3k", "1,000", "nan", "４", None)]
[Decimal('-1.50'), Decimal('2E+3'), None, None, None, None, None]
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
