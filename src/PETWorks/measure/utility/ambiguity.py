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
    >>> hierarchies = {"year": years, "sex": [("f", "*"), ("m", "*")]}
    >>> release = Release({"year": ["1977", "198*", "198*"], "sex": ["f", "m", "f"]}, hierarchies=hierarchies)
    >>> print(release.ask(Ambiguity()).exact)  # 1 - (5 - 3) / (3·6 - 3)
    13/15

Reading
    1: every row says exactly what it did. 0: nothing is left. With many columns, real releases use a small part of the
    scale only: their values are all close to 1, and suppressed rows weigh most.

Reference
    J. Goldberger, T. Tassa, "Efficient Anonymizations with Enhanced Utility", Transactions on Data Privacy 3(2), 2010;
    placed on a scale as in ARX.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import ClassVar

import numpy as np

from PETWorks.measure.formulas.attack_game import count_all_leaves, count_leaf_combinations
from PETWorks.measure.plugin import (
    CellFactors,
    Facts,
    LevelCodes,
    Loss,
    Name,
    Page,
    Result,
    Step,
    Utility,
    Words,
    build_scale_step,
)
from PETWorks.tables.counting.tally import sum_by_group

LISTED = 8  # the most columns, and the most kinds of rows, that an explanation lists one by one


class Ambiguity(Utility):
    """Number of original rows that a released row could stand for."""

    name: ClassVar[str] = "Ambiguity"
    of_levels: ClassVar[bool] = True
    pairs: ClassVar[bool] = True
    words: ClassVar = {
        "en": Words(
            "Ambiguity",
            "A released row stands for {combinations} of {possible_combinations} possible rows on average.",
            "certainty left",
            {
                "leaves": "A released cell stands for every leaf of its hierarchy below it, a row for every combination"
                " of these. In all there are {everything:combination|combinations}, by columns:",
                "column": "{column}: {leaves:leaf|leaves}",
                "stands": "Together the {rows:row|rows} stand for {sum:combination|combinations}; those that stand for"
                " most first:",
                "together": "Together the {rows:row|rows} stand for {sum:combination|combinations}.",
                "row": "{rows:row|rows} × {combinations} = {sum}",
                "other_rows": "other rows: {sum}",
                "scale": "The least is 1 for each row, {rows}; the most is {rows} × {everything} = {most}.",
                "untold": "with many columns nearly all of the scale lies far from anything a release could be, so"
                " values crowd near 1; and it does not see how often values occur.",
                "improve": "release columns with many leaves at a lower level, or suppress fewer rows: a suppressed row"
                " stands for everything.",
            },
        ),
        "zh_TW": Words(
            "模糊度",
            "每筆發布的資料列平均代表 {combinations} 種可能的原始資料列（共有 {possible_combinations} 種）。",
            "保留的確定程度",
            {
                "leaves": "發布的儲存格代表其下的所有葉節點，資料列代表其所有組合。"
                "組合共有 {everything} 種，各欄位為：",
                "column": "{column}：{leaves} 個葉節點",
                "stands": "{rows} 筆資料列合計代表 {sum} 種組合，由代表最多者起：",
                "together": "{rows} 筆資料列合計代表 {sum} 種組合。",
                "row": "{rows} 筆 × {combinations} = {sum}",
                "other_rows": "其他資料列：{sum}",
                "scale": "下限為每列 1 種，共 {rows}；上限為 {rows} × {everything} = {most}。",
                "untold": "欄位多時，上限遠大於任何實際的發布資料表，數值多集中於 1 附近；亦未考量各值出現的次數。",
                "improve": "降低葉節點多的欄位之概化層級，或減少遮蔽的資料列：整列遮蔽者代表所有組合。",
            },
            page=Page(
                summary="每筆發布的資料列，可能代表多少種原始資料列。",
                definition="一個發布的儲存格代表其在資料階層中之下的所有葉節點，"
                "一筆資料列代表其各儲存格葉節點的所有組合。模糊度將所有資料列的組合數加總，並置於「每列一種」（1）"
                "與「每列代表全部」（0）之間。整列遮蔽的資料列代表全部。",
                formula="1 - (Σ 組合數 - N) / (N·M - N)，組合數 = 各欄位儲存格之下葉節點數的乘積，"
                "M = 各欄位全部葉節點數的乘積",
                example="三個年份中有兩個發布為 198*，代表三個年份中的兩個。兩種性別照原樣發布。",
                reading="1：每列與原來一樣明確。0：未保留任何細節。欄位多時，刻度的絕大部分遠離任何可能的發布資料表，"
                "因此數值集中在 1 附近，且以整列遮蔽的影響最大。",
            ),
            reference='J. Goldberger, T. Tassa, "Efficient Anonymizations with Enhanced Utility", Transactions on'
            " Data Privacy 3(2), 2010；換算為 0 至 1 的方式同 ARX。",
        ),
    }

    def losses(self, facts: Facts) -> Iterator[Loss]:
        """Yield the loss: the sum of the combinations that rows stand for."""
        rows, everything = facts.joint.rows, count_all_leaves(facts)
        stood_for = int((count_leaf_combinations(facts) * facts.joint.counts).sum())
        figures = {"combinations": Fraction(stood_for, rows), "possible_combinations": everything}
        notes = tuple(note for cells in facts.cells for note in cells.notes)
        yield Loss(Fraction(stood_for - rows), Fraction(rows * everything - rows), notes=notes, figures=figures)

    def cell_factors(self, ladder: LevelCodes) -> CellFactors:
        """Return the leaves below each cell."""
        return CellFactors(ladder.leaves, ladder.all_leaves)

    def explain_losses(self, result: Result) -> Iterator[Step]:
        """Yield the possible combinations, those that rows stand for, and where their sum lies on the scale."""
        facts, everything = result.measured, count_all_leaves(result.measured)
        rows = facts.joint.rows
        columns = sorted(facts.cells, key=lambda cells: -cells.all_leaves)[:LISTED]
        lines = [Step("column", {"column": Name(cells.name), "leaves": cells.all_leaves}) for cells in columns]
        yield Step("leaves", {"everything": everything}, tuple(lines))
        combinations, ids = np.unique(count_leaf_combinations(facts), return_inverse=True)
        many = sum_by_group(ids, facts.joint.counts, len(combinations)).tolist()
        kinds = [(each * one, each, one) for each, one in zip(many, combinations.tolist(), strict=True)]
        kinds.sort(reverse=True)
        lines = [Step("row", {"rows": each, "combinations": one, "sum": both}) for both, each, one in kinds[:LISTED]]
        if rest := sum(both for both, _, _ in kinds[LISTED:]):
            lines.append(Step("other_rows", {"sum": rest}))
        total = sum(both for both, _, _ in kinds)
        told = result.disclosure.shows_counts or all(
            cells.of_one_size for cells in facts.cells
        )  # else it counts values
        yield Step("stands" if told else "together", {"rows": rows, "sum": total}, tuple(lines) if told else ())
        yield Step("scale", {"rows": rows, "everything": everything, "most": rows * everything})
        yield build_scale_step(total, rows, rows * everything)
