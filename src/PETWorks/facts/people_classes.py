"""The classes of a release whose people have several rows: how many people are in each, and who.

An adversary who knows one record of a person finds the rows that agree with it. The people of a class are those who
have a row in it, and a person can be in several classes. An adversary who knows all records of a person finds the
people with the same records, so that everybody is in exactly one class.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from PETWorks.errors import NotAskableError
from PETWorks.facts.classes import Classes, FinerClasses
from PETWorks.facts.people import Known
from PETWorks.tables.counting.persons import PersonHistories, PersonPairs, find_histories
from PETWorks.tables.counting.tally import Coded, IntArray, Key, Mask, Tally, Value, cell_text, sum_by_group

if TYPE_CHECKING:
    from PETWorks.facts.facts import Facts

MAX_LISTED_RECORDS = 6  # the most records of a history whose values are listed
NO_ENTRIES = np.zeros(0, dtype=np.int64)  # entries of the tally are in no class, since people are


@dataclass(frozen=True, eq=False)
class HistoryClasses(Classes):
    """Classes of people who have the same records, with the same multiplicity."""

    histories: PersonHistories
    tuples: Mapping[Key, Coded]  # the values of the combinations that histories are made of

    def find_groups_of_pairs(self, persons: PersonPairs) -> IntArray:
        """Return the class of each pair of combination and person."""
        of_pair: IntArray = self.histories.of_person[persons.of_person]
        return of_pair

    def values(self, index: int) -> dict[str, Value]:
        """Return the values of the records of a class; entry n of each column is record n."""
        return describe_history(self.histories, index, self.tuples)


@dataclass(frozen=True, eq=False)
class FinerHistories(FinerClasses):
    """Classes of people who have the same records, by the quasi-identifiers and further columns."""

    histories: PersonHistories
    tuples: Mapping[Key, Coded]

    def find_groups_of_pairs(self, persons: PersonPairs) -> IntArray:
        """Return the class of each pair of combination and person."""
        of_pair: IntArray = self.histories.of_person[persons.of_person]
        return of_pair

    def values(self, index: int) -> dict[str, Value]:
        """Return the values of the records of a class."""
        return describe_history(self.histories, index, self.tuples)


def describe_history(histories: PersonHistories, index: int, tuples: Mapping[Key, Coded]) -> dict[str, Value]:
    """Return the values of a history, record by record; entry n of each column is record n."""
    records = [
        one for one, rows in histories.list_combinations(index) for _ in range(min(rows, MAX_LISTED_RECORDS + 1))
    ]
    if len(records) == 1:
        return {str(key): column.values[column.codes[records[0]]] for key, column in tuples.items()}
    more = " | …" if len(records) > MAX_LISTED_RECORDS else ""
    return {
        str(key): " | ".join(cell_text(column.values[column.codes[one]]) for one in records[:MAX_LISTED_RECORDS]) + more
        for key, column in tuples.items()
    }


def group_people(published: Tally, persons: PersonPairs, names: Sequence[str], known: Known) -> Classes:
    """Return the classes of the people who have the unsuppressed rows; `persons` are those of `published`."""
    ids, tally = published.group(names)
    return group_pairs(persons.regroup(ids), Classes(tally.counts, tally.columns, ids), known)


def group_pairs(pairs: PersonPairs, by_row: Classes, known: Known) -> Classes:
    """Return the classes of people, built from the classes of their rows; `pairs` are the people of each of these."""
    if known == "one":
        return Classes(_count_people(pairs, len(by_row)), by_row.columns, by_row.of_entry, members=pairs)
    histories = find_histories(pairs)
    sizes, members = _group_histories(histories, pairs)
    return HistoryClasses(sizes, {}, NO_ENTRIES, histories, by_row.columns, members=members)


def group_people_further(published: Tally, persons: PersonPairs, names: Sequence[str], coarse: Classes) -> FinerClasses:
    """Return classes by more columns than those that formed the `coarse` classes."""
    ids, tally = published.group(names)
    pairs = persons.regroup(ids)
    if not isinstance(coarse, HistoryClasses):
        within = np.zeros(len(tally.counts), dtype=np.int64)
        within[ids] = coarse.of_entry
        sizes = _count_people(pairs, len(tally.counts))
        return FinerClasses(sizes, tally.columns, within, len(coarse), ids, members=pairs)
    histories = find_histories(pairs)
    sizes, members = _group_histories(histories, persons)
    within = np.zeros(len(sizes), dtype=np.int64)
    within[members.of_entry] = coarse.histories.of_person[members.of_person]
    return FinerHistories(sizes, {}, within, len(coarse), NO_ENTRIES, histories, tally.columns, members=members)


def _count_people(pairs: PersonPairs, classes: int) -> IntArray:
    return np.bincount(pairs.of_entry, minlength=classes)


def _group_histories(histories: PersonHistories, persons: PersonPairs) -> tuple[IntArray, PersonPairs]:
    """Return the number of people with each history, the people, and all their rows."""
    present = np.flatnonzero(histories.of_person >= 0)
    rows = sum_by_group(persons.of_person, persons.rows, persons.people)[present]
    members = PersonPairs.from_pairs(histories.of_person[present], present, rows, persons.people)
    return _count_people(members, len(histories)), members


def find_records(facts: Facts, classes: Mask) -> Tally:
    """Return the combinations of quasi-identifiers and person in the rows of some classes."""
    person, names = facts.named_persons
    shown, published = facts.published_persons, facts.published
    if person is None or shown is None:
        hint = "release the column of the persons, or look at the failing classes in place of their rows"
        problem = "the rows are not known: only the original names the persons"
        raise NotAskableError(problem, where=facts.name, hint=hint)
    chosen = classes[facts.groups(with_values=True).find_groups_of_pairs(shown)]
    labels: list[Value] = [*names, None, facts.marker]
    known = np.minimum(shown.of_person[chosen], len(names))  # persons with a number beyond the names have no name
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
    """The persons of other facts, for tallies whose changes leave persons unchanged."""

    facts: Facts  # as they are

    @property
    def persons(self) -> PersonPairs | None:
        """The person of each row; None without a person column."""
        return self.facts.all_persons

    @property
    def named_persons(self) -> tuple[str | None, Sequence[Value]]:
        """The person column of the release, and each person's cell; None without such a column."""
        return self.facts.named_persons
