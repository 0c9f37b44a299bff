"""The other utility measures computed by definition, row by row: slow, simple, and without any code of the library.

Rows are as in `naive`. Results are exact fractions; sums of square roots are computed with 60 digits.
"""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction
from math import prod

from oracle.naive import DIGITS, Row, Tables, Value, classes, grouped, height, is_number, is_suppressed, ladders, level

# Leaves.


def all_leaves(tables: Tables, name: str) -> int:
    """Count the leaves of a column; one that is suppressed throughout and has no hierarchy counts as one leaf."""
    return max(len(ladders(tables, name)), 1)


def leaves(tables: Tables, name: str, place: int) -> list[Value]:
    """Return the leaves that a cell stands for: those whose ancestor at its level is its value; all for the marker."""
    row, step = tables.released[place], level(tables, name, place)
    return [
        leaf
        for leaf, ladder in ladders(tables, name).items()
        if row[name] == tables.marker or ladder[step] == row[name]
    ]


def leaf_count(tables: Tables, name: str, place: int) -> int:
    """Count the leaves of a cell."""
    if tables.released[place][name] == tables.marker:
        return all_leaves(tables, name)
    return len(leaves(tables, name, place))


def combinations(tables: Tables, place: int) -> int:
    """Count the original rows that a released row could stand for."""
    return prod(leaf_count(tables, name, place) for name in tables.quasi_identifiers)


def all_combinations(tables: Tables) -> int:
    """Count the original rows that a row of markers stands for."""
    return prod(all_leaves(tables, name) for name in tables.quasi_identifiers)


# Scores.


def score(tables: Tables, lost: Fraction, possible: Fraction) -> Fraction:
    """Return 1 minus the loss divided by the largest possible loss. If that is 0: 1, but 0 if nothing is published."""
    if possible == 0:
        return Fraction(1 if classes(tables) else 0)
    return clamped(1 - lost / possible)


def clamped(share: Fraction) -> Fraction:
    """Limit a number to the range from 0 to 1."""
    return min(max(share, Fraction(0)), Fraction(1))


def ambiguity(tables: Tables) -> Fraction:
    """Scale the sum of the combinations: 1 if every row stands for one, 0 if every row stands for all."""
    rows = len(tables.released)
    total = sum(combinations(tables, place) for place in range(rows))
    return score(tables, Fraction(total - rows), Fraction(rows * all_combinations(tables) - rows))


def discernibility(tables: Tables) -> Fraction:
    """Scale the sum of the squared class sizes: 1 if it is that of the original, 0 if it is the largest possible."""
    before = penalty(Tables(tables.original, tables.quasi_identifiers, [], None, {}, tables.marker))
    return score(tables, Fraction(penalty(tables) - before), Fraction(len(tables.original) ** 2 - before))


def penalty(tables: Tables) -> int:
    """Add up, over all rows, the size of the row's class; for a suppressed row, the size of the table."""
    total = 0
    for row in tables.released:
        if is_suppressed(tables, row):
            total += len(tables.released)
        else:
            total += sum(
                all(other[name] == row[name] for name in tables.quasi_identifiers) for other in tables.released
            )
    return total


def is_alike(tables: Tables, row: Row, other: Row) -> bool:
    """Return True if two rows agree on all quasi-identifiers."""
    return all(other[name] == row[name] for name in tables.quasi_identifiers)


def granularity(tables: Tables) -> Fraction:
    """Return 1 minus the loss of all columns, divided by the largest possible loss."""
    lost = sum((covered_beyond_one(tables, name) for name in tables.quasi_identifiers), Fraction(0))
    possible = sum((1 - Fraction(1, all_leaves(tables, name)) for name in tables.quasi_identifiers), Fraction(0))
    return score(tables, lost, possible)


def column_granularity(tables: Tables, name: str) -> Fraction | None:
    """Return the same for one column; None if it has only one leaf."""
    possible = 1 - Fraction(1, all_leaves(tables, name))
    return clamped(1 - covered_beyond_one(tables, name) / possible) if possible else None


def covered_beyond_one(tables: Tables, name: str) -> Fraction:
    """Return the mean share of the column's leaves that a cell covers, less that of a single leaf."""
    everything, rows = all_leaves(tables, name), len(tables.released)
    covered = sum((Fraction(leaf_count(tables, name, place), everything) for place in range(rows)), Fraction(0))
    return covered / rows - Fraction(1, everything)


# Squared error.


def numeric_columns(tables: Tables) -> list[str]:
    """Name the quasi-identifiers whose original values are all numbers."""
    return [name for name in tables.quasi_identifiers if all(is_number(row[name]) for row in tables.original)]


def numbers(tables: Tables, name: str) -> list[Fraction]:
    """Return the original column as numbers."""
    return [Fraction(row[name]) for row in tables.original]


def interval(tables: Tables, name: str, place: int) -> tuple[Fraction, Fraction]:
    """Return the interval of numbers that a released cell stands for."""
    cell, column = tables.released[place][name], numbers(tables, name)
    if cell == tables.marker:
        ends = column
    elif is_number(cell):
        ends = [Fraction(cell)]
    elif name in tables.hierarchies:
        ends = [Fraction(leaf) for leaf in leaves(tables, name, place)]
    else:
        ends = [number for row, number in zip(tables.released, column, strict=True) if row[name] == cell]
    low, high = min(column), max(column)
    inside = [min(max(end, low), high) for end in ends]
    return min(inside), max(inside)


def squared_error(tables: Tables, name: str, place: int) -> Fraction:
    """Return the squared distance to the farther end of the interval."""
    number = numbers(tables, name)[place]
    return max((number - end) ** 2 for end in interval(tables, name, place))


def largest_error(tables: Tables, name: str, place: int) -> Fraction:
    """Return the squared distance to the farther end of the column."""
    column = numbers(tables, name)
    return max((column[place] - end) ** 2 for end in (min(column), max(column)))


def errors(tables: Tables, name: str) -> tuple[list[Fraction], list[Fraction]]:
    """Return the errors of a column's cells, and the largest that they could have."""
    places = range(len(tables.released))
    return (
        [squared_error(tables, name, place) for place in places],
        [largest_error(tables, name, place) for place in places],
    )


def mean_squared_error(tables: Tables, name: str) -> Fraction:
    """Return the mean error of a column."""
    return sum(errors(tables, name)[0], Fraction(0)) / len(tables.released)


def column_error(tables: Tables, name: str) -> Fraction | None:
    """Return 1 minus the errors of a column divided by the largest possible; None if these are 0."""
    found, largest = errors(tables, name)
    return clamped(1 - sum(found) / sum(largest)) if sum(largest) else None


def variance(tables: Tables, name: str) -> Fraction:
    """Return the mean squared distance from the mean."""
    column = numbers(tables, name)
    mean = sum(column, Fraction(0)) / len(column)
    return sum(((number - mean) ** 2 for number in column), Fraction(0)) / len(column)


def record_errors(tables: Tables) -> tuple[Decimal, Decimal]:
    """Return the errors of all rows, and the largest that they could have, to the digits of the decimal context.

    The error of a row is the root of the sum of its squared errors, each divided by the variance of its column.
    """
    varying = [name for name in numeric_columns(tables) if variance(tables, name)]
    lost, possible = Decimal(0), Decimal(0)
    for place in range(len(tables.released)):
        lost += root(sum(squared_error(tables, name, place) / variance(tables, name) for name in varying))
        possible += root(sum(largest_error(tables, name, place) / variance(tables, name) for name in varying))
    return lost, possible


def record_error(tables: Tables) -> Decimal:
    """Return 1 minus the errors of all rows divided by the largest possible."""
    with localcontext(prec=DIGITS):
        lost, possible = record_errors(tables)
        if not possible:
            return Decimal(1 if classes(tables) else 0)
        return min(max(1 - lost / possible, Decimal(0)), Decimal(1))


def keeps_record_error(tables: Tables, limit: Fraction) -> bool:
    """Compare the score by record with a limit; sums of a few roots that agree in 250 digits are equal."""
    with localcontext(prec=300):
        lost, possible = record_errors(tables)
        if not possible:
            return limit <= (1 if classes(tables) else 0)
        spare = possible * (limit.denominator - limit.numerator) - lost * limit.denominator
        return spare > -possible.scaleb(-250)


def single_record_error(tables: Tables, name: str) -> Fraction | None:
    """Return the score of a single column: the roots are then plain distances, and the score is a fraction."""
    far, farthest = Fraction(0), Fraction(0)
    for place, number in enumerate(numbers(tables, name)):
        far += max(abs(number - end) for end in interval(tables, name, place))
        farthest += max(abs(number - end) for end in numbers(tables, name))
    return clamped(1 - far / farthest) if farthest else None


def root(number: Fraction) -> Decimal:
    """Return the square root, to the digits of the decimal context."""
    number = Fraction(number)
    return (Decimal(number.numerator) / number.denominator).sqrt()


# Shares.


def suppressed_share(tables: Tables) -> Fraction:
    """Return the share of suppressed rows."""
    return Fraction(sum(is_suppressed(tables, row) for row in tables.released), len(tables.released))


def generalised_share(tables: Tables, name: str) -> Fraction:
    """Return the share of cells above the leaves, including all cells of suppressed rows."""
    return cells_share(tables, name, 1)


def top_share(tables: Tables, name: str) -> Fraction:
    """Return the share of cells at the top, including all cells of suppressed rows."""
    return cells_share(tables, name, height(tables, name))


def cells_share(tables: Tables, name: str, least: int) -> Fraction:
    """Return the share of cells at a level or above it."""
    high = [
        is_suppressed(tables, row) or level(tables, name, place) >= least for place, row in enumerate(tables.released)
    ]
    return Fraction(sum(high), len(high))


def average_alike(tables: Tables) -> Fraction:
    """Return the mean size of the original's class, over the rows of the original."""
    groups = grouped(tables.original, tables.quasi_identifiers)
    return Fraction(sum(len(rows) ** 2 for rows in groups), len(tables.original))
