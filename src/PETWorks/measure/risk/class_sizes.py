"""Class sizes: how many classes there are of each size.

Definition
    The distribution of class sizes: from it follow k-anonymity, all risks of the prosecutor and every estimate of
    population uniqueness.

Formula
    average = unsuppressed rows ÷ classes; smallest, largest; the number of classes of each size

Example
    One person alone, two who share a class.

    >>> from PETWorks import Release
    >>> result = Release({"year": ["197*", "198*", "198*"]}).ask(ClassSizes())
    >>> print(result.exact, result.figures["histogram"])
    3/2 {1: 1, 2: 1}

Reading
    Many small classes: many people who stand nearly alone. The average hides them: look at the distribution.

Reference
    L. Sweeney, "k-Anonymity: A Model for Protecting Privacy", International Journal of Uncertainty, Fuzziness and
    Knowledge-Based Systems 10(5), 2002, doi:10.1142/S0218488502001648.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import ClassVar

from PETWorks.measure.plugin import Facts, Figure, Page, Result, Risk, Step, Words, build_grouping_step

LISTED = 12  # the most class sizes that an explanation lists one by one


class ClassSizes(Risk):
    """Distribution of class sizes."""

    name: ClassVar[str] = "class sizes"
    against: ClassVar[str] = "identity"
    scales: ClassVar[bool] = True
    fixed_parts: ClassVar = ("average", "smallest", "largest", "classes")
    people_parts: ClassVar = ("average", "smallest", "largest", "classes")
    words: ClassVar = {
        "en": Words(
            "class sizes",
            "{classes} classes have between {smallest} and {largest} rows, {value} on average.",
            "average class",
            {
                "sizes": "Classes by size, the smallest first:",
                "size": "{classes:class|classes} of {size:person|people}: {people:person|people}",
                "larger": "{classes:class|classes} of up to {largest:person|people}: {people:person|people}",
                "average": "On average: {rows:row|rows} ÷ {classes:class|classes} = {score:exact}.",
                "untold": "the average hides the small classes, in which people stand nearly alone.",
                "improve": "generalise quasi-identifiers further, so that classes merge, or suppress the small ones.",
            },
            parts={"average": "mean", "smallest": "smallest", "largest": "largest", "classes": "classes"},
            decided="{smallest} to {largest:person|people}",
            people="{classes} classes have between {smallest} and {largest} people, {value} on average.",
        ),
        "zh_TW": Words(
            "等價類大小",
            "共 {classes} 個等價類，大小介於 {smallest} 與 {largest} 之間，平均 {value}。",
            "平均大小",
            {
                "sizes": "各大小的等價類，由小至大：",
                "size": "{size} 人的等價類 {classes} 個，計 {people} 人",
                "larger": "至多 {largest} 人的等價類 {classes} 個，計 {people} 人",
                "average": "平均：{rows} 筆資料列 ÷ {classes} 個等價類 = {score:exact}。",
                "untold": "平均值看不出人數少的等價類，其中的人幾乎是獨自一人。",
                "improve": "進一步概化準識別屬性，使等價類合併；或遮蔽人數少的等價類。",
            },
            parts={"average": "平均", "smallest": "最小", "largest": "最大", "classes": "等價類數"},
            decided="{smallest} 至 {largest} 人",
            people="共 {classes} 個等價類，人數介於 {smallest} 與 {largest} 之間，平均 {value}。",
            page=Page(
                summary="各種大小的等價類各有多少個。",
                definition="等價類大小的分布：由此可得出 k-匿名性、檢察官攻擊模型的所有風險，"
                "以及母體唯一性的各種估計。",
                formula="平均 = 未整列遮蔽的列數 ÷ 等價類數；最小、最大；各種大小的等價類數",
                example="一人單獨一類，兩人同屬一類。",
                reading="小的等價類多，表示許多人幾乎獨自一類。平均值會掩蓋這一點：請看分布。",
            ),
        ),
    }

    def figures(self, facts: Facts) -> Iterator[Figure]:
        """Yield the average, smallest and largest size and the number of classes, with the histogram."""
        classes, histogram = facts.classes, facts.classes.histogram
        average = Fraction(classes.rows, len(classes)) if histogram else Fraction(0)
        yield Figure("average", average, side=None, figures={"histogram": histogram})
        yield Figure("smallest", Fraction(min(histogram, default=0)), side=None)
        yield Figure("largest", Fraction(max(histogram, default=0)), side=None)
        yield Figure("classes", Fraction(len(classes)), side=None)

    def explain_figures(self, result: Result) -> Iterator[Step]:
        """Yield the smallest sizes one by one, then the average."""
        facts, histogram = result.measured, result.measured.classes.histogram
        rows, classes = facts.classes.rows, len(facts.classes)
        yield build_grouping_step(facts)
        if not classes:
            yield Step("nothing_published")
            return
        few = dict(list(histogram.items())[:LISTED])
        lines = [Step("size", {"size": size, "classes": many, "people": size * many}) for size, many in few.items()]
        if more := classes - sum(few.values()):
            people = rows - sum(line.figures["people"] for line in lines)
            lines.append(Step("larger", {"classes": more, "largest": max(histogram), "people": people}))
        yield Step("sizes", {}, tuple(lines))
        yield Step("average", {"rows": rows, "classes": classes, "score": result.exact})
