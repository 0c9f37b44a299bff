"""A population from which the release is a sample: how many of its people look like each released class.

A population of people who have several rows: how many of them look like each class of the release.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from PETWorks.errors import HierarchyError, PopulationError, plural
from PETWorks.facts.classes import Classes, PopulationClasses
from PETWorks.facts.people import Known
from PETWorks.facts.people_classes import HistoryClasses, told
from PETWorks.facts.tallies import HOLDS_SAMPLE
from PETWorks.hierarchies.hierarchy import Hierarchy
from PETWorks.tables.counting.persons import NOBODY, Histories, Persons, histories_of
from PETWorks.tables.counting.tally import Coded, IntArray, Key, Tally, Value, cell_text, recode, sums


class Lifted(NamedTuple):
    """The combinations of a population, generalised as the release is, grouped together with those of the release."""

    joined: Tally
    of_people: IntArray  # for each combination of the population, its group
    of_release: IntArray  # for each combination of the release, its group


def lifted_population(
    released: Classes,
    people: Tally,
    hierarchies: Mapping[str, Hierarchy],
    marker: str,
    refuse: Callable[[str, Tally], None],
) -> Lifted:
    """Lift the combinations of a population to the levels of the release.

    `refuse` raises an error if a column of the population has values that are not leaves of its hierarchy.
    """
    columns: dict[Key, Coded] = {}
    for name, column in released.columns.items():
        known = {*people.columns[name].values, *column.values} - {marker}
        tree = hierarchies.get(str(name)) or Hierarchy.flat(str(name), known)
        level = common_level(tree, column, marker)
        refuse(str(name), people)
        columns[name] = _joined(people.columns[name], column, tree, level, marker)
    both = Tally(columns, np.concatenate([people.counts, released.sizes]))
    ids, joined = both.grouped(list(columns))
    of_people, of_release = np.split(ids, [len(people.counts)])
    return Lifted(joined, of_people, of_release)


def population_classes(lifted: Lifted, released: Classes, people: Tally) -> PopulationClasses:
    """Count the rows of the population, and of the release, in the classes that both form together."""
    sizes = sums(lifted.of_people, people.counts, len(lifted.joined.counts))
    sample = sums(lifted.of_release, released.sizes, len(lifted.joined.counts))
    return PopulationClasses(sizes, lifted.joined.columns, sample, lifted.of_release)


def _joined(people: Coded, released: Coded, tree: Hierarchy, level: int, marker: str) -> Coded:
    """Lift a column of the population to a level, and append the same column of the released classes to it."""
    lexicon: dict[Value, int] = {}
    lifted = recode(lexicon, [tree.lift(value, level) for value in people.values])[people.codes]
    seen = recode(lexicon, [tree.top if value == marker else value for value in released.values])[released.codes]
    return Coded(np.concatenate([lifted, seen]), list(lexicon))


def checked_population(classes: PopulationClasses, counted: str = "rows") -> PopulationClasses:
    """Return the classes; raise an error if one has fewer people in the population than in the release."""
    lacking = np.flatnonzero(classes.sample > classes.sizes)
    if lacking.size:
        values = ", ".join(f"{name}={cell_text(value)}" for name, value in classes.values(lacking[0]).items())
        sizes = f"{classes.sample[lacking[0]]:,} in the release, {classes.sizes[lacking[0]]:,} in the population"
        classes_have = plural(len(lacking), "class has", "classes have")
        problem = f"{classes_have} fewer {counted} in the population than in the release"
        raise PopulationError(problem, hint=HOLDS_SAMPLE, listed=f"{values}: {sizes}")
    return classes


def common_level(hierarchy: Hierarchy, released: Coded, marker: str) -> int:
    """Return the lowest level that has all values which occur in a released column."""
    values = [released.values[code] for code in np.unique(released.codes).tolist()]
    for level in range(hierarchy.height + 1):
        if all(level == hierarchy.height if value == marker else hierarchy.under(value, level) for value in values):
            return level
    problem = f'"{hierarchy.name}" is released at several levels, or with values that its hierarchy lacks'
    hint = "release each column at one level of its hierarchy: only then can the population be generalised the same way"
    raise HierarchyError(problem, hint=hint)


@dataclass(frozen=True, eq=False)
class PopulationHistories(PopulationClasses):
    """The people of a population who have the same records, generalised as the release is."""

    histories: Histories
    tuples: Mapping[Key, Coded]

    def values(self, index: int) -> dict[str, Value]:
        """Return the values of the records that the people of a class have."""
        return told(self.histories, index, self.tuples)


def population_of_people(
    lifted: Lifted, classes: Classes, released: Persons, population: Persons, known: Known
) -> PopulationClasses:
    """Count people of the population, and of the release, in the classes that both form together.

    `released` and `population` are the persons of the combinations that were `lifted`.
    """
    ours, theirs = released.of(lifted.of_release), population.of(lifted.of_people)
    if known == "one":
        many = len(lifted.joined.counts)
        sizes, sample = _people(theirs, many), _people(ours, many)
        return PopulationClasses(sizes, lifted.joined.columns, sample, lifted.of_release, members=theirs)
    everybody = population.people + released.people
    of_entry, rows = np.concatenate([theirs.of_entry, ours.of_entry]), np.concatenate([theirs.rows, ours.rows])
    of_person = np.concatenate([theirs.of_person, ours.of_person + np.int64(population.people)])
    histories = histories_of(Persons.regrouped(of_entry, of_person, rows, everybody))
    there, here = np.split(histories.of_person, [population.people])
    of_release = np.zeros(len(classes), dtype=np.int64)
    of_person = np.full(released.people, NOBODY)
    of_person[released.of_person] = released.of_entry  # right if everybody has one row
    if isinstance(classes, HistoryClasses):
        of_person = classes.histories.of_person
    of_release[of_person[of_person >= 0]] = here[of_person >= 0]
    named = np.flatnonzero(there >= 0)
    members = Persons.regrouped(there[named], named, np.ones_like(named), population.people)
    sizes, sample = (np.bincount(one[one >= 0], minlength=len(histories)) for one in (there, here))
    return PopulationHistories(sizes, {}, sample, of_release, histories, lifted.joined.columns, members=members)


def _people(persons: Persons, many: int) -> IntArray:
    return np.bincount(persons.of_entry, minlength=many)
