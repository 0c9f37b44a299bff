"""β-likeness: no class may make a sensitive value much more likely than the whole table does.

Definition
    Basic: the relative excess (q - p)/p of a value's share in a class over its share of the whole table is at most β.
    Enhanced: it is at most β and at most -ln p, so that frequent values may not exceed by much.

Formula
    largest (q - p)/p over classes and values with q > p, 0 if there are none; holds if ≤ β, enhanced ≤ min(β, -ln p)

Example
    In a class of two, the cold is twice as frequent as in the whole table: its excess is 1.

    >>> from PETWorks import Release
    >>> table = {"year": ["197*"] * 2 + ["198*"] * 2, "disease": ["flu", "cold", "flu", "flu"]}
    >>> release = Release(table, quasi_identifiers=["year"], sensitive=["disease"])
    >>> print(release.ask(BetaLikeness(beta=1)).exact, release.ask(BetaLikeness(beta=1)).holds)
    1 True
    >>> release.ask(BetaLikeness(beta=1, variant="enhanced")).holds  # flu: 1/3 is above -ln(3/4)
    False

Reading
    0: no class says more than the whole table. Values that become less likely are not looked at. For the enhanced form,
    a class that exceeds -ln p fails for every β; the value is then not defined, and such classes are named.

Reference
    J. Cao, P. Karras, "Publishing Microdata with a Robust Privacy Guarantee", PVLDB 5(11), 2012,
    doi:10.14778/2350229.2350255.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import ClassVar

import numpy as np

from PETWorks.bits import DIGITS
from PETWorks.bound import CLOSE, Bound, Privacy, Side
from PETWorks.classes import Spread
from PETWorks.facts import Facts
from PETWorks.limit import Number
from PETWorks.measure import Need, Words
from PETWorks.parameter import number, text, word
from PETWorks.scores import largest
from PETWorks.tally import IntArray, Mask


@dataclass(frozen=True, kw_only=True)
class BetaLikeness(Privacy):
    """Largest relative excess of a sensitive value in a class, at most β."""

    beta: Number | None = number(above=0)
    variant: str = word("basic", "enhanced")
    sensitive: str | None = text()

    name: ClassVar[str] = "β-likeness"
    needs: ClassVar[frozenset[Need]] = frozenset({Need.SENSITIVE})
    examples: ClassVar = ({"beta": 1}, {"beta": 1, "variant": "enhanced"})
    words: ClassVar = {
        "en": Words(
            "β-likeness",
            "In some class, a value of {part} exceeds its share of the whole by {value} times that share ({variant}).",
        ),
        "zh_TW": Words("β-相像性", "在某個等價類中，「{part}」某個值的占比較整體高出 {value} 倍（{variant}）。"),
    }

    def bounds(self, facts: Facts) -> Iterator[Bound]:
        """Give the largest excess in every class, for each sensitive attribute."""
        for spread in facts.spreads(self.sensitive):
            found, expected = spread.likelihoods()
            excess = np.maximum(found - expected, 0)
            hopeless = _beyond(spread, excess, expected) if self.variant == "enhanced" else None
            scores = largest(excess, expected, spread.starts)
            figures = {"part": spread.name, "variant": self.variant}
            yield Bound(Side.AT_MOST, self.beta, scores, spread.name, hopeless=hopeless, figures=figures)


def _beyond(spread: Spread, excess: IntArray, expected: IntArray) -> Mask:
    """Tell for each class whether the excess of one of its values is above -ln p."""
    shares = spread.overall / spread.rows
    margin = np.asarray(excess / expected, dtype=float) + np.log(shares)[spread.of_value]
    above = margin > 0
    for entry in np.flatnonzero(np.abs(margin) < CLOSE):
        share = Fraction(int(spread.overall[spread.of_value[entry]]), spread.rows)
        above[entry] = _above_log(Fraction(int(excess[entry]), int(expected[entry])), share)
    return np.logical_or.reduceat(above, spread.starts) if len(above) else above


def _above_log(excess: Fraction, share: Fraction) -> bool:
    """Tell whether a fraction is above -ln(share); they are equal only for a share of 1 and an excess of 0."""
    if share == 1:
        return excess > 0
    digits = DIGITS
    while True:
        with localcontext(prec=digits):
            log = Decimal(share.denominator).ln() - Decimal(share.numerator).ln()
            difference = Decimal(excess.numerator) / excess.denominator - log
            if abs(difference) > Decimal(10) ** (8 - digits):
                return difference > 0
        digits *= 2
