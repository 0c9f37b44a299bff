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
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from PETWorks.facts import Facts
from PETWorks.loss import Loss, Utility
from PETWorks.measure import Need, Words


@dataclass(frozen=True, kw_only=True)
class AECS(Utility):
    """Growth of the average equivalence class."""

    name: ClassVar[str] = "AECS"
    needs: ClassVar[frozenset[Need]] = frozenset({Need.ORIGINAL})
    words: ClassVar = {
        "en": Words(
            "AECS", "A class has {class_size} published rows on average; in the original it was {original_class_size}."
        ),
        "zh_TW": Words(
            "平均等價類大小", "每個等價類平均有 {class_size} 筆發布的資料列；原始資料表為 {original_class_size} 筆。"
        ),
    }

    def losses(self, facts: Facts) -> Iterator[Loss]:
        """Place the average class size between the original's and a single class."""
        rows, before = facts.before.rows, facts.classes_before
        least = Fraction(int(before.sum()), len(before)) if len(before) else Fraction(rows)
        if not len(facts.classes):
            yield Loss(Fraction(1), Fraction(1), figures={"class_size": None, "original_class_size": least})
            return
        size = Fraction(int(facts.classes.sizes.sum()), len(facts.classes))
        yield Loss(size - least, rows - least, figures={"class_size": size, "original_class_size": least})
