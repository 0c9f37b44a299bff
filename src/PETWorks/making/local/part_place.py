"""Place pieces: what does not fit into a class as a whole does so by half, or by a quarter, and so on."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from PETWorks.making.local.classes import NOBODY
from PETWorks.making.local.judge import Judge
from PETWorks.making.local.pieces import PieceClasses
from PETWorks.making.local.place import cheapest, gather


def place_parts(classes: PieceClasses, judge: Judge, suppressing: float) -> None:
    """Let every piece join classes: first where this costs less than `suppressing` a row, then at any price.

    Those that nothing can take in stay outside.
    """
    for one in _left(classes, -classes.rows):
        settle(classes, judge, one, suppressing)
    costs = np.full(len(classes.rows), np.inf)
    left = np.flatnonzero(classes.of == NOBODY).tolist()
    costs[left] = [classes.prices(one)[1].min(initial=np.inf) for one in left]
    for one in _left(classes, costs):
        settle(classes, judge, one, np.inf)
        if classes.of[one] == NOBODY:
            gather(classes, judge, one)


def _left(classes: PieceClasses, rank: np.ndarray) -> Iterator[int]:
    left = np.flatnonzero((classes.of == NOBODY) & ~classes.forest.suppressed(classes.leaves))
    yield from left[np.argsort(rank[left], kind="stable")].tolist()


def settle(classes: PieceClasses, judge: Judge, one: int, price: float) -> None:
    """Let a piece that is in no class, or as much of it as possible, join classes at a price for each of its rows."""
    share = classes.rows[one]
    while share >= 1:
        part = one if share >= classes.rows[one] else classes.split(one, share)
        found = cheapest(classes, judge, part, limit=classes.rows[part] * price)
        if found is not None:
            classes.join(part, found[0])
            if part == one:
                return
            share = min(share, classes.rows[one])
        else:
            if part != one:
                classes.rejoin(one)
            share //= 2
