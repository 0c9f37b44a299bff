"""The loss that a search minimises: floats order candidates, exact fractions break ties.

Most losses are bounded before a vector is evaluated: by its loss without suppression, and by the least that the rows
which must be suppressed can add. There are three kinds:

- sums over cells, or functions of such sums: integers, compared as fractions;
- sums over rows, where a row never loses less when it is generalised further, and loses most when it is suppressed;
- any other utility measure, computed by the measure itself.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property, reduce
from math import prod
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from PETWorks.anonymization.release_facts import RecodedFacts
from PETWorks.anonymization.table import RawTable
from PETWorks.exact.scores import FloatArray
from PETWorks.measure.losses import CellFactors, CellLosses, Utility, sum_losses
from PETWorks.measure.utility.granularity import Granularity
from PETWorks.tables.counting.tally import IntArray

if TYPE_CHECKING:
    from PETWorks.anonymization.candidate import LatticeNode, SuppressionFloor
    from PETWorks.facts.facts import Facts

AllowedLevels = Sequence[range]  # the levels of each column


class Objective(ABC):
    """The loss that a search minimises."""

    bounds_coarser = False  # True: a vector bounds the loss of coarser ones

    @abstractmethod
    def loss(self, candidate: LatticeNode) -> float:
        """Return the loss of a node, almost exactly."""

    @abstractmethod
    def score(self, loss: float) -> float:
        """Return the reported score of a loss: a utility from 0 to 1, or the loss itself."""

    @abstractmethod
    def compare(self, one: LatticeNode, other: LatticeNode) -> int:
        """Return -1, 0 or 1 if a node loses less than another, equally much, or more; exactly."""

    def bound_losses(self, levels: AllowedLevels) -> FloatArray:
        """Return lower bounds of the losses of all vectors on some levels, with an axis for each column."""
        return np.zeros([len(one) for one in levels])

    def bound_with_floor(self, floor: SuppressionFloor, levels: AllowedLevels, least: FloatArray) -> FloatArray:  # noqa: ARG002
        """Return lower bounds, from those of `bound_losses`, if every vector suppresses the rows of a floor."""
        return least

    def bound_coarser(self, facts: RecodedFacts) -> float:  # noqa: ARG002
        """Return a lower bound for all vectors at least as coarse as the one with these facts."""
        return 0.0


class ColumnSumObjective(Objective):
    """A loss that is a sum over columns."""

    @abstractmethod
    def bound_column(self, column: int, levels: range, floor: SuppressionFloor | None) -> FloatArray:
        """Return lower bounds of the loss of a column on some levels."""

    def bound_losses(self, levels: AllowedLevels) -> FloatArray:
        """Add up the losses of the columns without suppression."""
        return self._add_columns(levels, None)

    def bound_with_floor(self, floor: SuppressionFloor, levels: AllowedLevels, least: FloatArray) -> FloatArray:  # noqa: ARG002
        """Add up the losses of the columns, with the rows of the floor suppressed."""
        return self._add_columns(levels, floor)

    def _add_columns(self, levels: AllowedLevels, floor: SuppressionFloor | None) -> FloatArray:
        return reduce(np.add.outer, [self.bound_column(column, some, floor) for column, some in enumerate(levels)])


def find_sign(number: Fraction) -> int:
    """Return -1, 0 or 1."""
    return (number > 0) - (number < 0)


class CellSumObjective(ColumnSumObjective):
    """A loss that is a sum over cells: weighted granularity, or another utility measure with `cell_losses`."""

    def __init__(self, table: RawTable, losses: Sequence[CellLosses], weights: Sequence[Fraction]) -> None:
        self._table = table
        self._losses = losses
        self._possible = sum(weight * one.suppressed / one.whole for one, weight in zip(losses, weights, strict=True))
        self._scale = [weight / (one.whole * table.rows) for one, weight in zip(losses, weights, strict=True)]
        self._unit = [float(scale) for scale in self._scale]
        self._base = [(one.by_level @ many).astype(float) for one, many in zip(losses, table.by_value, strict=True)]
        self._cheapest = [_accumulate_cheapest(one, many) for one, many in zip(losses, table.by_value, strict=True)]

    def bound_column(self, column: int, levels: range, floor: SuppressionFloor | None) -> FloatArray:
        """Return bounds of the loss of a column; the further rows of the floor are those that add least."""
        within = slice(levels.start, levels.stop)
        losses, lost = self._losses[column], self._base[column][within].copy()
        if floor is not None:
            sure = floor.by_value[column]
            lost += losses.suppressed * sure.sum() - losses.by_level[within] @ sure
            if floor.more:
                lost += [np.interp(floor.more, *self._cheapest[column][level]) for level in levels]
        least: FloatArray = self._scale_lost(column, lost)
        return least

    def loss(self, candidate: LatticeNode) -> float:
        """Return the sum over the columns."""
        return sum(
            float(self._scale_lost(column, float(lost))) for column, lost in enumerate(self.count_lost(candidate))
        )

    def score(self, loss: float) -> float:
        """Return the utility: 1 minus the lost share of the largest possible loss."""
        return max(1 - loss / float(self._possible), 0.0) if self._possible else 1.0  # rounding may exceed the sum

    def _scale_lost(self, column: int, lost: Any) -> Any:  # noqa: ANN401 (an array or a number)
        return lost * self._unit[column]

    def count_lost(self, candidate: LatticeNode) -> list[int]:
        """Return, for each column, the sum of the losses of its cells, an integer."""
        return [
            int(one.by_level[level] @ published) + one.suppressed * candidate.suppressed_rows
            for one, level, published in zip(self._losses, candidate.levels, candidate.published, strict=True)
        ]

    def compare(self, one: LatticeNode, other: LatticeNode) -> int:
        """Compare the exact losses."""
        return find_sign(self.compute_exact_loss(one) - self.compute_exact_loss(other))

    def compute_exact_loss(self, candidate: LatticeNode) -> Fraction:
        """Return the loss as a fraction."""
        return sum(
            (lost * scale for lost, scale in zip(self.count_lost(candidate), self._scale, strict=True)), Fraction(0)
        )


def _accumulate_cheapest(losses: CellLosses, counts: IntArray) -> list[tuple[FloatArray, FloatArray]]:
    """Return, for each level, numbers of rows and the least further loss of suppressing as many."""
    found = []
    for by_value in losses.by_level:
        order = np.argsort(-by_value, kind="stable")
        rows = np.cumsum(counts[order])
        lost = np.cumsum(counts[order] * (losses.suppressed - by_value[order]))
        found.append((np.append(0.0, rows), np.append(0.0, lost)))
    return found


class GeometricObjective(CellSumObjective):
    """The loss Π (1 + w·x)^(1/columns) - 1, with x the lost share of a column; searched by its logarithm."""

    def __init__(self, table: RawTable, losses: Sequence[CellLosses], weights: Sequence[Fraction]) -> None:
        possible = [Fraction(one.suppressed, one.whole) for one in losses]
        shares = [weight / most if most else Fraction(0) for weight, most in zip(weights, possible, strict=True)]
        super().__init__(table, losses, shares)

    def _scale_lost(self, column: int, lost: Any) -> Any:  # noqa: ANN401
        return np.log1p(super()._scale_lost(column, lost)) / len(self._scale)

    def compute_exact_loss(self, candidate: LatticeNode) -> Fraction:
        """Return the product, which increases with the loss."""
        return Fraction(
            prod(1 + lost * scale for lost, scale in zip(self.count_lost(candidate), self._scale, strict=True))
        )

    def score(self, loss: float) -> float:
        """Return the loss; a search uses its logarithm."""
        return float(np.expm1(loss))


class MeasuredObjective(Objective):
    """The lost share as a utility measure computes it; no vector is bounded before it is evaluated."""

    def __init__(self, table: RawTable, measure: Utility) -> None:
        self._table, self._measure = table, measure

    def loss(self, candidate: LatticeNode) -> float:
        """Return the lost share."""
        lost, possible = self._measure_amounts(candidate.released)
        return float(lost) / float(possible) if possible else 0.0

    def score(self, loss: float) -> float:
        """Return the utility."""
        return 1 - loss

    def compare(self, one: LatticeNode, other: LatticeNode) -> int:
        """Compare the exact shares of the measure."""
        (lost, possible), (less, most) = self._measure_amounts(one.released), self._measure_amounts(other.released)
        if isinstance(lost, Fraction) and isinstance(less, Fraction):
            return find_sign(lost * most - less * possible)
        return int((lost - less).sign())

    def _measure_amounts(self, facts: Facts) -> tuple[Any, Any]:
        """Return the lost amount and the largest possible amount."""
        whole = sum_losses(list(self._measure.losses(facts)))
        if isinstance(whole.lost, Fraction) and isinstance(whole.possible, Fraction):
            return min(max(whole.lost, Fraction(0)), whole.possible), whole.possible  # as scores are cut to 0 and 1
        return whole.lost, whole.possible


class MeasuredColumnObjective(ColumnSumObjective, MeasuredObjective):
    """The sum of the losses of the columns, each computed by the measure."""

    def bound_column(self, column: int, levels: range, floor: SuppressionFloor | None) -> FloatArray:
        """Return the loss of a column with the rows of the floor suppressed."""
        counts, ladder = self._table.by_value[column], self._table.ladders[column]
        gone = 0 * counts if floor is None else floor.by_value[column]
        return np.array([self._measure.column_loss(ladder, level, counts - gone, gone) or 0.0 for level in levels])

    def loss(self, candidate: LatticeNode) -> float:
        """Return the sum over the columns."""
        columns = zip(self._table.ladders, candidate.levels, candidate.published, candidate.suppressed, strict=True)
        return sum(self._measure.column_loss(*column) or 0.0 for column in columns)

    def score(self, loss: float) -> float:
        """Return the utility: 1 minus the lost share of the largest possible loss."""
        return max(1 - loss / self._possible, 0.0) if self._possible else 1.0  # rounding may exceed the sum

    @cached_property
    def _possible(self) -> float:
        columns = zip(self._table.ladders, self._table.by_value, strict=True)
        return sum(self._measure.column_loss(ladder, 0, 0 * many, many) or 0.0 for ladder, many in columns)


COMBINATION_CHUNK = 2**10  # combinations whose products are computed together


class RowSumObjective(MeasuredObjective):
    """The mean loss of a row."""

    most: float  # the loss of a suppressed row

    @abstractmethod
    def _compute_row_losses(self, candidate: LatticeNode) -> FloatArray:
        """Return the loss of an unsuppressed row of each combination."""

    @abstractmethod
    def _bound_row_losses(self, floor: SuppressionFloor) -> FloatArray:
        """Return an upper bound on the loss of an unsuppressed row of each combination at finer vectors."""

    def loss(self, candidate: LatticeNode) -> float:
        """Return the mean."""
        return self._average(np.where(candidate.gone, self.most, self._compute_row_losses(candidate)))

    def bound_with_floor(self, floor: SuppressionFloor, levels: AllowedLevels, least: FloatArray) -> FloatArray:  # noqa: ARG002
        """Add the loss of the rows of the floor; its further rows are those whose suppression adds least."""
        further = self.most - self._bound_row_losses(floor)
        sure = self._average(np.where(floor.gone, further, 0.0))
        more = floor.more * further.min(where=~floor.gone, initial=self.most) / self._table.rows if floor.more else 0.0
        return least + (sure + more)

    def score(self, loss: float) -> float:
        """Return the utility: 1 minus the lost share of the largest possible loss."""
        least, possible = self._scale
        return 1 - min(max((loss * self._table.rows - least) / possible, 0.0), 1.0) if possible else 1.0

    @cached_property
    def _scale(self) -> tuple[float, float]:
        """The loss of all rows at full utility, and the largest loss that can be added to it."""
        _, possible = self._measure_amounts(self._table.facts)
        return self.most * self._table.rows - float(possible), float(possible)

    def _average(self, lost: FloatArray) -> float:
        return float((lost * self._table.counts).sum()) / self._table.rows


class CellProductObjective(RowSumObjective):
    """The loss of a row is a product of factors, one for each cell; known for every vector without suppression."""

    def __init__(self, table: RawTable, measure: Utility, factors: Sequence[CellFactors]) -> None:
        super().__init__(table, measure)
        self._factors = [one.by_level.astype(float) for one in factors]
        self._highest = [np.maximum.accumulate(one, axis=0) for one in self._factors]
        self.most = float(prod(one.suppressed for one in factors))

    def _compute_row_losses(self, candidate: LatticeNode) -> FloatArray:
        return self._multiply_factors(self._factors, candidate.levels)

    def _bound_row_losses(self, floor: SuppressionFloor) -> FloatArray:
        return self._multiply_factors(self._highest, floor.levels)

    def _multiply_factors(self, factors: Sequence[FloatArray], levels: Sequence[int]) -> FloatArray:
        columns = zip(factors, levels, self._table.codes, strict=True)
        products = np.ones(len(self._table.counts))
        for by_level, level, codes in columns:
            products *= by_level[level][codes]
        return products

    def bound_losses(self, levels: AllowedLevels) -> FloatArray:
        """Multiply the products of the first half of the columns with those of the others, for all vectors at once."""
        middle, counts = len(levels) // 2, self._table.counts
        factors = [by_level[own.start : own.stop] for by_level, own in zip(self._factors, levels, strict=True)]
        lost: FloatArray | float = 0.0
        for start in range(0, len(counts), COMBINATION_CHUNK):
            some = slice(start, start + COMBINATION_CHUNK)
            cells = [one[:, codes[some]] for one, codes in zip(factors, self._table.codes, strict=True)]
            left, right = _multiply(cells[:middle], counts[some]), _multiply(cells[middle:], np.ones(len(counts[some])))
            lost = lost + left @ right.T
        return np.reshape(lost, [len(own) for own in levels]) / self._table.rows


def _multiply(factors: Sequence[FloatArray], weights: FloatArray) -> FloatArray:
    """Return the products of the weights and one row of each array, for every choice of rows."""
    products = weights[np.newaxis, :].astype(float)
    for one in factors:
        products = (products[:, np.newaxis, :] * one[np.newaxis, :, :]).reshape(-1, len(weights))
    return products


class SizeObjective(RowSumObjective):
    """The loss of a row follows from the size of its class."""

    def __init__(self, table: RawTable, measure: Utility) -> None:
        super().__init__(table, measure)
        self.most = float(self._compute_size_losses(np.array([table.rows]))[0])

    def _compute_size_losses(self, sizes: IntArray) -> FloatArray:
        lost = self._measure.row_losses(sizes)
        assert lost is not None  # noqa: S101 (of measures that declare it)
        return lost.astype(float)

    def _compute_row_losses(self, candidate: LatticeNode) -> FloatArray:
        return self._look_up_losses(candidate.facts, self.most)

    def _bound_row_losses(self, floor: SuppressionFloor) -> FloatArray:
        return self._look_up_losses(floor.facts, self.most)

    def _look_up_losses(self, facts: RecodedFacts, without: float) -> FloatArray:
        """Return the loss of a row of each combination, or `without` if the combination has no class."""
        return np.append(self._compute_size_losses(facts.combination_labels.sizes), without)[
            facts.combination_labels.of_combination
        ]

    def bound_coarser(self, facts: RecodedFacts) -> float:
        """Return the mean without suppression: classes of coarser vectors are not smaller."""
        return self._average(self._look_up_losses(facts, 0.0))


T = TypeVar("T")


def build_objective(table: RawTable, utility: Utility | None, weights: Mapping[str, Fraction]) -> Objective:
    """Build the objective of a utility measure; for None, the geometric loss over all columns."""
    measure, ladders = utility or Granularity(), table.ladders
    if losses := _collect_all(map(measure.cell_losses, ladders)):
        kind = GeometricObjective if utility is None else CellSumObjective
        return kind(table, losses, [weights.get(ladder.name, Fraction(1)) for ladder in ladders])
    if factors := _collect_all(map(measure.cell_factors, ladders)):
        return CellProductObjective(table, measure, factors)
    if measure.row_losses(table.counts) is not None:
        return SizeObjective(table, measure)
    columns = zip(ladders, table.by_value, strict=True)
    if _collect_all(measure.column_loss(ladder, 0, many, 0 * many) for ladder, many in columns):
        return MeasuredColumnObjective(table, measure)
    return MeasuredObjective(table, measure)


def _collect_all(found: Iterable[T | None]) -> list[T]:
    """Return the items as a list; an empty one if any of them is None."""
    every = list(found)
    known = [one for one in every if one is not None]
    return known if len(known) == len(every) else []
