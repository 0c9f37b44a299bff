"""An evaluation as Markdown, for a comment or a wiki: the verdict, one table, and folded steps of what fails."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from PETWorks.evaluation.evaluation import Evaluation
from PETWorks.measure.result import Result
from PETWorks.render.attack import write_tried
from PETWorks.render.blocks import write_clause_heads, write_clause_rows, write_step
from PETWorks.render.fill import HTML, Medium, cut, escape_unprintable
from PETWorks.render.formats import OutputFormat, OutputSettings
from PETWorks.render.lines import LineWriter, ReportLine, find_scope, is_public
from PETWorks.render.parts import (
    select_steps,
    write_title_line,
)
from PETWorks.render.premises import list_open_lines
from PETWorks.render.text import write_remarks

SPECIAL = re.compile(r"([\\`*_\[\]<>&#~])")


class Markdown(Medium):
    """Markdown: text of PETWorks is escaped; text of the user is a code span that it cannot break out of."""

    def text(self, text: str) -> str:
        """Escape characters that have a meaning in Markdown."""
        return SPECIAL.sub(r"\\\1", text)

    def name(self, text: str) -> str:
        """Write a name as code."""
        return _code(cut(escape_unprintable(text)))

    def message(self, text: str) -> str:
        """Write a message as code, so that it notifies nobody and nothing in it becomes a link."""
        return _code(escape_unprintable(text))


def evaluation_markdown(evaluation: Evaluation, language: str = "en") -> str:
    """Write the verdict, a table, the steps of the measures that fail, the scope and the notes."""
    writer = LineWriter(language, Markdown())
    blocks = [
        *([] if not evaluation.premises_fail else [f"**{writer.write_answer(evaluation)}**"]),
        "\n".join(_list_premises(evaluation, writer)),
        *writer.write_openings(evaluation),
        *([f"**{writer.write_answer(evaluation)}**"] if not evaluation.premises_fail else []),
        *writer.write_alarms(evaluation),
    ]
    blocks += [writer.write_nothing_published(evaluation), _write_scope(evaluation, writer)]
    blocks += ["\n".join(_write_table(evaluation, writer))]
    blocks += _write_clauses(evaluation, writer)
    lines = writer.write_requirements(evaluation)
    blocks += [_write_steps(line.result, line.part, writer) for line in lines if line.result and _is_explained(line)]
    skipped = [
        writer.word.separator.join(names) + writer.word.colon + why for why, names in writer.group_skipped(evaluation)
    ]
    notes, tried = write_remarks(evaluation, language, writer.medium), write_tried(evaluation, writer)
    blocks += [f"**{writer.say('attack_heading')}**", "\n".join(f"- {text}" for text in tried)] if tried else []
    for heading, entries in ((writer.word.skipped, skipped), (writer.word.command["notes"], notes)):
        blocks += [f"**{writer.write_text(heading)}**", "\n".join(f"- {entry}" for entry in entries)] if entries else []
    if evaluation.commitments:
        blocks.append("\n".join(_list_commitments(evaluation, writer)))
    return "\n\n".join(filter(None, blocks)) + "\n"


def _list_premises(evaluation: Evaluation, writer: LineWriter) -> Iterator[str]:
    """Yield an entry for each premise that fails, was accepted, or was not checked."""
    for line in list_open_lines(evaluation, writer):
        told = "; ".join(filter(None, [*line.found, line.why]))
        yield f"- **{writer.write_text(line.verdict)}** {line.title}" + (f": {told}" if told else "")


def _list_commitments(evaluation: Evaluation, writer: LineWriter) -> Iterator[str]:
    """Yield a table of the files with the digest of the release, and the commitments to the others."""
    yield write_table_row([writer.say("files_head"), writer.say("commitment_head")])
    yield write_table_row(["---", "---"])
    for one in evaluation.commitments:
        yield write_table_row([writer.write_file_kind(one), f"{one.method} {one.value}"])


def _is_explained(line: ReportLine) -> bool:
    return line.verdict == "fails" and line.result is not None and not is_public(line.result.scope)


def _write_scope(evaluation: Evaluation, writer: LineWriter) -> str:
    names = [writer.medium.name(evaluation.title)] if evaluation.title else []
    if scope := find_scope(evaluation):
        names += [writer.medium.name(scope.name), writer.write_scope(scope)]
    return writer.write_text(writer.word.comma).join(names)


def _write_table(evaluation: Evaluation, writer: LineWriter) -> Iterator[str]:
    """Yield the lines of a table: the requirements, then the results without a limit; omit an empty last column."""
    judged = writer.write_requirements(evaluation)
    heads = ["verdict", "requirement", "measured_head", "limit"] if judged else ["measure", "measured_head"]
    unjudged = [result for result in evaluation if not result.is_judged]
    lines = judged + [line for result in unjudged for line in writer.write_result_lines(result)]
    details = ["<br>".join(filter(None, [line.detail, *writer.write_warnings(line.result)])) for line in lines]
    if any(details):
        heads.append("notes" if evaluation.is_public else "failing_head" if judged else "decided_head")
    yield write_table_row([writer.say(head) for head in heads])
    yield write_table_row(["---:" if head == "measured_head" else "---" for head in heads])
    for line, detail in zip(lines, details, strict=True):
        name = line.name + (writer.word.brackets.format(line.why) if line.why else "")
        verdict = f"**{writer.say(line.verdict)}**" if line.verdict else ""
        cells = [verdict, name, line.value, line.limit] if judged else [name, line.value]
        yield write_table_row([*cells, detail] if any(details) else cells)


def _write_clauses(evaluation: Evaluation, writer: LineWriter) -> list[str]:
    """Write a table of the clauses of each source; nothing if no source is named."""
    rows = write_clause_rows(evaluation, writer)
    table = "\n".join(map(write_table_row, [write_clause_heads(writer), ["---"] * 4, *rows]))
    return [f"**{writer.say('clauses_head')}**", table] if rows else []


def write_table_row(cells: Sequence[str]) -> str:
    """Write a table row; escape bars, which end a cell even within code."""
    return "| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |"


def _write_steps(result: Result, part: str, writer: LineWriter) -> str:
    lines = []
    for number, step in enumerate(select_steps(result, part), 1):
        lines.append(f"{number}. {write_step(step, result, writer.language, writer.medium)}")
        lines += [f"    - {write_step(each, result, writer.language, writer.medium)}" for each in step.lines]
    summary = write_title_line(result, writer.language, HTML, part)
    return "\n\n".join([f"<details>\n<summary>{summary}</summary>", "\n".join(lines), "</details>"])


def _code(text: str) -> str:
    """Write a code span, enclosed in more backticks than occur together in the text."""
    fence = "`" * (max(map(len, re.findall("`+", text)), default=0) + 1)
    edge = " " if text[:1] in "` " or text[-1:] in "` " else ""
    return f"{fence}{edge}{text}{edge}{fence}"


def _write(evaluation: Evaluation, settings: OutputSettings) -> str:
    return evaluation_markdown(evaluation, settings.language)


FORMAT = OutputFormat(endings=(".md",), write=_write, is_for_public=True)
