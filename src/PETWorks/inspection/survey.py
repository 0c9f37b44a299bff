"""Inspect a raw table (`inspect`), and store what was counted (`Survey`), to try roles without reading the rows again.

Rows are read when the survey is made. Roles are then tried by regrouping one tally of all columns except those that may
name people. Rows are read again only if a role makes such a column a quasi-identifier, or if there are too many
combinations for one tally.

>>> found = survey({"sex": ["M", "F"] * 4, "job": ["nurse"] * 6 + ["judge"] * 2})
>>> found.count_singled_out(["sex"]).small, found.count_singled_out(["sex"]).adds
(8, {'sex': 8, 'job': 0})
>>> found.count_singled_out(["job"]).small, found.count_singled_out(["job"]).adds
(2, {'sex': 6, 'job': 2})

Where a column names the person of each row, values are counted by people; rows without a person count as one person.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np

from PETWorks.errors import TooLargeError
from PETWorks.facts.notes import Name, Note
from PETWorks.facts.roles import Role
from PETWorks.hierarchies.values import Counts, PeopleByValue, count_values
from PETWorks.inspection.findings import find_findings
from PETWorks.inspection.inspection import InspectedColumn, Inspection
from PETWorks.inspection.rows_of_people import find_likely_person
from PETWorks.inspection.suggestion import Evidence, RoleSuggestion, suggest_role
from PETWorks.inspection.uniqueness import DIFFERENT, SingledOut, count_singled_out, find_equivalent
from PETWorks.inspection.values import ColumnValues, classify_values, clear_cache
from PETWorks.progress import report_part
from PETWorks.settings.preparing import RowsOfFile
from PETWorks.settings.sections import Reading
from PETWorks.shown import THRESHOLD
from PETWorks.tables.counting.margins import Margin
from PETWorks.tables.counting.size_histogram import Grouping
from PETWorks.tables.counting.tally import Tally
from PETWorks.tables.counting.workspace import Workspace
from PETWorks.tables.found_rows import find_rows
from PETWorks.tables.opening import TableSource, open_source
from PETWorks.tables.row_codes import RowRecorder
from PETWorks.tables.source import require_used


def count_by_people(
    source: TableSource, margins: Mapping[str, Margin], person: str, workspace: Workspace
) -> Mapping[str, Margin]:
    """Return all columns, counted by people.

    Columns for which the memory did not suffice, beside the others, are counted again together, as long as that helps.
    """
    found, rest = dict[str, Margin](), [*margins]
    while counted := {name: one for name in rest if (one := _find_people_margin(margins[name])) is not None}:
        found |= counted
        if not (rest := [name for name in rest if name not in found]):
            break
        margins = source.count_margins([*rest, person], workspace, person)
    found |= {name: _build_people_margin(count_holders(source, name, person, workspace)) for name in rest}
    return {name: found[name] for name in source.columns}


def count_holders(source: TableSource, name: str, person: str, workspace: Workspace) -> PeopleByValue:
    """Return the values of one column, with the people of each value.

    If there are too many pairs of value and person for the memory, every value counts as one person's, so none is
    shown.
    """
    try:
        pairs = source.tally([*dict.fromkeys((name, person))], workspace)
    except TooLargeError:
        values = [*count_values(source, [name])[name]]
        return PeopleByValue(values, np.arange(len(values)), np.zeros(len(values), dtype=np.int64))
    column = pairs.columns[name]
    return PeopleByValue(list(column.values), column.codes, pairs.columns[person].codes)


def _build_people_margin(holders: PeopleByValue) -> Margin:
    return Margin([*holders], np.array([*holders.values()], dtype=np.int64))


def _find_people_margin(margin: Margin) -> Margin | None:
    return None if margin.holders is None else Margin(margin.values, margin.holders)


MAX_HEADER_SHARE = 0.5  # the header is in doubt if the names of more than this share of the columns are also cells


def find_warnings(found: Survey, roles: Mapping[str, Role]) -> Iterator[Note]:
    """Yield warnings: about the table, about single columns, and about equivalent columns."""
    columns, rows = found.inspection.columns, found.inspection.rows
    if rows < THRESHOLD:
        yield _build_warning("few_rows", rows=rows)
    if len(columns) == 1:
        yield _build_warning("one_column")
    if found.like_headers > MAX_HEADER_SHARE * len(columns):
        yield _build_warning("no_header")
    for column in columns:
        name, role = Name(column.name), roles.get(column.name)
        if column.name in found.free_text and role is not Role.IDENTIFIER:
            yield _build_warning("free_text_column", column=name)
        elif role not in (None, Role.IDENTIFIER) and column.name in found.may_name:
            yield _build_warning("names_people", column=name, distinct=column.distinct, rows=rows)
        if role is Role.SENSITIVE_ATTRIBUTE and column.distinct == 1 and not column.missing:
            yield _build_warning("same_for_all", column=name)
    for first, second in found.alike:
        yield _build_warning("say_the_same", first=Name(first), second=Name(second))


def _build_warning(kind: str, **figures: object) -> Note:
    return Note(kind, figures, warning=True)


COMMON_VALUES = 3  # the most frequent values of each column that are stored


@dataclass(frozen=True, eq=False)
class Survey:
    """An inspected table with its tally. It holds values of few people, and renders nothing by itself."""

    source: TableSource
    workspace: Workspace
    inspection: Inspection
    joint: Tally | None  # all columns but those `apart`; None if there are none, or too many combinations
    apart: frozenset[str]  # columns whose values may name people, and are not shown
    may_name: frozenset[str] = frozenset()  # columns with the warning that they may name people
    free_text: frozenset[str] = frozenset()
    like_headers: int = 0  # columns whose name is also one of their cells
    person: str | None = None  # the column that names the person of each row, if values are counted by people
    _wider: dict[frozenset[str], Tally | None] = field(default_factory=dict, init=False, repr=False)

    @cached_property
    def alike(self) -> Sequence[tuple[str, str]]:
        """Pairs of equivalent columns."""
        return find_equivalent(self.joint) if self.joint else ()

    def is_quick(self, quasi_identifiers: Iterable[str]) -> bool:
        """Return True if `count_singled_out` needs not read rows for these quasi-identifiers."""
        further = frozenset(quasi_identifiers) & self.apart
        return (self.joint is not None and not further) or further in self._wider

    def tally(self, quasi_identifiers: Sequence[str]) -> Tally | None:
        """Return the tally of these columns and others; None if there are too many combinations for the memory."""
        further = frozenset(quasi_identifiers) & self.apart
        if self.joint and not further:
            return self.joint
        if further not in self._wider:
            names = [one.name for one in self.inspection if one.name in further or one.name not in self.apart]
            joint = count_together(self.source, names, self.workspace) if self.joint or not further else None
            self._wider[further] = joint or count_together(self.source, quasi_identifiers, self.workspace)
        return self._wider[further]

    def count_singled_out(self, quasi_identifiers: Sequence[str], of: Iterable[str] | None = None) -> SingledOut | None:
        """Return how many people are in small classes, and how many because of each column, or of each column in `of`.

        Return None if there are too many combinations for the memory.
        """
        tally = self.tally(quasi_identifiers)
        if tally is None or not {*quasi_identifiers} <= {*tally.columns}:
            return None
        return count_singled_out(tally, quasi_identifiers, of)

    def find_warnings(self, roles: Mapping[str, Role]) -> tuple[Note, ...]:
        """Return the warnings for an assignment of roles."""
        return tuple(find_warnings(self, roles))

    def count_people(self, name: str) -> Counts:
        """Return the values of a column, with how many people have each; a person with several rows counts once."""
        if self.person is None:
            return self.count_rows(name)
        return count_holders(self.source, name, self.person, self.workspace)

    def count_rows(self, name: str) -> Counts:
        """Return the values of a column, with how many rows have each."""
        if self.joint is None or name not in self.joint.columns:
            return count_values(self.source, [name])[name]
        column = (found := self.joint.select([name])).columns[name]
        return dict(zip([column.values[code] for code in column.codes.tolist()], found.counts.tolist(), strict=True))


def survey(
    table: Any,  # noqa: ANN401 (any kind of table)
    reading: Reading | None = None,
    *,
    memory_limit: str | int | None = None,
    temporary: str | os.PathLike[str] | None = None,
    person: str | None = None,
    asks_for_person: bool = True,
) -> Survey:
    """Inspect a raw table as `inspect` does, and return it with its tally.

    `person` is the column that names the person of each row: values then count by people, so that none is shown that
    fewer than five people have. Classes are still of rows. Until somebody has said so (`asks_for_person`), values count
    by the column that most likely names the persons.
    """
    reading = reading or Reading()
    source = open_raw_table(table, reading)
    require_used(reading, source)
    workspace = Workspace.of(memory_limit, temporary)
    source.memory = workspace.memory
    person, recorder = person if person in source.columns else None, None
    if person is None and asks_for_person and not source.counts_in_cluster:
        source.recorder = recorder = RowRecorder(source, replace(workspace, memory=workspace.memory // 4))
    with report_part(3, 0):
        margins = source.count_margins(source.columns, workspace, person)
        source.recorder = None
        rows = _count_rows(source, margins, workspace)
        people = count_by_people(source, margins, person, workspace) if person else margins
        evidence = _build_evidence(_read_all_values(source, people, workspace))
        findings = tuple(find_findings(margins, source.found_rows))
    suggested = {column.name: suggest_role(column) for column in evidence}
    likely = None if recorder is None else _find_likely_person(recorder, suggested)
    if likely is not None:  # until somebody says whose row each is
        with report_part(3, 1):
            people = count_by_people(source, source.count_margins(source.columns, workspace, likely), likely, workspace)
        evidence = _build_evidence(_read_all_values(source, people, workspace))
        suggested = {column.name: suggest_role(column) for column in evidence}
    if counted_by := person or likely:
        suggested[counted_by] = _say_counted_by(suggested[counted_by])
    clear_cache()
    apart = frozenset(name for name, one in suggested.items() if one.naming and one.role is not Role.QUASI_IDENTIFIER)
    columns = tuple(_build_column(column, suggested[column.name]) for column in evidence)
    with report_part(3, 2):
        joint = count_together(source, [name for name in suggested if name not in apart], workspace)
    found = Survey(
        source,
        workspace,
        Inspection(source.name, rows, source.form, columns, None, None, findings=findings, person=likely),
        joint,
        apart,
        may_name=frozenset(one.name for one in evidence if one.may_name_people),
        free_text=frozenset(one.name for one in evidence if one.free_text),
        like_headers=sum(one.name in one.values.texts for one in evidence),
        person=counted_by,
    )
    return replace(found, inspection=_complete(found))


def _say_counted_by(one: RoleSuggestion) -> RoleSuggestion:
    """Return the suggestion for the column that values are counted by: every value of it is one person's."""
    reasons = (Note("person_per_value") if note.kind in DIFFERENT else note for note in one.reasons)
    return one._replace(reasons=tuple(reasons))


def _find_likely_person(recorder: RowRecorder, suggested: Mapping[str, RoleSuggestion]) -> str | None:
    """Return the column that most likely names the person of each row; None also if memory does not suffice."""
    by_role = {role: [name for name, one in suggested.items() if one.role is role] for role in Role}
    try:
        table = recorder.codes
    except TooLargeError:
        return None
    return find_likely_person(table, table.rows, by_role[Role.IDENTIFIER], by_role[Role.QUASI_IDENTIFIER])


def open_raw_table(table: Any, reading: Reading) -> TableSource:  # noqa: ANN401 (any kind of table)
    """Open a raw table; of a file with title rows or sums, only the table between them."""
    rows = RowsOfFile()
    if isinstance(table, str | os.PathLike) and not hasattr(table, "spark") and Path(table).is_file():
        rows = find_rows(Path(table), reading)
    if rows == RowsOfFile():
        return open_source(table, "table", *reading)
    source = open_source(table, "table", *reading, rows=rows)
    source.found_rows = rows
    return source


def inspect_columns(source: TableSource, columns: Sequence[str], workspace: Workspace) -> list[InspectedColumn]:
    """Inspect some columns of a table, each by itself, in one pass over the rows."""
    evidence = (
        _build_evidence(_read_all_values(source, source.count_margins(columns, workspace), workspace))
        if columns
        else []
    )
    found = [_build_column(one, suggest_role(one)) for one in evidence]
    clear_cache()
    return found


def _count_rows(source: TableSource, margins: Mapping[str, Margin], workspace: Workspace) -> int:
    """Return the number of rows, counted in any column."""
    name = next((name for name, one in margins.items() if one.complete), next(iter(margins)))
    return _read_values(source, name, margins[name], workspace).rows


def _read_all_values(
    source: TableSource, margins: Mapping[str, Margin], workspace: Workspace
) -> dict[str, ColumnValues]:
    return {name: _read_values(source, name, one, workspace) for name, one in margins.items()}


def _build_evidence(values: Mapping[str, ColumnValues]) -> list[Evidence]:
    return [Evidence(name, one, classify_values(one)) for name, one in values.items()]


def _complete(found: Survey) -> Inspection:
    """Return the inspection with the effects of the suggested roles."""
    roles = found.inspection.roles
    quasi = [name for name, role in roles.items() if role is Role.QUASI_IDENTIFIER]
    singled = count_singled_out(found.joint, quasi) if found.joint else None
    adds: Mapping[str, int] = singled.adds if singled else {}
    return replace(
        found.inspection,
        columns=tuple(replace(one, adds=adds.get(one.name)) for one in found.inspection),
        small=singled.small if singled and quasi else None,
        alone=singled.alone if singled and quasi else None,
        warnings=found.find_warnings(roles),
    )


def count_together(source: TableSource, columns: Sequence[str], workspace: Workspace) -> Tally | None:
    """Count columns together; return None if there are none, or too many combinations for the memory."""
    try:
        return source.tally(columns, workspace, Grouping(tuple(columns))) if columns else None
    except TooLargeError:
        return None


def _read_values(source: TableSource, name: str, margin: Margin, workspace: Workspace) -> ColumnValues:
    """Return the values of a column; if there are too many for the memory, some of them, and the number of all."""
    if margin.complete:
        return ColumnValues.of(margin)
    try:
        return ColumnValues.of(Margin.of(source.tally([name], workspace)))
    except TooLargeError as error:
        if error.summary is None:
            raise
        return ColumnValues.of(margin, error.summary)


def _build_column(column: Evidence, suggested: RoleSuggestion) -> InspectedColumn:
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
        common=() if suggested.naming else values.find_common(COMMON_VALUES),
        pattern=values.pattern if suggested.naming else None,
    )


def inspect(
    table: Any,  # noqa: ANN401 (any kind of table)
    *,
    # begin: settings of inspect (written by tools/lists.py)
    delimiter: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    value_labels: Literal["text", "codes"] | None = None,
    memory_limit: str | int | None = None,
    temporary: str | os.PathLike[str] | None = None,
    # end: settings of inspect
) -> Inspection:
    """Inspect a raw table, and suggest a role for each column with reasons; unclear cases are questions.

    `table` is whatever `Release` takes. Rows are read twice: every column is counted by itself, then all columns but
    those that may name people are counted together; where a person seems to have several rows, every column is counted
    once more, by people. Suggestions follow from rules, and from nothing outside the table.

    >>> people = {"身分證字號": ["A123456789", "B142610160"] * 10, "sex": ["M", "F"] * 10, "x": ["u", "v"] * 10}
    >>> inspection = inspect(people)
    >>> {name: str(role) for name, role in inspection.roles.items()}, inspection.questions
    ({'身分證字號': 'identifier', 'sex': 'quasi_identifier'}, ('x',))
    """
    found = survey(
        table,
        Reading(delimiter=delimiter, encoding=encoding, sheet=sheet, value_labels=value_labels),
        memory_limit=memory_limit,
        temporary=temporary,
    )
    return found.inspection
