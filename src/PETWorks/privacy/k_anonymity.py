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
from dataclasses import dataclass
from typing import ClassVar

from PETWorks.exact.limit import Number
from PETWorks.exact.scores import Ratios
from PETWorks.explain import privacy as reasons
from PETWorks.explain.step import Step
from PETWorks.facts.facts import Facts
from PETWorks.measure.base import Words
from PETWorks.measure.parameter import number
from PETWorks.measure.privacy import Bound, Privacy, Side


@dataclass(frozen=True, kw_only=True)
class KAnonymity(Privacy):
    """Size of the smallest class, at least k."""

    k: Number | None = number(least=1)

    name: ClassVar[str] = "k-anonymity"
    scales: ClassVar[bool] = True
    examples: ClassVar = ({"k": 5},)
    words: ClassVar = {
        "en": Words(
            "k-anonymity",
            "In every class, {value} or more rows share all quasi-identifiers.",
            "smallest class",
            {
                "untold": "people of a class may still all share one sensitive value; see l-diversity and t-closeness.",
                "improve": "generalise quasi-identifiers further, so that classes merge, or suppress the small ones.",
            },
        ),
        "zh_TW": Words(
            "k-匿名性",
            "每個等價類至少有 {value} 列，其準識別屬性完全相同。",
            "最小等價類",
            {
                "untold": "同一等價類的人仍可能具有相同的敏感值，請一併參考 l-多樣性與 t-相似性。",
                "improve": "進一步概化準識別屬性，使等價類合併；或遮蔽人數少的等價類。",
            },
        ),
    }

    def bounds(self, facts: Facts) -> Iterator[Bound]:
        """Give the size of every class."""
        yield Bound(Side.AT_LEAST, self.k, Ratios(facts.classes.sizes), by_size=True)

    def worked(self, bound: Bound, number: int, facts: Facts, least: int) -> Iterator[Step]:  # noqa: ARG002
        """Count the classes that are as small."""
        yield reasons.alike(facts, number)
