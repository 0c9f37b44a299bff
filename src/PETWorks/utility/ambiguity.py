"""Ambiguity: how many original rows each released row could stand for.

Definition
    A released cell stands for all leaves of its hierarchy below it, a row for every combination of the leaves of its
    cells. Ambiguity adds up these combinations over all rows and places the sum between one for each row (1) and
    everything for each row (0). A suppressed row stands for everything.

Formula
    1 - (Σ leaves - N) / (N·M - N), leaves = product over columns of the leaves below a cell, M = product over columns
    of all leaves

Example
    Three years; two are released as 198*, which stands for two of the three years. The two sexes are released as they
    were.

    >>> from PETWorks import Release
    >>> years = [("1977", "197*", "*"), ("1983", "198*", "*"), ("1988", "198*", "*")]
    >>> release = Release({"year": ["1977", "198*", "198*"], "sex": ["f", "m", "f"]}, hierarchies={"year": years})
    >>> print(release.ask(Ambiguity()).exact)  # 1 - (5 - 3) / (3·6 - 3)
    13/15

Reading
    1: every row says exactly what it did. 0: nothing is left. With many columns nearly all of the scale lies far from
    anything a release could be, so values crowd near 1, and suppressed rows weigh most.

Reference
    J. Goldberger, T. Tassa, "Efficient Anonymizations with Enhanced Utility", Transactions on Data Privacy 3(2), 2010;
    placed on a scale as in ARX.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from PETWorks.facts import Facts
from PETWorks.leaves import all_leaves, stands_for
from PETWorks.loss import Loss, Utility
from PETWorks.measure import Words


@dataclass(frozen=True, kw_only=True)
class Ambiguity(Utility):
    """Number of original rows that a released row could stand for."""

    name: ClassVar[str] = "Ambiguity"
    pairs: ClassVar[bool] = True
    words: ClassVar = {
        "en": Words(
            "Ambiguity", "A released row stands for {combinations} of {possible_combinations} possible rows on average."
        ),
        "zh_TW": Words(
            "模糊度", "每筆發布的資料列平均代表 {combinations} 種可能的原始資料列（共有 {possible_combinations} 種）。"
        ),
    }

    def losses(self, facts: Facts) -> Iterator[Loss]:
        """Add up the combinations that rows stand for."""
        rows, everything = facts.joint.rows, all_leaves(facts)
        stood_for = int((stands_for(facts) * facts.joint.counts).sum())
        figures = {"combinations": Fraction(stood_for, rows), "possible_combinations": everything}
        notes = tuple(note for cells in facts.cells for note in cells.notes)
        yield Loss(Fraction(stood_for - rows), Fraction(rows * everything - rows), notes=notes, figures=figures)
