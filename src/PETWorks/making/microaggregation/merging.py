"""Merge groups that do not meet the goals with those nearest to them, at the least further loss."""

from __future__ import annotations

import numpy as np

from PETWorks.counting.tally import IntArray, Mask
from PETWorks.exact.scores import FloatArray

MOST_PAIRS = 2**22  # pairs of groups that are compared at a time


def merged(coordinates: FloatArray, counts: IntArray, groups: IntArray, failing: Mask) -> IntArray:
    """Merge each failing group with its nearest: if that fails too, with it alone; the others then wait.

    There must be at least two groups. Groups on a line stay ranges.
    """
    sizes = np.bincount(groups, weights=counts).astype(np.float64)
    centres = np.stack([np.bincount(groups, weights=counts * column) / sizes for column in coordinates.T], axis=1)
    chosen = np.flatnonzero(failing)
    nearest = _adjacent(centres[:, 0], sizes, chosen) if centres.shape[1] == 1 else _nearest(centres, sizes, chosen)
    into, free = np.arange(len(sizes)), np.ones(len(sizes), dtype=bool)
    for one, other in zip(chosen.tolist(), nearest.tolist(), strict=True):
        if free[one] and (free[other] or not failing[other]):
            into[one], free[one], free[other] = other, False, False
    return np.unique(into[groups], return_inverse=True)[1]


def _further(centres: FloatArray, sizes: FloatArray, one: IntArray, other: IntArray) -> FloatArray:
    """Return by how much the squared error grows if groups are merged."""
    apart: FloatArray = ((centres[one] - centres[other]) ** 2).sum(axis=-1)
    return apart * sizes[one] * sizes[other] / (sizes[one] + sizes[other])


def _adjacent(centres: FloatArray, sizes: FloatArray, chosen: IntArray) -> IntArray:
    """Return the nearer of the two neighbours of each chosen group on a line."""
    order = np.argsort(centres, kind="stable")
    place = np.argsort(order)[chosen]
    sides = [order[np.clip(place + step, 0, len(order) - 1)] for step in (-1, 1)]
    further = [np.where(side == chosen, np.inf, _further(centres[:, None], sizes, chosen, side)) for side in sides]
    return np.where(further[0] <= further[1], *sides)


def _nearest(centres: FloatArray, sizes: FloatArray, chosen: IntArray) -> IntArray:
    """Return the nearest group of each chosen one."""
    everyone, step = np.arange(len(sizes)), max(1, MOST_PAIRS // len(sizes))
    found = []
    for begin in range(0, len(chosen), step):
        some = chosen[begin : begin + step]
        further = _further(centres, sizes, some[:, None], everyone[None, :])
        further[np.arange(len(some)), some] = np.inf
        found.append(further.argmin(axis=1))
    return np.concatenate(found)
