"""Group the points of numeric quasi-identifiers until all goals hold, and release the means of the groups.

Sums are exact: every column is counted in units of the last decimal place with which its means are written.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import isqrt, lcm, prod, sqrt

import numpy as np

from PETWorks.anonymization.microaggregation.groups import (
    group_by_halving,
    group_by_mdav,
    group_by_ranges,
    merge_failing,
)
from PETWorks.anonymization.plan import SearchSettings
from PETWorks.anonymization.recodings.microaggregate import refuse_population
from PETWorks.anonymization.release_facts import RecodedFacts
from PETWorks.anonymization.search import Listener, SearchResult
from PETWorks.anonymization.table import RawTable
from PETWorks.errors import GoalError, Quantity, list_quoted
from PETWorks.exact.limit import format_decimal, parse_number
from PETWorks.exact.scores import FloatArray
from PETWorks.facts.tallies import find_tables
from PETWorks.measure.base import Measure
from PETWorks.measure.bounds import Privacy
from PETWorks.settings.sections import Grouping
from PETWorks.tables.counting.tally import Coded, IntArray, Mask, pack, rank_keys, sum_by_group, widen

MORE_PLACES, LEAST_PLACES = 2, 4  # decimal places of a mean: how many more than its column has, and the fewest
ROOT_BITS = 64  # binary places of roots
NUMERIC_HINT = 'correct or remove these rows, or generalise: recoding="global" or recoding="local"'


@dataclass(frozen=True, eq=False)
class NumberColumn:
    """A column of numbers."""

    name: str
    numbers: IntArray  # by point, in units of the last decimal place
    places: int  # the number of decimal places
    spread: int  # (rows)² times the variance, in units
    weight: Fraction


@dataclass(frozen=True, eq=False)
class Points:
    """The distinct points of a table in their numeric order. Equal numbers may be written differently: 1.5 and 1.50."""

    columns: tuple[NumberColumn, ...]
    of_combination: IntArray
    counts: IntArray  # by point, its rows

    @classmethod
    def of(cls, table: RawTable, weights: Mapping[str, Fraction]) -> Points:
        """Read the quasi-identifiers of a table; raise an error for a cell that is not a number."""
        units = {name: _read_units(table, name) for name in table.facts.roles.quasi_identifiers}
        kinds = [np.unique(numbers, return_inverse=True) for numbers, _ in units.values()]
        ranks = [rank[codes] for (_, rank), codes in zip(kinds, table.codes, strict=True)]
        sizes = [len(distinct) for distinct, _ in kinds]
        first, of_combination = rank_keys(pack(ranks, sizes)[0], prod(sizes))
        counts = sum_by_group(of_combination, table.counts, len(first))
        columns = []
        for (name, (_, places)), (distinct, _), rank in zip(units.items(), kinds, ranks, strict=True):
            rows = sum_by_group(rank, table.counts, len(distinct)).astype(object)
            spread = int((distinct**2 * rows).sum()) * table.rows - int((distinct * rows).sum()) ** 2
            largest = 2 * (max(map(abs, distinct[[0, -1]].tolist())) + 1) * table.rows
            small = distinct if largest >= 2**63 else distinct.astype(np.int64)
            columns.append(NumberColumn(name, small[rank[first]], places, spread, weights.get(name, Fraction(1))))
        return cls(tuple(columns), of_combination, counts)

    @cached_property
    def rows(self) -> int:
        """The number of rows."""
        return int(self.counts.sum())

    @cached_property
    def coordinates(self) -> FloatArray:
        """The points, centred, in units of the standard deviation of each column times the root of its weight.

        The loss is the sum of the squared distances of points from the mean of their group. Columns that do not vary
        or have no weight are left out.
        """
        varying = [self._standardise(column) for column in self.columns if column.spread and column.weight]
        return np.stack(varying or [np.zeros(len(self.counts))], axis=1)

    @property
    def line(self) -> IntArray:
        """The numbers of the column that varies and counts, the first if there are several; zeros if there is none."""
        varying = (column.numbers for column in self.columns if column.spread and column.weight)
        return next(varying, np.zeros(len(self.counts), dtype=np.int64))

    def _standardise(self, column: NumberColumn) -> FloatArray:
        total = int((column.numbers.astype(object) * self.counts).sum())
        root = isqrt(column.spread << 2 * ROOT_BITS)
        distinct, rank = np.unique(column.numbers, return_inverse=True)
        scaled = [((self.rows * number - total) << ROOT_BITS) / root for number in distinct.tolist()]
        found: FloatArray = np.array(scaled)[rank] * sqrt(column.weight)
        return found

    def build_cells(self, groups: IntArray) -> dict[str, Coded]:
        """Build the released cells by combination: every point has the mean of its group."""
        return {column.name: self._build_column_cells(column, groups) for column in self.columns}

    def _build_column_cells(self, column: NumberColumn, groups: IntArray) -> Coded:
        distinct, rank = np.unique(self._compute_means(column, groups), return_inverse=True)
        texts = [format_decimal(mean, column.places) for mean in distinct.tolist()]
        values = sorted(texts)
        place = {text: code for code, text in enumerate(values)}
        codes = np.array([place[text] for text in texts])
        return Coded(codes[rank][groups][self.of_combination], values)

    def _compute_means(self, column: NumberColumn, groups: IntArray) -> IntArray:
        """Return the mean of each group, rounded to units; halves are rounded up."""
        order = np.argsort(groups, kind="stable")
        starts = np.searchsorted(groups[order], np.arange(groups.max() + 1))
        totals = np.add.reduceat((column.numbers * self.counts)[order], starts)
        sizes = np.add.reduceat(self.counts[order], starts)
        means: IntArray = (2 * totals + sizes) // (2 * sizes)
        return means

    def compute_loss(self, groups: IntArray) -> Fraction:
        """Return the lost share of the variance: the weighted mean over the columns.

        Rounded means can be farther from the numbers than the mean of all: no column loses more than all of it.
        """
        lost, weights = Fraction(0), Fraction(0)
        for column in self.columns:
            if column.spread:
                off = column.numbers - self._compute_means(column, groups)[groups]
                off = widen(off, int(abs(off).max()) ** 2 * self.rows)
                share = Fraction(int((off**2 * self.counts).sum()) * self.rows, column.spread)
                lost += column.weight * min(share, Fraction(1))
                weights += column.weight
        return lost / weights if weights else lost


def _read_units(table: RawTable, name: str) -> tuple[IntArray, int]:
    """Return the values of a column as integers in units of the last decimal place, and the number of places."""
    column = table.combinations.columns[name]
    numbers = [parse_number(value) for value in column.values]
    if wrong := [code for code, number in enumerate(numbers) if number is None]:
        rows = sum_by_group(column.codes, table.counts, len(numbers)).tolist()
        holders = {column.values[code]: rows[code] for code in wrong}
        raise find_tables(table.facts).build_unknown_error("release", name, holders, "not numeric", NUMERIC_HINT)
    ratios = [number.as_integer_ratio() for number in numbers if number is not None]
    finest, own = lcm(*{below for _, below in ratios}), 0
    while 10**own % finest:
        own += 1
    places = max(own + MORE_PLACES, LEAST_PLACES)
    return np.array([above * (10**places // below) for above, below in ratios], dtype=object), places


@dataclass(frozen=True, eq=False)
class MicroaggregationResult:
    """A release whose cells are the means of groups."""

    facts: RecodedFacts  # of the release
    groups: IntArray  # by combination
    loss: Fraction  # the lost share of the variance: the weighted mean over the columns
    proven: bool  # True: only one column varies, and no other ranges of it lose less


def search_groups(table: RawTable, plan: SearchSettings, listener: Listener | None = None) -> SearchResult:  # noqa: ARG001
    """Anonymise a table by microaggregation. If no goal sets a class size, groups are as small as the goals allow."""
    plan.require_known(table.facts.roles.quasi_identifiers)
    found = microaggregate(table, plan.goals, k=plan.class_size or 1, grouping=plan.grouping, weights=plan.weights)
    return SearchResult(found.facts, {}, found.proven, bound=None, lost_variance=found.loss)


def microaggregate(
    table: RawTable,
    goals: Sequence[Measure],
    *,
    k: int,
    grouping: Grouping = "halving",
    weights: Mapping[str, Fraction] | None = None,
) -> MicroaggregationResult:
    """Find groups of at least k rows that meet all goals and lose little; the same table gives the same groups.

    Raise a GoalError if even one group of all rows does not meet the goals.
    """
    points = Points.of(table, weights or {})
    judge = _GroupJudge(table, points, goals, k)
    judge.require_possible()
    coordinates, counts = points.coordinates, points.counts
    proven = coordinates.shape[1] == 1
    if proven:
        groups, proven = group_by_ranges(points.line, counts, k)
    elif grouping == "mdav":
        groups = group_by_mdav(coordinates, counts, k)
    else:
        groups = group_by_halving(coordinates, counts, k)
    while (failing := judge.find_failing_groups(cells := points.build_cells(groups), groups)).any():
        groups, proven = merge_failing(coordinates, counts, groups, failing), False
    return MicroaggregationResult(
        table.build_facts_from_cells(cells),
        groups[points.of_combination],
        points.compute_loss(groups),
        proven,
    )


@dataclass(frozen=True, eq=False)
class _GroupJudge:
    """Judges groups by the goals."""

    table: RawTable
    points: Points
    goals: Sequence[Measure]
    k: int

    @property
    def _by_class(self) -> list[Privacy]:
        return [goal for goal in self.goals if isinstance(goal, Privacy)]

    def require_possible(self) -> None:
        """Raise an error if one group of all rows does not meet the goals, or if a goal needs a population."""
        refuse_population(self.goals)
        if self.points.rows < self.k:
            problem = "{rows}, but every group needs {k:,}"
            figures = {"rows": Quantity(self.points.rows, "row"), "k": self.k}
            raise GoalError(problem, where=self.table.facts.name, hint="ask for smaller classes", figures=figures)
        everybody = self.table.build_facts_from_cells(
            self.points.build_cells(np.zeros(len(self.points.counts), dtype=np.int64))
        )
        if wrong := [goal for goal in self._by_class if goal.evaluate(everybody).holds is False]:
            raise self._build_error(wrong, "even if everybody is in one group")

    def find_failing_groups(self, cells: Mapping[str, Coded], groups: IntArray) -> Mask:
        """Return a mask of the groups to merge; none if a release with these cells meets the goals."""
        facts = self.table.build_facts_from_cells(cells)
        of_group = np.empty(int(groups.max()) + 1, dtype=np.int64)
        of_group[groups[self.points.of_combination]] = facts.combination_labels.of_combination
        sizes = sum_by_group(groups, self.points.counts, len(of_group))
        failing: Mask = sizes < self.k
        for goal in self._by_class:
            failing |= goal.find_failing(facts)[of_group]
        if failing.any() or not (wrong := [goal for goal in self.goals if goal.evaluate(facts).holds is False]):
            return failing
        if len(sizes) == 1:
            raise self._build_error(wrong, "by any groups that were tried")
        return np.asarray(sizes == sizes.min())

    def _build_error(self, goals: Sequence[Measure], when: str) -> GoalError:
        problem = "{goals} cannot be met {when}"
        figures = {"goals": list_quoted(goal.name for goal in goals), "when": when}
        return GoalError(problem, where=self.table.facts.name, hint="set other limits", figures=figures)
