"""Households: which people, or rows, belong together, and are found together if one of them is."""

from __future__ import annotations

import numpy as np

from PETWorks.counting.persons import Persons
from PETWorks.counting.size_histogram import Grouping
from PETWorks.counting.tally import IntArray, Tally
from PETWorks.errors import NotAskableError
from PETWorks.facts.facts import Facts
from PETWorks.facts.of_people import classes_of_people

NO_HOUSEHOLD = "give every row a household; somebody who lives alone is one"


def household_members(facts: Facts, name: str, risks: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Return the risk of somebody, their household as a number, and how many of it have this risk.

    `risks` are those of the classes. A member is a row; if people have several rows, a person, with their highest risk.
    If the column is the one that names the persons, everybody is a household of their own.
    """
    if name == facts._tables.people.column:  # noqa: SLF001 (of this room)
        kept = ~facts.suppressed(facts.released)
        assert facts.all_persons is not None  # noqa: S101
        shown = facts.all_persons.where(kept)
        alone = np.unique(shown.of_person)
        return _highest(facts, facts.released.where(kept), shown, risks)[alone], alone, np.ones_like(alone)
    table, persons = _counted_with(facts, name)
    kept = ~facts.suppressed(table)
    published = table.where(kept)
    column = published.columns[name]
    lacking = column.codes == column.code(None)
    if lacking.any():
        nobody = (
            int(published.counts[lacking].sum()) if persons is None else persons.where(kept).where(lacking).occurring
        )
        raise facts._tables.unknown("release", name, {None: nobody}, "missing", NO_HOUSEHOLD)  # noqa: SLF001
    if persons is None:
        of_class, _ = published.grouped(facts.roles.quasi_identifiers)
        return risks[of_class], column.codes, published.counts
    shown = persons.where(kept)
    pairs = shown.of(column.codes)
    highest = _highest(facts, published, shown, risks)
    return highest[pairs.of_person], pairs.of_entry, np.ones_like(pairs.of_entry)


def _highest(facts: Facts, published: Tally, persons: Persons, risks: IntArray) -> IntArray:
    """Return the highest risk of each person, by their numbers; `persons` are those of `published`."""
    members = classes_of_people(published, persons, facts.roles.quasi_identifiers, facts.known).members
    assert members is not None  # noqa: S101
    highest = np.zeros(persons.people)
    np.maximum.at(highest, members.of_person, risks[members.of_entry])
    return highest


def _counted_with(facts: Facts, name: str) -> tuple[Tally, Persons | None]:
    """Return the quasi-identifiers of the release together with one more column, for which it may be read again."""
    names, tables = facts.roles.quasi_identifiers, facts._tables  # noqa: SLF001 (of this room)
    if name in facts.released.columns:
        return facts.released, facts.persons
    if facts._unchanged is not None:  # noqa: SLF001
        hint = "write the release to a file, and measure that"
        raise NotAskableError(f'of a release that is not written yet, "{name}" is not known', hint=hint)
    tables.release.require([name], "the households", names)
    grouping = Grouping(names, facts.marker)
    if facts.persons is None:
        return tables.released([*names, name], grouping), None
    held = tables.held([], [*names, name], grouping)
    return held.tally, tables.people.found(held, tables.release.name, tables.marker)
