"""Sweep: visit the level vectors by ascending loss, and release every cell that meets the goals."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

import numpy as np

from PETWorks.counting.tally import IntArray
from PETWorks.exact.scores import FloatArray
from PETWorks.making.local.classes import NOBODY
from PETWorks.making.local.forest import Forest
from PETWorks.making.local.judge import Judge

MANY = 2**14  # vectors that are visited one after the other, and then of all others
CHUNK = 4096  # vectors that are unpacked at a time
SPARE = 4  # buckets for each combination: few combinations of different cells share one


def sweep(forest: Forest, values: IntArray, judge: Judge, left: IntArray) -> IntArray:
    """Return a class for each combination, NOBODY for those that no cell could release.

    `left` are the combinations to release.
    """
    rows, of = judge.table.counts.astype(np.float64), np.full(len(judge.table.counts), NOBODY)
    cells = _Cells(forest, values[:, left])
    counts = rows[left]
    classes = 0
    for vector in _vectors(forest, values, rows):
        if not len(left):
            break
        keys = cells.keys(vector)
        bucket = keys & ((1 << (SPARE * len(left)).bit_length()) - 1)
        crowded = np.flatnonzero(np.bincount(bucket, counts)[bucket] >= judge.least)
        if not len(crowded):
            continue
        crowded = crowded[np.argsort(keys[crowded], kind="stable")]
        starts = np.flatnonzero(np.append(True, keys[crowded][1:] != keys[crowded][:-1]))
        cell = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(crowded))))
        sizes = np.add.reduceat(counts[crowded], starts)
        large = sizes >= judge.least
        if not large.any():
            continue
        crowded, cell = crowded[large[cell]], (np.cumsum(large) - 1)[cell[large[cell]]]
        starts = np.searchsorted(cell, np.arange(large.sum()))
        spreads = np.add.reduceat(judge.spreads[left[crowded]], starts, axis=0)
        members = np.split(left[crowded], starts[1:]) if judge.slow else []
        levels = forest.lowest + np.array(vector)
        holding = judge.holds(sizes[large], spreads, lambda number: (members[number], levels))  # noqa: B023
        holding &= ~forest.suppressed(_nodes(forest, values[:, left[crowded[starts]]], vector))
        released = holding[cell]
        of[left[crowded[released]]] = classes + cell[released]
        classes += len(starts)
        if released.any():
            kept = np.ones(len(left), dtype=bool)
            kept[crowded[released]] = False
            left, counts = left[kept], counts[kept]
            cells.keep(kept)
    return of


def _nodes(forest: Forest, values: IntArray, vector: tuple[int, ...]) -> IntArray:
    """Return, by column and combination, the node on the levels of a vector."""
    return np.asarray(forest.at[np.array(vector)[:, None], values])


def _vectors(forest: Forest, values: IntArray, rows: FloatArray) -> Iterator[tuple[int, ...]]:
    """Yield the level vectors by ascending mean loss of a row; of very many, all at first, then some."""
    losses, shape = np.zeros(1), forest.steps
    for own, levels in zip(values, shape, strict=True):
        means = np.array([forest.loss[nodes[own]] @ rows for nodes in forest.at[:levels]]) / rows.sum()
        losses = np.add.outer(losses, means).ravel()
    order = np.argsort(losses, kind="stable")
    if len(order) > 2 * MANY:
        order = np.concatenate([order[:MANY], order[np.linspace(MANY, len(order) - 1, MANY, dtype=np.int64)]])
    for start in range(0, len(order), CHUNK):
        yield from zip(*(one.tolist() for one in np.unravel_index(order[start : start + CHUNK], shape)), strict=True)


class _Cells:
    """A key for the cell of each combination that is left. Keys of different cells differ, but for rare accidents.

    An accident joins two cells, which then are released, or not, together.
    """

    def __init__(self, forest: Forest, values: IntArray) -> None:
        secrets = np.random.default_rng(1).integers(0, 2**62, len(forest.level))
        shape = forest.steps
        self._half = min(range(1, len(shape) + 1), key=lambda half: prod(shape[:half]) + prod(shape[half:]))
        self._columns = [
            [secrets[nodes[own]] for nodes in forest.at[:levels]] for own, levels in zip(values, shape, strict=True)
        ]
        self._halves: dict[tuple[int, tuple[int, ...]], IntArray] = {}

    def keys(self, vector: tuple[int, ...]) -> IntArray:
        """Return the keys on the levels of a vector."""
        return self._of(0, vector[: self._half]) ^ self._of(self._half, vector[self._half :])

    def _of(self, start: int, levels: tuple[int, ...]) -> IntArray:
        if (start, levels) not in self._halves:
            key = np.zeros_like(self._columns[0][0])
            for column, level in enumerate(levels, start):
                key ^= self._columns[column][level]
            self._halves[start, levels] = key
        return self._halves[start, levels]

    def keep(self, kept: IntArray) -> None:
        """Drop the combinations that are released."""
        self._columns = [[keys[kept] for keys in levels] for levels in self._columns]
        self._halves = {half: keys[kept] for half, keys in self._halves.items()}
