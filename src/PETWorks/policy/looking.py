"""What an inspection of the released table finds of that which no table can show: columns to look at, and no proof."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from PETWorks.answer.requirement import NotShown
from PETWorks.inspection.inspect import inspect
from PETWorks.inspection.inspection import InspectedColumn
from PETWorks.render.words import words
from PETWorks.sources import OpenedTable, Source

PREFIXES = ("form_", "topic_")  # of the words for what an inspection finds


def findable() -> list[str]:
    """Return what an inspection can find: forms of values, and what names of columns say."""
    return [key.removeprefix(one) for key in words("en").inspection for one in PREFIXES if key.startswith(one)]


def looked_for(listed: Sequence[NotShown], source: Source, memory: Mapping[str, Any]) -> tuple[NotShown, ...]:
    """Return what is not shown, with the columns that look like it; read the table only if something is looked for."""
    if not any(one.looks_for for one in listed):
        return tuple(listed)
    seen = {column.name: _found(column) for column in inspect(OpenedTable(source, source), **memory)}
    return tuple(
        replace(one, found=tuple(name for name, found in seen.items() if found & {*one.looks_for}))
        if one.looks_for
        else one
        for one in listed
    )


def _found(column: InspectedColumn) -> set[str]:
    """Return what a column looks like; one with the same value in all rows shows nothing of a person."""
    if column.distinct <= 1:
        return set()
    return {str(note.figures[key]) for note in column.reasons for key in ("form", "topic") if key in note.figures}
