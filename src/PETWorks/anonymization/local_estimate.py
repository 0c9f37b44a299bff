"""What local recoding would keep at least: its first stage, found beside a release with one level for each column.

The work is bounded by the size of the table, never by a clock, so that the answer is the same on every machine.
"""

from __future__ import annotations

from dataclasses import replace
from math import ceil, floor
from typing import TYPE_CHECKING

from PETWorks.errors import PETWorksError
from PETWorks.measure.bounds import Privacy

if TYPE_CHECKING:
    from PETWorks.anonymization.anonymized_table import AnonymizedTable

MAX_COMBINATIONS = 100_000  # most combinations of a table for which it is estimated
MAX_WITH_OTHER_GOALS = 10_000  # where goals on the whole table need several recodings
PLACES = 100  # the estimate is rounded to two decimals


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
