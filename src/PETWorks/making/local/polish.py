"""Polish: combinations leave their class for a better one, and classes are dissolved, wherever less is lost then."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import numpy as np

from PETWorks.counting.tally import IntArray
from PETWorks.making.local.classes import NOBODY, LocalClasses, State
from PETWorks.making.local.judge import Judge
from PETWorks.making.local.place import cheapest
from PETWorks.making.local.substitutes import Substitutes

ROUNDING = 1e-9  # gains below this share of a class's loss are rounding errors
VISITED = 250  # classes that a round visits
LEAVING = 2  # combinations of a class that are tried for an exchange, those that cost most


@dataclass(frozen=True, eq=False)
class Outside:
    """The rows that no class has: they are suppressed."""

    classes: LocalClasses
    allowed: int
    crowd: int  # the fewest that may be suppressed, if any are
    loss: float  # of a suppressed row

    @property
    def rows(self) -> float:
        """How many rows are suppressed at present."""
        return float(self.classes.rows[self.classes.of == NOBODY].sum())

    def within(self, allowed: int) -> Outside:
        """Return the same with another number of rows allowed."""
        return replace(self, allowed=allowed)

    def admits(self, rows: float) -> bool:
        """Return True if so many rows may be suppressed."""
        return rows <= self.allowed and (rows == 0 or rows >= self.crowd)

    def settle(self) -> None:
        """Suppress one more class if so few rows are suppressed that they tell on somebody."""
        if 0 < (rows := self.rows) < self.crowd:
            sizes = self.classes.sizes
            able = np.flatnonzero((rows + sizes >= self.crowd) & (rows + sizes <= self.allowed))
            if len(able):
                costs = sizes[able] * (self.loss - self.classes.losses[able])
                self.classes.remove(int(able[costs.argmin()]))


class Polish:
    """Passes over all classes, worst first, in rounds of so many classes."""

    def __init__(self, classes: LocalClasses, judge: Judge, outside: Outside) -> None:
        self.classes, self.judge, self.outside = classes, judge, outside
        self._open: list[int] = []  # a combination of each class that this pass has yet to visit, the next one last
        self._before = self._last = np.inf  # the loss when this pass began, and when its last round ended
        self._begun = self._to_the_end = False  # True: this pass had no round yet; True: it is not cut short

    @property
    def _loss(self) -> float:
        return self.classes.loss + self.outside.rows * self.outside.loss

    def done(self, enough: float) -> bool:
        """Return True if a pass over all classes gained less than enough; else begin another one when one is over.

        A pass is over early when a round gains less than enough: the worst classes gain most, and some are new. But if
        its first round gains less, it goes on to the end.
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

    def round(self, deadline: float | None) -> bool:
        """Visit some classes; return False if time was up before the end."""
        for _ in range(min(VISITED, len(self._open))):
            if deadline is not None and time.monotonic() > deadline:
                return False
            one = self._open.pop()
            for improve in (self._move, self._dissolve, self._exchange):
                number = int(self.classes.of[one])
                if number != NOBODY and self.classes.losses[number] > 0:
                    improve(number)
        return True

    def _move(self, number: int) -> None:
        """Let combinations leave a class, one at a time, as long as the rest of it holds and less is lost."""
        classes = self.classes
        staying: set[int] = set()
        while len(members := classes.members[number]) > 1:
            rest = classes.forest.common_without(classes.values[:, members])
            sizes = classes.sizes[number] - classes.rows[members]
            gains = classes.sizes[number] * classes.losses[number] - sizes * classes.forest.lost(rest)
            counts = classes.counts[number] - classes.spreads[members]

            def described(
                index: int, members: list[int] = members, rest: IntArray = rest
            ) -> tuple[list[int], IntArray]:
                return members[:index] + members[index + 1 :], classes.forest.level[rest[:, index]]

            able = np.flatnonzero(self.judge.holds(sizes, counts, described))
            for index in able[np.argsort(-gains[able], kind="stable")].tolist():
                if members[index] not in staying:
                    staying.add(members[index])
                    if self._moved(members[index], number, float(gains[index]) * (1 - ROUNDING)):
                        break
            else:
                return

    def _moved(self, one: int, number: int, gain: float) -> bool:
        """Let a combination leave its class if that costs less than a gain."""
        classes, alone = self.classes, self._alone(one)
        found = cheapest(classes, self.judge, one, limit=min(gain, alone), but=number)
        if found is not None:
            classes.leave(one)
            classes.join(one, found[0])
        elif alone < gain and self.outside.admits(self.outside.rows + classes.rows[one]):
            classes.leave(one)
        else:
            return False
        return True

    def _dissolve(self, number: int) -> None:
        """Let all combinations of a class join others, or suppress them, if less is lost then."""
        classes = self.classes
        members = sorted(classes.members[number], key=lambda member: (-classes.rows[member], member))
        cost = float(classes.sizes[number] * classes.losses[number]) * (1 - ROUNDING)
        if not self._may_cost_less(members, number, cost):
            return
        paid = gone = 0.0
        before: dict[int, State] = {}
        for one in members:
            alone = self._alone(one)
            found = cheapest(classes, self.judge, one, limit=min(cost - paid, alone), but=number)
            if found is not None:
                before.setdefault(found[0], classes.state(found[0]))
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
        """Let a combination that costs much leave a class for another one, and one that costs less take its place."""
        classes = self.classes
        members = classes.members[number]
        if len(members) == 1:
            return
        rest = classes.forest.common_without(classes.values[:, members])
        sizes = classes.sizes[number] - classes.rows[members]
        gains = classes.sizes[number] * classes.losses[number] - sizes * classes.forest.lost(rest)
        for index in np.argsort(-gains, kind="stable")[:LEAVING].tolist():
            one, gain = members[index], float(gains[index]) * (1 - ROUNDING)
            found = cheapest(classes, self.judge, one, limit=gain, but=number)
            if found is not None:
                substitutes = Substitutes(classes, self.judge, number, one, rest[:, index])
                other = substitutes.best(gain - found[1], but=found[0])
                if other is not None:
                    classes.leave(one)
                    classes.join(one, found[0])
                    classes.leave(other)
                    classes.join(other, number)
                    return

    def _may_cost_less(self, members: list[int], number: int, cost: float) -> bool:
        """Return False if the members of a class could not join others below a cost, even if all of these held."""
        for one in members:
            alone = self._alone(one)
            numbers, prices = self.classes.prices(one, min(cost, alone))
            cost -= float(prices[numbers != number].min(initial=alone))
            if cost <= 0:
                return False
        return True

    def _alone(self, one: int) -> float:
        """Return what is lost if a combination is suppressed."""
        return float(self.classes.rows[one]) * self.outside.loss
