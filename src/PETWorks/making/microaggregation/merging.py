"""Merge groups that do not meet the goals with those nearest to them, at little further loss."""

from __future__ import annotations

import numpy as np

from PETWorks.counting.tally import IntArray, Mask
from PETWorks.exact.scores import FloatArray
from PETWorks.making.microaggregation.halving import halves

NEIGHBOURS = 64  # groups on either side, in the order of halving, that are compared with a group


def merged(coordinates: FloatArray, counts: IntArray, groups: IntArray, failing: Mask) -> IntArray:
    """Merge each failing group with its nearest: if that fails too, with it alone; the others then wait.

    There must be at least two groups. Groups on a line stay ranges.
    """
    sizes = np.bincount(groups, weights=counts).astype(np.float64)
    centres = np.stack([np.bincount(groups, weights=counts * column) / sizes for column in coordinates.T], axis=1)
    chosen = np.flatnonzero(failing)
    into, free = np.arange(len(sizes)), np.ones(len(sizes), dtype=bool)
    for one, other in zip(chosen.tolist(), _nearest(centres, sizes, chosen).tolist(), strict=True):
        if free[one] and (free[other] or not failing[other]):
            into[one], free[one], free[other] = other, False, False
    return np.unique(into[groups], return_inverse=True)[1]


def _nearest(centres: FloatArray, sizes: FloatArray, chosen: IntArray) -> IntArray:
    """Return, for each chosen group, the one of its neighbours with which the squared error grows least."""
    order = np.argsort(halves(centres, np.ones(len(sizes), dtype=np.int64), 1), kind="stable")
    place = np.argsort(order)[chosen]
    nearest, least = chosen.copy(), np.full(len(chosen), np.inf)
    width = 1 if centres.shape[1] == 1 else min(NEIGHBOURS, len(order) - 1)
    for step in (sign * away for away in range(1, width + 1) for sign in (-1, 1)):
        other = order[np.clip(place + step, 0, len(order) - 1)]
        apart = ((centres[chosen] - centres[other]) ** 2).sum(axis=1)
        further = apart * sizes[chosen] * sizes[other] / (sizes[chosen] + sizes[other])
        better = (further < least) & (other != chosen)
        nearest[better], least[better] = other[better], further[better]
    return nearest
