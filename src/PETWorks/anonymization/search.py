"""Search for the level vector with the least loss, and prove that there is no better one.

A vector is evaluated, or excluded because a coarser one shows that too much would have to be suppressed there, or
because its bound says that it loses more than the best that was found.

The lattice of level vectors: which are still open, and the least that each can lose.

Vectors are the entries of arrays with an axis for each column. All vectors that are at least as fine as a given one are
a corner of these arrays, so that closing them, or raising their bounds, is one operation.

A lattice of so many level vectors that no array holds them: only what was evaluated, and what follows, is kept.

The coarsest vectors are tried until one is admitted; the search goes on from there to vectors nearby. The best that it
finds is not proven to be the best.

What every way of recoding yields: the release that was found, and what is known about better ones.
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

import numpy as np

from PETWorks.anonymization.candidate import Candidate, Floor, Judge
from PETWorks.anonymization.lifted import LiftedFacts
from PETWorks.anonymization.objective import Objective
from PETWorks.anonymization.vectors import Levels
from PETWorks.tables.counting.tally import IntArray, Mask

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


PAUSE = 0.2  # seconds between two reports of progress
PATIENCE = 2000  # vectors, and at most a thousandth of all, that are evaluated to find a better first candidate
CLOSE = 1e-9  # difference, relative to losses above 1, below which they are compared exactly


@dataclass(frozen=True)
class Progress:
    """How far a search is: it can be shown while the search goes on, and is its proof in the end."""

    vectors: int  # all there are
    evaluated: int = 0
    by_goals: int = 0  # excluded: too many rows would have to be suppressed there
    by_bound: int = 0  # excluded: they lose more
    best: float | None = None  # the least loss that was found
    bound: float = 0.0  # no vector loses less
    worth: float | None = None  # of the best: its utility, or its loss if that is looked for
    reach: float | None = None  # what no vector's exceeds, or is below if it is a loss

    @property
    def complete(self) -> bool:
        """True if every vector was evaluated or excluded."""
        return self.open == 0

    @property
    def counts(self) -> dict[str, int]:
        """What became of the vectors; the others add up to all there are."""
        names = ("evaluated", "by_goals", "by_bound", "open", "vectors")
        return {name: getattr(self, name) for name in names}

    @property
    def open(self) -> int:
        """How many vectors were neither evaluated nor excluded."""
        return self.vectors - self.evaluated - self.by_goals - self.by_bound


@dataclass(frozen=True)
class Nearest:
    """The vector that comes nearest to the goals, where none meets them, and the rows to be suppressed there."""

    levels: Levels
    rows: int


@dataclass(frozen=True)
class Found:
    """The best candidate, and how far the search came."""

    best: Candidate | None
    nearest: Nearest | None  # None: no vector was evaluated
    progress: Progress
    trimmed: bool  # True: classes failed only because others were removed, so nothing is proven

    @property
    def proven(self) -> bool:
        """True if there is no better candidate, or none at all if none was found."""
        return self.progress.complete and not self.trimmed


@dataclass(frozen=True)
class Polishing:
    """How far local recoding is: rounds of polishing, and what the release of the last one is worth."""

    rounds: int
    worth: float


Listener = Callable[[Progress | Polishing], None]


class Search:
    """A search over a lattice. It can be stopped at any time, by a deadline or Ctrl-C, and has then the best so far."""

    def __init__(
        self,
        judge: Judge,
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
        self._listener, self._next = listener, monotonic() + PAUSE
        self._best: tuple[float, Candidate] | None = None
        self._nearest: Nearest | None = None
        self._evaluated = self._by_goals = 0

    @property
    def best(self) -> Candidate | None:
        """The best that was found so far."""
        return self._best and self._best[1]

    def run(self) -> Found:
        """Evaluate or exclude every vector; stop early at the deadline or, if something was found, at Ctrl-C."""
        finished = False
        try:
            finished = self._exhaust()
        except KeyboardInterrupt:
            if self._best is None:
                raise
        progress = self._progress(finished=finished)
        return Found(self._best and self._best[1], self._nearest, progress, self._judge.trimmed)

    def _exhaust(self) -> bool:
        """Return True if all vectors were evaluated or excluded, False if there was no time left."""
        for index in self._judge.hopeless_pairs(self._lattice.allowed):
            self._by_goals += self._lattice.close_finer(index)
        for index in self._lattice.telling_first(lambda: self._cutoff):
            first = self._best is None
            loss = self._evaluate(index)
            if first and loss is not None:
                self._climb(index, loss)
            if self._late:
                return False
        return self._lattice.exhaustive

    def _climb(self, index: Index, loss: float) -> None:
        """Look for better candidates near the first one: the better the best is, the more vectors it excludes.

        Go on from the best so far; if nothing near it is better, from the next best, for a while.
        """
        reached, end = [(loss, index)], self._evaluated
        while reached:
            loss, index = heappop(reached)
            for near in self._lattice.neighbours(index, self._cutoff):
                best, found = self._best, self._evaluate(near)
                if found is not None:
                    heappush(reached, (found, near))
                if self._best is not best:
                    heappush(reached, (loss, index))
                    end = self._evaluated + min(self._lattice.size // 1000, PATIENCE)
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
        """Vectors with a larger bound lose more than the best."""
        return float("inf") if self._best is None else self._best[0] + _tolerance(self._best[0])

    def _evaluate(self, index: Index) -> float | None:
        """Judge a vector, and learn from it about others; return its loss if it is admitted."""
        lattice = self._lattice
        if not lattice.is_open(index) or (self._evaluated and self._late):
            return None
        lattice.close(index)
        self._evaluated += 1
        verdict = self._judge.judge(lattice.levels(index))
        if verdict.hopeless:
            self._by_goals += lattice.close_finer(index)
        elif verdict.floor:
            lattice.raise_finer(index, verdict.floor)
        lattice.raise_coarser(index, verdict.facts)
        if self._nearest is None or verdict.rows < self._nearest.rows:
            self._nearest = Nearest(lattice.levels(index), verdict.rows)
        loss = None if verdict.candidate is None else self._keep(verdict.candidate)
        if self._listener and monotonic() > self._next:
            self._listener(self._progress(finished=False))
            self._next = monotonic() + PAUSE
        return loss

    def _keep(self, candidate: Candidate) -> float:
        """Keep a candidate if it is the best so far; return its loss."""
        scored = self._objective.loss(candidate), candidate
        if self._best is None or self._precedes(scored, self._best):
            self._best = scored
        return scored[0]

    def _precedes(self, one: tuple[float, Candidate], other: tuple[float, Candidate]) -> bool:
        """Return True if a candidate loses less than another or, at equal loss, comes first in the order of ties."""
        if abs(one[0] - other[0]) > _tolerance(other[0]):
            return one[0] < other[0]
        return (self._objective.difference(one[1], other[1]), *_tie(one[1])) < (0, *_tie(other[1]))

    def _progress(self, *, finished: bool) -> Progress:
        best = float("inf") if self._best is None else self._best[0]
        vectors, done = self._lattice.size, self._evaluated + self._by_goals
        excluded = vectors - done if finished else self._lattice.open_above(self._cutoff)
        bound = best if finished else min(best, self._lattice.least_open())
        worth, reach = (None if loss == float("inf") else self._objective.value(loss) for loss in (best, bound))
        return Progress(vectors, self._evaluated, self._by_goals, excluded, self._best and best, bound, worth, reach)


def _tolerance(loss: float) -> float:
    return CLOSE * max(1.0, abs(loss))


def _tie(candidate: Candidate) -> tuple[int, int, Levels]:
    """Return what decides between equal losses: suppressed rows, the sum of levels, the levels from the last column."""
    return candidate.suppressed_rows, sum(candidate.levels), candidate.levels[::-1]


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


LevelsOf = Mapping[str, int] | Mapping[str, Mapping[int, int]]


@dataclass(frozen=True, eq=False)
class Outcome:
    """A release that meets the goals."""

    facts: LiftedFacts
    levels: LevelsOf  # by column: its level; if rows have different ones, how many have each level; none for means
    proven: bool  # True: no other release of this kind is better
    bound: float | None  # what the utility, or the loss if that is looked for, of no other can exceed; None: not known
    ceiling: Callable[[], float] | None = None  # instead of `bound`: computes it, which takes a while
    proof: Progress | None = None  # of a search over level vectors
    best: Candidate | None = None  # of such a search
    freely: Callable[[], Found] | None = None  # if levels are given: searches all vectors, which takes a while
    rounds: int | None = None  # of polishing
    lost_variance: Fraction | None = None  # by microaggregation: its share of all, the mean over the columns
