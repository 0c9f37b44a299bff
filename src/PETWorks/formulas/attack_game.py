"""The game between a publisher and an attacker: the payoff of each if a row is published, and perhaps attacked."""

from __future__ import annotations

from fractions import Fraction
from math import lcm
from typing import NamedTuple

import numpy as np

from PETWorks.counting.tally import IntArray, Mask, wide
from PETWorks.exact.scores import Ratios, Scores
from PETWorks.facts.classes import Groups
from PETWorks.facts.facts import Facts
from PETWorks.formulas.leaves import all_leaves, classes_by_leaves, worth_less


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

    def worthless(self, sizes: IntArray) -> Mask:
        """Return the groups that are not worth publishing, even if no information is lost."""
        payoff, _, _ = self.payoffs(sizes)
        return np.asarray(payoff.numerator <= 0)


class Played(NamedTuple):
    """The game on the classes of a release."""

    game: Game
    classes: Groups
    sizes: IntArray  # by class, how many people an attacker chooses among
    leaves: IntArray | None  # by class, how many combinations of leaves a row stands for; None: no information is lost
    everything: int  # all combinations of leaves

    @classmethod
    def of(cls, game: Game, facts: Facts, *, journalist: bool, information_loss: bool) -> Played:
        """Play on a release; a journalist chooses among the population. With information loss, classes are split."""
        sizes = facts.population.sizes_of_release if journalist and len(facts.classes) else facts.classes.sizes
        if not information_loss:
            return cls(game, facts.classes, sizes, None, 1)
        parts, leaves = classes_by_leaves(facts)
        everything = all_leaves(facts)
        return cls(game, parts, sizes[parts.within], leaves if everything > 1 else None, everything)

    def payoffs(self) -> tuple[Scores, Ratios]:
        """Return the payoffs of the publisher, less what information loss takes, and those of the attacker."""
        payoff, risk, attack = self.game.payoffs(self.sizes)
        if self.leaves is None:
            return payoff, attack
        return worth_less(self.game.benefit, risk, self.leaves, self.everything), attack
