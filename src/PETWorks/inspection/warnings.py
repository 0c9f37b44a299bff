"""What to be careful about in a table, whatever roles are chosen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from PETWorks.errors import MANY
from PETWorks.facts.notes import Name, Note
from PETWorks.facts.roles import Role
from PETWorks.inspection.inspection import InspectedColumn
from PETWorks.inspection.suggestion import Evidence

HEADERS = 0.5  # the share of columns whose names may be cells of theirs before the header is in doubt


def warnings(
    columns: Sequence[InspectedColumn], evidence: Sequence[Evidence], equivalent: Sequence[tuple[str, str]]
) -> Iterator[Note]:
    """Yield warnings: about the table, about single columns, and about columns that say the same."""
    rows = evidence[0].values.rows
    if rows < MANY:
        yield _warning("few_rows", rows=rows)
    if len(columns) == 1:
        yield _warning("one_column")
    if sum(one.name in one.values.texts for one in evidence) > HEADERS * len(columns):
        yield _warning("no_header")
    for column, one in zip(columns, evidence, strict=True):
        name = Name(column.name)
        if one.free_text and column.role is not Role.IDENTIFIER:
            yield _warning("free_text_column", column=name)
        elif column.role in (Role.QUASI_IDENTIFIER, Role.SENSITIVE_ATTRIBUTE) and one.may_name_people:
            yield _warning("names_people", column=name, distinct=column.distinct, rows=rows)
        if column.role is Role.SENSITIVE_ATTRIBUTE and column.distinct == 1 and not column.missing:
            yield _warning("same_for_all", column=name)
    for first, second in equivalent:
        yield _warning("say_the_same", first=Name(first), second=Name(second))


def _warning(kind: str, **figures: object) -> Note:
    return Note(kind, figures, warning=True)
