"""What is left of the data: column by column, the levels at which it is released and what its scores say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from markupsafe import Markup

from PETWorks.errors import PETWorksError
from PETWorks.facts.cells import Cells
from PETWorks.measure.result import Result
from PETWorks.render.page.markup import name, say
from PETWorks.render.page.steps import both_titles
from PETWorks.render.page.svg import bar, strip
from PETWorks.render.page.view import View
from PETWorks.utility.non_uniform_entropy import NonUniformEntropy
from PETWorks.utility.precision import Precision

MOST = 20  # columns in the table; the rest is folded


def section(view: View) -> Mapping[str, Any]:
    """Give a row for each column, the one that kept least first."""
    scores = {"precision": view.find(Precision), "entropy": view.find(NonUniformEntropy)}
    try:
        known = view.facts.hierarchies
        rows = [_row(cells, scores, in_hierarchy=cells.name in known) for cells in view.facts.cells]
    except PETWorksError:  # a value is missing from its hierarchy; the measures that need it say so
        rows = []
    rows.sort(key=lambda row: row["order"])
    overall = {key: _score(result, None) for key, result in scores.items()}
    asked = {key: result is not None for key, result in scores.items()}
    titles = {"precision": both_titles(Precision), "entropy": both_titles(NonUniformEntropy)}
    return {
        "rows": rows[:MOST],
        "folded": rows[MOST:],
        "overall": overall,
        "asked": asked,
        "titles": titles,
        "original": view.facts.original is not None,
    }


def _row(cells: Cells, scores: Mapping[str, Result | None], *, in_hierarchy: bool) -> dict[str, Any]:
    shown = {key: _score(result, cells.name) for key, result in scores.items()}
    lowest = min((one["value"] for one in shown.values() if one["value"] is not None), default=1.0)
    return {
        "name": name(cells.name),
        "before": None if cells.original is None else _distinct(cells.original.codes),
        "after": _distinct(cells.released.codes[~cells.suppressed]),
        "levels": _levels(cells, in_hierarchy=in_hierarchy),
        "strip": strip(_strip(cells)),
        "order": lowest,
        **shown,
    }


def _distinct(codes: Any) -> int:  # noqa: ANN401
    return len(np.unique(codes))


def _score(result: Result | None, column: str | None) -> dict[str, Any]:
    part = result if column is None or result is None else result.parts.get(column)
    value = None if part is None else part.value
    return {"value": value, "bar": Markup("") if value is None else bar(value, height=10)}


def _strip(cells: Cells) -> Iterator[tuple[str, float]]:
    """Give the share of rows at each level, the darker the nearer to the original; suppressed rows last."""
    total, height = int(cells.counts.sum()), cells.hierarchy.height
    for level in range(height + 1):
        rows = int(cells.counts[~cells.suppressed & (cells.levels == level)].sum())
        yield f"level{_shade(level, height)}", rows / total
    yield "hatched", int(cells.counts[cells.suppressed].sum()) / total


def _shade(level: int, height: int) -> int:
    """Choose one of four shades: as the original, up to half of the height, above it, complete."""
    if level in (0, height):
        return 3 if level and height else 0
    return 1 if 2 * level <= height else 2


def _levels(cells: Cells, *, in_hierarchy: bool) -> Markup:
    """Say at which levels the rows are; without a hierarchy, whether they were kept."""
    levels = np.unique(cells.levels[~cells.suppressed]).tolist()
    if not levels:
        return say("levels_none")
    if not in_hierarchy:
        return say("kept_some" if len(levels) > 1 else "kept_none" if levels[0] else "kept_all")
    if len(levels) == 1:
        return say("level_one", level=levels[0], height=cells.hierarchy.height)
    return say("level_many", low=levels[0], high=levels[-1], height=cells.hierarchy.height)
