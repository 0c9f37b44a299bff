"""Numbers that were perturbed: the rows of the original beside the rows released for them, as integers.

A column is scaled to whole numbers, so that distances and ranks are exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import lcm

import numpy as np

from PETWorks.errors import NotAskableError
from PETWorks.exact.limit import parse_number
from PETWorks.facts.facts import Facts
from PETWorks.tables.counting.tally import Before, IntArray, Tally


@dataclass(frozen=True, eq=False)
class NumberPairs:
    """A column of numbers before and after perturbation, with an entry for each distinct pair of rows."""

    name: str
    before: Sequence[int]
    after: Sequence[int]
    counts: IntArray

    @property
    def variance(self) -> Fraction:
        """The variance of the original, divided by the number of rows."""
        rows = int(self.counts.sum())
        total = sum(x * many for x, many in zip(self.before, self.counts.tolist(), strict=True))
        squares = sum(x * x * many for x, many in zip(self.before, self.counts.tolist(), strict=True))
        return Fraction(squares, rows) - Fraction(total, rows) ** 2


def read_number_pairs(facts: Facts, names: Sequence[str]) -> list[NumberPairs]:
    """Return the columns before and after perturbation; raise an error if a cell is no number."""
    tally = facts.pair_columns(names)
    found = []
    for name in names:
        values = [_read(tally, key, name) for key in (Before(name), name)]
        scale = lcm(*(Fraction(value).denominator for some in values for value in some))
        before, after = ([int(Fraction(value) * scale) for value in some] for some in values)
        found.append(NumberPairs(name, before, after, tally.counts))
    return found


def _read(tally: Tally, key: Before | str, name: str) -> list[Decimal]:
    column = tally.columns[key]
    numbers = [parse_number(value) for value in column.values]
    if None in numbers:
        problem = f'"{name}" has cells that are no numbers'
        raise NotAskableError(problem, hint="name columns of numbers in columns=, without missing or suppressed cells")
    return [numbers[code] for code in column.codes.tolist()]


def find_number_columns(facts: Facts) -> tuple[str, ...]:
    """Return the quasi-identifiers that have only numbers, before and after perturbation."""
    names = facts.roles.quasi_identifiers
    tally = facts.pair_columns(names)

    def is_number(name: str) -> bool:
        return all(parse_number(one) is not None for key in (Before(name), name) for one in tally.columns[key].values)

    if found := tuple(name for name in names if is_number(name)):
        return found
    raise NotAskableError("no quasi-identifier has numbers only", hint="name columns of numbers in columns=")


def count_nearest(columns: Sequence[NumberPairs]) -> tuple[Fraction, int]:
    """Return the expected number of rows whose nearest released row is their own, and how many are certainly so.

    Distances are sums of squared differences divided by the original's variance. Floats exclude rows that are clearly
    farther.
    """
    columns = [one for one in columns if one.variance]
    counts = columns[0].counts if columns else None
    if counts is None:
        return Fraction(1), 0
    weights = [1 / one.variance for one in columns]
    scale = lcm(*(weight.denominator for weight in weights))
    whole = [int(weight * scale) for weight in weights]
    before = np.array([one.before for one in columns], dtype=float)
    after = np.array([one.after for one in columns], dtype=float)
    floats = np.array([float(weight) for weight in weights])
    total, alone = Fraction(0), 0
    for entry, many in enumerate(counts.tolist()):
        distances = (floats[:, None] * (after - before[:, entry : entry + 1]) ** 2).sum(axis=0)
        near = np.flatnonzero(distances <= distances.min() * (1 + 1e-9) + 1e-12).tolist()
        exact = {
            other: sum(w * (one.after[other] - one.before[entry]) ** 2 for w, one in zip(whole, columns, strict=True))
            for other in near
        }
        least = min(exact.values())
        nearest = [other for other in near if exact[other] == least]
        rows = int(counts[nearest].sum())
        if exact.get(entry) == least:
            total += Fraction(many, rows)
            alone += rows == 1
    return total, alone


def count_within(column: NumberPairs, share: Fraction) -> int:
    """Return how many original values lie between released values whose ranks are close to their own."""
    rows, counts = int(column.counts.sum()), column.counts.tolist()
    values = sorted((value, many) for value, many in zip(column.after, counts, strict=True))
    ordered = [value for value, many in values for _ in range(many)]
    first, last = dict[int, int](), dict[int, int]()
    for place, value in enumerate(ordered):
        first.setdefault(value, place)
        last[value] = place
    reach = -(-share.numerator * rows // share.denominator) - 1  # ranks that differ by less than this share
    found = 0
    for x, y, many in zip(column.before, column.after, counts, strict=True):
        low, high = max(0, first[y] - reach), min(rows - 1, last[y] + reach)
        found += many * (ordered[low] <= x <= ordered[high])
    return found
