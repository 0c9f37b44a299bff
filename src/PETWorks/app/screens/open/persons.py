"""Whose rows are they? Asked where a column repeats as the number of a person does who has several rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from PETWorks.app.answering import go
from PETWorks.app.desk import Desk, opened
from PETWorks.app.forms import BadRequestError, Form, form_of
from PETWorks.app.project.change import Change
from PETWorks.explain.step import Name
from PETWorks.facts.people import KNOWN, UNKNOWN
from PETWorks.facts.roles import Role

ONE, ALL = KNOWN


@dataclass(frozen=True)
class Repeating:
    """A column that may say whose rows they are."""

    number: int
    name: Name
    people: int  # different cells
    chosen: bool


@dataclass(frozen=True)
class Persons:
    """What is asked about persons, and what was answered."""

    columns: Sequence[Repeating]
    known: str
    unknown: str
    lacking: bool  # True: some rows of these columns have no person

    @classmethod
    def of(cls, desk: Desk) -> Persons | None:
        """Return what is asked of a table that was read; None if no column repeats as persons do."""
        if (found := desk.inspected) is None:
            return None
        data = desk.draft.data
        offered = {*found.persons, data.get("person")}
        columns = [one for one in found if one.name in offered]
        numbers = {name: number for number, name in enumerate(desk.columns, 1)}
        listed = [
            Repeating(numbers[one.name], Name(one.name), one.distinct, one.name == data.get("person"))
            for one in columns
        ]
        lacking = any(one.missing for one in columns)
        return cls(listed, data.get("known", ONE), data.get("unknown_person", ""), lacking) if listed else None

    @property
    def none(self) -> bool:
        """True if every row is taken for one person."""
        return not any(one.chosen for one in self.columns)


def tell(request: Request) -> Response:
    """Write down whose rows they are: the column is an identifier, and requirements count people."""
    desk, form = opened(request), form_of(request)
    known, unknown = _word(form, "known", KNOWN), _word(form, "unknown_person", ("", *UNKNOWN))
    if not form["person"]:
        draft, change = desk.draft.with_data(person=None, known=None, unknown_person=None), Change("open_nobody")
    elif not 1 <= (number := form.number("person")) <= len(desk.columns):
        raise BadRequestError("there is no such column")
    else:
        name = desk.columns[number - 1]
        said = {"person": name, "known": ALL if known == ALL else None, "unknown_person": unknown or None}
        draft = desk.draft.with_data(**said).with_role(name, Role.IDENTIFIER)
        change = Change("open_person", person=name)
    desk.apply(form, change, draft)
    return go(request, "/")


def _word(form: Form, name: str, words: Sequence[str]) -> str:
    if (word := form.get(name, words[0])) not in words:
        raise BadRequestError(f"the field {name!r} has no such value")
    return word


ROUTES = [Route("/open/persons", tell, methods=["POST"])]
