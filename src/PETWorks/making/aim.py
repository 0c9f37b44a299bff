"""What a search aims at: the loss that it makes as small as possible, as a utility measure declares it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import TypeVar

from PETWorks.making.cellwise import Cellwise, GeometricLoss
from PETWorks.making.measured import Measured, MeasuredColumns
from PETWorks.making.objective import Objective
from PETWorks.making.rowwise import CellProducts, ClassSizes
from PETWorks.making.table import RawTable
from PETWorks.measure.utility import Utility
from PETWorks.utility.granularity import Granularity

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
