"""The result of inspecting a raw table: its columns with their suggested roles, and warnings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from PETWorks.errors import UnknownNameError, did_you_mean
from PETWorks.facts.notes import Note
from PETWorks.facts.roles import Role
from PETWorks.inspection.findings import PrepareFinding
from PETWorks.inspection.values import MIN_VALID_SHARE, NUMBERS_OF_PEOPLE, Kind
from PETWorks.presentation import Language, presenter
from PETWorks.tables.source import NO_HEADER_HINT, look_like_cells

if TYPE_CHECKING:
    from rich.console import RenderableType


@dataclass(frozen=True)
class InspectedColumn:
    """A column: the kind of its values, and the role that is suggested for it, with reasons.

    `role` is None if a person has to decide. Values that fewer than five people have are not stored; of a column that
    may name people, only the `pattern`, in which A is a letter and # a digit.
    """

    name: str
    kind: Kind
    distinct: int  # how many different values there are, without the missing one
    unique: int  # how many people are the only one with their value
    few: int  # how many people have a value that fewer than five have
    missing: int  # how many cells are missing
    role: Role | None
    reasons: tuple[Note, ...]
    common: tuple[tuple[str, int], ...] = ()  # the most frequent values, and how many people have each
    pattern: str | None = None  # the most frequent form of the values
    adds: int | None = None  # people in classes of fewer than five because of it; None: not known

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values for JSON."""
        plain = {**vars(self), "kind": str(self.kind), "role": self.role and str(self.role)}
        plain["common"] = [{"value": value, "people": people} for value, people in self.common]
        return plain | {"reasons": [note.to_dict() for note in self.reasons]}


@dataclass(frozen=True)
class Inspection:
    """An inspected table: `columns` in the order of the table. It renders itself, and holds no values of few people."""

    name: str
    rows: int
    form: tuple[str, ...]  # kind of table and its format
    columns: tuple[InspectedColumn, ...]
    small: int | None  # people in classes of fewer than five, by the suggested quasi-identifiers; None: not known
    alone: int | None  # people who are alone in their class
    warnings: tuple[Note, ...] = field(default=())
    findings: tuple[PrepareFinding, ...] = field(default=())  # what has to be put right before anything is measured
    person: str | None = None  # the column that values are counted by, until somebody says whose row each is

    @property
    def roles(self) -> Mapping[str, Role]:
        """The suggested roles, of the columns that have one."""
        return {column.name: column.role for column in self.columns if column.role is not None}

    @property
    def persons(self) -> tuple[str, ...]:
        """The columns that may name the person of each row: possible identifiers with fewer values than rows.

        Empty if a personal number is different in every row: every row is then one person.
        """
        if any(_identifies_people(one) and one.distinct == self.rows for one in self.columns):
            return ()
        named = (one for one in self.columns if one.pattern is not None)
        return tuple(one.name for one in named if 1 < one.distinct < self.rows - one.missing)

    @property
    def questions(self) -> tuple[str, ...]:
        """The columns whose role a person has to decide."""
        return tuple(column.name for column in self.columns if column.role is None)

    def __getitem__(self, name: str) -> InspectedColumn:
        """Return a column by its name."""
        for column in self.columns:
            if column.name == name:
                return column
        names = [column.name for column in self.columns]
        headerless = look_like_cells(names) or any(note.kind == "no_header" for note in self.warnings)
        hint = NO_HEADER_HINT if headerless else did_you_mean(name, names)
        raise UnknownNameError(f"there is no column {name!r}", where=self.name, hint=hint)

    def __iter__(self) -> Iterator[InspectedColumn]:
        """Iterate over the columns."""
        return iter(self.columns)

    def __len__(self) -> int:
        """Return the number of columns."""
        return len(self.columns)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values for JSON."""
        return {
            "table": self.name,
            "rows": self.rows,
            "counted_by": self.person,
            "form": list(self.form),
            "people_in_classes_of_fewer_than_5": self.small,
            "people_alone": self.alone,
            "columns": [column.to_dict() for column in self.columns],
            "warnings": [note.to_dict() for note in self.warnings],
            "findings": [one.to_dict() for one in self.findings],
        }

    def to_json(self) -> str:
        """Return everything as JSON, with the reasons as sentences in both languages."""
        return presenter().inspection_json(self)

    def text(self, language: Language = "en") -> str:
        """Return the inspection as text of 80 columns."""
        return presenter().inspection_text(self, language)

    def __str__(self) -> str:
        """Return the inspection as text."""
        return self.text()

    def __rich__(self) -> RenderableType:
        """Return the text for a terminal; it is never parsed as rich markup."""
        from rich.text import Text

        return Text(self.text())

    def _repr_html_(self) -> str:
        return presenter().as_html(self)


def _identifies_people(column: InspectedColumn) -> bool:
    """Return True for personal numbers, most of which have the right check digit."""
    checked = (note.figures for note in column.reasons if note.kind == "looks_checked")
    return any(one["form"] in NUMBERS_OF_PEOPLE and one["right"] >= MIN_VALID_SHARE for one in checked)
