"""The classes of a release whose people have several rows: how many people are in each, and who.

What an adversary knows decides what a class is. Who knows one record of a person finds the rows that agree with it: the
people of a class are those who have a row in it, and a person can be in several. Who knows all records of a person
finds the people who have the same ones: everybody is in one class.

The rows of people who are in some classes, where all rows of a person are known.

Whose rows they are, where a change of cells leaves that as it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from PETWorks.errors import NotAskableError
from PETWorks.facts.classes import Classes, FinerClasses
from PETWorks.facts.people import Known
from PETWorks.tables.counting.persons import Histories, Persons, histories_of
from PETWorks.tables.counting.tally import Coded, IntArray, Key, Mask, Tally, Value, cell_text, sums

if TYPE_CHECKING:
    from PETWorks.facts.facts import Facts

LISTED = 6  # the most records of a history whose values are told
NOWHERE = np.zeros(0, dtype=np.int64)  # entries of the tally are in no class: people are


@dataclass(frozen=True, eq=False)
class HistoryClasses(Classes):
    """The people who have the same records, as many of each."""

    histories: Histories
    tuples: Mapping[Key, Coded]  # the values of the combinations that histories are made of

    def of_pairs(self, persons: Persons) -> IntArray:
        """Return the class of each pair of combination and person."""
        of_pair: IntArray = self.histories.of_person[persons.of_person]
        return of_pair

    def values(self, index: int) -> dict[str, Value]:
        """Return the values of the records that the people of a class have, the same records in every column."""
        return told(self.histories, index, self.tuples)


@dataclass(frozen=True, eq=False)
class FinerHistories(FinerClasses):
    """The people who have the same records, by the quasi-identifiers and further columns."""

    histories: Histories
    tuples: Mapping[Key, Coded]

    def of_pairs(self, persons: Persons) -> IntArray:
        """Return the class of each pair of combination and person."""
        of_pair: IntArray = self.histories.of_person[persons.of_person]
        return of_pair

    def values(self, index: int) -> dict[str, Value]:
        """Return the values of the records that the people of a class have."""
        return told(self.histories, index, self.tuples)


def told(histories: Histories, index: int, tuples: Mapping[Key, Coded]) -> dict[str, Value]:
    """Return the values of a history, record by record, the same records in every column."""
    records = [one for one, rows in histories.of(index) for _ in range(min(rows, LISTED + 1))]
    if len(records) == 1:
        return {str(key): column.values[column.codes[records[0]]] for key, column in tuples.items()}
    more = " | …" if len(records) > LISTED else ""
    return {
        str(key): " | ".join(cell_text(column.values[column.codes[one]]) for one in records[:LISTED]) + more
        for key, column in tuples.items()
    }


def classes_of_people(published: Tally, persons: Persons, names: Sequence[str], known: Known) -> Classes:
    """Return the classes of the people who have the unsuppressed rows; `persons` are those of `published`."""
    ids, tally = published.grouped(names)
    return classes_of_pairs(persons.of(ids), Classes(tally.counts, tally.columns, ids), known)


def classes_of_pairs(pairs: Persons, by_row: Classes, known: Known) -> Classes:
    """Return the classes of people, from those of their rows; `pairs` are who has rows in each of these."""
    if known == "one":
        return Classes(_people(pairs, len(by_row)), by_row.columns, by_row.of_entry, members=pairs)
    histories = histories_of(pairs)
    sizes, members = _alike(histories, pairs)
    return HistoryClasses(sizes, {}, NOWHERE, histories, by_row.columns, members=members)


def finer_classes_of_people(published: Tally, persons: Persons, names: Sequence[str], coarse: Classes) -> FinerClasses:
    """Return the classes by more columns than those that formed the `coarse` ones."""
    ids, tally = published.grouped(names)
    pairs = persons.of(ids)
    if not isinstance(coarse, HistoryClasses):
        within = np.zeros(len(tally.counts), dtype=np.int64)
        within[ids] = coarse.of_entry
        sizes = _people(pairs, len(tally.counts))
        return FinerClasses(sizes, tally.columns, within, len(coarse), ids, members=pairs)
    histories = histories_of(pairs)
    sizes, members = _alike(histories, persons)
    within = np.zeros(len(sizes), dtype=np.int64)
    within[members.of_entry] = coarse.histories.of_person[members.of_person]
    return FinerHistories(sizes, {}, within, len(coarse), NOWHERE, histories, tally.columns, members=members)


def _people(pairs: Persons, classes: int) -> IntArray:
    return np.bincount(pairs.of_entry, minlength=classes)


def _alike(histories: Histories, persons: Persons) -> tuple[IntArray, Persons]:
    """Return how many people have each history, and who they are, with all their rows."""
    present = np.flatnonzero(histories.of_person >= 0)
    rows = sums(persons.of_person, persons.rows, persons.people)[present]
    members = Persons.regrouped(histories.of_person[present], present, rows, persons.people)
    return _people(members, len(histories)), members


def records_of(facts: Facts, classes: Mask) -> Tally:
    """Return the combinations of quasi-identifiers and person that the rows of some classes have."""
    person, names = facts.named_persons
    shown, published = facts.published_persons, facts.published
    if person is None or shown is None:
        hint = "release the column of the persons, or look at the failing classes in place of their rows"
        problem = "the rows are not known: whose rows they are stands in the original only"
        raise NotAskableError(problem, where=facts.name, hint=hint)
    chosen = classes[facts.known_classes.of_pairs(shown)]
    labels: list[Value] = [*names, None, facts.marker]
    known = np.minimum(shown.of_person[chosen], len(names))  # who has a number beyond the names was not named
    nameless = np.array([name is None or name == facts.marker for name in names] + [True], dtype=bool)[known]
    entries = shown.of_entry[chosen]
    places = np.concatenate([entries, entries[nameless], entries[nameless]])
    cells = np.concatenate([known, np.full(nameless.sum(), len(names)), np.full(nameless.sum(), len(names) + 1)])
    columns: dict[Key, Coded] = {name: published.columns[name].take(places) for name in facts.roles.quasi_identifiers}
    order = {label: code for code, label in enumerate(dict.fromkeys(labels))}
    again = np.array([order[label] for label in labels], dtype=np.int64)
    return Tally({**columns, person: Coded(again[cells], list(order))}, np.ones(len(places), dtype=np.int64))


@dataclass(frozen=True, eq=False)
class SamePersons:
    """A part of tallies: the persons of other facts."""

    facts: Facts  # as they are

    @property
    def persons(self) -> Persons | None:
        """Whose rows they are; None if no column says so."""
        return self.facts.all_persons

    @property
    def named_persons(self) -> tuple[str | None, Sequence[Value]]:
        """The column of the release that says whose rows they are, and the cell of each person; None: it has none."""
        return self.facts.named_persons
