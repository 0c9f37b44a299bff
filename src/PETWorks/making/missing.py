"""Hierarchies of a release that is made: those without a row for missing values get one if there are any."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PETWorks.counting.tally import Value
from PETWorks.facts.facts import Facts
from PETWorks.hierarchies.files import WithMissing


def with_missing(facts: Facts, values: Callable[[str], Sequence[Value]]) -> WithMissing:
    """Complete the hierarchies if values of the column, or of the same column of the population, are missing.

    `values` returns the values of a column before it was recoded. Missing values stay missing below the top.
    """

    def missing(name: str) -> bool:
        return name in facts.roles.quasi_identifiers and (None in values(name) or None in _of_population(facts, name))

    return WithMissing(facts.hierarchies, missing)


def _of_population(facts: Facts, name: str) -> Sequence[Value]:
    if not facts.has_population:
        return ()
    people = facts._tables.population_tally(facts.roles.quasi_identifiers, rows=0)  # noqa: SLF001 (of our own)
    return people.columns[name].values
