"""Find the groups of a microaggregation, and judge them by the measures that are its goals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from PETWorks.counting.tally import Coded, IntArray, Mask, sums
from PETWorks.errors import GoalError, NotAskableError, listing, plural
from PETWorks.making.lifted import LiftedFacts
from PETWorks.making.microaggregation.halving import halves
from PETWorks.making.microaggregation.mdav import mdav
from PETWorks.making.microaggregation.merging import merged
from PETWorks.making.microaggregation.points import Points
from PETWorks.making.microaggregation.ranges import ranges
from PETWorks.making.outcome import Outcome
from PETWorks.making.plan import Grouping, Plan
from PETWorks.making.search import Listener
from PETWorks.making.table import RawTable
from PETWorks.measure.base import Measure, Need
from PETWorks.measure.privacy import Privacy


@dataclass(frozen=True, eq=False)
class Microaggregated:
    """A release whose cells are the means of groups."""

    facts: LiftedFacts  # of the release
    groups: IntArray  # by combination
    loss: Fraction  # the share of the variance that is lost: the mean over the columns, by their weights
    proven: bool  # True: no other ranges of the one column that varies lose less


def means_of_groups(table: RawTable, plan: Plan, listener: Listener | None = None) -> Outcome:  # noqa: ARG001
    """Make a release by microaggregation. If no goal asks for a class size, groups are as small as the goals allow."""
    plan.require_known(table.facts.roles.quasi_identifiers)
    found = microaggregate(table, plan.goals, k=plan.class_size or 1, grouping=plan.grouping, weights=plan.weights)
    return Outcome(found.facts, {}, found.proven, bound=None, lost_variance=found.loss)


def microaggregate(
    table: RawTable,
    goals: Sequence[Measure],
    *,
    k: int,
    grouping: Grouping = "halving",
    weights: Mapping[str, Fraction] | None = None,
) -> Microaggregated:
    """Find groups of at least k rows that meet all goals and lose little; the same table gives the same groups.

    Where even one group of everybody does not meet the goals, a GoalError is raised.
    """
    points = Points.of(table, weights or {})
    judge = _Judge(table, points, goals, k)
    judge.require_possible()
    coordinates, counts = points.coordinates, points.counts
    proven = coordinates.shape[1] == 1
    if proven:
        groups = ranges(coordinates[:, 0], counts, k)
    elif grouping == "mdav":
        groups = mdav(coordinates, counts, k)
    else:
        groups = halves(coordinates, counts, k)
    while (failing := judge.unmet(cells := points.cells(groups), groups)).any():
        groups, proven = merged(coordinates, counts, groups, failing), False
    return Microaggregated(
        table.recoded(cells),
        groups[points.of_combination],
        points.loss(groups),
        proven,
    )


@dataclass(frozen=True, eq=False)
class _Judge:
    """Judges groups by the goals."""

    table: RawTable
    points: Points
    goals: Sequence[Measure]
    k: int

    @property
    def _by_class(self) -> list[Privacy]:
        return [goal for goal in self.goals if isinstance(goal, Privacy)]

    def require_possible(self) -> None:
        """Raise an error if even one group of everybody does not meet the goals, or one of them needs a population."""
        for goal in self.goals:
            if Need.POPULATION in goal.needs:
                problem = f"{goal.name} cannot be a goal of microaggregation: a population has no means of groups"
                raise NotAskableError(problem, hint='generalise instead: recoding="global"')
        if self.points.rows < self.k:
            problem = f"{plural(self.points.rows, 'row')}, but every group needs {self.k:,}"
            raise GoalError(problem, where=self.table.facts.name, hint="ask for smaller classes")
        everybody = self.table.recoded(self.points.cells(np.zeros(len(self.points.counts), dtype=np.int64)))
        if wrong := [goal for goal in self._by_class if goal.evaluate(everybody).holds is False]:
            raise self._unmet(wrong, "even if everybody is in one group")

    def unmet(self, cells: Mapping[str, Coded], groups: IntArray) -> Mask:
        """Return a mask of the groups to be merged, so that a release with these cells meets the goals."""
        facts = self.table.recoded(cells)
        of_group = np.empty(int(groups.max()) + 1, dtype=np.int64)
        of_group[groups[self.points.of_combination]] = facts.lifted.of_combination
        sizes = sums(groups, self.points.counts, len(of_group))
        failing: Mask = sizes < self.k
        for goal in self._by_class:
            failing |= goal.failing(facts)[of_group]
        if failing.any() or not (wrong := [goal for goal in self.goals if goal.evaluate(facts).holds is False]):
            return failing
        if len(sizes) == 1:
            raise self._unmet(wrong, "by any groups that were tried")
        return np.asarray(sizes == sizes.min())

    def _unmet(self, goals: Sequence[Measure], when: str) -> GoalError:
        problem = f"{listing(goal.name for goal in goals)} cannot be met {when}"
        return GoalError(problem, where=self.table.facts.name, hint="set other limits")
