"""What the page shows: an evaluation, everything else that can be asked, and the facts behind them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from PETWorks.answer.advice import Advice, advise
from PETWorks.answer.evaluation import Evaluation, Requirement
from PETWorks.answer.run import survey
from PETWorks.errors import NotAskableError
from PETWorks.facts.facts import Facts
from PETWorks.measure.base import Measure
from PETWorks.measure.result import LEAST, Result, Scope

M = TypeVar("M", bound=Measure)


@dataclass(frozen=True, eq=False)
class View:
    """An evaluation as the page sees it."""

    evaluation: Evaluation  # what was asked
    others: Evaluation  # all else that can be asked, without limits
    facts: Facts
    least: int  # people that a class must have to be described

    @classmethod
    def of(cls, evaluation: Evaluation, *, show_small_classes: bool = False) -> View:
        """Look at an evaluation; unless small classes are to be shown, without what describes them."""
        if (facts := evaluation.facts) is None:
            hint = "ask a Release: its results carry what they measured"
            raise NotAskableError("there is nothing to report: no table was measured", hint=hint)
        asked = {result.measure.name for result in evaluation}
        others = survey(facts, without=asked)
        if show_small_classes:
            return cls(evaluation, others, facts, 1)
        return cls(evaluation.guarded(), others.guarded(), facts, LEAST)

    @property
    def scope(self) -> Scope:
        """The size of the release."""
        return self.facts.scope

    @property
    def published(self) -> int:
        """How many rows are not suppressed."""
        return self.scope.rows - self.scope.suppressed

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        """The requirements, those that fail first, then those that could not be asked."""
        order = {False: 0, None: 1, True: 2}
        return tuple(sorted(self.evaluation.requirements, key=lambda one: order[one.holds]))

    @property
    def results(self) -> Sequence[Result]:
        """All results: what was asked, then the rest."""
        return (*self.evaluation, *self.others)

    def find(self, kind: type[M]) -> Result | None:
        """Give the result of a kind of measure, the one that was asked if it was."""
        return next((result for result in self.results if isinstance(result.measure, kind)), None)

    def find_all(self, kind: type[M]) -> list[Result]:
        """Give all results of a kind of measure, those that fail first."""
        found = [result for result in self.results if isinstance(result.measure, kind)]
        return sorted(found, key=lambda result: result.holds is not False)

    @cached_property
    def anchors(self) -> dict[int, str]:
        """The place on the page of each result's steps, by the result's identity."""
        places: dict[int, str] = {}
        for result in self.results:
            place = "m-" + re.sub(r"\W+", "-", result.measure.name).strip("-")
            again = sum(other.partition("--")[0] == place for other in places.values())
            places[id(result)] = f"{place}--{again + 1}" if again else place
        return places

    @cached_property
    def advice(self) -> Advice | None:
        """What would help."""
        return advise(self.evaluation)
