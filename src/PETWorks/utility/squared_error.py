"""Squared error: how far released numbers are from the original ones, at worst.

Definition
    A released cell of a numeric column is an interval: a number is itself; a generalised value reaches from the least
    to the greatest leaf below it (without a hierarchy, over the original values released as that text); a suppressed
    cell reaches over the whole column. Its error is the squared distance from the original number to the farther end of
    the interval, compared with that to the farther end of the column. By record, the errors of all columns count in
    units of their variance.

Formula
    by column 1 - Σ e / Σ w, e = max((x - lo)², (x - hi)²), w = max((x - a)², (x - b)²), a and b the column's ends; by
    record 1 - Σ √(Σ e/σ²) / Σ √(Σ w/σ²), the inner sums over columns

Example
    Ages released as a band of ten: 32 is at most 7 from 39, and 18 from the farther end of the column.

    >>> from PETWorks import Release
    >>> ages = [(str(age), f"{age // 10}0-{age // 10}9", "*") for age in range(20, 60)]
    >>> release = Release({"age": ["30-39", "50"]}, original={"age": ["32", "50"]}, hierarchies={"age": ages})
    >>> result = release.ask(SquaredError())
    >>> part = result.parts["age"]
    >>> print(part.figures["mean_squared_error"], part.exact, round(result.value, 4))
    49/2 599/648 0.8056

Reading
    1: every number is known exactly. 0: nothing is known but the range. The value is that by record; it is computed
    with floats, since sums of square roots have no simple exact form. It takes the worst that an interval allows, not
    what is likely.

Reference
    J. Domingo-Ferrer, J. M. Mateo-Sanz, "Practical Data-Oriented Microaggregation for Statistical Disclosure Control",
    IEEE Transactions on Knowledge and Data Engineering 14(1), 2002, doi:10.1109/69.979982.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import ClassVar

import numpy as np

from PETWorks.cells import Cells
from PETWorks.errors import NotAskableError
from PETWorks.facts import Facts
from PETWorks.loss import Loss, Utility
from PETWorks.measure import Need, Words
from PETWorks.numeral import numeral
from PETWorks.scores import FloatArray
from PETWorks.tally import IntArray

Interval = tuple[Fraction, Fraction]


@dataclass(frozen=True, kw_only=True)
class SquaredError(Utility):
    """Share of the largest possible squared error that numbers do not have."""

    name: ClassVar[str] = "squared error"
    needs: ClassVar[frozenset[Need]] = frozenset({Need.ORIGINAL})
    pairs: ClassVar[bool] = True
    words: ClassVar = {
        "en": Words(
            "squared error",
            "{percent} of the way from knowing only the range to knowing every number is left, record by record.",
        ),
        "zh_TW": Words("平方誤差", "逐筆計算，從僅知全距到得知每個數值之間，保留了 {percent}。"),
    }

    def losses(self, facts: Facts) -> Iterator[Loss]:
        """Add up the squared errors of each numeric column, and those of each record."""
        errors, worst = np.zeros(len(facts.joint.counts)), np.zeros(len(facts.joint.counts))
        names = [name for name in facts.roles.quasi_identifiers if _numbers(facts.column(name))]
        if not names:
            raise NotAskableError("no quasi-identifier of the original holds numbers only")
        for name in names:
            cells = facts.column(name)
            error, most, entries = _errors(facts, cells)
            counts = np.bincount(entries, weights=cells.counts).astype(np.int64).tolist()
            total, largest = (
                sum((each * many for each, many in zip(one, counts, strict=True)), Fraction(0)) for one in (error, most)
            )
            yield Loss(total, largest, name, figures={"mean_squared_error": total / facts.joint.rows})
            if variance := _variance(cells):
                errors += _floats(error, variance)[entries]
                worst += _floats(most, variance)[entries]
        lost, possible = (Decimal(math.fsum(np.sqrt(one) * facts.joint.counts)) for one in (errors, worst))
        yield Loss(lost, possible)


def _numbers(cells: Cells) -> list[Fraction]:
    """Give the values of the original as numbers; none if one of them is not."""
    numbers = [numeral(value) for value in cells.original.values] if cells.original else []
    return [] if None in numbers else [Fraction(number) for number in numbers if number is not None]


def _errors(facts: Facts, cells: Cells) -> tuple[list[Fraction], list[Fraction], IntArray]:
    """Give the squared error, and the largest possible, for each kind of cell; and which entries are of which kind."""
    numbers = _numbers(cells)
    whole = min(numbers), max(numbers)
    hidden = cells.suppressed | cells.marked
    spans = _spans(facts, cells, numbers, whole)
    original = cells.original.codes if cells.original else cells.released.codes
    kinds, entries = np.unique(
        np.stack([original, cells.released.codes, cells.levels, hidden]), axis=1, return_inverse=True
    )
    error, most = [], []
    for code, released, level, is_hidden in kinds.T.tolist():
        low, high = whole if is_hidden else spans[released, level]
        low, high = (min(max(end, whole[0]), whole[1]) for end in (low, high))
        error.append(max((numbers[code] - low) ** 2, (numbers[code] - high) ** 2))
        most.append(max((numbers[code] - whole[0]) ** 2, (numbers[code] - whole[1]) ** 2))
    return error, most, entries


def _spans(facts: Facts, cells: Cells, numbers: list[Fraction], whole: Interval) -> dict[tuple[int, int], Interval]:
    """Give the interval of each released value, on each level at which it is released."""
    point = [numeral(value) for value in cells.released.values]
    no_point = np.array([number is None for number in point])[cells.released.codes]
    known = cells.name in facts.hierarchies
    if known:
        facts.refuse_unknown(cells, cells.unknown & no_point)
    spans = {}
    for code, level in set(zip(cells.released.codes.tolist(), cells.levels.tolist(), strict=True)):
        if (number := point[code]) is not None:
            spans[code, level] = (Fraction(number), Fraction(number))
            continue
        if known:
            leaves = map(numeral, cells.hierarchy.under(cells.released.values[code], level))
            below = [Fraction(leaf) for leaf in leaves if leaf is not None]
        else:
            originals = cells.original.codes if cells.original else cells.released.codes
            below = [numbers[one] for one in np.unique(originals[cells.released.codes == code]).tolist()]
        spans[code, level] = (min(below), max(below)) if below else whole
    return spans


def _variance(cells: Cells) -> Fraction:
    numbers = _numbers(cells)
    codes = cells.original.codes if cells.original else cells.released.codes
    counts = np.bincount(codes, weights=cells.counts, minlength=len(numbers)).astype(np.int64).tolist()
    first = sum((number * many for number, many in zip(numbers, counts, strict=True)), Fraction(0)) / sum(counts)
    second = sum((number**2 * many for number, many in zip(numbers, counts, strict=True)), Fraction(0)) / sum(counts)
    return Fraction(second - first**2)


def _floats(numbers: list[Fraction], unit: Fraction) -> FloatArray:
    return np.array([float(number / unit) for number in numbers])
