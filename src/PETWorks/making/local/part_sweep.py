"""Sweep in parts: of a cell that fails, the largest part that meets the goals is released."""

from __future__ import annotations

import numpy as np

from PETWorks.counting.tally import IntArray
from PETWorks.exact.scores import FloatArray
from PETWorks.making.local.cells import crowds, vectors
from PETWorks.making.local.classes import NOBODY
from PETWorks.making.local.draw import Draw
from PETWorks.making.local.forest import Forest
from PETWorks.making.local.judge import Judge
from PETWorks.making.local.sweep import KEPT, means_and_keys, nodes_at

Divided = tuple[IntArray, FloatArray, IntArray]  # pieces: the entry of each, its rows, and its class or NOBODY


def sweep_parts(forest: Forest, values: IntArray, judge: Judge, draw: Draw, left: IntArray) -> Divided:
    """Return pieces and their classes; NOBODY is the class of rows that no part of a cell could release.

    `left` are the entries to release.
    """
    rows = judge.table.counts.astype(np.float64)
    means, keys_of = means_and_keys(forest, values, rows, left)
    counts, kind, classes = rows[left], draw.kind[left], 0
    found = list[Divided]()
    for vector in vectors(means):
        if not len(left):
            break
        crowded, cell, starts = crowds(keys_of(vector), counts, judge.least)
        if not len(crowded):
            continue
        large = np.add.reduceat(counts[crowded], starts) >= judge.least
        large &= ~forest.suppressed(nodes_at(forest, values[:, left[crowded[starts]]], vector))
        if not large.any():
            continue
        crowded, cell = crowded[large[cell]], (np.cumsum(large) - 1)[cell[large[cell]]]
        drawn = _drawn(draw, counts[crowded], cell, kind[crowded])
        some = drawn > 0
        found.append((left[crowded[some]], drawn[some], classes + cell[some]))
        classes += int(large.sum())
        counts[crowded] -= drawn
        kept = counts > 0
        if kept.sum() < KEPT * len(left):
            left, counts, kind = left[kept], counts[kept], kind[kept]
            keys_of.keep(kept)
    entry, drawn, ids = (np.concatenate(parts) for parts in zip(*found, (left[:0], counts[:0], left[:0]), strict=True))
    rest = rows - np.bincount(entry, drawn, len(rows))
    others = np.flatnonzero(rest)
    nobody = np.full(len(others), NOBODY)
    return np.append(entry, others), np.append(drawn, rest[others]), np.append(ids, nobody)


def _drawn(draw: Draw, rows: FloatArray, cell: IntArray, kind: IntArray) -> FloatArray:
    """Return how many rows of each entry are released: all of a cell that holds, else those of its largest part.

    A part takes its rows of a kind from one entry of the cell after the other, the smallest first: what is left of a
    large one finds its place more easily, since it can be divided.
    """
    kinds = len(draw.weights)
    place = cell * kinds + kind
    cells = np.bincount(place, rows, (int(cell[-1]) + 1) * kinds).reshape(-1, kinds).astype(np.float64)
    holding = draw.judge.holds(cells.sum(axis=1), cells @ draw.counted)
    taken = np.where(holding[:, None], cells, 0)
    taken[~holding] = draw.parts(cells[~holding])
    drawn, wanted = np.zeros_like(rows), taken.ravel()[place]
    some = np.flatnonzero(wanted)
    if len(some):
        order = some[np.lexsort((rows[some], place[some]))]
        before = np.cumsum(rows[order]) - rows[order]
        new = np.append(True, np.diff(place[order]) != 0)
        before -= np.maximum.accumulate(np.where(new, before, 0))
        drawn[order] = np.clip(wanted[order] - before, 0, rows[order])
    return drawn
