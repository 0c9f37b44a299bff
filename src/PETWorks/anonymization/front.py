"""The front of risk and utility: releases of one original, none of which is dominated by another."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Any

from PETWorks.anonymization.full_domain import find_best_vector
from PETWorks.anonymization.objective import Objective, build_objective
from PETWorks.anonymization.people import count_suppressed_units, count_units
from PETWorks.anonymization.plan import SearchSettings
from PETWorks.anonymization.recoding import load_recoding
from PETWorks.anonymization.search import LevelsOf, SearchResult
from PETWorks.errors import GoalError, NotAskableError
from PETWorks.evaluation.provenance import Alternative, Front
from PETWorks.exact.limit import Limit
from PETWorks.measure.base import Measure, to_plain
from PETWorks.measure.bounds import Privacy
from PETWorks.measure.parameter import find_limits
from PETWorks.measure.privacy.k_anonymity import KAnonymity

if TYPE_CHECKING:
    from PETWorks.anonymization.anonymized_table import AnonymizedTable

RATES = tuple(Fraction(percent, 100) for percent in (0, 1, 2, 5, 10, 20, 50, 100))
ProgressReport = Callable[[int, int], None]
K_LIMITS = (2, 3, 5, 10, 15, 20, 50)  # limits of k-anonymity


@dataclass(frozen=True, eq=False)
class Point:
    """A possible release. No other of its front is as good in risk, utility and suppressed rows together."""

    limits: Mapping[str, Any]  # of the first privacy goal, by parameter; all other goals are unchanged
    rate: Fraction  # the share of rows that may be suppressed
    levels: LevelsOf
    suppressed: int
    risk: Fraction  # the highest re-identification risk: 1 divided by the size of the smallest class
    utility: float  # the score of the search: the utility, weighted if there are weights, or the loss
    made: AnonymizedTable = field(repr=False)

    def make(self) -> AnonymizedTable:
        """Return the release of this point, to be explained and written."""
        return self.made


def search_front(
    made: AnonymizedTable, seconds: float | None = None, tell: ProgressReport | None = None
) -> tuple[list[Point], bool]:
    """Search with several rates and limits; return the points that are not dominated, the least risk first, and True.

    After `seconds`, or at Ctrl-C, return the points so far, and False. With `seconds`, limits near that of the release
    are searched first. `tell` is called with the number of limits that were tried and the number of all limits.
    """
    if not (recoding := load_recoding(made.plan.recoding)).has_level_vector:
        problem = f"the front is for releases with one level for each column, not for {recoding.title}"
        raise NotAskableError(problem, hint='make the release with recoding="global"')
    objective = build_objective(made.facts.combination_labels.table, made.plan.utility, made.plan.weights)
    front, plans, end = list[Point](), list(_vary_limits(made.plan)), None if seconds is None else monotonic() + seconds
    if end is not None:
        plans.sort(key=partial(_compare_class_sizes, made.plan))
        front += _build_points(made, made.plan, made.outcome, objective)
    complete = True
    try:
        for number, plan in enumerate(plans):
            if tell:
                tell(number, len(plans))
            for point in _search_points(made, plan, objective, end):
                if not any(_is_as_good(other, point, objective) for other in front):
                    front = [other for other in front if not _is_as_good(point, other, objective)] + [point]
    except KeyboardInterrupt:
        if not front:
            raise
        complete = False
    complete = complete and (end is None or monotonic() < end)
    return sorted(front, key=lambda point: (point.risk, point.suppressed)), complete


def build_front(made: AnonymizedTable, seconds: float | None = None, tell: ProgressReport | None = None) -> Front:
    """Build the front for reports."""
    points, complete = search_front(made, seconds, tell)
    told = [
        Alternative(
            limits=one.limits,
            rate=one.rate,
            levels=one.levels,
            suppressed=one.suppressed,
            risk=one.risk,
            score=one.utility,
            chosen=one.levels == made.levels and one.suppressed == made.suppressed,
            people=None if one.made.facts.scope.people is None else one.made.suppressed_people,
        )
        for one in points
    ]
    return Front(tuple(told), complete)


def _compare_class_sizes(before: SearchSettings, plan: SearchSettings) -> Fraction:
    """Return the factor by which the required class sizes of two plans differ."""
    size, other = (Fraction(max(one.class_size or 1, 1)) for one in (before, plan))
    return max(size / other, other / size)


def _vary_limits(plan: SearchSettings) -> Iterator[SearchSettings]:
    """Yield the plan with several limits if its first privacy goal is k-anonymity, strict ones first.

    Of equal releases, the front has the first.
    """
    goal = _find_varied_goal(plan)
    if not isinstance(goal, KAnonymity):
        yield plan
        return
    for size in sorted({*K_LIMITS, to_plain(goal.k)}, reverse=True):
        stricter = replace(goal, k=size)
        yield replace(plan, goals=[stricter if one is goal else one for one in plan.goals])


def _find_varied_goal(plan: SearchSettings) -> Measure:
    """Return the goal whose limits vary along the front."""
    return next((goal for goal in plan.goals if isinstance(goal, Privacy)), plan.goals[0])


def _search_points(
    made: AnonymizedTable, plan: SearchSettings, objective: Objective, end: float | None = None
) -> Iterator[Point]:
    """Yield the best releases with the limits of a plan, from the largest rate of suppression to 0.

    A release that suppresses less than its rate allows is also the best one at smaller rates that allow it.
    """
    table = made.facts.combination_labels.table
    own = made.plan.suppress_at_most
    rates = sorted([own, *(Limit(rate) for rate in RATES if rate != own.exact)], key=lambda rate: rate.exact)
    while rates:
        left = plan.time_limit if end is None else end - monotonic()
        if end is not None and left is not None and left <= 0:
            return
        asked = replace(plan, suppress_at_most=rates[-1], time_limit=left)
        try:
            outcome = find_best_vector(table, asked)
        except GoalError:
            return  # less suppression does not make it possible
        assert outcome.proof is not None  # noqa: S101 (of level vectors)
        if left is None and not outcome.proof.complete:
            raise KeyboardInterrupt  # it stopped this search, and must stop the others
        needed = count_suppressed_units(outcome.facts, plan)
        enough = [rate for rate in rates if rate.count_within(count_units(table, plan)) >= needed]
        rates = rates[: -len(enough)]
        yield from _build_points(made, replace(asked, suppress_at_most=enough[0]), outcome, objective)


def _build_points(
    made: AnonymizedTable, plan: SearchSettings, outcome: SearchResult, objective: Objective
) -> Iterator[Point]:
    """Yield the point of a release, unless all its rows are suppressed."""
    goal, sizes, best = _find_varied_goal(plan), outcome.facts.groups(with_values=True).sizes, outcome.best
    if len(sizes) and best is not None:
        told = {name: to_plain(given) for name in find_limits(type(goal)) if (given := getattr(goal, name)) is not None}
        utility, risk = objective.score(objective.loss(best)), Fraction(1, int(sizes.min()))
        found = replace(made, plan=plan, outcome=outcome)
        yield Point(told, plan.suppress_at_most.exact, outcome.levels, best.suppressed_rows, risk, utility, found)


def _is_as_good(one: Point, other: Point, objective: Objective) -> bool:
    """Return True if a point is at least as good as another in every respect; losses are compared exactly."""
    if one.risk > other.risk or one.suppressed > other.suppressed:
        return False
    best, rival = one.made.outcome.best, other.made.outcome.best
    return best is not None and rival is not None and objective.compare(best, rival) <= 0
