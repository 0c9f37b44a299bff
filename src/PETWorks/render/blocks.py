"""The blocks of a result, an evaluation, an explanation or an account: sentences, tables and steps.

Also the clauses of sources for every format; explanations and accounts as text; and the references of measures.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

from PETWorks.evaluation.evaluation import Evaluation
from PETWorks.evaluation.requirement import NotShown, Requirement
from PETWorks.measure.base import Measure
from PETWorks.measure.registry import find
from PETWorks.measure.result import Account, ClassScore, Explanation, Result
from PETWorks.measure.steps import Name, Step
from PETWorks.render.attack import write_tried
from PETWorks.render.fill import PLAIN, Medium, fill, step_template
from PETWorks.render.lines import LineWriter, find_scope
from PETWorks.render.parts import (
    select_line_parts,
    select_steps,
    write_failing_counts,
    write_part,
    write_part_name,
    write_title_line,
)
from PETWorks.render.premises import list_open_lines
from PETWorks.render.text import (
    MAX_LISTED_PARTS,
    note_text,
    warning_text,
    write_meaning,
    write_notes,
    write_openings,
    write_remarks,
    write_sentence,
)
from PETWorks.render.typography import display_width, format_exact, format_number, pad, wrap_indented
from PETWorks.render.words import words

NOT_SHOWN = "not_shown"  # the verdict on a clause that no table can show
GAP = "  "


@dataclass(frozen=True)
class Clause:
    """A clause of a source: what was measured for it and the verdict, or what a table cannot show."""

    clause: str
    text: str
    verdict: str  # a key of the words


@dataclass(frozen=True)
class CitedSource:
    """A document, and its clauses in the order of the policy."""

    name: str
    clauses: tuple[Clause, ...]


def group_by_source(evaluation: Evaluation, writer: LineWriter) -> list[CitedSource]:
    """Return the sources that a policy names, with their clauses; clauses without a source come last."""
    named: dict[str, list[Clause]] = {}
    every: list[Requirement | NotShown] = [*evaluation.requirements, *evaluation.not_shown]
    for one in every:
        if one.source or one.clause or isinstance(one, NotShown):
            named.setdefault(one.source, []).extend(_clauses(one, writer))
    unnamed = named.pop("", [])
    named |= {"": unnamed} if unnamed else {}
    return [CitedSource(_write_message(name, writer), tuple(clauses)) for name, clauses in named.items()]


def _clauses(one: Requirement | NotShown, writer: LineWriter) -> Iterator[Clause]:
    clause = _write_message(one.clause, writer)
    if isinstance(one, NotShown):
        yield Clause(clause, writer.write_text(writer.word.gap).join(_not_shown(one, writer)), NOT_SHOWN)
        return
    colon, comma = writer.write_text(writer.word.colon), writer.write_text(writer.word.comma)
    for line in writer.write_requirement(one):
        aside = writer.write_text(writer.word.brackets).format(line.detail) if line.detail else ""
        text = line.value + comma + line.limit + aside if line.limit else line.detail
        doubts = [writer.write_text(writer.word.comma) + doubt for doubt in writer.write_warnings(line.result)]
        yield Clause(clause, line.name + colon + text + "".join(doubts), line.verdict)


def _not_shown(one: NotShown, writer: LineWriter) -> Iterator[str]:
    """Yield the requirements that no table can show, with the columns that an inspection found for them."""
    yield _write_message(one.what[writer.language], writer)
    if one.found is not None:
        found = [Name(name) for name in one.found]
        yield writer.say("looks_like", columns=found) if found else writer.say("looks_like_nothing")


def _write_message(text: str, writer: LineWriter) -> str:
    return writer.medium.message(text) if text else ""


def write_clauses(evaluation: Evaluation, writer: LineWriter) -> list[str]:
    """Write the clauses of each source as lines of text, each after its verdict."""
    sources = group_by_source(evaluation, writer)
    verdicts = {one.verdict: writer.say(one.verdict) for source in sources for one in source.clauses}
    width = max(map(display_width, verdicts.values()), default=0) + len(GAP)
    lines = wrap_indented(writer.say("clauses"), 0) if sources else []
    for source in sources:
        lines += wrap_indented(source.name or writer.say("no_source"), len(GAP))
        for one in source.clauses:
            text = writer.word.colon.join(filter(None, [one.clause, one.text]))
            first, *more = wrap_indented(text, width + 2 * len(GAP))
            lines += [2 * GAP + pad(verdicts[one.verdict], width) + first.lstrip(), *more]
    return lines


def write_clause_heads(writer: LineWriter) -> list[str]:
    """Write the heads of a table of clauses."""
    return [writer.say(head) for head in ("source", "clause", "told_of_clause", "verdict")]


def write_clause_rows(evaluation: Evaluation, writer: LineWriter) -> list[list[str]]:
    """Write the rows of a table of clauses; none if no source is named."""
    return [
        [source.name, one.clause, one.text, writer.say("cannot_show" if one.verdict == NOT_SHOWN else one.verdict)]
        for source in group_by_source(evaluation, writer)
        for one in source.clauses
    ]


def write_step(step: Step, result: Result, language: str, medium: Medium = PLAIN) -> str:
    """Write a step: in the measure's own words if it has them, else in the shared ones."""
    word = words(language, result.measure)
    people = bool(result.scope.known) and result.measure.family != "utility"
    template = step_template(step.kind, word.steps[step.kind], people=people)
    return fill(word.leads.get(step.kind, "") + template, step.figures, word, medium)


def explanation_text(result: Result, language: str = "en", part: str | None = None) -> str:
    """Write the values and verdicts of a result, or of one part of it, then the steps that explain them."""
    names = [name for name, _ in select_line_parts(result)] if part is None else [part]
    lines = [line for text in write_openings(result, language) for line in wrap_indented(text, 0)]
    lines += [line for name in names for line in wrap_indented(write_title_line(result, language, name=name), 0)]
    doubts = [note for note in result.warnings if not note.leading]
    texts_below = [warning_text(note, language) for note in doubts] + [
        note_text(note, language) for note in result.told_below
    ]
    lines += [line for text in texts_below for line in wrap_indented(text, 2)]
    steps = result.steps if part is None else select_steps(result, part)
    texts = [[write_step(each, result, language) for each in (step, *step.lines)] for step in steps]
    return "\n".join([*lines, *number_steps((head, details) for head, *details in texts)])


def number_steps(steps: Iterable[tuple[str, Sequence[str]]]) -> Iterator[str]:
    """Yield the lines of numbered steps, each with its details."""
    for number, (text, details) in enumerate(steps, 1):
        head, *rest = wrap_indented(text, 5)
        yield f"{number:>3}. {head.lstrip()}"
        yield from rest
        yield from (line for each in details for line in wrap_indented(each, 7))


CLASSES = 3  # maximum number of deciding classes that are shown


class Headline(NamedTuple):
    """The most important sentence."""

    text: str


class VerdictBlock(NamedTuple):
    """A verdict in a cell of a table."""

    kind: str  # "fails", "unasked" or "holds"
    text: str


class TextTable(NamedTuple):
    """Rows of cells under a head; columns in `right` are right-aligned, those in `short` are not wrapped."""

    head: Sequence[str]
    rows: Sequence[Sequence[str | VerdictBlock]]
    right: Sequence[int] = ()
    short: Sequence[int] = ()


class Steps(NamedTuple):
    """Numbered steps, each with its detail lines."""

    steps: Sequence[tuple[str, Sequence[str]]]


Block = str | Headline | TextTable | Steps


Subject = Result | Evaluation | Explanation | Account


def build_blocks(subject: Subject, language: str, medium: Medium) -> Iterator[Block]:
    """Yield the blocks of a subject, in a language and for a medium."""
    writer = LineWriter(language, medium)
    if isinstance(subject, Evaluation):
        yield from _evaluation(subject, writer)
    elif isinstance(subject, Explanation):
        yield from _explanation(subject.result, writer)
    elif isinstance(subject, Account):
        yield from _account(subject, writer)
    else:
        yield from _result(subject, writer)


def _evaluation(evaluation: Evaluation, writer: LineWriter) -> Iterator[Block]:
    language, medium = writer.language, writer.medium
    premises = list(_list_premises(evaluation, writer))
    if evaluation.premises_fail:
        yield Headline(writer.write_answer(evaluation))
        yield from premises
    yield from writer.write_openings(evaluation)
    if not evaluation.premises_fail:
        yield Headline(writer.write_answer(evaluation))
        yield from premises
    yield from writer.write_alarms(evaluation)
    if nothing := writer.write_nothing_published(evaluation):
        yield nothing
    yield _measures(evaluation, writer)
    if clauses := write_clause_rows(evaluation, writer):
        yield writer.say("clauses_head")
        yield TextTable(write_clause_heads(writer), clauses, short=(3,))
    if tried := write_tried(evaluation, writer):
        yield writer.say("attack_heading")
        yield from tried
    if evaluation.skipped:
        skipped = [
            (writer.write_title(find(name)), note_text(why, language, medium, find(name)))
            for name, why in evaluation.skipped.items()
        ]
        yield TextTable((writer.write_text(writer.word.skipped), writer.say("reason")), skipped)
    if scope := find_scope(evaluation):
        yield writer.write_scope(scope)
    yield from write_remarks(evaluation, language, medium)


def _list_premises(evaluation: Evaluation, writer: LineWriter) -> Iterator[Block]:
    """Yield a table of the premises that fail, were accepted, or were not checked, if there are any."""
    kinds = {"fails": "fails", "accepted": "unasked", "unchecked": "unasked"}
    lines = list_open_lines(evaluation, writer)
    rows: list[Sequence[str | VerdictBlock]] = [
        [VerdictBlock(kinds[one.status], one.verdict), one.title, "; ".join(filter(None, [*one.found, one.why]))]
        for one in lines
    ]
    if rows:
        yield TextTable([writer.say("verdict"), writer.say("premise_short"), writer.say("meaning")], rows, short=(0,))


def _measures(evaluation: Evaluation, writer: LineWriter) -> TextTable:
    """Build one table of the requirements, then of the results without a limit, with a sentence for each."""
    rows: list[Sequence[str | VerdictBlock]] = []
    for line in writer.write_requirements(evaluation):
        verdict = VerdictBlock(line.verdict, writer.say(line.verdict))
        says = write_meaning(line.result, line.part, writer.language, writer.medium) if line.result else line.detail
        rows.append([verdict, line.name, line.value, line.limit, says])
    for result in evaluation:
        if not result.is_judged:
            for line, (name, part) in zip(writer.write_result_lines(result), select_line_parts(result), strict=True):
                says = write_meaning(result, name, writer.language, writer.medium)
                rows.append(["", line.name, line.value, writer.write_direction(part), says])
    heads = [writer.say(key) for key in ("verdict", "measure", "measured_head", "limit", "meaning")]
    if evaluation.requirements:
        return TextTable(heads, rows, right=(2,), short=(0, 2, 3))
    heads[3] = writer.say("direction")
    return TextTable(heads[1:], [row[1:] for row in rows], right=(1,), short=(1, 2))


def _result(result: Result, writer: LineWriter) -> Iterator[Block]:
    word, medium = words(writer.language, result.measure), writer.medium
    yield from writer.write_openings(result)
    yield Headline(write_title_line(result, writer.language, medium))
    yield write_sentence(result, writer.language, medium)
    if result.failing_classes:
        yield write_failing_counts(result, word, medium)
    if len(result.parts) > 1:
        shown = list(result.parts.items())[:MAX_LISTED_PARTS]
        parts = [(write_part_name(result, one, word, medium), write_part(part, word, medium)) for one, part in shown]
        yield TextTable((writer.say("part"), writer.say("measured_head")), parts)
        if len(result.parts) > MAX_LISTED_PARTS:
            yield writer.write_text(word.more.format(format_number(len(result.parts) - MAX_LISTED_PARTS)))
    if result.worst:
        yield TextTable(
            (writer.say("class"), writer.say("people"), writer.say("measured_head")),
            [_class(one, writer) for one in result.worst[:CLASSES]],
            right=(1,),
        )
    if result.scope.rows:
        yield writer.write_scope(result.scope)
    yield from write_notes(result, writer.language, medium)


def _class(one: ClassScore, writer: LineWriter) -> tuple[str, str, str]:
    """Write the values, size and score of a class; values of a class below the threshold are withheld."""
    word, medium = writer.word, writer.medium
    withheld = one.values is None
    values = medium.text(word.withheld) if withheld else fill("{values}", {"values": one.values}, word, medium)
    score = format_exact(one.exact, one.value, word.brackets)
    return values, medium.figure(format_number(one.size)), medium.figure(score)


def _explanation(result: Result, writer: LineWriter) -> Iterator[Block]:
    write = partial(write_step, result=result, language=writer.language, medium=writer.medium)
    yield from writer.write_openings(result)
    for name, _ in select_line_parts(result):
        yield Headline(write_title_line(result, writer.language, writer.medium, name))
    doubts = [note for note in result.warnings if not note.leading]
    yield from (warning_text(note, writer.language, writer.medium) for note in doubts)
    yield Steps([(write(step), [*map(write, step.lines)]) for step in result.steps])


def _account(account: Account, writer: LineWriter) -> Iterator[Block]:
    making = writer.word.making
    word = replace(writer.word, terms=making)

    def write(step: Step) -> str:
        return fill(making[step.kind], step.figures, word, writer.medium)

    yield Headline(write(account.head))
    for result in account.results:
        yield from (
            write_title_line(result, writer.language, writer.medium, name) for name, _ in select_line_parts(result)
        )
    yield from map(write, account.remarks)
    if account.steps:
        yield Steps([(write(step), list(map(write, step.lines))) for step in account.steps])


def account_text(account: Account, language: str = "en") -> str:
    """Write how a release was made: the head, the goals and the utility, and the steps."""
    lines: list[str] = []
    for block in build_blocks(account, language, PLAIN):
        match block:
            case Headline(text):
                lines += wrap_indented(text, 0)
            case Steps(steps):
                lines += number_steps(steps)
            case _:
                lines += wrap_indented(str(block), 2)
    return "\n".join(lines)


def find_reference(measure: Measure | type[Measure], language: str = "en") -> str:
    """Return the reference of a measure; titles of publications are not translated."""
    if translated := measure.words[language].reference:
        return translated
    text = inspect.getdoc(inspect.getmodule(measure if isinstance(measure, type) else type(measure))) or ""
    return " ".join(text.partition("\nReference\n")[2].split())
