"""The goals that classes are judged by one by one, whatever is known of the others."""

from __future__ import annotations

from collections.abc import Iterable

from PETWorks.measure.base import Measure
from PETWorks.measure.privacy import Privacy
from PETWorks.privacy.k_anonymity import KAnonymity


def class_goals(goals: Iterable[Measure]) -> list[Privacy]:
    """Return the goals of privacy; another goal that asks for a class size stands there as k-anonymity of that size.

    Smaller classes must be suppressed for it, so that the search need not find that out by trying.
    """
    goals = list(goals)
    sizes = [goal.size_asked for goal in goals if not isinstance(goal, Privacy)]
    return [*(goal for goal in goals if isinstance(goal, Privacy)), *(KAnonymity(size) for size in sizes if size)]
