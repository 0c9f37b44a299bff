"""Rules of hierarchies, straight from their definitions: the ancestors of one value, in exact fractions."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from math import floor


def interval(value, widths, values, borders):
    """Return the ranges of a number; `values` are all those of the column, `borders` are bottom, top and origin."""
    number = Fraction(Decimal(value))
    widths = [Fraction(str(width)) for width in widths]
    low, high, origin = (None if one is None else Fraction(str(one)) for one in borders)
    start = next((one for one in (origin, low, high) if one is not None), Fraction(0))
    whole = all(one.denominator == 1 for one in [*widths, start, *(Fraction(Decimal(other)) for other in values)])
    labels = []
    for width in widths:
        first = start + width * floor((number - start) / width)
        labels.append(span(first, first + width, low, high, number, whole=whole))
    return labels


def span(first, end, low, high, number, *, whole):
    if low is not None and number < low:
        return f"<{text(low)}"
    if high is not None and number >= high:
        return f">={text(high)}"
    if not whole or first < 0:
        return f"[{text(first)}, {text(end)})"
    return str(first) if end - first == 1 else f"{first}-{end - 1}"


def text(number):
    """Write a fraction as a decimal, by long division."""
    sign, rest = "-" if number < 0 else "", abs(number)
    whole, rest = divmod(rest, 1)
    digits = ""
    while rest:
        digit, rest = divmod(rest * 10, 1)
        digits += str(digit)
    return f"{sign}{whole}" + (f".{digits}" if digits else "")


def quantile(value, parts, counts):
    """Return the part of a number on each level."""
    people = {other: count for other, count in counts.items() if other is not None}
    below = sum(count for other, count in people.items() if Decimal(other) < Decimal(value))
    return [floor(Fraction(level * below, sum(people.values()))) for level in parts]


def prefix(value, keep, mask="*"):
    return ["".join(letter if place < kept else mask for place, letter in enumerate(value)) for kept in keep]


def neighbours(value, order, sizes):
    """Return the groups of a value, each as the list of its members."""
    groups = []
    for size in sizes:
        pieces = [order[place : place + size] for place in range(0, len(order), size)]
        groups.append(next(piece for piece in pieces if value in piece))
    return groups


def rare(value, shares, counts):
    """Return True for each level on which a value is one of the rare ones."""
    return [Fraction(counts[value], sum(counts.values())) < share for share in shares]


def period(year, month, day, level):
    """Return what is the same for all days of a period."""
    return {
        "day": (year, month, day),
        "month": (year, month),
        "quarter": (year, (month - 1) // 3),
        "half-year": (year, (month - 1) // 6),
        "year": (year,),
        "five years": (year // 5,),
        "decade": (year // 10,),
    }[level]
