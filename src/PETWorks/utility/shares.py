"""Shares: how many rows were suppressed, and how many cells of each column were changed.

Definition
    The share of rows of which every quasi-identifier is suppressed. For each column the share of cells that were
    generalised, and of those that are at the top of their hierarchy; suppressed cells are both.

Formula
    suppressed rows ÷ N; by column, cells at level 1 or higher ÷ N and cells at the highest level ÷ N

Example
    One of four rows is suppressed; another was generalised.

    >>> from PETWorks import Release
    >>> years = [("1977", "197*", "*"), ("1988", "198*", "*")]
    >>> result = Release({"year": ["1977", "1977", "198*", "*"]}, hierarchies={"year": years}).ask(Shares())
    >>> print(result.exact, result.parts["year"].exact, result.parts["year"].figures["top"])
    1/4 1/2 1/4

Reading
    0: nothing was touched. Look at it beside every score: many of them rise when rows are suppressed.

Reference
    The first things that a reader of a release asks.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from PETWorks.facts import Facts
from PETWorks.figure import Figure, Figures
from PETWorks.limit import Number
from PETWorks.measure import Words
from PETWorks.parameter import number


@dataclass(frozen=True, kw_only=True)
class Shares(Figures):
    """Share of rows that are suppressed, and of cells that were generalised."""

    at_most: Number | None = number(least=0, most=1)

    name: ClassVar[str] = "shares"
    family: ClassVar[str] = "utility"
    pairs: ClassVar[bool] = True
    examples: ClassVar = ({"at_most": "0.05"},)
    fixed_parts: ClassVar = ("suppressed rows",)
    words: ClassVar = {
        "en": Words("suppressed rows", "{percent} of the rows are suppressed."),
        "zh_TW": Words("整列遮蔽比例", "有 {percent} 的資料列遭整列遮蔽。"),
    }

    def figures(self, facts: Facts) -> Iterator[Figure]:
        """Give the share of suppressed rows, and of changed cells by column."""
        rows = facts.joint.rows
        yield Figure("suppressed rows", Fraction(facts.scope.suppressed, facts.scope.rows), self.at_most)
        for cells in facts.cells:
            changed = int(cells.counts[(cells.levels > 0) | cells.suppressed].sum())
            top = int(cells.counts[(cells.levels == cells.hierarchy.height) | cells.suppressed].sum())
            yield Figure(cells.name, Fraction(changed, rows), figures={"top": Fraction(top, rows)}, notes=cells.notes)
