"""A raw table that was looked at, and what was counted of it: whatever roles are chosen, who would be singled out.

Rows are read when the survey is made. Roles are then tried by regrouping one tally of all columns but those that may
name people; only a role that makes such a column known, or a table of too many combinations, needs the rows again.

>>> found = survey({"sex": ["M", "F"] * 4, "job": ["nurse"] * 6 + ["judge"] * 2})
>>> found.singled_out(["sex"]).small, found.singled_out(["sex"]).adds
(8, {'sex': 8, 'job': 0})
>>> found.singled_out(["job"]).small, found.singled_out(["job"]).adds
(2, {'sex': 6, 'job': 2})
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from PETWorks.counting.margins import Margin
from PETWorks.counting.memory import Workspace
from PETWorks.counting.size_histogram import Grouping
from PETWorks.counting.tally import Tally
from PETWorks.errors import TooLargeError
from PETWorks.facts.notes import Note
from PETWorks.facts.roles import Role
from PETWorks.hierarchies.counts import Counts, counts_of
from PETWorks.inspection.holders import by_people, of_people
from PETWorks.inspection.inspection import InspectedColumn, Inspection
from PETWorks.inspection.kinds import kind_of
from PETWorks.inspection.suggestion import Evidence, Suggestion, suggest
from PETWorks.inspection.uniqueness import SingledOut, equivalent, singled_out
from PETWorks.inspection.values import Values, forget
from PETWorks.inspection.warnings import warnings
from PETWorks.progress import one_of
from PETWorks.sources import Reading, Source, open_source

COMMON = 3  # the most frequent values that are kept of each column


@dataclass(frozen=True, eq=False)
class Survey:
    """A table, what was found in it, and its tally; it holds values of few people, and renders nothing by itself."""

    source: Source
    workspace: Workspace
    inspection: Inspection
    joint: Tally | None  # all columns but those `apart`; None if there are none, or too many combinations
    apart: frozenset[str]  # columns whose values may name people, and are not shown
    may_name: frozenset[str] = frozenset()  # columns of which warnings say that they may name people
    free_text: frozenset[str] = frozenset()
    like_headers: int = 0  # columns whose name is also one of their cells
    person: str | None = None  # the column that says whose rows they are, where values are guarded by people
    _wider: dict[frozenset[str], Tally | None] = field(default_factory=dict, init=False, repr=False)

    @cached_property
    def alike(self) -> Sequence[tuple[str, str]]:
        """Pairs of columns that say the same."""
        return equivalent(self.joint) if self.joint else ()

    def is_quick(self, quasi_identifiers: Iterable[str]) -> bool:
        """Return True if what these quasi-identifiers single out is known without reading the rows."""
        further = frozenset(quasi_identifiers) & self.apart
        return (self.joint is not None and not further) or further in self._wider

    def tally(self, quasi_identifiers: Sequence[str]) -> Tally | None:
        """Return the tally of these columns and others; None if there are too many combinations for the memory."""
        further = frozenset(quasi_identifiers) & self.apart
        if self.joint and not further:
            return self.joint
        if further not in self._wider:
            names = [one.name for one in self.inspection if one.name in further or one.name not in self.apart]
            joint = counted(self.source, names, self.workspace) if self.joint or not further else None
            self._wider[further] = joint or counted(self.source, quasi_identifiers, self.workspace)
        return self._wider[further]

    def singled_out(self, quasi_identifiers: Sequence[str], of: Iterable[str] | None = None) -> SingledOut | None:
        """Return how many people are in small classes, and how many because of each column, or only of some columns.

        None: there are too many combinations for the memory.
        """
        tally = self.tally(quasi_identifiers)
        if tally is None or not {*quasi_identifiers} <= {*tally.columns}:
            return None
        return singled_out(tally, quasi_identifiers, of)

    def warnings(self, roles: Mapping[str, Role]) -> tuple[Note, ...]:
        """Return what to be careful about if columns have these roles."""
        return tuple(warnings(self, roles))

    def people(self, name: str) -> Counts:
        """Return the values of a column, with how many people have each; who has several rows counts once."""
        if self.person is None:
            return self.counts(name)
        return of_people(self.source, name, self.person, self.workspace)

    def counts(self, name: str) -> Counts:
        """Return the values of a column, with how many rows have each."""
        if self.joint is None or name not in self.joint.columns:
            return counts_of(self.source, [name])[name]
        column = (found := self.joint.of([name])).columns[name]
        return dict(zip([column.values[code] for code in column.codes.tolist()], found.counts.tolist(), strict=True))


def survey(
    table: Any,  # noqa: ANN401 (any kind of table)
    reading: Reading | None = None,
    *,
    memory_limit: str | int | None = None,
    temporary: str | os.PathLike[str] | None = None,
    person: str | None = None,
) -> Survey:
    """Look at a raw table as `inspect` does, and keep what was counted.

    `person` is the column that says whose rows they are: values then count by people, so that none is shown that fewer
    than five people have. Classes are still of rows.
    """
    reading = (reading or Reading()).require_valid()
    source = open_source(table, "table", *reading)
    reading.require_used(source)
    workspace = Workspace.of(memory_limit, temporary)
    source.memory = workspace.memory
    person = person if person in source.columns else None
    with one_of(2, 0):
        margins = source.margins(source.columns, workspace, person)
        rows = _rows(source, margins, workspace)
        people = by_people(source, margins, person, workspace) if person else margins
        evidence = _evidence(_values_of(source, people, workspace))
    suggested = {column.name: suggest(column) for column in evidence}
    forget()
    apart = frozenset(name for name, one in suggested.items() if one.naming and one.role is not Role.QUASI_IDENTIFIER)
    columns = tuple(_column(column, suggested[column.name]) for column in evidence)
    with one_of(2, 1):
        joint = counted(source, [name for name in suggested if name not in apart], workspace)
    found = Survey(
        source,
        workspace,
        Inspection(source.name, rows, source.form, columns, small=None, alone=None),
        joint,
        apart,
        may_name=frozenset(one.name for one in evidence if one.may_name_people),
        free_text=frozenset(one.name for one in evidence if one.free_text),
        like_headers=sum(one.name in one.values.texts for one in evidence),
        person=person,
    )
    return replace(found, inspection=_completed(found))


def look_at(source: Source, columns: Sequence[str], workspace: Workspace) -> list[InspectedColumn]:
    """Look at some columns of a table, each by itself, in one pass over the rows."""
    evidence = _evidence(_values_of(source, source.margins(columns, workspace), workspace)) if columns else []
    found = [_column(one, suggest(one)) for one in evidence]
    forget()
    return found


def _rows(source: Source, margins: Mapping[str, Margin], workspace: Workspace) -> int:
    """Return how many rows there are; any column tells."""
    name = next((name for name, one in margins.items() if one.complete), next(iter(margins)))
    return _values(source, name, margins[name], workspace).rows


def _values_of(source: Source, margins: Mapping[str, Margin], workspace: Workspace) -> dict[str, Values]:
    return {name: _values(source, name, one, workspace) for name, one in margins.items()}


def _evidence(values: Mapping[str, Values]) -> list[Evidence]:
    return [Evidence(name, one, kind_of(one)) for name, one in values.items()]


def _completed(found: Survey) -> Inspection:
    """Return what was found, with what the suggested roles mean."""
    roles = found.inspection.roles
    quasi = [name for name, role in roles.items() if role is Role.QUASI_IDENTIFIER]
    singled = singled_out(found.joint, quasi) if found.joint else None
    adds: Mapping[str, int] = singled.adds if singled else {}
    return replace(
        found.inspection,
        columns=tuple(replace(one, adds=adds.get(one.name)) for one in found.inspection),
        small=singled.small if singled and quasi else None,
        alone=singled.alone if singled and quasi else None,
        warnings=found.warnings(roles),
    )


def counted(source: Source, columns: Sequence[str], workspace: Workspace) -> Tally | None:
    """Count columns together; return None if there are none, or too many combinations for the memory."""
    try:
        return source.tally(columns, workspace, Grouping(tuple(columns))) if columns else None
    except TooLargeError:
        return None


def _values(source: Source, name: str, margin: Margin, workspace: Workspace) -> Values:
    """Return the values of a column; if there are too many for the memory, some of them, and how many there are."""
    if margin.complete:
        return Values.of(margin)
    try:
        return Values.of(Margin.of(source.tally([name], workspace)))
    except TooLargeError as error:
        if error.outline is None:
            raise
        return Values.of(margin, error.outline)


def _column(column: Evidence, suggested: Suggestion) -> InspectedColumn:
    values = column.values
    return InspectedColumn(
        name=column.name,
        kind=column.kind,
        distinct=values.distinct,
        unique=values.unique,
        few=values.few,
        missing=values.missing,
        role=suggested.role,
        reasons=suggested.reasons,
        common=() if suggested.naming else values.common(COMMON),
        pattern=values.pattern if suggested.naming else None,
    )
