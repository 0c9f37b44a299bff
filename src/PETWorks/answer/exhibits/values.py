"""The number of rows that have each released value, in the release and in the original.

A value is named only if it is released in a class large enough to be described. The original is generalised to the
level of the release before it is counted. All other values are counted together.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from PETWorks.counting.tally import Value, sums
from PETWorks.errors import PETWorksError
from PETWorks.facts.cells import Cells
from PETWorks.facts.facts import Facts

LISTED = 8  # the most values of a column that are listed
COLUMNS = 100  # the most columns that are counted


class ValueRows(NamedTuple):
    """A released value, the released rows that have it, and the original rows that would have it; None: withheld."""

    value: Value
    after: int
    before: int | None


@dataclass(frozen=True)
class ColumnValues:
    """One column: its most frequent values, the other values together, and the value that lost most rows."""

    column: str
    level: int | None  # the level at which the original is counted; None without an original or a hierarchy
    listed: tuple[ValueRows, ...]
    others: int  # values that are not listed
    withheld: int  # of these, values that occur in small classes only
    pooled: int  # rows of the values that are not listed
    suppressed: int  # suppressed rows
    hardest: tuple[float, Value] | None  # the smallest share of rows that a value kept, and that value


def column_values(facts: Facts, least: int) -> tuple[ColumnValues, ...]:
    """Return the values of every quasi-identifier; skip those that cannot be counted."""
    found = []
    for column in facts.roles.quasi_identifiers[:COLUMNS]:
        try:
            found.append(_values(facts, facts.columns.column(column), least))
        except PETWorksError:
            continue
    return tuple(found)


def _values(facts: Facts, cells: Cells, least: int) -> ColumnValues:
    published = ~cells.suppressed
    counts = sums(cells.released.codes[published], cells.counts[published], len(cells.released.values))
    after = {value: many for value, many in zip(cells.released.values, counts.tolist(), strict=True) if many}
    level = int(cells.levels[published & ~cells.marked].max(initial=0))
    nameable = _nameable(facts, cells.name, least)
    before = _before(cells, level, {value: after[value] for value in nameable}, least)
    listed = sorted(nameable, key=lambda value: (-after[value], value or ""))[:LISTED]
    kept = [(after[value] / past, value) for value, past in before.items()]
    return ColumnValues(
        column=cells.name,
        level=level if cells.original is not None and cells.name in facts.hierarchies else None,
        listed=tuple(ValueRows(value, after[value], before.get(value)) for value in listed),
        others=len(after) - len(listed),
        withheld=len(after) - len(nameable),
        pooled=sum(after.values()) - sum(after[value] for value in listed),
        suppressed=int(cells.counts[cells.suppressed].sum()),
        hardest=min(kept, default=None, key=lambda one: one[0]),
    )


def _before(cells: Cells, level: int, after: Mapping[Value, int], least: int) -> dict[Value, int]:
    """Count the original rows of some released values, generalised to the level of the release.

    If any value lost few rows, return nothing: subtraction would reveal the values of these rows.
    """
    if cells.original is None:
        return {}
    lifted = cells.lifted(level)
    counts = sums(lifted.codes, cells.counts, len(lifted.values))
    before = {value: many for value, many in zip(lifted.values, counts.tolist(), strict=True) if value in after}
    return {} if any(0 < many - after[value] < least for value, many in before.items()) else before


def _nameable(facts: Facts, column: str, least: int) -> set[Value]:
    """Return the values that occur in a class large enough to be described."""
    classes = facts.known_classes
    coded = classes.columns[column].take(classes.sizes >= least)
    return {coded.values[code] for code in np.unique(coded.codes).tolist()}
