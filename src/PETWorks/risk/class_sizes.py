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
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from PETWorks.facts import Facts
from PETWorks.figure import Figure, Risk
from PETWorks.measure import Words


@dataclass(frozen=True, kw_only=True)
class ClassSizes(Risk):
    """Distribution of class sizes."""

    name: ClassVar[str] = "class sizes"
    scales: ClassVar[bool] = True
    fixed_parts: ClassVar = ("average", "smallest", "largest", "classes")
    words: ClassVar = {
        "en": Words("class sizes", "{classes} classes have between {smallest} and {largest} rows, {value} on average."),
        "zh_TW": Words("等價類大小", "共 {classes} 個等價類，大小介於 {smallest} 與 {largest} 之間，平均 {value}。"),
    }

    def figures(self, facts: Facts) -> Iterator[Figure]:
        """Give average, smallest, largest and number; the histogram stands beside them."""
        sizes = facts.classes.sizes
        histogram = facts.classes.histogram
        average = Fraction(int(sizes.sum()), len(sizes)) if len(sizes) else Fraction(0)
        yield Figure("average", average, side=None, figures={"histogram": histogram})
        yield Figure("smallest", Fraction(min(histogram, default=0)), side=None)
        yield Figure("largest", Fraction(max(histogram, default=0)), side=None)
        yield Figure("classes", Fraction(len(sizes)), side=None)
