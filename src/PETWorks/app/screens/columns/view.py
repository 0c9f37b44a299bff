"""What the screen of columns shows, for the roles that are decided: figures and words, and no value of few people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from markupsafe import Markup

from PETWorks.app.desk import Desk
from PETWorks.app.identifiers import published_in
from PETWorks.app.screens.columns.answer import Answer
from PETWorks.app.screens.columns.bars import Bar, bar_of_values, bar_with_others
from PETWorks.app.screens.columns.finding import Asked, Found, reasons
from PETWorks.explain.step import Cell, Name
from PETWorks.facts.notes import Note
from PETWorks.facts.roles import Role
from PETWorks.inspection.inspection import InspectedColumn
from PETWorks.inspection.survey import Survey

ROLES = (Role.IDENTIFIER, Role.QUASI_IDENTIFIER, Role.SENSITIVE_ATTRIBUTE, Role.INSENSITIVE_ATTRIBUTE)  # as shown
WARNINGS = 3  # most warnings of a column


class Row(NamedTuple):
    """A column."""

    number: int
    name: Name
    cells: Markup
    found: Markup
    asides: Sequence[Markup]
    suggested: Role | None
    decided: Role | None
    bar: Bar

    @property
    def state(self) -> str:
        """Open without a suggestion, suggested, confirmed as suggested, or decided otherwise."""
        if self.decided is None:
            return "suggested" if self.suggested else "open"
        return "confirmed" if self.decided is self.suggested else "decided"


@dataclass(frozen=True)
class ColumnsView(Answer):
    """The screen for a table, the roles that are decided, and what is asked for."""

    asked: Asked = Asked()

    @classmethod
    def of(cls, desk: Desk, survey: Survey, asked: Asked, language: str, numbers: str = "") -> ColumnsView:
        """Work out what is shown. `numbers` are those of columns that are on the page already, whatever was asked."""
        roles = desk.draft.roles_of(desk.columns)
        view = cls(survey, roles, published_in(survey, desk), language, asked=asked)
        if view.counting:
            return view
        names = [one.name for _, one in (*view.found.shown, *view.numbered(numbers))]
        return replace(view, singled=survey.singled_out(view.quasi, names))

    @cached_property
    def found(self) -> Found:
        """The columns that are asked for."""
        return Found.of(self.survey.inspection.columns, self.roles, self.asked)

    @property
    def rows(self) -> list[Row]:
        """The columns of this part."""
        return [self.row(number, one) for number, one in self.found.shown]

    @property
    def numbers(self) -> str:
        """The numbers of the columns of this part."""
        return ",".join(str(number) for number, _ in self.found.shown)

    def numbered(self, numbers: str) -> list[tuple[int, InspectedColumn]]:
        """Return columns by their numbers, separated by commas; numbers that no column has are left out."""
        columns = self.survey.inspection.columns
        known = {int(one) for one in numbers.split(",") if one.isascii() and one.isdecimal() and len(one) < 7}  # noqa: PLR2004
        return [(number, columns[number - 1]) for number in sorted(known) if 0 < number <= len(columns)]

    def row(self, number: int, column: InspectedColumn) -> Row:
        """Return what is shown of a column."""
        kind = self.findings.word.inspection[f"kind_{column.kind}"]
        key = "columns_cells_missing" if column.missing else "columns_cells"
        cells = self.say(key, kind=kind, distinct=column.distinct, missing=column.missing)
        asides = (*self._asides(column), *self.warnings(column.name))
        decided, told = self.roles.get(column.name), self._told(column)
        return Row(number, Name(column.name), cells, told, asides, column.role, decided, self.bar(column))

    def _told(self, column: InspectedColumn) -> Markup:
        """Write what was found; of a column that is an identifier by now, no value."""
        findings = self.findings
        hidden = self.roles.get(column.name) is Role.IDENTIFIER and not column.pattern
        notes = [note for note in column.reasons if not (hidden and _tells_values(note))]
        values = "" if hidden else findings.values(column)
        if hidden and (column.common or len(notes) < len(column.reasons)):
            values = str(self.say("columns_values_hidden"))
        return self.joined(self._chosen(column), *map(findings.note, notes), values)

    def _chosen(self, column: InspectedColumn) -> Markup:
        """Write that another role was chosen than the suggested one; "" if that is not so."""
        decided = self.roles.get(column.name)
        if decided is None or column.role in (None, decided):
            return Markup()
        return self.say("columns_suggested_other", suggested=self.role(column.role), role=self.role(decided))

    def _asides(self, column: InspectedColumn) -> Iterator[Markup]:
        """Yield what it would mean if people knew a column after all that is no quasi-identifier as suggested."""
        decided, singled = self.roles.get(column.name), self.singled
        if decided in (None, column.role) or column.role is not Role.QUASI_IDENTIFIER or not (singled and self.quasi):
            return
        if adds := singled.adds.get(column.name, 0):
            yield self.say("columns_if_known", more=singled.small + adds, small=singled.small)

    @cached_property
    def _notes(self) -> list[Note]:
        """What to be careful about; that columns of one role say the same is no longer of interest."""
        alike = [pair for pair in self.survey.alike if {*pair} <= {*self.roles}]
        settled = [pair for pair in alike if self.roles[pair[0]] is self.roles[pair[1]]]
        told = self.survey.warnings(self.roles)
        return [note for note in told if (note.figures.get("first"), note.figures.get("second")) not in settled]

    @cached_property
    def _warned(self) -> Mapping[str, list[Note]]:
        """By column, what to be careful about; under "" what concerns the whole table."""
        found: dict[str, list[Note]] = {}
        for note in self._notes:
            named = [str(one) for one in note.figures.values() if isinstance(one, Name)]
            for name in named or [""]:
                found.setdefault(name, []).append(note)
        return found

    def warnings(self, name: str = "") -> Iterator[Markup]:
        """Yield what to be careful about in a column, or in the whole table."""
        notes = self._warned.get(name, [])
        for note in notes[:WARNINGS]:
            yield self.joined(self.findings.note(note))
        if more := len(notes) - WARNINGS:
            yield from [self.say("columns_more_warnings", more=more)] if more > 0 else []

    def bar(self, column: InspectedColumn) -> Bar:
        """Return how many people a column singles out."""
        role, adds = self.roles.get(column.name), self.singled.adds if self.singled else {}
        if role is Role.IDENTIFIER or (column.name in self.survey.apart and column.name not in adds):
            return bar_of_values(column, role, self.survey.inspection.rows, self.say)
        if self.singled is None or column.name not in adds:
            return Bar(self.say("columns_unknown"), Markup(), 0)
        return bar_with_others(column.name, role, self.singled, self.say, alone=not self.quasi)

    @property
    def reasons(self) -> list[tuple[str, Markup]]:
        """The reasons that columns can be found by, each with how many columns have it."""
        counted = reasons(self.survey.inspection.columns)
        say = self.say
        return [
            (key, say("columns_reason_count", reason=self.reason(key), columns=many)) for key, many in counted.items()
        ]

    def reason(self, key: str) -> Markup:
        """Write a reason that columns can be found by."""
        known, _, what = key.partition(".")
        words = self.findings.word.inspection
        figures = {"looks": {"form": words.get(f"form_{what}")}, "name": {"topic": words.get(f"topic_{what}")}}
        return self.say(f"columns_reason_{known}", **figures.get(known, {}))

    @property
    def waiting_together(self) -> int:
        """How many columns may be confirmed together."""
        return sum(map(len, self.found.together(self.roles).values()))

    @property
    def together(self) -> list[tuple[Role, Markup]]:
        """The suggested roles that may be confirmed for several columns at once, and what their buttons say."""
        by_role = self.found.together(self.roles)
        if self.waiting_together < 2:  # noqa: PLR2004
            return []
        say, counted = self.say, {role: len(names) for role, names in by_role.items()}
        return [
            (role, say("columns_confirm_together", columns=many, role=self.role(role)))
            for role, many in counted.items()
        ]


def _tells_values(note: Note) -> bool:
    return any(isinstance(one, Cell) for one in note.figures.values())
