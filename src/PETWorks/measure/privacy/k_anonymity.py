"""k-anonymity: everybody must look like at least k - 1 others.

Definition
    Rows that agree on all quasi-identifiers form a class. Every class must have at least k rows.

Formula
    the size s of the smallest class; holds if s ≥ k

Example
    Two people share the year 198*, one stands alone.

    >>> from PETWorks import Release
    >>> result = Release({"year": ["197*", "198*", "198*"]}).ask(KAnonymity(k=2))
    >>> print(result.exact, result.holds, result.failing_classes, result.failing_rows)
    1 False 1 1

Reading
    The larger, the better hidden. It says nothing about what a class reveals: if all its rows have the same sensitive
    value, everybody in it is found out. Suppressed rows are not published and form no class.

Reference
    L. Sweeney, "k-Anonymity: A Model for Protecting Privacy", International Journal of Uncertainty, Fuzziness and
    Knowledge-Based Systems 10(5), 2002, doi:10.1142/S0218488502001648.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from PETWorks.measure.plugin import (
    Bound,
    Facts,
    Mask,
    Number,
    Page,
    Privacy,
    Ratios,
    Side,
    Step,
    Words,
    build_size_step,
    number,
)
from PETWorks.shown import THRESHOLD


class KAnonymity(Privacy):
    """Size of the smallest class, at least k."""

    k: Number | None = number(default=None, limit=Side.AT_LEAST, least=1, whole=True, kw_only=False)

    name: ClassVar[str] = "k-anonymity"
    against: ClassVar[str] = "identity"
    monotone: ClassVar[bool] = True
    by_sizes: ClassVar[bool] = True
    classwise: ClassVar[bool] = True
    scales: ClassVar[bool] = True
    examples: ClassVar = ({"k": 5},)
    people_parts: ClassVar = ("",)
    words: ClassVar = {
        "en": Words(
            "k-anonymity",
            "In every class, {value} or more rows share all quasi-identifiers.",
            "smallest class",
            {
                "untold": "people of a class may still all share one sensitive value; see l-diversity and t-closeness.",
                "improve": "generalise quasi-identifiers further, so that classes merge, or suppress the small ones.",
            },
            people="In every class, {value} or more people share all quasi-identifiers.",
        ),
        "zh_TW": Words(
            "k-匿名性",
            "每個等價類至少有 {value} 列，其準識別屬性完全相同。",
            "最小等價類",
            {
                "untold": "同一等價類的人仍可能具有相同的敏感值，請一併參考 l-多樣性與 t-相似性。",
                "improve": "進一步概化準識別屬性，使等價類合併；或遮蔽人數少的等價類。",
            },
            people="每個等價類至少有 {value} 人，其準識別屬性完全相同。",
            page=Page(
                summary="每個人都必須與至少 k - 1 個其他人看起來相同。",
                definition="準識別屬性完全相同的資料列構成一個等價類。每個等價類都必須至少有 k 列。",
                formula="最小等價類的大小 s；s ≥ k 即滿足",
                example="兩人同為 198*，另一人單獨一類。",
                reading="越大越好。它不說明等價類透露了什麼：若同一類的人敏感值全都相同，"
                "找到這一類就等於得知每個人的值。整列遮蔽的資料列未發布，不構成等價類。",
            ),
        ),
    }

    @property
    def requested_size(self) -> int | None:
        """The size k."""
        return self.round_limit_up("k")

    @property
    def requested_suppressed_people(self) -> int:
        """The size k; without a limit, the number of people from which a class may be described."""
        return self.requested_size or THRESHOLD

    def bounds(self, facts: Facts) -> Iterator[Bound]:
        """Yield the size of every class."""
        yield Bound(*self.limit_of("k"), Ratios(facts.classes.sizes), facts.classes, by_size=True)

    def find_least_suppression_by(self, bound: Bound, facts: Facts) -> Mask:  # noqa: ARG002
        """Return the classes that fail: parts of a class are no larger."""
        return bound.failing

    def explain_class(self, bound: Bound, index: int, facts: Facts, least: int) -> Iterator[Step]:  # noqa: ARG002
        """Yield the number of classes that are as small as the given class."""
        yield build_size_step(facts, index)
