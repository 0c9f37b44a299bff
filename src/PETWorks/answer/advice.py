"""What would help when a requirement fails: classes to suppress, or a column to generalise further.

Every remedy is tried on the tally and all requirements are measured anew, so what it would reach, whom it concerns and
what it would cost in utility are exact.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from PETWorks.answer.evaluation import Evaluation, Requirement
from PETWorks.counting.tally import IntArray, Mask
from PETWorks.errors import PETWorksError
from PETWorks.explain.privacy import failing_classes
from PETWorks.facts.facts import Facts
from PETWorks.facts.what_if import effort, generalising, suppressing
from PETWorks.measure.privacy import Privacy
from PETWorks.measure.result import Result
from PETWorks.privacy.k_anonymity import KAnonymity
from PETWorks.utility.precision import Precision

WORK = 3 * 10**7  # that trying every column may take


@dataclass(frozen=True)
class Remedy:
    """A change of the release: what it concerns, and how the requirements would then come out."""

    kind: str  # "suppress_small", "suppress_failing" or "generalise"
    classes: int
    people: int
    after: tuple[Requirement, ...]
    changed: Facts  # the release as it would be
    column: str = ""

    @cached_property
    def precision(self) -> Result | None:
        """What it would leave of the detail; None if that cannot be asked."""
        return _precision(self.changed)

    @property
    def failing(self) -> int:
        """How many requirements would still not hold."""
        return sum(not one.holds for one in self.after)

    @cached_property
    def failing_people(self) -> int:
        """How many people would still be in classes that fail any requirement."""
        return failing_people(self.after, self.changed)

    @property
    def worst(self) -> int:
        """How many people would fail the requirement that most fail."""
        return max((one.result.failing_rows for one in self.after if one.result and not one.holds), default=0)


@dataclass(frozen=True)
class Advice:
    """The remedies that were tried."""

    suppress: tuple[Remedy, ...]
    generalise: tuple[Remedy, ...]  # one for each column, the most helpful first
    precision: Result | None  # as released

    @property
    def best(self) -> Remedy | None:
        """Suppressing every class that fails, if that makes all requirements hold."""
        return next((one for one in self.suppress if one.kind == "suppress_failing" and not one.failing), None)


def advise(evaluation: Evaluation) -> Advice | None:
    """Try what would help; None if all requirements hold, or none fails because of classes."""
    facts = evaluation.facts
    failing = [one for one in evaluation.requirements if one.holds is False]
    if facts is None or not failing or not len(facts.classes) or not facts.fits:
        return None
    by_class = [one.measure for one in failing if isinstance(one.measure, Privacy)]
    chosen = {measure: failing_classes(measure.bounds(facts), facts) for measure in by_class}
    columns = list(facts.roles.quasi_identifiers)
    affordable = len(columns) > 1 and effort(facts) <= WORK
    tried = [_generalise(evaluation, facts, name) for name in columns] if affordable else []
    helpful = sorted(tried, key=lambda one: one.worst)
    return Advice(tuple(_suppress(evaluation, facts, chosen)), tuple(helpful), _precision(facts))


def failing_rows(evaluation: Evaluation) -> IntArray:
    """Give the numbers, counted from 1, of the released rows that are in a class which fails a requirement."""
    facts = evaluation.facts
    if facts is None:
        return np.zeros(0, dtype=np.int64)
    return facts.release.numbers(facts.known.where(_failing(evaluation.requirements, facts)))


def failing_people(requirements: Iterable[Requirement], facts: Facts) -> int:
    """Count the people who are in a class that fails any of some requirements."""
    return int(facts.classes.people[_failing(requirements, facts)].sum())


def _failing(requirements: Iterable[Requirement], facts: Facts) -> Mask:
    """Tell for each class whether it fails any of some requirements."""
    measures = [one.measure for one in requirements if one.holds is False and isinstance(one.measure, Privacy)]
    bounds = [bound for measure in measures for bound in measure.bounds(facts)]
    return failing_classes(bounds, facts)


def _suppress(evaluation: Evaluation, facts: Facts, chosen: Mapping[Privacy, Mask]) -> Iterator[Remedy]:
    small = [mask for measure, mask in chosen.items() if isinstance(measure, KAnonymity)]
    every = np.any(list(chosen.values()), axis=0) if chosen else ~facts.classes.all
    if small and (np.any(small, axis=0) != every).any():
        yield _remedy("suppress_small", evaluation, facts, np.any(small, axis=0))
    if every.any() and not every.all():  # to suppress everything is no remedy
        yield _remedy("suppress_failing", evaluation, facts, every)


def _remedy(kind: str, evaluation: Evaluation, facts: Facts, mask: Mask) -> Remedy:
    changed = suppressing(facts, mask)
    people = int(facts.classes.people[mask].sum())
    return Remedy(kind, facts.classes.count(mask), people, _after(evaluation, changed), changed)


def _generalise(evaluation: Evaluation, facts: Facts, column: str) -> Remedy:
    changed = generalising(facts, column)
    people = facts.scope.rows - facts.scope.suppressed
    return Remedy("generalise", len(facts.classes), people, _after(evaluation, changed), changed, column)


def _after(evaluation: Evaluation, changed: Facts) -> tuple[Requirement, ...]:
    after = []
    for one in evaluation.requirements:
        result = None
        with suppress(PETWorksError):
            result = one.measure.evaluate(changed)
        after.append(Requirement(one.measure, result, one.problem, one.why))
    return tuple(after)


def _precision(facts: Facts) -> Result | None:
    with suppress(PETWorksError):
        return Precision().evaluate(facts)
    return None
