"""A population of people who have several rows: how many of them look like each class of the release."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from PETWorks.counting.histories import NOBODY, Histories, histories_of
from PETWorks.counting.persons import Persons
from PETWorks.counting.tally import Coded, IntArray, Key, Value
from PETWorks.facts.classes import Classes, PopulationClasses
from PETWorks.facts.of_people import HistoryClasses, told
from PETWorks.facts.people import Known
from PETWorks.facts.population import Lifted


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
