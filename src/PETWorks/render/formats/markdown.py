"""An evaluation as Markdown, for a comment or a wiki: the verdict, one table, and folded steps of what fails."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from PETWorks.evaluation.evaluation import Evaluation
from PETWorks.measure.result import Result
from PETWorks.render.blocks import write_clause_heads, write_clause_rows, write_step
from PETWorks.render.fill import HTML, Medium, cut, escape_unprintable
from PETWorks.render.formats import OutputFormat, OutputSettings
from PETWorks.render.lines import LineWriter, ReportLine, find_scope, is_public
from PETWorks.render.parts import (
    select_steps,
    write_title_line,
)
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
    scribe = LineWriter(language, Markdown())
    blocks = [
        *scribe.write_openings(evaluation),
        f"**{scribe.write_answer(evaluation)}**",
        *scribe.write_alarms(evaluation),
    ]
    blocks += [scribe.write_nothing_published(evaluation), _scope(evaluation, scribe)]
    blocks += ["\n".join(_table(evaluation, scribe))]
    blocks += _clauses(evaluation, scribe)
    lines = scribe.write_requirements(evaluation)
    blocks += [_steps(line.result, line.part, scribe) for line in lines if line.result and _is_explained(line)]
    skipped = [
        scribe.word.separator.join(names) + scribe.word.colon + why for why, names in scribe.group_skipped(evaluation)
    ]
    notes = write_remarks(evaluation, language, scribe.medium)
    for heading, entries in ((scribe.word.skipped, skipped), (scribe.word.command["notes"], notes)):
        blocks += [f"**{scribe.write_text(heading)}**", "\n".join(f"- {entry}" for entry in entries)] if entries else []
    return "\n\n".join(filter(None, blocks)) + "\n"


def _is_explained(line: ReportLine) -> bool:
    return line.verdict == "fails" and line.result is not None and not is_public(line.result.scope)


def _scope(evaluation: Evaluation, scribe: LineWriter) -> str:
    names = [scribe.medium.name(evaluation.title)] if evaluation.title else []
    if scope := find_scope(evaluation):
        names += [scribe.medium.name(scope.name), scribe.write_scope(scope)]
    return scribe.write_text(scribe.word.comma).join(names)


def _table(evaluation: Evaluation, scribe: LineWriter) -> Iterator[str]:
    """Yield the lines of a table: the requirements, then the results without a limit; omit an empty last column."""
    judged = scribe.write_requirements(evaluation)
    heads = ["verdict", "requirement", "measured_head", "limit"] if judged else ["measure", "measured_head"]
    unjudged = [result for result in evaluation if result.holds is None]
    lines = judged + [line for result in unjudged for line in scribe.write_result_lines(result)]
    details = ["<br>".join(filter(None, [line.detail, *scribe.write_warnings(line.result)])) for line in lines]
    if any(details):
        heads.append("notes" if evaluation.is_public else "failing_head" if judged else "decided_head")
    yield write_table_row([scribe.say(head) for head in heads])
    yield write_table_row(["---:" if head == "measured_head" else "---" for head in heads])
    for line, detail in zip(lines, details, strict=True):
        name = line.name + (scribe.word.brackets.format(line.why) if line.why else "")
        verdict = f"**{scribe.say(line.verdict)}**" if line.verdict else ""
        cells = [verdict, name, line.value, line.limit] if judged else [name, line.value]
        yield write_table_row([*cells, detail] if any(details) else cells)


def _clauses(evaluation: Evaluation, scribe: LineWriter) -> list[str]:
    """Write a table of the clauses of each source; nothing if no source is named."""
    rows = write_clause_rows(evaluation, scribe)
    table = "\n".join(map(write_table_row, [write_clause_heads(scribe), ["---"] * 4, *rows]))
    return [f"**{scribe.say('clauses_head')}**", table] if rows else []


def write_table_row(cells: Sequence[str]) -> str:
    """Write a table row; escape bars, which end a cell even within code."""
    return "| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |"


def _steps(result: Result, part: str, scribe: LineWriter) -> str:
    lines = []
    for number, step in enumerate(select_steps(result, part), 1):
        lines.append(f"{number}. {write_step(step, result, scribe.language, scribe.medium)}")
        lines += [f"    - {write_step(each, result, scribe.language, scribe.medium)}" for each in step.lines]
    summary = write_title_line(result, scribe.language, HTML, part)
    return "\n\n".join([f"<details>\n<summary>{summary}</summary>", "\n".join(lines), "</details>"])


def _code(text: str) -> str:
    """Write a code span, enclosed in more backticks than occur together in the text."""
    fence = "`" * (max(map(len, re.findall("`+", text)), default=0) + 1)
    edge = " " if text[:1] in "` " or text[-1:] in "` " else ""
    return f"{fence}{edge}{text}{edge}{fence}"


def _write(evaluation: Evaluation, settings: OutputSettings) -> str:
    return evaluation_markdown(evaluation, settings.language)


FORMAT = OutputFormat(endings=(".md",), write=_write, is_for_public=True)
