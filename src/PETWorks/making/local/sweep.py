"""Sweep: visit the level vectors by ascending loss, and release every cell that meets the goals."""

from __future__ import annotations

from math import fsum

import numpy as np

from PETWorks.counting.tally import IntArray
from PETWorks.exact.scores import FloatArray
from PETWorks.making.local.cells import Halves, crowds, secrets, vectors
from PETWorks.making.local.classes import NOBODY
from PETWorks.making.local.forest import Forest
from PETWorks.making.local.judge import Judge

KEPT = 0.9  # combinations that are released are dropped when no more than this share is left


def sweep(forest: Forest, values: IntArray, judge: Judge, left: IntArray) -> IntArray:
    """Return a class for each combination, NOBODY for those that no cell could release.

    `left` are the combinations to release.
    """
    rows, of = judge.table.counts.astype(np.float64), np.full(len(judge.table.counts), NOBODY)
    means, keys_of = means_and_keys(forest, values, rows, left)
    counts = rows[left]
    classes = 0
    for vector in vectors(means):
        if not len(left):
            break
        crowded, cell, starts = crowds(keys_of(vector), counts, judge.least)
        if not len(crowded):
            continue
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
        holding &= ~forest.suppressed(nodes_at(forest, values[:, left[crowded[starts]]], vector))
        released = holding[cell]
        of[left[crowded[released]]] = classes + cell[released]
        classes += len(starts)
        counts[crowded[released]] = 0
        kept = counts > 0
        if kept.sum() < KEPT * len(left):
            left, counts = left[kept], counts[kept]
            keys_of.keep(kept)
    return of


def means_and_keys(
    forest: Forest, values: IntArray, rows: FloatArray, left: IntArray
) -> tuple[list[list[float]], Halves]:
    """Return, by column and level, the mean loss; and what gives the keys of what is left on the levels of a vector."""
    nodes = [[at[own] for at in forest.at[:levels]] for own, levels in zip(values, forest.steps, strict=True)]
    means = [[fsum(forest.loss[own] * rows) for own in levels] for levels in nodes]  # the same on every machine
    return means, Halves(secrets([[own[left] for own in levels] for levels in nodes]), np.bitwise_xor)


def nodes_at(forest: Forest, values: IntArray, vector: tuple[int, ...]) -> IntArray:
    """Return, by column and combination, the node on the levels of a vector."""
    return np.asarray(forest.at[np.array(vector)[:, None], values])
