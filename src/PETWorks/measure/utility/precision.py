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
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

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
    Terms,
    Utility,
    Words,
    find_costliest,
)

LISTED = 12  # the most columns whose losses an explanation writes as a sum


class Precision(Utility):
    """Share of the hierarchies' height through which cells were not generalised."""

    name: ClassVar[str] = "Precision"
    of_levels: ClassVar[bool] = True
    pairs: ClassVar[bool] = True
    words: ClassVar = {
        "en": Words(
            "Precision",
            "{percent} of the original detail is left, if every level of a hierarchy is one equal step.",
            "detail left",
            {
                "cells": "Looked up how far each of {rows} × {columns} = {cells:cell|cells} was generalised; a cell of"
                " a suppressed row counts as complete. The columns that lost most:",
                "level": "{column}: {cells:cell|cells} at level {level} of {height}, loss {level}/{height} each;"
                " together {sum}",
                "levels": "{column}: cells at different levels; how many at each is not told",
                "suppressed": "{column}: {cells:cell|cells} of suppressed rows, loss 1 each; together {sum}",
                "mean": "Mean loss: ({sums}) / {cells} = {share}.",
                "untold": "every level counts the same, however many values it merges.",
                "improve": "release the columns that lost most at a lower level, or suppress fewer rows.",
            },
        ),
        "zh_TW": Words(
            "精準度",
            "保留了 {percent} 的原始細節（每一層概化視為等距）。",
            "保留的細節",
            {
                "cells": "逐一查出 {rows} × {columns} = {cells} 個儲存格的概化層級；整列遮蔽者視為完全概化。"
                "失真最多的欄位依序為：",
                "level": "{column}：{cells} 個儲存格位於第 {level} 層／共 {height} 層，每格失真 {level}/{height}，"
                "小計 {sum}",
                "levels": "{column}：儲存格位於不同層級，不說明各層級的個數",
                "suppressed": "{column}：{cells} 個儲存格屬於整列遮蔽，每格失真 1，小計 {sum}",
                "mean": "平均失真：({sums}) / {cells} = {share}。",
                "untold": "每一層視為等距，不論合併了多少種值。",
                "improve": "降低失真最多欄位的概化層級，或減少遮蔽的資料列。",
            },
            page=Page(
                summary="儲存格平均概化到多高的層級。",
                definition="準識別屬性的每個儲存格，失真程度為其概化的層級除以資料階層的高度。"
                "整列遮蔽的儲存格失真程度為 1。精準度為 1 減去平均失真程度。",
                formula="1 - (所有儲存格的 Σ 層級/H) / (列數 · 準識別屬性數)",
                example="出生地位於第 1 層／共 2 層，出生年位於第 1 層／共 3 層，失真程度為 1/2 與 1/3，平均 5/12。",
                reading="1：完全沒有概化。0：未保留任何細節。每一層視為等距，不論合併了多少種值：資料階層的層級切得越細，"
                "發布資料表看起來就越好。",
            ),
        ),
    }

    def losses(self, facts: Facts) -> Iterator[Loss]:
        """Yield the loss of each column: the levels of its cells, as shares of the height."""
        for cells in facts.cells:
            whole = int(cells.counts[cells.suppressed].sum())
            levels = int((cells.levels * cells.counts)[~cells.suppressed].sum())
            lost = whole + (Fraction(levels, cells.hierarchy.height) if levels else Fraction(0))
            yield Loss(lost, Fraction(int(cells.counts.sum())), cells.name, cells.notes)

    def cell_losses(self, ladder: LevelCodes) -> CellLosses:
        """Return the level of each cell as a share of the height."""
        height = max(ladder.height, 1)
        return CellLosses(ladder.levels, height, height)

    def evenly_lost(self, cells: Cells) -> bool:
        """Return True if the cells are on one level."""
        return cells.on_one_level

    def explain_losses(self, result: Result) -> Iterator[Step]:
        """Yield the levels of each column, the column that lost most first."""
        facts = result.measured
        rows, columns = facts.joint.rows, len(facts.cells)
        order = [name for name, _ in find_costliest(result)]
        shown = sorted((cells for cells in facts.cells if cells.name in order), key=lambda one: order.index(one.name))
        untold = [Step("levels", {"column": Name(name)}) for name, part in result.parts.items() if part.withheld]
        lines = (*untold, *(line for cells in shown for line in _explain_levels(cells)))
        yield Step("cells", {"rows": rows, "columns": columns, "cells": rows * columns}, lines)
        sums = [Fraction(part.figures["lost"]) for part in result.parts.values() if not part.withheld]
        if len(sums) <= LISTED and not untold:
            figures = {"sums": Terms(sums), "cells": rows * columns, "share": Fraction(sum(sums), rows * columns)}
            yield Step("mean", figures)


def _explain_levels(cells: Cells) -> Iterator[Step]:
    """Yield how many cells of a column are at each level, and what they lost."""
    figures: dict[str, Any] = {"column": Name(cells.name), "height": cells.hierarchy.height}
    for level in np.unique(cells.levels[~cells.suppressed]).tolist():
        many = int(cells.counts[~cells.suppressed & (cells.levels == level)].sum())
        lost = Fraction(many * level, cells.hierarchy.height) if level else Fraction(0)
        yield Step("level", figures | {"cells": many, "level": level, "sum": lost})
    if many := int(cells.counts[cells.suppressed].sum()):
        yield Step("suppressed", figures | {"cells": many, "sum": many})
