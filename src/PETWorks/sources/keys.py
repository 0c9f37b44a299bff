"""What is wrong with a key that is to pair rows, said the same way wherever the rows are."""

from __future__ import annotations

from collections.abc import Sequence

from PETWorks.errors import PairingError, listing, plural

LISTED = 10  # values that an error shows
UNIQUE = "name a column that has a value of its own in every row"


def missing_key(table: str, key: str) -> PairingError:
    """Say that rows of a table have no key."""
    return PairingError(f'the key "{key}" has missing cells', where=table, hint=UNIQUE)


def repeated_key(table: str, key: str, some: Sequence[object], many: int) -> PairingError:
    """Say that several rows of a table have the same key; `some` of `many` such values are shown."""
    problem = f'{plural(many, "value")} of the key "{key}" more than once'
    return PairingError(problem, where=table, hint=UNIQUE, listed=_listed(some, many))


def lone_key(tables: tuple[str, str], key: str, some: Sequence[object], many: int) -> PairingError:
    """Say that rows of one table have no partner in the other; `some` of `many` such values are shown."""
    problem = f'{plural(many, "value")} of the key "{key}" in one table only'
    hint = "keep the rows that both tables have"
    return PairingError(problem, where=" and ".join(tables), hint=hint, listed=_listed(some, many))


def _listed(some: Sequence[object], many: int) -> str:
    more = f" and {many - LISTED} more" if many > LISTED else ""
    return listing(some[:LISTED]) + more
