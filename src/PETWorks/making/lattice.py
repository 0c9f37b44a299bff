"""The lattice of level vectors: which are still open, and the least that each can lose.

Vectors are the entries of arrays with an axis for each column. All vectors that are at least as fine as a given one are
a corner of these arrays, so that closing them, or raising their bounds, is one operation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from itertools import combinations
from math import prod

import numpy as np

from PETWorks.exact.scores import FloatArray
from PETWorks.making.candidate import Floor
from PETWorks.making.objective import Objective
from PETWorks.making.vectors import Levels

Index = tuple[int, ...]
AT_ONCE = 1024  # vectors that are looked at together


class Lattice:
    """Level vectors within the levels that are allowed for each column."""

    def __init__(self, allowed: Sequence[range], objective: Objective) -> None:
        self.allowed, self._objective = allowed, objective
        self.shape = tuple(len(levels) for levels in allowed)
        self.size = prod(self.shape)
        self.bound = self._bounds(self.shape)
        self.open = np.ones(self.shape, dtype=bool)

    def levels(self, index: Index) -> Levels:
        """Return the levels of a vector."""
        return tuple(levels[place] for levels, place in zip(self.allowed, index, strict=True))

    def _bounds(self, corner: Sequence[int], floor: Floor | None = None) -> FloatArray:
        """Return the least losses of a corner's vectors, if these rows must be suppressed."""
        columns = []
        for column, (levels, size) in enumerate(zip(self.allowed, corner, strict=True)):
            sure, more = (floor.sure[column], floor.more) if floor else (None, 0)
            columns.append(self._objective.least(column, list(levels[:size]), sure, more))
        return reduce(np.add.outer, columns)

    def coarse_first(self, cutoff: Callable[[], float]) -> Iterator[Index]:
        """Yield the open vectors that may lose no more than `cutoff`; those first that have the most vectors below."""
        below = reduce(np.multiply.outer, [np.arange(1, size + 1, dtype=np.float64) for size in self.shape])
        order = np.argsort(-below, axis=None, kind="stable")
        still, bound = self.open.reshape(-1), self.bound.reshape(-1)
        for start in range(0, len(order), AT_ONCE):
            some = order[start : start + AT_ONCE]
            for flat in some[still[some] & (bound[some] <= cutoff())].tolist():
                if still[flat] and bound[flat] <= cutoff():
                    yield tuple(map(int, np.unravel_index(flat, self.shape)))

    def leave_out(self, levels: Levels) -> None:
        """Take a vector out of the lattice."""
        self.close(tuple(allowed.index(level) for allowed, level in zip(self.allowed, levels, strict=True)))
        self.size -= 1

    def close(self, index: Index) -> None:
        """Close a vector."""
        self.open[index] = False

    def close_finer(self, index: Index) -> int:
        """Close all vectors that are at least as fine as the given one; return how many of these were open."""
        corner = self.open[_corner(index)]
        closed = int(corner.sum())
        corner[...] = False
        return closed

    def raise_finer(self, index: Index, floor: Floor) -> None:
        """Raise the bounds of all vectors that are at least as fine, since each must suppress these rows."""
        corner = self.bound[_corner(index)]
        np.maximum(corner, self._bounds([place + 1 for place in index], floor), out=corner)

    def open_above(self, loss: float) -> int:
        """Return how many open vectors lose more."""
        return int((self.bound[self.open] > loss).sum())

    def least_open(self) -> float:
        """Return the least bound of the open vectors; infinity if there are none."""
        return float(self.bound[self.open].min(initial=np.inf))

    def neighbours(self, index: Index) -> Iterator[Index]:
        """Yield open vectors nearby: other levels in one column, or in two columns at once, the least bound first."""
        near = {tuple(moved) for moved in _moves(index, self.shape)}
        yield from sorted((one for one in near if self.open[one]), key=lambda one: (self.bound[one], one))


def _corner(index: Index) -> tuple[slice, ...]:
    return tuple(slice(0, place + 1) for place in index)


def _moves(index: Index, shape: Sequence[int]) -> Iterator[list[int]]:
    """Yield the vectors that differ by one or two levels in one column, or by one level in each of two columns."""
    steps = [(column, step) for column in range(len(shape)) for step in (-2, -1, 1, 2)]
    pairs = [
        (one, other) for one, other in combinations(steps, 2) if one[0] != other[0] and {one[1], other[1]} <= {-1, 1}
    ]
    for moves in (*((one,) for one in steps), *pairs):
        moved = list(index)
        for column, step in moves:
            moved[column] += step
        if all(0 <= place < size for place, size in zip(moved, shape, strict=True)):
            yield moved
