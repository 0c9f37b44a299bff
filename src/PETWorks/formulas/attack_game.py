"""The game between a publisher and an attacker: what publishing a row, and attacking it, leaves to each of them."""

from __future__ import annotations

from fractions import Fraction
from math import lcm
from typing import NamedTuple

from PETWorks.counting.tally import IntArray, wide
from PETWorks.exact.scores import Ratios


class Game(NamedTuple):
    """Per row: what an attack costs and brings the attacker, and costs the publisher; what publishing brings."""

    cost: Fraction
    gain: Fraction
    loss: Fraction
    benefit: Fraction

    def risk(self, size: int) -> Fraction | None:
        """Return what the publisher risks where an attacker chooses among so many people; None if no attack pays."""
        return self.loss / size if self.gain >= self.cost * size else None

    def payoffs(self, sizes: IntArray) -> tuple[Ratios, Ratios, Ratios]:
        """Return the publisher's payoff and risk, and the attacker's payoff, by how many people may be chosen."""
        scale = lcm(*(amount.denominator for amount in self))
        cost, gain, loss, benefit = (int(amount * scale) for amount in self)
        sizes = wide(sizes, max(cost, gain, loss, benefit, scale) * (int(sizes.max(initial=0)) + 1))
        risk = loss * (gain >= cost * sizes).astype(sizes.dtype)
        below = scale * sizes
        return Ratios(benefit * sizes - risk, below), Ratios(risk, below), Ratios(gain - cost * sizes, below)
