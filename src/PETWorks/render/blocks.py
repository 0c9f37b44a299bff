"""The blocks that are shown of a result, an evaluation or an explanation: sentences, tables and steps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from PETWorks.answer.evaluation import Evaluation
from PETWorks.explain.step import Step
from PETWorks.measure.account import Account
from PETWorks.measure.registry import find
from PETWorks.measure.result import ClassScore, Explanation, Result
from PETWorks.render.clauses import clause_heads, clause_rows
from PETWorks.render.explanation import step_text
from PETWorks.render.fill import Medium, fill
from PETWorks.render.lines import Scribe, scope_of
from PETWorks.render.numbers import exact, four_digits
from PETWorks.render.parts import failing_text, lined, part_name, part_text, title_line
from PETWorks.render.text import LISTED, meaning, note_text, notes, remarks, sentence, warning_text
from PETWorks.render.words import words

CLASSES = 3  # the most deciding classes that are shown


class Headline(NamedTuple):
    """The most important sentence."""

    text: str


class Verdict(NamedTuple):
    """A verdict in a cell of a table."""

    kind: str  # "fails", "unasked" or "holds"
    text: str


class Table(NamedTuple):
    """Rows of cells under a head; columns in `right` are right-aligned, those in `short` are not wrapped."""

    head: Sequence[str]
    rows: Sequence[Sequence[str | Verdict]]
    right: Sequence[int] = ()
    short: Sequence[int] = ()


class Steps(NamedTuple):
    """Numbered steps, each with its detail lines."""

    steps: Sequence[tuple[str, Sequence[str]]]


Block = str | Headline | Table | Steps


Subject = Result | Evaluation | Explanation | Account


def blocks(subject: Subject, language: str, medium: Medium) -> Iterator[Block]:
    """Yield the blocks of what is to be shown."""
    scribe = Scribe(language, medium)
    if isinstance(subject, Evaluation):
        yield from _evaluation(subject, scribe)
    elif isinstance(subject, Explanation):
        yield from _explanation(subject.result, scribe)
    elif isinstance(subject, Account):
        yield from _account(subject, scribe)
    else:
        yield from _result(subject, scribe)


def _evaluation(evaluation: Evaluation, scribe: Scribe) -> Iterator[Block]:
    language, medium = scribe.language, scribe.medium
    yield from scribe.openings(evaluation)
    yield Headline(scribe.answer(evaluation))
    yield from scribe.alarms(evaluation)
    if nothing := scribe.nothing_published(evaluation):
        yield nothing
    yield _measures(evaluation, scribe)
    if clauses := clause_rows(evaluation, scribe):
        yield scribe.say("clauses_head")
        yield Table(clause_heads(scribe), clauses, short=(3,))
    if evaluation.skipped:
        skipped = [
            (scribe.title(find(name)), note_text(why, language, medium, find(name)))
            for name, why in evaluation.skipped.items()
        ]
        yield Table((scribe.text(scribe.word.skipped), scribe.say("reason")), skipped)
    if scope := scope_of(evaluation):
        yield scribe.scope(scope)
    yield from remarks(evaluation, language, medium)


def _measures(evaluation: Evaluation, scribe: Scribe) -> Table:
    """Build one table of the requirements, then of the results without a limit, with a sentence for each."""
    rows: list[Sequence[str | Verdict]] = []
    for line in scribe.requirements(evaluation):
        verdict = Verdict(line.verdict, scribe.say(line.verdict))
        says = meaning(line.result, line.part, scribe.language, scribe.medium) if line.result else line.detail
        rows.append([verdict, line.name, line.value, line.limit, says])
    for result in evaluation:
        if result.holds is None:
            for line, (name, part) in zip(scribe.measured(result), lined(result), strict=True):
                says = meaning(result, name, scribe.language, scribe.medium)
                rows.append(["", line.name, line.value, scribe.better(part), says])
    heads = [scribe.say(key) for key in ("verdict", "measure", "measured_head", "limit", "meaning")]
    if evaluation.requirements:
        return Table(heads, rows, right=(2,), short=(0, 2, 3))
    heads[3] = scribe.say("direction")
    return Table(heads[1:], [row[1:] for row in rows], right=(1,), short=(1, 2))


def _result(result: Result, scribe: Scribe) -> Iterator[Block]:
    word, medium = words(scribe.language, result.measure), scribe.medium
    yield from scribe.openings(result)
    yield Headline(title_line(result, scribe.language, medium))
    yield sentence(result, scribe.language, medium)
    if result.failing_classes:
        yield failing_text(result, word, medium)
    if len(result.parts) > 1:
        shown = list(result.parts.items())[:LISTED]
        parts = [(part_name(result, one, word, medium), part_text(part, word, medium)) for one, part in shown]
        yield Table((scribe.say("part"), scribe.say("measured_head")), parts)
        if len(result.parts) > LISTED:
            yield scribe.text(word.more.format(four_digits(len(result.parts) - LISTED)))
    if result.worst:
        yield Table(
            (scribe.say("class"), scribe.say("people"), scribe.say("measured_head")),
            [_class(one, scribe) for one in result.worst[:CLASSES]],
            right=(1,),
        )
    if result.scope.rows:
        yield scribe.scope(result.scope)
    yield from notes(result, scribe.language, medium)


def _class(one: ClassScore, scribe: Scribe) -> tuple[str, str, str]:
    """Write the values, size and score of a class; values are withheld if the class has few people."""
    word, medium = scribe.word, scribe.medium
    withheld = one.values is None
    values = medium.text(word.withheld) if withheld else fill("{values}", {"values": one.values}, word, medium)
    score = exact(one.exact, one.value, word.brackets)
    return values, medium.figure(four_digits(one.size)), medium.figure(score)


def _explanation(result: Result, scribe: Scribe) -> Iterator[Block]:
    def said(step: Step) -> str:
        return step_text(step, result, scribe.language, scribe.medium)

    yield from scribe.openings(result)
    for name, _ in lined(result):
        yield Headline(title_line(result, scribe.language, scribe.medium, name))
    doubts = [note for note in result.warnings if not note.leading]
    yield from (warning_text(note, scribe.language, scribe.medium) for note in doubts)
    yield Steps([(said(step), [said(line) for line in step.lines]) for step in result.steps])


def _account(account: Account, scribe: Scribe) -> Iterator[Block]:
    making = scribe.word.making
    word = replace(scribe.word, terms=making)

    def said(step: Step) -> str:
        return fill(making[step.kind], step.figures, word, scribe.medium)

    yield Headline(said(account.head))
    for result in account.results:
        yield from (title_line(result, scribe.language, scribe.medium, name) for name, _ in lined(result))
    yield from map(said, account.remarks)
    if account.steps:
        yield Steps([(said(step), list(map(said, step.lines))) for step in account.steps])
