"""δ-disclosure privacy: no class may make a sensitive value much more, or much less, likely than the whole table does.

Definition
    For every value that occurs in a class, its share there may differ from its share of the whole table by less than
    the factor 2^δ, up or down.

Formula
    largest |log2(q/p)| over classes and their values; holds if < δ

Example
    In a class of two, the flu is twice as frequent as in the whole table: |log2(1/2 ÷ 1/4)| = 1.

    >>> from PETWorks import Release
    >>> table = {"year": ["197*"] * 2 + ["198*"] * 2, "disease": ["flu", "cold", "ulcer", "ulcer"]}
    >>> release = Release(table, quasi_identifiers=["year"], sensitive=["disease"])
    >>> result = release.ask(DeltaDisclosure(delta=1))
    >>> print(result.exact, result.holds)
    1 False

Reading
    0: every class looks like the whole table. Values that do not occur in a class are skipped, though their absence
    tells something too; ``absent="count"`` makes such classes fail for every δ.

Reference
    J. Brickell, V. Shmatikov, "The Cost of Privacy: Destruction of Data-Mining Utility in Anonymized Data Publishing",
    KDD 2008, doi:10.1145/1401890.1401904.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from PETWorks.bits import Bits
from PETWorks.bound import Bound, Privacy, Side
from PETWorks.classes import Spread
from PETWorks.facts import Facts
from PETWorks.limit import Number
from PETWorks.measure import Need, Words
from PETWorks.parameter import number, text, word
from PETWorks.scores import Logarithms, largest


@dataclass(frozen=True, kw_only=True)
class DeltaDisclosure(Privacy):
    """Largest |log2(q/p)| of a sensitive value in a class, less than δ."""

    delta: Number | None = number(above=0)
    absent: str = word("skip", "count")
    sensitive: str | None = text()

    name: ClassVar[str] = "δ-disclosure"
    needs: ClassVar[frozenset[Need]] = frozenset({Need.SENSITIVE})
    examples: ClassVar = ({"delta": 1}, {"delta": 1, "absent": "count"})
    words: ClassVar = {
        "en": Words(
            "δ-disclosure",
            "In some class, a value of {part} is more or less frequent than overall by a factor of 2^{value}.",
        ),
        "zh_TW": Words("δ-揭露", "在某個等價類中，「{part}」某個值的占比與整體相差達 2 的 {value} 次方倍。"),
    }

    def bounds(self, facts: Facts) -> Iterator[Bound]:
        """Give the largest change of frequency in every class, for each sensitive attribute."""
        for spread in facts.spreads(self.sensitive):
            values = np.bincount(spread.of_class, minlength=len(spread.classes))
            hopeless = values < len(spread.values) if self.absent == "count" else None
            scores = _changes(spread)
            yield Bound(
                Side.LESS_THAN, self.delta, scores, spread.name, hopeless=hopeless, figures={"part": spread.name}
            )


def _changes(spread: Spread) -> Logarithms:
    """Give the largest |log2(q/p)| of the values in each class."""
    inside, outside = spread.likelihoods()
    factors = largest(np.maximum(inside, outside), np.minimum(inside, outside), spread.starts)
    marks = factors.marks(np.arange(len(spread.classes)))
    return Logarithms(np.log2(factors.approximate), lambda number: Bits.log(factors.exact(number)), marks)
