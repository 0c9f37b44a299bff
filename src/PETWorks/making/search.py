"""Search for the level vector with the least loss, and prove that there is no better one.

A vector is evaluated, or excluded because a coarser one shows that too much would have to be suppressed there, or
because its bound says that it loses more than the best that was found.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from heapq import heappop, heappush
from time import monotonic

from PETWorks.making.candidate import Candidate, Judge
from PETWorks.making.lattice import Index, Lattice
from PETWorks.making.objective import Objective
from PETWorks.making.vectors import Levels

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
