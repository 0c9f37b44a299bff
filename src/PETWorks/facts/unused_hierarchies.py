"""Notes on hierarchies that fit no column: their name may be misspelt."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from PETWorks.errors import nearest
from PETWorks.facts.notes import Name, Note


def unused_hierarchies(found: Mapping[str, Any], columns: Sequence[str]) -> Iterator[Note]:
    """Yield notes on hierarchies that fit no column; suggest a column with a similar name that has none."""
    lacking = [column for column in columns if column not in found]
    strays = []
    for attribute in [name for name in found if name not in columns]:
        place = found[attribute]
        name = Name(place.name if isinstance(place, Path) else attribute)
        if column := nearest(attribute, lacking):
            yield Note("misspelt_hierarchy", {"name": name, "column": Name(column)})
        else:
            strays.append(name)
    if strays:
        yield Note("stray_hierarchies", {"names": strays})
