"""Microaggregation: people are grouped with the nearest ones, and get the means of their group."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PETWorks.anonymization.recodings import Recoding
from PETWorks.errors import NotAskableError, ParameterError
from PETWorks.measure.base import Measure, Need
from PETWorks.measure.losses import Utility
from PETWorks.measure.utility.squared_error import SquaredError
from PETWorks.settings.kinds import LOSS
from PETWorks.settings.sections import Search

if TYPE_CHECKING:
    from PETWorks.anonymization.plan import SearchSettings
    from PETWorks.anonymization.search import Listener, SearchResult
    from PETWorks.anonymization.table import RawTable

NO_HIERARCHIES = "it uses no hierarchies"
AT_ONCE = 'omit time_limit; grouping="halving" takes seconds for a million rows'


def _require_squared_error(search: Search, utility: Utility | None) -> None:  # noqa: ARG001
    """Raise an error if the utility is not the squared error."""
    if not isinstance(utility, SquaredError):
        name = LOSS if utility is None else utility.name
        hint = "omit utility=: it makes the squared error small"
        raise ParameterError(f"{name} is not what microaggregation keeps", hint=hint)


def refuse_population(goals: Sequence[Measure]) -> None:
    """Raise an error if a goal needs a population."""
    for goal in goals:
        if Need.POPULATION in goal.needs:
            problem = f"{goal.name} cannot be a goal of microaggregation: a population has no means of groups"
            raise NotAskableError(problem, hint='generalise instead: recoding="global"')


def _search(table: RawTable, plan: SearchSettings, listener: Listener | None) -> SearchResult:
    from PETWorks.anonymization.microaggregation.aggregate import search_groups

    return search_groups(table, plan, listener)


RECODING = Recoding(
    title="microaggregation",
    search=_search,
    default_utility=SquaredError,
    require_utility=_require_squared_error,
    own_settings={"grouping"},
    refused_settings={
        "coarsest": ("coarsest does not go with microaggregation", NO_HIERARCHIES),
        "finest": ("finest does not go with microaggregation", NO_HIERARCHIES),
        "levels": ("levels does not go with microaggregation", NO_HIERARCHIES),
        "time_limit": ("time_limit does not go with microaggregation: groups are found at once", AT_ONCE),
    },
    generalises=False,
    suppresses=False,
)
