"""Find the groups of a microaggregation, and judge them by the measures that are its goals.

The combinations of numeric quasi-identifiers as points, and the cells that groups of points are released as.

Sums are exact: every column is counted in units of the last decimal place with which its means are written.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import isqrt, lcm, prod, sqrt

import numpy as np

from PETWorks.anonymization.lifted import LiftedFacts
from PETWorks.anonymization.microaggregation.groups import halves, mdav, merged, ranges
from PETWorks.anonymization.plan import Grouping, Plan
from PETWorks.anonymization.search import Listener, Outcome
from PETWorks.anonymization.table import RawTable
from PETWorks.errors import GoalError, NotAskableError, listing, plural
from PETWorks.exact.limit import decimal, numeral
from PETWorks.exact.scores import FloatArray
from PETWorks.measure.base import Measure, Need
from PETWorks.measure.bounds import Privacy
from PETWorks.tables.counting.tally import Coded, IntArray, Mask, pack, ranked, sums, wide

MORE_PLACES, LEAST_PLACES = 2, 4  # decimal places of a mean: more than its column has, and at least
BITS = 64  # behind the point of roots
HINT = 'correct or remove these rows, or generalise: recoding="global" or recoding="local"'


@dataclass(frozen=True, eq=False)
class NumberColumn:
    """A column of numbers."""

    name: str
    numbers: IntArray  # by point, in units of the last decimal place
    places: int  # how many decimal places there are
    spread: int  # (rows)² times the variance, in units
    weight: Fraction


@dataclass(frozen=True, eq=False)
class Points:
    """The distinct points of a table in their numeric order. Equal numbers may be written differently: 1.5 and 1.50."""

    columns: tuple[NumberColumn, ...]
    of_combination: IntArray
    counts: IntArray  # how many rows each point has

    @classmethod
    def of(cls, table: RawTable, weights: Mapping[str, Fraction]) -> Points:
        """Read the quasi-identifiers of a table; a cell that is not a number is an error."""
        units = {name: _units(table, name) for name in table.facts.roles.quasi_identifiers}
        kinds = [np.unique(numbers, return_inverse=True) for numbers, _ in units.values()]
        ranks = [rank[codes] for (_, rank), codes in zip(kinds, table.codes, strict=True)]
        sizes = [len(distinct) for distinct, _ in kinds]
        first, of_combination = ranked(pack(ranks, sizes)[0], prod(sizes))
        counts = sums(of_combination, table.counts, len(first))
        columns = []
        for (name, (_, places)), (distinct, _), rank in zip(units.items(), kinds, ranks, strict=True):
            rows = sums(rank, table.counts, len(distinct)).astype(object)
            spread = int((distinct**2 * rows).sum()) * table.rows - int((distinct * rows).sum()) ** 2
            largest = 2 * max(map(abs, distinct[[0, -1]].tolist())) * table.rows
            small = distinct if largest >= 2**63 else distinct.astype(np.int64)
            columns.append(NumberColumn(name, small[rank[first]], places, spread, weights.get(name, Fraction(1))))
        return cls(tuple(columns), of_combination, counts)

    @cached_property
    def rows(self) -> int:
        """How many rows there are."""
        return int(self.counts.sum())

    @cached_property
    def coordinates(self) -> FloatArray:
        """The points, centred, in units of the standard deviation of each column times the root of its weight.

        The squared distances of points from the mean of their group, added up, are what is lost. Columns that do not
        vary or have no weight are left out.
        """
        varying = [self._standardised(column) for column in self.columns if column.spread and column.weight]
        return np.stack(varying or [np.zeros(len(self.counts))], axis=1)

    def _standardised(self, column: NumberColumn) -> FloatArray:
        total = int((column.numbers.astype(object) * self.counts).sum())
        root = isqrt(column.spread << 2 * BITS)
        distinct, rank = np.unique(column.numbers, return_inverse=True)
        scaled = [((self.rows * number - total) << BITS) / root for number in distinct.tolist()]
        found: FloatArray = np.array(scaled)[rank] * sqrt(column.weight)
        return found

    def cells(self, groups: IntArray) -> dict[str, Coded]:
        """Return the released cells, by combination, if every point has the mean of its group."""
        return {column.name: self._cells(column, groups) for column in self.columns}

    def _cells(self, column: NumberColumn, groups: IntArray) -> Coded:
        distinct, rank = np.unique(self._means(column, groups), return_inverse=True)
        texts = [decimal(mean, column.places) for mean in distinct.tolist()]
        values = sorted(texts)
        place = {text: code for code, text in enumerate(values)}
        codes = np.array([place[text] for text in texts])
        return Coded(codes[rank][groups][self.of_combination], values)

    def _means(self, column: NumberColumn, groups: IntArray) -> IntArray:
        """Return the mean of each group, rounded to units; halves are rounded up."""
        order = np.argsort(groups, kind="stable")
        starts = np.searchsorted(groups[order], np.arange(groups.max() + 1))
        totals = np.add.reduceat((column.numbers * self.counts)[order], starts)
        sizes = np.add.reduceat(self.counts[order], starts)
        means: IntArray = (2 * totals + sizes) // (2 * sizes)
        return means

    def loss(self, groups: IntArray) -> Fraction:
        """Return the share of the variance that is lost: the mean over the columns, by their weights."""
        lost, weights = Fraction(0), Fraction(0)
        for column in self.columns:
            if column.spread:
                off = column.numbers - self._means(column, groups)[groups]
                off = wide(off, int(abs(off).max()) ** 2 * self.rows)
                lost += column.weight * Fraction(int((off**2 * self.counts).sum()) * self.rows, column.spread)
                weights += column.weight
        return lost / weights if weights else lost


def _units(table: RawTable, name: str) -> tuple[IntArray, int]:
    """Return the values of a column as Python integers, in units of the last decimal place; and how many places."""
    column = table.combinations.columns[name]
    numbers = [numeral(value) for value in column.values]
    if wrong := [code for code, number in enumerate(numbers) if number is None]:
        rows = sums(column.codes, table.counts, len(numbers)).tolist()
        holders = {column.values[code]: rows[code] for code in wrong}
        raise table.facts._tables.unknown("release", name, holders, "not numeric", HINT)  # noqa: SLF001
    ratios = [number.as_integer_ratio() for number in numbers if number is not None]
    finest, own = lcm(*{below for _, below in ratios}), 0
    while 10**own % finest:
        own += 1
    places = max(own + MORE_PLACES, LEAST_PLACES)
    return np.array([above * (10**places // below) for above, below in ratios], dtype=object), places


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
