"""Earth Mover's Distance between classes and the whole table in floats, for many classes at once."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from PETWorks.counting.tally import Coded, IntArray
from PETWorks.exact.scores import FloatArray
from PETWorks.facts.facts import Facts
from PETWorks.facts.spread import Spread
from PETWorks.formulas.earth_mover import in_order
from PETWorks.privacy.t_closeness import TCloseness

ROUNDING = 1e-9  # by how much a float may be off, generously


@dataclass(frozen=True, eq=False)
class Distance:
    """A distance that is a mean of |differences| between sums of counts: a class's, and those to be expected."""

    sums: FloatArray  # by value and sum, 1 if the value belongs to it
    weight: float
    shares: FloatArray  # by value, its share of the whole table
    parts: IntArray  # where each level of a hierarchy starts among the sums; none if values are ordered
    rows: int

    @classmethod
    def of(cls, goal: TCloseness, spread: Spread, facts: Facts) -> Distance:
        """Build the distance by which a goal judges a sensitive attribute."""
        (bound,) = (bound for bound in goal.judged_by(facts) if bound.part == spread.name)
        shares, each = spread.overall / spread.rows, np.arange(len(spread.values))
        if bound.figures["distance"] == "ordered":
            single = replace(spread, of_class=each, of_value=each, counts=each + 1)
            places = in_order(single, goal.order).of_value
            sums = (places[:, None] <= np.arange(places.max() + 1)).astype(np.float64)
            return cls(sums, 1 / max(int(places.max()), 1), shares, each[:0], spread.rows)
        lifts = [each]
        if bound.figures["distance"] == "hierarchical":
            tree = facts.columns.tree(spread)
            lifts = [
                Coded.of([tree.lift(value, level) for value in spread.values]).codes for level in range(tree.height)
            ]
        widths = [int(lift.max()) + 1 for lift in lifts]
        sums = np.concatenate(
            [np.zeros((len(each), 0)), *(np.eye(width)[lift] for lift, width in zip(lifts, widths, strict=True))],
            axis=1,
        )
        return cls(sums, 1 / (2 * max(len(lifts), 1)), shares, np.cumsum([0, *widths])[:-1], spread.rows)

    def between(self, sizes: FloatArray, counts: FloatArray) -> FloatArray:
        """Return the distance of each class from the whole table."""
        differences = counts @ self.sums / sizes[:, None] - self.shares @ self.sums
        return np.asarray(self.weight * np.abs(differences).sum(axis=1))

    def of_parts(self, counts: FloatArray, size: int) -> FloatArray:
        """Return a distance that no part of a class, of at least so many rows, falls short of.

        Of each sum, a part has no more rows than the class. What it lacks there, it has too much of elsewhere on the
        same level of a hierarchy.
        """
        missing = np.maximum(self.shares @ self.sums - counts @ self.sums / size, 0).sum(axis=1)
        return np.asarray(self.weight * missing * (2 if len(self.parts) else 1))

    def least_size(self, most: float) -> int:
        """Return a number of rows that a class needs at least to be no farther than `most` from the whole table."""
        return next(size for size in range(1, self.rows + 1) if self._nearest(size) <= most + ROUNDING)

    def _nearest(self, size: int) -> float:
        """Return a distance that no class of a size falls short of: each of its sums is a whole number of rows.

        The sums of a level add up to the size. If those that are expected are rounded down, some rows are left, which
        cost least where most was cut off.
        """
        expected = self.shares @ self.sums * size
        if not len(self.parts):
            return self.weight * float(np.abs(expected - np.round(expected)).sum()) / size
        total = 0.0
        for part in np.split(expected, self.parts[1:]):
            cut = np.sort(1 - (part - np.floor(part + ROUNDING)))
            left = size - round(float(np.floor(part + ROUNDING).sum()))
            total += 2 * float(cut[:left].sum())
        return self.weight * total / size
