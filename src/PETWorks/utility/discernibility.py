"""Discernibility: how many rows each row has become alike to.

Definition
    Every row is charged the size of its class, a suppressed row the size of the whole table. The sum is placed between
    that of the original (1) and that of a table whose rows are all alike (0).

Formula
    1 - (x - y) / (N² - y), x = Σ s² over classes + suppressed rows · N, y = the same sum over the original

Example
    Four different rows become two classes of two: x = 8, y = 4, N² = 16.

    >>> from PETWorks import Release
    >>> original, released = {"year": [1970, 1977, 1983, 1988]}, {"year": ["197*", "197*", "198*", "198*"]}
    >>> print(Release(released, original=original).ask(Discernibility()).exact)
    2/3

Reading
    1: rows can be told apart as before. 0: all are alike or suppressed. Large classes count by the square of their
    size. It does not look at what the values say, and has no meaning for a single column.

Reference
    R. J. Bayardo, R. Agrawal, "Data Privacy through Optimal k-Anonymization", ICDE 2005, doi:10.1109/ICDE.2005.42;
    placed on a scale as in ARX.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from PETWorks.classes import squares
from PETWorks.facts import Facts
from PETWorks.loss import Loss, Utility
from PETWorks.measure import Need, Words
from PETWorks.tally import IntArray


@dataclass(frozen=True, kw_only=True)
class Discernibility(Utility):
    """Number of rows that a row cannot be told apart from."""

    name: ClassVar[str] = "discernibility"
    needs: ClassVar[frozenset[Need]] = frozenset({Need.ORIGINAL})
    words: ClassVar = {
        "en": Words(
            "discernibility",
            "On average {alike} rows share the values of a row, itself included; in the original {alike_before}.",
        ),
        "zh_TW": Words("可辨識度", "每筆資料列平均與 {alike} 筆（含自身）相同；原始資料表為 {alike_before} 筆。"),
    }

    def losses(self, facts: Facts) -> Iterator[Loss]:
        """Add up the squares of class sizes."""
        rows = facts.before.rows
        before = _charge(facts.classes_before, rows - int(facts.classes_before.sum()), rows)
        after = _charge(facts.classes.sizes, facts.scope.suppressed, facts.scope.rows)
        figures = {"alike": Fraction(after, facts.scope.rows), "alike_before": Fraction(before, rows)}
        yield Loss(Fraction(after - before), Fraction(rows * rows - before), figures=figures)


def _charge(sizes: IntArray, suppressed: int, rows: int) -> int:
    """Charge every row the size of its class, a suppressed one the size of the table."""
    return squares(sizes) + suppressed * rows
