"""People who have several rows: the column that names them, and what an adversary knows of them.

Also finds columns that join the rows of a person: the person column, or a pseudonym.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from PETWorks.errors import ParameterError, PersonError, PETWorksError, Quantity, RoleError, did_you_mean, show_value
from PETWorks.facts.notes import Name
from PETWorks.facts.roles import Role, read_role
from PETWorks.tables.counting.persons import PersonCounts, PersonPairs
from PETWorks.tables.counting.size_histogram import Grouping, SizeSummary
from PETWorks.tables.counting.tally import Coded, Value, sum_by_group
from PETWorks.tables.counting.texts import Texts

if TYPE_CHECKING:
    from PETWorks.facts.facts import Facts

Known = Literal["one", "all"]
UnknownPerson = Literal["together", "each"]
KNOWN: tuple[Known, ...] = ("one", "all")
UNKNOWN: tuple[UnknownPerson, ...] = ("together", "each")
LACKING_HINT = (
    'give every row a person, or pass unknown_person="together" (all of them are one person) or "each" (one each)'
)


def read_people(person: str | None, known: str, unknown: str | None, weight: str | None = None) -> People:
    """Return the checked options about persons; raise an error for unknown words, or if weights name the persons."""
    person = None if person is None else str(person).strip()
    if person is not None and person == weight:
        problem = f'"{person}" cannot be both the column of persons and the sampling weights'
        raise ParameterError(problem, hint="name another column in weight= or in person=")
    for name, word, words in (("known", known, KNOWN), ("unknown_person", unknown, (*UNKNOWN, None))):
        if word not in words:
            there = [one for one in words if one is not None]
            raise ParameterError(f"{name} cannot be {show_value(word)}", hint=did_you_mean(str(word), there))
    if person is None and (unknown is not None or known != "one"):
        given = f'known="{known}"' if unknown is None else f'unknown_person="{unknown}"'
        hint = f"name the column of the persons in person=, or leave out {given}"
        raise ParameterError("no column of persons is named, so every row is one person", hint=hint)
    return People(person, known, unknown)  # type: ignore[arg-type]


def add_person_role(
    given: Sequence[tuple[str, object]], person: str | None, columns: Sequence[str]
) -> Sequence[tuple[str, object]]:
    """Return the roles with the person column as an identifier, which has no other role."""
    if person is None:
        return given
    for name, role in given:
        if str(name).strip() == person and read_role(role) in (Role.QUASI_IDENTIFIER, Role.SENSITIVE_ATTRIBUTE):
            hint = f'name it in person= only, or leave person= out if "{person}" is not the column of persons'
            problem = f'"{person}" cannot be a {read_role(role).replace("_", " ")}: it is the column of persons'
            raise RoleError(problem, hint=hint)
    if person not in columns:
        return given
    others = given or [(name, Role.QUASI_IDENTIFIER) for name in columns]
    return [*((name, role) for name, role in others if str(name).strip() != person), (person, Role.IDENTIFIER)]


@dataclass(frozen=True)
class People:
    """The person column, and how much of a person's rows an adversary knows."""

    column: str | None = None  # the column of persons; None: every row is one person
    known: Known = "one"  # "one": a record of the person; "all": any or all of them
    unknown: UnknownPerson | None = None  # the persons of rows without one; None: such rows are an error

    def to_dict(self) -> dict[str, str | None]:
        """Return the caller's options by name; empty if every row is one person."""
        if self.column is None:
            return {}
        return {"person": self.column, "known": self.known, "unknown_person": self.unknown}

    @property
    def options_text(self) -> str:
        """The caller's options as text."""
        return ", ".join(f'{name}="{word}"' for name, word in self.to_dict().items() if word) or "rows, without person="

    @property
    def sizes_suffice(self) -> bool:
        """True if people can be counted class by class, without knowing who is in several."""
        return self.known == "one" and self.unknown != "each"

    def check_sizes(self, outline: SizeSummary, where: str) -> None:
        """Raise an error for rows without a person, of a table of which only the sizes of classes are known."""
        if self.unknown is None and outline.unnamed:
            raise self._build_lacking_error(outline.unnamed, where)

    def _build_lacking_error(self, many: int, where: str) -> PersonError:
        figures = {"rows_have": Quantity(many, "row has", "rows have")}
        return PersonError("{rows_have} no person", where=f"{where}, {self.column}", hint=LACKING_HINT, figures=figures)

    def assign_persons(self, held: PersonCounts, where: str, marker: str) -> PersonPairs:
        """Return the person of each row; rows without one are an error, unless the caller states who they belong to."""
        nobody = Texts.of(held.names).find([None, marker])
        persons = held.persons
        lacking = np.isin(persons.of_person, nobody) if nobody else np.zeros(0, dtype=bool)
        if not lacking.any():
            return persons
        if self.unknown is None:
            raise self._build_lacking_error(int(persons.rows[lacking].sum()), where)
        if self.unknown == "together":
            numbers = np.arange(persons.people)
            numbers[nobody] = nobody[0]
            return persons.renumber(numbers, persons.people)
        rows = np.where(lacking, persons.rows, 1)
        of_entry, of_person = np.repeat(persons.of_entry, rows), np.repeat(persons.of_person, rows).astype(np.int64)
        alone = np.repeat(lacking, rows)
        of_person[alone] = persons.people + np.arange(int(alone.sum()))
        people = persons.people + int(alone.sum())
        counts = np.where(alone, 1, np.repeat(persons.rows, rows))
        return PersonPairs.from_pairs(of_entry, of_person, counts, people)


NAMED, PSEUDONYM = "named persons join rows", "pseudonym"  # keys of cached facts


def find_joining_column(facts: Facts) -> Name | None:
    """Return a column that is the same in all rows of a person and differs between people; None if there is none.

    It is the person column if the release has one, unless that names nobody with several rows: rows whose person is
    missing or suppressed are not joined by it. Otherwise all other columns are tried, for which the release may be read
    again.
    """
    column, names = facts.named_persons
    unchanged = facts.unchanged or facts
    if column is None:
        return unchanged.cache(PSEUDONYM, lambda: _find_pseudonym(unchanged))
    return Name(column) if unchanged.cache(NAMED, lambda: _names_several(unchanged, names)) else None


def _names_several(facts: Facts, names: Sequence[Value]) -> bool:
    """Return True if a named person has several rows."""
    assert facts.persons is not None  # noqa: S101
    rows = sum_by_group(facts.persons.of_person, facts.persons.rows, facts.persons.people)[: len(names)]
    rows[Texts.of(names).find([None, facts.marker])] = 0  # unknown persons have no name, or a number beyond the names
    return bool((rows > 1).any())


def _find_pseudonym(facts: Facts) -> Name | None:
    from PETWorks.facts.tallies import find_tables  # which imports this module

    tables, counted = find_tables(facts), facts.released.columns
    assert facts.persons is not None  # noqa: S101
    for name, column in counted.items():
        if _identifies_persons(column, facts.persons):
            return Name(str(name))
    others = [name for name in tables.release.columns if name not in (*counted, tables.people.column)]
    for name in others:
        try:
            held = tables.count_with_persons([], [name], Grouping((name,), tables.marker))
            persons = tables.people.assign_persons(held, tables.release.name, tables.marker)
        except PETWorksError:  # too many values for the memory, or of a type that cannot be counted
            continue
        if _identifies_persons(held.tally.columns[name], persons):
            return Name(name)
    return None


def _identifies_persons(column: Coded, persons: PersonPairs) -> bool:
    """Return True if each person has one value of a column, and no two persons have the same one."""
    people = persons.occurring
    if len(np.unique(column.codes)) != people:
        return False
    pairs = persons.regroup(column.codes)
    return len(pairs.rows) == people
