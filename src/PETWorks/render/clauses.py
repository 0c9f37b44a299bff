"""Clause by clause: what was measured for each clause of a source, and what no table can show. In every format."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from PETWorks.answer.evaluation import Evaluation
from PETWorks.answer.requirement import NotShown, Requirement
from PETWorks.explain.step import Name
from PETWorks.render.lines import Scribe
from PETWorks.render.wrapping import display_width, indented, padded

NOT_SHOWN = "not_shown"  # stands for the verdict of what no table can show
GAP = "  "


@dataclass(frozen=True)
class Clause:
    """A clause of a source: what was measured for it and the verdict, or what a table cannot show."""

    clause: str
    text: str
    verdict: str  # a key of the words


@dataclass(frozen=True)
class Source:
    """A document, and its clauses in the order of the policy."""

    name: str
    clauses: tuple[Clause, ...]


def by_source(evaluation: Evaluation, scribe: Scribe) -> list[Source]:
    """Return the sources that a policy names, with their clauses, and last what has no source."""
    named: dict[str, list[Clause]] = {}
    every: list[Requirement | NotShown] = [*evaluation.requirements, *evaluation.not_shown]
    for one in every:
        if one.source or one.clause or isinstance(one, NotShown):
            named.setdefault(one.source, []).extend(_clauses(one, scribe))
    unnamed = named.pop("", [])
    named |= {"": unnamed} if unnamed else {}
    return [Source(_said(name, scribe), tuple(clauses)) for name, clauses in named.items()]


def _clauses(one: Requirement | NotShown, scribe: Scribe) -> Iterator[Clause]:
    clause = _said(one.clause, scribe)
    if isinstance(one, NotShown):
        yield Clause(clause, scribe.text(scribe.word.gap).join(_not_shown(one, scribe)), NOT_SHOWN)
        return
    colon, comma = scribe.text(scribe.word.colon), scribe.text(scribe.word.comma)
    for line in scribe.requirement(one):
        aside = scribe.text(scribe.word.brackets).format(line.detail) if line.detail else ""
        told = line.value + comma + line.limit + aside if line.limit else line.detail
        doubts = [scribe.text(scribe.word.comma) + doubt for doubt in scribe.warnings(line.result)]
        yield Clause(clause, line.name + colon + told + "".join(doubts), line.verdict)


def _not_shown(one: NotShown, scribe: Scribe) -> Iterator[str]:
    """Yield what no table can show, and the columns in which an inspection found something that looks like it."""
    yield _said(one.what[scribe.language], scribe)
    if one.found is not None:
        found = [Name(name) for name in one.found]
        yield scribe.say("looks_like", columns=found) if found else scribe.say("looks_like_nothing")


def _said(text: str, scribe: Scribe) -> str:
    return scribe.medium.message(text) if text else ""


def clauses_text(evaluation: Evaluation, scribe: Scribe) -> list[str]:
    """Write the clauses of each source as lines of text, each after its verdict."""
    sources = by_source(evaluation, scribe)
    verdicts = {one.verdict: scribe.say(one.verdict) for source in sources for one in source.clauses}
    width = max(map(display_width, verdicts.values()), default=0) + len(GAP)
    lines = indented(scribe.say("clauses"), 0) if sources else []
    for source in sources:
        lines += indented(source.name or scribe.say("no_source"), len(GAP))
        for one in source.clauses:
            told = scribe.word.colon.join(filter(None, [one.clause, one.text]))
            first, *more = indented(told, width + 2 * len(GAP))
            lines += [2 * GAP + padded(verdicts[one.verdict], width) + first.lstrip(), *more]
    return lines


def clause_heads(scribe: Scribe) -> list[str]:
    """Write the heads of a table of clauses."""
    return [scribe.say(head) for head in ("source", "clause", "told_of_clause", "verdict")]


def clause_rows(evaluation: Evaluation, scribe: Scribe) -> list[list[str]]:
    """Write the rows of a table of clauses; none if no source is named."""
    return [
        [source.name, one.clause, one.text, scribe.say("cannot_show" if one.verdict == NOT_SHOWN else one.verdict)]
        for source in by_source(evaluation, scribe)
        for one in source.clauses
    ]
