"""The findings on a raw table as cards: what accepting each one writes to the policy, and whether that was done.

>>> card = PrepareCard(1, "dates", "birth", {"prepare": {"birth": {"date": "any"}}}, cells=521)
>>> card.key, card.write_lines()
('dates "birth"', 'prepare.birth.date = "any"')
>>> draft = card.accept(Draft.of_table("visits.csv"))
>>> card.is_accepted(draft), card.is_accepted(card.leave(draft)), card.leave(draft).left
(True, False, ('dates "birth"',))
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from PETWorks.app.project.draft import Draft
from PETWorks.app.session import Session, Work
from PETWorks.facts.roles import Role
from PETWorks.inspection.findings import PrepareFinding
from PETWorks.inspection.survey import Survey
from PETWorks.inspection.values import Kind
from PETWorks.policy.toml import write_value
from PETWorks.premises.contents import find_identifiers
from PETWorks.premises.known_values import KnownValues
from PETWorks.settings.preparing import read_preparation
from PETWorks.tables.mapped import UnreadableError
from PETWorks.tables.prepare import DistinctRows, PrepareMap, count_repeated_rows

OF_ROWS = ("header_row", "skip_last", "duplicates")
KEYS = {"dates": "date", "numbers": "number"}  # of settings that are not called like the kind of their finding
MADE_UP = {  # examples of values that are dates or numbers, which are nobody's
    "dates": ({"0720315": "1983-03-15", "民國72年3月15日": "1983-03-15", "1983/3/15": "1983-03-15"}),
    "numbers": ({"1,200": "1200", "1200元": "1200", "NT$ 1,200": "1200"}),
}


@dataclass(frozen=True)
class PrepareCard:
    """A finding: what it is about, what accepting it writes, and its figures."""

    number: int  # in the order of the file, from 1
    kind: str
    column: str | None
    writes: Mapping[str, Mapping[str, Any]]  # sections of the policy
    cells: int = 0  # that would change, or rows
    before: int = 0  # different values
    after: int = 0
    doubtful: int = 0
    decided_alone: bool = False  # True: it loses or changes something, so that it is not accepted together with others
    hits: Mapping[str, int] = field(default_factory=dict)  # of notes: the rows that hold each kind of identifier

    @property
    def key(self) -> str:
        """The name of the finding in comments and in the journal."""
        return self.kind if self.column is None else f"{self.kind} {json.dumps(self.column, ensure_ascii=False)}"

    @property
    def main_key(self) -> str:
        """The setting that stands in the policy once the finding is accepted."""
        return KEYS.get(self.kind, self.kind)

    @property
    def _section(self) -> str:
        return next(iter(self.writes))

    def _find_settings(self, draft: Draft) -> Mapping[str, Any]:
        """Return the table of the policy in which the settings of the finding stand."""
        section = draft.section(self._section)
        table = section if self.column is None else section.get(self.column, {})
        return table if isinstance(table, Mapping) else {}

    def is_accepted(self, draft: Draft) -> bool:
        """Return True if the policy has what accepting the finding writes."""
        settings = self._find_settings(draft)
        if self._section == "treat":
            return bool(settings)
        if self.kind == "trim" and draft.section("prepare").get("trim") is True:
            return True
        return self.main_key in settings

    def accept(self, draft: Draft, changed: Mapping[str, Any] | None = None) -> Draft:
        """Return a draft with what accepting the finding writes; `changed` are settings in place of its own."""
        written = {**self.writes[self._section]}
        if self.column is None:
            written |= changed or {}
        else:
            own = {**draft.section(self._section).get(self.column, {}), **written[self.column], **(changed or {})}
            written = {self.column: {name: one for name, one in own.items() if one is not None}}
        draft = draft.with_section(self._section, {**draft.section(self._section), **written})
        return replace(draft, left=tuple(one for one in draft.left if one != self.key))

    def leave(self, draft: Draft) -> Draft:
        """Return a draft without what accepting the finding writes, in which it is left."""
        section = {**draft.section(self._section)}
        if self.column is None:
            section.pop(self.main_key, None)
        elif self._section == "treat":
            section.pop(self.column, None)
        elif self.column in section:
            gone = (self.main_key, *(("short_years", "order", "otherwise") if self.kind in KEYS else ()))
            section[self.column] = {name: one for name, one in section[self.column].items() if name not in gone}
            if not section[self.column]:
                del section[self.column]
        others = tuple(one for one in draft.left if one != self.key)
        return replace(draft.with_section(self._section, section), left=(*others, self.key))

    def list_settings(self, draft: Draft) -> Mapping[str, Any]:
        """Return the settings of the finding: those of the policy if it is accepted, else those that it would write."""
        if self.is_accepted(draft) and not (self.kind == "trim" and self.main_key not in self._find_settings(draft)):
            return self._find_settings(draft)
        written = self.writes[self._section]
        return written if self.column is None else written[self.column]

    def write_lines(self, draft: Draft | None = None) -> str:
        """Return the lines of the policy, without values of the table."""
        settings = self.writes[self._section] if self.column is None else self.writes[self._section][self.column]
        now = settings if draft is None else self.list_settings(draft)
        place = [self._section] if self.column is None else [self._section, write_value(self.column, key=True)]
        names = [name for name in now if name in settings or name in ("short_years", "order", "otherwise")]
        hidden = ("spellings", "missing")  # they list values, also of few people
        return "\n".join(
            f"{'.'.join([*place, name])} = {'…' if name in hidden else write_value(now[name])}" for name in names
        )

    def list_examples(self, survey: Survey) -> tuple[Sequence[tuple[str, int | None]], Sequence[str]]:
        """Return values before, with how many rows have them, and after: those of five people, or made up."""
        if self.kind in MADE_UP:
            made = MADE_UP[self.kind]
            return [(text, None) for text in made], list(dict.fromkeys(made.values()))
        if self.column is None or self._section == "treat" or self.kind == "missing":
            return [], []
        step = PrepareMap(self.column, read_preparation(self.writes["prepare"]).columns[self.column])
        before, after = [], dict[str, None]()
        for value, people in survey.inspection[self.column].common:  # values of five people or more
            try:
                text = step.convert((value,))
            except UnreadableError:
                continue
            before.append((value, people))
            after |= {text: None} if text else {}
        return before, list(after)


@dataclass(frozen=True)
class RowFindings:
    """What is found in all rows of a raw table: rows that occur again, and identifiers in notes."""

    repeated: int
    hits: Mapping[str, Mapping[str, int]]  # by column, then by kind of identifier: rows


def find_in_rows(session: Session) -> Work[RowFindings]:
    """Look for repeated rows, and for identifiers in notes, in the background."""
    survey = session.raw_survey.value

    def work(_: Work[RowFindings]) -> RowFindings:
        repeated = count_repeated_rows(DistinctRows(survey.source))
        return RowFindings(repeated, {name: _count_hits(survey, name) for name in _list_notes(survey)})

    return session.run_in_background(("findings", session.raw_key), work)


def _list_notes(survey: Survey) -> list[str]:
    """Return the columns of texts that do not themselves identify people."""
    texts = [one.name for one in survey.inspection if one.kind is Kind.TEXT and one.role is not Role.IDENTIFIER]
    return [name for name in texts if survey.inspection[name].pattern is None or name in survey.free_text]


def _count_hits(survey: Survey, name: str) -> Mapping[str, int]:
    counts = {text: rows for text, rows in survey.count_rows(name).items() if text}
    rows = list(counts.values())
    found = find_identifiers(name, list(counts), KnownValues.of(()))
    return {kind: sum(rows[place] for place in mask.nonzero()[0].tolist()) for kind, mask in found.items()}


def list_cards(survey: Survey, rows: RowFindings) -> list[PrepareCard]:
    """Return the cards of a table, in the order of the file."""
    return [replace(one, number=number) for number, one in enumerate(_yield_cards(survey, rows), 1)]


def _yield_cards(survey: Survey, rows: RowFindings) -> Iterator[PrepareCard]:
    findings = survey.inspection.findings
    yield from (_build_card(one) for one in findings if one.column is None)
    if rows.repeated:
        writes = {"prepare": {"duplicates": "remove"}}
        yield PrepareCard(0, "duplicates", None, writes, cells=rows.repeated, decided_alone=True)
    for column in survey.inspection:
        remove = {"treat": {column.name: {"remove": True}}}
        if not column.distinct:
            yield PrepareCard(0, "empty", column.name, remove)
        yield from (_build_card(one) for one in findings if one.column == column.name)
        hits, filled = rows.hits.get(column.name, {}), survey.inspection.rows - column.missing
        if hits or column.name in survey.free_text:
            yield PrepareCard(0, "notes", column.name, remove, cells=filled, decided_alone=True, hits=hits)


def _build_card(one: PrepareFinding) -> PrepareCard:
    settings: dict[str, Any] = {**one.settings}
    if one.doubtful and one.column:
        settings[one.column] = {**settings[one.column], "otherwise": "missing"}
    figures = (one.cells, one.before, one.after, one.doubtful, one.changes_meaning)
    return PrepareCard(0, one.kind, one.column, {"prepare": settings}, *figures)
