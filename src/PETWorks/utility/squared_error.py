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
from typing import ClassVar

import numpy as np

from PETWorks.errors import NotAskableError
from PETWorks.facts import Facts
from PETWorks.intervals import errors_of
from PETWorks.loss import Loss, Utility
from PETWorks.measure import Need, Words


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
        found = {name: errors_of(facts, facts.column(name)) for name in facts.roles.quasi_identifiers}
        columns = {name: errors for name, errors in found.items() if errors is not None}
        if not columns:
            raise NotAskableError("no quasi-identifier of the original holds numbers only")
        for name, one in columns.items():
            lost, possible = one.total(one.error, 2), one.total(one.most, 2)
            yield Loss(lost, possible, name, figures={"mean_squared_error": lost / facts.joint.rows})
        varying = [one for one in columns.values() if one.variance]
        if len(varying) == 1:  # its roots are plain distances
            yield Loss(varying[0].total(varying[0].error, 1), varying[0].total(varying[0].most, 1))
        else:
            errors = sum(one.in_units(one.error) for one in varying)
            worst = sum(one.in_units(one.most) for one in varying)
            by_record = [Decimal(math.fsum(np.sqrt(each) * facts.joint.counts)) for each in (errors, worst)]
            yield Loss(by_record[0], by_record[1])
