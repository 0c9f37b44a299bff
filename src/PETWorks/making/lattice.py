"""The lattice of level vectors: which are still open, and the least that each can lose.

Vectors are the entries of arrays with an axis for each column. All vectors that are at least as fine as a given one are
a corner of these arrays, so that closing them, or raising their bounds, is one operation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import combinations
from math import prod

import numpy as np

from PETWorks.counting.tally import IntArray, Mask
from PETWorks.making.candidate import Floor
from PETWorks.making.lifted import LiftedFacts
from PETWorks.making.objective import Objective
from PETWorks.making.vectors import Levels

Index = tuple[int, ...]
AT_ONCE = 32  # vectors that are chosen together
LARGE, MANY = 2**17, 20  # more vectors than this are a large lattice; of more columns, too many are nearby
ROUNDS = 2**12  # in a large lattice, more are chosen together: about so many rounds would see all of it


class Lattice:
    """Level vectors within the levels that are allowed for each column."""

    exhaustive = True  # False: not all vectors are evaluated or excluded in the end

    def __init__(self, allowed: Sequence[range], objective: Objective) -> None:
        self._arrange(allowed, objective)
        self._least = objective.least(allowed)
        self.bound = self._least.copy()
        self.open = np.ones(self.shape, dtype=bool)

    def _arrange(self, allowed: Sequence[range], objective: Objective) -> None:
        self.allowed, self._objective = allowed, objective
        self.shape = tuple(len(levels) for levels in allowed)
        self.size = prod(self.shape)

    def is_open(self, index: Index) -> bool:
        """Return True if a vector was neither evaluated nor excluded by goals."""
        return bool(self.open[index])

    def bound_of(self, index: Index) -> float:
        """Return the least that a vector can lose."""
        return float(self.bound[index])

    def levels(self, index: Index) -> Levels:
        """Return the levels of a vector."""
        return tuple(levels[place] for levels, place in zip(self.allowed, index, strict=True))

    def telling_first(self, cutoff: Callable[[], float]) -> Iterator[Index]:
        """Yield open vectors that may lose no more than `cutoff`; those first that tell about the most others.

        These are the finer ones and, if bounds of coarser ones are raised, those, too.
        """
        while (live := self.open & (self.bound <= cutoff())).any():
            tells = _below(live)
            if self._objective.tells_above:
                tells = tells.astype(float) * np.flip(_below(np.flip(live)))
            flat = np.flatnonzero(live)
            tells = tells.reshape(-1)[flat]
            most = min(len(flat), max(AT_ONCE, self.size // ROUNDS))
            some = np.argpartition(-tells, most - 1)[:most]
            for one in flat[some[np.argsort(-tells[some], kind="stable")]].tolist():
                index = tuple(map(int, np.unravel_index(one, self.shape)))
                if self.open[index] and self.bound[index] <= cutoff():
                    yield index

    def leave_out(self, levels: Levels) -> None:
        """Take a vector out of the lattice."""
        self.close(tuple(allowed.index(level) for allowed, level in zip(self.allowed, levels, strict=True)))
        self.size -= 1

    def close(self, index: Index) -> None:
        """Close a vector."""
        self.open[index] = False

    def close_finer(self, index: Index) -> int:
        """Close all vectors that are at least as fine as the given one; return how many of these were open."""
        corner = self.open[_finer(index)]
        closed = int(corner.sum())
        corner[...] = False
        return closed

    def raise_finer(self, index: Index, floor: Floor) -> None:
        """Raise the bounds of all vectors that are at least as fine, since each must suppress these rows."""
        finer, levels = _finer(index), [own[: place + 1] for own, place in zip(self.allowed, index, strict=True)]
        corner = self.bound[finer]
        np.maximum(corner, self._objective.least_below(floor, levels, self._least[finer]), out=corner)

    def raise_coarser(self, index: Index, facts: LiftedFacts) -> None:
        """Raise the bounds of all vectors that are at least as coarse, if that follows from this one."""
        if self._objective.tells_above:
            corner = self.bound[tuple(slice(place, None) for place in index)]
            np.maximum(corner, self._objective.least_above(facts), out=corner)

    def open_above(self, loss: float) -> int:
        """Return how many open vectors lose more."""
        return int((self.bound[self.open] > loss).sum())

    def least_open(self) -> float:
        """Return the least bound of the open vectors; infinity if there are none."""
        return float(self.bound[self.open].min(initial=np.inf))

    def neighbours(self, index: Index, cutoff: float) -> list[Index]:
        """Return open vectors nearby that may lose no more than `cutoff`, the least bound first.

        They have other levels in one column, or in two columns at once; in a large lattice, also in three.
        """
        near = np.array(index) + _moves(len(index), 3 if self.size > LARGE and len(index) <= MANY else 2)
        near = near[((near >= 0) & (near < self.shape)).all(axis=1)]
        found = ((self.bound_of(one), one) for one in map(tuple, near.tolist()) if self.is_open(one))
        return [one for bound, one in sorted(found) if bound <= cutoff]


def _below(chosen: Mask) -> IntArray:
    """Return, for each vector, how many of the chosen ones are at least as fine."""
    many = chosen.astype(np.int32)
    for axis in range(many.ndim):
        levels = np.moveaxis(many, axis, 0)  # short, so that adding whole levels beats accumulating each run
        for level in range(1, len(levels)):
            levels[level] += levels[level - 1]
    return many


def _finer(index: Index) -> tuple[slice, ...]:
    return tuple(slice(0, place + 1) for place in index)


@lru_cache(maxsize=16)
def _moves(columns: int, together: int) -> IntArray:
    """Return all moves by one or two levels in one column, or by one level in each of up to so many columns."""
    unit = np.eye(columns, dtype=np.int64)
    ones = [step * unit[column] for column in range(columns) for step in (-1, 1)]
    sums = [sum(some) for many in range(2, together + 1) for some in combinations(ones, many)]
    different = [one for one in sums if np.count_nonzero(one) > 1]
    return np.array([*ones, *(2 * one for one in ones), *different])
