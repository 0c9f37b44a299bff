"""The game between a publisher and an attacker: the payoff of each if a row is published, and perhaps attacked.

Count the combinations of leaves that a released row stands for, and compute the information that this loses.

That number is the product, over the columns, of the number of leaves below the row's cell.

Explain how the payoffs of publisher and attacker are computed; `given` has the amounts as the caller wrote them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import reduce
from math import lcm, prod
from typing import Any, NamedTuple

import numpy as np

from PETWorks.exact.scores import LogQuotients, Ratios, Scores
from PETWorks.exact.sums import Bits
from PETWorks.facts.classes import Classes, ClassParts, Groups, PartsOfPeople
from PETWorks.facts.facts import Facts
from PETWorks.facts.people_classes import classes_of_people
from PETWorks.measure.steps import Step
from PETWorks.tables.counting.persons import Persons
from PETWorks.tables.counting.tally import IntArray, Mask, sums, wide


def all_leaves(facts: Facts) -> int:
    """Return the number of all possible combinations of leaves."""
    return prod(cells.all_leaves for cells in facts.cells)


def stands_for(facts: Facts) -> IntArray:
    """Return, for each entry of the joint tally, the number of combinations of leaves that it stands for."""
    largest = all_leaves(facts) * facts.joint.rows
    return reduce(np.multiply, [wide(cells.leaves, largest)[cells.of_entry] for cells in facts.cells])


def classes_by_leaves(facts: Facts) -> tuple[ClassParts, IntArray]:
    """Split classes into parts whose rows stand for equally many combinations of leaves; also return these numbers."""
    kept = ~facts.suppressed(facts.joint)
    published = facts.joint.where(kept)
    ids, classes = published.grouped(facts.roles.quasi_identifiers)
    leaves, ranks = np.unique(stands_for(facts)[kept], return_inverse=True)
    if facts.joint_persons is not None:
        persons = facts.joint_persons.where(kept)
        people = classes_of_people(published, persons, facts.roles.quasi_identifiers, facts.known)
        return _of_people(people, persons, leaves, ranks)
    keys, parts = np.unique(ids * max(len(leaves), 1) + ranks, return_inverse=True)
    within, rank = np.divmod(keys, max(len(leaves), 1))
    columns = {name: column.take(within) for name, column in classes.columns.items()}
    sizes = sums(parts, published.counts, len(keys))
    return ClassParts(sizes, columns, within, len(classes.counts)), leaves[rank]


def _of_people(whole: Classes, persons: Persons, leaves: IntArray, ranks: IntArray) -> tuple[ClassParts, IntArray]:
    """Split classes of people who have several rows; a person can be in several parts.

    The classes are those of the release, in the same order, but made of the pairs: these number people in another way.
    """
    of_part = whole.of_pairs(persons).astype(np.int64) * len(leaves) + ranks[persons.of_entry]
    keys, parts = np.unique(of_part, return_inverse=True)
    within, rank = np.divmod(keys, max(len(leaves), 1))
    members = Persons.regrouped(parts, persons.of_person, persons.rows, persons.people)
    sizes = np.bincount(members.of_entry, minlength=len(keys))
    return PartsOfPeople(sizes, {}, within, len(whole), whole, members=members), leaves[rank]


def information_loss(leaves: int, everything: int) -> float:
    """Return the share of a row's information that is lost: ln(leaves) / ln(everything).

    The row stands for `leaves` of `everything`, the number of all combinations of leaves.
    """
    return math.log(leaves) / math.log(everything)


def worth_less(benefit: Fraction, risk: Ratios, leaves: IntArray, everything: int) -> Scores:
    """Return, for each class, the benefit reduced by the share of information lost, minus the risk."""
    lost = np.array([information_loss(index, everything) for index in leaves.tolist()])

    def numerator(index: int) -> Bits:
        whole = Bits({everything: benefit - risk.exact(index)})
        return whole - Bits({int(leaves[index]): benefit})

    marks = [leaves, *risk.marks(np.arange(len(leaves)))]
    return LogQuotients(float(benefit) * (1 - lost) - risk.approximate, numerator, Bits({everything: 1}), marks)


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


LISTED = 5  # most class sizes for which an explanation shows the attack
Given = Mapping[str, Any]


def attacks(played: Played, given: Given) -> Iterator[Step]:
    """Yield the attacker's expected gain and the publisher's risk, for the smallest classes, the easiest to attack."""
    game, sizes = played.game, played.sizes
    for size in np.unique(sizes)[:LISTED].tolist():
        risk, people = game.risk(size), played.classes.people_in(sizes == size)
        figures = {"size": size, "expected": game.gain / size, "risk": risk or 0, "people": people}
        yield Step("attack_idle" if risk is None else "attack_pays", {**given, **figures})


def strict(game: Game, given: Given) -> Step:
    """Explain how many people an attacker must choose among so that no attack pays."""
    return Step("strict", {**given, "size": game.gain / game.cost}) if game.cost else Step("strict_free")


def attacked(played: Played, given: Given, index: int, score: Fraction | float) -> Iterator[Step]:
    """Explain the attacker's payoff in one class."""
    size = int(played.sizes[index])
    yield Step("attack", {"gain": given["gain"], "size": size, "cost": given["cost"], "score": score})


def published(played: Played, given: Given, index: int, score: Fraction | float) -> Iterator[Step]:
    """Explain the publisher's payoff in one class: what its rows are worth, and what they risk."""
    benefit = given["benefit"]
    if played.leaves is not None:
        step = worth(played.game, given, int(played.leaves[index]), played.everything)
        benefit = step.figures["worth"]
        yield step
    figures = {"benefit": benefit, "risk": played.game.risk(int(played.sizes[index])) or 0, "score": score}
    yield Step("payoff" if score > 0 else "no_payoff", figures)


def worth(game: Game, given: Given, leaves: int, everything: int) -> Step:
    """Explain the benefit of publishing rows that stand for `leaves` of all combinations of leaves (`everything`)."""
    lost = information_loss(leaves, everything)
    left = float(game.benefit) * (1 - lost)
    combinations = {"leaves": leaves, "everything": everything, "lost": lost}
    return Step("worth", combinations | {"benefit": given["benefit"], "worth": left})
