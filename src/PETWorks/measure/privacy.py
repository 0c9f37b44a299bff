"""Bounds: what privacy measures yield. A score for every class, and the side of a limit on which all must be.

Floats only sort out the clear cases; what is close to the limit, or to the worst score, is compared exactly.

>>> from PETWorks.exact.scores import Ratios
>>> bound = Bound(Side.AT_MOST, "1/2", Ratios(np.array([1, 2]), np.array([2, 3])))
>>> bound.scores.exact(bound.worst()), bound.fails()
(Fraction(2, 3), array([False,  True]))
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from PETWorks.counting.tally import IntArray, Mask
from PETWorks.exact.limit import Limit, Number
from PETWorks.exact.scores import FloatArray, Scores
from PETWorks.explain import privacy as reasons
from PETWorks.explain.step import Name, Step
from PETWorks.facts.classes import Classes
from PETWorks.facts.facts import Facts
from PETWorks.measure.base import Measure, all_hold, keyed, verdict
from PETWorks.measure.result import ClassScore, Note, Part, Result

WORST = 10  # classes that a result names
CLOSE = 1e-9  # relative; far above the rounding of floats


class Side(StrEnum):
    """Where scores must be, seen from the limit."""

    AT_MOST = "at most"
    AT_LEAST = "at least"
    LESS_THAN = "less than"
    MORE_THAN = "more than"

    @property
    def high_is_bad(self) -> bool:
        """Whether larger scores are the worse ones."""
        return self in (Side.AT_MOST, Side.LESS_THAN)

    def allows(self, relation: int) -> bool:
        """Whether a score below (-1), at (0) or above (1) the limit is on this side of it."""
        allowed = {Side.AT_MOST: (-1, 0), Side.AT_LEAST: (0, 1), Side.LESS_THAN: (-1,), Side.MORE_THAN: (1,)}
        return relation in allowed[self]


@dataclass(frozen=True, eq=False)
class Bound:
    """Scores with the limit they must keep; without a limit, just scores."""

    side: Side
    limit: Number | None
    scores: Scores
    part: str = ""
    classes: Classes | None = None  # those that the scores belong to, where they are not the release's
    hopeless: Mask | None = None  # classes whose score is beyond every limit
    notes: tuple[Note, ...] = ()
    figures: Mapping[str, Any] = field(default_factory=dict)
    people: IntArray | None = None  # the fewest of the release that a class and its score tell of, if not its size
    by_size: bool = False  # scores follow from the sizes of classes alone, which may always be told

    @cached_property
    def badness(self) -> FloatArray:
        """Give floats that are larger for worse classes."""
        bad = self.scores.approximate if self.side.high_is_bad else -self.scores.approximate
        return bad if self.hopeless is None else np.where(self.hopeless, np.inf, bad)

    def worst(self) -> int | None:
        """Give the number of a class with the worst score; None if there are no classes."""
        if not len(self.badness):
            return None
        if self.hopeless is not None and self.hopeless.any():
            return int(self.hopeless.argmax())
        largest = self.badness.max()
        close = np.flatnonzero(self.badness >= largest - CLOSE * (1 + abs(largest)))
        candidates = np.sort(self.scores.alike(close)[0])  # many classes share a score
        worst = max if self.side.high_is_bad else min
        return int(worst(candidates.tolist(), key=self.scores.precise))

    def fails(self) -> Mask:
        """Tell for each class whether its score is on the wrong side of the limit."""
        if self.limit is None:
            return np.zeros(len(self.badness), dtype=bool)
        limit = Limit.of(self.limit)
        edge = float(limit) if self.side.high_is_bad else -float(limit)
        failing = self.badness > edge
        close = np.flatnonzero(np.abs(self.badness - edge) <= CLOSE * (1 + abs(edge)))
        distinct, like = self.scores.alike(close)
        wrong = [not self.side.allows(self.scores.compare(number, limit)) for number in distinct.tolist()]
        failing[close] = np.array(wrong, dtype=bool)[like]
        return failing

    def order(self, sizes: IntArray, most: int) -> list[int]:
        """Name the worst classes, larger ones first where scores are equal."""
        least = np.partition(self.badness, -most)[-most] if most < len(sizes) else -np.inf
        bad = np.flatnonzero(self.badness >= least)
        worst = [int(number) for number in bad[np.lexsort((-sizes[bad], -self.badness[bad]))[:most]]]
        if self.hopeless is not None and self.hopeless.any():
            return worst
        sign = -1 if self.side.high_is_bad else 1
        return sorted(worst, key=lambda number: (sign * self.scores.precise(number), -sizes[number]))


@dataclass(frozen=True, kw_only=True)
class Privacy(Measure):
    """How well people are hidden: bounds on every class."""

    family: ClassVar[str] = "privacy"

    @abstractmethod
    def bounds(self, facts: Facts) -> Iterator[Bound]:
        """Give the bounds that must hold. The first says which side the value of the measure comes from."""

    def evaluate(self, facts: Facts) -> Result:
        """Take the worst score as value; the verdict is that all bounds hold."""
        bounds = list(self.bounds(facts))
        judged = [_judged(bound, facts.classes) for bound in bounds]
        parts = keyed((bound.part, part) for bound, part in zip(bounds, judged, strict=True))
        leading = [part for bound, part in zip(bounds, judged, strict=True) if bound.side is bounds[0].side]
        head = _worst(leading, high_is_bad=bounds[0].side.high_is_bad)
        notes = [note for bound in bounds for note in bound.notes]
        if not len(facts.classes):
            notes.append(Note("nothing_published"))
        return Result(
            **vars(head) | {"holds": all_hold(parts.values()), **_failing(bounds, facts)},
            measure=self,
            scope=facts.scope,
            parts=parts,
            notes=(*facts.notes, *notes),
            facts=facts,
        )

    def explain(self, result: Result) -> Iterator[Step]:
        """Group, score, look at the deciding class, compare with the limit; bound by bound."""
        facts = result.measured
        yield reasons.grouped(facts)
        if not len(facts.classes):
            yield Step("nothing_published")
        else:
            for bound, part in zip(self.bounds(facts), result.parts.values(), strict=True):
                yield from self.scoring(bound, facts)
                yield from reasons.decided(self, bound, facts, result.least)
                yield verdict(part)
        yield from self.closing()
        if result.holds is False:
            yield from reasons.helping(self, result)

    def scoring(self, bound: Bound, facts: Facts) -> Iterator[Step]:  # noqa: ARG002
        """Say how every class is scored."""
        if "scored" in self.words["en"].steps:
            yield Step("scored", {**bound.figures, "part": Name(bound.part)})

    def worked(self, bound: Bound, number: int, facts: Facts, least: int) -> Iterator[Step]:  # noqa: ARG002
        """Work the score of one class out; values that fewer than `least` people of it hold must not be named."""
        return iter(())


def _failing(bounds: list[Bound], facts: Facts) -> dict[str, int]:
    """Count the classes, and the rows, that fail any of the bounds."""
    by_classes: dict[int, tuple[Classes, list[Mask]]] = {}
    for bound in bounds:
        classes = facts.classes if bound.classes is None else bound.classes
        by_classes.setdefault(id(classes), (classes, []))[1].append(bound.fails())
    failing = [(classes, np.any(masks, axis=0)) for classes, masks in by_classes.values()]
    counts = {
        "failing_classes": sum(classes.count(mask) for classes, mask in failing),
        "judged_classes": sum(classes.count(classes.all) for classes, _ in failing),
    }
    if len(failing) == 1:
        classes, mask = failing[0]
        return counts | {"failing_rows": int(classes.people[mask].sum())}
    rows = np.any([mask[classes.of_entry] for classes, mask in failing], axis=0)  # grouped in several ways
    return counts | {"failing_rows": int(facts.published.counts[rows].sum())}


def _judged(bound: Bound, classes: Classes) -> Part:
    """Turn a bound into the worst score, the verdict, and the classes that decide."""
    classes = classes if bound.classes is None else bound.classes
    worst, failing, scores = bound.worst(), bound.fails(), bound.scores
    hopeless = np.zeros(len(failing), dtype=bool) if bound.hopeless is None else bound.hopeless
    defined = worst is not None and not hopeless[worst]
    people = classes.sizes if bound.people is None else bound.people
    return Part(
        value=scores.value(worst) if worst is not None and defined else None,
        exact=scores.exact(worst) if worst is not None and defined else None,
        side=bound.side,
        limit=None if bound.limit is None else Limit.of(bound.limit),
        holds=None if bound.limit is None else not failing.any(),
        failing_classes=classes.count(failing),
        failing_rows=int(classes.people[failing].sum()),
        judged_classes=classes.count(classes.all),
        judged_rows=classes.rows,
        worst=tuple(
            ClassScore(
                classes.values(number),
                int(classes.sizes[number]),
                None if hopeless[number] else scores.value(number),
                None if hopeless[number] else scores.exact(number),
                int(people[number]),
            )
            for number in (bound.order(classes.sizes, WORST) if classes.columns else ())
        ),
        figures=dict(bound.figures) | ({"hopeless_classes": int(hopeless.sum())} if hopeless.any() else {}),
    )


def _worst(parts: list[Part], *, high_is_bad: bool) -> Part:
    """Choose the part that decides: one beyond every limit, else the one with the worst value."""
    for part in parts:
        if "hopeless_classes" in part.figures:
            return part
    worst = max if high_is_bad else min
    return worst(parts, key=lambda part: part.exact if part.exact is not None else part.value or 0)
