"""p-sensitive k-anonymity: classes of at least k rows, each with at least p different sensitive values.

Definition
    Every class must have at least k rows, and at least p different values of each sensitive attribute.

Formula
    the fewest different values m of any class, and the size s of the smallest class; holds if m ≥ p and s ≥ k

Example
    Three people share a class, and two of them the flu: two values, three rows.

    >>> from PETWorks import Release
    >>> table = {"year": ["197*"] * 3, "disease": ["flu", "flu", "cold"]}
    >>> release = Release(table, quasi_identifiers=["year"], sensitive=["disease"])
    >>> result = release.ask(PSensitiveKAnonymity(p=2, k=3))
    >>> print(result.exact, result.parts["k"].exact, result.holds)
    2 3 True
    >>> release.ask(PSensitiveKAnonymity(p=2, k=4)).holds
    False

Reading
    The larger both, the better hidden. It counts values, not how often they occur: nine of ten people may share one
    value. How alike values are in meaning, and how common they are in the whole table, plays no part.

Reference
    T. M. Truta, B. Vinay, "Privacy Protection: p-Sensitive k-Anonymity Property", ICDE Workshops 2006,
    doi:10.1109/ICDEW.2006.116.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from PETWorks.measure.formulas.diversity import count_diverse_values
from PETWorks.measure.plugin import (
    Bound,
    Facts,
    Mask,
    Name,
    Need,
    Number,
    Page,
    Privacy,
    Ratios,
    ResultPart,
    Side,
    Step,
    Words,
    build_diversity_step,
    build_size_step,
    build_value_steps,
    column,
    explain_counting,
    number,
)


class PSensitiveKAnonymity(Privacy):
    """Different sensitive values in the least varied class, at least p, in classes of at least k rows."""

    p: Number | None = number(default=None, limit=Side.AT_LEAST, least=1, whole=True)
    k: Number | None = number(default=None, limit=Side.AT_LEAST, least=1, whole=True)
    sensitive: str | None = column(default=None)

    name: ClassVar[str] = "p-sensitive k-anonymity"
    against: ClassVar[str] = "attribute"
    monotone: ClassVar[bool] = True
    classwise: ClassVar[bool] = True
    needs: ClassVar[frozenset[Need]] = frozenset({Need.SENSITIVE})
    examples: ClassVar = ({"p": 2, "k": 3},)
    fixed_parts: ClassVar = ("k",)
    people_parts: ClassVar = ("k",)
    words: ClassVar = {
        "en": Words(
            "p-sensitive k-anonymity",
            "In every class, {value} or more different values of {part} occur.",
            "fewest values in a class",
            {
                "values": "Each class is scored by how many different values of {part} occur in it.",
                "sizes": "Besides, each class is scored by its size.",
                "counted": "The people of this class by their value of {part}:",
                "distinct": "Different values: {score}.",
                "untold": "it counts values, not how often they occur: nearly all people of a class may share one.",
                "improve": "generalise quasi-identifiers further, so that classes merge and hold more values; or"
                " suppress the classes that are small or hold few values.",
            },
            parts={"k": "k"},
            parameters={"sensitive": "judge this sensitive attribute only; otherwise each"},
        ),
        "zh_TW": Words(
            "p-敏感 k-匿名性",
            "每個等價類中，「{part}」至少有 {value} 種相異值。",
            "等價類中最少的相異值",
            {
                "values": "每個等價類以其中 {part} 有幾種相異值計。",
                "sizes": "此外，每個等價類亦以其大小計。",
                "counted": "此等價類的人，依 {part} 的值計：",
                "distinct": "相異值：{score} 種。",
                "untold": "僅計有幾種值，不計各值出現的次數：同一等價類幾乎所有人仍可能具有相同的值。",
                "improve": "進一步概化準識別屬性，使等價類合併而含有更多種值；或遮蔽人數少或相異值少的等價類。",
            },
            parts={"k": "k"},
            parameters={"sensitive": "只判定此敏感屬性；否則逐一判定"},
            page=Page(
                summary="每個等價類至少 k 列，且至少有 p 種相異的敏感值。",
                definition="每個等價類至少 k 列；每個敏感屬性在其中至少有 p 種相異值。",
                formula="各等價類中最少的相異值種類數 m，與最小等價類的大小 s；m ≥ p 且 s ≥ k 即滿足",
                example="三人同屬一類，其中兩人得流感：兩種值，三列。",
                reading="兩者皆越大越好。僅計有幾種值，不計各值出現的次數：十人中可能有九人具有相同的值。"
                "值的意義是否相近、在整個資料表中是否常見，均不影響結果。",
            ),
        ),
    }

    @property
    def requested_size(self) -> int | None:
        """The size k."""
        return self.round_limit_up("k")

    def least_size(self) -> int:
        """Return k or p, whichever is larger: p values need p rows."""
        return max(self.round_limit_up("p") or 1, self.round_limit_up("k") or 1)

    def find_implied_size(self, name: str, part: ResultPart) -> int:  # noqa: ARG002
        """Return p for a sensitive attribute, else k."""
        return self.round_limit_up("p" if "part" in part.figures else "k") or 1

    def bounds(self, facts: Facts) -> Iterator[Bound]:
        """Yield the bounds on the number of different values in every class, and on the size of every class."""
        for spread in facts.spreads(self.sensitive):
            values = Ratios(count_diverse_values(spread))
            yield Bound(
                *self.limit_of("p"),
                values,
                spread.classes,
                part=spread.name,
                holders=spread.fewest_holders,
                figures={"part": Name(spread.name)},
            )
        yield Bound(
            *self.limit_of("k"), Ratios(facts.classes.sizes), facts.classes, part="k", leads=False, by_size=True
        )

    def find_least_suppression_by(self, bound: Bound, facts: Facts) -> Mask:  # noqa: ARG002
        """Return the classes that fail: parts of a class have no more rows or values."""
        return bound.failing

    def explain_scoring(self, bound: Bound, facts: Facts) -> Iterator[Step]:
        """Yield the step on the score of a class."""
        if bound.by_size:
            yield Step("sizes")
            return
        yield Step("values", {"part": Name(bound.part)})
        yield from explain_counting(facts)

    def explain_class(self, bound: Bound, index: int, facts: Facts, least: int) -> Iterator[Step]:
        """Yield the people of a class by value, for values that may be named; for the bound on k, the class size."""
        if bound.by_size:
            yield build_size_step(facts, index)
            return
        (spread,) = facts.spreads(bound.part)
        if spread.find_nameable(index, least):
            yield Step("counted", {"part": Name(spread.name)}, build_value_steps(spread, index, least))
        yield build_diversity_step(spread, index, bound.scores.best_known(index), "distinct")
