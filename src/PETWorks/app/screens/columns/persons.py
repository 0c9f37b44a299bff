"""The question whose row a row is: it stands first, has no default, and every figure below it counts by the answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PETWorks.app.forms import BadRequestError, Form
from PETWorks.app.project.draft import Change, Draft
from PETWorks.app.session import Session
from PETWorks.facts.people import KNOWN, UNKNOWN
from PETWorks.facts.roles import Role
from PETWorks.measure.steps import Name

ONE, ALL = KNOWN
PREMISE = "people"
SEVERAL, ROWS = "several", "rows"
MAX_REASON = 500
MAX_OFFERED = 50  # columns that do not repeat as persons do; those with most values


@dataclass(frozen=True)
class PersonColumn:
    """A column that may be the person column."""

    number: int
    text: str
    people: int  # distinct values
    chosen: bool

    @property
    def name(self) -> Name:
        """The name of the column."""
        return Name(self.text)


@dataclass(frozen=True)
class PersonsQuestion:
    """The question, with the present answer, or with one that was sent and lacks something."""

    answer: str  # "several", "rows", or "" if it is not answered
    columns: Sequence[PersonColumn]
    evidence: Sequence[PersonColumn]  # columns that repeat as the numbers of people do
    rows: int
    known: str
    unknown: str
    lacking: bool  # True: some rows have no value in these columns
    why: str  # why a row is one person
    incomplete: bool = False  # True: the reason is missing

    @classmethod
    def of(cls, session: Session, sent: Form | None = None) -> PersonsQuestion:
        """Return the question for a table that was surveyed."""
        found, data = session.survey.value.inspection, session.draft.data
        person, persons = data.get("person"), set(found.persons)
        numbers = {name: number for number, name in enumerate(session.columns, 1)}
        every = [PersonColumn(numbers[one.name], one.name, one.distinct, one.name == person) for one in found]
        evidence = [one for one in every if one.text in persons]
        first = [one for one in every if one.chosen or one.text in persons]
        others = sorted((one for one in every if one not in first and one.people < found.rows), key=_by_people)
        columns = [*first, *others[:MAX_OFFERED]]
        known = {one.text for one in (first or columns)}
        answer, why = find_answer(session.draft), _find_reason(session.draft)
        return cls(
            sent["answer"] if sent else answer,
            columns,
            [] if person else evidence,
            found.rows,
            data.get("known", ONE),
            data.get("unknown_person", ""),
            any(one.missing for one in found if one.name in known),
            sent.get("why") if sent else why,
            sent is not None,
        )


def _by_people(column: PersonColumn) -> int:
    return -column.people


def find_answer(draft: Draft) -> str:
    """Return the answer that a policy has; "" if there is none."""
    if draft.data.get("person"):
        return SEVERAL
    return ROWS if any(one.get("premise") == PREMISE for one in draft.content.get("accept", ())) else ""


def _find_reason(draft: Draft) -> str:
    found = [one.get("why") for one in draft.content.get("accept", ()) if one.get("premise") == PREMISE]
    return str(found[0] or "") if found else ""


def read_answer(session: Session, form: Form) -> tuple[Change, Draft] | None:
    """Return what the sent answer writes; None if its reason is missing."""
    known, unknown = _read_word(form, "known", KNOWN), _read_word(form, "unknown_person", ("", *UNKNOWN))
    draft, answer = session.draft, form["answer"]
    others = [one for one in draft.content.get("accept", ()) if one.get("premise") != PREMISE]
    if answer == ROWS:
        if not (why := form.get("why").strip()[:MAX_REASON]):
            return None
        draft = draft.with_data(person=None, known=None, unknown_person=None)
        return Change("columns_alone"), draft.with_section("accept", [*others, {"premise": PREMISE, "why": why}])
    if answer != SEVERAL or not 1 <= (number := form.number("person")) <= len(session.columns):
        raise BadRequestError("there is no such answer, or no such column")
    name = session.columns[number - 1]
    said = {"person": name, "known": ALL if known == ALL else None, "unknown_person": unknown or None}
    draft = draft.with_section("accept", others).with_data(**said).with_role(name, Role.IDENTIFIER)
    return Change("columns_person", person=name), draft


def _read_word(form: Form, name: str, words: Sequence[str]) -> str:
    if (word := form.get(name, words[0])) not in words:
        raise BadRequestError(f"the field {name!r} has no such value")
    return word
