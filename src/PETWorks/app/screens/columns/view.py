"""The view of step 3: the answer, the columns with their roles and bars, and the search for columns.

Figures show how many people the columns single out by the roles decided so far. Values of few people are not shown.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple
from urllib.parse import urlencode

from markupsafe import Markup

from PETWorks.app.notices import append_published, find_published_in, render_published
from PETWorks.app.project.draft import Draft
from PETWorks.app.responses import Say, make_say
from PETWorks.app.screens.columns.persons import find_answer
from PETWorks.app.screens.columns.treatments import ColumnTreatmentForm, build_treatment_form
from PETWorks.app.session import Session
from PETWorks.facts.notes import Note
from PETWorks.facts.roles import Role
from PETWorks.inspection.inspection import InspectedColumn
from PETWorks.inspection.survey import Survey
from PETWorks.inspection.uniqueness import SingledOut
from PETWorks.measure.steps import Cell, Name
from PETWorks.render.inspection import InspectionWriter
from PETWorks.render.page.markup import PAGE

Asked = Mapping[str, ColumnTreatmentForm]  # treatments that were chosen and lack something, by column
SIZE_RANGES = ((1, 4), (5, 9), (10, 19), (20, 99), (100, None))  # of class sizes


class Bar(NamedTuple):
    """The number of people that a column singles out: the figure, its meaning, and the length of its bar."""

    figure: Markup
    meaning: Markup
    length: float  # percent of the longest
    solid: bool = False  # True: they are singled out now; False: they would be


class SizeRange(NamedTuple):
    """The people in classes of a range of sizes, as a part of a bar."""

    label: Markup
    people: int
    start: float  # percent of all people
    share: float


def make_value_bar(column: InspectedColumn, role: Role | None, rows: int, say: Say) -> Bar:
    """Return the bar of a column that is not counted with others: the people that its values alone single out."""
    left_out = role is Role.IDENTIFIER or (role is None and column.role is Role.IDENTIFIER)
    figure = say("columns_everyone") if column.few == rows else format_count(column.few)
    meaning = say("columns_apart_left_out" if left_out else "columns_apart_released")
    return Bar(figure, meaning, 100 * column.few / rows)


def make_joint_bar(name: str, role: Role | None, singled: SingledOut, say: Say, *, alone: bool) -> Bar:
    """Return the bar of a column: people in small classes because of it, or if it were a quasi-identifier.

    With `alone`, there is no quasi-identifier yet.
    """
    adds = singled.adds[name]
    length = 100 * adds / max(*singled.adds.values(), 1)
    if role is Role.QUASI_IDENTIFIER:
        return Bar(format_count(adds), say("columns_fewer"), length, solid=True)
    if alone:
        return Bar(format_count(adds), say("columns_by_itself"), length)
    return Bar(Markup("+") + format_count(adds), say("columns_more"), length)


def list_size_ranges(singled: SingledOut, say: Say) -> Iterator[SizeRange]:
    """Yield all people, by ranges of class sizes."""
    rows, start = singled.count_people(1), 0
    for low, high in SIZE_RANGES:
        people = singled.count_people(low, high)
        label = say("columns_band", low=low, high=high) if high else say("columns_band_last", low=low)
        yield SizeRange(label, people, 100 * start / rows, 100 * people / rows)
        start += people


def format_count(people: int) -> Markup:
    """Format a number of people."""
    return Markup(f"{people:,}")  # noqa: S704 (a number)


@dataclass(frozen=True)
class ColumnsAnswer:
    """The answer of the screen: a table, the decided roles, and the people whom these single out."""

    survey: Survey
    roles: Mapping[str, Role]
    published: Sequence[str]  # columns that look like identifiers and would be published unchanged
    language: str
    singled: SingledOut | None = None  # None: unknown
    answered: bool = True  # False: it is open whose row a row is, so that nothing is counted

    @property
    def counting(self) -> bool:
        """True if the rows must be counted again for these roles."""
        return not self.survey.is_quick(self.quasi)

    @cached_property
    def quasi(self) -> list[str]:
        """The quasi-identifiers that are decided."""
        return [name for name, role in self.roles.items() if role is Role.QUASI_IDENTIFIER]

    @cached_property
    def open(self) -> int:
        """The number of columns without a role."""
        return sum(one.name not in self.roles for one in self.survey.inspection)

    @property
    def state(self) -> str:
        """The icon: "fails" if an identifier would be published, "holds" if all is decided, else "waits"."""
        return "fails" if self.published else "holds" if not self.closed_reason else "waits"

    @cached_property
    def say(self) -> Say:
        """The function that fills the words of the application."""
        return make_say(self.language, rows=self.survey.person is not None)

    @cached_property
    def findings(self) -> InspectionWriter:
        """The writer of the findings of the inspection."""
        return InspectionWriter(self.language, PAGE)

    @property
    def title(self) -> Markup:
        """The answer."""
        return append_published(self._headline, self.published, self.say)

    @property
    def published_warning(self) -> Markup:
        """The warning that an identifier would be published; "" if none is."""
        return render_published(self.published, self.language)

    @property
    def _headline(self) -> Markup:
        columns = len(self.survey.inspection)
        if self.open:
            return self.say("columns_open_one" if self.open == 1 else "columns_open", open=self.open, columns=columns)
        return self.say("columns_done", columns=columns) if self.quasi else self.say("columns_no_quasi")

    @property
    def lead(self) -> Markup:
        """The people in small classes, by the roles decided so far."""
        rows = self.survey.inspection.rows
        if not self.answered:
            return self.say("columns_lead_person")
        if not self.quasi:
            return self.join(self.say("columns_lead_none", rows=rows), self._suggested)
        if self.singled is None:
            return self.say("columns_lead_counting" if self.counting else "columns_lead_unknown")
        small = self.singled.small
        return self.say("columns_lead", small=small, rows=rows, share=small / rows, alone=self.singled.alone)

    @property
    def _suggested(self) -> Markup:
        """The people in small classes if all suggestions were confirmed; "" if unknown."""
        small, rows = self.survey.inspection.small, self.survey.inspection.rows
        return (
            Markup()
            if small is None
            else self.say("columns_lead_suggested", small=small, rows=rows, share=small / rows)
        )

    @property
    def closed_reason(self) -> Markup:
        """The reason why the next step is closed; "" if it is open."""
        if not self.answered:
            return self.say("columns_door_person")
        if self.open:
            return self.say("columns_door_open", open=self.open)
        return Markup() if self.quasi else self.say("columns_door_no_quasi")

    @property
    def bands(self) -> list[SizeRange]:
        """All people, by ranges of class sizes; empty while there is no quasi-identifier."""
        return [*list_size_ranges(self.singled, self.say)] if self.singled and self.quasi and self.answered else []

    def render_role(self, role: Role) -> Markup:
        """Return the name of a role."""
        return Markup(self.findings.write_role(role))  # noqa: S704 (escaped)

    def join(self, *sentences: str) -> Markup:
        """Join sentences, which are escaped; some may be empty."""
        return Markup(self.findings.join(*sentences))  # noqa: S704 (all parts are escaped)


RUN = re.compile(r"(?<=,)([0-9]{1,6})(?:-([0-9]{1,6}))?(?=,)", re.ASCII)  # numbers of columns
COLUMNS_PER_PAGE = 40  # so that a page of thousands of columns still loads quickly
OPEN_ROLE = "open"  # the query for columns without a role


def find_reason(column: InspectedColumn) -> str:
    """Return the key of a column's first reason, with the form or topic that it names. Columns are found by it."""
    first = column.reasons[0]
    if "form" in first.figures:
        return f"looks.{first.figures['form']}"
    return f"name.{first.figures['topic']}" if "topic" in first.figures else first.kind


@dataclass(frozen=True)
class ColumnQuery:
    """A query for columns; an empty one matches all. Pages are numbered from 1."""

    name: str = ""
    reason: str = ""
    role: str = ""
    part: int = 1

    @classmethod
    def of(cls, fields: Mapping[str, str]) -> ColumnQuery:
        """Read a query from an address or a form; invalid fields are ignored."""
        role, part = fields.get("role_asked", ""), fields.get("part", "1")
        known = role if role in (OPEN_ROLE, *Role) else ""
        number = int(part) if part.isascii() and part.isdecimal() and len(part) < 6 else 1  # noqa: PLR2004
        return cls(fields.get("name", "").strip(), fields.get("reason", ""), known, max(number, 1))

    def __bool__(self) -> bool:
        """Return True if the query may exclude columns."""
        return bool(self.name or self.reason or self.role)

    def matches(self, column: InspectedColumn, role: Role | None) -> bool:
        """Return True if a column with this decided role matches the query."""
        return (
            self.name.casefold() in column.name.casefold()
            and self.reason in ("", find_reason(column))
            and (not self.role or (role is None if self.role == OPEN_ROLE else role == self.role))
        )

    def address(self, part: int | None = None) -> str:
        """Return the address of this page, or of another page of the query."""
        fields = {"name": self.name, "reason": self.reason, "role_asked": self.role}
        fields["part"] = str(part or self.part) if (part or self.part) > 1 else ""
        query = urlencode({key: value for key, value in fields.items() if value})
        return f"/columns?{query}" if query else "/columns"


@dataclass(frozen=True)
class ColumnSelection:
    """The columns that match a query, with their numbers: undecided ones first, then in the order of the table."""

    query: ColumnQuery
    columns: Sequence[tuple[int, InspectedColumn]]

    @classmethod
    def of(cls, columns: Sequence[InspectedColumn], roles: Mapping[str, Role], query: ColumnQuery) -> ColumnSelection:
        """Find the columns that match a query."""
        numbered = enumerate(columns, 1)
        fitting = [(number, one) for number, one in numbered if query.matches(one, roles.get(one.name))]
        return cls(query, sorted(fitting, key=lambda entry: entry[1].name in roles))

    @property
    def parts(self) -> int:
        """The number of pages."""
        return max((len(self.columns) + COLUMNS_PER_PAGE - 1) // COLUMNS_PER_PAGE, 1)

    @property
    def first(self) -> int:
        """The position of the first column on the page, from 1."""
        return (min(self.query.part, self.parts) - 1) * COLUMNS_PER_PAGE + 1

    @property
    def shown(self) -> Sequence[tuple[int, InspectedColumn]]:
        """The columns of this page."""
        return self.columns[self.first - 1 : self.first - 1 + COLUMNS_PER_PAGE]

    def group_open(self, roles: Mapping[str, Role]) -> Mapping[Role, list[str]]:
        """Return the open columns to confirm together, by suggested role; none unless the query has a reason."""
        found: dict[Role, list[str]] = {}
        for _, one in self.columns if self.query.reason else ():
            if one.role and one.name not in roles:
                found.setdefault(one.role, []).append(one.name)
        return found


def group_suggested(columns: Sequence[InspectedColumn], roles: Mapping[str, Role]) -> Mapping[Role, list[str]]:
    """Return the open columns by their suggested role."""
    found: dict[Role, list[str]] = {}
    for one in columns:
        if one.role and one.name not in roles:
            found.setdefault(one.role, []).append(one.name)
    return found


def count_reasons(columns: Sequence[InspectedColumn]) -> Mapping[str, int]:
    """Return the reasons that occur, with their numbers of columns, most frequent first."""
    return dict(Counter(map(find_reason, columns)).most_common())


ROLES = (Role.IDENTIFIER, Role.QUASI_IDENTIFIER, Role.SENSITIVE_ATTRIBUTE, Role.INSENSITIVE_ATTRIBUTE)  # as shown
MAX_WARNINGS = 3  # of a column


class ColumnsRow(NamedTuple):
    """A row of the table of columns."""

    number: int
    name: Name
    cells: Markup
    found: Markup
    asides: Sequence[Markup]
    suggested: Role | None
    decided: Role | None
    bar: Bar
    treatment: ColumnTreatmentForm

    @property
    def misfit(self) -> str:
        """The key of why the treatment does not fit the column; "" if it does."""
        return next((one.misfit for one in self.treatment.offered if one.word == self.treatment.word), "")

    @property
    def state(self) -> str:
        """The state: "open" without a suggestion, "suggested", "confirmed" as suggested, or "decided" otherwise."""
        if self.decided is None:
            return "suggested" if self.suggested else "open"
        return "confirmed" if self.decided is self.suggested else "decided"


@dataclass(frozen=True)
class ColumnsView(ColumnsAnswer):
    """The view of the screen: the answer, and the columns that match a query."""

    query: ColumnQuery = ColumnQuery()
    draft: Draft = field(default_factory=lambda: Draft({}))
    asked: Asked = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        session: Session,
        survey: Survey,
        query: ColumnQuery,
        language: str,
        numbers: str = "",
        *,
        asked: Asked | None = None,
    ) -> ColumnsView:
        """Build the view. `numbers` are those of columns that are already on the page, even if they do not match.

        `asked` are treatments that were chosen and lack something, by column.
        """
        draft = session.draft
        roles, answered = draft.roles_of(session.columns), bool(find_answer(draft))
        published = find_published_in(survey, session)
        view = cls(
            survey, roles, published, language, answered=answered, query=query, draft=draft, asked=dict(asked or {})
        )
        if view.counting:
            return view
        names = [one.name for _, one in (*view.found.shown, *view.find_columns(numbers))]
        return replace(view, singled=survey.count_singled_out(view.quasi, names))

    @cached_property
    def found(self) -> ColumnSelection:
        """The columns that match the query."""
        return ColumnSelection.of(self.survey.inspection.columns, self.roles, self.query)

    @property
    def rows(self) -> list[ColumnsRow]:
        """The rows of this page."""
        return [self.make_row(number, one) for number, one in self.found.shown]

    @property
    def numbers(self) -> str:
        """The numbers of the columns of this page, as ranges separated by commas."""
        runs: list[list[int]] = []
        for number, _ in self.found.shown:
            if runs and number == runs[-1][-1] + 1:
                runs[-1][1:] = [number]
            else:
                runs.append([number])
        return ",".join("-".join(map(str, run)) for run in runs)

    def find_columns(self, numbers: str) -> list[tuple[int, InspectedColumn]]:
        """Return columns by their numbers, or ranges of them, separated by commas; unknown numbers are ignored."""
        columns, known = self.survey.inspection.columns, set[int]()
        for run in RUN.findall(f",{numbers},"):
            first, last = int(run[0]), int(run[1] or run[0])
            known |= {*range(max(first, 1), min(last, len(columns), first + COLUMNS_PER_PAGE) + 1)}
        return [(number, columns[number - 1]) for number in sorted(known)]

    def make_row(self, number: int, column: InspectedColumn) -> ColumnsRow:
        """Return the row of a column."""
        kind = self.findings.word.inspection[f"kind_{column.kind}"]
        key = "columns_cells_missing" if column.missing else "columns_cells"
        cells = self.say(key, kind=kind, distinct=column.distinct, missing=column.missing)
        asides = (*self._list_asides(column), *self.list_warnings(column.name))
        decided, findings = self.roles.get(column.name), self._describe_findings(column)
        treatment = build_treatment_form(
            column, self.draft.roles.get(column.name, decided), self.draft, self.asked.get(column.name)
        )
        return ColumnsRow(
            number, Name(column.name), cells, findings, asides, column.role, decided, self.make_bar(column), treatment
        )

    def _describe_findings(self, column: InspectedColumn) -> Markup:
        """Describe the findings on a column; without values if its role is identifier."""
        findings = self.findings
        hidden = self.roles.get(column.name) is Role.IDENTIFIER and not column.pattern
        notes = [note for note in column.reasons if not (hidden and _has_values(note))]
        values = "" if hidden else findings.write_values(column)
        if hidden and (column.common or len(notes) < len(column.reasons)):
            values = str(self.say("columns_values_hidden"))
        return self.join(self._describe_choice(column), *map(findings.write_note, notes), values)

    def _describe_choice(self, column: InspectedColumn) -> Markup:
        """Describe the choice of another role than the suggested one; "" if there is none."""
        decided = self.roles.get(column.name)
        if decided is None or column.role in (None, decided):
            return Markup()
        return self.say(
            "columns_suggested_other", suggested=self.render_role(column.role), role=self.render_role(decided)
        )

    def _list_asides(self, column: InspectedColumn) -> Iterator[Markup]:
        """Yield the effect if people knew a suggested quasi-identifier that was decided otherwise."""
        decided, singled = self.roles.get(column.name), self.singled
        if decided in (None, column.role) or column.role is not Role.QUASI_IDENTIFIER or not (singled and self.quasi):
            return
        if adds := singled.adds.get(column.name, 0):
            yield self.say("columns_if_known", more=singled.small + adds, small=singled.small)

    @cached_property
    def _notes(self) -> list[Note]:
        """The warnings, except that two columns of the same role have the same content."""
        alike = [pair for pair in self.survey.alike if {*pair} <= {*self.roles}]
        settled = [pair for pair in alike if self.roles[pair[0]] is self.roles[pair[1]]]
        warnings = self.survey.find_warnings(self.roles)
        return [note for note in warnings if (note.figures.get("first"), note.figures.get("second")) not in settled]

    @cached_property
    def _notes_by_column(self) -> Mapping[str, list[Note]]:
        """The warnings by column; those of the whole table under ""."""
        found: dict[str, list[Note]] = {}
        for note in self._notes:
            named = [str(one) for one in note.figures.values() if isinstance(one, Name)]
            for name in named or [""]:
                found.setdefault(name, []).append(note)
        return found

    def list_warnings(self, name: str = "") -> Iterator[Markup]:
        """Yield the warnings of a column, or of the whole table."""
        notes = self._notes_by_column.get(name, [])
        for note in notes[:MAX_WARNINGS]:
            yield self.join(self.findings.write_note(note))
        if more := len(notes) - MAX_WARNINGS:
            yield from [self.say("columns_more_warnings", more=more)] if more > 0 else []

    def make_bar(self, column: InspectedColumn) -> Bar:
        """Return the bar of a column: the people whom it singles out."""
        if not self.answered:
            return Bar(Markup("—"), Markup(), 0)
        role, adds = self.roles.get(column.name), self.singled.adds if self.singled else {}
        if role is Role.IDENTIFIER or (column.name in self.survey.apart and column.name not in adds):
            return make_value_bar(column, role, self.survey.inspection.rows, self.say)
        if self.singled is None or column.name not in adds:
            return Bar(self.say("columns_unknown"), Markup(), 0)
        return make_joint_bar(column.name, role, self.singled, self.say, alone=not self.quasi)

    @property
    def reasons(self) -> list[tuple[str, Markup]]:
        """The reasons that columns can be found by, each with its number of columns."""
        counted = count_reasons(self.survey.inspection.columns)
        say = self.say
        return [
            (key, say("columns_reason_count", reason=self.render_reason(key), columns=many))
            for key, many in counted.items()
        ]

    def render_reason(self, key: str) -> Markup:
        """Render a reason that columns can be found by."""
        known, _, what = key.partition(".")
        words = self.findings.word.inspection
        figures = {"looks": {"form": words.get(f"form_{what}")}, "name": {"topic": words.get(f"topic_{what}")}}
        return self.say(f"columns_reason_{known}", **figures.get(known, {}))

    @property
    def suggested(self) -> list[tuple[Role, Markup, list[Name]]]:
        """The suggested roles that several open columns have, with the text of a button, and their names."""
        found = {} if self.query else group_suggested(self.survey.inspection.columns, self.roles)
        return [
            (role, self.say(f"columns_suggested_{role}", columns=len(names)), [Name(one) for one in names])
            for role, names in found.items()
            if len(names) > 1
        ]

    @property
    def waiting_together(self) -> int:
        """The number of columns that may be confirmed together."""
        return sum(map(len, self.found.group_open(self.roles).values()))

    @property
    def together(self) -> list[tuple[Role, Markup]]:
        """The suggested roles that may be confirmed for several columns at once, with the text of their buttons."""
        by_role = self.found.group_open(self.roles)
        if self.waiting_together < 2:  # noqa: PLR2004
            return []
        say, counted = self.say, {role: len(names) for role, names in by_role.items()}
        return [
            (role, say("columns_confirm_together", columns=many, role=self.render_role(role)))
            for role, many in counted.items()
        ]


def _has_values(note: Note) -> bool:
    return any(isinstance(one, Cell) for one in note.figures.values())
