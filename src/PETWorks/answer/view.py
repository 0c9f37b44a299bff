"""What a report shows: guarded results and exhibits, as plain figures. No facts can be reached from it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from PETWorks.answer.advice import Advice
from PETWorks.answer.evaluation import Evaluation, Requirement
from PETWorks.answer.exhibits.distances import Distances, distances
from PETWorks.answer.exhibits.levels import ColumnLevels, column_levels
from PETWorks.answer.exhibits.values import ColumnValues, column_values
from PETWorks.answer.guard import guarded_evaluation
from PETWorks.answer.run import survey
from PETWorks.errors import NotAskableError, PETWorksError
from PETWorks.facts.facts import Facts
from PETWorks.facts.notes import Scope
from PETWorks.facts.roles import Roles
from PETWorks.facts.tallies import Input
from PETWorks.measure.base import Measure
from PETWorks.measure.result import DESCRIBABLE, Result

Histogram = Mapping[int, int]  # how many classes there are of each size
M = TypeVar("M", bound=Measure)


@dataclass(frozen=True, eq=False)
class Record:
    """How the report was made: the tables, and how they were read."""

    inputs: tuple[Input, ...]
    original_rows: int | None
    heights: Mapping[str, int]  # of the hierarchies, by column
    key: str | None  # the column that pairs rows; None: by position
    marker: str
    original_digest: bool  # False: the original's digest is left out


@dataclass(frozen=True, eq=False)
class View:
    """An evaluation as a report sees it."""

    evaluation: Evaluation  # what was asked, guarded
    others: Evaluation  # all else that can be evaluated, without limits; guarded
    advice: Advice | None
    scope: Scope
    roles: Roles
    sizes: Histogram  # of the release's classes
    sizes_before: Histogram | None  # of the original's classes
    distances: tuple[Distances, ...]
    levels: tuple[ColumnLevels, ...]
    values: tuple[ColumnValues, ...]
    record: Record
    fits: bool  # False: only the sizes of classes are known
    least: int  # people that a class must have to be described

    @classmethod
    def of(cls, evaluation: Evaluation, *, show_small_classes: bool = False, original_digest: bool = True) -> View:
        """Build the view of an evaluation; unless small classes are to be shown, without what describes them."""
        if (facts := evaluation.facts) is None:
            hint = "make it of what Release.evaluate, Release.check or Policy.check returned, before guarding it"
            raise NotAskableError("there is nothing to report: no table was measured", hint=hint)
        least = 1 if show_small_classes else DESCRIBABLE
        others = survey(facts, without={result.measure.name for result in evaluation})
        every = Evaluation([*evaluation, *others])
        return cls(
            evaluation=guarded_evaluation(evaluation, least),
            others=guarded_evaluation(others, least),
            advice=evaluation.advice,
            scope=facts.scope,
            roles=facts.roles,
            sizes=facts.classes.histogram,
            sizes_before=_sizes_before(facts),
            distances=distances(every, facts, least),
            levels=column_levels(facts),
            values=column_values(facts, least),
            record=_record(facts, original_digest=original_digest),
            fits=facts.fits,
            least=least,
        )

    @property
    def has_original(self) -> bool:
        """True if an original was given."""
        return any(one.role == "original" for one in self.record.inputs)

    @property
    def published(self) -> int:
        """How many rows are not suppressed."""
        return self.scope.rows - self.scope.suppressed

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        """The requirements, those that fail first, then those that could not be evaluated."""
        order = {False: 0, None: 1, True: 2}
        return tuple(sorted(self.evaluation.requirements, key=lambda one: order[one.holds]))

    @property
    def results(self) -> Sequence[Result]:
        """All results, each once: what was asked, then the rest."""
        return tuple(dict.fromkeys([*self.evaluation, *self.others]))

    def find(self, kind: type[M]) -> Result | None:
        """Return the result of a kind of measure, the one that was asked if it was."""
        return next((result for result in self.results if isinstance(result.measure, kind)), None)

    def find_all(self, kind: type[M]) -> list[Result]:
        """Return all results of a kind of measure, those that fail first."""
        found = [result for result in self.results if isinstance(result.measure, kind)]
        return sorted(found, key=lambda result: result.holds is not False)

    @cached_property
    def anchors(self) -> dict[Result, str]:
        """The place on the page of each result's steps."""
        places: dict[Result, str] = {}
        for result in self.results:
            place = "m-" + re.sub(r"\W+", "-", result.measure.name).strip("-")
            again = sum(other.partition("--")[0] == place for other in places.values())
            places[result] = f"{place}--{again + 1}" if again else place
        return places


def _sizes_before(facts: Facts) -> Histogram | None:
    """Return the class sizes of the original; None without one, or where it lacks a column, as measures then say."""
    with suppress(PETWorksError):
        return facts.classes_before.histogram
    return None


def _record(facts: Facts, *, original_digest: bool) -> Record:
    rows = None
    with suppress(PETWorksError):
        rows = facts.rows_before
    heights = {column: tree.height for column, tree in facts.hierarchies.items()}
    inputs = facts.inputs(original_digest=original_digest)
    return Record(inputs, rows, heights, facts.key, facts.marker, original_digest)
