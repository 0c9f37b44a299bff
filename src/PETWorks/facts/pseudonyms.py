"""Columns of a release that join the rows of a person: the column of the persons, or a pseudonym in its place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from PETWorks.counting.persons import Persons
from PETWorks.counting.size_histogram import Grouping
from PETWorks.counting.tally import Coded, Value, sums
from PETWorks.counting.texts import Texts
from PETWorks.errors import PETWorksError
from PETWorks.facts.notes import Name

if TYPE_CHECKING:
    from PETWorks.facts.facts import Facts

NAMED, PSEUDONYM = "named persons join rows", "pseudonym"  # what facts keep


def joining_column(facts: Facts) -> Name | None:
    """Return a column that is the same in all rows of a person, and different between people; None if there is none.

    If the release names the persons, that is the column, unless it names nobody who has several rows: rows whose person
    is missing or suppressed are not joined by that. If it has no such column, all others are looked at, for which it
    may be read again.
    """
    column, names = facts.named_persons
    unchanged = facts._unchanged or facts  # noqa: SLF001 (of this room)
    if column is None:
        return unchanged.once(PSEUDONYM, lambda: _pseudonym(unchanged))
    return Name(column) if unchanged.once(NAMED, lambda: _names_several(unchanged, names)) else None


def _names_several(facts: Facts, names: Sequence[Value]) -> bool:
    """Return True if somebody has several rows, and a name."""
    assert facts.persons is not None  # noqa: S101
    rows = sums(facts.persons.of_person, facts.persons.rows, facts.persons.people)[: len(names)]
    rows[Texts.of(names).places([None, facts.marker])] = 0  # who is unknown has no name, or a number beyond the names
    return bool((rows > 1).any())


def _pseudonym(facts: Facts) -> Name | None:
    tables, counted = facts._tables, facts.released.columns  # noqa: SLF001
    assert facts.persons is not None  # noqa: S101
    for name, column in counted.items():
        if _tells_apart(column, facts.persons):
            return Name(str(name))
    others = [name for name in tables.release.columns if name not in (*counted, tables.people.column)]
    for name in others:
        try:
            held = tables.held([], [name], Grouping((name,), tables.marker))
            persons = tables.people.found(held, tables.release.name, tables.marker)
        except PETWorksError:  # too many values for the memory, or of a type that cannot be counted
            continue
        if _tells_apart(held.tally.columns[name], persons):
            return Name(name)
    return None


def _tells_apart(column: Coded, persons: Persons) -> bool:
    """Return True if each person has one value of a column, and no two persons have the same one."""
    people = persons.occurring
    if len(np.unique(column.codes)) != people:
        return False
    pairs = persons.of(column.codes)
    return len(pairs.rows) == people
