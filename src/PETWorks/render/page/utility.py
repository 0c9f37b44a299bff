"""The sections on utility: the levels and scores of each column, and the rows of each value before and after."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from markupsafe import Markup

from PETWorks.disclosure.exhibits import ColumnLevels, ReportedValues, ValueRows
from PETWorks.disclosure.report import EvaluationView
from PETWorks.evaluation.evaluation import Evaluation
from PETWorks.facts.notes import Cell, Name
from PETWorks.measure.base import Measure
from PETWorks.measure.losses import Utility
from PETWorks.measure.result import Result
from PETWorks.measure.utility.non_uniform_entropy import NonUniformEntropy
from PETWorks.measure.utility.precision import Precision
from PETWorks.render.page.annex import write_title
from PETWorks.render.page.markup import BilingualMarkup, say, write_cell, write_name, write_warnings
from PETWorks.render.page.svg import draw_bar, draw_strip
from PETWorks.shown import Count, CountBand, Exact, show_exactly
from PETWorks.tables.counting.tally import cell_text

MAX_COLUMNS = 20  # maximum number of columns in the table; the others are folded
SCORES: dict[str, type[Measure]] = {"precision": Precision, "entropy": NonUniformEntropy}


def build_utility_section(view: EvaluationView) -> Mapping[str, Any]:
    """Return a row for each column, those with the lowest scores first."""
    scores = {key: view.find(kind) for key, kind in SCORES.items()}
    rows = sorted((_row(column, scores) for column in view.levels), key=lambda row: row["order"])
    return {
        "rows": rows[:MAX_COLUMNS],
        "folded": rows[MAX_COLUMNS:],
        "overall": {key: _score(result, None) for key, result in scores.items()},
        "asked": {key: result is not None for key, result in scores.items()},
        "titles": {key: write_title(kind) for key, kind in SCORES.items()},
        "original": view.has_original,
        "warnings": write_warnings(
            Evaluation([one for one in view.results if isinstance(one.measure, Utility)]).warnings
        ),
    }


def _row(column: ColumnLevels, scores: Mapping[str, Result | None]) -> dict[str, Any]:
    shown = {key: _score(result, column.column) for key, result in scores.items()}
    lowest = min((one["value"] for one in shown.values() if one["value"] is not None), default=1.0)
    return {
        "name": write_name(column.column),
        "before": column.before,
        "after": column.after,
        "levels": levels_text(column),
        "strip": draw_strip(list_level_shares(column)),
        "order": lowest,
        **shown,
    }


def _score(result: Result | None, column: str | None) -> dict[str, Any]:
    part = result if column is None or result is None else result.parts.get(column)
    value = None if part is None else part.value
    return {"value": value, "bar": Markup("") if value is None else draw_bar(value, height=10)}


def list_level_shares(column: ColumnLevels) -> Iterator[tuple[str, float]]:
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
    """Write the levels of the rows; without a hierarchy, whether values were retained."""
    if (levels := column.levels) is None:
        return say("levels_differ")
    if not levels:
        return say("levels_none")
    if not column.in_hierarchy:
        return say("kept_some" if len(levels) > 1 else "kept_none" if levels[0] else "kept_all")
    if len(levels) == 1:
        return say("level_one", level=Exact(levels[0]), height=Exact(column.height))
    return say("level_many", low=Exact(levels[0]), high=Exact(levels[-1]), height=Exact(column.height))


FIRST = 6  # maximum number of columns that are not folded
UNEVEN = 0.8  # a value is marked if its retained share is less than this share of the average


def build_values_section(view: EvaluationView) -> Mapping[str, Any]:
    """Return the values of each quasi-identifier, and the value that lost most by suppression."""
    kept = view.published / view.scope.rows
    tables = [build_values_table(one, kept) for one in view.values]
    compared = "before_after_sub" if view.record.heights else "before_after_flat"
    may = view.disclosure
    sentences = [say(compared if view.has_original else "released_values_sub")]
    if not may.shows_counts:
        sentences.append(say(f"told_{may.level}", least=Exact(may.least)))
    elif view.has_original:
        sentences.append(say("kept_share"))
    return {
        "tables": tables[:FIRST],
        "folded": tables[FIRST:],
        "sentences": [*_write_hardest(view, kept), *sentences],
        "original": view.has_original,
        "shares": view.has_original and may.shows_counts,
        "exact": may.shows_counts,
    }


def _write_hardest(view: EvaluationView, kept: float) -> Iterator[BilingualMarkup]:
    """Yield a sentence on the value that lost most by suppression, of all columns."""
    found = [(one.column, one.hardest) for one in view.values if one.hardest]
    column, worst = min(found, default=("", None), key=lambda one: one[1].share)
    if worst is not None and worst.share < kept:
        shares = show_exactly({"share": worst.share, "overall": kept})
        whole = all(one.counts_shown and not one.gone for one in view.values)
        kind = "hardest_band" if not worst.exact else "hardest" if whole else "hardest_told"
        yield say(kind, column=Name(column), value=Cell(cell_text(worst.value)), **shares)


def build_values_table(one: ReportedValues, overall: float) -> dict[str, Any]:
    """Return the rows of a column's table: values with bars and shares, marked if fewer of their rows were retained."""
    counts = [one.pooled, *(count for row in one.listed for count in (row.after, row.before))]
    most = max([1, one.suppressed, *map(_length, counts)])
    others = {"values": one.others, "after": one.pooled, "bar": draw_bar(_length(one.pooled) / most)}
    suppressed = {"rows": one.suppressed, "bar": draw_bar(one.suppressed / most, "d3")}
    return {
        "name": write_name(one.column),
        "level": one.level,
        "rows": [_values_row(row, most, overall) for row in one.listed],
        "others": others if one.others else None,
        "suppressed": suppressed if one.suppressed else None,
    }


def _length(count: Count | None) -> int:
    """Return the length of a bar: the count, or the middle of its range."""
    return (count.low + count.high) // 2 if isinstance(count, CountBand) else count or 0


def _values_row(row: ValueRows, most: int, overall: float) -> dict[str, Any]:
    exact = isinstance(row.after, int) and isinstance(row.before, int) and row.before > 0
    kept = _length(row.after) / _length(row.before) if exact else None
    if kept is not None and kept > 1:
        kept = None  # other original values were released as this one too, so the share is unknown
    return {
        "value": write_cell(row.value),
        "after": row.after,
        "kept": kept,
        "low": kept is not None and kept < UNEVEN * overall,
        "before": row.before,
        "bar": draw_bar(_length(row.after) / most, hollow=None if row.before is None else _length(row.before) / most),
    }
