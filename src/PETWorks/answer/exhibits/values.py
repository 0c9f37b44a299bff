"""How many rows each released value has, and how many original rows it had.

A value is named only if it is released in a class large enough to be described; the original is counted at the level
of the release, and what is not released is counted together.
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

LISTED = 8  # values of a column
COLUMNS = 100  # that are looked at


class ValueRows(NamedTuple):
    """A released value with the rows that have it, and the original rows that would have it; None if not told."""

    value: Value
    after: int
    before: int | None


@dataclass(frozen=True)
class ColumnValues:
    """One column: its most frequent values, the others together, and the value that lost most rows."""

    column: str
    level: int | None  # at which the original is counted; None without an original or a hierarchy
    listed: tuple[ValueRows, ...]
    others: int  # values that are not listed
    withheld: int  # of these, values that are found in small classes only
    pooled: int  # rows of the values that are not listed
    suppressed: int  # rows
    hardest: tuple[float, Value] | None  # the value that kept least of its rows, and how much


def column_values(facts: Facts, least: int) -> tuple[ColumnValues, ...]:
    """Work out the values of every quasi-identifier that can be looked at."""
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
    """Count the original rows of some released values, as they would be at the level of the release.

    Where a value lost few rows nothing is told: what these rows held could be found by subtraction.
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
