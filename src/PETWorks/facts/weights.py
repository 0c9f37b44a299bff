"""Sampling weights: how many people of the population each row stands for, added up over the classes of a release."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm

import numpy as np

from PETWorks.counting.size_histogram import Grouping
from PETWorks.counting.tally import IntArray, Tally, sums, wide
from PETWorks.errors import NotAskableError
from PETWorks.exact.decimal_text import numeral
from PETWorks.facts.classes import Groups
from PETWorks.facts.facts import Facts

POSITIVE = "no positive number, as weights must be"
NO_HOUSEHOLD = "give every row a household; somebody who lives alone is one"
HINT = "write every weight as a plain number above 0, such as 152 or 45.5"


@dataclass(frozen=True, eq=False)
class Weighted:
    """The classes of a release, each with the people of the population that its rows stand for."""

    classes: Groups
    totals: IntArray  # sums of weights, in units of 1 ÷ scale
    scale: int
    below_one: int  # rows with a weight below 1

    def people(self, index: int) -> Fraction:
        """Return the estimated people of the population in a class."""
        return Fraction(int(self.totals[index]), self.scale)

    @cached_property
    def all_people(self) -> Fraction:
        """The estimated people of the population in all classes."""
        return Fraction(int(self.totals.sum()), self.scale)


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
    largest = int(table.counts.sum()) * int(units.max(initial=0))
    if largest < 2**53:  # exact in doubles
        totals = sums(classes.of_entry, weights * table.counts, len(classes))
    else:
        totals = np.zeros(len(classes), dtype=object)
        np.add.at(totals, classes.of_entry, wide(weights, largest) * wide(table.counts, largest))
    return Weighted(classes, totals, scale, int(table.counts[weights < scale].sum()))


def _units(facts: Facts, name: str) -> tuple[IntArray, int]:
    """Return the weights as whole numbers of a common unit, by code of the column, and how many units are 1.

    A suppressed row may have the marker for a weight.
    """
    column = facts.released.columns[name]
    published = np.zeros(len(column.values), dtype=bool)
    published[facts.published.columns[name].codes] = True
    needed = [value != facts.marker or here for value, here in zip(column.values, published.tolist(), strict=True)]
    numbers = [numeral(value) for value in column.values]
    rows = sums(column.codes, facts.released.counts, len(column.values)).tolist()
    told = zip(column.values, rows, numbers, needed, strict=True)
    if wrong := {value: held for value, held, one, asked in told if asked and (one is None or one <= 0)}:
        raise facts._tables.unknown("release", name, wrong, POSITIVE, HINT)  # noqa: SLF001 (of this room)
    fractions = [Fraction(one or 0) for one in numbers]
    scale = lcm(*(one.denominator for one in fractions))
    units = [int(one * scale) for one in fractions]
    fits = max(units, default=0) < 2**63
    return np.array(units, dtype=np.int64 if fits else object), scale


def household_rows(facts: Facts, name: str) -> tuple[IntArray, IntArray, IntArray]:
    """Return, for each class and household that occur together, both as numbers, and how many rows they have."""
    table = _counted_with(facts, name)
    published = table.where(~facts.suppressed(table))
    column = published.columns[name]
    if nobody := int(published.counts[column.codes == column.code(None)].sum()):
        raise facts._tables.unknown("release", name, {None: nobody}, "missing", NO_HOUSEHOLD)  # noqa: SLF001
    of_class, _ = published.grouped(facts.roles.quasi_identifiers)
    return of_class, column.codes, published.counts


def _counted_with(facts: Facts, name: str) -> Tally:
    """Return the quasi-identifiers of the release together with one more column, for which it may be read again."""
    names, tables = facts.roles.quasi_identifiers, facts._tables  # noqa: SLF001 (of this room)
    if name in facts.released.columns:
        return facts.released
    if facts._unchanged is not None:  # noqa: SLF001
        hint = "write the release to a file, and measure that"
        raise NotAskableError(f'of a release that is not written yet, "{name}" is not known', hint=hint)
    tables.release.require([name], "the households", names)
    return tables.released([*names, name], Grouping(names, facts.marker))
