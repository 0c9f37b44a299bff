"""Place and polish: combinations join the cheapest class that still holds, and leave it for a better one.

Placing lets every remaining combination join the class where that costs least and which still meets the goals.
Polishing moves combinations, dissolves classes and exchanges members wherever this lowers the loss.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from PETWorks.anonymization.local.classes import NOBODY, ClassState, LocalClasses
from PETWorks.anonymization.local.judge import ClassJudge
from PETWorks.exact.scores import FloatArray
from PETWorks.tables.counting.tally import IntArray

FIRST_JUDGED = 16  # candidates that are judged first
MAX_FIRST_CLASSES = 16  # classes that are tried as the first of a pair


def place(classes: LocalClasses, judge: ClassJudge, suppressing: float) -> None:
    """Let every combination join a class: first where this costs less than `suppressing` a row, then at any price.

    Combinations that no class can take stay outside.
    """
    left = np.flatnonzero((classes.of == NOBODY) & ~classes.forest.find_suppressed(classes.leaves))
    for one in left[np.argsort(-classes.rows[left], kind="stable")].tolist():
        found = find_cheapest_class(classes, judge, one, limit=classes.rows[one] * suppressing)
        if found is not None:
            classes.join(one, found[0])
    left = left[classes.of[left] == NOBODY]
    costs = np.array([classes.find_prices(one)[1].min(initial=np.inf) for one in left.tolist()])
    for one in left[np.argsort(costs, kind="stable")].tolist():
        found = find_cheapest_class(classes, judge, one)
        if found is not None:
            classes.join(one, found[0])
        else:
            gather(classes, judge, one)


def find_cheapest_class(
    classes: LocalClasses, judge: ClassJudge, one: int, *, limit: float = np.inf, but: int = NOBODY
) -> tuple[int, float] | None:
    """Return the class other than `but` that a combination can join at the least price below a limit, and the price."""
    numbers, prices = classes.find_prices(one, limit)
    prices = np.where(numbers == but, np.inf, prices)
    for places in order_by_price(prices):
        some = numbers[places]
        sizes, counts = classes.sizes[some] + classes.rows[one], classes.counts[some] + classes.spreads[one]
        nodes = classes.find_joined_nodes(one, some)
        published = ~classes.forest.find_suppressed(nodes)

        def describe(number: int, some: IntArray = some, nodes: IntArray = nodes) -> tuple[list[int], IntArray]:
            return [*classes.members[some[number]], one], classes.forest.level[nodes[:, number]]

        holding = np.flatnonzero(published & judge.find_holding(sizes, counts, describe))
        if len(holding):
            return int(some[holding[0]]), float(prices[places[holding[0]]])
    return None


def order_by_price(prices: FloatArray) -> Iterator[IntArray]:
    """Yield the indices of finite prices, cheapest first, in two blocks: a few, then the others."""
    able = np.flatnonzero(prices < np.inf)
    some = able
    if len(able) > FIRST_JUDGED:
        some = np.sort(able[np.argpartition(prices[able], FIRST_JUDGED)[:FIRST_JUDGED]])
        able = np.setdiff1d(able, some, assume_unique=True)
        yield some[np.argsort(prices[some], kind="stable")]
    if len(able):
        yield able[np.argsort(prices[able], kind="stable")]


def gather(classes: LocalClasses, judge: ClassJudge, one: int) -> None:
    """Merge a combination with as few and as cheap classes as possible, so that they meet the goals together."""
    best: tuple[float, tuple[int, ...]] | None = None
    numbers, prices = classes.find_prices(one)
    for first in numbers[next(order_by_price(prices), np.zeros(0, dtype=np.int64))[:MAX_FIRST_CLASSES]].tolist():
        found = _find_union(classes, judge, one, first)
        if found is not None and (best is None or found < best):
            best = found
    if best is not None:
        members = [one, *(member for number in best[1] for member in classes.members[number])]
        for number in sorted(best[1], reverse=True):
            classes.remove(number)
        classes.add(members)


def _find_union(classes: LocalClasses, judge: ClassJudge, one: int, first: int) -> tuple[float, tuple[int, ...]] | None:
    """Return the price of the cheapest classes that hold together with a combination, and these, among them `first`."""
    chosen = [first]
    nodes = classes.find_joined_nodes(one, np.array([first]))[:, 0]
    size, counts = classes.rows[one] + classes.sizes[first], classes.spreads[one] + classes.counts[first]
    lost = float(classes.sizes[first] * classes.losses[first])
    while True:
        joined = classes.forest.join_nodes(nodes)[classes.nodes]
        new = classes.forest.compute_loss(joined)
        prices = (size + classes.sizes) * new - classes.sizes * classes.losses - lost
        prices[chosen] = np.inf
        prices[classes.forest.find_suppressed(joined)] = np.inf
        nearest = NOBODY
        for some in order_by_price(prices):
            nearest = int(some[0]) if nearest == NOBODY else nearest

            def describe(number: int, some: IntArray = some, joined: IntArray = joined) -> tuple[list[int], IntArray]:
                together = [*chosen, int(some[number])]
                members = [member for each in together for member in classes.members[each]]
                return [one, *members], classes.forest.level[joined[:, some[number]]]

            holding = np.flatnonzero(
                judge.find_holding(size + classes.sizes[some], counts + classes.counts[some], describe)
            )
            if len(holding):
                last = int(some[holding[0]])
                return float(prices[last]), (*chosen, last)
        if nearest == NOBODY:
            return None
        chosen.append(nearest)
        nodes = joined[:, nearest]
        size, counts = size + classes.sizes[nearest], counts + classes.counts[nearest]
        lost += float(classes.sizes[nearest] * classes.losses[nearest])


MAX_SUBSTITUTES = 5  # cheapest candidates that are judged


@dataclass(frozen=True, eq=False)
class Substitutes:
    """The combinations of other classes that could replace a member that leaves a class."""

    classes: LocalClasses
    judge: ClassJudge
    number: int
    leaving: int
    rest: IntArray  # the nodes of the class without the member that leaves

    def find_best(self, limit: float, but: int) -> int | None:
        """Return a combination outside of `but` that costs less than a limit and lets both classes hold, or None."""
        classes, of = self.classes, self.classes.of
        left = np.append(classes.sizes, 0.0)[of] - classes.rows
        able = np.flatnonzero((left >= self.judge.least) & (of != self.number) & (of != but))
        size, rows = float(classes.sizes[self.number] - classes.rows[self.leaving]), classes.rows[able]
        forest, lost = classes.forest, classes.forest.loss[self.rest]
        more = forest.compute_join_costs(self.rest) - lost[forest.column]
        changed = rows * (lost.sum() - classes.losses[of[able]])  # or less: their class may shrink
        cheap, prices = forest.find_cheap(classes.leaves[:, able], more, size + rows, changed, limit)
        for one in able[cheap[np.argsort(prices, kind="stable")[:MAX_SUBSTITUTES]]].tolist():
            if self._holds(one):
                return int(one)
        return None

    def _holds(self, one: int) -> bool:
        """Return True if both classes hold after the exchange, and are not suppressed rows."""
        classes, there = self.classes, int(self.classes.of[one])
        here = [member for member in classes.members[self.number] if member != self.leaving] + [one]
        others = [member for member in classes.members[there] if member != one]
        nodes = [classes.forest.find_common(classes.values[:, members]) for members in (here, others)]
        if any(classes.forest.find_suppressed(own) for own in nodes):
            return False
        counts = np.stack([classes.spreads[members].sum(axis=0) for members in (here, others)])
        sizes = np.array([classes.rows[members].sum() for members in (here, others)])
        described = [(here, classes.forest.level[nodes[0]]), (others, classes.forest.level[nodes[1]])]
        return bool(self.judge.find_holding(sizes, counts, lambda number: described[number]).all())


ROUNDING = 1e-9  # gains below this share of a class's loss are rounding errors
CLASSES_PER_ROUND = 250  # classes that a round visits
MAX_LEAVING = 2  # costliest combinations of a class that are tried for an exchange


@dataclass(frozen=True, eq=False)
class OutsideRows:
    """The rows in no class, which are suppressed."""

    classes: LocalClasses
    allowed: int
    crowd: int  # the minimum of suppressed rows if there are any
    loss: float  # of a suppressed row

    @property
    def rows(self) -> float:
        """The number of rows that are suppressed now."""
        return float(self.classes.rows[self.classes.of == NOBODY].sum())

    def with_allowed(self, allowed: int) -> OutsideRows:
        """Return a copy with another limit."""
        return replace(self, allowed=allowed)

    def admits(self, rows: float) -> bool:
        """Return True if so many rows may be suppressed."""
        return rows <= self.allowed and (rows == 0 or rows >= self.crowd)

    def settle(self) -> None:
        """Suppress one more class if fewer rows than the minimum are suppressed."""
        if 0 < (rows := self.rows) < self.crowd:
            sizes = self.classes.sizes
            able = np.flatnonzero((rows + sizes >= self.crowd) & (rows + sizes <= self.allowed))
            if len(able):
                costs = sizes[able] * (self.loss - self.classes.losses[able])
                self.classes.remove(int(able[costs.argmin()]))


class Polish:
    """Passes over all classes, those with the largest loss first, in rounds of a number of classes."""

    def __init__(self, classes: LocalClasses, judge: ClassJudge, outside: OutsideRows) -> None:
        self.classes, self.judge, self.outside = classes, judge, outside
        self._open: list[int] = []  # a member of each class that this pass must still visit, the next one last
        self._before = self._last = np.inf  # the loss when this pass began, and when its last round ended
        self._begun = self._to_the_end = False  # True: this pass had no round yet; True: it is not cut short

    @property
    def _loss(self) -> float:
        return self.classes.loss + self.outside.rows * self.outside.loss

    def is_done(self, enough: float) -> bool:
        """Return True if a pass over all classes gained less than `enough`; else begin the next pass if one ended.

        A pass ends early after a round that gains less than `enough`, since classes of large loss gain most, and some
        are new. But if its first round gains less, it goes on to the end.
        """
        gained, self._last = self._last - self._loss, self._loss
        if self._open:
            self._to_the_end |= self._begun and gained < enough
            self._begun = False
            if gained >= enough or self._to_the_end:
                return False
        elif self._before - self._loss < enough:
            return True
        self._before, self._begun, self._to_the_end = self._loss, True, False
        self.classes.fill(self.classes.of.copy())
        order = np.argsort(self.classes.sizes * self.classes.losses, kind="stable")
        self._open = [self.classes.members[number][0] for number in order.tolist()]
        return not self._open

    def run_round(self, deadline: float | None) -> bool:
        """Visit the next classes; return False if the deadline passed before the last one."""
        for _ in range(min(CLASSES_PER_ROUND, len(self._open))):
            if deadline is not None and time.monotonic() > deadline:
                return False
            one = self._open.pop()
            for improve in (self._move, self._dissolve, self._exchange):
                number = int(self.classes.of[one])
                if number != NOBODY and self.classes.losses[number] > 0:
                    improve(number)
        return True

    def _move(self, number: int) -> None:
        """Move combinations out of a class, one at a time, as long as the rest holds and less is lost."""
        classes = self.classes
        staying: set[int] = set()
        while len(members := classes.members[number]) > 1:
            rest = classes.forest.find_common_without(classes.values[:, members])
            sizes = classes.sizes[number] - classes.rows[members]
            gains = classes.sizes[number] * classes.losses[number] - sizes * classes.forest.compute_loss(rest)
            counts = classes.counts[number] - classes.spreads[members]

            def describe(index: int, members: list[int] = members, rest: IntArray = rest) -> tuple[list[int], IntArray]:
                return members[:index] + members[index + 1 :], classes.forest.level[rest[:, index]]

            able = np.flatnonzero(self.judge.find_holding(sizes, counts, describe))
            for index in able[np.argsort(-gains[able], kind="stable")].tolist():
                if members[index] not in staying:
                    staying.add(members[index])
                    if self._try_move(members[index], number, float(gains[index]) * (1 - ROUNDING)):
                        break
            else:
                return

    def _try_move(self, one: int, number: int, gain: float) -> bool:
        """Move a combination out of its class if this costs less than the gain; return True if it moved."""
        classes, alone = self.classes, self._compute_suppression_loss(one)
        found = find_cheapest_class(classes, self.judge, one, limit=min(gain, alone), but=number)
        if found is not None:
            classes.leave(one)
            classes.join(one, found[0])
        elif alone < gain and self.outside.admits(self.outside.rows + classes.rows[one]):
            classes.leave(one)
        else:
            return False
        return True

    def _dissolve(self, number: int) -> None:
        """Move all combinations of a class to others, or suppress them, if this loses less."""
        classes = self.classes
        members = sorted(classes.members[number], key=lambda member: (-classes.rows[member], member))
        cost = float(classes.sizes[number] * classes.losses[number]) * (1 - ROUNDING)
        if not self._may_cost_less(members, number, cost):
            return
        paid = gone = 0.0
        before: dict[int, ClassState] = {}
        for one in members:
            alone = self._compute_suppression_loss(one)
            found = find_cheapest_class(classes, self.judge, one, limit=min(cost - paid, alone), but=number)
            if found is not None:
                before.setdefault(found[0], classes.save_state(found[0]))
                classes.join(one, found[0])
                paid += found[1]
            else:
                paid, gone = paid + alone, gone + float(classes.rows[one])
                if paid >= cost or self.outside.rows + gone > self.outside.allowed:
                    break
        else:
            if not gone or self.outside.admits(self.outside.rows + gone):
                classes.remove(number)
                return
        for other, state in before.items():
            classes.restore(other, state)
        classes.of[members] = number

    def _exchange(self, number: int) -> None:
        """Move a costly combination to another class, and replace it by a cheaper one."""
        classes = self.classes
        members = classes.members[number]
        if len(members) == 1:
            return
        rest = classes.forest.find_common_without(classes.values[:, members])
        sizes = classes.sizes[number] - classes.rows[members]
        gains = classes.sizes[number] * classes.losses[number] - sizes * classes.forest.compute_loss(rest)
        for index in np.argsort(-gains, kind="stable")[:MAX_LEAVING].tolist():
            one, gain = members[index], float(gains[index]) * (1 - ROUNDING)
            found = find_cheapest_class(classes, self.judge, one, limit=gain, but=number)
            if found is not None:
                substitutes = Substitutes(classes, self.judge, number, one, rest[:, index])
                other = substitutes.find_best(gain - found[1], but=found[0])
                if other is not None:
                    classes.leave(one)
                    classes.join(one, found[0])
                    classes.leave(other)
                    classes.join(other, number)
                    return

    def _may_cost_less(self, members: list[int], number: int, cost: float) -> bool:
        """Return False if moving all members of a class costs more than `cost`, even if all other classes held."""
        for one in members:
            alone = self._compute_suppression_loss(one)
            numbers, prices = self.classes.find_prices(one, min(cost, alone))
            cost -= float(prices[numbers != number].min(initial=alone))
            if cost <= 0:
                return False
        return True

    def _compute_suppression_loss(self, one: int) -> float:
        """Return the loss of suppressing a combination."""
        return float(self.classes.rows[one]) * self.outside.loss
