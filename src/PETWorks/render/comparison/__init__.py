"""A comparison of releases: text, Markdown, JSON, and one page."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from itertools import zip_longest
from typing import Any

from PETWorks.disclosure.comparison import ComparedRelease, ComparisonRow, ComparisonView, Loser, NoLoser
from PETWorks.disclosure.exhibits import ReportedValues
from PETWorks.facts.notes import to_plain_values
from PETWorks.measure.result import ResultPart
from PETWorks.render.comparison.lines import ComparisonEntry, ComparisonLine, ComparisonWriter
from PETWorks.render.comparison.page import comparison_page
from PETWorks.render.fill import escape_unprintable
from PETWorks.render.formats.markdown import Markdown, write_table_row
from PETWorks.render.typography import WIDTH, display_width, pad, wrap
from PETWorks.shown import disclose_count

SCHEMA = "petworks/comparison/1"


def comparison_json(view: ComparisonView) -> str:
    """Write a comparison as a JSON document."""
    document: dict[str, Any] = {
        "schema": SCHEMA,
        "version": version("petworks"),
        "title": view.title,
        "audience": "public" if view.public else "internal",
        "small_classes": "shown" if view.may.least == 1 else "withheld",
        "releases": [_export_candidate(one, view) for one in view.candidates],
        "notes": [
            {"releases": [*letters] or [one.letter for one in view.candidates], **note.to_dict()}
            for letters, note in view.notes
        ],
        "requirements": [_export_row(row) for row in view.required],
        "measures": [_export_row(row) for row in view.others],
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
        document["values"] = [[_write_values(one) for one in column] for column in view.values]
    text = json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    return text.encode(errors="backslashreplace").decode()


def _export_candidate(one: ComparedRelease, view: ComparisonView) -> dict[str, Any]:
    plain: dict[str, Any] = {"letter": one.letter, "name": one.name, "rows": one.scope.rows, "holds": one.holds}
    plain["premises"] = [premise.to_dict() for premise in one.premises]
    plain |= {name: value for name, value in one.scope.to_dict().items() if name == "people"}
    if view.public:
        return plain | {"rows": to_plain_values(disclose_count(one.scope.rows))}
    return plain | {
        "suppressed": one.scope.suppressed,
        "classes": one.scope.classes,
        "beaten_by": one.beaten_by,
        "loses_most_rows": _export_loser(one.rows_loser),
        "loses_most_detail": _export_loser(one.detail_loser),
        "changes": None if one.changes is None else {kind: to_plain_values(many) for kind, many in one.changes.items()},
    }


def _export_loser(one: Loser | NoLoser) -> dict[str, Any] | str:
    """Return the value that lost most as plain data, or the reason why none is named."""
    return one._asdict() if isinstance(one, Loser) else str(one)


def _export_row(row: ComparisonRow) -> dict[str, Any]:
    return {
        "measure": row.measure.name,
        "parameters": to_plain_values(row.measure.parameters()),
        "part": row.part,
        "values": [None if cell is None else _export_cell(cell) for cell in row.cells],
        "best": list(row.best),
        "differs": row.differs,
    }


def _export_cell(cell: ResultPart) -> dict[str, Any]:
    names = ("value", "exact", "side", "limit", "holds", "withheld", "band")
    return {name: to_plain_values(getattr(cell, name)) for name in names}


def _write_values(one: ReportedValues) -> dict[str, Any]:
    rows = [{name: to_plain_values(value) for name, value in row._asdict().items()} for row in one.listed]
    pooled = to_plain_values(one.pooled)
    return {"column": one.column, "level": one.level, "values": rows, "others": one.others, "pooled": pooled}


GAP = "  "
MAX_LABEL_WIDTH = 26  # columns of the terminal for what is compared, at most
MIN_RELEASE_WIDTH = 12  # columns for a release, at least


def comparison_text(view: ComparisonView, language: str = "en") -> str:
    """Write the answer, and all values side by side."""
    comparer = ComparisonWriter(view, language)
    lines = [comparer.write_headline()[1], *_write_paragraph(_write_lead(comparer))]
    for note in comparer.write_notes():
        lines += ["", *_write_paragraph(note)]
    lines.append("")
    letters = [f"{one.letter} {escape_unprintable(one.name)}" for one in view.candidates]
    groups = list(comparer.group_lines())
    if view.columns:
        groups.append((comparer.write_page_text("cmp_levels"), [comparer.write_levels(row) for row in view.columns]))
    labels = [line.label for _, some in groups for line in some]
    width = min(MAX_LABEL_WIDTH, max(map(display_width, labels), default=0))
    each = max(MIN_RELEASE_WIDTH, (WIDTH - width) // len(letters) - len(GAP))
    lines += _write_text_row(["", *letters], width, each)
    for heading, some in groups:
        lines += ["", heading]
        for line in some:
            lines += _write_text_row([line.label, *(_write_entry(one, comparer) for one in line.entries)], width, each)
    if withheld := comparer.write_withheld():
        lines += ["", *_write_paragraph(withheld)]
    return "\n".join(lines).rstrip() + "\n"


def _write_lead(comparer: ComparisonWriter) -> str:
    return comparer.word.gap.join([*comparer.write_lead(), *comparer.write_counting()])


def _write_entry(entry: ComparisonEntry, comparer: ComparisonWriter) -> str:
    verdict = "" if entry.verdict in ("", "na") else comparer.say(entry.verdict)
    best = comparer.write_page_text("cmp_best") if entry.best else ""
    return comparer.word.comma.join(filter(None, [entry.text, verdict, best]))


def _write_paragraph(text: str) -> list[str]:
    return wrap(text, WIDTH) if text else []


def _write_text_row(cells: Sequence[str], width: int, each: int) -> Iterator[str]:
    pieces = [wrap(cells[0], width), *(wrap(cell, each) for cell in cells[1:])]
    for some in zip_longest(*pieces, fillvalue=""):
        yield GAP.join([pad(some[0], width), *(pad(one, each) for one in some[1:])]).rstrip()


def comparison_markdown(view: ComparisonView, language: str = "en") -> str:
    """Write the answer, and a table."""
    comparer = ComparisonWriter(view, language, Markdown())
    heads = ["", *(f"{one.letter} {comparer.medium.name(one.name)}" for one in view.candidates)]
    table = [write_table_row(heads), write_table_row(["---"] * len(heads))]
    for heading, some in comparer.group_lines():
        table.append(write_table_row([f"**{heading}**", *[""] * len(view.candidates)]))
        table += [_write_line(line, comparer) for line in some]
    blocks = [f"**{comparer.write_headline()[1]}**", _write_lead(comparer), *comparer.write_notes(), "\n".join(table)]
    return "\n\n".join(filter(None, blocks)) + "\n"


def _write_line(line: ComparisonLine, comparer: ComparisonWriter) -> str:
    remark = f"<br>{line.remark}" if line.remark else ""
    entries = []
    for one in line.entries:
        text = _write_entry(one, comparer)
        entries.append(f"**{text}**" if one.best else text)
    return write_table_row([line.label + remark, *entries])


def comparison(view: ComparisonView, form: str, language: str = "en", command: str = "") -> str:
    """Write a comparison in a format."""
    match form:
        case "html":
            return comparison_page(view, language, command)
        case "json":
            return comparison_json(view)
        case "markdown":
            return comparison_markdown(view, language)
    return comparison_text(view, language)
