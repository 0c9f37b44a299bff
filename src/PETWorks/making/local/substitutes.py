"""Who could take the place of a combination that leaves its class."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from PETWorks.counting.tally import IntArray
from PETWorks.making.local.classes import LocalClasses
from PETWorks.making.local.judge import Judge

TRIED = 5  # candidates that are judged, the cheapest ones


@dataclass(frozen=True, eq=False)
class Substitutes:
    """Combinations of other classes that could join a class which one of its members leaves."""

    classes: LocalClasses
    judge: Judge
    number: int
    leaving: int
    rest: IntArray  # the nodes of the class without the member that leaves

    def best(self, limit: float, but: int) -> int | None:
        """Return one, of any class `but` one, that costs less than a limit and lets both classes hold; None if none."""
        classes, of = self.classes, self.classes.of
        left = np.append(classes.sizes, 0.0)[of] - classes.rows
        able = np.flatnonzero((left >= self.judge.least) & (of != self.number) & (of != but))
        size, rows = float(classes.sizes[self.number] - classes.rows[self.leaving]), classes.rows[able]
        forest, lost = classes.forest, classes.forest.loss[self.rest]
        more = forest.costs(self.rest) - lost[forest.column]
        changed = rows * (lost.sum() - classes.losses[of[able]])  # or less: their class may shrink
        cheap, prices = forest.cheap(classes.leaves[:, able], more, size + rows, changed, limit)
        for one in able[cheap[np.argsort(prices, kind="stable")[:TRIED]]].tolist():
            if self._holds(one):
                return int(one)
        return None

    def _holds(self, one: int) -> bool:
        """Return True if both classes hold after the exchange, and are not suppressed rows."""
        classes, there = self.classes, int(self.classes.of[one])
        here = [member for member in classes.members[self.number] if member != self.leaving] + [one]
        others = [member for member in classes.members[there] if member != one]
        nodes = [classes.forest.common(classes.values[:, members]) for members in (here, others)]
        if any(classes.forest.suppressed(own) for own in nodes):
            return False
        counts = np.stack([classes.spreads[members].sum(axis=0) for members in (here, others)])
        sizes = np.array([classes.rows[members].sum() for members in (here, others)])
        described = [(here, classes.forest.level[nodes[0]]), (others, classes.forest.level[nodes[1]])]
        return bool(self.judge.holds(sizes, counts, lambda number: described[number]).all())
