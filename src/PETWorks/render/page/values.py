"""Values before and after: how many rows each released value has, and which share of its people was kept.

A value is named only if it is released, in a class large enough to be described; the original is counted at the level
of the release, and what is not released is counted together.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from PETWorks.cells import Cells
from PETWorks.errors import PETWorksError
from PETWorks.render.page.markup import cell, name, say
from PETWorks.render.page.svg import bar
from PETWorks.render.page.view import View
from PETWorks.step import Cell, Name
from PETWorks.tally import Value, shown, sums

SHOWN = 8  # values of a column
FIRST = 6  # columns that are not folded
UNEVEN = 0.8  # of what is kept overall: a value that keeps less stands out
COLUMNS = 100  # that are looked at


def section(view: View) -> Mapping[str, Any]:
    """Give the values of each quasi-identifier, and the one that suppression falls hardest on."""
    kept = view.published / view.scope.rows
    tables = []
    for column in view.facts.roles.quasi_identifiers[:COLUMNS]:
        try:
            tables.append(_table(view, view.facts.column(column), kept))
        except PETWorksError:
            continue
    hardest = min((table["hardest"] for table in tables if table["hardest"]), default=None, key=lambda one: one[0])
    compared = "before_after_sub" if view.facts.hierarchies else "before_after_flat"
    sentences = [say(compared if view.facts.original else "released_values_sub", least=view.least)]
    if hardest and hardest[0] < kept:
        share, column, value = hardest
        worst = {"column": Name(column), "value": Cell(shown(value))}
        sentences.insert(0, say("hardest", **worst, share=share, overall=kept))
    return {
        "tables": tables[:FIRST],
        "folded": tables[FIRST:],
        "sentences": sentences,
        "original": view.facts.original is not None,
    }


def _table(view: View, cells: Cells, overall: float) -> dict[str, Any]:
    published = ~cells.suppressed
    released = sums(cells.released.codes[published], cells.counts[published], len(cells.released.values))
    level = int(cells.levels[published & ~cells.marked].max(initial=0))
    nameable, before = _nameable(view, cells.name), _before(cells, level)
    lost = [
        past - int(released[cells.released.code(value)]) for value, past in (before or {}).items() if value in nameable
    ]
    if any(0 < rows < view.least for rows in lost):
        before = None  # what few people's rows held must not be found by subtraction
    rows = list[tuple[Value, int, int | None]]()
    pooled = {"after": 0, "values": 0}
    for code in np.argsort(-released, kind="stable").tolist():
        value, after = cells.released.values[code], int(released[code])
        if after and value in nameable and len(rows) < SHOWN:
            rows.append((value, after, before.get(value) if before is not None else None))
        elif after:
            pooled["values"] += 1
            pooled["after"] += after
    withheld = sum(1 for code in np.flatnonzero(released).tolist() if cells.released.values[code] not in nameable)
    suppressed = int(cells.counts[cells.suppressed].sum())
    most = max([1, *(max(after, past or 0) for _, after, past in rows), pooled["after"], suppressed])
    kept = [
        (after / before[value], cells.name, value)
        for value, after in zip(cells.released.values, released.tolist(), strict=True)
        if before and after and value in nameable and before.get(value)
    ]
    return {
        "name": name(cells.name),
        "level": level if cells.original is not None and cells.name in view.facts.hierarchies else None,
        "rows": [_row(value, after, past, most, overall) for value, after, past in rows],
        "others": pooled | {"bar": bar(pooled["after"] / most), "withheld": withheld} if pooled["values"] else None,
        "suppressed": {"rows": suppressed, "bar": bar(suppressed / most, "d3")} if suppressed else None,
        "hardest": min(kept, default=None, key=lambda one: one[0]),
    }


def _row(value: Value, after: int, past: int | None, most: int, overall: float) -> dict[str, Any]:
    kept = after / past if past else None
    if kept is not None and kept > 1:
        kept = None  # others were released as this value too, so that nothing can be said
    return {
        "value": cell(value),
        "after": after,
        "kept": kept,
        "low": kept is not None and kept < UNEVEN * overall,
        "bar": bar(after / most, hollow=None if past is None else past / most),
    }


def _before(cells: Cells, level: int) -> dict[Value, int] | None:
    """Count the original's values as they would be at the level of the release."""
    if cells.original is None:
        return None
    lifted = cells.lifted(level)
    counts = sums(lifted.codes, cells.counts, len(lifted.values))
    return dict(zip(lifted.values, counts.tolist(), strict=True))


def _nameable(view: View, column: str) -> set[Value]:
    """Give the values that occur in a class large enough to be described."""
    classes = view.facts.classes
    coded = classes.columns[column].take(classes.sizes >= view.least)
    return {coded.values[code] for code in np.unique(coded.codes).tolist()}
