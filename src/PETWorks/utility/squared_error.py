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
from PETWorks.intervals import errors_of, numbers_of
from PETWorks.loss import Loss, Utility
from PETWorks.measure import Need, Words
from PETWorks.scores import FloatArray


@dataclass(frozen=True, kw_only=True)
class SquaredError(Utility):
    """Share of the largest possible squared error that numbers do not have."""

    name: ClassVar[str] = "squared error"
    needs: ClassVar[frozenset[Need]] = frozenset({Need.ORIGINAL})
    pairs: ClassVar[bool] = True
    words: ClassVar = {
        "en": Words(
            "squared error",
            "Of what could become uncertain about the numbers, {percent} is still certain, record by record.",
        ),
        "zh_TW": Words("平方誤差", "逐筆計算，從僅知全距到得知每個數值之間，保留了 {percent}。"),
    }

    def losses(self, facts: Facts) -> Iterator[Loss]:
        """Add up the squared errors of each numeric column, and those of each record."""
        errors, worst = np.zeros(len(facts.joint.counts)), np.zeros(len(facts.joint.counts))
        columns = [cells for cells in map(facts.column, facts.roles.quasi_identifiers) if numbers_of(cells)]
        if not columns:
            raise NotAskableError("no quasi-identifier of the original holds numbers only")
        roots = []
        for cells in columns:
            error, most, entries = errors_of(facts, cells)
            counts = np.bincount(entries, weights=cells.counts).astype(np.int64).tolist()
            lost, possible = _total(error, counts, 2), _total(most, counts, 2)
            figures = {"mean_squared_error": lost / facts.joint.rows}
            yield Loss(lost, possible, cells.name, figures=figures)
            if variance := _variance(cells):
                roots.append((_total(error, counts, 1), _total(most, counts, 1)))
                errors += _squares(error, variance)[entries]
                worst += _squares(most, variance)[entries]
        if len(roots) == 1:  # the roots are plain distances
            yield Loss(*roots[0])
        else:
            lost_by_record, possible_by_record = (
                Decimal(math.fsum(np.sqrt(one) * facts.joint.counts)) for one in (errors, worst)
            )
            yield Loss(lost_by_record, possible_by_record)


def _variance(cells: Cells) -> Fraction:
    numbers = numbers_of(cells)
    codes = cells.original.codes if cells.original else cells.released.codes
    counts = np.bincount(codes, weights=cells.counts, minlength=len(numbers)).astype(np.int64).tolist()
    first = sum((number * many for number, many in zip(numbers, counts, strict=True)), Fraction(0)) / sum(counts)
    second = sum((number**2 * many for number, many in zip(numbers, counts, strict=True)), Fraction(0)) / sum(counts)
    return Fraction(second - first**2)


def _total(errors: list[Fraction], counts: list[int], power: int) -> Fraction:
    return sum((error**power * many for error, many in zip(errors, counts, strict=True)), Fraction(0))


def _squares(errors: list[Fraction], unit: Fraction) -> FloatArray:
    return np.array([float(error**2 / unit) for error in errors])
