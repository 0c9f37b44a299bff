"""Recodings: how a release may be made from a table.

Each module or package here declares its recoding as ``RECODING``; the name of the module is the value of the setting. A
name that Python reserves, such as "global", is followed by an underscore. The modules are found automatically, and a
recoding is imported only when it is used.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from importlib import import_module
from keyword import iskeyword
from typing import TYPE_CHECKING

from PETWorks.errors import ParameterError
from PETWorks.measure.losses import Utility
from PETWorks.measure.utility.granularity import Granularity
from PETWorks.settings.sections import Search

if TYPE_CHECKING:
    from PETWorks.anonymization.plan import SearchSettings
    from PETWorks.anonymization.search import Listener, SearchResult
    from PETWorks.anonymization.table import RawTable


def require_weighable(search: Search, utility: Utility | None) -> None:
    """Raise an error if columns have weights but the utility does not support them."""
    if search.weights and not isinstance(utility, Granularity | None):
        hint = 'weigh columns with utility="granularity" or utility="loss"'
        raise ParameterError(f"weights do not go with {utility.name}", hint=hint)


@dataclass(frozen=True, kw_only=True)
class Recoding:
    """A way to make a release: the settings that it takes, and the function that makes it.

    `search` raises an error for a goal that this recoding does not support.
    """

    title: str  # what messages call it
    search: Callable[[RawTable, SearchSettings, Listener | None], SearchResult]
    default_utility: Callable[[], Utility] = Granularity  # what it keeps if no utility is given
    require_utility: Callable[[Search, Utility | None], None] = require_weighable  # raises an error for another one
    own_settings: AbstractSet[str] = frozenset()  # settings that are for this recoding only
    refused_settings: Mapping[str, tuple[str, str]] = field(default_factory=dict)  # by name, the problem and the hint
    has_level_vector: bool = False  # True: every column of a release has one level
    counts_people: bool = False  # True: goals may count people who have several rows
    generalises: bool = True  # False: released cells are not on the levels of hierarchies
    suppresses: bool = True  # False: it suppresses no rows

    def check(self, search: Search, utility: Utility | None) -> None:
        """Raise an error if the utility or a setting does not suit this recoding."""
        self.require_utility(search, utility)
        for name, (problem, hint) in self.refused_settings.items():
            if getattr(search, name):
                raise ParameterError(problem, hint=hint)


def load_recoding(name: str) -> Recoding:
    """Return the recoding with this name."""
    found: Recoding = import_module(f"{__name__}.{name}{'_' * iskeyword(name)}").RECODING
    return found
