"""What would help when a requirement fails: classes to suppress, or a column to generalise further.

Every remedy is applied to the tally and the requirements are evaluated again. So its verdicts, the people it concerns
and its cost in utility are exact. Verdicts that follow from the present bounds are not computed again: suppressing a
class does not change the scores of others (`classwise`), and a monotone requirement that holds still holds when
classes are merged.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from PETWorks.counting.tally import Mask
from PETWorks.errors import PETWorksError
from PETWorks.facts.facts import Facts
from PETWorks.facts.what_if import effort, generalising, suppressing
from PETWorks.measure.base import Measure
from PETWorks.measure.privacy import Privacy
from PETWorks.privacy.k_anonymity import KAnonymity
from PETWorks.utility.precision import Precision

if TYPE_CHECKING:
    from PETWorks.answer.evaluation import Requirement

AFFORDABLE = 3 * 10**7  # limit of `effort`; above it, generalising columns is not tried


@dataclass(frozen=True)
class Outcome:
    """The verdict on a requirement after a remedy."""

    measure: Measure
    holds: bool | None  # None: the requirement could not be evaluated
    failing_rows: int = 0


@dataclass(frozen=True)
class Remedy:
    """A change of the release: the classes and people it changes, and the verdicts on all requirements afterwards."""

    kind: str  # "suppress_small", "suppress_failing" or "generalise"
    classes: int
    people: int
    after: tuple[Outcome, ...]
    column: str = ""
    precision: float | None = None  # Precision afterwards; None if it was not computed
    failing_people: int = 0  # people who would still be in a failing class; 0 if not computed

    @property
    def failing(self) -> int:
        """The number of requirements that would still not hold."""
        return sum(not one.holds for one in self.after)

    @property
    def worst(self) -> int:
        """The number of failing people, for the requirement where it would be largest."""
        return max((one.failing_rows for one in self.after if not one.holds), default=0)


@dataclass(frozen=True)
class Advice:
    """The remedies that were tried."""

    suppress: tuple[Remedy, ...]
    generalise: tuple[Remedy, ...]  # one for each column, the most helpful first
    precision: float | None  # Precision of the release as it is
    failing_people: int  # people in a failing class of the release as it is

    @property
    def best(self) -> Remedy | None:
        """The remedy that suppresses every failing class, if it makes all requirements hold."""
        return next((one for one in self.suppress if one.kind == "suppress_failing" and not one.failing), None)


def advise(requirements: Sequence[Requirement], facts: Facts | None) -> Advice | None:
    """Try all remedies; return None if no requirement fails, or if no remedy can be tried."""
    failing = [one.measure for one in requirements if one.holds is False]
    if facts is None or not failing or not len(facts.classes) or not facts.fits:
        return None
    chosen = {measure: measure.failing(facts) for measure in failing if isinstance(measure, Privacy)}
    return Advice(
        tuple(_suppress(requirements, facts, chosen)),
        tuple(_generalise(requirements, facts)),
        _precision(facts),
        _people(failing_mask(failing, facts), facts),
    )


def failing_mask(measures: Iterable[Measure], facts: Facts) -> Mask:
    """Return a mask of the classes that fail any of the given measures."""
    failing = ~facts.classes.all
    for measure in measures:
        if isinstance(measure, Privacy):
            failing |= measure.failing(facts)
    return failing


def _suppress(requirements: Sequence[Requirement], facts: Facts, chosen: dict[Privacy, Mask]) -> Iterator[Remedy]:
    """Yield up to two remedies: suppress the small classes only, if others fail too; suppress all failing classes."""
    every = np.any(list(chosen.values()), axis=0) if chosen else ~facts.classes.all
    small = [mask for measure, mask in chosen.items() if isinstance(measure, KAnonymity)]
    if small and (np.any(small, axis=0) != every).any():
        yield _suppressed("suppress_small", requirements, facts, np.any(small, axis=0))
    if every.any() and not every.all():  # a release without any class left is useless
        yield _suppressed("suppress_failing", requirements, facts, every)


def _suppressed(kind: str, requirements: Sequence[Requirement], facts: Facts, mask: Mask) -> Remedy:
    def outcome(measure: Measure) -> Outcome:
        if isinstance(measure, Privacy) and measure.classwise:
            return Outcome(measure, not (measure.failing(facts) & ~mask).any())
        return _evaluated(measure, suppressing(facts, mask))

    after = tuple(outcome(one.measure) if one.result else Outcome(one.measure, None) for one in requirements)
    precision = _precision(suppressing(facts, mask))
    return Remedy(kind, facts.classes.count(mask), _people(mask, facts), after, precision=precision)


def _generalise(requirements: Sequence[Requirement], facts: Facts) -> Iterator[Remedy]:
    """Yield, by column, the remedy that generalises it completely; none for a single column or if it takes too long."""
    columns = facts.roles.quasi_identifiers
    if len(columns) == 1 or effort(facts) > AFFORDABLE:
        return
    tried = [_generalised(requirements, facts, name) for name in columns]
    for place, remedy in enumerate(sorted(tried, key=lambda one: one.worst)):
        if place and remedy.failing:
            yield remedy
            continue
        changed = generalising(facts, remedy.column)
        failing = failing_mask((one.measure for one in remedy.after if one.holds is False), changed)
        yield replace(remedy, precision=_precision(changed), failing_people=_people(failing, changed))


def _generalised(requirements: Sequence[Requirement], facts: Facts, column: str) -> Remedy:
    changed = generalising(facts, column)

    def outcome(one: Requirement) -> Outcome:
        if isinstance(one.measure, Privacy) and one.measure.monotone and one.holds:
            return Outcome(one.measure, holds=True)
        return _evaluated(one.measure, changed) if one.result else Outcome(one.measure, None)

    people = facts.scope.rows - facts.scope.suppressed
    return Remedy("generalise", len(facts.classes), people, tuple(map(outcome, requirements)), column)


def _evaluated(measure: Measure, changed: Facts) -> Outcome:
    with suppress(PETWorksError):
        if isinstance(measure, Privacy):
            bounds = measure.judged_by(changed)
            return Outcome(measure, not any(bound.fails.any() for bound in bounds), measure.failing_rows(changed))
        return Outcome(measure, measure.evaluate(changed).holds)
    return Outcome(measure, None)


def _people(classes: Mask, facts: Facts) -> int:
    return int(facts.classes.people[classes].sum())


def _precision(facts: Facts) -> float | None:
    with suppress(PETWorksError):
        return Precision().evaluate(facts).value
    return None
