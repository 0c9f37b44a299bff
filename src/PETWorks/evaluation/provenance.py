"""How a release was made: the plan, what came of it, and how that is known to be the best. Plain figures only."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, NamedTuple, Protocol

from PETWorks.facts.disclosure import discretion
from PETWorks.facts.roles import Roles
from PETWorks.measure.guard import guarded
from PETWorks.measure.result import Result
from PETWorks.measure.steps import Name


@dataclass(frozen=True, eq=False)
class Making:
    """What a record tells of how a release was made."""

    plan: Mapping[str, Any]  # goals and other parameters of `pw.anonymize`, from which it can be made again
    roles: Roles  # of the original's columns
    the_rest: Sequence[str]  # the columns that were not named, and got a role by `the_rest`
    rows: int  # of the original
    suppressed: int  # rows
    levels: Mapping[str, Any]  # by column: its level; if rows have different ones, how many have each (None: not told)
    heights: Mapping[str, int]  # of the hierarchies, by column
    without_hierarchy: Sequence[str]  # quasi-identifiers whose values are kept, or become the marker
    utility: Result  # of the utility measure; granularity if the loss was looked for
    score: float | None  # what was looked for: the utility, by weights if there are any, or the loss
    loss: float
    bound: float | None  # what the score of no other release of this kind exceeds, or is below if it is a loss
    proven: bool
    proof: Mapping[str, int] | None  # of a search: what became of all level vectors; the counts add up to `vectors`
    polish_rounds: int | None  # of local recoding
    divided: bool  # True: people with equal quasi-identifiers have different labels, because of their sensitive values
    better: Better | None = None  # where levels were given: others that keep more
    people: Mapping[str, Any] | None = None  # where they have several rows: what is known of them, and how many

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values for JSON."""
        utility = {name: value for name, value in self.utility.to_dict().items() if name in TOLD}
        return {
            **{name: value for name, value in vars(self).items() if name not in MAY_LACK or value is not None},
            "roles": {role: list(names) for role, names in vars(self.roles).items()},
            "the_rest": list(self.the_rest),
            "without_hierarchy": list(self.without_hierarchy),
            "levels": {name: _by_text(level) for name, level in self.levels.items()},
            "utility": utility,
            **({"better": {name: getattr(self.better, name) for name in SHOWN}} if self.better else {}),
        }

    def guarded(self, least: int) -> Making:
        """Return it without facts, and without what describes classes of fewer than `least` people."""
        facts, levels = self.utility.facts, self.levels
        if facts is not None and not discretion(facts, least).counts:  # how many cells are on a level tells on values
            levels = {name: None if _is_mixed(level) else level for name, level in levels.items()}
        better = self.better and self.better.guarded(self.gone, least)
        bound = None if better and better.score is None else self.bound
        utility = guarded(self.utility, least, explained=False)
        return replace(self, utility=utility, levels=levels, better=better, bound=bound)

    @property
    def gone(self) -> Gone:
        """What is suppressed."""
        return Gone(self.suppressed, None if self.people is None else self.people["suppressed"])

    @property
    def bounds(self) -> dict[str, range]:
        """The levels that were allowed, by column, where `finest` and `coarsest` allowed some only."""
        least, most = self.plan["finest"] or {}, self.plan["coarsest"] or {}
        found = {name: range(least.get(name, 0), most.get(name, top) + 1) for name, top in self.heights.items()}
        return {name: levels for name, levels in found.items() if len(levels) <= self.heights[name]}

    @property
    def told_bounds(self) -> list[Name]:
        """The levels that were allowed, as they are told: "age 1–2", or "age 1" if it is the only one."""
        each = {name: dict.fromkeys((levels[0], levels[-1])) for name, levels in self.bounds.items()}
        return [Name(f"{name} {'–'.join(map(str, ends))}") for name, ends in each.items()]


class Gone(NamedTuple):
    """What a release suppresses: rows, and how many people have one of them."""

    rows: int
    people: int | None = None  # None: every row is one person

    def is_apart(self, others: Iterable[Gone], least: int) -> bool:
        """Return True if none of the others is a few people more or less; being the same tells nothing."""
        return all(self == other or abs(self.crowd - other.crowd) >= least for other in others)

    @property
    def crowd(self) -> int:
        """How many people are concerned."""
        return self.rows if self.people is None else self.people


@dataclass(frozen=True)
class Better:
    """Levels that keep more than those that were given, and meet the goals, too."""

    levels: Mapping[str, int] | None  # by column; None, as below: withheld
    suppressed: int | None  # rows
    risk: Fraction | None  # the highest re-identification risk
    score: float | None  # what is looked for: the utility, by weights if there are any, or the loss
    people: int | None = None  # who have a suppressed row; None: every row is one person, or withheld

    def guarded(self, gone: Gone, least: int) -> Better:
        """Return it without figures if they, with those of a release, would give a few people away."""
        few = self.suppressed is None or self.risk is None or self.risk * least > 1
        if few or not Gone(self.suppressed or 0, self.people).is_apart((nothing_like(gone), gone), least):
            return Better(None, None, None, None)
        return self


@dataclass(frozen=True)
class Alternative:
    """A release that could be had instead, with other limits or another rate of suppression."""

    limits: Mapping[str, Any]  # of the first privacy goal, by parameter
    rate: Fraction  # the share of rows that may be suppressed
    levels: Mapping[str, Any]  # by column
    suppressed: int  # rows
    risk: Fraction  # the highest re-identification risk: 1 divided by the size of the smallest class
    score: float  # what was looked for: the utility, by weights if there are any, or the loss
    chosen: bool  # True: it is the release itself
    people: int | None = None  # who have a suppressed row; None: every row is one person


@dataclass(frozen=True)
class Front:
    """Releases that could be had, none of which is worse than another in every respect."""

    points: tuple[Alternative, ...]
    complete: bool  # False: time was up before all limits and rates were tried
    left_out: int = 0  # how many a guarded front does not tell

    def guarded(self, gone: Gone, least: int) -> Front:
        """Return the front of a release that suppresses so much without what would give a few people away.

        Left out is what has classes of fewer than `least` people, and what suppresses rows of up to `least` - 1 people
        more or less than another.
        """
        told, points = {nothing_like(gone), gone}, list[Alternative]()
        for one in self.points:
            own = Gone(one.suppressed, one.people)
            if one.chosen or (one.risk * least <= 1 and own.is_apart(told, least)):
                points.append(one)
                told.add(own)
        return replace(self, points=tuple(points), left_out=len(self.points) - len(points))


def nothing_like(gone: Gone) -> Gone:
    """Return what a release suppresses that suppresses nothing, where people are counted as there."""
    return Gone(0, None if gone.people is None else 0)


class Maker(Protocol):
    """What made a release, and can tell how."""

    @property
    def making(self) -> Making:
        """How the release was made."""

    def alternatives(self, seconds: float | None = None) -> Front:
        """Return what else could be had; after some seconds, what was found so far."""


MAY_LACK = ("people", "better")  # fields that a record has only where there is something to tell
SHOWN = ("levels", "suppressed", "score")  # of what is better
TOLD = ("measure", "parameters", "value", "exact")


def _is_mixed(level: Any) -> bool:  # noqa: ANN401
    return isinstance(level, Mapping) and sum(many > 0 for many in level.values()) > 1


def _by_text(level: Any) -> Any:  # noqa: ANN401
    return {str(one): many for one, many in level.items()} if isinstance(level, Mapping) else level
