"""A table with its roles, from which everything starts: it is inspected, anonymized, and compared with releases."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

from PETWorks.anonymization.make import anonymize
from PETWorks.evaluation.release import Release
from PETWorks.inspection.survey import inspect
from PETWorks.settings.sections import Engine, Person, Reading, Search, Writing

if TYPE_CHECKING:
    from PETWorks.anonymization.anonymized_table import AnonymizedTable
    from PETWorks.anonymization.search import Listener
    from PETWorks.facts.roles import Names
    from PETWorks.inspection.inspection import Inspection
    from PETWorks.measure.base import Measure
    from PETWorks.settings.sections import Pairing, RestRole, UnknownValues


@dataclass(frozen=True, eq=False)
class Table:
    """A table, the role of each column, and how it is read; `rest` is the role of columns that are not named.

    >>> from PETWorks import KAnonymity
    >>> people = Table({"year": ["1977", "1977"]}, quasi_identifiers=["year"])
    >>> people.anonymize(KAnonymity(2)).levels
    {'year': 0}
    """

    table: Any
    quasi_identifiers: Names | None = None
    sensitive: Names | None = None
    identifiers: Names | None = None
    insensitive: Names | None = None
    rest: RestRole | None = None
    hierarchies: Any = None
    population: Any = None
    weight: str | None = None
    person: Person | str | None = None
    suppressed: str = "*"
    unknown_values: UnknownValues = "error"
    reading: Reading = Reading()
    engine: Engine = Engine()

    def inspect(self) -> Inspection:
        """Look at the table, and suggest a role for each column."""
        return inspect(self.table, **self.reading.values(), **self.engine.values())

    def anonymize(
        self,
        *goals: Measure,
        search: Search | None = None,
        writing: Writing | None = None,
        listener: Listener | None = None,
    ) -> AnonymizedTable:
        """Make the release that meets the goals at the least loss."""
        chosen = {**(search or Search()).values(), **(writing or Writing()).values()}
        return anonymize(self.table, goals=goals, the_rest=self.rest, listener=listener, **chosen, **self._collect())

    def released_as(self, table: Any, *, key: str | None = None, pairing: Pairing | None = None) -> Release:  # noqa: ANN401
        """Return a release of this table, with the same roles and hierarchies."""
        return Release(table, original=self.table, key=key, pairing=pairing, **self._collect())

    def with_roles(
        self,
        *,
        quasi_identifiers: Names | None = None,
        sensitive: Names | None = None,
        identifiers: Names | None = None,
        insensitive: Names | None = None,
        rest: RestRole | None = None,
    ) -> Table:
        """Return the same table with these roles, and no others."""
        return replace(
            self,
            quasi_identifiers=quasi_identifiers,
            sensitive=sensitive,
            identifiers=identifiers,
            insensitive=insensitive,
            rest=rest,
        )

    def _collect(self) -> dict[str, Any]:
        """Return the keyword arguments that `Release` and `anonymize` share."""
        person = self.person if isinstance(self.person, Person) else Person(self.person)
        own = {one.name: getattr(self, one.name) for one in fields(self)}
        for name in ("table", "rest", "person", "reading", "engine"):
            del own[name]
        return {**own, **person.values(), **self.reading.values(), **self.engine.values()}
