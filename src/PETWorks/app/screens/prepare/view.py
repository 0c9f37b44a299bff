"""The view of the screen: the answer, the findings as cards, and the derived columns.

A card shows values of at least five people only; of notes, the number of rows by kind; of dates and numbers, examples
that are made up.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

from markupsafe import Markup

from PETWorks.app.forms import BadRequestError, Form
from PETWorks.app.responses import Say, make_say
from PETWorks.app.screens.prepare.cards import OF_ROWS, PrepareCard
from PETWorks.app.session import Session
from PETWorks.errors import PETWorksError
from PETWorks.facts.notes import Name
from PETWorks.measure.steps import Cell
from PETWorks.render.words import words
from PETWorks.settings.preparing import FIELDS
from PETWorks.shown import CountBand, disclose_count

DERIVED = tuple(FIELDS)
SOURCES = {"days": ("first",), "part": ("weekday", "month", "year", "hour")}  # words in place of a second column
MAX_NAME = 200


class Hit(NamedTuple):
    """A kind of identifier that notes hold, in how many rows, and the length of its bar."""

    name: str
    rows: Markup
    length: float


class CardView(NamedTuple):
    """A card as it is shown."""

    card: PrepareCard
    title: Markup
    text: Markup
    state: str  # "waits", "accepted", "left" or "unfit"
    lines: str
    settings: Mapping[str, Any]
    before: Sequence[tuple[Cell, int | None]]
    after: Sequence[Cell]
    hits: Sequence[Hit]

    @property
    def number(self) -> int:
        """Its number in addresses."""
        return self.card.number

    @property
    def kind(self) -> str:
        """The kind of the finding."""
        return self.card.kind

    @property
    def waits(self) -> bool:
        """True if somebody has to decide about it."""
        return self.state in ("waits", "unfit")

    @property
    def icon(self) -> str:
        """The name of its icon."""
        return "waits" if self.waits else "holds" if self.state == "accepted" else "info"


@dataclass(frozen=True)
class DeriveForm:
    """The fields of a derived column as they were sent, with the problem if they were refused."""

    name: str = ""
    kind: str = DERIVED[0]
    source: str = ""
    to: str = ""
    date: str = ""
    problem: PETWorksError | None = None

    @classmethod
    def read(cls, form: Form) -> DeriveForm:
        """Read the fields."""
        if form["kind"] not in DERIVED:
            raise BadRequestError("columns are not derived in this way")
        return cls(form["name"].strip()[:MAX_NAME], form["kind"], form["source"], form["to"], form.get("date").strip())

    def write_settings(self) -> dict[str, Any]:
        """Return the table of the policy."""
        names = FIELDS[self.kind]
        return {self.kind: dict(zip(names, (self.source, self.date or self.to), strict=True))}

    def with_problem(self, error: PETWorksError) -> DeriveForm:
        """Return the fields with why they were refused."""
        return replace(self, problem=error)


class PrepareView:
    """The view of the screen. `waited` are the numbers of cards that waited when the page was loaded."""

    def __init__(self, session: Session, cards: Sequence[PrepareCard], language: str, waited: str = "") -> None:
        self._session, self._language, self._waited = session, language, waited
        self.cards = cards
        self.draft, self.survey = session.draft, session.raw_survey.value

    @cached_property
    def say(self) -> Say:
        """The function that fills the words of the application."""
        return make_say(self._language)

    @cached_property
    def _accepted_cells(self) -> Mapping[str, int]:
        """The cells for which each finding was accepted last, by its key."""
        found: dict[str, int] = {}
        for entry in self._session.project.journal.entries:
            if entry.change.kind in ("prepare_accept", "prepare_accept_row"):
                figures = entry.change.figures
                kind, column, cells = figures.get("prepare_finding"), figures.get("column"), figures.get("cells")
                if isinstance(kind, str) and isinstance(cells, int):
                    found[PrepareCard(0, kind, str(column) if column else None, {}).key] = cells
        return found

    def find_state(self, card: PrepareCard) -> str:
        """Return the state of a card; "unfit" if it was accepted for another number of cells than there are now."""
        if card.is_accepted(self.draft):
            return "accepted" if self._accepted_cells.get(card.key, card.cells) == card.cells else "unfit"
        return "left" if card.key in self.draft.left else "waits"

    @cached_property
    def waiting(self) -> list[PrepareCard]:
        """The cards that wait for a decision."""
        return [card for card in self.cards if self.find_state(card) in ("waits", "unfit")]

    @property
    def together(self) -> list[PrepareCard]:
        """The cards that wait, and that may be accepted together."""
        return [card for card in self.waiting if not card.decided_alone]

    @property
    def accepted(self) -> int:
        """The number of cards that are accepted."""
        return sum(self.find_state(card) == "accepted" for card in self.cards)

    @property
    def cells(self) -> int:
        """The cells that accepted findings put right; findings of fewer than five do not count."""
        accepted = [one for one in self.cards if one.column and "prepare" in one.writes]
        return sum(one.cells for one in accepted if self.find_state(one) == "accepted" and _is_told(one.cells))

    @property
    def columns(self) -> int:
        """The number of columns that are measured."""
        return len({*self.survey.source.columns, *self.draft.section("derive")} - {*self.draft.unpublished})

    @property
    def state(self) -> str:
        """The icon of the answer."""
        return "waits" if self.waiting else "holds"

    @property
    def title(self) -> Markup:
        """The answer."""
        if not self.cards:
            return self.say("prepare_none")
        figures = {"findings": len(self.cards), "accepted": self.accepted, "waiting": len(self.waiting)}
        return self.say("prepare_findings" if self.waiting else "prepare_decided", **figures)

    @property
    def closed_reason(self) -> Markup:
        """The reason why the next step is closed: which rows are the table is not decided."""
        return self.say("prepare_door_rows") if any(one.kind in OF_ROWS[:2] for one in self.waiting) else Markup()

    @property
    def waited(self) -> str:
        """The numbers of the cards that stand first, separated by commas."""
        return self._waited or ",".join(str(card.number) for card in self.waiting) or "0"

    @cached_property
    def groups(self) -> list[tuple[Markup, list[CardView]]]:
        """The cards: first those that waited when the page was loaded, then those of rows, then those of columns."""
        first = {int(one) for one in self.waited.split(",") if one.isascii() and one.isdecimal() and len(one) < 7}  # noqa: PLR2004
        by_group: dict[str, list[CardView]] = {"waiting": [], "rows": [], "columns": []}
        for card in self.cards:
            group = "waiting" if card.number in first else "rows" if card.column is None else "columns"
            by_group[group].append(self.describe(card))
        return [(self.say(f"prepare_group_{name}"), cards) for name, cards in by_group.items() if cards]

    def describe(self, card: PrepareCard) -> CardView:
        """Return a card as it is shown."""
        column = Name(card.column or "")
        of_file = card.kind in OF_ROWS[:2]  # titles and sums are nobody's
        rows = card.cells if of_file else disclose_count(card.cells)
        figures: dict[str, Any] = {"column": column, "rows": rows, "row": card.cells + 1}
        figures |= {"before": card.before, "after": card.after, "cells": disclose_count(card.cells)}
        text = [self.say(f"prepare_text_{card.kind}", **figures)]
        if card.doubtful:
            text.append(self.say("prepare_doubtful", cells=disclose_count(card.doubtful)))
        state = self.find_state(card)
        if state == "unfit":
            before = disclose_count(self._accepted_cells[card.key])
            text.append(self.say("prepare_unfit", before=before, cells=disclose_count(card.cells)))
        values, after = card.list_examples(self.survey)
        return CardView(
            card,
            self.say(f"prepare_title_{card.kind}", **figures),
            Markup(words(self._language).gap).join(text),  # noqa: S704 (a blank, or nothing)
            state,
            card.write_lines(self.draft),
            card.list_settings(self.draft),
            [(Cell(value), rows) for value, rows in values],
            [Cell(value) for value in after],
            list(self._list_hits(card)),
        )

    def _list_hits(self, card: PrepareCard) -> Sequence[Hit]:
        most, known = max(card.hits.values(), default=1), words(self._language).command
        return [
            Hit(known[f"premise_kind_{kind}"], self.say("prepare_rows", rows=disclose_count(rows)), _scale(rows, most))
            for kind, rows in card.hits.items()
        ]

    @property
    def derived(self) -> list[tuple[str, Markup]]:
        """The derived columns, each with how it is computed."""
        found = []
        for name, given in self.draft.section("derive").items():
            kind = next((one for one in DERIVED if isinstance(given.get(one), Mapping)), "")
            if not kind:
                continue
            values = [str(given[kind].get(key, "")) for key in FIELDS[kind]]
            named = [self.say(f"prepare_word_{one}") if one in SOURCES.get(kind, ()) else Name(one) for one in values]
            found.append((name, self.say(f"prepare_derived_{kind}", of=named[0], to=named[1])))
        return found

    @property
    def sources(self) -> Sequence[str]:
        """The columns that others can be derived from."""
        return self.survey.source.columns


def _scale(rows: int, most: int) -> float:
    """Return the length of a bar; numbers of few rows have the same one."""
    return 100 * rows / max(most, 1) if _is_told(rows) else 0.0


def _is_told(count: int) -> bool:
    """Return True if a count is shown as it is."""
    return not isinstance(disclose_count(count), CountBand)
