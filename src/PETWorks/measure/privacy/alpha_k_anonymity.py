"""(α,k)-anonymity: classes of at least k rows, in which no sensitive value is too frequent.

Definition
    Every class must have at least k rows, and the most frequent value of a sensitive attribute may take at most the
    share α of a class.

Formula
    largest c/s over classes and values, c rows of the s in a class; holds if ≤ α and the smallest class has k rows

Example
    Two of the three people in a class have the flu.

    >>> from PETWorks import Release
    >>> table = {"year": ["197*", "197*", "197*"], "disease": ["flu", "flu", "cold"]}
    >>> release = Release(table, quasi_identifiers=["year"], sensitive=["disease"])
    >>> result = release.ask(AlphaKAnonymity(alpha="0.5", k=3))
    >>> print(result.exact, result.parts["disease"].holds, result.parts["k"].exact, result.parts["k"].holds)
    2/3 False 3 True

Reading
    α near 1: whoever finds the class learns the value almost surely. All values are protected alike; how rare a value
    is in the whole table plays no part.

Reference
    R. C.-W. Wong, J. Li, A. W.-C. Fu, K. Wang, "(α, k)-Anonymity: An Enhanced k-Anonymity Model for Privacy Preserving
    Data Publishing", KDD 2006, doi:10.1145/1150402.1150499.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import numpy as np

from PETWorks.measure.formulas.floors import count_fewest_rows
from PETWorks.measure.plugin import (
    Bound,
    Cell,
    Facts,
    FloatArray,
    Limit,
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
    build_size_step,
    cell_text,
    column,
    excess,
    find_largest,
    number,
)


class AlphaKAnonymity(Privacy):
    """Largest share of one sensitive value in a class, at most α; smallest class, at least k."""

    alpha: Number | None = number(default=None, limit=Side.AT_MOST, above=0, most=1)
    k: Number | None = number(default=None, limit=Side.AT_LEAST, least=1, whole=True)
    sensitive: str | None = column(default=None)

    name: ClassVar[str] = "(α,k)-anonymity"
    against: ClassVar[str] = "attribute"
    monotone: ClassVar[bool] = True
    classwise: ClassVar[bool] = True
    needs: ClassVar[frozenset[Need]] = frozenset({Need.SENSITIVE})
    examples: ClassVar = ({"alpha": "1/2", "k": 5},)
    fixed_parts: ClassVar = ("k",)
    people_parts: ClassVar = ("k",)
    words: ClassVar = {
        "en": Words(
            "(α,k)-anonymity",
            "In some class, one value of {part} takes {percent} of the rows.",
            "largest share",
            {
                "shares": "Each class is scored by the share of its people that its most frequent value of {part} has.",
                "sizes": "Besides, each class is scored by its size.",
                "most_frequent": "{value} is the most frequent value: {count} of {size:person|people}, a share of"
                " {score}.",
                "untold": "how rare a value is in the whole table plays no part, nor do the less frequent values.",
                "improve": "generalise quasi-identifiers further, so that classes merge and hold more values; or"
                " suppress the classes in which one value prevails.",
            },
            parts={"k": "k"},
            parameters={"sensitive": "judge this sensitive attribute only; otherwise each"},
            people="In some class, {percent} of the people have one and the same value of {part}.",
        ),
        "zh_TW": Words(
            "(α,k)-匿名性",
            "在某個等價類中，「{part}」的單一敏感值占 {percent}。",
            "最大占比",
            {
                "shares": "每個等價類以 {part} 最常見的值在該類的占比計。",
                "sizes": "此外，每個等價類亦以其大小計。",
                "most_frequent": "最常見的值為「{value}」：{size} 人中有 {count} 人，占 {score}。",
                "untold": "未考量該值在整體中是否罕見，亦未考量較不常見的值。",
                "improve": "進一步概化準識別屬性，使等價類合併而含有更多種值；或遮蔽單一值占比過高的等價類。",
            },
            parts={"k": "k"},
            parameters={"sensitive": "只判定此敏感屬性；否則逐一判定"},
            people="在某個等價類中，有 {percent} 的人具有「{part}」的同一個敏感值。",
            page=Page(
                summary="等價類至少 k 列，且其中沒有任何敏感值占比過高。",
                definition="每個等價類至少 k 列；敏感屬性中最常見的值，在一個等價類中的占比不得超過 α。",
                formula="各等價類、各值的最大 c/s，c 為該類 s 列中具有該值的列數；≤ α 且最小等價類至少 k 列即滿足",
                example="同一類的三人中，有兩人得流感。",
                reading="α 接近 1 時，找到這一類幾乎就等於得知該值。所有的值受到相同的保護；"
                "某個值在整個資料表中是否罕見，並不影響結果。",
            ),
        ),
    }

    @property
    def requested_size(self) -> int | None:
        """The size k."""
        return self.round_limit_up("k")

    def least_size(self) -> int:
        """Return k or 1/α, whichever is larger: some value of n rows has at least a share of 1/n."""
        return max(self.round_limit_up("k") or 1, count_fewest_rows(Limit.of(self.alpha or 1)))

    def find_implied_size(self, name: str, part: ResultPart) -> int:  # noqa: ARG002
        """Return 1/α for a sensitive attribute, else k."""
        is_share = "part" in part.figures
        return count_fewest_rows(Limit.of(self.alpha or 1)) if is_share else self.round_limit_up("k") or 1

    def bounds(self, facts: Facts) -> Iterator[Bound]:
        """Yield the bounds on the largest share in every class, and on the size of every class."""
        fewest = facts.classes.sizes
        for spread in facts.spreads(self.sensitive):
            shares = find_largest(spread.counts, spread.sizes[spread.of_class], spread.starts)
            holders, figures = spread.counts[shares.entries], {"part": Name(spread.name)}
            fewest = np.minimum(fewest, holders)
            yield Bound(
                *self.limit_of("alpha"), shares, spread.classes, part=spread.name, people=holders, figures=figures
            )
        sizes = Ratios(facts.classes.sizes)
        yield Bound(*self.limit_of("k"), sizes, facts.classes, part="k", leads=False, by_size=True, people=fewest)

    def find_least_suppression_by(self, bound: Bound, facts: Facts) -> FloatArray | Mask:
        """Return all of the classes that are too small; of others, the excess of the most frequent value over α."""
        if bound.by_size:
            return bound.failing
        alpha = float(Limit.of(self.alpha or 1))
        return np.maximum(super().find_least_suppression_by(bound, facts), excess(bound.scores.approximate, alpha))

    def explain_scoring(self, bound: Bound, facts: Facts) -> Iterator[Step]:  # noqa: ARG002
        """Yield the step on the score of a class."""
        yield Step("sizes") if bound.by_size else Step("shares", {"part": Name(bound.part)})

    def explain_class(self, bound: Bound, index: int, facts: Facts, least: int) -> Iterator[Step]:
        """Yield the most frequent value of a class, if enough people have it; for the bound on k, the class size."""
        if bound.by_size:
            yield build_size_step(facts, index)
            return
        (spread,) = facts.spreads(bound.part)
        score, size = bound.scores.best_known(index), int(spread.sizes[index])
        for value, count in spread.find_nameable(index, least)[:1]:
            figures = {"value": Cell(cell_text(spread.values[value])), "count": count, "size": size, "score": score}
            yield Step("most_frequent", figures)
            return
        yield Step("counts_withheld", {"least": least, "score": score})
