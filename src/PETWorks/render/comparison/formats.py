"""A comparison as a JSON document.

A comparison as text for a terminal, and as a table in Markdown.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from itertools import zip_longest
from typing import Any

from PETWorks.evaluation.comparison.view import Candidate, ComparisonView, Loser, NoLoser, Row
from PETWorks.evaluation.exhibits import ColumnValues
from PETWorks.facts.notes import plain_values, public_count
from PETWorks.measure.result import Part
from PETWorks.render.comparison.lines import Compared, Comparer, Entry
from PETWorks.render.fill import visible
from PETWorks.render.formats import Markdown
from PETWorks.render.typography import display_width, folded, padded

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


WIDTH = 80
GAP = "  "
LABELS = 26  # columns of the terminal for what is compared, at most
LEAST = 12  # columns for a release, at least


def comparison_text(view: ComparisonView, language: str = "en") -> str:
    """Write the answer, and all values side by side."""
    comparer = Comparer(view, language)
    lines = [comparer.headline()[1], *_paragraph(_lead(comparer))]
    for note in comparer.notes():
        lines += ["", *_paragraph(note)]
    lines.append("")
    letters = [f"{one.letter} {visible(one.name)}" for one in view.candidates]
    groups = list(comparer.groups())
    if view.columns:
        groups.append((comparer.page("cmp_levels"), [comparer.level_line(row) for row in view.columns]))
    labels = [line.label for _, some in groups for line in some]
    width = min(LABELS, max(map(display_width, labels), default=0))
    each = max(LEAST, (WIDTH - width) // len(letters) - len(GAP))
    lines += _text_row(["", *letters], width, each)
    for heading, some in groups:
        lines += ["", heading]
        for line in some:
            lines += _text_row([line.label, *(_told(one, comparer) for one in line.entries)], width, each)
    if told := comparer.told():
        lines += ["", *_paragraph(told)]
    return "\n".join(lines).rstrip() + "\n"


def _lead(comparer: Comparer) -> str:
    return comparer.word.gap.join([*comparer.lead(), *comparer.counted()])


def _told(entry: Entry, comparer: Comparer) -> str:
    verdict = "" if entry.verdict in ("", "na") else comparer.say(entry.verdict)
    best = comparer.page("cmp_best") if entry.best else ""
    return comparer.word.comma.join(filter(None, [entry.text, verdict, best]))


def _paragraph(text: str) -> list[str]:
    return folded(text, WIDTH) if text else []


def _text_row(cells: Sequence[str], width: int, each: int) -> Iterator[str]:
    pieces = [folded(cells[0], width), *(folded(cell, each) for cell in cells[1:])]
    for some in zip_longest(*pieces, fillvalue=""):
        yield GAP.join([padded(some[0], width), *(padded(one, each) for one in some[1:])]).rstrip()


def comparison_markdown(view: ComparisonView, language: str = "en") -> str:
    """Write the answer, and a table."""
    comparer = Comparer(view, language, Markdown())
    heads = ["", *(f"{one.letter} {comparer.medium.name(one.name)}" for one in view.candidates)]
    table = [_cells(heads), _cells(["---"] * len(heads))]
    for heading, some in comparer.groups():
        table.append(_cells([f"**{heading}**", *[""] * len(view.candidates)]))
        table += [_line(line, comparer) for line in some]
    blocks = [f"**{comparer.headline()[1]}**", _lead(comparer), *comparer.notes(), "\n".join(table)]
    return "\n\n".join(filter(None, blocks)) + "\n"


def _line(line: Compared, comparer: Comparer) -> str:
    remark = f"<br>{line.remark}" if line.remark else ""
    entries = []
    for one in line.entries:
        told = _told(one, comparer)
        entries.append(f"**{told}**" if one.best else told)
    return _cells([line.label + remark, *entries])


def _cells(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |"
