"""Classes that change: combinations join and leave them.

The cells of level vectors: which combinations have the same labels there, and what that costs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from heapq import heappop, heappush
from math import prod
from typing import Any, NamedTuple

import numpy as np

from PETWorks.anonymization.local.forest import NONE, Forest
from PETWorks.exact.scores import FloatArray
from PETWorks.tables.counting.tally import IntArray, Mask

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


MANY = 2**14  # vectors that are visited one after the other, and then of all others
SORTED = 2**22  # vectors of a lattice that are sorted
DIGITS = 12  # of losses: what differs by rounding errors only is equal, so that the order is the same everywhere
CHUNK = 4096  # vectors that are unpacked at a time
KEPT = 2**24  # numbers of half vectors that are kept
SPARE = 4  # buckets for each combination: few combinations of different cells share one


def vectors(means: Sequence[Sequence[float]]) -> Iterator[tuple[int, ...]]:
    """Yield the level vectors by ascending loss, given that of each column and level; of very many, all at first.

    Of the others, which lose more, some are visited.
    """
    shape = [len(levels) for levels in means]
    if prod(shape) > SORTED:
        yield from _of_vast(means)
        return
    losses = np.zeros(1)
    for levels in means:
        losses = np.add.outer(losses, levels).ravel()
    order = np.argsort(np.round(losses / (losses.max() or 1), DIGITS), kind="stable")
    if len(order) > 2 * MANY:
        order = np.concatenate([order[:MANY], order[np.linspace(MANY, len(order) - 1, MANY, dtype=np.int64)]])
    for start in range(0, len(order), CHUNK):
        yield from zip(*(one.tolist() for one in np.unravel_index(order[start : start + CHUNK], shape)), strict=True)


def _of_vast(means: Sequence[Sequence[float]]) -> Iterator[tuple[int, ...]]:
    """Yield those vectors of a lattice too large to be sorted that lose least, then random ones, the coarsest last."""
    ranked = [np.argsort(levels, kind="stable") for levels in means]
    rising = [np.take(levels, order).tolist() for levels, order in zip(means, ranked, strict=True)]
    first = (sum(levels[0] for levels in rising), (0,) * len(means), 0)
    heap, last = [first], first[0]
    for _ in range(MANY):  # each vector is found from the one that has a level less in its last column above the least
        last, vector, column = heappop(heap)
        yield tuple(int(order[place]) for order, place in zip(ranked, vector, strict=True))
        for later in range(column, len(means)):
            place = vector[later] + 1
            if place < len(rising[later]):
                loss = last + rising[later][place] - rising[later][place - 1]
                heappush(heap, (loss, (*vector[:later], place, *vector[later + 1 :]), later))
    chance = np.random.default_rng(1)
    some = np.stack([chance.integers(0, len(levels), MANY) for levels in means], axis=1)
    losses = sum(np.take(levels, own) for levels, own in zip(means, some.T, strict=True))
    further = some[np.argsort(losses, kind="stable")][np.sort(losses) > last]
    yield from map(tuple, further.tolist())
    yield tuple(int(order[-1]) for order in ranked)


def secrets(columns: Sequence[Sequence[IntArray]]) -> list[list[IntArray]]:
    """Replace the nodes that combinations have, by column and level, by random numbers."""
    chance = np.random.default_rng(1)
    found = []
    for levels in columns:
        numbers = chance.integers(0, 2**62, max(int(nodes.max(initial=0)) for nodes in levels) + 1)
        found.append([numbers[nodes] for nodes in levels])
    return found


def crowds(
    keys: IntArray, rows: FloatArray, least: float, among: Mask | None = None
) -> tuple[IntArray, IntArray, IntArray]:
    """Return combinations, cell by cell, the cell of each, and where each cell starts; equal keys are one cell.

    All cells that have at least so many rows are among them, or all of these that have one of some combinations.
    Combinations without rows are left out.
    """
    bucket = keys & ((1 << (SPARE * len(keys)).bit_length()) - 1)
    full = np.bincount(bucket, rows) >= least
    if among is not None:
        wanted = np.zeros(len(full), dtype=bool)
        wanted[bucket[among]] = True
        full &= wanted
    order = np.flatnonzero(full[bucket] & (rows > 0))
    order = order[np.argsort(keys[order], kind="stable")]
    new = np.append(True, keys[order][1:] != keys[order][:-1])[: len(order)]
    return order, np.cumsum(new) - 1, np.flatnonzero(new)


class Halves:
    """Numbers for each combination at a level vector: those of each column, combined by XOR, or by addition.

    Both halves of a vector are kept, since many vectors share them. Secrets that are combined by XOR are a key of the
    cell: keys of different cells differ, but for rare accidents, which join two cells.
    """

    def __init__(self, columns: Sequence[Sequence[np.ndarray]], combined: np.ufunc) -> None:
        self._columns, self._combined = columns, combined
        shape = [len(levels) for levels in columns]
        self._half = min(range(1, len(shape) + 1), key=lambda half: prod(shape[:half]) + prod(shape[half:]))
        self._halves: dict[tuple[int, tuple[int, ...]], np.ndarray] = {}

    def __call__(self, vector: tuple[int, ...]) -> Any:  # noqa: ANN401 (an array of integers or floats)
        """Return the numbers at a vector."""
        return self._combined(self._of(0, vector[: self._half]), self._of(self._half, vector[self._half :]))

    def _of(self, start: int, levels: tuple[int, ...]) -> np.ndarray:
        if (start, levels) not in self._halves:
            numbers = np.zeros_like(self._columns[0][0])
            if len(self._halves) * len(numbers) > KEPT:
                self._halves.clear()
            for column, level in enumerate(levels, start):
                numbers = self._combined(numbers, self._columns[column][level])
            self._halves[start, levels] = numbers
        return self._halves[start, levels]

    def keep(self, kept: Mask) -> None:
        """Drop the other combinations."""
        self._columns = [[numbers[kept] for numbers in levels] for levels in self._columns]
        self._halves = {half: numbers[kept] for half, numbers in self._halves.items()}
