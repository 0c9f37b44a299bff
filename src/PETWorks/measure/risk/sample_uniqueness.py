"""Sample uniqueness: the share of released rows that are like no other.

Definition
    A row is unique if no other released row has the same quasi-identifiers.

Formula
    classes of one row ÷ unsuppressed rows

Example
    One of three people stands alone.

    >>> from PETWorks import Release
    >>> print(Release({"year": ["197*", "198*", "198*"]}).ask(SampleUniqueness()).exact)
    1/3

Reading
    0: nobody stands alone. Somebody who is unique in the release may still have doubles in the population: see
    population uniqueness.

Reference
    C. J. Skinner, M. J. Elliot, "A Measure of Disclosure Risk for Microdata", Journal of the Royal Statistical Society
    B 64(4), 2002, doi:10.1111/1467-9868.00365.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import ClassVar

from PETWorks.measure.formulas.smallest_classes import SmallestClasses
from PETWorks.measure.plugin import (
    Facts,
    Figure,
    Number,
    Page,
    Result,
    ResultPart,
    Risk,
    Side,
    Step,
    Words,
    build_grouping_step,
    number,
)


class SampleUniqueness(Risk):
    """Share of released rows that are unique."""

    at_most: Number | None = number(default=None, limit=Side.AT_MOST, least=0, most=1, kw_only=False)

    name: ClassVar[str] = "sample uniqueness"
    against: ClassVar[str] = "identity"
    scales: ClassVar[bool] = True
    examples: ClassVar = ({"at_most": "0.01"},)
    fixed_parts: ClassVar = ("unique",)
    words: ClassVar = {
        "en": Words(
            "sample uniqueness",
            "{percent} of the published rows are like no other.",
            "unique rows",
            {
                "unique": "Classes of one row: {unique}. Of {rows:published row|published rows} that is a share of"
                " {score}.",
                "unique_people": "People who are alone in a class: {unique}. Of {rows:person|people} that is a share of"
                " {score}.",
                "untold": "somebody who is unique in the release may still look like others of the population; see"
                " population uniqueness.",
                "improve": "generalise quasi-identifiers further, so that nobody stands alone, or suppress those who"
                " do.",
            },
            parts={"unique": "unique"},
            people="{percent} of the people are alone in one of their classes.",
        ),
        "zh_TW": Words(
            "樣本唯一性",
            "發布的資料列中，有 {percent} 是獨一無二的。",
            "獨一無二的資料列",
            {
                "unique": "大小為 1 的等價類有 {unique} 個，在 {rows} 筆發布的資料列中占 {score}。",
                "unique_people": "獨自構成某個等價類的有 {unique} 人，在 {rows} 人中占 {score}。",
                "untold": "在發布資料表中獨一無二的人，在母體中仍可能有相同的人，請一併參考母體唯一性。",
                "improve": "進一步概化準識別屬性，使無人獨自構成等價類；或遮蔽獨一無二的資料列。",
            },
            parts={"unique": "唯一性"},
            people="有 {percent} 的人獨自構成某個等價類。",
            page=Page(
                summary="發布資料表中，與其他資料列都不相同者的占比。",
                definition="若沒有其他發布的資料列具有相同的準識別屬性，該列即為獨一無二。",
                formula="只有一列的等價類數 ÷ 未整列遮蔽的列數",
                example="三人中有一人單獨一類。",
                reading="0：沒有人獨一無二。在發布資料表中獨一無二的人，在母體中仍可能有相同的人：請見母體唯一性。",
            ),
        ),
    }

    def find_implied_size(self, name: str, part: ResultPart) -> int:  # noqa: ARG002
        """Return 2: where classes have two people or more, nobody is unique."""
        return 2

    def figures(self, facts: Facts) -> Iterator[Figure]:
        """Yield the share of rows in classes of one."""
        smallest = SmallestClasses.of(facts, facts.classes.sizes)
        yield Figure("unique", Fraction(smallest.count_people_at(1), smallest.people or 1), self.at_most)

    def explain_figures(self, result: Result) -> Iterator[Step]:
        """Yield the number of classes of one, and their share of all rows."""
        facts = result.measured
        smallest = SmallestClasses.of(facts, facts.classes.sizes)
        yield build_grouping_step(facts)
        if rows := smallest.people:
            kind = "unique" if facts.people_summary is None else "unique_people"
            yield Step(kind, {"unique": smallest.count_people_at(1), "rows": rows, "score": result.exact})
        else:
            yield Step("nothing_published")
