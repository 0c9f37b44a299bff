"""What a comparison tells beside its results: the value that lost most, and which releases are on the front."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from PETWorks.answer.exhibits.values import ColumnValues, values_of
from PETWorks.counting.tally import Value, sums
from PETWorks.errors import PETWorksError
from PETWorks.facts.discretion import Discretion
from PETWorks.facts.facts import Facts

Number = Fraction | float


class Loser(NamedTuple):
    """A value of a column, and the share of its rows that is left."""

    column: str
    value: Value
    share: float


class NoLoser(StrEnum):
    """Why no value is named; also the end of a key of the words."""

    NONE = "none"  # nothing was lost
    GONE = "gone"  # a value is in no released row any more, and must not be named
    UNTOLD = "untold"  # counts of some values are withheld, or not known
    LEVEL = "level"  # each column has one level in all rows


def all_values(facts: Facts, may: Mapping[str, Discretion]) -> dict[str, ColumnValues]:
    """Return the values of each column, as far as they may be told."""
    return {column: values_of(facts, column, one) for column, one in may.items()} if facts.fits else {}


def withheld_alike(releases: Sequence[Mapping[str, ColumnValues]]) -> list[dict[str, ColumnValues]]:
    """Withhold the original's counts of a column in all releases if they are withheld in one: they are the same."""
    columns = releases[0] if releases else {}
    hidden = {
        column
        for column in columns
        if any(row.before is None and row.after is not None for one in releases for row in one[column].listed)
    }
    return [
        {column: _without_before(one) if column in hidden else one for column, one in some.items()} for some in releases
    ]


def _without_before(one: ColumnValues) -> ColumnValues:
    return replace(one, listed=tuple(row._replace(before=None) for row in one.listed), hardest=None, told=False)


def loses_rows(values: Mapping[str, ColumnValues], suppressed: int) -> Loser | NoLoser:
    """Return the value that lost the largest share of its rows to suppression, or why none is named.

    One is named only if the counts of all others are told, too: otherwise another may have lost more.
    """
    if not suppressed:
        return NoLoser.NONE
    if not values or not all(one.told for one in values.values()):
        return NoLoser.UNTOLD
    if any(one.gone for one in values.values()):
        return NoLoser.GONE
    found = [
        Loser(column, one.hardest.value, one.hardest.share)
        for column, one in values.items()
        if one.hardest and one.hardest.exact and one.hardest.share < 1
    ]
    return min(found, default=NoLoser.NONE, key=lambda one: one.share)


def loses_detail(facts: Facts, may: Mapping[str, Discretion]) -> Loser | NoLoser:
    """Return the value of which the fewest rows still have the finest level of their column, or why none is named.

    Only columns are looked at whose counts may be told, and values of which enough people have, or do not have it.
    """
    found, untold = list[Loser](), False
    for column, one in may.items():
        try:
            cells = facts.columns.column(column)
            published = ~cells.suppressed
            if cells.original is None or not len(levels := cells.levels[published]) or levels.min() == levels.max():
                continue
            untold |= not one.counts
            if not one.counts:
                continue
            level = int(cells.levels[published].min(initial=cells.hierarchy.height))
            lifted = cells.lifted(level)
        except PETWorksError:  # measures tell why
            continue
        number = len(lifted.values)
        rows = sums(lifted.codes[published], cells.counts[published], number)
        fine = published & (cells.levels == level)
        kept = sums(lifted.codes[fine], cells.counts[fine], number)
        tells = (kept >= one.least) & (rows - kept >= one.least)
        found += [
            Loser(column, lifted.values[index], int(kept[index]) / int(rows[index]))
            for index in np.flatnonzero(tells).tolist()
        ]
        untold |= bool((~tells & (rows > kept)).any())
    if untold:
        return NoLoser.UNTOLD
    return min(found, default=NoLoser.LEVEL, key=lambda one: one.share)


def dominators(points: Sequence[tuple[Number | None, ...]]) -> list[int | None]:
    """Return, for each point, another that is nowhere larger and somewhere smaller; None: it is on the front.

    >>> dominators([(1, 5), (2, 3), (2, 6), (2, 3)])
    [None, None, 0, None]
    """

    def beats(one: tuple[Number | None, ...], other: tuple[Number | None, ...]) -> bool:
        pairs = [(a, b) for a, b in zip(one, other, strict=True) if a is not None and b is not None]
        return one != other and len(pairs) == len(one) and all(a <= b for a, b in pairs)

    return [next((number for number, other in enumerate(points) if beats(other, point)), None) for point in points]
