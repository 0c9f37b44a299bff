"""Whether the first line of a file names its columns: a table may lack its header.

Messages quote names of columns only if they cannot be the cells of somebody.

>>> [is_cell(name) for name in ("age", "birth year 2", "A123456789", "2019-05-21", "41", "ann@example.org")]
[False, False, True, True, True, True]
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from PETWorks.errors import PETWorksError, did_you_mean, listing, plural

if TYPE_CHECKING:
    from PETWorks.sources.source import Source

HEADERLESS = "the first line looks like data, not like names of columns: add a line that names them"
CELLS = re.compile(
    r"[-+]?\d[\d.,]*%?"  # a number
    r"|\d{1,4}[-/.年]\d{1,2}(?:[-/.月]\d{1,4}日?)?"  # a date
    r"|\S+@\S+\.\S+"  # an address
    r"|(?=(?:\D*\d){5})(?:\d*\D){0,3}\d*"  # an identifier: five digits or more, and little else
)
SHORT = re.compile(r"[\d.,]{1,4}")


def is_cell(name: str) -> bool:
    """Return True if the name of a column is a number, a date, an address or an identifier."""
    return CELLS.fullmatch(name) is not None


def tellable(source: Source) -> Sequence[str]:
    """Return the names of the columns; none if they may be cells, since the table seems to have no header."""
    columns = source.columns
    if not source.has_first_line:
        return columns
    if are_cells(columns):
        return ()
    try:
        batch = source.first_batch()
    except PETWorksError:
        return columns
    again = any(name in column.values for name, column in zip(columns, batch, strict=False))
    return () if again else columns


def are_cells(names: Sequence[str]) -> bool:
    """Return True if most names are like cells, or one of them that is no short number, such as a year."""
    found = [name for name in names if is_cell(name)]
    return bool(found) and (2 * len(found) > len(names) or any(not SHORT.fullmatch(name) for name in found))


def suggestion(source: Source, lacking: Sequence[str]) -> str:
    """Return a hint for columns that a table does not have: similar names, unless they may be cells."""
    names = tellable(source)
    return did_you_mean([*lacking], names) if names else HEADERLESS


def named(source: Source, columns: Sequence[str]) -> str:
    """Return some columns of a table by their names; how many they are, if their names may be cells."""
    return listing(columns) if tellable(source) else plural(len(columns), "column")
