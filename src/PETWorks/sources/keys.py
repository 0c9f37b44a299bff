"""Errors about the key that pairs rows, with the same messages for tables on this machine and on a cluster."""

from __future__ import annotations

from collections.abc import Sequence

from PETWorks.errors import PairingError, listing, plural

LISTED = 10  # most values that an error shows
UNIQUE = "name a column that has a different value in every row"


def missing_key(table: str, key: str) -> PairingError:
    """Build the error for rows whose key is missing."""
    return PairingError(f'the key "{key}" has missing cells', where=table, hint=UNIQUE)


def repeated_key(table: str, key: str, some: Sequence[object], many: int) -> PairingError:
    """Build the error for a key with values that several rows have; it shows `some` of `many` such values."""
    verb = "occurs" if many == 1 else "occur"
    problem = f'{plural(many, "value")} of the key "{key}" {verb} more than once'
    return PairingError(problem, where=table, hint=UNIQUE, listed=_listed(some, many))


def lone_key(tables: tuple[str, str], key: str, some: Sequence[object], many: int) -> PairingError:
    """Build the error for rows without a partner in the other table; it shows `some` of `many` such values."""
    verb = "occurs" if many == 1 else "occur"
    problem = f'{plural(many, "value")} of the key "{key}" {verb} in one table only'
    hint = "keep only the rows whose key is in both tables"
    return PairingError(problem, where=" and ".join(tables), hint=hint, listed=_listed(some, many))


def _listed(some: Sequence[object], many: int) -> str:
    more = f" and {many - LISTED} more" if many > LISTED else ""
    return listing(some[:LISTED]) + more
