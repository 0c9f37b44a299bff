"""What a release loses, as floats to look for the least and exactly to decide between two that are close.

Of most losses something is known before a vector is evaluated: what it loses if nobody is suppressed. If some rows must
be suppressed, they are at best those that lose least by it.

What a search aims at: the loss that it makes as small as possible, as a utility measure declares it.

Losses that are sums over cells, or follow from such sums: all are integers, and compared as fractions.

Losses as a utility measure computes them.

Losses that are sums over rows, where a row that is generalised further never loses less, and a suppressed one most.

If nobody is suppressed, a vector loses at least as much as every finer one. If some rows must be, each of them loses
the most, and would not have lost more than it does at the coarser vector that shows that it must go.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property, reduce
from math import prod
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from PETWorks.anonymization.lifted import LiftedFacts
from PETWorks.anonymization.table import RawTable
from PETWorks.exact.scores import FloatArray
from PETWorks.measure.losses import CellFactors, CellLosses, Utility, total
from PETWorks.measure.utility.granularity import Granularity
from PETWorks.tables.counting.tally import IntArray

if TYPE_CHECKING:
    from PETWorks.anonymization.candidate import Candidate, Floor
    from PETWorks.facts.facts import Facts

Allowed = Sequence[range]  # the levels of each column


class Objective(ABC):
    """The loss that a search makes as small as possible."""

    tells_above = False  # True: a vector tells something about coarser ones

    @abstractmethod
    def loss(self, candidate: Candidate) -> float:
        """Return the loss of a candidate, almost exactly."""

    @abstractmethod
    def value(self, loss: float) -> float:
        """Return what a loss is called outside of a search: a utility from 0 to 1, or the loss itself."""

    @abstractmethod
    def difference(self, one: Candidate, other: Candidate) -> int:
        """Return -1, 0 or 1 if a candidate loses less than another, equally much, or more; exactly."""

    def least(self, levels: Allowed) -> FloatArray:
        """Return lower bounds of the losses of all vectors on some levels, with an axis for each column."""
        return np.zeros([len(one) for one in levels])

    def least_below(self, floor: Floor, levels: Allowed, least: FloatArray) -> FloatArray:  # noqa: ARG002
        """Return lower bounds, as `least` did, if every vector on these levels suppresses as much as a floor says."""
        return least

    def least_above(self, facts: LiftedFacts) -> float:  # noqa: ARG002
        """Return a lower bound for all vectors that are at least as coarse as the one with these facts."""
        return 0.0


class ByColumn(Objective):
    """A loss that is a sum over columns."""

    @abstractmethod
    def least_of(self, column: int, levels: range, floor: Floor | None) -> FloatArray:
        """Return lower bounds of the loss of a column on some levels."""

    def least(self, levels: Allowed) -> FloatArray:
        """Add up the losses of the columns if nobody is suppressed."""
        return self._sums(levels, None)

    def least_below(self, floor: Floor, levels: Allowed, least: FloatArray) -> FloatArray:  # noqa: ARG002
        """Add up the losses of the columns, with these rows suppressed."""
        return self._sums(levels, floor)

    def _sums(self, levels: Allowed, floor: Floor | None) -> FloatArray:
        return reduce(np.add.outer, [self.least_of(column, some, floor) for column, some in enumerate(levels)])


def sign(number: Fraction) -> int:
    """Return -1, 0 or 1."""
    return (number > 0) - (number < 0)


class Cellwise(ByColumn):
    """A loss that is a sum over cells: weighted granularity, or another utility measure with `cell_losses`."""

    def __init__(self, table: RawTable, losses: Sequence[CellLosses], weights: Sequence[Fraction]) -> None:
        self._table = table
        self._losses = losses
        self._possible = sum(weight * one.suppressed / one.whole for one, weight in zip(losses, weights, strict=True))
        self._scale = [weight / (one.whole * table.rows) for one, weight in zip(losses, weights, strict=True)]
        self._unit = [float(scale) for scale in self._scale]
        self._base = [(one.by_level @ many).astype(float) for one, many in zip(losses, table.by_value, strict=True)]
        self._cheapest = [_cheapest(one, many) for one, many in zip(losses, table.by_value, strict=True)]

    def least_of(self, column: int, levels: range, floor: Floor | None) -> FloatArray:
        """Return the loss of the column; of the rows that are not known, those are suppressed that lose least by it."""
        within = slice(levels.start, levels.stop)
        losses, lost = self._losses[column], self._base[column][within].copy()
        if floor is not None:
            sure = floor.by_value[column]
            lost += losses.suppressed * sure.sum() - losses.by_level[within] @ sure
            if floor.more:
                lost += [np.interp(floor.more, *self._cheapest[column][level]) for level in levels]
        least: FloatArray = self._of(column, lost)
        return least

    def loss(self, candidate: Candidate) -> float:
        """Return the sum over the columns."""
        return sum(float(self._of(column, float(lost))) for column, lost in enumerate(self.lost(candidate)))

    def value(self, loss: float) -> float:
        """Return the utility: 1 minus the share of what could be lost."""
        return max(1 - loss / float(self._possible), 0.0) if self._possible else 1.0  # a float may be above the sum

    def _of(self, column: int, lost: Any) -> Any:  # noqa: ANN401 (an array or a number)
        return lost * self._unit[column]

    def lost(self, candidate: Candidate) -> list[int]:
        """Return, for each column, the sum of its cells' losses, an integer."""
        return [
            int(one.by_level[level] @ published) + one.suppressed * candidate.suppressed_rows
            for one, level, published in zip(self._losses, candidate.levels, candidate.published, strict=True)
        ]

    def difference(self, one: Candidate, other: Candidate) -> int:
        """Compare the sums."""
        return sign(self.exact(one) - self.exact(other))

    def exact(self, candidate: Candidate) -> Fraction:
        """Return the loss as a fraction."""
        return sum((lost * scale for lost, scale in zip(self.lost(candidate), self._scale, strict=True)), Fraction(0))


def _cheapest(losses: CellLosses, counts: IntArray) -> list[tuple[FloatArray, FloatArray]]:
    """Return, for each level, numbers of rows and the least further loss if so many are suppressed."""
    found = []
    for by_value in losses.by_level:
        order = np.argsort(-by_value, kind="stable")
        rows = np.cumsum(counts[order])
        lost = np.cumsum(counts[order] * (losses.suppressed - by_value[order]))
        found.append((np.append(0.0, rows), np.append(0.0, lost)))
    return found


class GeometricLoss(Cellwise):
    """The loss Π (1 + w·x)^(1/columns) - 1, with x what each column lost of what it can lose; by its logarithm."""

    def __init__(self, table: RawTable, losses: Sequence[CellLosses], weights: Sequence[Fraction]) -> None:
        possible = [Fraction(one.suppressed, one.whole) for one in losses]
        shares = [weight / most if most else Fraction(0) for weight, most in zip(weights, possible, strict=True)]
        super().__init__(table, losses, shares)

    def _of(self, column: int, lost: Any) -> Any:  # noqa: ANN401
        return np.log1p(super()._of(column, lost)) / len(self._scale)

    def exact(self, candidate: Candidate) -> Fraction:
        """Return the product, which is larger for a larger loss."""
        return Fraction(prod(1 + lost * scale for lost, scale in zip(self.lost(candidate), self._scale, strict=True)))

    def value(self, loss: float) -> float:
        """Return the loss itself; inside of a search it is a logarithm."""
        return float(np.expm1(loss))


class Measured(Objective):
    """The share of what could be lost. Nothing is known of a vector before it is evaluated."""

    def __init__(self, table: RawTable, measure: Utility) -> None:
        self._table, self._measure = table, measure

    def loss(self, candidate: Candidate) -> float:
        """Return the share that is lost."""
        lost, possible = self._amounts(candidate.released)
        return float(lost) / float(possible) if possible else 0.0

    def value(self, loss: float) -> float:
        """Return the utility."""
        return 1 - loss

    def difference(self, one: Candidate, other: Candidate) -> int:
        """Compare what the measure says, exactly."""
        (lost, possible), (less, most) = self._amounts(one.released), self._amounts(other.released)
        if isinstance(lost, Fraction) and isinstance(less, Fraction):
            return sign(lost * most - less * possible)
        return int((lost - less).sign())

    def _amounts(self, facts: Facts) -> tuple[Any, Any]:
        """Return the amount lost and the amount that could be lost."""
        whole = total(list(self._measure.losses(facts)))
        if isinstance(whole.lost, Fraction) and isinstance(whole.possible, Fraction):
            return min(max(whole.lost, Fraction(0)), whole.possible), whole.possible  # as scores are cut to 0 and 1
        return whole.lost, whole.possible


class MeasuredColumns(ByColumn, Measured):
    """The sum over columns of what each loses."""

    def least_of(self, column: int, levels: range, floor: Floor | None) -> FloatArray:
        """Return the loss of the column with the rows suppressed that must be."""
        counts, ladder = self._table.by_value[column], self._table.ladders[column]
        gone = 0 * counts if floor is None else floor.by_value[column]
        return np.array([self._measure.column_loss(ladder, level, counts - gone, gone) or 0.0 for level in levels])

    def loss(self, candidate: Candidate) -> float:
        """Return the sum over the columns."""
        columns = zip(self._table.ladders, candidate.levels, candidate.published, candidate.suppressed, strict=True)
        return sum(self._measure.column_loss(*column) or 0.0 for column in columns)

    def value(self, loss: float) -> float:
        """Return the utility: 1 minus the share of what could be lost."""
        return max(1 - loss / self._possible, 0.0) if self._possible else 1.0  # a float may be above the sum

    @cached_property
    def _possible(self) -> float:
        columns = zip(self._table.ladders, self._table.by_value, strict=True)
        return sum(self._measure.column_loss(ladder, 0, 0 * many, many) or 0.0 for ladder, many in columns)


AT_ONCE = 2**10  # combinations whose products are worked out together


class Rowwise(Measured):
    """The mean loss of a row."""

    most: float  # what a suppressed row loses

    @abstractmethod
    def _rows(self, candidate: Candidate) -> FloatArray:
        """Return what a row of each combination loses if it is not suppressed."""

    @abstractmethod
    def _rows_below(self, floor: Floor) -> FloatArray:
        """Return what no row of each combination exceeds, on finer vectors, if it is not suppressed."""

    def loss(self, candidate: Candidate) -> float:
        """Return the mean."""
        return self._mean(np.where(candidate.gone, self.most, self._rows(candidate)))

    def least_below(self, floor: Floor, levels: Allowed, least: FloatArray) -> FloatArray:  # noqa: ARG002
        """Add what the rows lose that must be suppressed; of those that are not known, those that lose least by it."""
        further = self.most - self._rows_below(floor)
        sure = self._mean(np.where(floor.gone, further, 0.0))
        more = floor.more * further.min(where=~floor.gone, initial=self.most) / self._table.rows if floor.more else 0.0
        return least + (sure + more)

    def value(self, loss: float) -> float:
        """Return the utility: 1 minus the share of what could be lost."""
        least, possible = self._scale
        return 1 - min(max((loss * self._table.rows - least) / possible, 0.0), 1.0) if possible else 1.0

    @cached_property
    def _scale(self) -> tuple[float, float]:
        """What all rows lose that counts as no loss, and how much more could be lost."""
        _, possible = self._amounts(self._table.facts)
        return self.most * self._table.rows - float(possible), float(possible)

    def _mean(self, lost: FloatArray) -> float:
        return float((lost * self._table.counts).sum()) / self._table.rows


class CellProducts(Rowwise):
    """A row loses the product of factors, one for each of its cells: without suppression, every vector's is known."""

    def __init__(self, table: RawTable, measure: Utility, factors: Sequence[CellFactors]) -> None:
        super().__init__(table, measure)
        self._factors = [one.by_level.astype(float) for one in factors]
        self._highest = [np.maximum.accumulate(one, axis=0) for one in self._factors]
        self.most = float(prod(one.suppressed for one in factors))

    def _rows(self, candidate: Candidate) -> FloatArray:
        return self._of_combinations(self._factors, candidate.levels)

    def _rows_below(self, floor: Floor) -> FloatArray:
        return self._of_combinations(self._highest, floor.levels)

    def _of_combinations(self, factors: Sequence[FloatArray], levels: Sequence[int]) -> FloatArray:
        columns = zip(factors, levels, self._table.codes, strict=True)
        products = np.ones(len(self._table.counts))
        for by_level, level, codes in columns:
            products *= by_level[level][codes]
        return products

    def least(self, levels: Allowed) -> FloatArray:
        """Multiply the products of the first half of the columns with those of the others, for all vectors at once."""
        middle, counts = len(levels) // 2, self._table.counts
        factors = [by_level[own.start : own.stop] for by_level, own in zip(self._factors, levels, strict=True)]
        lost: FloatArray | float = 0.0
        for start in range(0, len(counts), AT_ONCE):
            some = slice(start, start + AT_ONCE)
            cells = [one[:, codes[some]] for one, codes in zip(factors, self._table.codes, strict=True)]
            left, right = _products(cells[:middle], counts[some]), _products(cells[middle:], np.ones(len(counts[some])))
            lost = lost + left @ right.T
        return np.reshape(lost, [len(own) for own in levels]) / self._table.rows


def _products(factors: Sequence[FloatArray], weights: FloatArray) -> FloatArray:
    """Return the products of one row of each array, and of the weights; with a row for each choice."""
    products = weights[np.newaxis, :].astype(float)
    for one in factors:
        products = (products[:, np.newaxis, :] * one[np.newaxis, :, :]).reshape(-1, len(weights))
    return products


class ClassSizes(Rowwise):
    """A row loses what follows from the size of its class."""

    tells_above = True

    def __init__(self, table: RawTable, measure: Utility) -> None:
        super().__init__(table, measure)
        self.most = float(self._by_size(np.array([table.rows]))[0])

    def _by_size(self, sizes: IntArray) -> FloatArray:
        lost = self._measure.row_losses(sizes)
        assert lost is not None  # noqa: S101 (of measures that declare it)
        return lost.astype(float)

    def _rows(self, candidate: Candidate) -> FloatArray:
        return self._of_combinations(candidate.facts, self.most)

    def _rows_below(self, floor: Floor) -> FloatArray:
        return self._of_combinations(floor.facts, self.most)

    def _of_combinations(self, facts: LiftedFacts, without: float) -> FloatArray:
        """Return what a row of each combination loses, and `without` for those that have no class."""
        return np.append(self._by_size(facts.lifted.sizes), without)[facts.lifted.of_combination]

    def least_above(self, facts: LiftedFacts) -> float:
        """Return the mean without suppression: classes of coarser vectors are not smaller."""
        return self._mean(self._of_combinations(facts, 0.0))


T = TypeVar("T")


def objective_of(table: RawTable, utility: Utility | None, weights: Mapping[str, Fraction]) -> Objective:
    """Return the loss to be made small: that of a utility measure, or, for None, the geometric one of all columns."""
    measure, ladders = utility or Granularity(), table.ladders
    if losses := _of_all(map(measure.cell_losses, ladders)):
        kind = GeometricLoss if utility is None else Cellwise
        return kind(table, losses, [weights.get(ladder.name, Fraction(1)) for ladder in ladders])
    if factors := _of_all(map(measure.cell_factors, ladders)):
        return CellProducts(table, measure, factors)
    if measure.row_losses(table.counts) is not None:
        return ClassSizes(table, measure)
    columns = zip(ladders, table.by_value, strict=True)
    if _of_all(measure.column_loss(ladder, 0, many, 0 * many) for ladder, many in columns):
        return MeasuredColumns(table, measure)
    return Measured(table, measure)


def _of_all(found: Iterable[T | None]) -> list[T]:
    """Return what was found for every column; nothing if it was not for some."""
    every = list(found)
    known = [one for one in every if one is not None]
    return known if len(known) == len(every) else []
