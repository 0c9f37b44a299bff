"""Which classes meet the goals: decided by the measures themselves, exactly, and by floats where these are clear."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from PETWorks.counting.tally import IntArray, Mask
from PETWorks.exact.scores import FloatArray
from PETWorks.facts.classes import Classes
from PETWorks.facts.facts import Facts
from PETWorks.facts.spread import Spread
from PETWorks.making.local.margins import Attribute, Margin, least_size, margin_of
from PETWorks.making.table import RawTable
from PETWorks.measure.privacy import Privacy

CLOSE = 1e-7  # margin below which the measure decides; far above float rounding errors
NO_LEVELS = np.zeros(0, dtype=np.int64)
DENSE = 2**25  # most entries of a table of counts by combination and sensitive value

Described = Callable[
    [int], tuple[Sequence[int] | IntArray, IntArray]
]  # the members of a class, and its levels by column


@dataclass(frozen=True, eq=False)
class Supposed(Facts):
    """The facts of some classes that a release might have, as far as privacy measures need them."""

    judge: Judge | None = None
    counted: FloatArray | None = None
    groups: Classes | None = None

    @property
    def classes(self) -> Classes:
        """The supposed classes."""
        assert self.groups is not None  # noqa: S101
        return self.groups

    @property
    def known_classes(self) -> Classes:
        """The supposed classes."""
        return self.classes

    def _spread(self, name: str, *, joined: bool) -> Spread:  # noqa: ARG002
        assert self.judge is not None  # noqa: S101
        assert self.counted is not None  # noqa: S101
        one = self.judge.attributes[name]
        counts = self.counted[:, one.columns].astype(np.int64)
        of_class, of_value = np.nonzero(counts)
        found = counts[of_class, of_value]
        return replace(one.spread, classes=self.classes, of_class=of_class, of_value=of_value, counts=found)


class Judge:
    """Goals that every class must meet, and the table that they are judged against."""

    def __init__(self, table: RawTable, goals: Sequence[Privacy]) -> None:
        self.table, self.goals = table, goals
        self.closed = all(goal.monotone and goal.steady(table.facts) for goal in goals)
        margins = [margin_of(goal, self.attributes, table.facts) for goal in goals]
        self._margins = [(goal, margin) for goal, margin in zip(goals, margins, strict=True) if margin is not None]
        others = [goal for goal, margin in zip(goals, margins, strict=True) if margin is None]
        self._by_size = [goal for goal in others if all(bound.by_size for bound in goal.judged_by(table.facts))]
        self._others = [goal for goal in others if goal not in self._by_size]
        self.least = max((least_size(goal, table.facts) for goal in goals), default=1)
        self._known: dict[tuple[Privacy, bytes], bool] = {}

    @cached_property
    def attributes(self) -> dict[str, Attribute]:
        """The sensitive attributes, if a goal needs any and their values by combination fit in memory."""
        found: dict[str, Attribute] = {}
        start = 0
        if any(goal.needs for goal in self.goals):
            for spread in self.table.facts.spreads():
                found[spread.name] = Attribute(spread, slice(start, start := start + len(spread.values)))
        return found if start * len(self.table.counts) <= DENSE else {}

    @cached_property
    def spreads(self) -> FloatArray:
        """By combination, how often each value of the sensitive attributes occurs."""
        width = max((one.columns.stop for one in self.attributes.values()), default=0)
        counts = np.zeros((len(self.table.counts), width))
        for name, one in self.attributes.items():
            column, of_combination, found = self.table.sensitive[name]
            place = {value: rank for rank, value in enumerate(one.spread.values)}
            places = np.array([place[value] for value in column.values])
            counts[of_combination, one.columns.start + places[column.codes]] = found
        return counts

    @property
    def slow(self) -> Sequence[Privacy]:
        """The goals that must be evaluated on a release of each class."""
        return self._others

    @property
    def by_value(self) -> list[Privacy]:
        """The goals that are judged by the counts of sensitive values alone."""
        return [goal for goal, _ in self._margins if goal.needs]

    def floor(self, goal: Privacy, sizes: FloatArray, counts: FloatArray) -> FloatArray:
        """Return, for each class, the least share of it that must go, however it is divided, by one of `by_value`."""
        return goal.floor(self._supposed(sizes, counts))

    def holds(self, sizes: FloatArray, counts: FloatArray, described: Described = lambda _: ((), NO_LEVELS)) -> Mask:
        """Return a mask of the classes that meet every goal; `described` is for those that are `slow`."""
        holding = np.ones(len(sizes), dtype=bool)
        for goal, margin in self._margins:
            where = np.flatnonzero(holding)
            if len(where):
                holding[where] = self._judged(goal, margin, sizes[where], counts[where])
        for goal in self._by_size:
            distinct, own = np.unique(sizes, return_inverse=True)
            holding &= ~goal.failing(self._supposed(distinct, counts[: len(distinct)]))[own]
        for goal in self._others:
            for number in np.flatnonzero(holding).tolist():
                holding[number] = self._alone(goal, *described(number))
        return holding

    def _judged(self, goal: Privacy, margin: Margin, sizes: FloatArray, counts: FloatArray) -> Mask:
        margins = margin(sizes, counts)
        holding: Mask = margins > 0
        unclear = np.flatnonzero(np.abs(margins) <= CLOSE)
        keys = [(goal, counts[number].tobytes()) for number in unclear.tolist()]
        new = [number for number, key in zip(unclear.tolist(), keys, strict=True) if key not in self._known]
        if new:
            fails = goal.failing(self._supposed(sizes[new], counts[new]))
            self._known.update({(goal, counts[one].tobytes()): not bad for one, bad in zip(new, fails, strict=True)})
        for number, key in zip(unclear.tolist(), keys, strict=True):
            holding[number] = self._known[key]
        return holding

    def _supposed(self, sizes: FloatArray, counts: FloatArray) -> Facts:
        classes = Classes(sizes.astype(np.int64), {}, np.zeros(0, dtype=np.int64))
        return self.table.facts.supposing(Supposed, judge=self, counted=counts, groups=classes)

    def _alone(self, goal: Privacy, members: Sequence[int] | IntArray, levels: IntArray) -> bool:
        """Return True if a release of this class alone, with all other rows suppressed, meets a goal."""
        suppressed = np.ones(len(self.table.counts), dtype=bool)
        suppressed[np.asarray(members)] = False
        return not goal.failing(self.table.released(self.table.labels(levels.tolist()), suppressed)).any()
