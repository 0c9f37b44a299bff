"""How a release was made: the plan, what came of it, and how that is known to be the best. Plain figures only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from PETWorks.facts.roles import Roles
from PETWorks.measure.guard import guarded
from PETWorks.measure.result import Result


@dataclass(frozen=True, eq=False)
class Making:
    """What a record tells of how a release was made."""

    plan: Mapping[str, Any]  # goals and other parameters of `pw.anonymize`, from which it can be made again
    roles: Roles  # of the original's columns
    the_rest: Sequence[str]  # the columns that were not named, and got a role by `the_rest`
    rows: int  # of the original
    suppressed: int  # rows
    levels: Mapping[str, Any]  # by column: its level; if rows have different ones, how many have each; none for means
    heights: Mapping[str, int]  # of the hierarchies, by column
    without_hierarchy: Sequence[str]  # quasi-identifiers whose values are kept, or become the marker
    utility: Result  # of the utility measure; granularity if the loss was looked for
    score: float | None  # what was looked for: the utility, by weights if there are any, or the loss
    loss: float
    bound: float | None  # what the score of no other release of this kind exceeds, or is below if it is a loss
    proven: bool
    proof: Mapping[str, int] | None  # of a search: what became of all level vectors; the counts add up to `vectors`
    polish_rounds: int | None  # of local recoding

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values for JSON."""
        utility = {name: value for name, value in self.utility.to_dict().items() if name in TOLD}
        return {
            **vars(self),
            "roles": {role: list(names) for role, names in vars(self.roles).items()},
            "the_rest": list(self.the_rest),
            "without_hierarchy": list(self.without_hierarchy),
            "levels": {name: _by_text(level) for name, level in self.levels.items()},
            "utility": utility,
        }

    def guarded(self, least: int) -> Making:
        """Return it without facts, and without what describes classes of fewer than `least` people."""
        return replace(self, utility=guarded(self.utility, least, explained=False))


class Maker(Protocol):
    """What made a release, and can tell how."""

    @property
    def making(self) -> Making:
        """How the release was made."""


TOLD = ("measure", "parameters", "value", "exact")


def _by_text(level: Any) -> Any:  # noqa: ANN401
    return {str(one): many for one, many in level.items()} if isinstance(level, Mapping) else level
