"""Precision: how far, on average, cells were generalised.

Definition
    Every cell of a quasi-identifier loses the share of its hierarchy that it was lifted: its level divided by the
    height. A cell of a suppressed row loses everything. Precision is 1 minus the mean loss.

Formula
    1 - (Σ level/H over all cells) / (rows · quasi-identifiers)

Example
    Places at level 1 of 2 and years at level 1 of 3 lose 1/2 and 1/3, on average 5/12.

    >>> original = {"place": ["Germany", "France", "France", "France"], "year": [1970, 1977, 1983, 1988]}
    >>> released = {"place": ["Europe"] * 4, "year": ["197*", "197*", "198*", "198*"]}
    >>> hierarchies = {
    ...     "place": [("Germany", "Europe", "*"), ("France", "Europe", "*")],
    ...     "year": [(year, f"{year // 10}*", "19**", "*") for year in original["year"]],
    ... }
    >>> from PETWorks import Release
    >>> result = Release(released, original=original, hierarchies=hierarchies).ask(Precision())
    >>> print(result.exact, {name: str(part.exact) for name, part in result.parts.items()})
    7/12 {'place': '1/2', 'year': '2/3'}

Reading
    1: nothing was generalised. 0: nothing is left. Every level counts the same, however many values it merges: a
    hierarchy with many fine levels makes a release look better.

Reference
    L. Sweeney, "Achieving k-Anonymity Privacy Protection Using Generalization and Suppression", International Journal
    of Uncertainty, Fuzziness and Knowledge-Based Systems 10(5), 2002, doi:10.1142/S021848850200165X.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from PETWorks.facts import Facts
from PETWorks.loss import Loss, Utility
from PETWorks.measure import Words


@dataclass(frozen=True, kw_only=True)
class Precision(Utility):
    """Share of the hierarchies' height that cells still keep below them."""

    name: ClassVar[str] = "Precision"
    pairs: ClassVar[bool] = True
    words: ClassVar = {
        "en": Words(
            "Precision", "{percent} of the original detail is left, if every level of a hierarchy is one equal step."
        ),
        "zh_TW": Words("精準度", "保留了 {percent} 的原始細節（每一層概化視為等距）。"),
    }

    def losses(self, facts: Facts) -> Iterator[Loss]:
        """Add up the levels of each column's cells."""
        for cells in facts.cells:
            whole = int(cells.counts[cells.suppressed].sum())
            levels = int((cells.levels * cells.counts)[~cells.suppressed].sum())
            lost = whole + (Fraction(levels, cells.hierarchy.height) if levels else Fraction(0))
            yield Loss(lost, Fraction(int(cells.counts.sum())), cells.name, cells.notes)
