"""Draw: of a cell that fails, the largest part that meets the goals.

A part of λ rows that is like the whole table has λ·p rows of each sensitive value, p being its share of the whole
table. A cell has fewer of some: then these are all that it has. So the only question is how large λ may be.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from PETWorks.counting.tally import IntArray, Mask
from PETWorks.errors import NotAskableError
from PETWorks.exact.limit import Limit
from PETWorks.exact.scores import FloatArray
from PETWorks.making.local.distance import Distance
from PETWorks.making.local.judge import DENSE, Judge
from PETWorks.privacy.beta_likeness import BetaLikeness
from PETWorks.privacy.delta_disclosure import DeltaDisclosure
from PETWorks.privacy.t_closeness import TCloseness

STEPS = 7  # bisections of log λ
ROUNDED = (1 - 1e-9, 0.5)  # what is added before it is cut to whole rows: they are rounded up; else to the nearest
COMPARING = (TCloseness, BetaLikeness, DeltaDisclosure)  # goals that compare with the whole table
ALMOST = 1e-9  # of rounding


@dataclass(frozen=True, eq=False)
class Draw:
    """How rows are drawn from cells, by the goals that judge them."""

    judge: Judge
    kind: IntArray  # by entry, a number for its sensitive values
    counted: FloatArray  # by kind, what one row of it adds to the counts of sensitive values
    weights: FloatArray  # by kind, its share of a part
    distances: Sequence[tuple[Distance, slice, float]]  # of t-closeness: which counts it compares, and how far at most

    @classmethod
    def of(cls, judge: Judge) -> Draw:
        """Draw as the whole table is if goals compare with it; else the same number of rows of every kind."""
        judged = np.zeros(judge.spreads.shape[1], dtype=bool)
        for goal in judge.by_value:
            only = getattr(goal, "sensitive", None)
            for name in judge.attributes if only is None else [only]:
                judged[judge.attributes[name].columns] = True
        has, kind = np.unique(judge.spreads[:, judged] > 0, axis=0, return_inverse=True)
        if has.shape[0] * len(judge.spreads) > DENSE:
            problem = f"parts draws by sensitive values, of which {len(has):,} different combinations occur: too many"
            hint = "omit parts, or let the requirement name one sensitive attribute: sensitive="
            raise NotAskableError(problem, hint=hint)
        counted = np.zeros((len(has), len(judged)))
        counted[:, judged] = has
        rows = np.bincount(kind.reshape(-1), judge.table.counts)
        like = any(isinstance(goal, COMPARING) for goal in judge.goals)
        weights = rows / rows.sum() if like else np.ones(len(rows))
        return cls(judge, kind.reshape(-1), counted, weights, list(_distances(judge)))

    def parts(self, cells: FloatArray) -> FloatArray:
        """Return, by cell and kind, how many rows form the largest part that holds; none of a cell that has no part."""
        found = np.zeros_like(cells)
        able = np.flatnonzero(self._able(cells))
        for rounded in ROUNDED:
            some = cells[able]
            low, high = np.ones(len(able)), (some / self.weights).max(axis=1, initial=1)
            for _ in range(STEPS if len(able) else 0):
                middle = np.sqrt(low * high)  # the same on every machine, unlike a logarithm
                part = np.minimum(some, np.floor(middle[:, None] * self.weights + rounded))
                holds = self._holding(part)
                found[able[holds]] = part[holds]
                low, high = np.where(holds, middle, low), np.where(holds, high, middle)
            able = able[~found[able].any(axis=1)]
        return found

    def _able(self, cells: FloatArray) -> Mask:
        """Return a mask of the cells of which a part may hold: enough is left when all is gone that must go."""
        sizes, counts = cells.sum(axis=1), cells @ self.counted
        able = np.ones(len(cells), dtype=bool)
        for distance, columns, most in self.distances:
            able &= distance.of_parts(counts[:, columns], self.judge.least) <= most + ALMOST
        others = [goal for goal in self.judge.by_value if not isinstance(goal, TCloseness)]
        for goal in others:
            where = np.flatnonzero(able)
            if len(where):
                left = sizes[where] * (1 - self.judge.floor(goal, sizes[where], counts[where]))
                able[where] = left >= self.judge.least - ALMOST
        return able

    def _holding(self, parts: FloatArray) -> Mask:
        sizes = parts.sum(axis=1)
        holding: Mask = sizes >= self.judge.least
        where = np.flatnonzero(holding)
        if len(where):
            holding[where] = self.judge.holds(sizes[where], parts[where] @ self.counted)
        return holding


def _distances(judge: Judge) -> Iterator[tuple[Distance, slice, float]]:
    for goal in judge.by_value:
        if isinstance(goal, TCloseness) and goal.t is not None:
            for name in judge.attributes if goal.sensitive is None else [goal.sensitive]:
                one = judge.attributes[name]
                distance = Distance.of(goal, one.spread, judge.table.facts)
                yield distance, one.columns, float(Limit.of(goal.t).exact)
