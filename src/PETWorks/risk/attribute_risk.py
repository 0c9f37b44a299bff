"""Attribute risk: which columns, together, come near to identifying people.

Definition
    For a subset of the quasi-identifiers: distinction is the number of different combinations divided by the rows;
    separation is the share of pairs of rows that the subset tells apart. Over the unsuppressed rows.

Formula
    distinction = combinations ÷ n, separation = 1 - Σ s(s - 1) / (n(n - 1)), s rows with the same combination

Example
    The sex tells three of the six pairs of people apart, the year four; both together, five.

    >>> from PETWorks import Release
    >>> result = Release({"sex": ["m", "f", "f", "f"], "year": ["197*", "197*", "198*", "198*"]}).ask(AttributeRisk())
    >>> for name, part in result.parts.items():
    ...     print(name, part.exact, part.figures["separation"])
    year 1/2 2/3
    sex 1/2 1/2
    sex + year 3/4 5/6

Reading
    Distinction 1: every row is different. Separation 1: every two rows are. Smaller subsets come first, and of each
    size the most identifying: a small subset with a high separation is what to generalise. Up to ten quasi-identifiers
    every subset is looked at, beyond that subsets of up to three, or fewer where that would be too many to look at.

Reference
    R. Motwani, Y. Xu, "Efficient Algorithms for Masking and Finding Quasi-Identifiers", Stanford University, 2007.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import comb
from typing import ClassVar

from PETWorks.classes import squares
from PETWorks.facts import Facts
from PETWorks.figure import Figure, Risk
from PETWorks.measure import Words
from PETWorks.result import Note
from PETWorks.tally import Tally

ALL_SUBSETS = 10  # quasi-identifiers up to which every subset is looked at
SMALL = 3  # columns in a subset beyond that
WORK = 2 * 10**8  # subsets times classes that are looked at


@dataclass(frozen=True, kw_only=True)
class AttributeRisk(Risk):
    """How nearly subsets of the quasi-identifiers identify people."""

    name: ClassVar[str] = "attribute risk"
    scales: ClassVar[bool] = True
    words: ClassVar = {
        "en": Words(
            "attribute risk",
            "Of single columns, {most} reveals most: it tells {separation} of pairs of rows apart.",
        ),
        "zh_TW": Words("欄位風險", "單一欄位中以「{most}」最容易識別個人，可區分 {separation} 的資料列配對。"),
    }

    def figures(self, facts: Facts) -> Iterator[Figure]:
        """Give every subset, small ones first, of each size the most identifying first."""
        names = facts.roles.quasi_identifiers
        table = Tally(facts.classes.columns, facts.classes.sizes)
        largest = _largest_subset(len(names), len(table.counts))
        notes = (Note("subsets", {"columns": len(names), "most": largest}),) if largest < len(names) else ()
        for size in range(1, largest + 1):
            subsets = [_risk(table.of(subset), _joined(subset)) for subset in combinations(names, size)]
            for figure in sorted(subsets, key=lambda one: (-(one.figures["separation"] or 0), -(one.value or 0))):
                yield Figure(figure.name, figure.value, figures=figure.figures, notes=notes)
                notes = ()


def _largest_subset(columns: int, classes: int) -> int:
    """Say how many columns subsets may have: any number of up to ten; else three, or fewer if that is too many."""
    if columns <= ALL_SUBSETS:
        return columns
    affordable = [size for size in range(1, SMALL + 1) if comb(columns, size) * classes <= WORK]
    return max(affordable, default=1)


def _joined(names: Sequence[str]) -> str:
    return " + ".join(f'"{name}"' if " + " in name else name for name in names)


def _risk(table: Tally, name: str) -> Figure:
    rows = table.rows
    pairs = rows * (rows - 1)
    separation = 1 - Fraction(squares(table.counts) - rows, pairs) if pairs else None
    figures = {"separation": separation, "most": name}
    return Figure(name, Fraction(len(table.counts), rows or 1), figures=figures)
