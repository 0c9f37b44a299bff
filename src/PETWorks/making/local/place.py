"""Place: everybody who is left joins the class where that costs least and which still meets the goals."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from PETWorks.counting.tally import IntArray
from PETWorks.exact.scores import FloatArray
from PETWorks.making.local.classes import NOBODY, LocalClasses
from PETWorks.making.local.judge import Judge

FEW = 16  # candidates that are judged first
FIRST = 16  # classes that are tried as the first of a pair


def place(classes: LocalClasses, judge: Judge, suppressing: float) -> None:
    """Let every combination join a class: first where this costs less than `suppressing` a row, then at any price.

    Those that nothing can take in stay outside.
    """
    left = np.flatnonzero((classes.of == NOBODY) & ~classes.forest.suppressed(classes.leaves))
    for one in left[np.argsort(-classes.rows[left], kind="stable")].tolist():
        found = cheapest(classes, judge, one, limit=classes.rows[one] * suppressing)
        if found is not None:
            classes.join(one, found[0])
    left = left[classes.of[left] == NOBODY]
    costs = np.array([classes.prices(one)[1].min(initial=np.inf) for one in left.tolist()])
    for one in left[np.argsort(costs, kind="stable")].tolist():
        found = cheapest(classes, judge, one)
        if found is not None:
            classes.join(one, found[0])
        else:
            gather(classes, judge, one)


def cheapest(
    classes: LocalClasses, judge: Judge, one: int, *, limit: float = np.inf, but: int = NOBODY
) -> tuple[int, float] | None:
    """Return the class that a combination can join at the least price below a limit, but not one of them; or None."""
    numbers, prices = classes.prices(one, limit)
    prices = np.where(numbers == but, np.inf, prices)
    for places in by_price(prices):
        some = numbers[places]
        sizes, counts = classes.sizes[some] + classes.rows[one], classes.counts[some] + classes.spreads[one]
        nodes = classes.joined(one, some)
        published = ~classes.forest.suppressed(nodes)

        def described(number: int, some: IntArray = some, nodes: IntArray = nodes) -> tuple[list[int], IntArray]:
            return [*classes.members[some[number]], one], classes.forest.level[nodes[:, number]]

        holding = np.flatnonzero(published & judge.holds(sizes, counts, described))
        if len(holding):
            return int(some[holding[0]]), float(prices[places[holding[0]]])
    return None


def by_price(prices: FloatArray) -> Iterator[IntArray]:
    """Yield the indices of finite prices, cheapest first: a few, then the others."""
    able = np.flatnonzero(prices < np.inf)
    some = able
    if len(able) > FEW:
        some = np.sort(able[np.argpartition(prices[able], FEW)[:FEW]])
        able = np.setdiff1d(able, some, assume_unique=True)
        yield some[np.argsort(prices[some], kind="stable")]
    if len(able):
        yield able[np.argsort(prices[able], kind="stable")]


def gather(classes: LocalClasses, judge: Judge, one: int) -> None:
    """Unite a combination with classes, as few and as cheap as possible, until they meet the goals together."""
    best: tuple[float, tuple[int, ...]] | None = None
    numbers, prices = classes.prices(one)
    for first in numbers[next(by_price(prices), np.zeros(0, dtype=np.int64))[:FIRST]].tolist():
        found = _united(classes, judge, one, first)
        if found is not None and (best is None or found < best):
            best = found
    if best is not None:
        members = [one, *(member for number in best[1] for member in classes.members[number])]
        for number in sorted(best[1], reverse=True):
            classes.remove(number)
        classes.add(members)


def _united(classes: LocalClasses, judge: Judge, one: int, first: int) -> tuple[float, tuple[int, ...]] | None:
    """Return the cheapest classes, among them `first`, that hold together with a combination, and their price."""
    chosen = [first]
    nodes = classes.joined(one, np.array([first]))[:, 0]
    size, counts = classes.rows[one] + classes.sizes[first], classes.spreads[one] + classes.counts[first]
    lost = float(classes.sizes[first] * classes.losses[first])
    while True:
        joined = classes.forest.joined(nodes)[classes.nodes]
        new = classes.forest.lost(joined)
        prices = (size + classes.sizes) * new - classes.sizes * classes.losses - lost
        prices[chosen] = np.inf
        prices[classes.forest.suppressed(joined)] = np.inf
        nearest = NOBODY
        for some in by_price(prices):
            nearest = int(some[0]) if nearest == NOBODY else nearest

            def described(number: int, some: IntArray = some, joined: IntArray = joined) -> tuple[list[int], IntArray]:
                together = [*chosen, int(some[number])]
                members = [member for each in together for member in classes.members[each]]
                return [one, *members], classes.forest.level[joined[:, some[number]]]

            holding = np.flatnonzero(judge.holds(size + classes.sizes[some], counts + classes.counts[some], described))
            if len(holding):
                last = int(some[holding[0]])
                return float(prices[last]), (*chosen, last)
        if nearest == NOBODY:
            return None
        chosen.append(nearest)
        nodes = joined[:, nearest]
        size, counts = size + classes.sizes[nearest], counts + classes.counts[nearest]
        lost += float(classes.sizes[nearest] * classes.losses[nearest])
