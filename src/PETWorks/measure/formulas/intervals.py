"""Released cells of a numeric column as intervals, and the largest distance of their ends from the original number.

Numbers are multiplied by the common denominator of their column, so that all computations are exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm

import numpy as np

from PETWorks.exact.limit import parse_number
from PETWorks.exact.sums import Roots
from PETWorks.facts.cells import Cells
from PETWorks.facts.facts import Facts
from PETWorks.tables.counting.tally import IntArray


@dataclass(frozen=True, eq=False)
class Errors:
    """The errors of a column's cells, by kind: cells with the same original, released value and suppression."""

    error: IntArray  # for each kind, the largest distance from the original to the released interval's ends, scaled
    most: IntArray  # for each kind, the error if the cell were suppressed, scaled
    rows: IntArray  # for each kind, the number of cells
    kinds: IntArray  # for each entry of the joint tally, its kind
    scale: int  # factor that makes all numbers of the column integers
    variance: Fraction  # of the original column

    def total(self, errors: IntArray, power: int) -> Fraction:
        """Return the sum, over all cells, of the errors raised to a power."""
        return Fraction(int((errors**power * self.rows).sum()), self.scale**power)


def sum_errors(columns: Sequence[Errors], rows: IntArray) -> tuple[Roots, Roots]:
    """Add up the errors of all records: as released, and if everything were suppressed.

    The error of a record is the root of its squared errors, each divided by the variance of its column. `rows` has the
    number of records of each entry of the joint tally.
    """
    variances = [one.variance * one.scale**2 for one in columns]
    shared = lcm(*(variance.numerator for variance in variances))
    weights = [int(shared / variance) for variance in variances]
    common = gcd(*weights)

    def total(errors: list[IntArray]) -> Roots:
        pairs = zip(columns, errors, weights, strict=True)
        squared: IntArray = np.sum(
            [(one**2 * (weight // common))[column.kinds] for column, one, weight in pairs], axis=0
        )
        return Roots.of(squared.tolist(), rows.tolist(), Fraction(shared, common))

    return total([one.error for one in columns]), total([one.most for one in columns])


def find_errors(facts: Facts, cells: Cells) -> Errors | None:
    """Return the errors of a column; None if not every value of the original is a number."""
    originals = [parse_number(value) for value in cells.original.values] if cells.original else [None]
    points = [parse_number(value) for value in cells.released.values]
    exact = [Fraction(number) for number in originals if number is not None]
    if cells.original is None or len(exact) < len(originals):
        return None
    others = [number for number in (*points, *map(parse_number, cells.hierarchy.leaves)) if number is not None]
    scale = lcm(*(number.denominator for number in exact), *(Fraction(number).denominator for number in others))
    numbers = np.array([int(number * scale) for number in exact], dtype=object)
    least, greatest = numbers.min(), numbers.max()
    scaled = [None if point is None else int(Fraction(point) * scale) for point in points]
    intervals = _find_intervals(facts, cells, numbers, scaled, scale)

    hidden = (cells.suppressed | cells.marked).tolist()
    kinds = zip(cells.released.codes.tolist(), cells.levels.tolist(), hidden, strict=True)
    found = [(least, greatest) if is_hidden else intervals[value, level] for value, level, is_hidden in kinds]
    low, high = (np.array(ends, dtype=object).clip(least, greatest) for ends in zip(*found, strict=True))
    number, rows = numbers[cells.original.codes], cells.counts.astype(object)
    mean = Fraction(int((number * rows).sum()), int(rows.sum()))
    variance = Fraction(int((number**2 * rows).sum()), int(rows.sum())) - mean**2
    return Errors(
        error=np.maximum(abs(number - low), abs(number - high)),
        most=np.maximum(number - least, greatest - number),
        rows=rows,
        kinds=cells.of_entry,
        scale=scale,
        variance=variance / scale**2,
    )


def _find_intervals(
    facts: Facts, cells: Cells, numbers: IntArray, points: list[int | None], scale: int
) -> dict[tuple[int, int], tuple[int, int]]:
    """Return the interval of each released value, for each level at which it is released."""
    no_point = np.array([point is None for point in points])[cells.released.codes]
    known = cells.name in facts.hierarchies
    if known:
        facts.columns.refuse_unknown(cells, cells.unknown & no_point)
        leaves = {
            leaf: int(Fraction(number) * scale)
            for leaf in cells.hierarchy.leaves
            if (number := parse_number(leaf)) is not None
        }
    else:
        released_as = _find_ranges(cells, numbers)
    whole = (numbers.min(), numbers.max())
    found = {}
    for code, level in set(zip(cells.released.codes.tolist(), cells.levels.tolist(), strict=True)):
        if (point := points[code]) is not None:
            found[code, level] = (point, point)
        elif known:
            below = [
                leaves[leaf] for leaf in cells.hierarchy.under(cells.released.values[code], level) if leaf in leaves
            ]
            found[code, level] = (min(below), max(below)) if below else whole
        else:
            found[code, level] = released_as[code]
    return found


def _find_ranges(cells: Cells, numbers: IntArray) -> dict[int, tuple[int, int]]:
    """Return the smallest and the largest original number of each released value."""
    assert cells.original is not None  # noqa: S101
    order = np.argsort(cells.released.codes, kind="stable")
    codes, starts = np.unique(cells.released.codes[order], return_index=True)
    originals = numbers[cells.original.codes][order]
    ends = (np.minimum.reduceat(originals, starts), np.maximum.reduceat(originals, starts))
    return dict(zip(codes.tolist(), zip(*(end.tolist() for end in ends), strict=True), strict=True))
