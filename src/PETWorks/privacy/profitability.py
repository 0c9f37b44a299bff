"""Profitability: publishing each row must pay, even if somebody attacks it.

Definition
    Per row: an attack costs the adversary C and brings G if it succeeds; the publisher loses L by a success and gains B
    by publishing. In a class of s rows an attack succeeds with probability 1/s. The adversary attacks unless the
    expected gain is below the cost. The basic form asks that every row leaves the publisher more than nothing; the
    strict form (``allow_attack=False``) asks that, besides, no attack pays. An adversary who does not know who is in
    the release (``attacker="journalist"``) has to choose among the people F of a population instead. With
    ``information_loss=True`` a row is worth less to the publisher the more it was generalised.

Formula
    payoff = B - L/s if G/s ≥ C, else B; basic: payoff > 0 for every row. Strict: also G/s < C for every row.
    With information loss B·(1 - IL) in place of B, IL = Σ ln(leaves below the cell) / Σ ln(leaves of the column).

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

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import ClassVar

import numpy as np

from PETWorks.bits import Bits
from PETWorks.bound import Bound, Privacy, Side
from PETWorks.facts import Facts
from PETWorks.leaves import all_leaves, classes_by_leaves
from PETWorks.limit import Limit, Number
from PETWorks.measure import Words
from PETWorks.parameter import amount, flag, word
from PETWorks.scores import LogQuotients, Ratios, Scores
from PETWorks.tally import IntArray, wide


@dataclass(frozen=True, kw_only=True)
class Profitability(Privacy):
    """What publishing a row leaves to the publisher, more than nothing."""

    cost: Number = amount()
    gain: Number = amount()
    loss: Number = amount()
    benefit: Number = amount()
    allow_attack: bool = flag(default=True)
    attacker: str = word("prosecutor", "journalist")
    information_loss: bool = flag(default=False)

    name: ClassVar[str] = "profitability"
    scales: ClassVar[bool] = True
    examples: ClassVar = (
        {"cost": 4, "gain": 300, "loss": 300, "benefit": 1200},
        {"cost": 4, "gain": 300, "loss": 300, "benefit": 1200, "allow_attack": False, "information_loss": True},
    )
    fixed_parts: ClassVar = ("publisher", "adversary")
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
        crowd = self.attacker == "journalist" and len(facts.classes) > 0
        sizes = facts.crowd.sizes if crowd else facts.classes.sizes
        classes, leaves = classes_by_leaves(facts) if self.information_loss else (facts.classes, None)
        if classes.within is not None:
            sizes = sizes[classes.within]
        sizes = wide(sizes, max(cost, gain, loss, benefit, scale) * (int(sizes.max(initial=0)) + 1))
        risk = loss * (gain >= cost * sizes).astype(sizes.dtype)
        payoff: Scores = Ratios(benefit * sizes - risk, scale * sizes)
        if leaves is not None and all_leaves(facts) > 1:
            payoff = _payoffs(amounts[3], Ratios(risk, scale * sizes), leaves, all_leaves(facts))
        attack = Ratios(gain - cost * sizes, scale * sizes)
        bound = Bound(Side.LESS_THAN, None if self.allow_attack else 0, attack, "adversary", classes)
        best = bound.worst()
        figures = {"adversary": None if best is None else attack.exact(best)}
        yield Bound(Side.MORE_THAN, 0, payoff, "publisher", classes, figures=figures)
        yield bound


def _payoffs(benefit: Fraction, risk: Ratios, leaves: IntArray, everything: int) -> Scores:
    """Give B·(1 - IL) - risk, IL = ln(leaves that a row stands for) / ln(all there are)."""
    lost = np.array([math.log(number) for number in leaves.tolist()]) / math.log(everything)

    def numerator(number: int) -> Bits:
        whole = Bits({everything: benefit - risk.exact(number)})
        return whole - Bits({int(leaves[number]): benefit})

    marks = [leaves, *risk.marks(np.arange(len(leaves)))]
    return LogQuotients(float(benefit) * (1 - lost) - risk.approximate, numerator, Bits({everything: 1}), marks)
