"""The view of an evaluation for reports: disclosure-controlled results and figures, without reference to facts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar

from PETWorks.disclosure.evaluation import disclose_advice, disclose_evaluation, disclose_front, disclose_making
from PETWorks.disclosure.exhibits import (
    ColumnLevels,
    Distances,
    ReportedValues,
    compute_column_levels,
    compute_column_values,
    compute_distances,
)
from PETWorks.disclosure.level import find_disclosure
from PETWorks.disclosure.results import disclose_missing_cells, disclose_scope
from PETWorks.errors import NotAskableError, PETWorksError
from PETWorks.evaluation.evaluation import Evaluation
from PETWorks.evaluation.provenance import Front, Provenance
from PETWorks.evaluation.remedies import Advice
from PETWorks.evaluation.requirement import Requirement
from PETWorks.evaluation.run import evaluate_all
from PETWorks.facts.facts import Facts
from PETWorks.facts.notes import Note, Scope
from PETWorks.facts.record import InputRecord, build_record
from PETWorks.facts.roles import Roles
from PETWorks.measure.base import Measure
from PETWorks.measure.result import Result
from PETWorks.shown import THRESHOLD, Count, Disclosure
from PETWorks.tables.counting.tally import sum_by_key

Histogram = Mapping[int, int]  # the number of classes by size
M = TypeVar("M", bound=Measure)


@dataclass(frozen=True, eq=False)
class EvaluationView:
    """The content of a report on an evaluation."""

    evaluation: Evaluation  # the evaluation of the user, after disclosure control
    others: Evaluation  # all other measures that can be evaluated, without limits, after disclosure control
    advice: Advice | None
    scope: Scope
    missing: Mapping[str, Count] | None  # by column, cells without a value; None: withheld
    roles: Roles
    sizes: Histogram  # sizes of the release's classes
    covered: Histogram  # the number of people by the size of their smallest class
    sizes_before: Histogram | None  # sizes of the original's classes; None where people have several rows
    distances: tuple[Distances, ...]
    levels: tuple[ColumnLevels, ...]
    values: tuple[ReportedValues, ...]
    record: InputRecord
    fits: bool  # False: only the sizes of classes are known
    disclosure: Disclosure  # what may be shown of small classes
    front: tuple[Front, Provenance] | None  # of alternative releases, if it was searched, and of what it is the front

    @classmethod
    def of(
        cls, evaluation: Evaluation, *, show_small_classes: bool = False, original_digest: bool = True
    ) -> EvaluationView:
        """Build the view of an evaluation; figures on small classes are withheld unless `show_small_classes`."""
        if (facts := evaluation.facts) is None:
            hint = "report the evaluation that Release.evaluate, Release.check or Policy.check returned"
            problem = "there is nothing to report: this evaluation is guarded, or no release was measured"
            raise NotAskableError(problem, hint=hint)
        least = 1 if show_small_classes else THRESHOLD
        may = find_disclosure(facts, least)
        others = evaluate_all(facts, without={result.measure.name for result in evaluation.all_results})
        every = Evaluation([*evaluation.all_results, *others])
        return cls(
            evaluation=disclose_evaluation(evaluation, least),
            others=disclose_evaluation(others, least),
            advice=disclose_advice(evaluation, least),
            scope=disclose_scope(facts.scope, may),
            missing=disclose_missing_cells(facts.scope, may),
            roles=facts.roles,
            sizes=facts.classes.histogram,
            covered=_count_covered(facts),
            sizes_before=_count_sizes_before(facts) if facts.people_summary is None else None,
            distances=compute_distances(every, facts, may),
            levels=compute_column_levels(facts, dict.fromkeys(facts.roles.quasi_identifiers, may)),
            values=compute_column_values(facts, may),
            record=_build_record(evaluation, facts, original_digest=original_digest),
            fits=facts.fits_in_memory,
            disclosure=may,
            front=_find_front(evaluation, least),
        )

    @property
    def has_original(self) -> bool:
        """True if an original was given whose rows are those of the release."""
        return not self.unpaired and any(one.role == "original" for one in self.record.inputs)

    @property
    def unpaired(self) -> bool:
        """True if no released row is that of one row of the original."""
        return bool(self.record.unpaired)

    @property
    def synthetic(self) -> bool:
        """True if the released rows are nobody's."""
        return self.record.unpaired == "synthetic"

    @property
    def published(self) -> int:
        """The number of rows that are not suppressed."""
        return self.scope.rows - self.scope.suppressed

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        """The requirements: first those that fail, then those that could not be evaluated, then those that hold."""
        return sort_by_verdict(self.evaluation.requirements)

    @property
    def results(self) -> Sequence[Result]:
        """All results without duplicates: first those of the user's evaluation, then the others."""
        return (*self.evaluation.all_results, *self.others)

    @property
    def warnings(self) -> tuple[Note, ...]:
        """Doubts about the values, each warning once."""
        found = Evaluation(self.results).warnings
        return *found, *(note for note in self.evaluation.warnings if note not in found)

    def find(self, kind: type[M]) -> Result | None:
        """Return the first result of a kind of measure, preferably of the user's evaluation; None if there is none."""
        return next((result for result in self.results if isinstance(result.measure, kind)), None)

    @cached_property
    def anchors(self) -> dict[Result, str]:
        """The HTML anchor of each result's steps."""
        places: dict[Result, str] = {}
        for result in self.results:
            place = "m-" + re.sub(r"\W+", "-", result.measure.name).strip("-")
            again = sum(other.partition("--")[0] == place for other in places.values())
            places[result] = f"{place}--{again + 1}" if again else place
        return places


def sort_by_verdict(requirements: Iterable[Requirement]) -> tuple[Requirement, ...]:
    """Sort the requirements: those that fail, then those that could not be evaluated, then those that hold."""
    order = {False: 0, None: 1, True: 2}
    return tuple(sorted(requirements, key=lambda one: order[one.holds]))


def _count_covered(facts: Facts) -> Histogram:
    sizes, people = facts.classes.find_least_by_person(facts.classes.sizes)
    numbers, counts = sum_by_key(sizes, people, int(sizes.max(initial=0)) + 1)
    return dict(zip(numbers.tolist(), counts.tolist(), strict=True))


def _count_sizes_before(facts: Facts) -> Histogram | None:
    """Return the class sizes of the original; None if there is no original or it lacks a column."""
    with suppress(PETWorksError):
        return facts.classes_before.histogram
    return None


def _find_front(evaluation: Evaluation, least: int) -> tuple[Front, Provenance] | None:
    """Return the front that was passed with the evaluation, or recorded with the release, and its provenance."""
    making = evaluation.provenance or evaluation.recorded
    return (
        (disclose_front(making.front, making.gone, least), disclose_making(making, least))
        if making and making.front
        else None
    )


def _build_record(evaluation: Evaluation, facts: Facts, *, original_digest: bool) -> InputRecord:
    record = evaluation.record or build_record(facts)
    with suppress(PETWorksError):
        record = replace(record, original_rows=facts.rows_before)
    return record if original_digest else record.without_original_digest()
