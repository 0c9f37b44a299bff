"""Numbers in columns, exactly: each as a whole number of units, so that borders are compared without rounding.

>>> units(["37", "-1.5", "old"])
([0, 1], array([370, -15]), 1)
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from PETWorks.counting.tally import IntArray
from PETWorks.errors import ParameterError, shown
from PETWorks.exact.decimal_text import decimal, numeral
from PETWorks.exact.limit import Limit

INT62 = 2**62
SIMPLE = re.compile(r"(?:-?[0-9]{1,300}(?:\.[0-9]{0,300})?\n)+")  # numbers, a line for each


def units(values: Sequence[str], further: Iterable[Fraction] = ()) -> tuple[list[int], IntArray, int]:
    """Return the places of the values that are numbers, these in units, and how many decimal places a unit has.

    The numbers of `further` are whole in these units, too. There are Python integers if 64 bits might overflow.
    """
    digits = max((decimal_places(one.denominator) or 0 for one in further), default=0)
    lines = "\n".join([*values, ""])
    if lines.replace("\n", "").isdigit() and lines.isascii() and lines.count("\n") == len(values):
        covered, whole = [*range(len(values))], [int(text) * 10**digits for text in values]
    elif SIMPLE.fullmatch(lines) and lines.count("\n") == len(values):
        parts = [text.partition(".") for text in values]
        fractions = [fraction.rstrip("0") for _, _, fraction in parts]
        digits = max(digits, *map(len, fractions))
        ends = [fraction.ljust(digits, "0") for fraction in fractions]
        covered, whole = [*range(len(values))], [int(part[0] + end) for part, end in zip(parts, ends, strict=True)]
    else:
        read = [numeral(text) for text in values]
        covered = [place for place, one in enumerate(read) if one is not None]
        ratios = [one.as_integer_ratio() for one in read if one is not None]
        digits = max(digits, *(decimal_places(below) or 0 for below in {below for _, below in ratios}), 0)
        scale = 10**digits
        whole = [above * (scale // below) for above, below in ratios]
    fits = min(whole, default=0) > -INT62 and max(whole, default=0) < INT62
    return covered, np.array(whole, dtype=np.int64 if fits else object), digits


def number(given: Any, name: str) -> Fraction:  # noqa: ANN401
    """Read a number that a decimal can write; raise a ParameterError if it is none."""
    exact = Limit.of(given, name).exact
    if decimal_places(exact.denominator) is None:
        raise ParameterError(f"{name} must be a decimal number, not {shown(given)}", hint="write it as 0.25")
    return exact


def decimal_places(denominator: int) -> int | None:
    """Return how many decimal places a fraction with this denominator has; None if they have no end.

    >>> [decimal_places(denominator) for denominator in (1, 8, 50, 3)]
    [0, 3, 2, None]
    """
    rest, most = denominator, 0
    for factor in (2, 5):
        power = 0
        while rest % factor == 0:
            rest, power = rest // factor, power + 1
        most = max(most, power)
    return most if rest == 1 else None


def written(exact: Fraction) -> str:
    """Write a number as a decimal."""
    digits = decimal_places(exact.denominator) or 0
    return decimal(int(exact * 10**digits), digits)


def span(low: int | None, high: int | None, digits: int) -> str:
    """Write the range from `low` to just below `high`, both in units of so many decimal places; None: without end.

    >>> span(35, 40, 0), span(-5, 0, 0), span(5, 10, 1), span(None, 15, 0), span(95, None, 0)
    ('35-39', '[-5, 0)', '[0.5, 1)', '<15', '>=95')
    """
    if low is None:
        return "*" if high is None else f"<{decimal(high, digits)}"
    if high is None:
        return f">={decimal(low, digits)}"
    if digits or low < 0:
        return f"[{decimal(low, digits)}, {decimal(high, digits)})"
    return f"{low}" if high == low + 1 else f"{low}-{high - 1}"
