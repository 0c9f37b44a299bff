"""Alternatives to a release: the front of risk and utility, and what local recoding would keep at least.

The front has releases of one original, none of which is dominated by another. A search for it ends after a number of
evaluated level vectors, which is the same on every machine, or after the time limit of the user. Local recoding is
estimated by its first stage, on tables up to a size, so that this answer is the same on every machine, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from math import ceil, floor
from time import monotonic
from typing import TYPE_CHECKING

from PETWorks.anonymization.full_domain import build_result, build_search
from PETWorks.anonymization.objective import Objective, build_objective
from PETWorks.anonymization.people import count_suppressed_units, count_units
from PETWorks.anonymization.plan import SearchSettings
from PETWorks.anonymization.recodings import load_recoding
from PETWorks.anonymization.search import LatticeResult, SearchResult
from PETWorks.anonymization.table import RawTable
from PETWorks.errors import NotAskableError, ParameterError, PETWorksError, show_value
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
FRONT_WORK = 155_000_000  # most combinations times vectors of a front: some three seconds
MAX_NODES = 10_000  # most vectors of a front, unless the caller names a number
MAX_COMBINATIONS = 100_000  # most combinations of a table for which it is estimated
MAX_WITH_OTHER_GOALS = 10_000  # where goals on the whole table need several recodings
PLACES = 100  # the estimate is rounded to two decimals


@dataclass
class Budget:
    """The level vectors that may still be evaluated, and the time that is left."""

    most: int
    end: float | None
    nodes: int = field(init=False)  # that are left
    cut: bool = False  # True: something was not tried

    def __post_init__(self) -> None:
        self.nodes = self.most

    @property
    def seconds(self) -> float | None:
        """The seconds until the time limit; None if there is none."""
        return None if self.end is None else max(self.end - monotonic(), 0.0)

    @property
    def is_spent(self) -> bool:
        """True if no further search may start."""
        return self.nodes <= 0 or self.seconds == 0.0

    def take(self, found: LatticeResult) -> None:
        """Subtract the work of a search; of an interrupted one nothing is used."""
        if found.interrupted:
            raise KeyboardInterrupt
        self.nodes -= found.progress.evaluated
        self.cut |= found.cut


def count_default_nodes(table: RawTable) -> int:
    """Return how many vectors are evaluated for a front at most, unless the caller names a number."""
    return min(max(FRONT_WORK // max(len(table.counts), 1), 1), MAX_NODES)


def search_front(made: AnonymizedTable, work: int | None = None, tell: ProgressReport | None = None) -> Front:
    """Search with several rates and limits; return the points that are not dominated, the least risk first.

    Of equal releases, the front has the one with the strictest limit. The search ends after `work` evaluated level
    vectors, at the time limit of the plan, or at Ctrl-C. Limits near that of the release are searched first. `tell` is
    called with the number of limits that were tried and that of all.
    """
    if not (recoding := load_recoding(made.plan.recoding)).has_level_vector:
        problem = f"the front is for releases with one level for each column, not for {recoding.title}"
        raise NotAskableError(problem, hint='make the release with recoding="global"')
    if work is not None and (not isinstance(work, int) or isinstance(work, bool) or work < 0):
        hint = "pass a number of level vectors, such as work=10_000"
        raise ParameterError(f"work must be a whole number, not {show_value(work)}", hint=hint)
    table, limit = made.facts.combination_labels.table, made.plan.time_limit
    most = count_default_nodes(table) if work is None else int(work)
    budget = Budget(most, None if limit is None else monotonic() + limit)
    objective = build_objective(table, made.plan.utility, made.plan.weights)
    points: list[Alternative] = []
    plans = sorted(_vary_limits(made.plan), key=partial(_compare_class_sizes, made.plan))
    try:
        for number, plan in enumerate(plans):
            if tell:
                tell(number, len(plans))
            points.extend(_search_points(made, plan, objective, budget))  # those before Ctrl-C stay
    except KeyboardInterrupt:
        budget.cut = True
    front = list(_build_points(made, made.plan, made.outcome, objective))
    for point in sorted(points, key=lambda point: point.made.plan.class_size or 0, reverse=True):
        if not any(_is_as_good(other, point, objective) for other in front):
            front = [other for other in front if not _is_as_good(point, other, objective)] + [point]
    front.sort(key=lambda point: (point.risk, point.suppressed))
    return Front(tuple(front), not budget.cut, nodes=most - budget.nodes, work=most)


def _compare_class_sizes(before: SearchSettings, plan: SearchSettings) -> Fraction:
    """Return the factor by which the required class sizes of two plans differ."""
    size, other = (Fraction(max(one.class_size or 1, 1)) for one in (before, plan))
    return max(size / other, other / size)


def _vary_limits(plan: SearchSettings) -> Iterator[SearchSettings]:
    """Yield the plan with several limits if its first privacy goal is k-anonymity."""
    goal = _find_varied_goal(plan)
    if not isinstance(goal, KAnonymity):
        yield plan
        return
    for size in sorted({*K_LIMITS, to_plain(goal.k)}):
        stricter = replace(goal, k=size)
        yield replace(plan, goals=[stricter if one is goal else one for one in plan.goals])


def _find_varied_goal(plan: SearchSettings) -> Measure:
    """Return the goal whose limits vary along the front."""
    return next((goal for goal in plan.goals if isinstance(goal, Privacy)), plan.goals[0])


def _search_points(
    made: AnonymizedTable, plan: SearchSettings, objective: Objective, budget: Budget
) -> Iterator[Alternative]:
    """Yield the best releases with the limits of a plan, from the largest rate of suppression to 0.

    A release that suppresses less than its rate allows is also the best one at smaller rates that allow it.
    """
    table = made.facts.combination_labels.table
    own = made.plan.suppress_at_most
    rates = sorted([own, *(Limit(rate) for rate in RATES if rate != own.exact)], key=lambda rate: rate.exact)
    while rates:
        if budget.is_spent:
            budget.cut = True
            return
        asked = replace(plan, suppress_at_most=rates[-1], time_limit=budget.seconds)
        found = build_search(table, asked, most=budget.nodes).run()
        budget.take(found)
        if found.best is None:
            return  # less suppression does not make it possible
        asked = replace(asked, time_limit=made.plan.time_limit)
        outcome = build_result(table, asked, found, found.best)
        needed = count_suppressed_units(outcome.facts, plan)
        enough = [rate for rate in rates if rate.count_within(count_units(table, plan)) >= needed]
        rates = rates[: -len(enough)]
        yield from _build_points(made, replace(asked, suppress_at_most=enough[0]), outcome, objective)


def _build_points(
    made: AnonymizedTable, plan: SearchSettings, outcome: SearchResult, objective: Objective
) -> Iterator[Alternative]:
    """Yield the point of a release, unless all its rows are suppressed."""
    goal, sizes, best = _find_varied_goal(plan), outcome.facts.groups(with_values=True).sizes, outcome.best
    if len(sizes) and best is not None:
        found = replace(made, plan=plan, outcome=outcome)
        yield Alternative(
            limits={
                name: to_plain(limit) for name in find_limits(type(goal)) if (limit := getattr(goal, name)) is not None
            },
            rate=plan.suppress_at_most.exact,
            levels=outcome.levels,
            suppressed=best.suppressed_rows,
            risk=Fraction(1, int(sizes.min())),
            score=objective.score(objective.loss(best)),
            chosen=outcome.levels == made.levels and best.suppressed_rows == made.suppressed,
            people=None if outcome.facts.scope.people is None else found.suppressed_people,
            made=found,
        )


def _is_as_good(one: Alternative, other: Alternative, objective: Objective) -> bool:
    """Return True if a point is at least as good as another in every respect; losses are compared exactly."""
    if one.risk > other.risk or one.suppressed > other.suppressed:
        return False
    best, rival = one.made.outcome.best, other.made.outcome.best
    return best is not None and rival is not None and objective.compare(best, rival) <= 0


def estimate_local_recoding(made: AnonymizedTable) -> float | None:
    """Return a lower bound on the utility of local recoding, or an upper bound on its loss, with two decimals.

    None if it would not be better, if it is not possible, or if it would take long.
    """
    plan = made.plan
    if not made.has_level_vector or plan.levels or made.worth is None or made.facts.persons is not None:
        return None
    by_class = all(isinstance(goal, Privacy) for goal in plan.goals)
    if len(made.facts.combination_labels.table.counts) > (MAX_COMBINATIONS if by_class else MAX_WITH_OTHER_GOALS):
        return None
    from PETWorks.anonymization.make import make

    try:
        found = make(made.original, replace(plan, recoding="local", polish_rounds=0, time_limit=None))
        worth = found.worth
    except PETWorksError:  # a goal, or a utility, is not for local recoding
        return None
    if worth is None:
        return None
    rounded = (ceil if plan.utility is None else floor)(worth * PLACES) / PLACES
    better = rounded < made.worth if plan.utility is None else rounded > made.worth
    return rounded if better else None
