"""Inspect the released table for columns that concern statements in [[not_shown]]: columns to look at, not a proof.

Also computes the effect of a wrong role: how many people would be in small classes if one more column were known.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from PETWorks.errors import PETWorksError
from PETWorks.evaluation.release import Release
from PETWorks.evaluation.requirement import NotShown
from PETWorks.facts.roles import Role
from PETWorks.inspection.inspection import InspectedColumn
from PETWorks.render.words import words
from PETWorks.shown import THRESHOLD
from PETWorks.tables.opening import OpenedTable, TableSource

PREFIXES = ("form_", "topic_")  # of the words for what an inspection finds


def list_findable() -> list[str]:
    """Return the names of what an inspection can find: forms of values, and topics of column names."""
    return [key.removeprefix(one) for key in words("en").inspection for one in PREFIXES if key.startswith(one)]


def find_unshowable(listed: Sequence[NotShown], source: TableSource, memory: Mapping[str, Any]) -> tuple[NotShown, ...]:
    """Return the statements in [[not_shown]] with columns that may concern them; the table is read only if needed."""
    if not any(one.looks_for for one in listed):
        return tuple(listed)
    from PETWorks.inspection.survey import inspect

    seen = {column.name: _list_forms(column) for column in inspect(OpenedTable(source, source), **memory)}
    return tuple(
        replace(one, found=tuple(name for name, found in seen.items() if found & {*one.looks_for}))
        if one.looks_for
        else one
        for one in listed
    )


def _list_forms(column: InspectedColumn) -> set[str]:
    """Return the forms that most values of a column have; none if all rows have the same value."""
    if column.distinct <= 1:
        return set()
    return {str(note.figures[key]) for note in column.reasons for key in ("form", "topic") if key in note.figures}


MOST = 50  # columns that are tried


@dataclass(frozen=True)
class IfKnown:
    """A column that is published as it is, and how many people are in small classes if an adversary knows it."""

    column: str
    role: Role
    people: int


def what_if_known(release: Release, least: int = THRESHOLD) -> list[IfKnown]:
    """Return the columns that are published unchanged, the one that would put most people into small classes first.

    A class is small if it has fewer than `least` people. Suppressed rows are also split by the column.

    >>> people = {"sex": ["f", "f", "m", "m"], "job": ["a", "b", "c", "c"]}
    >>> release = Release(people, quasi_identifiers=["sex"], insensitive=["job"])
    >>> [(one.column, one.people) for one in what_if_known(release, 2)]
    [('job', 2)]
    """
    roles, found = release.roles, list[IfKnown]()
    published = [(name, Role.SENSITIVE_ATTRIBUTE) for name in roles.sensitive]
    published += [(name, Role.INSENSITIVE_ATTRIBUTE) for name in roles.insensitive]
    for column, role in published[:MOST]:
        try:
            known = release.with_roles(quasi_identifiers=[*roles.quasi_identifiers, column]).facts.classes
        except PETWorksError:  # more combinations than fit in memory
            continue
        found.append(IfKnown(column, role, known.count_people_in(known.sizes < least)))
    return sorted(found, key=lambda one: -one.people)
