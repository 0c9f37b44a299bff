"""The nodes of all hierarchies and the loss of each, so that classes of any combinations can be built.

A node is a set of values that have the same label on some level. The nodes of all columns are numbered together, and so
are the values, so that one expression serves all columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from math import prod

import numpy as np

from PETWorks.anonymization.table import RawTable
from PETWorks.exact.scores import FloatArray
from PETWorks.facts.cells import LevelCodes
from PETWorks.measure.losses import CellLosses
from PETWorks.tables.counting.tally import IntArray, Mask

NO_NODE = -1  # the node above two values that do not even share their top
IN_TURN = (1, 4)  # the ends of the first two groups of columns whose prices are added in turn
MAX_CACHED_ENTRIES = 2**22  # entries of cached joins


@dataclass(frozen=True, eq=False)
class HierarchyNodes:
    """The nodes above the values of all columns."""

    at: IntArray  # the node of each value, a row for each level; above the height of a column, its top
    steps: Sequence[int]  # by column, the number of its levels
    lowest: IntArray  # by column, its first level
    first_value: IntArray  # by column, the number of its first value
    level: IntArray  # by node, the lowest level on which it exists
    value: IntArray  # by node, one of its values
    ends: Sequence[slice]  # by column, its nodes
    column: IntArray  # by node, its column
    loss: FloatArray  # by node, the loss of a cell that is released as this node; infinite for NONE
    marked: Mask  # by node, True if its label is the text of a suppressed cell
    _joined: dict[int, IntArray] = field(default_factory=dict, repr=False)
    _costs: dict[int, FloatArray] = field(default_factory=dict, repr=False)

    @classmethod
    def of(
        cls, ladders: Sequence[LevelCodes], losses: Sequence[FloatArray], ranges: Sequence[range] | None = None
    ) -> HierarchyNodes:
        """Build the nodes from the levels of each column and the loss of its cells, by level and value.

        `ranges` restricts the levels of columns. If a label occurs on two levels with different losses, the largest
        counts.
        """
        ranges = ranges or [range(ladder.height + 1) for ladder in ladders]
        height = max(map(len, ranges))
        at, level, value, loss, marked, ends, column, firsts = [], [], [], [], [], [], [], []
        nodes = values = 0
        for number, (ladder, lost, levels) in enumerate(zip(ladders, losses, ranges, strict=True)):
            own, lowest, one = _number_nodes(ladder.up[levels.start : levels.stop])
            lowest += levels.start
            most = np.zeros(len(lowest))
            for low, places in zip(levels, own, strict=True):
                new = lowest[places] == low
                np.maximum.at(most, places[new], lost[low][new])
            above = np.repeat(own[-1:], height - len(levels), axis=0)
            at.append(np.concatenate([own, above]) + nodes)
            level.append(lowest)
            value.append(one + values)
            loss.append(most)
            marked.append(ladder.marked[ladder.up[lowest, one]])
            column.append(np.full(len(lowest), number))
            ends.append(slice(nodes, nodes := nodes + len(lowest)))
            firsts.append(values)
            values += len(ladder.values)
        return cls(
            at=np.concatenate(at, axis=1),
            steps=[len(levels) for levels in ranges],
            lowest=np.array([levels.start for levels in ranges]),
            first_value=np.array(firsts),
            level=np.concatenate(level),
            value=np.concatenate(value),
            ends=ends,
            column=np.concatenate(column),
            loss=np.concatenate([*loss, [np.inf]]),
            marked=np.concatenate([*marked, [False]]),
        )

    def compute_loss(self, nodes: IntArray) -> FloatArray:
        """Return the loss of rows released as these nodes; the first axis is that of the columns."""
        return np.asarray(self.loss[nodes].sum(axis=0))

    def find_suppressed(self, nodes: IntArray) -> Mask:
        """Return a mask of the rows that are suppressed if they are released as these nodes."""
        return np.asarray(self.marked[nodes].all(axis=0))

    def find_common(self, values: IntArray) -> IntArray:
        """Return, by column, the lowest node above its values, which are on the second axis."""
        nodes = self.at[:, values]
        same = (nodes == nodes[:, :, :1]).all(axis=2)
        return np.where(same.any(axis=0), self.at[same.argmax(axis=0), values[:, 0]], NO_NODE)

    def find_common_without(self, values: IntArray) -> IntArray:
        """Return, by column and value, the lowest node above all other values; there must be at least two."""
        nodes = self.at[:, values]
        like_first = nodes == nodes[:, :, :1]
        same = like_first.sum(axis=2, keepdims=True) - like_first == values.shape[1] - 1
        same[:, :, 0] = (nodes[:, :, 1:] == nodes[:, :, 1:2]).all(axis=2)
        other = np.repeat(values[:, :1], values.shape[1], axis=1)
        other[:, 0] = values[:, 1]
        return np.where(same.any(axis=0), self.at[same.argmax(axis=0), other], NO_NODE)

    def join_nodes(self, nodes: IntArray) -> IntArray:
        """Return, for every node, the lowest node above it and above the one of `nodes` in its column."""
        return np.concatenate([self._look_up_join(node) for node in nodes.tolist()])

    def compute_join_costs(self, nodes: IntArray) -> FloatArray:
        """Return the losses of the nodes that `join_nodes` returns."""
        return np.concatenate([self._look_up_cost(node) for node in nodes.tolist()])

    @cached_property
    def _in_turn(self) -> list[IntArray]:
        """The columns in three groups, those with the most nodes first."""
        return np.split(np.argsort([own.start - own.stop for own in self.ends], kind="stable"), IN_TURN)

    def find_cheap(
        self, nodes: IntArray, more: FloatArray, weights: FloatArray, prices: FloatArray, limit: float
    ) -> tuple[IntArray, FloatArray]:
        """Add the weighted `more` of each node to prices; return the places below a limit, and the prices there.

        `nodes` are by column and place. Columns with the most nodes come first, so that few places remain for the rest.
        """
        first, *others = self._in_turn
        prices = prices + weights * more[nodes[first[0]]]
        (places,) = (prices < limit).nonzero()
        prices = prices[places]
        for columns in others:
            prices = prices + weights[places] * more[nodes[columns[:, None], places]].sum(axis=0)
            (below,) = (prices < limit).nonzero()
            places, prices = places[below], prices[below]
        return places, prices

    def _look_up_join(self, node: int) -> IntArray:
        if node not in self._joined:
            own = self.ends[self.column[node]]
            if len(self._joined) * (own.stop - own.start) > MAX_CACHED_ENTRIES:
                self._joined.clear()
            result = np.full(own.stop - own.start, NO_NODE)
            low = int(self.lowest[self.column[node]])
            for height in reversed(range(int(self.level[node]) - low, len(self.at))):
                above = self.at[height]
                meets = (above[self.value[own]] == above[self.value[node]]) & (self.level[own] <= height + low)
                result[meets] = above[self.value[node]]
            self._joined[node] = result
        return self._joined[node]

    def _look_up_cost(self, node: int) -> FloatArray:
        if node not in self._costs:
            own = self.ends[self.column[node]]
            if len(self._costs) * (own.stop - own.start) > MAX_CACHED_ENTRIES:
                self._costs.clear()
            self._costs[node] = self.loss[self._look_up_join(node)]
        return self._costs[node]


def _number_nodes(up: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Return the node of each value on each level, and by node its lowest level and one of its values."""
    at, size = np.empty_like(up), np.zeros(0, dtype=np.int64)
    level, value = [size], [size]
    for height, labels in enumerate(up):
        _, first, group = np.unique(labels, return_index=True, return_inverse=True)
        members = np.bincount(group)
        same = np.zeros(len(first), dtype=bool)  # the same values as a node of the level below
        if height:
            below = at[height - 1]
            same = (members == size[below[first]]) & (np.bincount(group, below != below[first][group]) == 0)
        node = np.where(same, at[height - 1][first], len(size) + np.cumsum(~same) - 1)
        at[height] = node[group]
        size = np.concatenate([size, members[~same]])
        level.append(np.full(int((~same).sum()), height))
        value.append(first[~same])
    return at, np.concatenate(level), np.concatenate(value)


@dataclass(frozen=True, eq=False)
class Losses:
    """The loss of each cell that can be released, of suppressed cells, and of a whole release."""

    cells: Sequence[FloatArray]  # by column: a row for each level, a column for each value
    suppressed: FloatArray  # by column, the loss of a suppressed cell
    geometric: bool = False  # True: the columns count as Π (1 + mean)^(1/columns) - 1; False: as the sum of their means

    @classmethod
    def of(cls, losses: Sequence[CellLosses], weights: Sequence[Fraction], *, geometric: bool = False) -> Losses:
        """Build the losses from those of a utility measure by column, with the weights of the columns."""
        scale = [
            float(weight) / (one.suppressed if geometric else one.whole) if one.suppressed else 0.0
            for one, weight in zip(losses, weights, strict=True)
        ]
        cells = [one.by_level * factor for one, factor in zip(losses, scale, strict=True)]
        return cls(
            cells, np.array([one.suppressed * factor for one, factor in zip(losses, scale, strict=True)]), geometric
        )

    @property
    def additive(self) -> Losses:
        """Losses whose sum over the columns is at most the whole loss; if columns multiply, at most log(1 + loss).

        A column loses x, at most m: log(1 + x) ≥ x · log(1 + m)/m.
        """
        if not self.geometric:
            return self
        scale = np.log1p(self.suppressed) / np.where(self.suppressed, self.suppressed, 1) / len(self.cells)
        cells = [one * factor for one, factor in zip(self.cells, scale, strict=True)]
        return replace(self, cells=cells, suppressed=self.suppressed * scale, geometric=False)

    def compute_means(self, table: RawTable, levels: Sequence[IntArray], suppressed: Mask) -> FloatArray:
        """Return the mean loss of each column in a release."""
        gone = table.counts[suppressed].sum()
        kept = np.where(suppressed, 0, table.counts)
        columns = zip(self.cells, levels, table.codes, strict=True)
        lost = np.array([float((cells[level, codes] * kept).sum()) for cells, level, codes in columns])
        means: FloatArray = (lost + gone * self.suppressed) / table.rows
        return means

    def compute_total(self, means: FloatArray) -> float:
        """Return the loss of a release from the mean losses of its columns."""
        if self.geometric:
            return float(prod((1 + means).tolist()) ** (1 / len(means)) - 1)
        return float(means.sum())
