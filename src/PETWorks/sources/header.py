"""The names of the columns of a table, as its first line has them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from PETWorks.errors import MalformedError, listing, plural


def column_names(headers: Sequence[object], where: str) -> tuple[str, ...]:
    """Trim and return the names of columns; raise an error if a name is empty or occurs twice."""
    names = tuple(str(header).strip() for header in headers)
    if not names:
        raise MalformedError("there are no columns", where=where, hint="check that this is the right table")
    if "" in names:
        hint = "give every column a name (a delimiter at the end of the line adds a column without a name)"
        raise MalformedError(f"column {names.index('') + 1} has an empty name", where=where, hint=hint)
    if twice := [name for name, times in Counter(names).items() if times > 1]:
        places = [str(place) for place, name in enumerate(names, 1) if name == twice[0]]
        problem = f"columns {', '.join(places[:-1])} and {places[-1]} have the same name"
        more = f", and so have columns of {plural(len(twice) - 1, 'other name')}" if len(twice) > 1 else ""
        hint = "rename them, so that every name occurs once; the first line must name the columns"
        raise MalformedError(problem + more, where=where, hint=hint, listed=listing(twice))
    return names
