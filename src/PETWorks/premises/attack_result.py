"""Whom adversaries find in a release: what `attack` returns, and what a check tells of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, overload

from PETWorks.errors import UnknownNameError, did_you_mean

QUASI_IDENTIFIERS, CELLS, POPULATION, EARLIER = "quasi_identifiers", "cells", "population", "earlier"
COLUMN = "column "  # before the name of a column that is known alone
SUPPRESS, GENERALISE, REMOVE = "suppress", "generalise", "remove"


@dataclass(frozen=True)
class AttackRemedy:
    """A change of the release, evaluated: how many people the adversary still finds, and what the change costs.

    `suppress` replaces the quasi-identifiers of the people who are found, as a required class size of five would.
    """

    kind: str  # "suppress", "generalise" (to a level) or "remove"
    columns: tuple[str, ...]
    level: int | None
    found: int
    certain: int
    suppressed: int  # people whose quasi-identifiers are suppressed
    lost: float  # the share of the detail of all published cells that is lost
    values: int  # distinct values that vanish

    def to_dict(self) -> dict[str, Any]:
        """Return the remedy as plain values for JSON."""
        return {**vars(self), "columns": list(self.columns)}

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> AttackRemedy:
        """Build it from what `to_dict` returned."""
        return cls(**{**plain, "columns": tuple(plain["columns"])})


@dataclass(frozen=True)
class AttackResult:
    """The people whom one adversary finds, their share of all people, and the cheapest remedy that was tried."""

    name: str
    knows: Mapping[str, int | str]  # columns, each at a level; 0 is as released
    rows: str  # "one" or "all" rows of a person
    found: int
    certain: int
    people: int
    at_most: int | None = None  # the people who may be found; None: the adversary is tried, not judged
    remedy: AttackRemedy | None = None

    @property
    def holds(self) -> bool | None:
        """True if the adversary finds no more people than allowed; None if there is no such bound."""
        return None if self.at_most is None else self.found <= self.at_most

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain values for JSON."""
        remedy = self.remedy and self.remedy.to_dict()
        return {**vars(self), "knows": dict(self.knows), "remedy": remedy, "holds": self.holds}

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> AttackResult:
        """Build it from what `to_dict` returned."""
        given = {key: value for key, value in plain.items() if key != "holds"}
        return cls(**{**given, "remedy": plain["remedy"] and AttackRemedy.from_dict(plain["remedy"])})


@dataclass(frozen=True)
class Attack(Sequence[AttackResult]):
    """The results of all adversaries, by position or name, and those that were not simulated, with the reason."""

    results: tuple[AttackResult, ...]
    untried: Mapping[str, str] = field(default_factory=dict)
    columns: int = 0  # single columns that were tried; those that find nobody are not listed
    unlisted: int = 0  # further ones that find people

    @property
    def found(self) -> int:
        """The largest number of people whom any adversary finds."""
        return max((one.found for one in self.results), default=0)

    @property
    def holds(self) -> bool | None:
        """True if every adversary with a bound keeps it; None if no adversary has a bound."""
        verdicts = [one.holds for one in self.results if one.holds is not None]
        return all(verdicts) if verdicts else None

    @overload
    def __getitem__(self, key: int | str) -> AttackResult: ...
    @overload
    def __getitem__(self, key: slice) -> Sequence[AttackResult]: ...
    def __getitem__(self, key: int | str | slice) -> AttackResult | Sequence[AttackResult]:
        """Return a result by its position or by the adversary's name."""
        if not isinstance(key, str):
            return self.results[key]
        for one in self.results:
            if one.name == key:
                return one
        raise UnknownNameError(f'no adversary "{key}" was tried', hint=did_you_mean(key, [one.name for one in self]))

    def __len__(self) -> int:
        """Return the number of results."""
        return len(self.results)

    def __iter__(self) -> Iterator[AttackResult]:
        """Iterate over the results."""
        return iter(self.results)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values for JSON."""
        results = [one.to_dict() for one in self.results]
        return {**vars(self), "results": results, "untried": dict(self.untried)}

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Attack:
        """Build it from what `to_dict` returned."""
        return cls(**{**plain, "results": tuple(map(AttackResult.from_dict, plain["results"]))})
