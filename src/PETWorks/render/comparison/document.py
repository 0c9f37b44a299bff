"""A comparison as a JSON document."""

from __future__ import annotations

import json
from importlib.metadata import version
from typing import Any

from PETWorks.answer.exhibits.values import ColumnValues
from PETWorks.comparison.exhibits import Loser, NoLoser
from PETWorks.comparison.rows import Row
from PETWorks.comparison.view import Candidate, ComparisonView
from PETWorks.facts.bands import public_count
from PETWorks.facts.notes import plain_values
from PETWorks.measure.result import Part

SCHEMA = "petworks/comparison/1"


def comparison_json(view: ComparisonView) -> str:
    """Write all that a comparison shows."""
    document: dict[str, Any] = {
        "schema": SCHEMA,
        "version": version("petworks"),
        "title": view.title,
        "audience": "public" if view.public else "internal",
        "small_classes": "shown" if view.may.least == 1 else "withheld",
        "releases": [_candidate(one, view) for one in view.candidates],
        "notes": [{"releases": _concerned(letters, view), **note.to_dict()} for letters, note in view.notes],
        "requirements": [_row(row) for row in view.required],
        "measures": [_row(row) for row in view.others],
    }
    if not view.public:
        document["columns"] = [
            {
                "column": row.column,
                "levels": [None if one is None or one.levels is None else list(one.levels) for one in row.levels],
                "granularity": [None if one is None else one.value for one in row.scores],
                "best": list(row.best),
            }
            for row in view.columns
        ]
        document["values"] = [[_values(one) for one in column] for column in view.values]
    text = json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    return text.encode(errors="backslashreplace").decode()


def _concerned(letters: str, view: ComparisonView) -> list[str]:
    return [*letters] or [one.letter for one in view.candidates]


def _candidate(one: Candidate, view: ComparisonView) -> dict[str, Any]:
    told: dict[str, Any] = {"letter": one.letter, "name": one.name, "rows": one.scope.rows, "holds": one.holds}
    told |= {name: value for name, value in one.scope.to_dict().items() if name == "people"}
    if view.public:
        return told | {"rows": plain_values(public_count(one.scope.rows))}
    return told | {
        "suppressed": one.scope.suppressed,
        "classes": one.scope.classes,
        "beaten_by": one.beaten_by,
        "loses_most_rows": _loser(one.rows_loser),
        "loses_most_detail": _loser(one.detail_loser),
        "changes": None if one.changes is None else {kind: plain_values(many) for kind, many in one.changes.items()},
    }


def _loser(one: Loser | NoLoser) -> dict[str, Any] | str:
    """Return the value, or the word that says why none is named."""
    return one._asdict() if isinstance(one, Loser) else str(one)


def _row(row: Row) -> dict[str, Any]:
    return {
        "measure": row.measure.name,
        "parameters": plain_values(row.measure.parameters()),
        "part": row.part,
        "values": [None if cell is None else _cell(cell) for cell in row.cells],
        "best": list(row.best),
        "differs": row.differs,
    }


def _cell(cell: Part) -> dict[str, Any]:
    names = ("value", "exact", "side", "limit", "holds", "withheld", "band")
    return {name: plain_values(getattr(cell, name)) for name in names}


def _values(one: ColumnValues) -> dict[str, Any]:
    rows = [{name: plain_values(value) for name, value in row._asdict().items()} for row in one.listed]
    pooled = plain_values(one.pooled)
    return {"column": one.column, "level": one.level, "values": rows, "others": one.others, "pooled": pooled}
