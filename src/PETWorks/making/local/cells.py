"""The cells of level vectors: which combinations have the same labels there, and what that costs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import heappop, heappush
from math import prod
from typing import Any

import numpy as np

from PETWorks.counting.tally import IntArray, Mask
from PETWorks.exact.scores import FloatArray

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
