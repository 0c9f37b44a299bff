"""Individual risk by definition, in many digits: the integral p·∫ y^(f-1)/(p + q·y) dy in closed form."""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction

from oracle.naive import Tables, classes


def risk(sample: int, people: Fraction, digits: int = 60) -> Decimal:
    """Divide y^(f-1) by p + q·y: a polynomial that is integrated term by term, and a logarithm for what is left.

    The terms cancel, so many more digits are carried than are wanted.
    """
    if people <= sample:
        return Decimal(1) / sample
    p = sample / people
    odds = p / (1 - p)
    with localcontext(prec=digits + 12 * sample + 20):
        terms = sum(Fraction((-1) ** i, sample - 1 - i) * odds**i for i in range(sample - 1))
        left = (-odds) ** (sample - 1) * odds
        logarithm = (Decimal(p.denominator) / p.numerator).ln()
        rational = terms * odds
        return _decimal(rational) + _decimal(left) * logarithm


def _decimal(number: Fraction) -> Decimal:
    return Decimal(number.numerator) / number.denominator


def risks(tables: Tables, weights: list[Fraction]) -> list[tuple[int, Decimal]]:
    """Return the size and the risk of every class; `weights` has that of each row."""
    weight_of = {id(row): weight for row, weight in zip(tables.released, weights, strict=True)}
    return [(len(rows), risk(len(rows), sum(weight_of[id(row)] for row in rows))) for rows in classes(tables)]
