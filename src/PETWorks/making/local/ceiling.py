"""What no local recoding can fall below, whatever it does.

A row is released in some class, and the class is a part of a *cell*: of all rows that can have its labels. So if no
part of a cell can meet the goals, no row is released with its labels. Every row is charged what it loses at the best
level vector whose cell may have such a part. Whether it may is what measures declare: a part has at least so many rows
(`least_size`), and of a cell that fails so many must go, however it is divided (`floor`).

A lattice that is too large is split into groups of columns. The cell of a class by some of its columns contains the
class, so each group has a ceiling of its own; the losses of the groups add up.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from PETWorks.counting.tally import IntArray, Mask, pack, ranked
from PETWorks.exact.scores import FloatArray
from PETWorks.facts.ladder import Ladder
from PETWorks.making.local.cells import MANY, Halves, crowds, secrets, vectors
from PETWorks.making.local.forest import NONE
from PETWorks.making.local.judge import Judge
from PETWorks.making.local.losses import Losses
from PETWorks.making.local.margins import least_size
from PETWorks.making.table import RawTable
from PETWorks.measure.privacy import Privacy

VISITED = 2**30  # vectors of a group of columns, multiplied by combinations, that are looked at
ROUNDING = 1e-9  # by how much floats may be off, generously


def least_loss(
    table: RawTable, goals: Sequence[Privacy], losses: Losses, ranges: Sequence[range], *, fixed: bool
) -> float:
    """Return a loss, the mean over all rows, that no local recoding falls below.

    `fixed` says that suppressed rows stay in the release, so that the distribution of the whole table is known.
    """
    hopes = _Hopes.of(table, goals, fixed=fixed)
    lost = 0.0
    for columns in _groups([len(levels) for levels in ranges], len(table.counts)):
        lost += _of_group(table, hopes, losses, ranges, columns)
    return lost * (1 - ROUNDING)


@dataclass(frozen=True, eq=False)
class _Hopes:
    """Which cells may have a part that meets the goals."""

    judge: Judge
    goals: Sequence[Privacy]  # that say how much of a cell must go
    least: int  # rows of every class

    @classmethod
    def of(cls, table: RawTable, goals: Sequence[Privacy], *, fixed: bool) -> _Hopes:
        """Ask those goals whose declarations are right for this table."""
        sure = [goal for goal in goals if fixed and goal.steady(table.facts)]
        least = [least_size(goal, table.facts) if goal in sure else goal.least_size() for goal in goals]
        judge = Judge(table, goals)
        return cls(judge, [goal for goal in judge.by_value if goal in sure], max(least, default=1))

    def of_cells(self, sizes: FloatArray, counts: FloatArray) -> Mask:
        """Return a mask of the cells of which a part may hold."""
        able = sizes >= self.least
        for goal in self.goals:
            where = np.flatnonzero(able)
            if len(where):
                left = sizes[where] * (1 - self.judge.floor(goal, sizes[where], counts[where]))
                able[where] = left >= self.least - ROUNDING
        return able


def _groups(shape: Sequence[int], combinations: int) -> Iterator[list[int]]:
    """Yield columns whose lattice is small enough to be visited, in their order."""
    most = min(2 * MANY, VISITED // combinations)
    group: list[int] = []
    for column, levels in enumerate(shape):
        if group and prod(shape[one] for one in group) * levels > most:
            yield group
            group = []
        group.append(column)
    yield group


def _of_group(table: RawTable, hopes: _Hopes, losses: Losses, ranges: Sequence[range], columns: Sequence[int]) -> float:
    """Return the least loss in some columns."""
    codes = [table.codes[column] for column in columns]
    sizes = [len(table.ladders[column].values) for column in columns]
    first, ids = ranked(pack(codes, sizes)[0], prod(sizes))
    rows, spreads = _added(table.counts[:, None], ids)[:, 0], _added(hopes.judge.spreads, ids)
    lost, nodes = [], []
    for column, own in zip(columns, codes, strict=True):
        reached = _reached(table.ladders[column], ranges[column])
        lost.append([losses.cells[column][level, own[first]] for level in ranges[column]])
        nodes.append([labels[own[first]] for labels in reached])
    best = np.full(len(first), float(losses.suppressed[list(columns)].sum()))
    losing, keys_of = Halves(lost, np.add), Halves(secrets(nodes), np.bitwise_xor)
    for vector in vectors([[float(one @ rows) for one in levels] for levels in lost]):
        loss = losing(vector)
        better = loss < best
        if better.any():
            order, cell, starts = crowds(keys_of(vector), rows, hopes.least, better)
            if len(order):
                sums = np.add.reduceat(rows[order], starts), np.add.reduceat(spreads[order], starts, axis=0)
                able = order[hopes.of_cells(*sums)[cell]]
                best[able] = np.minimum(best[able], loss[able])
    return float(best @ rows) / table.rows


def _added(numbers: FloatArray, ids: IntArray) -> FloatArray:
    """Return the sums of the rows of an array that have the same id."""
    order = np.argsort(ids, kind="stable")
    starts = np.searchsorted(ids[order], np.arange(int(ids.max()) + 1))
    return np.asarray(np.add.reduceat(numbers[order].astype(np.float64), starts, axis=0))


def _reached(ladder: Ladder, levels: range) -> Iterator[IntArray]:
    """Yield, for each level, a number for each value: the same for all values that can have its label there.

    A label can occur on two levels, for different values. Then a higher level serves on which these are together.
    """
    up = ladder.up[levels.start : levels.stop]
    for low, labels in enumerate(up):
        for nodes in up[low:]:
            own = np.full(len(ladder.labels), NONE)
            own[labels] = nodes
            if ((own[up] == NONE) | (own[up] == nodes)).all():
                yield nodes
                break
        else:
            yield np.zeros_like(labels)
