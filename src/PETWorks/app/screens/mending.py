"""Which screens mend a problem: where something is missing, a button leads to the screen that decides about it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from PETWorks.app.desk import Desk
from PETWorks.app.screens.requirements.asking import kind_of, lifted, sensitive_of
from PETWorks.errors import GoalError, HierarchyError, OutputError, PersonError, PETWorksError, RoleError, SourceError
from PETWorks.facts.roles import Role
from PETWorks.measure.base import Need


class Door(NamedTuple):
    """A screen, and the key of the words of its button."""

    address: str
    key: str


OPEN, COLUMNS = Door("/", "frame_to_open"), Door("/columns", "frame_to_columns")
HIERARCHIES, REQUIREMENTS = Door("/hierarchies", "frame_to_hierarchies"), Door("/requirements", "frame_to_requirements")
EXPLORE = Door("/explore", "frame_to_explore")
PLACES = {"[roles]": COLUMNS, "[hierarchies": HIERARCHIES, "[[require]]": REQUIREMENTS, "[anonymize": EXPLORE}


def doors(desk: Desk, error: PETWorksError) -> tuple[Door, ...]:
    """Return the screens that mend an error, the first one first."""
    found = dict.fromkeys(_missing(desk))
    if not found:
        each = getattr(error, "problems", ()) or (error,)
        found = dict.fromkeys(_door(one) for one in each if not isinstance(one, OutputError))
    return tuple(found)


def _missing(desk: Desk) -> Iterator[Door]:
    """Yield the screens on which something is not decided that every release, or a requirement, needs."""
    try:
        columns = desk.columns
    except PETWorksError:
        yield OPEN
        return
    roles, sensitive = desk.draft.roles_of(columns), sensitive_of(desk)
    if len(roles) < len(columns) or Role.QUASI_IDENTIFIER not in roles.values():
        yield COLUMNS
    asked = desk.draft.requirements
    if not sensitive and any(Need.SENSITIVE in kind.needs for one in asked if (kind := kind_of(one))):
        yield from (COLUMNS, REQUIREMENTS)
    made = {key.strip() for key in desk.draft.rules}
    if any(name not in made for one in asked for name in lifted(one, sensitive)):
        yield from (HIERARCHIES, REQUIREMENTS)


def _door(error: PETWorksError) -> Door:
    """Return the screen that an error is about: by its kind, or by the place in the policy that it names."""
    if isinstance(error, GoalError):
        return EXPLORE
    if isinstance(error, HierarchyError):
        return HIERARCHIES
    if isinstance(error, RoleError | PersonError):
        return COLUMNS
    if isinstance(error, SourceError):
        return OPEN
    return next((door for place, door in PLACES.items() if place in error.where), REQUIREMENTS)
