"""Count the combinations of leaves that a released row stands for, and compute the information that this loses.

That number is the product, over the columns, of the number of leaves below the row's cell.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import reduce
from math import prod

import numpy as np

from PETWorks.counting.persons import Persons
from PETWorks.counting.tally import IntArray, sums, wide
from PETWorks.exact.log_sum import Bits
from PETWorks.exact.scores import LogQuotients, Ratios, Scores
from PETWorks.facts.classes import Classes, ClassParts, PartsOfPeople
from PETWorks.facts.facts import Facts
from PETWorks.facts.of_people import classes_of_people


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
