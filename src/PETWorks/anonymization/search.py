"""Search for the level vector with the least loss, and prove that no other loses less.

A vector is *closed* once it was evaluated, or excluded: because a coarser vector shows that it must suppress too many
rows, or because its lower bound exceeds the least loss found. All others are *open*.

A lattice is an array with an axis for each column. All vectors at least as fine as a given one are a corner of the
array, so one operation closes them or raises their bounds. An implicit lattice is too large for an array. It stores
only the closed vectors; the coarsest ones are tried until one is admitted, and the search goes on with its neighbours.
The best that it finds is not proven to be the best.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from heapq import heappop, heappush
from itertools import combinations
from math import inf, prod
from time import monotonic
from typing import Protocol

import numpy as np

from PETWorks.anonymization.candidate import LatticeNode, NodeJudge, SuppressionFloor
from PETWorks.anonymization.objective import Objective
from PETWorks.anonymization.release_facts import RecodedFacts
from PETWorks.anonymization.vectors import Levels
from PETWorks.errors import PopulationError
from PETWorks.tables.counting.tally import IntArray, Mask

Index = tuple[int, ...]
MIN_SELECTION = 32  # vectors that are selected together, at least
LARGE_LATTICE = 2**17  # most vectors of a lattice that is not large
MAX_COLUMNS_FOR_TRIPLES = 20  # most columns for neighbours in three columns
SELECTION_ROUNDS = 2**12  # selections that would cover a large lattice


class Lattice:
    """Level vectors within the levels that are allowed for each column."""

    exhaustive = True  # False: the search ends before all vectors are closed

    def __init__(self, allowed: Sequence[range], objective: Objective) -> None:
        self._set_shape(allowed, objective)
        self._least = objective.bound_losses(allowed)
        self.bound = self._least.copy()
        self.open = np.ones(self.shape, dtype=bool)

    def _set_shape(self, allowed: Sequence[range], objective: Objective) -> None:
        self.allowed, self._objective = allowed, objective
        self.shape = tuple(len(levels) for levels in allowed)
        self.size = prod(self.shape)

    def is_open(self, index: Index) -> bool:
        """Return True if a vector was neither evaluated nor excluded by goals."""
        return bool(self.open[index])

    def bound_of(self, index: Index) -> float:
        """Return the lower bound on the loss of a vector."""
        return float(self.bound[index])

    def look_up_levels(self, index: Index) -> Levels:
        """Return the levels of a vector."""
        return tuple(levels[place] for levels, place in zip(self.allowed, index, strict=True))

    def iterate_open(self, cutoff: Callable[[], float]) -> Iterator[Index]:
        """Yield the open vectors whose bound is at most `cutoff`, those with the most finer vectors first.

        If the objective also bounds coarser vectors, the number of these counts, too.
        """
        while (live := self.open & (self.bound <= cutoff())).any():
            tells = _count_finer(live)
            if self._objective.bounds_coarser:
                tells = tells.astype(float) * np.flip(_count_finer(np.flip(live)))
            flat = np.flatnonzero(live)
            tells = tells.reshape(-1)[flat]
            most = min(len(flat), max(MIN_SELECTION, self.size // SELECTION_ROUNDS))
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
        """Close all vectors at least as fine as the given one; return how many of them were open."""
        corner = self.open[_slice_finer(index)]
        closed = int(corner.sum())
        corner[...] = False
        return closed

    def raise_finer(self, index: Index, floor: SuppressionFloor) -> None:
        """Raise the bounds of all finer vectors: each must suppress at least the rows of the suppression floor."""
        finer, levels = _slice_finer(index), [own[: place + 1] for own, place in zip(self.allowed, index, strict=True)]
        corner = self.bound[finer]
        np.maximum(corner, self._objective.bound_with_floor(floor, levels, self._least[finer]), out=corner)

    def raise_coarser(self, index: Index, facts: RecodedFacts) -> None:
        """Raise the bounds of all vectors at least as coarse, if the objective bounds them."""
        if self._objective.bounds_coarser:
            corner = self.bound[tuple(slice(place, None) for place in index)]
            np.maximum(corner, self._objective.bound_coarser(facts), out=corner)

    def count_open_above(self, loss: float) -> int:
        """Return how many open vectors have a larger bound than this loss."""
        return int((self.bound[self.open] > loss).sum())

    def find_least_open_bound(self) -> float:
        """Return the least bound of the open vectors; infinity if there are none."""
        return float(self.bound[self.open].min(initial=np.inf))

    def find_neighbours(self, index: Index, cutoff: float) -> list[Index]:
        """Return the open neighbours whose bound is at most `cutoff`, the least bound first.

        A neighbour differs in the level of one or two columns; in a large lattice, also of three.
        """
        near = np.array(index) + _list_moves(
            len(index), 3 if self.size > LARGE_LATTICE and len(index) <= MAX_COLUMNS_FOR_TRIPLES else 2
        )
        near = near[((near >= 0) & (near < self.shape)).all(axis=1)]
        found = ((self.bound_of(one), one) for one in map(tuple, near.tolist()) if self.is_open(one))
        return [one for bound, one in sorted(found) if bound <= cutoff]


def _count_finer(chosen: Mask) -> IntArray:
    """Return, for each vector, how many of the chosen vectors are at least as fine."""
    many = chosen.astype(np.int32)
    for axis in range(many.ndim):
        levels = np.moveaxis(many, axis, 0)  # short, so that adding whole levels beats accumulating each run
        for level in range(1, len(levels)):
            levels[level] += levels[level - 1]
    return many


def _slice_finer(index: Index) -> tuple[slice, ...]:
    return tuple(slice(0, place + 1) for place in index)


@lru_cache(maxsize=16)
def _list_moves(columns: int, together: int) -> IntArray:
    """Return all moves by one or two levels in one column, or by one level in each of up to `together` columns."""
    unit = np.eye(columns, dtype=np.int64)
    ones = [step * unit[column] for column in range(columns) for step in (-1, 1)]
    sums = [sum(some) for many in range(2, together + 1) for some in combinations(ones, many)]
    different = [one for one in sums if np.count_nonzero(one) > 1]
    return np.array([*ones, *(2 * one for one in ones), *different])


REPORT_INTERVAL = 0.2  # seconds between two reports
CLIMB_BUDGET = 2000  # most vectors, and at most a thousandth of all, that are evaluated without an improvement
LOSS_TOLERANCE = 1e-9  # difference of losses, relative above 1, below which they are compared exactly


@dataclass(frozen=True)
class SearchProgress:
    """The state of a search: shown while the search runs, and its proof at the end."""

    vectors: int  # of the lattice
    evaluated: int = 0
    by_goals: int = 0  # excluded: they must suppress too many rows
    by_bound: int = 0  # excluded: they lose more
    best: float | None = None  # the least loss found
    bound: float = 0.0  # a lower bound on the loss of every vector
    worth: float | None = None  # the score of the best vector: its utility, or its loss
    reach: float | None = None  # an upper bound on every vector's utility, or a lower bound on its loss

    @property
    def complete(self) -> bool:
        """True if every vector was evaluated or excluded."""
        return self.open == 0

    @property
    def counts(self) -> dict[str, int]:
        """The number of vectors by state, which add up to `vectors`."""
        names = ("evaluated", "by_goals", "by_bound", "open", "vectors")
        return {name: getattr(self, name) for name in names}

    @property
    def open(self) -> int:
        """The number of vectors that were neither evaluated nor excluded."""
        return self.vectors - self.evaluated - self.by_goals - self.by_bound


@dataclass(frozen=True)
class NearestVector:
    """The vector nearest to the goals if none meets them, and the number of rows to suppress there."""

    levels: Levels
    rows: int


@dataclass(frozen=True)
class LatticeResult:
    """The best node of a lattice, and the state of the search when it ended."""

    best: LatticeNode | None
    nearest: NearestVector | None  # None: no vector was evaluated
    progress: SearchProgress
    trimmed: bool  # True: classes failed only after others were removed, so nothing is proven
    unreadable: PopulationError | None = None  # of the last vector at which the population cannot be read
    cut: bool = False  # True: a limit or Ctrl-C ended the search
    interrupted: bool = False  # True: Ctrl-C did

    @property
    def proven(self) -> bool:
        """True if no other node loses less; if none was found, that none meets the goals."""
        return self.progress.complete and not self.trimmed


@dataclass(frozen=True)
class PolishProgress:
    """The state of local recoding: rounds of polishing, and the score after the last one."""

    rounds: int
    worth: float


Listener = Callable[[SearchProgress | PolishProgress], None]


class LatticeSearch:
    """A search over a lattice. A deadline or Ctrl-C ends it with the best node so far."""

    def __init__(
        self,
        judge: NodeJudge,
        objective: Objective,
        lattice: Lattice,
        *,
        seconds: float | None = None,
        listener: Listener | None = None,
        most: int | None = None,
    ) -> None:
        self._judge, self._objective, self._lattice = judge, objective, lattice
        self._end = None if seconds is None else monotonic() + seconds
        self._most = most  # vectors that are evaluated; None: as many as needed
        self._listener, self._next = listener, monotonic() + REPORT_INTERVAL
        self._best: tuple[float, LatticeNode] | None = None
        self._nearest: NearestVector | None = None
        self._evaluated = self._by_goals = 0

    @property
    def best(self) -> LatticeNode | None:
        """The best node so far."""
        return self._best and self._best[1]

    def run(self) -> LatticeResult:
        """Evaluate or exclude every vector; stop at the deadline or, once a vector is admitted, at Ctrl-C."""
        finished = interrupted = False
        try:
            finished = self._exhaust()
        except KeyboardInterrupt:
            if self._best is None:
                raise
            interrupted = True
        progress = self._report_progress(finished=finished)
        cut, judge = interrupted or (progress.open > 0 and self._late), self._judge
        return LatticeResult(
            self.best, self._nearest, progress, judge.trimmed, judge.unreadable, cut=cut, interrupted=interrupted
        )

    def _exhaust(self) -> bool:
        """Return True if all vectors were evaluated or excluded, False at the deadline."""
        for index in self._judge.find_hopeless_pairs(self._lattice.allowed):
            self._by_goals += self._lattice.close_finer(index)
        for index in self._lattice.iterate_open(lambda: self._cutoff):
            first = self._best is None
            loss = self._evaluate(index)
            if first and loss is not None:
                self._climb(index, loss)
            if self._late:
                return False
        return self._lattice.exhaustive

    def _climb(self, index: Index, loss: float) -> None:
        """Evaluate neighbours of the first node: the less the best node loses, the more vectors it excludes.

        Continue from the best node so far; if no neighbour loses less, from the next best, up to a budget.
        """
        reached, end = [(loss, index)], self._evaluated
        while reached:
            loss, index = heappop(reached)
            for near in self._lattice.find_neighbours(index, self._cutoff):
                best, found = self._best, self._evaluate(near)
                if found is not None:
                    heappush(reached, (found, near))
                if self._best is not best:
                    heappush(reached, (loss, index))
                    end = self._evaluated + min(self._lattice.size // 1000, CLIMB_BUDGET)
                    break
            else:
                if self._evaluated >= end:
                    return

    @property
    def _late(self) -> bool:
        if self._most is not None and self._evaluated >= self._most:
            return True
        return self._end is not None and monotonic() > self._end

    @property
    def _cutoff(self) -> float:
        """The largest bound of vectors that may lose no more than the best."""
        return float("inf") if self._best is None else self._best[0] + _find_tie_tolerance(self._best[0])

    def _evaluate(self, index: Index) -> float | None:
        """Judge a vector, and exclude or bound others by it; return its loss if it is admitted."""
        lattice = self._lattice
        if not lattice.is_open(index) or (self._evaluated and self._late):
            return None
        lattice.close(index)
        self._evaluated += 1
        verdict = self._judge.judge(lattice.look_up_levels(index))
        if verdict.hopeless:
            self._by_goals += lattice.close_finer(index)
        elif verdict.floor:
            lattice.raise_finer(index, verdict.floor)
        lattice.raise_coarser(index, verdict.facts)
        if self._nearest is None or verdict.rows < self._nearest.rows:
            self._nearest = NearestVector(lattice.look_up_levels(index), verdict.rows)
        loss = None if verdict.candidate is None else self._update_best(verdict.candidate)
        if self._listener and monotonic() > self._next:
            self._listener(self._report_progress(finished=False))
            self._next = monotonic() + REPORT_INTERVAL
        return loss

    def _update_best(self, candidate: LatticeNode) -> float:
        """Make a node the best if it precedes the best so far; return its loss."""
        scored = self._objective.loss(candidate), candidate
        if self._best is None or self._precedes(scored, self._best):
            self._best = scored
        return scored[0]

    def _precedes(self, one: tuple[float, LatticeNode], other: tuple[float, LatticeNode]) -> bool:
        """Return True if a node loses less than another or, at equal loss, comes first in the order of ties."""
        if abs(one[0] - other[0]) > _find_tie_tolerance(other[0]):
            return one[0] < other[0]
        return (self._objective.compare(one[1], other[1]), *_build_tie_key(one[1])) < (0, *_build_tie_key(other[1]))

    def _report_progress(self, *, finished: bool) -> SearchProgress:
        best = float("inf") if self._best is None else self._best[0]
        vectors, done = self._lattice.size, self._evaluated + self._by_goals
        excluded = vectors - done if finished else self._lattice.count_open_above(self._cutoff)
        bound = best if finished else min(best, self._lattice.find_least_open_bound())
        worth, reach = (None if loss == float("inf") else self._objective.score(loss) for loss in (best, bound))
        return SearchProgress(
            vectors, self._evaluated, self._by_goals, excluded, self._best and best, bound, worth, reach
        )


def _find_tie_tolerance(loss: float) -> float:
    return LOSS_TOLERANCE * max(1.0, abs(loss))


def _build_tie_key(candidate: LatticeNode) -> tuple[int, int, Levels]:
    """Return the sort key of nodes with equal loss: suppressed rows, sum of levels, levels from the last column."""
    return candidate.suppressed_rows, sum(candidate.levels), candidate.levels[::-1]


MAX_ARRAY_VECTORS = 2**23  # most vectors of a lattice in arrays, of some 300 MB
MAX_STARTS = 10_000  # most vectors that are tried until one is admitted


class ImplicitLattice(Lattice):
    """A lattice too large for arrays; it stores only the closed vectors."""

    exhaustive = False

    def __init__(self, allowed: Sequence[range], objective: Objective) -> None:
        self._set_shape(allowed, objective)
        self._closed: set[Index] = set()
        self._hopeless = np.empty((0, len(allowed)), dtype=np.int16)  # all vectors at least as fine are closed

    def is_open(self, index: Index) -> bool:
        """Return True if a vector was neither evaluated nor excluded."""
        return index not in self._closed and not self._is_excluded(index)

    def _is_excluded(self, index: Index) -> bool:
        return bool((self._hopeless >= index).all(axis=1).any())

    def bound_of(self, index: Index) -> float:
        """Return the lower bound on the loss of a vector."""
        alone = [range(level, level + 1) for level in self.look_up_levels(index)]
        return float(self._objective.bound_losses(alone).item())

    def iterate_open(self, cutoff: Callable[[], float]) -> Iterator[Index]:
        """Yield open vectors, the coarsest first, until one is admitted."""
        coarsest = tuple(size - 1 for size in self.shape)
        waiting, known, tried = [(0, coarsest)], {coarsest}, 0
        while waiting and cutoff() == inf and tried < MAX_STARTS:
            _, index = heappop(waiting)
            if self.is_open(index):
                tried += 1
                yield index
            for column in range(len(index) if not self._is_excluded(index) else 0):
                finer = (*index[:column], index[column] - 1, *index[column + 1 :])
                if finer[column] >= 0 and finer not in known:
                    known.add(finer)
                    heappush(waiting, (-prod(place + 1 for place in finer), finer))

    def close(self, index: Index) -> None:
        """Close a vector."""
        self._closed.add(index)

    def close_finer(self, index: Index) -> int:
        """Close all vectors at least as fine as the given one; return 0, since vectors are not counted."""
        self._hopeless = np.vstack([self._hopeless, np.array(index, dtype=np.int16)])
        return 0

    def raise_finer(self, index: Index, floor: SuppressionFloor) -> None:
        """Do nothing: bounds are not stored."""

    def raise_coarser(self, index: Index, facts: RecodedFacts) -> None:
        """Do nothing: bounds are not stored."""

    def count_open_above(self, loss: float) -> int:  # noqa: ARG002
        """Return 0: vectors are not counted."""
        return 0

    def find_least_open_bound(self) -> float:
        """Return the bound of the finest vector."""
        return self.bound_of(tuple(0 for _ in self.shape))


def build_lattice(allowed: Sequence[range], objective: Objective) -> Lattice:
    """Build the lattice of all vectors on these levels."""
    kind = Lattice if prod(map(len, allowed)) <= MAX_ARRAY_VECTORS else ImplicitLattice
    return kind(allowed, objective)


LevelsOf = Mapping[str, int] | Mapping[str, Mapping[int, int]]


class Ceiling(Protocol):
    """A bound on the score of every release of a kind, which is computed on request."""

    def compute(self) -> float:
        """Return an upper bound on the utility, or a lower bound on the loss."""


class FreeSearch(Protocol):
    """A search without the levels that the user fixed, which runs on request."""

    def run(self) -> LatticeResult:
        """Search; return the result."""


@dataclass(frozen=True, eq=False)
class SearchResult:
    """The release that a search found, for every way of recoding, with the bound on better ones."""

    facts: RecodedFacts
    levels: LevelsOf  # by column: its level, or rows by level if rows have several; empty for means
    proven: bool  # True: no other release of this kind is better
    bound: float | None  # an upper bound on the utility of any other, or a lower bound on its loss; None: unknown
    ceiling: Ceiling | None = None  # computes `bound` on request, which takes a while
    proof: SearchProgress | None = None  # of a search over level vectors
    best: LatticeNode | None = None  # of such a search
    free_search: FreeSearch | None = None  # if levels were fixed: searches without them, slowly
    rounds: int | None = None  # of polishing
    lost_variance: Fraction | None = None  # by microaggregation: its share of all, the mean over the columns
