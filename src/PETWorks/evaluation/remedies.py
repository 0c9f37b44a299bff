"""Remedies for failing requirements: classes to suppress, columns to generalise further, or both.

Each remedy is applied to the tally, and the requirements are evaluated again. So its verdicts, the number of people
concerned and its cost in utility are exact. Only one verdict is not computed again: a monotone requirement that holds
still holds when classes are merged. A remedy must leave at least half of the rows, and all requirements must remain
evaluable. It is offered only if it helps: if more requirements hold, or as many hold and fewer people are in failing
classes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import combinations
from typing import NamedTuple

from PETWorks.errors import PETWorksError
from PETWorks.evaluation.requirement import Requirement
from PETWorks.facts.facts import Facts
from PETWorks.facts.what_if import (
    Generalisation,
    count_affordable_tries,
    estimate_lost_detail,
    find_affordable_generalisations,
    generalise_columns,
    leaves_enough,
    suppress_classes,
)
from PETWorks.measure.base import Measure
from PETWorks.measure.bounds import Privacy
from PETWorks.measure.privacy.k_anonymity import KAnonymity
from PETWorks.measure.utility.precision import Precision
from PETWorks.tables.counting.tally import Mask


@dataclass(frozen=True)
class RemedyEffect:
    """The verdict on a requirement after a remedy."""

    measure: Measure
    holds: bool | None  # None: the requirement could not be evaluated
    failing_rows: int = 0


@dataclass(frozen=True)
class Remedy:
    """A change of the release, and the verdicts on all requirements afterwards.

    First the columns in `lifts` are generalised, then `classes` classes are suppressed.
    """

    after: tuple[RemedyEffect, ...]
    lifts: tuple[Generalisation, ...] = ()
    classes: int = 0
    only: tuple[Measure, ...] = ()  # only classes that fail these are suppressed; (): all failing ones
    people: int = 0  # people whose rows only the remedy suppresses
    failing_people: int = 0  # people still in a failing class afterwards
    lost: float = 0  # lost share of the detail of all cells afterwards, by the levels of the released values
    precision: float | None = None  # Precision afterwards; None if it was not computed

    @property
    def failing(self) -> int:
        """The number of requirements that still fail."""
        return sum(one.holds is False for one in self.after)

    @property
    def evaluated(self) -> int:
        """The number of requirements that could be evaluated."""
        return sum(one.holds is not None for one in self.after)

    @property
    def worst(self) -> int:
        """The largest number of failing people of any requirement."""
        return max((one.failing_rows for one in self.after if one.holds is False), default=0)


def find_failing_classes(measures: Iterable[Measure], facts: Facts) -> Mask:
    """Return a mask of the classes that fail any of the given measures."""
    failing = ~facts.classes.all
    for measure in measures:
        if isinstance(measure, Privacy):
            failing |= measure.find_failing(facts)
    return failing


class TriedRemedy(NamedTuple):
    """A remedy, and the facts of the release after it."""

    remedy: Remedy
    changed: Facts

    @property
    def priced(self) -> Remedy:
        """The remedy with the Precision of the release after it."""
        return replace(self.remedy, precision=compute_precision(self.changed))


@dataclass(frozen=True, eq=False)
class RemedyTrial:
    """A release that fails some of its requirements, and the remedies that can be tried on it."""

    requirements: tuple[Requirement, ...]
    facts: Facts

    def try_suppressions(self, failing: Sequence[Measure]) -> Iterator[TriedRemedy]:
        """Yield up to two remedies: suppress the small classes, if others fail too; suppress all failing classes.

        If that leaves too few rows, suppress the classes that fail some of the requirements, as many as possible.
        """
        every = find_failing_classes(failing, self.facts)
        small = tuple(one for one in failing if isinstance(one, KAnonymity))
        if (find_failing_classes(small, self.facts) != every).any():
            yield from self._try_suppression(small)
        if whole := list(self._try((), every)):
            yield from whole
            return
        by_people = sorted(failing, key=lambda one: count_people(find_failing_classes([one], self.facts), self.facts))
        first = [tuple(by_people[:many]) for many in range(1, len(by_people))]
        found = [tried for some in first if some != small for tried in self._try_suppression(some)]
        yield from found[-1:]

    def _try_suppression(self, only: tuple[Measure, ...]) -> Iterator[TriedRemedy]:
        yield from self._try((), find_failing_classes(only, self.facts), only=only)

    def try_generalisations(self) -> Iterator[TriedRemedy]:
        """Yield the remedies that generalise one column: to the next level, and completely."""
        for lift in find_affordable_generalisations(self.facts):
            yield from self._try((lift,))

    def find_combination(self, single: Sequence[TriedRemedy], rivals: Sequence[Remedy]) -> TriedRemedy | None:
        """Return the cheapest combination of two changes after which all requirements hold; else the most helpful one.

        One column is generalised; then a second one is, or the classes that still fail are suppressed. Return None if a
        rival is as good.
        """
        now, left = (
            estimate_lost_detail(self.facts),
            min((one.failing for one in rivals), default=len(self.requirements)),
        )
        enough = min((one.lost for one in rivals if not one.failing), default=1.0)
        changes: list[tuple[float, tuple[Generalisation, ...], Mask | None]] = []
        for (one, _), (other, _) in combinations(single, 2):
            if one.lifts[0].column != other.lifts[0].column:
                changes.append((one.lost + other.lost - now, one.lifts + other.lifts, None))
        for one, changed in single:
            still = find_failing_classes((outcome.measure for outcome in one.after if outcome.holds is False), changed)
            if still.any():
                changes.append((estimate_lost_detail(changed, still), one.lifts, still))
        cheap = sorted((one for one in changes if one[0] < enough), key=lambda one: one[0])
        helpful = []
        for _, lifts, mask in cheap[: count_affordable_tries(self.facts)]:
            for tried in self._try(lifts, mask, only_holding=not left):
                if not tried.remedy.failing:
                    return tried
                helpful.append(tried)
        best = min(helpful, key=lambda one: rank_helpfulness(one.remedy), default=None)
        return best if best and best.remedy.failing < left else None

    def _try(
        self,
        lifts: tuple[Generalisation, ...],
        mask: Mask | None = None,
        *,
        only: tuple[Measure, ...] = (),
        only_holding: bool = False,
    ) -> Iterator[TriedRemedy]:
        """Yield the remedy unless it leaves too few rows or makes a requirement unevaluable."""
        if mask is not None and not mask.any():
            return
        lifted = generalise_columns(self.facts, *lifts) if lifts else self.facts
        changed = lifted if mask is None else suppress_classes(lifted, mask)
        if not leaves_enough(changed):
            return
        merged = mask is None and changed.scope.suppressed == self.facts.scope.suppressed
        after = []
        for one in self.requirements:
            outcome = self._judge(one, changed, merged=merged)
            if (one.result and outcome.holds is None) or (only_holding and outcome.holds is False):
                return
            after.append(outcome)
        yield TriedRemedy(
            Remedy(
                tuple(after),
                lifts,
                0 if mask is None else lifted.classes.count(mask),
                only,
                changed.scope.suppressed_people - self.facts.scope.suppressed_people,
                count_people(
                    find_failing_classes((one.measure for one in after if one.holds is False), changed), changed
                ),
                estimate_lost_detail(changed),
            ),
            changed,
        )

    def _judge(self, one: Requirement, changed: Facts, *, merged: bool) -> RemedyEffect:
        """Evaluate a requirement again; `merged` is True if the only change was that classes were merged."""
        measure = one.measure
        if isinstance(measure, Privacy) and one.holds and merged and self._stays(measure):
            return RemedyEffect(measure, holds=True)
        with suppress(PETWorksError):
            if isinstance(measure, Privacy):
                bounds = measure.compute_bounds(changed)
                return RemedyEffect(
                    measure, not any(bound.failing.any() for bound in bounds), measure.count_failing_people(changed)
                )
            return RemedyEffect(measure, measure.evaluate(changed).holds)
        return RemedyEffect(measure, None)

    def _stays(self, measure: Privacy) -> bool:
        """Return True if a requirement that holds still holds after classes are merged."""
        return measure.monotone and not self.facts.has_population and (self.facts.persons is None or measure.by_sizes)


def rank_helpfulness(remedy: Remedy) -> tuple[int, int, float]:
    """Return a key that sorts the most helpful remedy first."""
    return remedy.failing, remedy.worst, remedy.lost


def count_people(classes: Mask, facts: Facts) -> int:
    """Count the people of some classes."""
    return facts.classes.count_people_in(classes)


def compute_precision(facts: Facts) -> float | None:
    """Return the Precision of a release; None if it cannot be evaluated."""
    with suppress(PETWorksError):
        return Precision().evaluate(facts).value
    return None


@dataclass(frozen=True)
class Advice:
    """The helpful remedies for a release."""

    suppress: tuple[Remedy, ...]
    generalise: tuple[Remedy, ...]  # one column further, the most helpful first
    combined: Remedy | None  # two changes, if more requirements hold than after any single one, or at a lower cost
    failing: int  # requirements that fail without a remedy
    precision: float | None  # Precision of the release without a remedy
    failing_people: int  # people in a failing class without a remedy
    untold: bool = False  # True: the effect of generalising is withheld

    @property
    def every(self) -> list[Remedy]:
        """All remedies."""
        return [*self.suppress, *self.generalise, *([self.combined] if self.combined else [])]

    @property
    def best(self) -> tuple[Remedy, ...]:
        """The remedies to name first: of each kind, the cheapest after which all hold; else the most helpful one."""
        holding = [one for one in self.every if not one.failing]
        if holding:
            kinds = [one for one in holding if not one.lifts], [one for one in holding if one.lifts]
            return tuple(min(kind, key=lambda one: one.lost) for kind in kinds if kind)
        helpful = [one for one in self.every if one.failing < self.failing]
        return tuple(sorted(helpful, key=rank_helpfulness)[:1])


def advise(requirements: Sequence[Requirement], facts: Facts | None) -> Advice | None:
    """Try all remedies and return the helpful ones; None if no requirement fails, or if no remedy can be tried."""
    failing = [one.measure for one in requirements if one.holds is False]
    if facts is None or not failing or not len(facts.classes) or not facts.fits_in_memory:
        return None
    trial = RemedyTrial(tuple(requirements), facts)
    suppress = list(trial.try_suppressions(failing))
    generalise = sorted(trial.try_generalisations(), key=lambda one: rank_helpfulness(one.remedy))
    combined = trial.find_combination(generalise, [one.remedy for one in (*suppress, *generalise)])
    now, people = len(failing), count_people(find_failing_classes(failing, facts), facts)
    helpful = [one for one in generalise if (one.remedy.failing, one.remedy.failing_people) < (now, people)]
    return Advice(
        tuple(one.priced for one in suppress if one.remedy.failing < now),
        (*(one.priced for one in helpful[:1]), *(one.remedy for one in helpful[1:])),
        combined.priced if combined and combined.remedy.failing < now else None,
        now,
        compute_precision(facts),
        people,
    )
