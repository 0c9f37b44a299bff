"""A lattice of so many level vectors that no array holds them: only what was evaluated, and what follows, is kept.

The coarsest vectors are tried until one is admitted; the search goes on from there to vectors nearby. The best that it
finds is not proven to be the best.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from heapq import heappop, heappush
from math import inf, prod

import numpy as np

from PETWorks.making.candidate import Floor
from PETWorks.making.lattice import Index, Lattice
from PETWorks.making.lifted import LiftedFacts
from PETWorks.making.objective import Objective

LARGEST = 2**23  # vectors of a lattice that is held in arrays: some 300 MB
STARTS = 10_000  # vectors that are tried until one is admitted


class VastLattice(Lattice):
    """Level vectors within the levels that are allowed for each column."""

    exhaustive = False

    def __init__(self, allowed: Sequence[range], objective: Objective) -> None:
        self._arrange(allowed, objective)
        self._closed: set[Index] = set()
        self._hopeless = np.empty((0, len(allowed)), dtype=np.int16)  # all vectors at least as fine are closed

    def is_open(self, index: Index) -> bool:
        """Return True if a vector was neither evaluated nor excluded."""
        return index not in self._closed and not self._excluded(index)

    def _excluded(self, index: Index) -> bool:
        return bool((self._hopeless >= index).all(axis=1).any())

    def bound_of(self, index: Index) -> float:
        """Return the least that a vector can lose."""
        alone = [range(level, level + 1) for level in self.levels(index)]
        return float(self._objective.least(alone).item())

    def telling_first(self, cutoff: Callable[[], float]) -> Iterator[Index]:
        """Yield open vectors, the coarsest first, until something is found."""
        coarsest = tuple(size - 1 for size in self.shape)
        waiting, known, tried = [(0, coarsest)], {coarsest}, 0
        while waiting and cutoff() == inf and tried < STARTS:
            _, index = heappop(waiting)
            if self.is_open(index):
                tried += 1
                yield index
            for column in range(len(index) if not self._excluded(index) else 0):
                finer = (*index[:column], index[column] - 1, *index[column + 1 :])
                if finer[column] >= 0 and finer not in known:
                    known.add(finer)
                    heappush(waiting, (-prod(place + 1 for place in finer), finer))

    def close(self, index: Index) -> None:
        """Close a vector."""
        self._closed.add(index)

    def close_finer(self, index: Index) -> int:
        """Close all vectors that are at least as fine as the given one; they are not counted."""
        self._hopeless = np.vstack([self._hopeless, np.array(index, dtype=np.int16)])
        return 0

    def raise_finer(self, index: Index, floor: Floor) -> None:
        """Do nothing: bounds are not kept."""

    def raise_coarser(self, index: Index, facts: LiftedFacts) -> None:
        """Do nothing: bounds are not kept."""

    def open_above(self, loss: float) -> int:  # noqa: ARG002
        """Return 0: vectors are not counted."""
        return 0

    def least_open(self) -> float:
        """Return the bound of the finest vector."""
        return self.bound_of(tuple(0 for _ in self.shape))


def lattice_of(allowed: Sequence[range], objective: Objective) -> Lattice:
    """Return the lattice of all vectors on these levels."""
    kind = Lattice if prod(map(len, allowed)) <= LARGEST else VastLattice
    return kind(allowed, objective)
