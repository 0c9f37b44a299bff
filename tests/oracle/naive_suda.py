"""Special uniques by definition: every set of columns, every row against every other."""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import combinations
from math import prod

from oracle.naive import Tables, classes, is_suppressed

Columns = tuple[str, ...]


def minimal_uniques(tables: Tables, largest: int, *, missing_is_known: bool = True) -> list[set[Columns]]:
    """Return, for every unsuppressed row, the sets of columns that single it out while no smaller part of them does."""
    rows = [row for row in tables.released if not is_suppressed(tables, row)]
    hidden = {tables.marker} if missing_is_known else {tables.marker, None}

    def single(row: dict, columns: Columns) -> bool:
        alike = [other for other in rows if all(other[name] == row[name] for name in columns)]
        return len(alike) == 1 and not any(row[name] in hidden for name in columns)

    found = []
    for row in rows:
        sets = (s for size in range(1, largest + 1) for s in combinations(tables.quasi_identifiers, size))
        mine = [columns for columns in sets if single(row, columns)]
        found.append({one for one in mine if not any(set(other) < set(one) for other in mine)})
    return found


def weight(size: int, columns: int, largest: int) -> int:
    return prod(columns - i for i in range(size, min(largest, columns - 1) + 1))


def scores(found: list[set[Columns]], columns: int, largest: int) -> list[int]:
    return [sum(weight(len(one), columns, largest) for one in sets) for sets in found]


def share_of(name: str, found: list[set[Columns]], columns: int, largest: int) -> Fraction:
    total = sum(scores(found, columns, largest))
    mine = sum(weight(len(one), columns, largest) for sets in found for one in sets if name in one)
    return Fraction(mine, total or 1)


def chances(tables: Tables, scored: list[int], fraction: Fraction, digits: int = 60) -> list[Decimal]:
    """Return the chance that a match is right, for every row."""
    pairs = sum(2 for rows in classes(tables) if len(rows) == 2)
    with localcontext(prec=digits):
        exponent = Decimal(28 - len(tables.quasi_identifiers)) / 20
        spread = sum(Decimal(score) ** -exponent for score in scored if score)
        below = pairs * (1 - fraction) / fraction
        rest = Decimal(below.numerator) / below.denominator
        return [1 / (1 + rest / (spread * Decimal(score) ** exponent)) if score else Decimal(0) for score in scored]
