"""Global recoding: every column has one level of its hierarchy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PETWorks.anonymization.recodings import Recoding

if TYPE_CHECKING:
    from PETWorks.anonymization.plan import SearchSettings
    from PETWorks.anonymization.search import Listener, SearchResult
    from PETWorks.anonymization.table import RawTable


def _search(table: RawTable, plan: SearchSettings, listener: Listener | None) -> SearchResult:
    from PETWorks.anonymization.full_domain import find_best_vector

    return find_best_vector(table, plan, listener)


RECODING = Recoding(title="global recoding", search=_search, has_level_vector=True, counts_people=True)
