"""What to be careful about in a table: about the table itself, and about the roles that columns have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from PETWorks.errors import MANY
from PETWorks.facts.notes import Name, Note
from PETWorks.facts.roles import Role

if TYPE_CHECKING:
    from PETWorks.inspection.survey import Survey

HEADERS = 0.5  # the share of columns whose names may be cells of theirs before the header is in doubt


def warnings(found: Survey, roles: Mapping[str, Role]) -> Iterator[Note]:
    """Yield warnings: about the table, about single columns, and about columns that say the same."""
    columns, rows = found.inspection.columns, found.inspection.rows
    if rows < MANY:
        yield _warning("few_rows", rows=rows)
    if len(columns) == 1:
        yield _warning("one_column")
    if found.like_headers > HEADERS * len(columns):
        yield _warning("no_header")
    for column in columns:
        name, role = Name(column.name), roles.get(column.name)
        if column.name in found.free_text and role is not Role.IDENTIFIER:
            yield _warning("free_text_column", column=name)
        elif role not in (None, Role.IDENTIFIER) and column.name in found.may_name:
            yield _warning("names_people", column=name, distinct=column.distinct, rows=rows)
        if role is Role.SENSITIVE_ATTRIBUTE and column.distinct == 1 and not column.missing:
            yield _warning("same_for_all", column=name)
    for first, second in found.alike:
        yield _warning("say_the_same", first=Name(first), second=Name(second))


def _warning(kind: str, **figures: object) -> Note:
    return Note(kind, figures, warning=True)
