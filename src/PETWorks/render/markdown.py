"""An evaluation as Markdown, for a comment or a wiki: the verdict, one table, and folded steps of what fails."""

from __future__ import annotations

import re
from collections.abc import Iterator

from PETWorks.answer.evaluation import Evaluation
from PETWorks.measure.result import Result
from PETWorks.render.clauses import clause_heads, clause_rows
from PETWorks.render.explanation import step_text
from PETWorks.render.fill import Medium, cut, visible
from PETWorks.render.html import HTML
from PETWorks.render.lines import Line, Scribe, is_public, scope_of
from PETWorks.render.parts import steps_of, title_line
from PETWorks.render.text import remarks

SPECIAL = re.compile(r"([\\`*_\[\]<>&#~])")


class Markdown(Medium):
    """Markdown: text of PETWorks is escaped; text of the user is a code span that it cannot break out of."""

    def text(self, text: str) -> str:
        """Escape characters that have a meaning in Markdown."""
        return SPECIAL.sub(r"\\\1", text)

    def name(self, text: str) -> str:
        """Write a name as code."""
        return _code(cut(visible(text)))

    def message(self, text: str) -> str:
        """Write a message as code, so that it notifies nobody and nothing in it becomes a link."""
        return _code(visible(text))


def evaluation_markdown(evaluation: Evaluation, language: str = "en") -> str:
    """Write the verdict, a table, the steps of the measures that fail, the scope and the notes."""
    scribe = Scribe(language, Markdown())
    blocks = [*scribe.openings(evaluation), f"**{scribe.answer(evaluation)}**", *scribe.alarms(evaluation)]
    blocks += [scribe.nothing_published(evaluation), _scope(evaluation, scribe)]
    blocks += ["\n".join(_table(evaluation, scribe))]
    blocks += _clauses(evaluation, scribe)
    lines = scribe.requirements(evaluation)
    blocks += [_steps(line.result, line.part, scribe) for line in lines if line.result and _is_explained(line)]
    skipped = [scribe.word.separator.join(names) + scribe.word.colon + why for why, names in scribe.skipped(evaluation)]
    notes = remarks(evaluation, language, scribe.medium)
    for heading, entries in ((scribe.word.skipped, skipped), (scribe.word.command["notes"], notes)):
        blocks += [f"**{scribe.text(heading)}**", "\n".join(f"- {entry}" for entry in entries)] if entries else []
    return "\n\n".join(filter(None, blocks)) + "\n"


def _is_explained(line: Line) -> bool:
    return line.verdict == "fails" and line.result is not None and not is_public(line.result.scope)


def _scope(evaluation: Evaluation, scribe: Scribe) -> str:
    names = [scribe.medium.name(evaluation.title)] if evaluation.title else []
    if scope := scope_of(evaluation):
        names += [scribe.medium.name(scope.name), scribe.scope(scope)]
    return scribe.text(scribe.word.comma).join(names)


def _table(evaluation: Evaluation, scribe: Scribe) -> Iterator[str]:
    """Yield the lines of a table: the requirements, then the results without a limit; no details if there are none."""
    judged = scribe.requirements(evaluation)
    heads = ["verdict", "requirement", "measured_head", "limit"] if judged else ["measure", "measured_head"]
    unjudged = [result for result in evaluation if result.holds is None]
    lines = judged + [line for result in unjudged for line in scribe.measured(result)]
    details = ["<br>".join(filter(None, [line.detail, *scribe.warnings(line.result)])) for line in lines]
    if any(details):
        heads.append("notes" if evaluation.is_public else "failing_head" if judged else "decided_head")
    yield _row([scribe.say(head) for head in heads])
    yield _row(["---:" if head == "measured_head" else "---" for head in heads])
    for line, detail in zip(lines, details, strict=True):
        name = line.name + (scribe.word.brackets.format(line.why) if line.why else "")
        verdict = f"**{scribe.say(line.verdict)}**" if line.verdict else ""
        cells = [verdict, name, line.value, line.limit] if judged else [name, line.value]
        yield _row([*cells, detail] if any(details) else cells)


def _clauses(evaluation: Evaluation, scribe: Scribe) -> list[str]:
    """Write a table of the clauses of each source; nothing if no source is named."""
    rows = clause_rows(evaluation, scribe)
    table = "\n".join(map(_row, [clause_heads(scribe), ["---"] * 4, *rows]))
    return [f"**{scribe.say('clauses_head')}**", table] if rows else []


def _row(cells: list[str]) -> str:
    """Write a table row; escape bars, which end a cell even within code."""
    return "| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |"


def _steps(result: Result, part: str, scribe: Scribe) -> str:
    lines = []
    for number, step in enumerate(steps_of(result, part), 1):
        lines.append(f"{number}. {step_text(step, result, scribe.language, scribe.medium)}")
        lines += [f"    - {step_text(each, result, scribe.language, scribe.medium)}" for each in step.lines]
    summary = title_line(result, scribe.language, HTML, part)
    return "\n\n".join([f"<details>\n<summary>{summary}</summary>", "\n".join(lines), "</details>"])


def _code(text: str) -> str:
    """Write a code span, enclosed in more backticks than occur together in the text."""
    fence = "`" * (max(map(len, re.findall("`+", text)), default=0) + 1)
    edge = " " if text[:1] in "` " or text[-1:] in "` " else ""
    return f"{fence}{edge}{text}{edge}{fence}"
