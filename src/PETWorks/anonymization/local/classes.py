"""Mutable classes, which combinations join and leave; and the cells of level vectors, visited by ascending loss."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from heapq import heappop, heappush
from math import prod
from typing import Any, NamedTuple

import numpy as np

from PETWorks.anonymization.local.forest import NO_NODE, HierarchyNodes
from PETWorks.exact.scores import FloatArray
from PETWorks.tables.counting.tally import IntArray, Mask

NOBODY = -1  # the class of a combination that is in no class


class ClassState(NamedTuple):
    """The saved state of a class, to restore it."""

    members: tuple[int, ...]
    nodes: IntArray


class LocalClasses:
    """Numbered classes: their nodes by column, sizes, counts of sensitive values, and loss of a row."""

    def __init__(self, forest: HierarchyNodes, values: IntArray, rows: IntArray, spreads: FloatArray) -> None:
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
        """Replace all classes by those of `ids`, one id for each combination, NOBODY for none.

        Every class shrinks to the lowest nodes above its combinations; classes of equal nodes are merged.
        """
        who = np.flatnonzero(ids != NOBODY)
        _, group = np.unique(ids[who], return_inverse=True)
        nodes = self._find_lowest_nodes(who, group)
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
        self._losses[:many] = self.forest.compute_loss(self.nodes)
        if many:
            self._counts[:many] = np.add.reduceat(self.spreads[who[order]], starts, axis=0)

    def _find_lowest_nodes(self, who: IntArray, group: IntArray) -> IntArray:
        """Return, by column and group, the lowest nodes above all combinations of the group."""
        first = np.zeros(int(group.max(initial=-1)) + 1, dtype=np.int64)
        first[group[::-1]] = np.arange(len(group))[::-1]
        found = np.full((len(self.values), len(first)), NO_NODE)
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
        """By class, the count of each sensitive value."""
        return self._counts[: len(self)]

    @property
    def loss(self) -> float:
        """The loss of all rows in classes."""
        return float((self.sizes * self.losses).sum())

    def add(self, combinations: Sequence[int]) -> int:
        """Form a new class and return its number."""
        number = len(self)
        if number == len(self._sizes):
            self._nodes = np.tile(self._nodes, 2)
            self._sizes, self._losses = np.tile(self._sizes, 2), np.tile(self._losses, 2)
            self._counts = np.tile(self._counts, (2, 1))
        self.members.append([])
        self._refill(number, combinations, self.forest.find_common(self.values[:, combinations]))
        return number

    def _refill(self, number: int, combinations: Iterable[int], nodes: IntArray) -> None:
        self.members[number] = members = list(combinations)
        self.of[members] = number
        self._nodes[:, number] = nodes
        self._sizes[number] = self.rows[members].sum()
        self._counts[number] = self.spreads[members].sum(axis=0)
        self._losses[number] = self.forest.compute_loss(nodes)

    def remove(self, number: int) -> None:
        """Remove a class; the last one gets its number. Members that already joined another class stay there."""
        self.of[[one for one in self.members[number] if self.of[one] == number]] = NOBODY
        last = len(self) - 1
        if number != last:
            self.members[number] = self.members[last]
            self.of[self.members[number]] = number
            for array in (self._sizes, self._losses, self._counts, self._nodes.T):
                array[number] = array[last]
        self.members.pop()

    def find_prices(self, combination: int, limit: float = np.inf) -> tuple[IntArray, FloatArray]:
        """Return the classes that a combination could join at a price below a limit, and these prices."""
        rows = self.rows[combination]
        more = self.forest.compute_join_costs(self.leaves[:, combination]) - self.forest.loss[:-1]
        return self.forest.find_cheap(self.nodes, more, self.sizes + rows, rows * self.losses, limit)

    def find_joined_nodes(self, combination: int, numbers: IntArray) -> IntArray:
        """Return the nodes that some classes would have if a combination joined them."""
        joined: IntArray = self.forest.join_nodes(self.leaves[:, combination])[self.nodes[:, numbers]]
        return joined

    def join(self, combination: int, number: int) -> None:
        """Let a combination join a class."""
        nodes = self.forest.join_nodes(self.leaves[:, combination])[self._nodes[:, number]]
        self._nodes[:, number] = nodes
        self._losses[number] = self.forest.compute_loss(nodes)
        self._sizes[number] += self.rows[combination]
        self._counts[number] += self.spreads[combination]
        self.members[number].append(combination)
        self.of[combination] = number

    def leave(self, combination: int) -> None:
        """Let a combination leave its class, which must have other members; the class shrinks to their common nodes."""
        number = int(self.of[combination])
        left = [one for one in self.members[number] if one != combination]
        self.of[combination] = NOBODY
        self._refill(number, left, self.forest.find_common(self.values[:, left]))

    def save_state(self, number: int) -> ClassState:
        """Return the state of a class."""
        return ClassState(tuple(self.members[number]), self._nodes[:, number].copy())

    def restore(self, number: int, state: ClassState) -> None:
        """Restore a class to a saved state."""
        self._refill(number, state.members, state.nodes)


MAX_VISITED_VECTORS = 2**14  # vectors that are visited in order, and samples of the others
MAX_SORTED_VECTORS = 2**22  # most vectors of a lattice that are sorted
DIGITS = 12  # losses are rounded, so that rounding errors do not change the order between machines
CHUNK = 4096  # vectors that are unpacked at a time
MAX_CACHED_NUMBERS = 2**24  # cached numbers of half vectors
BUCKETS_PER_COMBINATION = 4  # buckets for each combination, so that few combinations of different cells share one


def order_vectors(means: Sequence[Sequence[float]]) -> Iterator[tuple[int, ...]]:
    """Yield the level vectors by ascending loss, from the loss of each column and level.

    Of a large lattice, the first ones are followed by a sample of the others.
    """
    shape = [len(levels) for levels in means]
    if prod(shape) > MAX_SORTED_VECTORS:
        yield from _order_large_lattice(means)
        return
    losses = np.zeros(1)
    for levels in means:
        losses = np.add.outer(losses, levels).ravel()
    order = np.argsort(np.round(losses / (losses.max() or 1), DIGITS), kind="stable")
    if len(order) > 2 * MAX_VISITED_VECTORS:
        order = np.concatenate(
            [
                order[:MAX_VISITED_VECTORS],
                order[np.linspace(MAX_VISITED_VECTORS, len(order) - 1, MAX_VISITED_VECTORS, dtype=np.int64)],
            ]
        )
    for start in range(0, len(order), CHUNK):
        yield from zip(*(one.tolist() for one in np.unravel_index(order[start : start + CHUNK], shape)), strict=True)


def _order_large_lattice(means: Sequence[Sequence[float]]) -> Iterator[tuple[int, ...]]:
    """Yield the vectors of least loss of a lattice too large to sort, then random ones, the coarsest last."""
    ranked = [np.argsort(levels, kind="stable") for levels in means]
    rising = [np.take(levels, order).tolist() for levels, order in zip(means, ranked, strict=True)]
    first = (sum(levels[0] for levels in rising), (0,) * len(means), 0)
    heap, last = [first], first[0]
    for _ in range(
        MAX_VISITED_VECTORS
    ):  # each vector is reached from the one with a level less in its last raised column
        last, vector, column = heappop(heap)
        yield tuple(int(order[place]) for order, place in zip(ranked, vector, strict=True))
        for later in range(column, len(means)):
            place = vector[later] + 1
            if place < len(rising[later]):
                loss = last + rising[later][place] - rising[later][place - 1]
                heappush(heap, (loss, (*vector[:later], place, *vector[later + 1 :]), later))
    chance = np.random.default_rng(1)
    some = np.stack([chance.integers(0, len(levels), MAX_VISITED_VECTORS) for levels in means], axis=1)
    losses = sum(np.take(levels, own) for levels, own in zip(means, some.T, strict=True))
    further = some[np.argsort(losses, kind="stable")][np.sort(losses) > last]
    yield from map(tuple, further.tolist())
    yield tuple(int(order[-1]) for order in ranked)


def draw_secrets(columns: Sequence[Sequence[IntArray]]) -> list[list[IntArray]]:
    """Return a random number for each node, by column and level, in the place of the nodes."""
    chance = np.random.default_rng(1)
    found = []
    for levels in columns:
        numbers = chance.integers(0, 2**62, max(int(nodes.max(initial=0)) for nodes in levels) + 1)
        found.append([numbers[nodes] for nodes in levels])
    return found


def group_cells(
    keys: IntArray, rows: FloatArray, least: float, among: Mask | None = None
) -> tuple[IntArray, IntArray, IntArray]:
    """Return combinations sorted by cell (those with the same key), the cell of each, and the start of each cell.

    All cells with at least `least` rows are included; with `among`, only those with one of these combinations.
    Combinations without rows are left out.
    """
    bucket = keys & ((1 << (BUCKETS_PER_COMBINATION * len(keys)).bit_length()) - 1)
    full = np.bincount(bucket, rows) >= least
    if among is not None:
        wanted = np.zeros(len(full), dtype=bool)
        wanted[bucket[among]] = True
        full &= wanted
    order = np.flatnonzero(full[bucket] & (rows > 0))
    order = order[np.argsort(keys[order], kind="stable")]
    new = np.append(True, keys[order][1:] != keys[order][:-1])[: len(order)]
    return order, np.cumsum(new) - 1, np.flatnonzero(new)


class VectorNumbers:
    """Numbers for each combination at a level vector: those of its columns, combined by XOR or by addition.

    Both halves of a vector are cached, since many vectors share them. Random numbers combined by XOR are a key of the
    cell: keys of different cells differ, except for rare collisions, which join two cells.
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
            if len(self._halves) * len(numbers) > MAX_CACHED_NUMBERS:
                self._halves.clear()
            for column, level in enumerate(levels, start):
                numbers = self._combined(numbers, self._columns[column][level])
            self._halves[start, levels] = numbers
        return self._halves[start, levels]

    def keep(self, kept: Mask) -> None:
        """Restrict the numbers to these combinations."""
        self._columns = [[numbers[kept] for numbers in levels] for levels in self._columns]
        self._halves = {half: numbers[kept] for half, numbers in self._halves.items()}
