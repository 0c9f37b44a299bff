"""What if a role was wrong: how many people would stand in small classes if one more published column were known."""

from __future__ import annotations

from dataclasses import dataclass

from PETWorks.errors import PETWorksError
from PETWorks.facts.roles import Role
from PETWorks.measure.result import DESCRIBABLE
from PETWorks.release import Release

MOST = 50  # columns that are tried


@dataclass(frozen=True)
class IfKnown:
    """A column that is published as it is, and how many people are in small classes if an adversary knows it."""

    column: str
    role: Role
    people: int


def people_if_known(release: Release, least: int = DESCRIBABLE) -> list[IfKnown]:
    """Return the columns that are published as they are, those that would tell most people apart first.

    A class is small if it has fewer than `least` people. Suppressed rows are told apart by the column, too.

    >>> people = {"sex": ["f", "f", "m", "m"], "job": ["a", "b", "c", "c"]}
    >>> release = Release(people, quasi_identifiers=["sex"], insensitive=["job"])
    >>> [(one.column, one.people) for one in people_if_known(release, 2)]
    [('job', 2)]
    """
    roles, found = release.roles, list[IfKnown]()
    published = [(name, Role.SENSITIVE_ATTRIBUTE) for name in roles.sensitive]
    published += [(name, Role.INSENSITIVE_ATTRIBUTE) for name in roles.insensitive]
    for column, role in published[:MOST]:
        try:
            known = release.with_roles(quasi_identifiers=[*roles.quasi_identifiers, column])._facts.classes  # noqa: SLF001
        except PETWorksError:  # more combinations than fit in memory
            continue
        found.append(IfKnown(column, role, known.people_in(known.sizes < least)))
    return sorted(found, key=lambda one: -one.people)
