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
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from PETWorks.facts import Facts
from PETWorks.figure import Figure, Risk
from PETWorks.limit import Number
from PETWorks.measure import Words
from PETWorks.parameter import number


@dataclass(frozen=True, kw_only=True)
class SampleUniqueness(Risk):
    """Share of released rows that are unique."""

    at_most: Number | None = number(least=0, most=1)

    name: ClassVar[str] = "sample uniqueness"
    scales: ClassVar[bool] = True
    examples: ClassVar = ({"at_most": "0.01"},)
    fixed_parts: ClassVar = ("unique",)
    words: ClassVar = {
        "en": Words("sample uniqueness", "{percent} of the published rows are like no other."),
        "zh_TW": Words("樣本唯一性", "發布的資料列中，有 {percent} 是獨一無二的。"),
    }

    def figures(self, facts: Facts) -> Iterator[Figure]:
        """Give the share of rows in classes of one."""
        rows = int(facts.classes.sizes.sum())
        yield Figure("unique", Fraction(facts.classes.histogram.get(1, 0), rows or 1), self.at_most)
