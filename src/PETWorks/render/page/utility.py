"""The section on what is left of the data: for each column, the levels at which it is released and its scores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from markupsafe import Markup

from PETWorks.answer.evaluation import Evaluation
from PETWorks.answer.exhibits.levels import ColumnLevels
from PETWorks.answer.view import View
from PETWorks.measure.base import Measure
from PETWorks.measure.result import Result
from PETWorks.measure.utility import Utility
from PETWorks.render.page.markup import name, say, warnings
from PETWorks.render.page.steps import both_titles
from PETWorks.render.page.svg import bar, strip
from PETWorks.utility.non_uniform_entropy import NonUniformEntropy
from PETWorks.utility.precision import Precision

MOST = 20  # the most columns in the table; the others are folded
SCORES: dict[str, type[Measure]] = {"precision": Precision, "entropy": NonUniformEntropy}


def section(view: View) -> Mapping[str, Any]:
    """Return a row for each column, the one that kept least first."""
    scores = {key: view.find(kind) for key, kind in SCORES.items()}
    rows = sorted((_row(column, scores) for column in view.levels), key=lambda row: row["order"])
    return {
        "rows": rows[:MOST],
        "folded": rows[MOST:],
        "overall": {key: _score(result, None) for key, result in scores.items()},
        "asked": {key: result is not None for key, result in scores.items()},
        "titles": {key: both_titles(kind) for key, kind in SCORES.items()},
        "original": view.has_original,
        "warnings": warnings(Evaluation([one for one in view.results if isinstance(one.measure, Utility)]).warnings),
    }


def _row(column: ColumnLevels, scores: Mapping[str, Result | None]) -> dict[str, Any]:
    shown = {key: _score(result, column.column) for key, result in scores.items()}
    lowest = min((one["value"] for one in shown.values() if one["value"] is not None), default=1.0)
    return {
        "name": name(column.column),
        "before": column.before,
        "after": column.after,
        "levels": levels_text(column),
        "strip": strip(shares_of(column)),
        "order": lowest,
        **shown,
    }


def _score(result: Result | None, column: str | None) -> dict[str, Any]:
    part = result if column is None or result is None else result.parts.get(column)
    value = None if part is None else part.value
    return {"value": value, "bar": Markup("") if value is None else bar(value, height=10)}


def shares_of(column: ColumnLevels) -> Iterator[tuple[str, float]]:
    """Yield the share of rows at each level, the darker the nearer to the original; suppressed rows last."""
    for level, share in enumerate(column.shares):
        yield f"level{shade(level, column.height)}", share
    if not column.shares:
        yield "track", 1 - column.suppressed
    yield "hatched", column.suppressed


def shade(level: int, height: int) -> int:
    """Return one of four shades: original level, up to half of the height, above that, fully generalised."""
    if level in (0, height):
        return 3 if level and height else 0
    return 1 if 2 * level <= height else 2


def levels_text(column: ColumnLevels) -> Markup:
    """Write the levels of the rows; without a hierarchy, whether values were kept."""
    if (levels := column.levels) is None:
        return say("levels_differ")
    if not levels:
        return say("levels_none")
    if not column.in_hierarchy:
        return say("kept_some" if len(levels) > 1 else "kept_none" if levels[0] else "kept_all")
    if len(levels) == 1:
        return say("level_one", level=levels[0], height=column.height)
    return say("level_many", low=levels[0], high=levels[-1], height=column.height)
