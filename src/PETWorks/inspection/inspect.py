"""The door of this room: look at a raw table."""

from __future__ import annotations

import os
from typing import Any

from PETWorks.inspection.inspection import Inspection
from PETWorks.inspection.survey import survey
from PETWorks.sources.reading import Reading, ValueLabels


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
    found = survey(
        table,
        Reading(delimiter, encoding, sheet, value_labels),
        memory_limit=memory_limit,
        temporary=temporary,
    )
    return found.inspection
