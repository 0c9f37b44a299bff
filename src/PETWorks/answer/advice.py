"""What would help when a requirement fails: classes to suppress, columns to generalise further, or both.

All remedies are tried. One is offered only if it helps: more requirements hold, or as many hold and fewer people are in
failing classes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PETWorks.answer.remedies import Remedy, Trial, failing_mask, helpfulness, people_in, precision_of
from PETWorks.answer.requirement import Requirement
from PETWorks.facts.facts import Facts


@dataclass(frozen=True)
class Advice:
    """The remedies that would help."""

    suppress: tuple[Remedy, ...]
    generalise: tuple[Remedy, ...]  # one column further, the most helpful first
    combined: Remedy | None  # two changes, if more requirements hold than after any single one, or at a lower cost
    failing: int  # requirements that do not hold as it is
    precision: float | None  # Precision of the release as it is
    failing_people: int  # people in a failing class of the release as it is
    untold: bool = False  # True: what generalising would bring must not be told

    @property
    def every(self) -> list[Remedy]:
        """All remedies."""
        return [*self.suppress, *self.generalise, *([self.combined] if self.combined else [])]

    @property
    def best(self) -> tuple[Remedy, ...]:
        """The remedies to name first: of each kind, the cheapest that makes all hold; else the most helpful one."""
        holding = [one for one in self.every if not one.failing]
        if holding:
            kinds = [one for one in holding if not one.lifts], [one for one in holding if one.lifts]
            return tuple(min(kind, key=lambda one: one.lost) for kind in kinds if kind)
        helpful = [one for one in self.every if one.failing < self.failing]
        return tuple(sorted(helpful, key=helpfulness)[:1])


def advise(requirements: Sequence[Requirement], facts: Facts | None) -> Advice | None:
    """Try all remedies; return None if no requirement fails, or if no remedy can be tried."""
    failing = [one.measure for one in requirements if one.holds is False]
    if facts is None or not failing or not len(facts.classes) or not facts.fits:
        return None
    trial = Trial(tuple(requirements), facts)
    suppress = list(trial.suppressions(failing))
    generalise = sorted(trial.generalisations(), key=lambda one: helpfulness(one.remedy))
    combined = trial.combination(generalise, [one.remedy for one in (*suppress, *generalise)])
    now, people = len(failing), people_in(failing_mask(failing, facts), facts)
    helpful = [one for one in generalise if (one.remedy.failing, one.remedy.failing_people) < (now, people)]
    return Advice(
        tuple(one.priced for one in suppress if one.remedy.failing < now),
        (*(one.priced for one in helpful[:1]), *(one.remedy for one in helpful[1:])),
        combined.priced if combined and combined.remedy.failing < now else None,
        now,
        precision_of(facts),
        people,
    )
