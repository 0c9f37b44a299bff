"""Requirements: measures with limits that a release must meet, and their results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from PETWorks.facts.notes import Note
from PETWorks.measure.base import Measure
from PETWorks.measure.result import Result


@dataclass(frozen=True)
class Requirement:
    """A measure with limits that a release must meet: its result, or the problem that prevented its evaluation."""

    measure: Measure
    result: Result | None = None
    problem: Note | None = None
    why: str = ""  # the reason for the requirement, as its author wrote it
    source: str = ""  # the document that states it
    clause: str = ""  # of that document

    @property
    def holds(self) -> bool | None:
        """The verdict; None if the requirement could not be evaluated."""
        return None if self.result is None else self.result.holds

    @property
    def verdict_withheld(self) -> bool:
        """True if there is a verdict that must not be shown."""
        return self.result is not None and self.result.verdict_withheld

    def to_dict(self, results: Sequence[Result]) -> dict[str, Any]:
        """Return everything as plain values for JSON; the result as its index in `results`."""
        return {
            "measure": self.measure.name,
            "parameters": self.measure.parameters(),
            "why": self.why,
            "source": self.source,
            "clause": self.clause,
            "holds": self.holds,
            **({"verdict_withheld": True} if self.verdict_withheld else {}),
            "result": None if self.result is None else results.index(self.result),
            "problem": self.problem and self.problem.to_dict(),
        }


@dataclass(frozen=True)
class NotShown:
    """A requirement of a source that no table can show, such as a contract."""

    what: Mapping[str, str]  # by language
    source: str = ""
    clause: str = ""
    looks_for: tuple[str, ...] = ()  # the findings of an inspection of the release that concern it
    found: tuple[str, ...] | None = None  # the columns with such a finding; None: there was no inspection

    @classmethod
    def of(cls, plain: Mapping[str, Any]) -> NotShown:
        """Build one from what `to_dict` returned."""
        found = None if plain["found"] is None else tuple(plain["found"])
        return cls(**{**plain, "looks_for": tuple(plain["looks_for"]), "found": found})

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values for JSON."""
        looked = {"looks_for": list(self.looks_for), "found": None if self.found is None else list(self.found)}
        return {"what": dict(self.what), "source": self.source, "clause": self.clause, **looked}
