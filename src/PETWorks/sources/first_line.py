"""Whether the first line of a file names its columns: a table may lack its header, and a text may be no table.

Messages quote names of columns only if they cannot be the cells of somebody.

>>> [is_cell(name) for name in ("age", "birth year 2", "A123456789", "2019-05-21", "41", "ann@example.org")]
[False, False, True, True, True, True]
>>> [is_prose(name) for name in ("# PETWorks", "Dear all, here is the list.", "marital status")]
[True, True, False]
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from PETWorks.errors import MalformedError, PETWorksError, did_you_mean, listing, plural

if TYPE_CHECKING:
    from PETWorks.sources.source import Source

HEADERLESS = "the first line looks like data, not like names of columns: add a line that names them"
NO_TABLE = "name a table: its first line names the columns, with ; , tab or | between them, or what delimiter= says"
CELLS = re.compile(
    r"[-+]?\d[\d.,]*%?"  # a number
    r"|\d{1,4}[-/.年]\d{1,2}(?:[-/.月]\d{1,4}日?)?"  # a date
    r"|\S+@\S+\.\S+"  # an address
    r"|(?=(?:\D*\d){5})(?:\d*\D){0,3}\d*"  # an identifier: five digits or more, and little else
)
SHORT = re.compile(r"[\d.,]{1,4}")
MARKS = ("#", "<", "{", "[", "//", "%", "---", "```", "*")  # of pages and programs
ENDS = (".", ":", "!", "?", "。", "：", "！", "？")
WORDS = 4  # a name of so many words may be a sentence


def is_cell(name: str) -> bool:
    """Return True if the name of a column is a number, a date, an address or an identifier."""
    return CELLS.fullmatch(name) is not None


def is_prose(name: str) -> bool:
    """Return True if a line reads like text: it has a mark of a page or of a program, or is a sentence."""
    return name.startswith(MARKS) or (name.endswith(ENDS) and len(name.split()) >= WORDS)


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
    """Return a hint for columns that a table does not have: similar names, unless they may be cells.

    Raise an error if the file does not look like a table.
    """
    require_table(source)
    names = tellable(source)
    return did_you_mean([*lacking], names) if names else HEADERLESS


def named(source: Source, columns: Sequence[str]) -> str:
    """Return some columns of a table by their names; how many they are, if their names may be cells."""
    return listing(columns) if tellable(source) else plural(len(columns), "column")


def require_table(source: Source) -> None:
    """Raise an error if a file with one column, of which another is expected, does not look like a table."""
    if not source.has_first_line or len(source.columns) > 1:
        return
    found = "which reads like text" if is_prose(source.columns[0]) else ""
    try:
        source.first_batch()
    except MalformedError as error:
        cells = re.search(r"\d+ cells", error.problem)
        found = f"but {error.where.rpartition(', ')[2]} {f'has {cells[0]}' if cells else 'cannot be read'}"
    if found:
        problem = f"this does not look like a table: its first line is one cell, {found}"
        raise MalformedError(problem, where=source.name, hint=NO_TABLE)
