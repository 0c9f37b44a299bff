"""Nearest linkage: how many original rows of numbers are nearest to the row that was released from them.

Definition
    An intruder knows original numbers and looks for the nearest released row; the owner knows which one is right. Of
    several rows that are equally near, each is taken with the same chance.

Formula
    mean over rows of 1/g if the right row is among the g nearest, else 0; distance Σ (x - y)²/σ²

Example
    Little noise, and each row is still nearest to its own.

    >>> from PETWorks import Release
    >>> people = {"age": ["20", "30", "70"]}
    >>> release = Release({"age": ["21", "33", "68"]}, original=people, pairing="position")
    >>> print(release.ask(NearestLinkage()).exact)
    1

Reading
    1/n: as if rows were dealt out; 1: everybody is found. It grows with the square of the rows.

Reference
    D. Pagliuca, G. Seri, "Some Results of Individual Ranking Method on the System of Enterprise Accounts", 1999;
    J. M. Mateo-Sanz, J. Domingo-Ferrer, F. Sebé, Data Mining and Knowledge Discovery 11(2), 2005.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import ClassVar

from PETWorks.measure.formulas.perturbed_numbers import count_nearest, find_number_columns, read_number_pairs
from PETWorks.measure.plugin import (
    THRESHOLD,
    Facts,
    Figure,
    Figures,
    Name,
    Need,
    Number,
    Page,
    ReleasedRows,
    Result,
    Side,
    Step,
    Words,
    columns,
    number,
)


class NearestLinkage(Figures):
    """Share of original rows of numbers whose nearest released row is their own."""

    columns: Sequence[str] | None = columns(default=None)
    max_share: Number | None = number(default=None, limit=Side.AT_MOST, least=0, most=1)

    name: ClassVar[str] = "nearest linkage"
    family: ClassVar[str] = "risk"
    against: ClassVar[str] = "identity"
    needs: ClassVar[frozenset[Need]] = frozenset({Need.ORIGINAL})
    rows: ClassVar[ReleasedRows] = ReleasedRows.RECODED
    for_unpaired: ClassVar[bool] = True
    scales: ClassVar[bool] = True
    pairs: ClassVar[bool] = True
    examples: ClassVar = ({"columns": ["salary"], "max_share": "0.9"},)
    fixed_parts: ClassVar = ("share",)
    words: ClassVar = {
        "en": Words(
            "nearest linkage",
            "{percent} of the original rows are nearest to their own released row.",
            "rows linked",
            {
                "share": "By {columns}, {alone} of {rows:row|rows} are nearest to their own row alone; with rows that"
                " are"
                " equally near sharing, {score} are linked. Dealt out at random it would be {chance}.",
                "untold": "an intruder who knows other columns, or how noise was added, may link more.",
                "improve": "add more noise, or noise to columns that stand out.",
            },
            parts={"share": "linked"},
            parameters={
                "columns": "the columns of numbers; otherwise all quasi-identifiers that have numbers only",
                "max_share": "the largest share of rows that are linked",
            },
        ),
        "zh_TW": Words(
            "最近連結",
            "有 {percent} 的原始資料列，與自己的發布資料列最近。",
            "連結的列",
            {
                "share": "依 {columns}，{rows} 列中有 {alone} 列只與自己的發布資料列最近；"
                "距離相同者均分，連結的比例為 {score}。隨機發給則為 {chance}。",
                "untold": "知道其他欄位，或知道如何加入雜訊的人，可能連結更多。",
                "improve": "加入更多雜訊，或對突出的欄位加入雜訊。",
            },
            parts={"share": "連結的比例"},
            parameters={
                "columns": "數值欄位；否則為只有數字的所有準識別屬性",
                "max_share": "連結比例的上限",
            },
            page=Page(
                summary="有多少原始數值列，與由它發布的列最近。",
                definition="攻擊者知道原始數值，尋找最近的發布資料列；擁有者知道哪一列才是正確的。"
                "若數列距離相同，各以相同機會取得。",
                formula="各列平均：正確的列在最近的 g 列之中則為 1/g，否則為 0；距離為 Σ (x - y)²/σ²",
                example="雜訊很小，每列仍與自己的列最近。",
                reading="1/n：如同隨機發給；1：每個人都被找到。計算量隨列數的平方增加。",
            ),
        ),
    }

    def estimate_effort(self, facts: Facts) -> int:
        """Return the effort, which is quadratic."""
        return facts.scope.rows**2

    def figures(self, facts: Facts) -> Iterator[Figure]:
        """Yield the share of rows that are linked."""
        pairs = read_number_pairs(facts, self.columns or find_number_columns(facts))
        rows = int(pairs[0].counts.sum())
        total, alone = count_nearest(pairs)
        told = {"columns": [Name(one.name) for one in pairs], "rows": rows, "alone": alone, "chance": Fraction(1, rows)}
        yield Figure("share", total / rows, self.max_share, figures=told)

    def tells_of_few(self, result: Result) -> bool:
        """Return True if fewer than five rows are linked, or not."""
        rows = result.figures.get("rows", 0)
        linked = (result.exact or 0) * rows
        return bool(min(linked, rows - linked) < THRESHOLD)

    def explain_figures(self, result: Result) -> Iterator[Step]:
        """Yield how many rows are linked."""
        yield Step("share", {**result.figures, "score": result.exact})
