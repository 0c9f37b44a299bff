"""The section on values before and after: the rows of each released value, and the share of its people still there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from PETWorks.answer.exhibits.values import ColumnValues, ValueRows
from PETWorks.answer.view import View
from PETWorks.counting.tally import cell_text
from PETWorks.facts.bands import Band, Count
from PETWorks.facts.notes import Cell, Name
from PETWorks.render.page.markup import Said, cell, name, say
from PETWorks.render.page.svg import bar

FIRST = 6  # the most columns that are not folded
UNEVEN = 0.8  # a value is marked if it kept less than this share of what all rows kept on average


def section(view: View) -> Mapping[str, Any]:
    """Return the values of each quasi-identifier, and the value that lost most by suppression."""
    kept = view.published / view.scope.rows
    tables = [table_of(one, kept) for one in view.values]
    compared = "before_after_sub" if view.record.heights else "before_after_flat"
    may = view.discretion
    sentences = [say(compared if view.has_original else "released_values_sub")]
    if not may.counts:
        sentences.append(say(f"told_{may.telling}", least=may.least))
    elif view.has_original:
        sentences.append(say("kept_share"))
    return {
        "tables": tables[:FIRST],
        "folded": tables[FIRST:],
        "sentences": [*_hardest(view, kept), *sentences],
        "original": view.has_original,
        "shares": view.has_original and may.counts,
        "exact": may.counts,
    }


def _hardest(view: View, kept: float) -> Iterator[Said]:
    """Yield a sentence on the value that lost most by suppression, of all columns."""
    found = [(one.column, one.hardest) for one in view.values if one.hardest]
    column, worst = min(found, default=("", None), key=lambda one: one[1].share)
    if worst is not None and worst.share < kept:
        figures = {"column": Name(column), "value": Cell(cell_text(worst.value)), "share": worst.share, "overall": kept}
        whole = all(one.told and not one.gone for one in view.values)
        yield say("hardest_band" if not worst.exact else "hardest" if whole else "hardest_told", **figures)


def table_of(one: ColumnValues, overall: float) -> dict[str, Any]:
    """Return the rows of a column's table: values with bars and shares, marked if they kept less than others."""
    counts = [one.pooled, *(count for row in one.listed for count in (row.after, row.before))]
    most = max([1, one.suppressed, *map(_length, counts)])
    others = {"values": one.others, "after": one.pooled, "bar": bar(_length(one.pooled) / most)}
    suppressed = {"rows": one.suppressed, "bar": bar(one.suppressed / most, "d3")}
    return {
        "name": name(one.column),
        "level": one.level,
        "rows": [_row(row, most, overall) for row in one.listed],
        "others": others if one.others else None,
        "suppressed": suppressed if one.suppressed else None,
    }


def _length(count: Count | None) -> int:
    """Return what a bar shows of a count: the count, or the middle of its band."""
    return (count.low + count.high) // 2 if isinstance(count, Band) else count or 0


def _row(row: ValueRows, most: int, overall: float) -> dict[str, Any]:
    exact = isinstance(row.after, int) and isinstance(row.before, int) and row.before > 0
    kept = _length(row.after) / _length(row.before) if exact else None
    if kept is not None and kept > 1:
        kept = None  # other original values were released as this one too, so the share is unknown
    return {
        "value": cell(row.value),
        "after": row.after,
        "kept": kept,
        "low": kept is not None and kept < UNEVEN * overall,
        "before": row.before,
        "bar": bar(_length(row.after) / most, hollow=None if row.before is None else _length(row.before) / most),
    }
