"""The game between a publisher and an attacker: their payoffs if a row is published and may be attacked.

Information loss counts the combinations of leaves that a released row stands for: the product, over the columns, of the
number of leaves below the row's cell. The explanations state the amounts as the caller wrote them (`given`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from math import lcm, prod
from typing import Any, NamedTuple

import numpy as np

from PETWorks.exact.scores import LogQuotients, Ratios, Scores
from PETWorks.exact.sums import Bits
from PETWorks.facts.classes import Classes, ClassParts, Groups, PartsOfPeople
from PETWorks.facts.facts import Facts
from PETWorks.facts.people_classes import group_people
from PETWorks.measure.steps import Step
from PETWorks.tables.counting.persons import PersonPairs
from PETWorks.tables.counting.tally import IntArray, Mask, sum_by_group, widen


def count_all_leaves(facts: Facts) -> int:
    """Return the number of all possible combinations of leaves."""
    return prod(cells.all_leaves for cells in facts.cells)


def count_leaf_combinations(facts: Facts) -> IntArray:
    """Return, for each entry of the joint tally, the number of combinations of leaves that it stands for."""
    largest = count_all_leaves(facts) * facts.joint.rows
    return reduce(np.multiply, [widen(cells.leaves, largest)[cells.of_entry] for cells in facts.cells])


def split_classes_by_leaves(facts: Facts) -> tuple[ClassParts, IntArray]:
    """Split classes into parts whose rows stand for equally many combinations of leaves; also return these numbers."""
    kept = ~facts.find_suppressed(facts.joint)
    published = facts.joint.where(kept)
    ids, classes = published.group(facts.roles.quasi_identifiers)
    leaves, ranks = np.unique(count_leaf_combinations(facts)[kept], return_inverse=True)
    if facts.joint_persons is not None:
        persons = facts.joint_persons.where(kept)
        people = group_people(published, persons, facts.roles.quasi_identifiers, facts.known)
        return _split_classes_of_people(people, persons, leaves, ranks)
    keys, parts = np.unique(ids * max(len(leaves), 1) + ranks, return_inverse=True)
    within, rank = np.divmod(keys, max(len(leaves), 1))
    columns = {name: column.take(within) for name, column in classes.columns.items()}
    sizes = sum_by_group(parts, published.counts, len(keys))
    return ClassParts(sizes, columns, within, len(classes.counts)), leaves[rank]


def _split_classes_of_people(
    whole: Classes, persons: PersonPairs, leaves: IntArray, ranks: IntArray
) -> tuple[ClassParts, IntArray]:
    """Split classes of people who have several rows; a person can be in several parts.

    The classes are those of the release, in the same order, but made of the pairs, which number people differently.
    """
    of_part = whole.find_groups_of_pairs(persons).astype(np.int64) * len(leaves) + ranks[persons.of_entry]
    keys, parts = np.unique(of_part, return_inverse=True)
    within, rank = np.divmod(keys, max(len(leaves), 1))
    members = PersonPairs.from_pairs(parts, persons.of_person, persons.rows, persons.people)
    sizes = np.bincount(members.of_entry, minlength=len(keys))
    return PartsOfPeople(sizes, {}, within, len(whole), whole, members=members), leaves[rank]


def compute_information_loss(leaves: int, everything: int) -> float:
    """Return the share of a row's information that is lost: ln(leaves) / ln(everything).

    The row stands for `leaves` of `everything`, the number of all combinations of leaves.
    """
    return math.log(leaves) / math.log(everything)


@dataclass(frozen=True, eq=False)
class _ReducedBenefits:
    """For each class, the benefit reduced by the share of information lost, minus the risk; times ln(everything)."""

    benefit: Fraction
    risk: Ratios
    leaves: IntArray
    everything: int

    def bits(self, index: int) -> Bits:
        """Return the product of a class, as a sum of logarithms."""
        whole = Bits({self.everything: self.benefit - self.risk.exact(index)})
        return whole - Bits({int(self.leaves[index]): self.benefit})


def reduce_benefit(benefit: Fraction, risk: Ratios, leaves: IntArray, everything: int) -> Scores:
    """Return, for each class, the benefit reduced by the share of information lost, minus the risk."""
    lost = np.array([compute_information_loss(index, everything) for index in leaves.tolist()])
    reduced = _ReducedBenefits(benefit, risk, leaves, everything)
    marks = [leaves, *risk.marks(np.arange(len(leaves)))]
    return LogQuotients(float(benefit) * (1 - lost) - risk.approximate, reduced.bits, Bits({everything: 1}), marks)


class Game(NamedTuple):
    """Amounts for each row: the attacker's cost and gain, the publisher's loss by an attack and benefit."""

    cost: Fraction
    gain: Fraction
    loss: Fraction
    benefit: Fraction

    def risk(self, size: int) -> Fraction | None:
        """Return the publisher's expected loss if an attacker chooses among `size` people; None if no attack pays."""
        return self.loss / size if self.gain >= self.cost * size else None

    def least_size(self, *, strict: bool) -> int:
        """Return the size of the smallest group that no attack pays for; unless `strict`, or that is worth publishing.

        If there is no such group, return 1.
        """
        amounts = [(self.gain, self.cost)] if strict else [(self.gain, self.cost), (self.loss, self.benefit)]
        return min((int(much // each) + 1 for much, each in amounts if each), default=1)

    def payoffs(self, sizes: IntArray) -> tuple[Ratios, Ratios, Ratios]:
        """Return the publisher's payoffs and risks, and the attacker's payoffs, for groups of these sizes."""
        scale = lcm(*(amount.denominator for amount in self))
        cost, gain, loss, benefit = (int(amount * scale) for amount in self)
        sizes = widen(sizes, max(cost, gain, loss, benefit, scale) * (int(sizes.max(initial=0)) + 1))
        risk = loss * (gain >= cost * sizes).astype(sizes.dtype)
        below = scale * sizes
        return Ratios(benefit * sizes - risk, below), Ratios(risk, below), Ratios(gain - cost * sizes, below)

    def worthless(self, sizes: IntArray) -> Mask:
        """Return the groups that are not worth publishing, even if no information is lost."""
        payoff, _, _ = self.payoffs(sizes)
        return np.asarray(payoff.numerator <= 0)


class GameOnClasses(NamedTuple):
    """The game on the classes of a release."""

    game: Game
    classes: Groups
    sizes: IntArray  # by class, the number of people an attacker chooses among
    leaves: IntArray | None  # by class, the combinations of leaves of a row; None: no information is lost
    everything: int  # all combinations of leaves

    @classmethod
    def of(cls, game: Game, facts: Facts, *, journalist: bool, information_loss: bool) -> GameOnClasses:
        """Build the game on a release.

        A journalist chooses among the population. With information loss, classes are split.
        """
        sizes = facts.population.sizes_of_release if journalist and len(facts.classes) else facts.classes.sizes
        if not information_loss:
            return cls(game, facts.classes, sizes, None, 1)
        parts, leaves = split_classes_by_leaves(facts)
        everything = count_all_leaves(facts)
        return cls(game, parts, sizes[parts.within], leaves if everything > 1 else None, everything)

    def payoffs(self) -> tuple[Scores, Ratios]:
        """Return the payoffs of the publisher, reduced by information loss, and those of the attacker."""
        payoff, risk, attack = self.game.payoffs(self.sizes)
        if self.leaves is None:
            return payoff, attack
        return reduce_benefit(self.game.benefit, risk, self.leaves, self.everything), attack


MAX_LISTED_SIZES = 5  # the most class sizes whose attack an explanation shows
Given = Mapping[str, Any]


def explain_attacks(played: GameOnClasses, given: Given) -> Iterator[Step]:
    """Yield the attacker's expected gain and the publisher's risk for the smallest classes, the easiest to attack."""
    game, sizes = played.game, played.sizes
    for size in np.unique(sizes)[:MAX_LISTED_SIZES].tolist():
        risk, people = game.risk(size), played.classes.count_people_in(sizes == size)
        figures = {"size": size, "expected": game.gain / size, "risk": risk or 0, "people": people}
        yield Step("attack_idle" if risk is None else "attack_pays", {**given, **figures})


def explain_strict(game: Game, given: Given) -> Step:
    """Build the step on the number of people an attacker must choose among so that no attack pays."""
    return Step("strict", {**given, "size": game.gain / game.cost}) if game.cost else Step("strict_free")


def explain_attacker_payoff(played: GameOnClasses, given: Given, index: int, score: Fraction | float) -> Iterator[Step]:
    """Yield the step on the attacker's payoff in one class."""
    size = int(played.sizes[index])
    yield Step("attack", {"gain": given["gain"], "size": size, "cost": given["cost"], "score": score})


def explain_publisher_payoff(
    played: GameOnClasses, given: Given, index: int, score: Fraction | float
) -> Iterator[Step]:
    """Yield the steps on the publisher's payoff in one class: the worth of its rows, and their risk."""
    benefit = given["benefit"]
    if played.leaves is not None:
        step = explain_benefit(played.game, given, int(played.leaves[index]), played.everything)
        benefit = step.figures["worth"]
        yield step
    figures = {"benefit": benefit, "risk": played.game.risk(int(played.sizes[index])) or 0, "score": score}
    yield Step("payoff" if score > 0 else "no_payoff", figures)


def explain_benefit(game: Game, given: Given, leaves: int, everything: int) -> Step:
    """Build the step on the benefit of publishing rows that stand for `leaves` of all combinations (`everything`)."""
    lost = compute_information_loss(leaves, everything)
    left = float(game.benefit) * (1 - lost)
    combinations = {"leaves": leaves, "everything": everything, "lost": lost}
    return Step("worth", combinations | {"benefit": given["benefit"], "worth": left})
