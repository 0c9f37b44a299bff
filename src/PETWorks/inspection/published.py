"""Columns that are published as they are, although what was found in them says that they are identifiers.

No measure sees this mistake: a requirement judges what the roles call known, and these columns are called harmless.

>>> from PETWorks.inspection.survey import survey
>>> names = [f"{letter}{digit}" for letter in "ABCDE" for digit in range(10, 20)]
>>> found = survey({"sex": ["M", "F"] * 25, "code": names, "pay": ["30.5", "41.5"] * 25}).inspection
>>> published_identifiers(found, {"sex": Role.QUASI_IDENTIFIER, "code": Role.INSENSITIVE_ATTRIBUTE}, None)
('code',)
>>> published_identifiers(found, {"sex": Role.QUASI_IDENTIFIER, "code": Role.IDENTIFIER}, None)
()
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from PETWorks.facts.notes import Name, Note
from PETWorks.facts.roles import Role
from PETWorks.inspection.inspection import InspectedColumn
from PETWorks.sources.source import Source

DIFFERENT = ("all_different", "different")  # reasons that say no more than that values differ


def published_identifiers(
    columns: Iterable[InspectedColumn], roles: Mapping[str, Role], weight: str | None
) -> tuple[str, ...]:
    """Return the columns that look like identifiers, and whose role leaves every cell as it is.

    Sampling weights may all differ, and are none.
    """
    return tuple(one.name for one in columns if one.name != weight and _is_published(one, roles.get(one.name)))


def published_note(columns: Sequence[str]) -> Note:
    """Return the warning that every output of such a release begins with."""
    return Note("publishes_identifier", {"columns": [Name(one) for one in columns]}, warning=True, leading=True)


def _is_published(column: InspectedColumn, role: Role | None) -> bool:
    """Return True if a column is published, and looks like an identifier.

    Sensitive values may all differ, as amounts do: of these, only a form or a name tells an identifier.
    """
    if column.role is not Role.IDENTIFIER:
        return False
    if role is Role.SENSITIVE_ATTRIBUTE:
        return column.reasons[0].kind not in DIFFERENT
    return role is Role.INSENSITIVE_ATTRIBUTE


def in_clear(source: Source, columns: Sequence[str], marker: str) -> Iterator[Note]:
    """Yield the warning that identifiers are published, if some cells of the first rows say so."""
    batch = dict(zip(source.columns, source.first_batch(), strict=False)) if columns else {}
    clear = [Name(one) for one in columns if one in batch and not {*batch[one].values} <= {marker, None}]
    if clear:
        yield Note("identifier_in_clear", {"columns": clear}, warning=True, leading=True)
