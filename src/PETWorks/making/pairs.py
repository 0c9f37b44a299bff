"""Pairs of columns that exclude vectors before any is evaluated: too many rows are in small classes of these two alone.

Further columns only split classes. So all vectors that have both columns at least as fine are excluded. The counts of
a pair are a small table, which is generalised by adding up its rows and columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np

from PETWorks.counting.tally import IntArray, sums
from PETWorks.making.table import RawTable

Index = tuple[int, ...]
Runs = tuple[IntArray, IntArray]  # the order of values by their labels, and where each label begins


def failing_pairs(table: RawTable, allowed: Sequence[range], size: int, most: int) -> Iterator[Index]:
    """Yield the coarsest vectors at which two columns alone have more than `most` rows in classes below a size.

    The vector that is the coarsest of all is not among them.
    """
    coarsest = tuple(len(levels) - 1 for levels in allowed)
    columns = zip(table.ladders, allowed, strict=True)
    runs = [[_runs(ladder.up[level]) for level in levels] for ladder, levels in columns]
    for one, other in combinations(range(len(allowed)), 2):
        finest, highest = _counted(table, one, other), -1  # vectors are excluded up to this place of the other column
        for place in reversed(range(len(runs[one]))):
            lifted = _lifted(finest, runs[one][place]).T
            for above in reversed(range(highest + 1, len(runs[other]))):
                counts = _lifted(lifted, runs[other][above])
                if counts[counts < size].sum() > most and (place, above) != (coarsest[one], coarsest[other]):
                    highest, chosen = above, {one: place, other: above}
                    yield tuple(chosen.get(column, top) for column, top in enumerate(coarsest))
                    break


def _counted(table: RawTable, one: int, other: int) -> IntArray:
    """Return how many rows have each pair of values."""
    many, most = len(table.ladders[one].values), len(table.ladders[other].values)
    keys = table.codes[one].astype(np.int64) * most + table.codes[other]
    return sums(keys, table.counts, many * most).reshape(many, most)


def _runs(labels: IntArray) -> Runs:
    order = np.argsort(labels, kind="stable")
    return order, np.flatnonzero(np.diff(labels[order], prepend=-1))


def _lifted(counts: IntArray, runs: Runs) -> IntArray:
    """Add up the rows of values that have the same label."""
    order, starts = runs
    lifted: IntArray = np.add.reduceat(counts[order], starts, axis=0)
    return lifted
