"""Judge which classes meet the goals: by floats where these are clear, else exactly by the measures themselves.

A margin is the distance of a class from the limit of a goal, in floats, for many classes at once. Margins repeat the
scores of the measures for speed: a class with a margin close to zero is judged by the measure itself. A goal without a
margin is always judged by the measure, which is slower.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from PETWorks.anonymization.table import RawTable
from PETWorks.exact.limit import Limit, Number
from PETWorks.exact.scores import FloatArray
from PETWorks.facts.classes import Classes, Unit
from PETWorks.facts.facts import Facts
from PETWorks.facts.spread import Spread
from PETWorks.measure.bounds import Privacy
from PETWorks.measure.formulas.earth_mover import sort_values
from PETWorks.measure.privacy.alpha_k_anonymity import AlphaKAnonymity
from PETWorks.measure.privacy.beta_likeness import BetaLikeness
from PETWorks.measure.privacy.delta_disclosure import DeltaDisclosure
from PETWorks.measure.privacy.k_anonymity import KAnonymity
from PETWorks.measure.privacy.l_diversity import LDiversity
from PETWorks.measure.privacy.p_sensitive_k_anonymity import PSensitiveKAnonymity
from PETWorks.measure.privacy.t_closeness import TCloseness
from PETWorks.tables.counting.tally import Coded, IntArray, Mask

ROUNDING = 1e-9  # a generous bound on the error of floats


@dataclass(frozen=True, eq=False)
class Distance:
    """Earth Mover's Distance as a mean of absolute differences between actual and expected sums of counts."""

    sums: FloatArray  # by value and sum, 1 if the value belongs to it
    weight: float
    shares: FloatArray  # by value, its share of the whole table
    parts: IntArray  # the start of each level of a hierarchy among the sums; empty if values are ordered
    rows: int

    @classmethod
    def of(cls, goal: TCloseness, spread: Spread, facts: Facts) -> Distance:
        """Build the distance by which a goal judges a sensitive attribute."""
        (bound,) = (bound for bound in goal.compute_bounds(facts) if bound.part == spread.name)
        shares, each = spread.overall / spread.rows, np.arange(len(spread.values))
        if bound.figures["distance"] == "ordered":
            single = replace(spread, of_class=each, of_value=each, counts=each + 1)
            places = sort_values(single, goal.order).of_value
            sums = (places[:, None] <= np.arange(places.max() + 1)).astype(np.float64)
            return cls(sums, 1 / max(int(places.max()), 1), shares, each[:0], spread.rows)
        lifts = [each]
        if bound.figures["distance"] == "hierarchical":
            tree = facts.columns.find_sensitive_hierarchy(spread)
            lifts = [
                Coded.of([tree.lift(value, level) for value in spread.values]).codes for level in range(tree.height)
            ]
        widths = [int(lift.max()) + 1 for lift in lifts]
        sums = np.concatenate(
            [np.zeros((len(each), 0)), *(np.eye(width)[lift] for lift, width in zip(lifts, widths, strict=True))],
            axis=1,
        )
        return cls(sums, 1 / (2 * max(len(lifts), 1)), shares, np.cumsum([0, *widths])[:-1], spread.rows)

    def measure_classes(self, sizes: FloatArray, counts: FloatArray) -> FloatArray:
        """Return the distance of each class from the whole table."""
        differences = counts @ self.sums / sizes[:, None] - self.shares @ self.sums
        return np.asarray(self.weight * np.abs(differences).sum(axis=1))

    def bound_parts(self, counts: FloatArray, size: int) -> FloatArray:
        """Return a lower bound on the distance of any part of a class with at least `size` rows.

        Of each sum, a part has no more rows than the class. The rows missing there are in excess elsewhere on the same
        level of a hierarchy.
        """
        missing = np.maximum(self.shares @ self.sums - counts @ self.sums / size, 0).sum(axis=1)
        return np.asarray(self.weight * missing * (2 if len(self.parts) else 1))

    def find_least_size(self, most: float) -> int:
        """Return a lower bound on the rows of a class within distance `most` of the whole table."""
        return next(size for size in range(1, self.rows + 1) if self._bound_by_size(size) <= most + ROUNDING)

    def _bound_by_size(self, size: int) -> float:
        """Return a lower bound on the distance of any class of a size, whose sums are whole numbers of rows.

        The sums of a level add up to the size. If the expected sums are rounded down, the remaining rows cost least
        where rounding removed most.
        """
        expected = self.shares @ self.sums * size
        if not len(self.parts):
            return self.weight * float(np.abs(expected - np.round(expected)).sum()) / size
        total = 0.0
        for part in np.split(expected, self.parts[1:]):
            cut = np.sort(1 - (part - np.floor(part + ROUNDING)))
            left = size - round(float(np.floor(part + ROUNDING).sum()))
            total += 2 * float(cut[:left].sum())
        return self.weight * total / size


Margin = Callable[[FloatArray, FloatArray], Any]  # an array from the sizes of classes and their counts of values


@dataclass(frozen=True)
class Attribute:
    """A sensitive attribute: its spread over the whole table, and the columns of its values among all counts."""

    spread: Spread
    columns: slice

    @property
    def shares(self) -> FloatArray:
        """The share of each value in the whole table."""
        return np.asarray(self.spread.overall / self.spread.rows)


def build_margin(goal: Privacy, attributes: Mapping[str, Attribute], facts: Facts) -> Margin | None:
    """Return the margin of a goal, positive for classes that hold; None if the goal has no margin."""
    if type(goal) not in KNOWN or (goal.needs and not attributes):
        return None
    if isinstance(goal, LDiversity) and goal.others == "join" and len(attributes) > 1:
        return None
    by_size, by_value = KNOWN[type(goal)]
    bounds = [] if by_size is None else list(bound_rows(getattr(goal, by_size)))
    if by_value is not None:
        only = getattr(goal, "sensitive", None)
        for one in attributes.values() if only is None else [attributes[only]]:
            bounds += [_restrict(one, bound) for bound in by_value(goal, one, facts)]

    def least(sizes: FloatArray, counts: FloatArray) -> FloatArray:
        margin = np.full(len(sizes), np.inf)
        for bound in bounds:
            np.minimum(margin, bound(sizes, counts), out=margin)
        return margin

    return least


def _restrict(one: Attribute, bound: Margin) -> Margin:
    """Apply a margin to the counts of one attribute."""
    return lambda sizes, counts: bound(sizes, counts[:, one.columns])


def bound_rows(least: Number | None) -> Iterator[Margin]:
    """Yield the margin of a least class size. Sizes are whole, so an offset of half a row keeps it away from zero."""
    if least is not None:
        enough = float(Limit.of(least).exact) - 0.5
        yield lambda sizes, _: sizes - enough


def _bound_values(least: Number | None) -> Iterator[Margin]:
    if least is not None:
        enough = math.ceil(Limit.of(least).exact) - 0.5
        yield lambda _, counts: (counts > 0).sum(axis=1) - enough


def _bound_distinct(goal: Any, one: Attribute, facts: Facts) -> Iterator[Margin]:  # noqa: ANN401, ARG001
    yield from _bound_values(goal.p)


def _bound_shares(goal: Any, one: Attribute, facts: Facts) -> Iterator[Margin]:  # noqa: ANN401, ARG001
    if goal.alpha is not None:
        most = float(Limit.of(goal.alpha).exact)
        yield lambda sizes, counts: most - counts.max(axis=1) / sizes


def _bound_diversity(goal: Any, one: Attribute, facts: Facts) -> Iterator[Margin]:  # noqa: ANN401, ARG001
    if goal.variant == "distinct":
        yield from _bound_values(goal.l)
    elif goal.variant == "entropy" and goal.l is not None:
        bits = math.log(Limit.of(goal.l).exact)
        yield lambda sizes, counts: _compute_entropy(sizes, counts) - bits
    elif goal.variant == "recursive" and goal.c is not None:
        place, most = int(Limit.of(goal.l).exact), float(Limit.of(goal.c).exact)
        yield from _bound_values(goal.l)
        yield lambda _, counts: most - _compute_recursive_ratio(counts, place)


def _compute_entropy(sizes: FloatArray, counts: FloatArray) -> FloatArray:
    """Return the entropy of each class; counts of 0 are raised to 1, whose logarithm is 0."""
    weighted = np.einsum("ij,ij->i", counts, np.log(np.maximum(counts, 1)))
    return np.asarray(np.log(sizes) - weighted / sizes)


def _compute_recursive_ratio(counts: FloatArray, place: int) -> FloatArray:
    """Return the largest count divided by the sum of the counts from a place on, in descending order."""
    ordered = -np.sort(-counts, axis=1)
    return np.asarray(ordered[:, 0] / np.maximum(ordered[:, place - 1 :].sum(axis=1), 1))


def _bound_closeness(goal: Any, one: Attribute, facts: Facts) -> Iterator[Margin]:  # noqa: ANN401
    if goal.t is not None:
        distance, most = Distance.of(goal, one.spread, facts), float(Limit.of(goal.t).exact)
        yield lambda sizes, counts: most - distance.measure_classes(sizes, counts)


def _bound_likeness(goal: Any, one: Attribute, facts: Facts) -> Iterator[Margin]:  # noqa: ANN401, ARG001
    if goal.beta is not None:
        shares, most = one.shares, float(Limit.of(goal.beta).exact)
        caps = np.minimum(most, -np.log(shares)) if goal.variant == "enhanced" else np.full(len(shares), most)
        yield lambda sizes, counts: (caps - np.maximum(counts / (sizes[:, None] * shares) - 1, 0)).min(axis=1)


def _bound_disclosure(goal: Any, one: Attribute, facts: Facts) -> Iterator[Margin]:  # noqa: ANN401, ARG001
    if goal.delta is not None:
        shares, most, skipped = one.shares, float(Limit.of(goal.delta).exact), goal.absent == "skip"

        def margin(sizes: FloatArray, counts: FloatArray) -> FloatArray:
            with np.errstate(divide="ignore"):
                change = np.abs(np.log2(counts / (sizes[:, None] * shares)))
            return np.asarray(most - np.where((counts == 0) & skipped, 0, change).max(axis=1))

        yield margin


ByValue = Callable[[Any, Attribute, Facts], Iterator[Margin]]
KNOWN: Mapping[type[Privacy], tuple[str | None, ByValue | None]] = {  # a limit of class sizes, and bounds by attribute
    KAnonymity: ("k", None),
    AlphaKAnonymity: ("k", _bound_shares),
    PSensitiveKAnonymity: ("k", _bound_distinct),
    LDiversity: (None, _bound_diversity),
    TCloseness: (None, _bound_closeness),
    BetaLikeness: (None, _bound_likeness),
    DeltaDisclosure: (None, _bound_disclosure),
}


def find_least_size(goal: Privacy, facts: Facts) -> int:
    """Return a lower bound on the rows of any class that meets a goal."""
    least = goal.least_size()
    if isinstance(goal, TCloseness) and goal.t is not None:
        most = float(Limit.of(goal.t).exact)
        spreads = facts.spreads(goal.sensitive)
        least = max(least, *(Distance.of(goal, spread, facts).find_least_size(most) for spread in spreads))
    return least


MARGIN_TOLERANCE = 1e-7  # margin below which the measure decides; far above rounding errors
NO_LEVELS = np.zeros(0, dtype=np.int64)
DENSE = 2**25  # most entries of a table of counts by combination and sensitive value

ClassDescription = Callable[
    [int], tuple[Sequence[int] | IntArray, IntArray]
]  # the members of a class, and its levels by column


@dataclass(frozen=True, eq=False)
class SupposedFacts(Facts):
    """The facts of hypothetical classes, as far as privacy measures need them."""

    judge: ClassJudge | None = None
    counted: FloatArray | None = None
    supposed: Classes | None = None

    def groups(self, unit: Unit = Unit.PEOPLE, *, with_values: bool = False) -> Classes:  # noqa: ARG002
        """Return the hypothetical classes."""
        assert self.supposed is not None  # noqa: S101
        return self.supposed

    def _spread(self, name: str, *, joined: bool) -> Spread:  # noqa: ARG002
        assert self.judge is not None  # noqa: S101
        assert self.counted is not None  # noqa: S101
        one = self.judge.attributes[name]
        counts = self.counted[:, one.columns].astype(np.int64)
        of_class, of_value = np.nonzero(counts)
        found = counts[of_class, of_value]
        return replace(one.spread, classes=self.groups(), of_class=of_class, of_value=of_value, counts=found)


class ClassJudge:
    """Judges classes by the goals that each must meet, against the whole table."""

    def __init__(self, table: RawTable, goals: Sequence[Privacy]) -> None:
        self.table, self.goals = table, goals
        self.closed = all(goal.monotone and goal.declarations_hold(table.facts) for goal in goals)
        margins = [build_margin(goal, self.attributes, table.facts) for goal in goals]
        self._margins = [(goal, margin) for goal, margin in zip(goals, margins, strict=True) if margin is not None]
        others = [goal for goal, margin in zip(goals, margins, strict=True) if margin is None]
        self._by_size = [goal for goal in others if all(bound.by_size for bound in goal.compute_bounds(table.facts))]
        self._others = [goal for goal in others if goal not in self._by_size]
        self.least = max((find_least_size(goal, table.facts) for goal in goals), default=1)
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
        """By combination, the count of each value of the sensitive attributes."""
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
        """The goals that must be evaluated on a release of each class, one by one."""
        return self._others

    @property
    def by_value(self) -> list[Privacy]:
        """The goals that are judged by the counts of sensitive values alone."""
        return [goal for goal, _ in self._margins if goal.needs]

    def compute_floor(self, goal: Privacy, sizes: FloatArray, counts: FloatArray) -> FloatArray:
        """Return, for each class, the least share that a goal of `by_value` suppresses, however it is divided."""
        return goal.find_least_suppression(self._build_facts(sizes, counts))

    def find_holding(
        self, sizes: FloatArray, counts: FloatArray, described: ClassDescription = lambda _: ((), NO_LEVELS)
    ) -> Mask:
        """Return a mask of the classes that meet every goal; `described` is used by the `slow` goals."""
        holding = np.ones(len(sizes), dtype=bool)
        for goal, margin in self._margins:
            where = np.flatnonzero(holding)
            if len(where):
                holding[where] = self._judge(goal, margin, sizes[where], counts[where])
        for goal in self._by_size:
            distinct, own = np.unique(sizes, return_inverse=True)
            holding &= ~goal.find_failing(self._build_facts(distinct, counts[: len(distinct)]))[own]
        for goal in self._others:
            for number in np.flatnonzero(holding).tolist():
                holding[number] = self._holds_alone(goal, *described(number))
        return holding

    def _judge(self, goal: Privacy, margin: Margin, sizes: FloatArray, counts: FloatArray) -> Mask:
        margins = margin(sizes, counts)
        holding: Mask = margins > 0
        unclear = np.flatnonzero(np.abs(margins) <= MARGIN_TOLERANCE)
        keys = [(goal, counts[number].tobytes()) for number in unclear.tolist()]
        new = [number for number, key in zip(unclear.tolist(), keys, strict=True) if key not in self._known]
        if new:
            fails = goal.find_failing(self._build_facts(sizes[new], counts[new]))
            self._known.update({(goal, counts[one].tobytes()): not bad for one, bad in zip(new, fails, strict=True)})
        for number, key in zip(unclear.tolist(), keys, strict=True):
            holding[number] = self._known[key]
        return holding

    def _build_facts(self, sizes: FloatArray, counts: FloatArray) -> Facts:
        classes = Classes(sizes.astype(np.int64), {}, np.zeros(0, dtype=np.int64))
        return self.table.facts.with_changes(SupposedFacts, judge=self, counted=counts, supposed=classes)

    def _holds_alone(self, goal: Privacy, members: Sequence[int] | IntArray, levels: IntArray) -> bool:
        """Return True if a release of this class alone, with all other rows suppressed, meets a goal."""
        suppressed = np.ones(len(self.table.counts), dtype=bool)
        suppressed[np.asarray(members)] = False
        return not goal.find_failing(
            self.table.build_facts_from_labels(self.table.look_up_labels(levels.tolist()), suppressed)
        ).any()
