"""AECS: how much larger classes have become, on average.

Definition
    The average equivalence class size is the number of published rows divided by the number of classes. It is placed on
    a scale from the original's average (1) to a single class that holds every row of the original (0).

Formula
    1 - (a - b) / (N - b), a = unsuppressed rows ÷ classes of the release, b = rows ÷ classes of the original, N = rows
    of the original

Example
    Three rows in two classes, where the original had three: a = 3/2, b = 1, N = 3.

    >>> from PETWorks import Release
    >>> original = {"age": [53, 65, 53], "sex": ["Male", "Female", "Female"]}
    >>> released = {"age": [53, 65, 53], "sex": ["*", "Female", "*"]}
    >>> result = Release(released, original=original).ask(AECS())
    >>> print(result.value, result.figures["class_size"], result.figures["original_class_size"])
    0.75 3/2 1

Reading
    1: classes are no larger than before. 0: all rows are alike. Suppressing rows can raise it, even above the original
    (it is then cut to 1), because the rows that stood alone are gone from the average. It does not look at what the
    values say, and has no meaning for a single column.

Reference
    K. LeFevre, D. DeWitt, R. Ramakrishnan, "Mondrian Multidimensional K-Anonymity", ICDE 2006,
    doi:10.1109/ICDE.2006.101; placed on a scale as in ARX.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import ClassVar

from PETWorks.measure.plugin import Facts, Loss, Need, Page, Result, Step, Utility, Words, build_scale_step


class AECS(Utility):
    """Growth of the average equivalence class."""

    name: ClassVar[str] = "AECS"
    needs: ClassVar[frozenset[Need]] = frozenset({Need.ORIGINAL})
    of_sizes: ClassVar[bool] = True
    words: ClassVar = {
        "en": Words(
            "AECS",
            "A class has {class_size} published rows on average; in the original it was {original_class_size}.",
            "classes kept small",
            {
                "per_class": "The release has {rows:published row|published rows} in {classes:class|classes}: {size}"
                " per class.",
                "per_class_original": "The original has {rows:row|rows} in {classes:class|classes}: {size} per class,"
                " the least on the scale. The most is one single class of {most}.",
                "nothing_left": "All rows are suppressed: there is no class, and nothing is left.",
                "untold": "suppressing rows can raise it, because those who stood alone leave the average; and it does"
                " not look at what the values say.",
                "improve": "generalise less, so that classes stay small.",
            },
        ),
        "zh_TW": Words(
            "平均等價類大小",
            "每個等價類平均有 {class_size} 筆發布的資料列；原始資料表為 {original_class_size} 筆。",
            "等價類未變大的程度",
            {
                "per_class": "發布資料表有 {rows} 筆發布的資料列、{classes} 個等價類，平均每類 {size} 筆。",
                "per_class_original": "原始資料表有 {rows} 筆資料列、{classes} 個等價類，平均每類 {size} 筆，為下限；"
                "上限為 {most} 筆全部同一類。",
                "nothing_left": "全部資料列皆遭整列遮蔽，沒有等價類，未保留任何資料。",
                "untold": "遮蔽資料列可能使數值上升，因為獨自一類者不再計入平均；亦未考量值的內容。",
                "improve": "降低概化層級，使等價類不致變大。",
            },
            page=Page(
                summary="等價類平均變大了多少。",
                definition="平均等價類大小為發布的列數除以等價類數。再將其置於一個刻度上："
                "與原始資料表的平均相同為 1，所有原始資料列同屬一個等價類為 0。",
                formula="1 - (a - b) / (N - b)，a = 發布資料表未整列遮蔽的列數 ÷ 等價類數，"
                "b = 原始資料表的列數 ÷ 等價類數，N = 原始資料表的列數",
                example="三列分為兩類，原始資料表則為三類：a = 3/2，b = 1，N = 3。",
                reading="1：等價類沒有變大。0：所有資料列都相同。遮蔽資料列可能使數值上升，"
                "甚至高於原始資料表（此時以 1 計），因為獨自一類的資料列不再列入平均。"
                "它不考量值的內容，也沒有單一欄位的數值。",
            ),
            reference='K. LeFevre, D. DeWitt, R. Ramakrishnan, "Mondrian Multidimensional K-Anonymity", ICDE 2006, '
            "doi:10.1109/ICDE.2006.101；換算為 0 至 1 的方式同 ARX。",
        ),
    }

    def losses(self, facts: Facts) -> Iterator[Loss]:
        """Yield one loss: how much the average class size grew, and how much it could grow."""
        before, rows = facts.classes_before, facts.rows_before
        least = Fraction(before.rows, len(before)) if len(before) else Fraction(rows)
        groups = self.find_groups(facts)
        if not len(groups):
            yield Loss(Fraction(1), Fraction(1), figures={"class_size": None, "original_class_size": least})
            return
        size = Fraction(groups.rows, len(groups))
        yield Loss(size - least, rows - least, figures={"class_size": size, "original_class_size": least})

    def explain_losses(self, result: Result) -> Iterator[Step]:
        """Yield both averages, and where the release's lies between the original's and a single class."""
        facts, most = result.measured, result.measured.rows_before
        before, size, least = facts.classes_before, result.figures["class_size"], result.figures["original_class_size"]
        if size is None:
            yield Step("nothing_left")
            return
        groups = self.find_groups(facts)
        yield Step("per_class", {"rows": groups.rows, "classes": len(groups), "size": size})
        figures = {"rows": before.rows or most, "classes": len(before) or 1, "size": least, "most": most}
        yield Step("per_class_original", figures)
        yield build_scale_step(size, least, most)
