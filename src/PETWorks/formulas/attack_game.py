"""The game between a publisher and an attacker: the payoff of each if a row is published, and perhaps attacked."""

from __future__ import annotations

from fractions import Fraction
from math import lcm
from typing import NamedTuple

from PETWorks.counting.tally import IntArray, wide
from PETWorks.exact.scores import Ratios


class Game(NamedTuple):
    """Amounts per row: the attacker's cost and gain, the publisher's loss by an attack and benefit of publishing."""

    cost: Fraction
    gain: Fraction
    loss: Fraction
    benefit: Fraction

    def risk(self, size: int) -> Fraction | None:
        """Return the publisher's expected loss if an attacker chooses among `size` people; None if no attack pays."""
        return self.loss / size if self.gain >= self.cost * size else None

    def least_size(self, *, strict: bool) -> int:
        """Return the size of the smallest group that no attack pays for, or unless `strict` that is worth publishing.

        If there is no such group, return 1.
        """
        amounts = [(self.gain, self.cost)] if strict else [(self.gain, self.cost), (self.loss, self.benefit)]
        return min((int(much // each) + 1 for much, each in amounts if each), default=1)

    def payoffs(self, sizes: IntArray) -> tuple[Ratios, Ratios, Ratios]:
        """Return the publisher's payoffs and risks, and the attacker's payoffs, for groups of these sizes."""
        scale = lcm(*(amount.denominator for amount in self))
        cost, gain, loss, benefit = (int(amount * scale) for amount in self)
        sizes = wide(sizes, max(cost, gain, loss, benefit, scale) * (int(sizes.max(initial=0)) + 1))
        risk = loss * (gain >= cost * sizes).astype(sizes.dtype)
        below = scale * sizes
        return Ratios(benefit * sizes - risk, below), Ratios(risk, below), Ratios(gain - cost * sizes, below)
