"""Columns of a release that join the rows of a person: the column of the persons, or a pseudonym in its place."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from PETWorks.counting.persons import Persons
from PETWorks.counting.size_histogram import Grouping
from PETWorks.counting.tally import Coded
from PETWorks.errors import PETWorksError
from PETWorks.facts.notes import Name

if TYPE_CHECKING:
    from PETWorks.facts.facts import Facts


def joining_column(facts: Facts) -> Name | None:
    """Return a column that is the same in all rows of a person, and different between people; None if there is none.

    If the release names the persons, that is the column. Otherwise all its columns are looked at, for which it may be
    read again.
    """
    column, _ = facts.named_persons
    if column is not None:
        return Name(column)
    unchanged = facts._unchanged or facts  # noqa: SLF001 (of this room)
    return unchanged.once("joining column", lambda: _pseudonym(unchanged))


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
