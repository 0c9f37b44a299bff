"""A population that includes the people of a release: how many of its people look like each released class.

The population is generalised as the release is. Its people are those that its rows name, or one for each row.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from PETWorks.errors import HierarchyError, PopulationError, Quantity
from PETWorks.facts.classes import Classes, PopulationClasses, Unit
from PETWorks.facts.people import Known
from PETWorks.facts.people_classes import HistoryClasses, describe_history
from PETWorks.facts.tallies import HOLDS_SAMPLE, find_tables
from PETWorks.hierarchies.hierarchy import Hierarchy
from PETWorks.tables.counting.persons import NOBODY, PersonCounts, PersonHistories, PersonPairs, find_histories
from PETWorks.tables.counting.tally import Coded, IntArray, Key, Tally, Value, cell_text, recode, sum_by_group

if TYPE_CHECKING:
    from PETWorks.facts.facts import Facts


class JoinedPopulation(NamedTuple):
    """The combinations of a population, generalised as the release is, grouped together with those of the release."""

    joined: Tally
    of_people: IntArray  # for each combination of the population, its group
    of_release: IntArray  # for each combination of the release, its group


def join_population(
    released: Classes,
    people: Tally,
    hierarchies: Mapping[str, Hierarchy],
    marker: str,
    refuse: Callable[[str, Tally], None],
    *,
    levels: Mapping[str, int] | None = None,
) -> JoinedPopulation:
    """Generalise the combinations of a population to the `levels` of the release; None: those of its values.

    `refuse` raises an error if a column of the population has values that are not leaves of its hierarchy.
    """
    columns: dict[Key, Coded] = {}
    for name, column in released.columns.items():
        known = {*people.columns[name].values, *column.values} - {marker}
        tree = hierarchies.get(str(name)) or Hierarchy.flat(str(name), known)
        level = levels[str(name)] if levels else find_common_level(tree, column, marker)
        refuse(str(name), people)
        columns[name] = _join_column(people.columns[name], column, tree, level, marker)
    both = Tally(columns, np.concatenate([people.counts, released.sizes]))
    ids, joined = both.group(list(columns))
    of_people, of_release = np.split(ids, [len(people.counts)])
    return JoinedPopulation(joined, of_people, of_release)


def count_rows_of_population(lifted: JoinedPopulation, released: Classes, people: Tally) -> PopulationClasses:
    """Count the rows of the population, and of the release, in the classes that both form together."""
    sizes = sum_by_group(lifted.of_people, people.counts, len(lifted.joined.counts))
    sample = sum_by_group(lifted.of_release, released.sizes, len(lifted.joined.counts))
    return PopulationClasses(sizes, lifted.joined.columns, sample, lifted.of_release)


def _join_column(people: Coded, released: Coded, tree: Hierarchy, level: int, marker: str) -> Coded:
    """Generalise a column of the population to a level, and append the same column of the released classes."""
    lexicon: dict[Value, int] = {}
    lifted = recode(lexicon, [tree.lift(value, level) for value in people.values])[people.codes]
    whole = marker if level < tree.height else tree.top
    seen = recode(lexicon, [whole if value == marker else value for value in released.values])[released.codes]
    return Coded(np.concatenate([lifted, seen]), list(lexicon))


def check_population(classes: PopulationClasses, counted: str = "rows") -> PopulationClasses:
    """Return the classes; raise an error if a class has fewer people in the population than in the release."""
    lacking = np.flatnonzero(classes.sample > classes.sizes)
    if lacking.size:
        values = ", ".join(f"{name}={cell_text(value)}" for name, value in classes.values(lacking[0]).items())
        sizes = f"{classes.sample[lacking[0]]:,} in the release, {classes.sizes[lacking[0]]:,} in the population"
        problem = "{classes_have} fewer {counted} in the population than in the release"
        figures = {"classes_have": Quantity(len(lacking), "class has", "classes have"), "counted": counted}
        raise PopulationError(problem, hint=HOLDS_SAMPLE, listed=f"{values}: {sizes}", figures=figures)
    return classes


def find_common_level(hierarchy: Hierarchy, released: Coded, marker: str) -> int:
    """Return the lowest level that has all values of a released column."""
    values = [released.values[code] for code in np.unique(released.codes).tolist()]
    for level in range(hierarchy.height + 1):
        if all(level == hierarchy.height if value == marker else hierarchy.under(value, level) for value in values):
            return level
    problem = '"{column}" is released at several levels, or with values that its hierarchy lacks'
    hint = "release each column at one level of its hierarchy: only then can the population be generalised the same way"
    raise HierarchyError(problem, hint=hint, figures={"column": hierarchy.name})


@dataclass(frozen=True, eq=False)
class PopulationHistories(PopulationClasses):
    """Classes of people of a population who have the same records, generalised as the release is."""

    histories: PersonHistories
    tuples: Mapping[Key, Coded]

    def values(self, index: int) -> dict[str, Value]:
        """Return the values of the records that the people of a class have."""
        return describe_history(self.histories, index, self.tuples)


def count_people_of_population(
    lifted: JoinedPopulation, classes: Classes, released: PersonPairs, population: PersonPairs, known: Known
) -> PopulationClasses:
    """Count people of the population, and of the release, in the classes that both form together.

    `released` and `population` are the persons of the combinations in `lifted`.
    """
    ours, theirs = released.regroup(lifted.of_release), population.regroup(lifted.of_people)
    if known == "one":
        many = len(lifted.joined.counts)
        sizes, sample = _count_people(theirs, many), _count_people(ours, many)
        return PopulationClasses(sizes, lifted.joined.columns, sample, lifted.of_release, members=theirs)
    everybody = population.people + released.people
    of_entry, rows = np.concatenate([theirs.of_entry, ours.of_entry]), np.concatenate([theirs.rows, ours.rows])
    of_person = np.concatenate([theirs.of_person, ours.of_person + np.int64(population.people)])
    histories = find_histories(PersonPairs.from_pairs(of_entry, of_person, rows, everybody))
    there, here = np.split(histories.of_person, [population.people])
    of_release = np.zeros(len(classes), dtype=np.int64)
    of_person = np.full(released.people, NOBODY)
    of_person[released.of_person] = released.of_entry  # right if everybody has one row
    if isinstance(classes, HistoryClasses):
        of_person = classes.histories.of_person
    of_release[of_person[of_person >= 0]] = here[of_person >= 0]
    named = np.flatnonzero(there >= 0)
    members = PersonPairs.from_pairs(there[named], named, np.ones_like(named), population.people)
    sizes, sample = (np.bincount(one[one >= 0], minlength=len(histories)) for one in (there, here))
    return PopulationHistories(sizes, {}, sample, of_release, histories, lifted.joined.columns, members=members)


def _count_people(persons: PersonPairs, many: int) -> IntArray:
    return np.bincount(persons.of_entry, minlength=many)


def find_population_classes(facts: Facts) -> PopulationClasses:
    """Return the classes of the population, generalised as the release is; it must include the release."""
    tables, names = find_tables(facts), facts.roles.quasi_identifiers
    persons, held = facts.all_persons, tables.count_population_with_persons(names)
    refuse, by_row = facts.columns.refuse_strangers, facts.groups(Unit.ROWS, with_values=True)
    if persons is None or (facts.persons is None and (held is None or not held.persons.several)):
        people = tables.count_population(names, rows=facts.released.rows)
        lifted = join_population(by_row, people, facts.hierarchies, facts.marker, refuse, levels=facts.known_levels)
        return check_population(count_rows_of_population(lifted, by_row, people))
    found = held or _count_each_row_as_person(facts)
    if found.persons.occurring < persons.occurring:
        here, there = (Quantity(one.occurring, "person", "people") for one in (persons, found.persons))
        problem, figures = "{there}, but the release has {here}", {"here": here, "there": there}
        raise PopulationError(problem, where=tables.require_population().name, hint=HOLDS_SAMPLE, figures=figures)
    classes = facts.groups(Unit.PEOPLE, with_values=True)
    lifted = join_population(by_row, found.tally, facts.hierarchies, facts.marker, refuse, levels=facts.known_levels)
    published = persons.where(~facts.find_suppressed(facts.released))
    released = published.regroup(by_row.of_entry)
    return check_population(count_people_of_population(lifted, classes, released, found.persons, facts.known), "people")


def _count_each_row_as_person(facts: Facts) -> PersonCounts:
    """Count each row of a population without persons as one person; raise an error if all records are known."""
    tables = find_tables(facts)
    if facts.known == "all":
        person = tables.people.column
        problem = 'there is no column "{person}": it must say whose rows it has, since all of them are known'
        hint, figures = 'add it, or pass known="one"', {"person": person}
        raise PopulationError(problem, where=tables.require_population().name, hint=hint, figures=figures)
    tally = tables.count_population(facts.roles.quasi_identifiers, rows=0)
    return PersonCounts(tally, PersonPairs.of_rows(tally.counts), ())
