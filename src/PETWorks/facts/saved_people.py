"""Whose rows they are, as plain values that JSON can hold. Persons have numbers: their names are not saved."""

from __future__ import annotations

from contextlib import suppress

from PETWorks.counting.persons import Held, split_off
from PETWorks.counting.tally import Before, Coded, Key, Tally
from PETWorks.errors import PETWorksError
from PETWorks.facts.facts import Facts
from PETWorks.facts.notes import Name
from PETWorks.facts.people import People
from PETWorks.facts.pseudonyms import joining_column
from PETWorks.facts.saved_values import Plain, plain_tally, tally_of

NUMBER = Before("")  # the column of their numbers; "" cannot clash with a column name


def plain_people(facts: Facts) -> Plain:
    """Convert whose rows they are, as it was counted; None if every row is one person."""
    people, names = facts._tables.people, facts.roles.quasi_identifiers  # noqa: SLF001 (of this room)
    if people.column is None:
        return None
    if facts.all_persons is None:  # only the sizes of classes are known: they are in the error that was saved
        return {**people.to_dict(), "named": False, "joined": None, "held": None, "population": None}
    held = Held(facts.released, facts.all_persons, ())
    with suppress(PETWorksError):
        if facts.has_original and (pairs := facts._tallies.paired_persons) is not None:  # noqa: SLF001
            held = Held(facts.paired, pairs, ())
    population = None
    with suppress(PETWorksError):
        population = facts._tables.population_held(names) if facts.has_population else None  # noqa: SLF001
    joined = joining_column(facts) if facts.persons is not None and facts.known == "one" else None
    return {
        **people.to_dict(),
        "named": facts.named_persons[0] is not None,
        "joined": joined,
        "held": _plain_held(held),
        "population": population and _plain_held(population),
    }


class SavedPeople:
    """Whose rows they are, built from what `plain_people` returned."""

    def __init__(self, plain: Plain) -> None:
        self.people = People(plain["person"], plain["known"], plain["unknown_person"])
        self.named = bool(plain["named"])
        self.joined = None if plain["joined"] is None else Name(plain["joined"])
        self.held = _held_of(plain["held"]) if plain["held"] else None
        self.population = plain["population"] and _held_of(plain["population"])


def _plain_held(held: Held) -> Plain:
    persons = held.persons
    columns: dict[Key, Coded] = {key: column.take(persons.of_entry) for key, column in held.tally.columns.items()}
    numbers = Coded(persons.of_person, [str(number) for number in range(persons.people)])
    return plain_tally(Tally({**columns, NUMBER: numbers}, persons.rows))


def _held_of(plain: Plain) -> Held:
    return split_off(tally_of(plain), NUMBER)
