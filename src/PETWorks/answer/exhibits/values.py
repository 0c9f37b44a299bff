"""The values of each released column: how many rows have them, in the release and in the original.

The original is generalised to the level of the release before it is counted. Where the exact counts could reveal small
classes, they are told as bands, or not at all.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import NamedTuple

import numpy as np

from PETWorks.counting.tally import IntArray, Value
from PETWorks.facts.bands import Band, Count
from PETWorks.facts.discretion import Discretion
from PETWorks.facts.facts import Facts
from PETWorks.facts.released_values import ReleasedValues, released_values

LISTED = 8  # the most values of a column that are listed
COLUMNS = 100  # the most columns that are counted


class ValueRows(NamedTuple):
    """A released value, the released rows that have it, and the original rows that would have it; None: not told."""

    value: Value
    after: Count | None
    before: Count | None


@dataclass(frozen=True)
class ColumnValues:
    """One column: some of its values, the other values together, and the value that lost most rows."""

    column: str
    level: int | None  # the level at which the original is counted; None: no original, no hierarchy, or not told
    listed: tuple[ValueRows, ...]  # the most frequent values; in alphabetical order if counts are not told
    others: int  # values that are not listed
    pooled: Count | None  # rows of the values that are not listed; None: not told
    suppressed: int  # suppressed rows
    hardest: Hardest | None
    told: bool = False  # True: of every released value it is told how many of its rows are left
    gone: bool = False  # True: some value of the original is in no released row any more


class Hardest(NamedTuple):
    """The value that kept the smallest share of its rows; not exact if it follows from bands."""

    value: Value
    share: float
    exact: bool


def column_values(facts: Facts, may: Discretion) -> tuple[ColumnValues, ...]:
    """Return the values of every quasi-identifier."""
    columns = facts.roles.quasi_identifiers[:COLUMNS] if facts.fits else ()
    return tuple(values_of(facts, column, may) for column in columns)


def values_of(facts: Facts, column: str, may: Discretion) -> ColumnValues:
    """Return the values of one quasi-identifier."""
    found = released_values(facts, column)
    occurring = np.flatnonzero(found.after)
    rows = [_told(found, index, may) for index in occurring.tolist()]
    if not may.names and (found.mixed or not _are_alike(facts, found.kinds[occurring], may.least)):
        rows = []
    few = _lost_few(found, may.least)
    if may.counts and few:
        rows = [row._replace(before=None) for row in rows]
    listed = sorted(rows, key=_place)[:LISTED]
    rest = int(found.after.sum()) - sum(int(found.after[found.values.index(row.value)]) for row in listed)
    return ColumnValues(
        column=column,
        level=found.level if column in facts.hierarchies and (may.counts or not found.mixed) else None,
        listed=tuple(listed),
        others=len(occurring) - len(listed),
        pooled=rest if may.counts else Band.of(rest) if may.names else None,
        suppressed=facts.scope.suppressed,
        hardest=None if found.mixed else _hardest(rows),  # what is not released as a value may be as a finer one
        told=may.counts and not few and not found.mixed and found.before is not None,
        gone=found.gone > 0,
    )


def _told(found: ReleasedValues, index: int, may: Discretion) -> ValueRows:
    counts = [None if column is None else int(column[index]) for column in (found.after, found.before)]
    if may.counts:
        return ValueRows(found.values[index], *counts)
    if found.mixed and not counts[1]:  # the original was counted on another level: a band would be of nothing
        counts[1] = None
    return ValueRows(found.values[index], *(None if one is None or not may.names else Band.of(one) for one in counts))


def _place(row: ValueRows) -> tuple[int, bool, str]:
    """Return what values are ordered by: the most frequent first, as far as that is told."""
    often = row.after.low if isinstance(row.after, Band) else row.after or 0
    return -often, row.value is None, row.value or ""


def _hardest(rows: list[ValueRows]) -> Hardest | None:
    """Return the value that lost most: by share, or by how far its band fell."""
    kept = []
    for row in rows:
        if isinstance(row.after, int) and isinstance(row.before, int) and row.before:
            kept.append(Hardest(row.value, row.after / row.before, exact=True))
        elif isinstance(row.after, Band) and isinstance(row.before, Band) and row.after < row.before:
            kept.append(Hardest(row.value, row.after.high / row.before.high, exact=False))
    return min(kept, default=None, key=lambda one: one.share)


def _lost_few(found: ReleasedValues, least: int) -> bool:
    """Return True if some value lost few rows: subtraction would reveal the values of these rows."""
    if found.before is None:
        return False
    lost = found.before - found.after
    return bool(((lost > 0) & (lost < least) & (found.after > 0)).any())


def _are_alike(facts: Facts, kinds: IntArray, least: int) -> bool:
    """Return True if the values of a column could change names without changing any figure that is told.

    Scores of levels tell values of different kinds apart. If all combinations of values occur, their names tell which
    classes there are: all of them small ones, or all equally large, so that how often each value occurs is known, too.
    """
    combinations = prod(np.count_nonzero(released_values(facts, one).after) for one in facts.roles.quasi_identifiers)
    sizes = facts.classes.histogram
    known = len(facts.classes) == combinations and (len(sizes) == 1 or max(sizes, default=0) < least)
    return len(set(kinds.tolist())) == 1 and not known
