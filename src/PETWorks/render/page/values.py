"""The section on values before and after: the rows of each released value, and the share of its people still there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PETWorks.answer.exhibits.values import ColumnValues, ValueRows
from PETWorks.answer.view import View
from PETWorks.counting.tally import cell_text
from PETWorks.facts.notes import Cell, Name
from PETWorks.render.page.markup import cell, name, say
from PETWorks.render.page.svg import bar

FIRST = 6  # the most columns that are not folded
UNEVEN = 0.8  # a value is marked if it kept less than this share of what all rows kept on average


def section(view: View) -> Mapping[str, Any]:
    """Return the values of each quasi-identifier, and the value that lost most by suppression."""
    kept = view.published / view.scope.rows
    tables = [_table(one, kept) for one in view.values]
    compared = "before_after_sub" if view.record.heights else "before_after_flat"
    sentences = [say(compared if view.has_original else "released_values_sub", least=view.least)]
    hardest = min(
        ((*one.hardest, one.column) for one in view.values if one.hardest), default=None, key=lambda one: one[0]
    )
    if hardest and hardest[0] < kept:
        share, value, column = hardest
        worst = {"column": Name(column), "value": Cell(cell_text(value))}
        sentences.insert(0, say("hardest", **worst, share=share, overall=kept))
    return {
        "tables": tables[:FIRST],
        "folded": tables[FIRST:],
        "sentences": sentences,
        "original": view.has_original,
    }


def _table(one: ColumnValues, overall: float) -> dict[str, Any]:
    most = max([1, one.pooled, one.suppressed, *(max(row.after, row.before or 0) for row in one.listed)])
    others = {"values": one.others, "after": one.pooled, "bar": bar(one.pooled / most), "withheld": one.withheld}
    suppressed = {"rows": one.suppressed, "bar": bar(one.suppressed / most, "d3")}
    return {
        "name": name(one.column),
        "level": one.level,
        "rows": [_row(row, most, overall) for row in one.listed],
        "others": others if one.pooled else None,
        "suppressed": suppressed if one.suppressed else None,
    }


def _row(row: ValueRows, most: int, overall: float) -> dict[str, Any]:
    kept = row.after / row.before if row.before else None
    if kept is not None and kept > 1:
        kept = None  # other original values were released as this one too, so the share is unknown
    return {
        "value": cell(row.value),
        "after": row.after,
        "kept": kept,
        "low": kept is not None and kept < UNEVEN * overall,
        "bar": bar(row.after / most, hollow=None if row.before is None else row.before / most),
    }
