"""Classes that change: combinations join and leave them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from PETWorks.counting.tally import IntArray
from PETWorks.exact.scores import FloatArray
from PETWorks.making.local.forest import NONE, Forest

NOBODY = -1  # the class of a combination that is in none


class State(NamedTuple):
    """What a class was like: to go back to it."""

    members: tuple[int, ...]
    nodes: IntArray


class LocalClasses:
    """Classes by number, 0 and up: their nodes by column, sizes, counts of sensitive values, and loss of a row."""

    def __init__(self, forest: Forest, values: IntArray, rows: IntArray, spreads: FloatArray) -> None:
        self.forest = forest
        self.values = values  # by column and combination
        self.leaves = forest.at[0][values]
        self.rows = rows.astype(np.float64)  # by combination
        self.spreads = spreads  # by combination, the counts of sensitive values
        self.of = np.full(len(rows), NOBODY)  # by combination, its class
        self.members: list[list[int]] = []
        self._resize(16)

    def _resize(self, room: int) -> None:
        self._nodes = np.zeros((len(self.values), room), dtype=np.int64)
        self._sizes, self._losses = np.zeros(room), np.zeros(room)
        self._counts = np.zeros((room, self.spreads.shape[1]))

    def fill(self, ids: IntArray) -> None:
        """Replace all classes by those that some ids form, one for each combination, NOBODY for none.

        Every class shrinks to the lowest nodes that are above its combinations; those of equal nodes become one.
        """
        who = np.flatnonzero(ids != NOBODY)
        _, group = np.unique(ids[who], return_inverse=True)
        nodes = self._shrunk(who, group)
        _, alike = np.unique(nodes, axis=1, return_inverse=True)
        numbers = alike.reshape(-1)[group]
        order = np.argsort(numbers, kind="stable")
        many = int(numbers.max(initial=-1)) + 1
        starts = np.searchsorted(numbers[order], np.arange(many))
        self.of[:] = NOBODY
        self.of[who] = numbers
        self.members = [part.tolist() for part in np.split(who[order], starts[1:])] if many else []
        self._resize(max(many, 16))
        self._nodes[:, numbers] = nodes[:, group]
        self._sizes[:many] = np.bincount(numbers, self.rows[who], many)
        self._losses[:many] = self.forest.lost(self.nodes)
        if many:
            self._counts[:many] = np.add.reduceat(self.spreads[who[order]], starts, axis=0)

    def _shrunk(self, who: IntArray, group: IntArray) -> IntArray:
        """Return, by column and group, the lowest nodes that are above all combinations of the group."""
        first = np.zeros(int(group.max(initial=-1)) + 1, dtype=np.int64)
        first[group[::-1]] = np.arange(len(group))[::-1]
        found = np.full((len(self.values), len(first)), NONE)
        for column, values in enumerate(self.values[:, who]):
            for nodes in self.forest.at[::-1]:
                own = nodes[values]
                differs = np.bincount(group, own != own[first][group], len(first))
                found[column] = np.where(differs == 0, own[first], found[column])
        return found

    def __len__(self) -> int:
        """Return the number of classes."""
        return len(self.members)

    @property
    def nodes(self) -> IntArray:
        """By column and class, the node."""
        return self._nodes[:, : len(self)]

    @property
    def sizes(self) -> FloatArray:
        """By class, the number of rows."""
        return self._sizes[: len(self)]

    @property
    def losses(self) -> FloatArray:
        """By class, the loss of one of its rows."""
        return self._losses[: len(self)]

    @property
    def counts(self) -> FloatArray:
        """By class, how often each sensitive value occurs."""
        return self._counts[: len(self)]

    @property
    def loss(self) -> float:
        """The loss of all rows that are in classes."""
        return float((self.sizes * self.losses).sum())

    def add(self, combinations: Sequence[int]) -> int:
        """Form a new class and return its number."""
        number = len(self)
        if number == len(self._sizes):
            self._nodes = np.tile(self._nodes, 2)
            self._sizes, self._losses = np.tile(self._sizes, 2), np.tile(self._losses, 2)
            self._counts = np.tile(self._counts, (2, 1))
        self.members.append([])
        self._refill(number, combinations, self.forest.common(self.values[:, combinations]))
        return number

    def _refill(self, number: int, combinations: Iterable[int], nodes: IntArray) -> None:
        self.members[number] = members = list(combinations)
        self.of[members] = number
        self._nodes[:, number] = nodes
        self._sizes[number] = self.rows[members].sum()
        self._counts[number] = self.spreads[members].sum(axis=0)
        self._losses[number] = self.forest.lost(nodes)

    def remove(self, number: int) -> None:
        """Remove a class; the last one gets its number. Its combinations keep the classes that they have by now."""
        self.of[[one for one in self.members[number] if self.of[one] == number]] = NOBODY
        last = len(self) - 1
        if number != last:
            self.members[number] = self.members[last]
            self.of[self.members[number]] = number
            for array in (self._sizes, self._losses, self._counts, self._nodes.T):
                array[number] = array[last]
        self.members.pop()

    def prices(self, combination: int, limit: float = np.inf) -> tuple[IntArray, FloatArray]:
        """Return the classes that a combination could join at a price below a limit, and how much more is lost then."""
        rows = self.rows[combination]
        more = self.forest.costs(self.leaves[:, combination]) - self.forest.loss[:-1]
        return self.forest.cheap(self.nodes, more, self.sizes + rows, rows * self.losses, limit)

    def joined(self, combination: int, numbers: IntArray) -> IntArray:
        """Return the nodes that some classes would have if a combination joined them."""
        joined: IntArray = self.forest.joined(self.leaves[:, combination])[self.nodes[:, numbers]]
        return joined

    def join(self, combination: int, number: int) -> None:
        """Let a combination join a class."""
        nodes = self.forest.joined(self.leaves[:, combination])[self._nodes[:, number]]
        self._nodes[:, number] = nodes
        self._losses[number] = self.forest.lost(nodes)
        self._sizes[number] += self.rows[combination]
        self._counts[number] += self.spreads[combination]
        self.members[number].append(combination)
        self.of[combination] = number

    def leave(self, combination: int) -> None:
        """Let a combination leave its class, which must have others; the class shrinks to what they have in common."""
        number = int(self.of[combination])
        left = [one for one in self.members[number] if one != combination]
        self.of[combination] = NOBODY
        self._refill(number, left, self.forest.common(self.values[:, left]))

    def state(self, number: int) -> State:
        """Return what a class is like."""
        return State(tuple(self.members[number]), self._nodes[:, number].copy())

    def restore(self, number: int, state: State) -> None:
        """Make a class what it was."""
        self._refill(number, state.members, state.nodes)
