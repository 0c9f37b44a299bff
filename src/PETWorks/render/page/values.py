"""Values before and after: how many rows each released value has, and which share of its people was kept.

A value is named only if it is released, in a class large enough to be described; the original is counted at the level
of the release, and what is not released is counted together.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from PETWorks.counting.tally import Value, shown, sums
from PETWorks.errors import PETWorksError
from PETWorks.explain.step import Cell, Name
from PETWorks.facts.cells import Cells
from PETWorks.render.page.markup import cell, name, say
from PETWorks.render.page.svg import bar
from PETWorks.render.page.view import View

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
    counts = sums(cells.released.codes[published], cells.counts[published], len(cells.released.values))
    after = {value: many for value, many in zip(cells.released.values, counts.tolist(), strict=True) if many}
    level = int(cells.levels[published & ~cells.marked].max(initial=0))
    nameable = _nameable(view, cells.name)
    before = _before(cells, level, {value: after[value] for value in nameable}, view.least)
    listed = sorted(nameable, key=lambda value: (-after[value], value or ""))[:SHOWN]
    pooled = sum(after.values()) - sum(after[value] for value in listed)
    suppressed = int(cells.counts[cells.suppressed].sum())
    most = max([1, pooled, suppressed, *(max(after[value], before.get(value, 0)) for value in listed)])
    others = {"values": len(after) - len(listed), "after": pooled, "bar": bar(pooled / most)}
    kept = [(after[value] / past, cells.name, value) for value, past in before.items()]
    return {
        "name": name(cells.name),
        "level": level if cells.original is not None and cells.name in view.facts.hierarchies else None,
        "rows": [_row(value, after[value], before.get(value), most, overall) for value in listed],
        "others": others | {"withheld": len(after) - len(nameable)} if pooled else None,
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


def _before(cells: Cells, level: int, after: Mapping[Value, int], least: int) -> dict[Value, int]:
    """Count the original rows of some released values, as they would be at the level of the release.

    Where a value lost few rows nothing is told: what these rows held could be found by subtraction.
    """
    if cells.original is None:
        return {}
    lifted = cells.lifted(level)
    counts = sums(lifted.codes, cells.counts, len(lifted.values))
    before = {value: many for value, many in zip(lifted.values, counts.tolist(), strict=True) if value in after}
    return {} if any(0 < many - after[value] < least for value, many in before.items()) else before


def _nameable(view: View, column: str) -> set[Value]:
    """Give the values that occur in a class large enough to be described."""
    classes = view.facts.classes
    coded = classes.columns[column].take(classes.sizes >= view.least)
    return {coded.values[code] for code in np.unique(coded.codes).tolist()}
