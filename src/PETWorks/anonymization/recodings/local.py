"""Local recoding: rows of a column may have different levels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PETWorks.anonymization.recodings import Recoding
from PETWorks.errors import NotAskableError
from PETWorks.measure.base import Measure, Need

if TYPE_CHECKING:
    from PETWorks.anonymization.plan import SearchSettings
    from PETWorks.anonymization.search import Listener, SearchResult
    from PETWorks.anonymization.table import RawTable


def refuse_population(goals: Sequence[Measure]) -> None:
    """Raise an error if a goal compares with a population, which requires one level for each column."""
    for goal in goals:
        if Need.POPULATION in goal.needs or getattr(goal, "attacker", None) == "journalist":
            problem = f"{goal.name} compares with a population, which needs one level for each column"
            raise NotAskableError(problem, hint='generalise whole columns instead: recoding="global"')


def _search(table: RawTable, plan: SearchSettings, listener: Listener | None) -> SearchResult:
    from PETWorks.anonymization.local.recode import search_locally

    return search_locally(table, plan, listener)


RECODING = Recoding(title="local recoding", search=_search, own_settings={"parts"})
