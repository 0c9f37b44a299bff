"""Granularity (loss): how much of its column's range each cell has come to cover.

Definition
    A cell covers the share of the column's leaves that are below its value; a cell of a suppressed row covers all. The
    mean share of a column is placed between a single leaf (1) and all of them (0).

Formula
    by column 1 - (mean leaves/m - 1/m) / (1 - 1/m), m leaves of the hierarchy; overall 1 - Σ (mean - 1/m) / Σ (1 - 1/m)

Example
    Three years; two are released as 198*, which covers two of the three: the mean share is (1 + 2 + 2)/9. The two sexes
    are released as they were.

    >>> from PETWorks import Release
    >>> years = [("1977", "197*", "*"), ("1983", "198*", "*"), ("1988", "198*", "*")]
    >>> hierarchies = {"year": years, "sex": [("f", "*"), ("m", "*")]}
    >>> release = Release({"year": ["1977", "198*", "198*"], "sex": ["f", "m", "f"]}, hierarchies=hierarchies)
    >>> print(release.ask(Granularity()).exact)  # 1 - (5/9 - 1/3 + 0) / (1 - 1/3 + 1 - 1/2)
    17/21

Reading
    1: cells are as fine as the hierarchy's leaves. 0: every cell covers everything. Unlike Precision it sees how many
    values a level merges, but not how often they occur.

Reference
    V. S. Iyengar, "Transforming Data to Satisfy Privacy Constraints", KDD 2002, doi:10.1145/775047.775089.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import ClassVar

from PETWorks.measure.plugin import (
    CellLosses,
    Cells,
    Facts,
    LevelCodes,
    Loss,
    Name,
    Page,
    Result,
    Step,
    Utility,
    Words,
    build_column_step,
    find_costliest,
)


class Granularity(Utility):
    """Share of their columns' leaves that cells do not cover."""

    name: ClassVar[str] = "granularity"
    of_levels: ClassVar[bool] = True
    pairs: ClassVar[bool] = True
    words: ClassVar = {
        "en": Words(
            "granularity",
            "{percent} of the fineness is left, by how many values of its column a cell may stand for.",
            "fineness left",
            {
                "cells": "Each cell covers the leaves of its hierarchy below it, a cell of a suppressed row covers all."
                " By column, the share covered on average, less the single leaf that an original cell covers;"
                " where least is left first:",
                "column": "{column}, {leaves:leaf|leaves}: {mean} - {least} = {lost} lost of 1 - {least} = {possible}",
                "untold": "it does not see how often values occur, nor how alike they are.",
                "improve": "release the columns of which least is left at a lower level, or suppress fewer rows.",
            },
        ),
        "zh_TW": Words(
            "粒度",
            "以每個儲存格涵蓋的葉節點數計，保留了 {percent} 的細緻程度。",
            "保留的細緻程度",
            {
                "cells": "每個儲存格涵蓋其下的葉節點，整列遮蔽者涵蓋全部。各欄位以平均涵蓋的占比，"
                "減去原始儲存格僅涵蓋的一個葉節點計，由保留最少者起：",
                "column": "{column}，{leaves} 個葉節點：1 - {least} = {possible} 中損失 {mean} - {least} = {lost}",
                "untold": "未考量各值出現的次數，亦未考量其意義是否相近。",
                "improve": "降低保留最少欄位的概化層級，或減少遮蔽的資料列。",
            },
            page=Page(
                summary="每個儲存格涵蓋了欄位範圍的多少。",
                definition="一個儲存格涵蓋的比例，為其值之下的葉節點占欄位全部葉節點的比例；"
                "整列遮蔽的儲存格涵蓋全部。欄位的平均比例置於「單一葉節點」（1）與「全部葉節點」（0）之間。",
                formula="各欄位 1 - (葉節點數/m 的平均 - 1/m) / (1 - 1/m)，m 為資料階層的葉節點數；"
                "整體 1 - Σ (平均 - 1/m) / Σ (1 - 1/m)",
                example="三個年份中有兩個發布為 198*，涵蓋三個年份中的兩個：平均比例為 (1 + 2 + 2)/9。"
                "兩種性別照原樣發布。",
                reading="1：儲存格與葉節點一樣細。0：每個儲存格都涵蓋全部。"
                "與精準度不同，它計入一個層級合併了多少種值，但不計入這些值出現的次數。",
            ),
        ),
    }

    def losses(self, facts: Facts) -> Iterator[Loss]:
        """Yield the loss of each column: the leaves that its cells cover."""
        rows = facts.joint.rows
        for cells in facts.cells:
            leaves = len(cells.hierarchy.leaves) or 1
            covered = int((cells.leaves * cells.counts).sum())
            lost, possible = Fraction(covered - rows, leaves * rows), 1 - Fraction(1, leaves)
            yield Loss(lost, possible, cells.name, cells.notes)

    def cell_losses(self, ladder: LevelCodes) -> CellLosses:
        """Return the leaves that a cell covers besides its own, of all leaves."""
        return CellLosses(ladder.leaves - 1, ladder.all_leaves - 1, ladder.all_leaves)

    def evenly_lost(self, cells: Cells) -> bool:
        """Return True if the cells cover equally many leaves."""
        return cells.of_one_size

    def explain_losses(self, result: Result) -> Iterator[Step]:
        """Yield where the mean share of each column lies between a single leaf and all leaves."""
        columns = {cells.name: cells for cells in result.measured.cells}
        lines = []
        for name, part in find_costliest(result):
            if "lost" not in part.figures:
                lines.append(build_column_step((name, part)))
                continue
            leaves, lost = columns[name].all_leaves, Fraction(part.figures["lost"])
            least = Fraction(1, leaves)
            shares = {"mean": lost + least, "least": least, "lost": lost, "possible": 1 - least}
            lines.append(Step("column", {"column": Name(name), "leaves": leaves, **shares}))
        yield Step("cells", {}, tuple(lines))
