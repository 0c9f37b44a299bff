"""The text that the command line prints: a line for each requirement or measure, then the answer; 80 columns wide."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from itertools import groupby, zip_longest
from typing import TYPE_CHECKING, NamedTuple

from PETWorks.evaluation.evaluation import Evaluation
from PETWorks.evaluation.remedies import Advice, Remedy
from PETWorks.facts.notes import Scope
from PETWorks.render.attack import write_tried
from PETWorks.render.blocks import write_clauses
from PETWorks.render.fill import PLAIN
from PETWorks.render.lines import WITHHELD, LineWriter, ReportLine, find_scope, list_failing
from PETWorks.render.premises import write_premise_block
from PETWorks.render.typography import WIDTH, display_width, format_number, pad, wrap, wrap_indented
from PETWorks.render.words import LANGUAGES, words
from PETWorks.shown import Exact, show_exactly

if TYPE_CHECKING:
    from rich.text import Text

GAP = "  "
NAMES, LIMITS, RESTS, VALUES = 22, 10, 24, 8  # minimum widths, in terminal columns
LONG = 20  # maximum width of a value, in terminal columns
DECIDED = 49  # the terminal column where the explanation of a value starts
FAMILIES = {"privacy": None, "risk": "lower", "utility": "higher"}  # better direction; None: differs by measure
FAILS, HOLDS, UNASKED = "bold #d55e00", "bold #2474b5", "bold"  # readable on light and on dark backgrounds


class Column(NamedTuple):
    """The width of a column, and its alignment."""

    width: int
    right: bool = False


def write_check(evaluation: Evaluation, language: str = "en", advice: Advice | None = None, command: str = "") -> str:
    """Write whether the requirements hold, what would help, and the command that explains why.

    `command` is the path of the policy, as it was typed.
    """
    writer, scope = LineWriter(language), find_scope(evaluation)
    lines = [*write_premise_block(evaluation, writer), *_write_opening(evaluation, writer)]
    if nothing := writer.write_nothing_published(evaluation):
        lines += [*wrap_indented(nothing, 0), ""]
    lines += [*([*_write_scope(scope, writer), ""] if scope else [])]
    lines += (
        [*_write_requirements(writer.write_requirements(evaluation), writer), ""] if evaluation.requirements else []
    )
    lines += [*clauses, ""] if (clauses := write_clauses(evaluation, writer)) else []
    if tried := write_tried(evaluation, writer):
        lines += [writer.say("attack_heading"), *(line for text in tried for line in wrap_indented(text, 2)), ""]
    lines += [
        line
        for text in (writer.write_answer(evaluation), *writer.write_alarms(evaluation))
        for line in wrap_indented(text, 0)
    ]
    if advice and scope and not evaluation.is_public:
        lines += [line for sentence in _write_advice(advice, scope, writer) for line in wrap_indented(sentence, 2)]
    if command and (wrong := list_failing(evaluation)):
        name, spoken = wrong[0].measure.name, ["--lang", language] if language != "en" else []
        asked = ["petworks", "explain", command, name, *spoken]
        lines.append(GAP + writer.say("why") + shlex.join(asked))  # not wrapped, so that it can be copied
    return "\n".join(lines)


def write_evaluation_table(evaluation: Evaluation, language: str = "en") -> str:
    """Write a table of results by family, each with what decided it, then the measures that were not evaluated."""
    writer = LineWriter(language)
    results = sorted(evaluation, key=lambda result: list(FAMILIES).index(result.measure.family))
    lines = [(result.measure.family, line) for result in results for line in writer.write_result_lines(result)]
    value = min(max([VALUES, *(display_width(line.value) for _, line in lines)]), LONG)
    columns = (Column(DECIDED - value - 2 * len(GAP)), Column(value, right=True), Column(WIDTH - DECIDED))
    written = _write_opening(evaluation, writer)
    written += [*wrap_indented(nothing, 0), ""] if (nothing := writer.write_nothing_published(evaluation)) else []
    heading = [writer.say("measured"), writer.say("decided")]
    for family, group in groupby(lines, key=lambda one: one[0]):
        direction = FAMILIES[family]
        better = getattr(writer.word, direction) if direction else heading[1]
        written += _write_row([writer.say(family), heading[0], better], columns)
        heading = ["", ""]
        for _, line in group:
            written += _write_row([line.name, line.value, line.detail], columns, indent=2)
            for warning in writer.write_warnings(line.result):
                written += wrap_indented(warning, 4)
    if evaluation.skipped:
        written += [writer.word.skipped]
        for reason, names in writer.group_skipped(evaluation):
            written += _write_row([writer.word.separator.join(names), "-", reason], columns, indent=2)
    closing = writer.write_answer(evaluation) if evaluation.requirements else writer.say("unjudged")
    scope = find_scope(evaluation)
    people = [writer.write_scope(scope)] if scope and scope.known else []
    written += [
        line for text in (closing, *people, *writer.write_alarms(evaluation)) for line in wrap_indented(text, 0)
    ]
    return "\n".join(written)


def color_verdicts(text: str) -> Text:
    """Colour the verdicts of a text for a terminal; the text is complete without colours."""
    from rich.text import Text

    shown = Text(text)
    for language in LANGUAGES:
        word = words(language)
        marked = ("fails", FAILS), ("holds", HOLDS), ("unasked", UNASKED), (WITHHELD, UNASKED), ("premise_fails", FAILS)
        for key, style in marked:
            shown.highlight_regex(rf"(?m)^{re.escape(word.command[key])}(?= {{2}})", style)
        for verdict, style in ((word.fails, FAILS), (word.holds, HOLDS)):
            shown.highlight_regex(rf"(?m)(?<={re.escape(word.colon)}){verdict}(?=$|{re.escape(word.comma)})", style)
    return shown


def _write_opening(evaluation: Evaluation, writer: LineWriter) -> list[str]:
    lines = [line for text in writer.write_openings(evaluation) for line in wrap_indented(text, 0)]
    return [*lines, ""] if lines else []


def _write_scope(scope: Scope, writer: LineWriter) -> list[str]:
    name, size = PLAIN.name(scope.name), writer.write_scope(scope)
    if display_width(name + GAP + size) <= WIDTH:
        return [name + GAP + size]
    return [*wrap(name, WIDTH), *wrap_indented(size, 2)]


def _write_requirements(lines: Sequence[ReportLine], writer: LineWriter) -> Iterator[str]:
    """Yield the requirements as aligned columns; wrap a name that leaves no room for the other columns."""
    verdicts = [writer.say(line.verdict) for line in lines]
    limit = max([LIMITS, *(display_width(line.limit) for line in lines)])
    rests = [(pad(line.limit, limit) + GAP if line.limit else "") + line.detail for line in lines]
    verdict, value = max(map(display_width, verdicts)), min(max(display_width(line.value) for line in lines), LONG)
    widest = max(
        [RESTS, *(display_width(rest.rstrip()) for line, rest in zip(lines, rests, strict=True) if line.limit)]
    )
    room = WIDTH - verdict - value - 3 * len(GAP)
    name = max(NAMES, min(max(display_width(line.name) for line in lines), room - widest))
    columns = (Column(verdict), Column(name), Column(value, right=True), Column(room - name))
    for line, verdict_text, rest in zip(lines, verdicts, rests, strict=True):
        rows = list(_write_row([verdict_text, line.name, line.value, rest], columns))
        if line.why:
            why = writer.word.brackets.format(line.why).strip()
            beside = len(rows) == 1 and display_width(rows[0] + GAP + why) <= WIDTH
            rows = [rows[0] + GAP + why] if beside else rows + wrap_indented(why, verdict + len(GAP))
        yield from rows
        for warning in writer.write_warnings(line.result):
            yield from wrap_indented(warning, verdict + len(GAP))


def _write_row(cells: Sequence[str], columns: Sequence[Column], indent: int = 0) -> Iterator[str]:
    """Yield the lines of a row: cells side by side, each wrapped to the width of its column."""
    first = [" " * indent + line for line in wrap(cells[0], columns[0].width - indent)]
    others = [wrap(cell, column.width) for cell, column in zip(cells[1:], columns[1:], strict=True)]
    for pieces in zip_longest(first, *others, fillvalue=""):
        placed = [_align(piece, column) for piece, column in zip(pieces, columns, strict=True)]
        yield GAP.join(placed).rstrip()


def _align(text: str, column: Column) -> str:
    return " " * (column.width - display_width(text)) + text if column.right else pad(text, column.width)


def _write_advice(advice: Advice, scope: Scope, writer: LineWriter) -> Iterator[str]:
    """Yield sentences on what would help most, and what it would cost."""
    for remedy in advice.best:
        figures = {"classes": remedy.classes, "people": remedy.people, "share": remedy.people / scope.everybody}
        measures = [writer.write_title(one) for one in remedy.only]
        change = writer.say(_change(remedy), lifts=remedy.lifts, measures=measures, **show_exactly(figures))
        verdict = "would_help" if remedy.failing else "would_hold"
        verdict += "" if remedy.evaluated == len(remedy.after) else "_unasked"
        costs = (
            [writer.say("further_suppressed", **show_exactly(figures))] if remedy.people and not remedy.classes else []
        )
        costs += _write_cost(advice, remedy, writer)
        text = writer.say(verdict, change=change, left=Exact(remedy.failing), all=Exact(remedy.evaluated))
        yield text + writer.say("semicolon" if costs else "stop")
        if costs:
            yield (writer.say("semicolon") + writer.word.gap).join(costs) + writer.say("stop")
    if advice.untold:
        yield writer.say("remedies_untold")


def _change(remedy: Remedy) -> str:
    """Return the key of the words for a change."""
    if remedy.lifts:
        return "combining" if remedy.classes else "generalising"
    if remedy.only:
        return "suppressing_some"
    return "suppressing_one" if remedy.classes == 1 else "suppressing"


def _write_cost(advice: Advice, remedy: Remedy, writer: LineWriter) -> list[str]:
    if advice.precision is None or remedy.precision is None:
        return []
    before, after = map(format_number, (advice.precision, remedy.precision))
    return [writer.say("precision_stays" if before == after else "precision_falls", before=before, after=after)]
