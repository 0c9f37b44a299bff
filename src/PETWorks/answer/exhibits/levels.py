"""The levels of its hierarchy at which each column is released."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from PETWorks.errors import PETWorksError
from PETWorks.facts.cells import Cells
from PETWorks.facts.discretion import Discretion
from PETWorks.facts.facts import Facts


@dataclass(frozen=True)
class ColumnLevels:
    """One column: the number of different values, and the share of rows at each level."""

    column: str
    in_hierarchy: bool  # False: the column has no hierarchy, so a value is either kept or suppressed
    height: int
    before: int | None  # different values in the original; None if there is no original
    after: int  # different values in the release
    levels: tuple[int, ...] | None  # levels that occur among the unsuppressed rows; None: several, and not told
    shares: tuple[float, ...]  # share of all rows at level 0, 1, … height; empty: not told
    suppressed: float  # share of all rows that are suppressed


def column_levels(facts: Facts, may: Mapping[str, Discretion]) -> tuple[ColumnLevels, ...]:
    """Return the levels of every column; nothing if a value is missing from its hierarchy (measures report that).

    A level may have one value only, so how many cells are on each is told where counts may stand beside values.
    """
    try:
        return tuple(
            _levels(cells, in_hierarchy=cells.name in facts.hierarchies, told=may[cells.name].counts)
            for cells in facts.cells
        )
    except PETWorksError:
        return ()


def _levels(cells: Cells, *, in_hierarchy: bool, told: bool) -> ColumnLevels:
    total, height, published = int(cells.counts.sum()), cells.hierarchy.height, ~cells.suppressed
    told = told or cells.on_one_level
    at_level = [int(cells.counts[published & (cells.levels == level)].sum()) for level in range(height + 1)]
    return ColumnLevels(
        column=cells.name,
        in_hierarchy=in_hierarchy,
        height=height,
        before=None if cells.original is None else len(np.unique(cells.original.codes)),
        after=len(np.unique(cells.released.codes[published])),
        levels=tuple(np.unique(cells.levels[published]).tolist()) if told else None,
        shares=tuple(rows / total for rows in at_level) if told else (),
        suppressed=int(cells.counts[cells.suppressed].sum()) / total,
    )
