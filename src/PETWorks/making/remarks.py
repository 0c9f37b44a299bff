"""What every output about a release that was made begins with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PETWorks.facts.notes import Note
from PETWorks.facts.roles import Role
from PETWorks.inspection.published import published_identifiers, published_note
from PETWorks.inspection.survey import look_at

if TYPE_CHECKING:
    from PETWorks.making.made import Made


def remarks_of(made: Made) -> tuple[Note, ...]:
    """Return what the policy says first, and that a column is published which looks like an identifier."""
    tables, roles = made.original._facts._tables, made.facts.roles  # noqa: SLF001 (of our own)
    kept = dict.fromkeys(roles.sensitive, Role.SENSITIVE_ATTRIBUTE)
    kept |= dict.fromkeys(roles.insensitive, Role.INSENSITIVE_ATTRIBUTE)
    names = published_identifiers(look_at(tables.release, [*kept], tables.workspace), kept, tables.weight)
    leading = [note for note in made.original.remarks if note.leading]
    return (*leading, *([published_note(names)] if names else ()))
