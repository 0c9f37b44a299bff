"""Sampling weights, added up over the classes of a release, and the risks of households.

A weight is the number of people of the population that a row stands for. The members of a household are found together
if one of them is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import gcd, lcm

import numpy as np
import pyarrow as pa

from PETWorks.errors import NotAskableError, PersonError, Quantity
from PETWorks.exact.limit import parse_number
from PETWorks.facts.classes import Groups
from PETWorks.facts.facts import Facts
from PETWorks.facts.people_classes import group_people
from PETWorks.facts.tallies import find_tables
from PETWorks.tables.counting.persons import PersonPairs
from PETWorks.tables.counting.size_histogram import Grouping
from PETWorks.tables.counting.tally import INT64, IntArray, Mask, Tally, Value, sum_by_group, widen

POSITIVE = "no positive number, as weights must be"
MAX_WEIGHT = 10**100  # a larger weight can only be a mistake; floats hold sums of smaller ones
TOO_LARGE = "more than 1e100, which no weight can be"  # this follows "1 value is" or "2 values are"
PLAIN_DIGITS = 19  # before and after the point, of numbers that are read all at once
PLAIN = rf"^[0-9]{{1,{PLAIN_DIGITS}}}(\.[0-9]{{0,{PLAIN_DIGITS}}})?$"
HINT = "write every weight as a plain number above 0, such as 152 or 45.5"


@dataclass(frozen=True, eq=False)
class WeightedClasses:
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
        """The share of these people who were sampled; at most 1, even by weights below 1."""
        return min(Fraction(self.classes.everybody) / self.all_people, Fraction(1)) if self.all_people else Fraction(1)


def add_up_weights(facts: Facts) -> WeightedClasses:
    """Return the sum of the weights of each class, cached for these facts; weights must be positive numbers."""
    return facts.cache("weighted", lambda: _add_up_weights(facts))


def _add_up_weights(facts: Facts) -> WeightedClasses:
    if (name := facts.weight) is None:
        raise NotAskableError("this measure needs sampling weights", hint="name their column in weight=")
    table, classes = facts.published, facts.groups(with_values=True)
    column = table.columns[name]
    units, scale = _read_units(facts, name)
    weights = units[column.codes]
    if classes.members is not None:
        by_person = _find_weights_by_person(facts, units)
        totals, below_one = _add_over_people(classes.members, by_person, len(classes)), weights < scale
        everybody = int(by_person[np.unique(classes.members.of_person)].sum())
        return WeightedClasses(classes, totals, scale, int(table.counts[below_one].sum()), everybody)
    largest = int(table.counts.sum()) * int(units.max(initial=0))
    if largest < 2**53:  # exact in doubles
        totals = sum_by_group(classes.of_entry, weights * table.counts, len(classes))
    else:
        totals = np.zeros(len(classes), dtype=object)
        np.add.at(totals, classes.of_entry, widen(weights, largest) * widen(table.counts, largest))
    return WeightedClasses(classes, totals, scale, int(table.counts[weights < scale].sum()))


def _find_weights_by_person(facts: Facts, units: IntArray) -> IntArray:
    """Return the weight of each person, which must be the same in all their rows."""
    assert facts.persons is not None  # noqa: S101
    persons, codes = facts.persons, facts.released.columns[str(facts.weight)].codes
    given = units[codes[persons.of_entry]]
    stated = given > 0  # a suppressed row may have the marker for a weight
    of_person, given = persons.of_person[stated], given[stated]
    weights = np.zeros(persons.people, dtype=units.dtype)
    weights[of_person] = given
    if differing := len(np.unique(of_person[weights[of_person] != given])):
        figures = {"people_have": Quantity(differing, "person has", "people have")}
        where, hint = f"{facts.name}, {facts.weight}", "give all rows of a person the same weight: that of the person"
        raise PersonError("{people_have} rows with different weights", where=where, hint=hint, figures=figures)
    return weights


def _add_over_people(members: PersonPairs, weights: IntArray, groups: int) -> IntArray:
    given = weights[members.of_person]
    if len(given) * int(weights.max(initial=0)) < 2**53:  # exact in doubles
        return sum_by_group(members.of_entry, given, groups)
    totals = np.zeros(groups, dtype=object)
    np.add.at(totals, members.of_entry, given.astype(object))
    return totals


def _read_units(facts: Facts, name: str) -> tuple[IntArray, int]:
    """Return the weights as multiples of a common unit, by code of the column, and the number of units in 1.

    The weight of a suppressed row may be the marker.
    """
    column, persons = facts.released.columns[name], facts.persons
    many = len(column.values)
    needed = np.ones(many, dtype=bool)
    if (marker := column.code(facts.marker)) >= 0:
        needed[marker] = (facts.published.columns[name].codes == marker).any()
    plain, units, places = _read_plain_decimals(column.values)
    odd = {code: parse_number(column.values[code]) for code in np.flatnonzero(~plain).tolist()}
    wrong = needed & plain & (units == 0)
    large = {code for code, one in odd.items() if one is not None and one > MAX_WEIGHT}
    wrong[[code for code, one in odd.items() if needed[code] and (one is None or one <= 0)]] = True
    for codes, what in ((np.flatnonzero(wrong).tolist(), POSITIVE), (sorted(large), TOO_LARGE)):
        if codes:
            counts = facts.released.counts
            held = (
                sum_by_group(column.codes, counts, many)
                if persons is None
                else persons.count_people(column.codes, many)
            )
            found = {column.values[code]: int(held[code]) for code in codes}
            raise find_tables(facts).build_unknown_error("release", name, found, what, HINT)
    given = {code: Fraction(one) for code, one in odd.items() if one is not None}
    scale = lcm(10**places, *(one.denominator for one in given.values()))
    factor = scale // 10**places
    units = (
        widen(units, max(int(units.max(initial=0)) * factor, *(int(one * scale) for one in given.values()), 0)) * factor
    )
    for code, one in given.items():
        units[code] = int(one * scale)
    common = gcd(scale, int(np.gcd.reduce(units)))
    units, scale = units // common, scale // common
    return (units.astype(np.int64) if int(units.max(initial=0)) < INT64 else units), scale


def _read_plain_decimals(texts: Sequence[Value]) -> tuple[Mask, IntArray, int]:
    """Return a mask of plain decimals, their numbers in a unit, and the decimal places of the unit.

    Other texts have 0 units.
    """
    import pyarrow.compute as pc  # only here: it takes 10 MB, and time at every start

    written = pa.array(texts, type=pa.string())
    is_plain = pc.fill_null(pc.match_substring_regex(written, PLAIN), False)
    written = pc.if_else(is_plain, written, "0")
    point = pc.find_substring(written, ".")
    places = pc.max(pc.if_else(pc.less(point, 0), 0, pc.subtract(pc.subtract(pc.binary_length(written), point), 1)))
    decimals = written.cast(pa.decimal128(2 * PLAIN_DIGITS, places.as_py() or 0))
    low, high = np.frombuffer(decimals.buffers()[1], dtype=np.int64).reshape(-1, 2).T
    fits = not high.any() and (low >= 0).all()
    units = low.copy() if fits else (high.astype(object) << 64) + low.view(np.uint64).astype(object)
    return is_plain.to_numpy(zero_copy_only=False), units, places.as_py() or 0


NO_HOUSEHOLD = "give every row a household; somebody who lives alone is one"


def find_household_risks(facts: Facts, name: str, risks: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Return the risks in households: each risk, the number of its household, and how many members have it.

    `risks` are those of the classes. A member is a row; if people have several rows, a person with their highest risk.
    If the household column is the person column, everybody is a household of their own.
    """
    if name == find_tables(facts).people.column:
        kept = ~facts.find_suppressed(facts.released)
        assert facts.all_persons is not None  # noqa: S101
        shown = facts.all_persons.where(kept)
        alone = np.unique(shown.of_person)
        return _find_highest(facts, facts.released.where(kept), shown, risks)[alone], alone, np.ones_like(alone)
    table, persons = _count_with(facts, name)
    kept = ~facts.find_suppressed(table)
    published = table.where(kept)
    column = published.columns[name]
    lacking = column.codes == column.code(None)
    if lacking.any():
        nobody = (
            int(published.counts[lacking].sum()) if persons is None else persons.where(kept).where(lacking).occurring
        )
        raise find_tables(facts).build_unknown_error("release", name, {None: nobody}, "missing", NO_HOUSEHOLD)
    if persons is None:
        of_class, _ = published.group(facts.roles.quasi_identifiers)
        return risks[of_class], column.codes, published.counts
    shown = persons.where(kept)
    pairs = shown.regroup(column.codes)
    highest = _find_highest(facts, published, shown, risks)
    return highest[pairs.of_person], pairs.of_entry, np.ones_like(pairs.of_entry)


def _find_highest(facts: Facts, published: Tally, persons: PersonPairs, risks: IntArray) -> IntArray:
    """Return the highest risk of each person, by person number; `persons` are those of `published`."""
    members = group_people(published, persons, facts.roles.quasi_identifiers, facts.known).members
    assert members is not None  # noqa: S101
    highest = np.zeros(persons.people)
    np.maximum.at(highest, members.of_person, risks[members.of_entry])
    return highest


def _count_with(facts: Facts, name: str) -> tuple[Tally, PersonPairs | None]:
    """Count the release by its quasi-identifiers and one more column, for which its rows may be read again."""
    names, tables = facts.roles.quasi_identifiers, find_tables(facts)
    if name in facts.released.columns:
        return facts.released, facts.persons
    if facts.unchanged is not None:
        hint = "write the release to a file, and measure that"
        raise NotAskableError(f'"{name}" is not known of a release that is not written yet', hint=hint)
    tables.release.require([name], "the households", names)
    grouping = Grouping(names, facts.marker)
    if facts.persons is None:
        return tables.count_released([*names, name], grouping), None
    held = tables.count_with_persons([], [*names, name], grouping)
    return held.tally, tables.people.assign_persons(held, tables.release.name, tables.marker)
