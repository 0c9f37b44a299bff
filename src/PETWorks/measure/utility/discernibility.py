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
from fractions import Fraction
from typing import ClassVar

from PETWorks.measure.plugin import (
    Facts,
    Groups,
    IntArray,
    Loss,
    Need,
    Page,
    Result,
    Step,
    Utility,
    Words,
    build_scale_step,
)

LISTED = 8  # the most class sizes that an explanation lists one by one


class Discernibility(Utility):
    """Number of rows that a row cannot be told apart from."""

    name: ClassVar[str] = "discernibility"
    needs: ClassVar[frozenset[Need]] = frozenset({Need.ORIGINAL})
    of_sizes: ClassVar[bool] = True
    words: ClassVar = {
        "en": Words(
            "discernibility",
            "On average {alike} rows share the values of a row, itself included; in the original {alike_before}.",
            "rows still told apart",
            {
                "charged": "Every row is charged the size of its class, a suppressed row that of the whole table. In"
                " the release that is {sum}, what costs most first:",
                "class": "{classes:class|classes} of {size}: {classes} × {size} × {size} = {sum}",
                "suppressed": "{suppressed:suppressed row|suppressed rows}: {suppressed} × {rows} = {sum}",
                "other_classes": "other classes: {sum}",
                "scale": "The least is what the original is charged, {before}; the most, if all rows were alike, is"
                " {rows} × {rows} = {most}.",
                "untold": "it does not look at what the values say; large classes count by the square of their size.",
                "improve": "generalise less, so that the largest classes split, or suppress fewer rows.",
            },
        ),
        "zh_TW": Words(
            "可辨識度",
            "每筆資料列平均與 {alike} 筆（含自身）相同；原始資料表為 {alike_before} 筆。",
            "仍可區分的程度",
            {
                "charged": "每筆資料列以其等價類大小計，整列遮蔽者以全表列數計。發布資料表合計 {sum}，由最多者起：",
                "class": "大小為 {size} 的等價類 {classes} 個：{classes} × {size} × {size} = {sum}",
                "suppressed": "整列遮蔽 {suppressed} 筆：{suppressed} × {rows} = {sum}",
                "other_classes": "其他等價類：{sum}",
                "scale": "下限為原始資料表的 {before}；上限為全部資料列皆相同時的 {rows} × {rows} = {most}。",
                "untold": "未考量值的內容；大的等價類以大小的平方計。",
                "improve": "降低概化層級，使最大的等價類分開；或減少遮蔽的資料列。",
            },
            page=Page(
                summary="每筆資料列變得與多少列相同。",
                definition="每列計其等價類的大小，整列遮蔽者計整個資料表的大小。"
                "總和置於「原始資料表的總和」（1）與「所有資料列都相同時的總和」（0）之間。",
                formula="1 - (x - y) / (N² - y)，x = 各等價類的 Σ s² + 整列遮蔽的列數 · N，y = 原始資料表的同一總和",
                example="四筆不同的資料列變為兩個各兩列的等價類：x = 8，y = 4，N² = 16。",
                reading="1：資料列仍可如原來一樣區分。0：全都相同或遭遮蔽。大的等價類以其大小的平方計。"
                "它不考量值的內容，也沒有單一欄位的數值。",
            ),
            reference='R. J. Bayardo, R. Agrawal, "Data Privacy through Optimal k-Anonymization", ICDE 2005, '
            "doi:10.1109/ICDE.2005.42；換算為 0 至 1 的方式同 ARX。",
        ),
    }

    def losses(self, facts: Facts) -> Iterator[Loss]:
        """Yield the loss: the sum of the squares of class sizes."""
        rows = facts.rows_before
        before = _sum_charges(facts.classes_before, rows - facts.classes_before.rows, rows)
        after = _sum_charges(self.find_groups(facts), facts.scope.suppressed, facts.scope.rows)
        figures = {"alike": Fraction(after, facts.scope.rows), "alike_before": Fraction(before, rows)}
        yield Loss(Fraction(after - before), Fraction(rows * rows - before), figures=figures)

    def row_losses(self, sizes: IntArray) -> IntArray:
        """Return the size of the class."""
        return sizes

    def explain_losses(self, result: Result) -> Iterator[Step]:
        """Yield the sum for the release, and where it lies between the original's and the largest possible."""
        facts, rows = result.measured, result.measured.rows_before
        suppressed, released = facts.scope.suppressed, facts.scope.rows
        lines = [
            Step("class", {"classes": many, "size": size, "sum": many * size * size})
            for size, many in self.find_groups(facts).histogram.items()
        ]
        if suppressed:
            lines.append(Step("suppressed", {"suppressed": suppressed, "rows": released, "sum": suppressed * released}))
        lines.sort(key=lambda line: -line.figures["sum"])
        if rest := sum(line.figures["sum"] for line in lines[LISTED:]):
            lines[LISTED:] = [Step("other_classes", {"sum": rest})]
        after, before = int(result.figures["alike"] * released), int(result.figures["alike_before"] * rows)
        yield Step("charged", {"sum": after}, tuple(lines))
        yield Step("scale", {"before": before, "rows": rows, "most": rows * rows})
        yield build_scale_step(after, before, rows * rows)


def _sum_charges(classes: Groups, suppressed: int, rows: int) -> int:
    """Return the sum over all rows: of the size of its class, or of the size of the table for a suppressed row."""
    return sum(many * size * size for size, many in classes.histogram.items()) + suppressed * rows
