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
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from PETWorks.counting.tally import shown
from PETWorks.exact.limit import Number
from PETWorks.exact.scores import Ratios, largest
from PETWorks.explain import privacy as reasons
from PETWorks.explain.step import Cell, Name, Step
from PETWorks.facts.facts import Facts
from PETWorks.measure.base import Need, Words
from PETWorks.measure.parameter import number, text
from PETWorks.measure.privacy import Bound, Privacy, Side


@dataclass(frozen=True, kw_only=True)
class AlphaKAnonymity(Privacy):
    """Largest share of one sensitive value in a class, at most α; smallest class, at least k."""

    alpha: Number | None = number(above=0, most=1)
    k: Number | None = number(least=1)
    sensitive: str | None = text()

    name: ClassVar[str] = "(α,k)-anonymity"
    needs: ClassVar[frozenset[Need]] = frozenset({Need.SENSITIVE})
    examples: ClassVar = ({"alpha": "1/2", "k": 5},)
    fixed_parts: ClassVar = ("k",)
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
        ),
    }

    def bounds(self, facts: Facts) -> Iterator[Bound]:
        """Give the largest share in every class, and its size."""
        fewest = facts.classes.sizes
        for spread in facts.spreads(self.sensitive):
            shares = largest(spread.counts, spread.sizes[spread.of_class], spread.starts)
            holders, figures = spread.counts[shares.entries], {"part": spread.name}
            fewest = np.minimum(fewest, holders)
            yield Bound(Side.AT_MOST, self.alpha, shares, spread.name, people=holders, figures=figures)
        yield Bound(Side.AT_LEAST, self.k, Ratios(facts.classes.sizes), "k", by_size=True, people=fewest)

    def scoring(self, bound: Bound, facts: Facts) -> Iterator[Step]:  # noqa: ARG002
        """Say what a class is scored by."""
        yield Step("sizes") if bound.by_size else Step("shares", {"part": Name(bound.part)})

    def worked(self, bound: Bound, number: int, facts: Facts, least: int) -> Iterator[Step]:
        """Name the most frequent value of a class, if enough people hold it; or give the size of the class."""
        if bound.by_size:
            yield reasons.alike(facts, number)
            return
        (spread,) = facts.spreads(bound.part)
        score, size = bound.scores.told(number), int(spread.sizes[number])
        for value, count in spread.nameable(number, least)[:1]:
            figures = {"value": Cell(shown(spread.values[value])), "count": count, "size": size, "score": score}
            yield Step("most_frequent", figures)
            return
        yield Step("counts_withheld", {"least": least, "score": score})
