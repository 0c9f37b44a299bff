"""Sampling weights: how many people of the population each row stands for, added up over the classes of a release."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm

import numpy as np

from PETWorks.counting.persons import Persons
from PETWorks.counting.tally import IntArray, sums, wide
from PETWorks.errors import NotAskableError, PersonError, plural
from PETWorks.exact.decimal_text import numeral
from PETWorks.facts.classes import Groups
from PETWorks.facts.facts import Facts

POSITIVE = "no positive number, as weights must be"
MOST = 10**100  # a larger weight can only be a mistake; floats hold sums of smaller ones
TOO_LARGE = "more than 1e100, which no weight can be"  # this follows "1 value is" or "2 values are"
HINT = "write every weight as a plain number above 0, such as 152 or 45.5"


@dataclass(frozen=True, eq=False)
class Weighted:
    """The classes of a release, each with the people of the population that its rows stand for."""

    classes: Groups
    totals: IntArray  # sums of weights, in units of 1 ÷ scale
    scale: int
    below_one: int  # rows with a weight below 1
    units: int | None = None  # the weights of all people, where one may be in several classes; None: the sum of totals

    def people(self, index: int) -> Fraction:
        """Return the estimated people of the population in a class."""
        return Fraction(int(self.totals[index]), self.scale)

    @cached_property
    def all_people(self) -> Fraction:
        """The estimated people of the population in all classes."""
        return Fraction(int(self.totals.sum()) if self.units is None else self.units, self.scale)

    @property
    def sampled(self) -> Fraction:
        """The share of these people who were sampled: at most all of them, even by weights below 1."""
        return min(Fraction(self.classes.everybody) / self.all_people, Fraction(1)) if self.all_people else Fraction(1)


def weighted(facts: Facts) -> Weighted:
    """Add up the weights of each class, once for these facts; weights that are no positive numbers are an error."""
    return facts.once("weighted", lambda: _weighted(facts))


def _weighted(facts: Facts) -> Weighted:
    if (name := facts.weight) is None:
        raise NotAskableError("this measure needs sampling weights", hint="name their column in weight=")
    table, classes = facts.published, facts.known_classes
    column = table.columns[name]
    units, scale = _units(facts, name)
    weights = units[column.codes]
    if classes.members is not None:
        by_person = _by_person(facts, units)
        totals, below_one = _added_over_people(classes.members, by_person, len(classes)), weights < scale
        everybody = int(by_person[np.unique(classes.members.of_person)].sum())
        return Weighted(classes, totals, scale, int(table.counts[below_one].sum()), everybody)
    largest = int(table.counts.sum()) * int(units.max(initial=0))
    if largest < 2**53:  # exact in doubles
        totals = sums(classes.of_entry, weights * table.counts, len(classes))
    else:
        totals = np.zeros(len(classes), dtype=object)
        np.add.at(totals, classes.of_entry, wide(weights, largest) * wide(table.counts, largest))
    return Weighted(classes, totals, scale, int(table.counts[weights < scale].sum()))


def _by_person(facts: Facts, units: IntArray) -> IntArray:
    """Return the weight of each person, which must be the same in all their rows."""
    assert facts.persons is not None  # noqa: S101
    persons, codes = facts.persons, facts.released.columns[str(facts.weight)].codes
    given = units[codes[persons.of_entry]]
    stated = given > 0  # a suppressed row may have the marker for a weight
    of_person, given = persons.of_person[stated], given[stated]
    weights = np.zeros(persons.people, dtype=units.dtype)
    weights[of_person] = given
    if differing := len(np.unique(of_person[weights[of_person] != given])):
        problem = f"{plural(differing, 'person has', 'people have')} rows with different weights"
        where = f"{facts.name}, {facts.weight}"
        raise PersonError(problem, where=where, hint="give all rows of a person the same weight: that of the person")
    return weights


def _added_over_people(members: Persons, weights: IntArray, groups: int) -> IntArray:
    given = weights[members.of_person]
    if len(given) * int(weights.max(initial=0)) < 2**53:  # exact in doubles
        return sums(members.of_entry, given, groups)
    totals = np.zeros(groups, dtype=object)
    np.add.at(totals, members.of_entry, given.astype(object))
    return totals


def _units(facts: Facts, name: str) -> tuple[IntArray, int]:
    """Return the weights as whole numbers of a common unit, by code of the column, and how many units are 1.

    A suppressed row may have the marker for a weight.
    """
    column = facts.released.columns[name]
    published = np.zeros(len(column.values), dtype=bool)
    published[facts.published.columns[name].codes] = True
    needed = [value != facts.marker or here for value, here in zip(column.values, published.tolist(), strict=True)]
    numbers = [numeral(value) for value in column.values]
    persons, many = facts.persons, len(column.values)
    held_by = (
        sums(column.codes, facts.released.counts, many) if persons is None else persons.holders(column.codes, many)
    )
    told = zip(column.values, held_by.tolist(), numbers, needed, strict=True)
    given = [(value, held, one) for value, held, one, asked in told if asked]
    for wrong, what in (
        ({value: held for value, held, one in given if one is None or one <= 0}, POSITIVE),
        ({value: held for value, held, one in given if one is not None and one > MOST}, TOO_LARGE),
    ):
        if wrong:
            raise facts._tables.unknown("release", name, wrong, what, HINT)  # noqa: SLF001 (of this room)
    fractions = [Fraction(one or 0) for one in numbers]
    scale = lcm(*(one.denominator for one in fractions))
    units = [int(one * scale) for one in fractions]
    fits = max(units, default=0) < 2**63
    return np.array(units, dtype=np.int64 if fits else object), scale
