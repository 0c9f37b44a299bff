"""The door of this room: look at a raw table."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from PETWorks.counting.margins import Margin
from PETWorks.counting.memory import Workspace
from PETWorks.counting.size_histogram import Grouping
from PETWorks.counting.tally import Tally
from PETWorks.errors import TooLargeError
from PETWorks.facts.roles import Role
from PETWorks.inspection.inspection import InspectedColumn, Inspection
from PETWorks.inspection.kinds import kind_of
from PETWorks.inspection.suggestion import Evidence, Suggestion, suggest
from PETWorks.inspection.uniqueness import added, equivalent, in_small_classes
from PETWorks.inspection.values import Values
from PETWorks.inspection.warnings import warnings
from PETWorks.sources import Reading, Source, open_source
from PETWorks.sources.reading import ValueLabels

COMMON = 3  # the most frequent values that are kept of each column


def inspect(
    table: Any,  # noqa: ANN401 (any kind of table)
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    value_labels: ValueLabels | None = None,
    memory_limit: str | int | None = None,
    temporary: str | os.PathLike[str] | None = None,
) -> Inspection:
    """Look at a raw table, and suggest a role for each column, with reasons; what is not clear is a question.

    `table` is whatever `Release` takes. Rows are read twice: every column is counted by itself, then all columns but
    those that may name people are counted together. Suggestions follow from rules, and from nothing outside the table.

    >>> people = {"身分證字號": ["A123456789", "B142610160"] * 10, "sex": ["M", "F"] * 10, "x": ["u", "v"] * 10}
    >>> inspection = inspect(people)
    >>> {name: str(role) for name, role in inspection.roles.items()}, inspection.questions
    ({'身分證字號': 'identifier', 'sex': 'quasi_identifier'}, ('x',))
    """
    reading = Reading(delimiter, encoding, sheet, value_labels).require_valid()
    source = open_source(table, "table", *reading)
    reading.require_used(source)
    workspace = Workspace.of(memory_limit, temporary)
    source.memory = workspace.memory
    values = {name: _values(source, name, one, workspace) for name, one in source.margins(workspace).items()}
    evidence = [Evidence(name, one, kind_of(one)) for name, one in values.items()]
    suggested = {column.name: suggest(column) for column in evidence}
    quasi = [name for name, one in suggested.items() if one.role is Role.QUASI_IDENTIFIER]
    others = [name for name, one in suggested.items() if not one.naming and name not in quasi]
    joint = _joint(source, [*quasi, *others], workspace)
    adds = added(joint, quasi) if joint else {}
    sizes = joint.sizes_by(quasi) if joint and quasi else None
    columns = [_column(column, suggested[column.name], adds.get(column.name)) for column in evidence]
    return Inspection(
        name=source.name,
        rows=evidence[0].values.rows,
        form=source.form,
        columns=tuple(columns),
        small=None if sizes is None else in_small_classes(sizes),
        alone=None if sizes is None else int((sizes == 1).sum()),
        warnings=tuple(warnings(columns, evidence, equivalent(joint) if joint else ())),
    )


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


def _joint(source: Source, columns: Sequence[str], workspace: Workspace) -> Tally | None:
    """Count columns together; return None if there are none, or too many combinations for the memory."""
    try:
        return source.tally(columns, workspace, Grouping(tuple(columns))) if columns else None
    except TooLargeError:
        return None


def _column(column: Evidence, suggested: Suggestion, adds: int | None) -> InspectedColumn:
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
        adds=adds,
    )
