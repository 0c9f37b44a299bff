"""Text on attacks: who the adversary is, how many people are found, how certainly, and what would prevent it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from PETWorks.evaluation.evaluation import Evaluation
from PETWorks.facts.notes import Name, to_plain_values
from PETWorks.premises.attack_result import (
    CELLS,
    COLUMN,
    EARLIER,
    POPULATION,
    QUASI_IDENTIFIERS,
    Attack,
    AttackResult,
)
from PETWorks.render.fill import PLAIN, MarkedText, Medium
from PETWorks.render.lines import LineWriter
from PETWorks.render.typography import wrap_indented
from PETWorks.shown import CountBand

ALWAYS_TRIED = (QUASI_IDENTIFIERS, CELLS, POPULATION, EARLIER)
MAX_TOLD = 5  # adversaries of whom a check tells
SCHEMA = "petworks/attack/1"


class AttackWriter:
    """Writes whom adversaries find; in a public text, small numbers of people are bands."""

    def __init__(self, language: str = "en", medium: Medium = PLAIN, *, public: bool = False) -> None:
        self.writer, self.public = LineWriter(language, medium), public

    def say(self, key: str, /, **figures: Any) -> str:  # noqa: ANN401
        """Fill one of the templates."""
        return self.writer.say(f"attack_{key}", **figures)

    def _tell(self, people: int) -> int | CountBand:
        return CountBand.of_people(people) if self.public and people else people

    def write_who(self, result: AttackResult) -> str:
        """Return the name of an adversary, or what it knows."""
        if result.name in ALWAYS_TRIED:
            return self.say(f"who_{result.name}")
        if result.name.startswith(COLUMN) and list(result.knows) == [result.name.removeprefix(COLUMN)]:
            return self.say("who_column", column=Name(result.name.removeprefix(COLUMN)))
        return self.say("who_named", name=Name(result.name), columns=list(map(Name, result.knows)))

    def write_finding(self, result: AttackResult) -> str:
        """Return how many people an adversary finds."""
        who = MarkedText(self.write_who(result))
        if not result.found:
            return self.say("finds_nobody", who=who)
        found, people = self._tell(result.found), self._tell(result.people)
        if self.public:  # whether nobody is found for certain would tell the size of the smallest class
            return self.say("finds_some", who=who, found=found, people=people)
        return self.say("finds", who=who, found=found, people=people, certain=result.certain)

    def write_details(self, result: AttackResult) -> Iterator[str]:
        """Yield whether an adversary may find so many people, and what would prevent it."""
        if result.at_most is not None:
            verdict = self.writer.word.holds if result.holds else self.writer.word.fails
            yield self.say("limit", at_most=result.at_most, verdict=MarkedText(self.writer.write_text(verdict)))
        if not result.found or result.holds or self.public:
            return
        remedy = result.remedy
        if remedy is None:
            yield self.say("no_remedy")
            return
        columns = [Name(name) for name in remedy.columns]
        yield self.say(remedy.kind, **{**remedy.to_dict(), "columns": columns})

    def write_untried(self, tried: Attack) -> str:
        """Return which adversaries were not simulated, and why; "" if all were."""
        brackets, names = self.writer.write_text(self.writer.word.brackets), []
        for name, reason in tried.untried.items():
            why = self.say(f"reason_{reason.replace(' ', '_')}")
            names.append(self.say(f"who_{name}") + brackets.format(why))
        separator = self.writer.write_text(self.writer.word.separator)
        return self.say("untried", names=MarkedText(separator.join(names))) if names else ""


def write_tried(evaluation: Evaluation, writer: LineWriter) -> list[str]:
    """Return sentences on whom each adversary finds, as a check tells them; none if nobody was tried.

    The first is on the quasi-identifiers; the last names who was not tried.
    """
    tried = evaluation.premises.tried if evaluation.judges_premises else None
    if tried is None or not tried.results:
        return []
    told = AttackWriter(writer.language, writer.medium)
    first, *others = tried
    finding = [one for one in others if one.found]
    texts = [told.write_finding(one) for one in (first, *finding[:MAX_TOLD])]
    unlisted = len(finding[MAX_TOLD:]) + tried.unlisted
    texts += [told.say("unlisted_adversaries", unlisted=unlisted)] if unlisted else []
    if not finding and not first.found:
        texts = [told.say("nobody_of", adversaries=len(tried) + tried.columns - len(_list_columns(tried)))]
    texts += [told.write_untried(tried)]
    return list(filter(None, texts)) + ([told.say("more")] if any(one.found for one in tried) else [])


def _list_columns(tried: Attack) -> list[AttackResult]:
    return [one for one in tried if one.name.startswith(COLUMN)]


def attack_text(tried: Attack, language: str = "en", file: str = "", *, public: bool = False) -> str:
    """Return the results of an attack as text."""
    writer = AttackWriter(language, public=public)
    people = tried[0].people if len(tried) else 0
    lines = wrap_indented(writer.say("head", file=Name(file), people=CountBand.of(people) if public else people), 0)
    lines.append("")
    for one in tried:
        lines += wrap_indented(writer.write_finding(one), 0)
        lines += [line for text in writer.write_details(one) for line in wrap_indented(text, 2)]
    lines.append("")
    texts = [] if tried.found else [writer.say("nobody")]
    texts += [writer.say("found_means")] if tried.found else []
    texts += [writer.say("columns", columns=tried.columns)] if tried.columns else []
    texts += [writer.say("unlisted", unlisted=tried.unlisted)] if tried.unlisted else []
    texts += [writer.write_untried(tried)]
    return "\n".join([*lines, *(line for text in texts for line in wrap_indented(text, 0))])


def attack_json(tried: Attack, file: str = "", *, public: bool = False) -> str:
    """Return an attack as a JSON document, with numbers of people only; for the public, bands and no remedies."""
    document: dict[str, Any] = {"schema": SCHEMA, "release": file, **tried.to_dict(), "holds": tried.holds}
    for one in document["results"] if public else ():
        one |= {key: CountBand.of_people(one[key]) if one[key] else 0 for key in ("found", "people")}
        one["remedy"] = one["certain"] = None
    return json.dumps(to_plain_values(document), indent=2, ensure_ascii=False) + "\n"
