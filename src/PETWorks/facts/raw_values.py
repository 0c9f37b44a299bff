"""The values of a column before it was recoded, with their counts: what rules of hierarchies are built on."""

from __future__ import annotations

from PETWorks.counting.tally import Before, Key, Tally
from PETWorks.errors import NotAskableError, TooLargeError
from PETWorks.facts.counted_tallies import CountedTallies
from PETWorks.facts.roles import Roles
from PETWorks.facts.tallies import Tables
from PETWorks.hierarchies.counts import Counts


def raw_values(tables: Tables, roles: Roles, name: str) -> Counts:
    """Count the values of a column: of a quasi-identifier in the original, of another column in the release.

    Values that only the population has are there, too, with no people. Suppressed cells are left out.
    """
    counts = _counted(tables, roles, name)
    if tables.population is not None and name in roles.quasi_identifiers:
        try:
            people = tables.population_tally(roles.quasi_identifiers, rows=0)
        except TooLargeError:
            people = tables.population.tally([name], tables.workspace)
        counts = dict.fromkeys(people.columns[name].values, 0) | counts
    return {value: count for value, count in counts.items() if value != tables.marker}


def _counted(tables: Tables, roles: Roles, name: str) -> dict[str | None, int]:
    tallies, known = CountedTallies(tables, roles), name in roles.quasi_identifiers
    if known and tables.original is None:
        problem = f'the hierarchy of "{name}" is built on the values of the original, which is not given'
        raise NotAskableError(problem, hint="pass original=, or a file: petworks hierarchy writes one")
    apart = known and tables.original is not tables.release
    key: Key = Before(name) if apart else name
    try:
        tally = (tallies.before if apart else tallies.released).of([key])
    except TooLargeError:
        source = tables.original if apart and tables.original is not None else tables.release
        tally = source.tally([name], tables.workspace)
        key = name
    return _people(tally, key)


def _people(tally: Tally, key: Key) -> dict[str | None, int]:
    column = tally.columns[key]
    return dict(zip([column.values[code] for code in column.codes.tolist()], tally.counts.tolist(), strict=True))
