"""The population that a release is a sample of, with its people: those that its rows name, or one for each row."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PETWorks.counting.persons import Held, Persons
from PETWorks.errors import PopulationError, plural
from PETWorks.facts.classes import PopulationClasses
from PETWorks.facts.population import checked_population, lifted_population, population_classes
from PETWorks.facts.population_of_people import population_of_people
from PETWorks.facts.tallies import HOLDS_SAMPLE

if TYPE_CHECKING:
    from PETWorks.facts.facts import Facts


def population_of(facts: Facts) -> PopulationClasses:
    """Return the classes of the population, generalised as the release is; it must include the release."""
    tables, names = facts._tables, facts.roles.quasi_identifiers  # noqa: SLF001 (of this room)
    persons, held = facts.all_persons, tables.population_held(names)
    if persons is None or (facts.persons is None and (held is None or not held.persons.several)):
        people = tables.population_tally(names, rows=facts.released.rows)
        lifted = lifted_population(
            facts.known_classes, people, facts.hierarchies, facts.marker, facts.columns.refuse_strangers
        )
        return checked_population(population_classes(lifted, facts.known_classes, people))
    found = held or _each_row(facts)
    if found.persons.occurring < persons.occurring:
        here, there = (plural(one.occurring, "person", "people") for one in (persons, found.persons))
        problem = f"{there}, but the release has {here}"
        raise PopulationError(problem, where=tables.require_population().name, hint=HOLDS_SAMPLE)
    refuse, classes = facts.columns.refuse_strangers, facts.known_classes
    lifted = lifted_population(facts.known_row_classes, found.tally, facts.hierarchies, facts.marker, refuse)
    published = persons.where(~facts.suppressed(facts.released))
    released = published.of(facts.known_row_classes.of_entry)
    return checked_population(population_of_people(lifted, classes, released, found.persons, facts.known), "people")


def _each_row(facts: Facts) -> Held:
    """Return a population that does not say whose rows it has: each is one person, if one record is known."""
    tables = facts._tables  # noqa: SLF001 (of this room)
    if facts.known == "all":
        person = tables.people.column
        problem = f'there is no column "{person}": it must say whose rows it has, since all of them are known'
        hint = 'add it, or pass known="one"'
        raise PopulationError(problem, where=tables.require_population().name, hint=hint)
    tally = tables.population_tally(facts.roles.quasi_identifiers, rows=0)
    return Held(tally, Persons.of_rows(tally.counts), ())
