"""Profitability: publishing each row must pay, even if somebody attacks it.

Definition
    Per row: an attack costs the adversary C and brings G if it succeeds; the publisher loses L by a success and gains B
    by publishing. In a class of s rows an attack succeeds with probability 1/s. The adversary attacks unless the
    expected gain is below the cost. The basic form asks that every row leaves the publisher more than nothing; the
    strict form (``allow_attack=False``) asks that, besides, no attack pays.

Formula
    payoff = B - L/s if G/s ≥ C, else B; basic: payoff > 0 for every row. Strict: also G/s < C for every row.

Example
    A person alone in a class and two who share one. An attack on the first is expected to bring 300, on the others 150.

    >>> from PETWorks import Release
    >>> release = Release({"year": ["197*", "198*", "198*"]})
    >>> amounts = dict(cost=4, gain=300, loss=300, benefit=1200)
    >>> result = release.ask(Profitability(**amounts))
    >>> result.holds, [(score.size, score.value) for score in result.worst]
    (True, [(1, 900.0), (2, 1050.0)])
    >>> [score.value + 4 for score in result.parts["adversary"].worst]  # the expected gains
    [300.0, 150.0]
    >>> release.ask(Profitability(**amounts, allow_attack=False)).holds
    False

Reading
    The value is the least payoff of any row; the adversary's largest payoff stands beside it. Rows are judged one by
    one, never as a sum. The verdict is only as good as the four amounts. Suppressed rows are not published, so they are
    not judged.

Reference
    Z. Wan et al., "A Game Theoretic Framework for Analyzing Re-Identification Risk", PLOS ONE 10(3), 2015,
    doi:10.1371/journal.pone.0120592. F. Prasser et al., "An Open Source Tool for Game Theoretic Health Data
    De-Identification", AMIA Annual Symposium 2017. (Where the expected gain equals the cost, these say that nobody
    attacks; here somebody does.)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import lcm
from typing import ClassVar

from PETWorks.bound import Bound, Side, wide
from PETWorks.facts import Facts
from PETWorks.limit import Limit, Number
from PETWorks.measure import Privacy, Words
from PETWorks.parameter import amount, flag


@dataclass(frozen=True, kw_only=True)
class Profitability(Privacy):
    """What publishing a row leaves to the publisher, more than nothing."""

    cost: Number = amount()
    gain: Number = amount()
    loss: Number = amount()
    benefit: Number = amount()
    allow_attack: bool = flag(default=True)

    name: ClassVar[str] = "profitability"
    scales: ClassVar[bool] = True
    words: ClassVar = {
        "en": Words(
            "profitability",
            "Each published row leaves the publisher at least {value}; the best attack brings {adversary}.",
        ),
        "zh_TW": Words("獲利力", "每筆發布的資料列至少為發布者留下 {value}；對攻擊者最有利的攻擊可得 {adversary}。"),
    }

    def bounds(self, facts: Facts) -> Iterator[Bound]:
        """Give the payoff of the publisher, and that of the adversary, in every class."""
        amounts = [Limit.of(given).exact for given in (self.cost, self.gain, self.loss, self.benefit)]
        scale = lcm(*(one.denominator for one in amounts))
        cost, gain, loss, benefit = (int(one * scale) for one in amounts)
        sizes = facts.classes.sizes
        sizes = wide(sizes, max(cost, gain, loss, benefit, scale) * (int(sizes.max(initial=0)) + 1))
        attacked = gain >= cost * sizes
        publisher, adversary = benefit * sizes - loss * attacked, gain - cost * sizes
        best = Bound(Side.LESS_THAN, None if self.allow_attack else 0, adversary, scale * sizes, "adversary")
        yield Bound(Side.MORE_THAN, 0, publisher, scale * sizes, "publisher", figures={"adversary": best.worst()})
        yield best
