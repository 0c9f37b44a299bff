"""The provenance of a release: settings, search result, and the proof of optimality or its gap, as plain figures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple, Protocol, overload

from PETWorks.errors import NotAskableError
from PETWorks.facts.roles import Roles
from PETWorks.measure.result import Result
from PETWorks.measure.steps import Cell, Name, Step


@dataclass(frozen=True)
class ColumnTreatment:
    """What was done to a column besides generalising: the settings of the policy, and their effect."""

    column: str
    settings: Mapping[str, Any]  # the table [treat.<column>]
    key: str | None = None  # the fingerprint of the secret key
    top: str | None = None  # the label of numbers at or above the top
    bottom: str | None = None
    example: tuple[str, str] | None = None  # a value that five people or more have, before and after

    def to_dict(self) -> dict[str, Any]:
        """Return the treatment as plain values for JSON."""
        return {name: value for name, value in vars(self).items() if value is not None}

    def list_steps(self) -> list[Step]:
        """Return the explanation steps that describe the treatment."""
        named, settings = {"column": Name(self.column)}, self.settings
        steps = []
        for word, given in settings.items():
            match word, given:
                case "mask", {"keep": keep}:
                    steps.append(Step("treat_mask_keep", {**named, "keep": keep}))
                case "pseudonym", {"key": _}:
                    steps.append(Step("treat_pseudonym", {**named, "key": Name(self.key or "")}))
                case "shift", {"within": within}:
                    days = int(str(within).split()[0])
                    steps.append(Step("treat_shift", {**named, "days": days, "key": Name(self.key or "")}))
                case "round", step:
                    steps.append(Step("treat_round", {**named, "step": Name(str(step))}))
                case "top" | "bottom", _:
                    steps.append(Step(f"treat_{word}", {**named, "label": Name(getattr(self, word) or "")}))
                case "as_it_is", reason:
                    steps.append(Step("treat_as_it_is", {**named, "reason": Cell(str(reason))}))
                case "remove" | "mask" | "generalise", _:
                    steps.append(Step(f"treat_{word}", named))
        if self.example:
            before, after = map(Cell, self.example)
            steps.append(Step("treat_example", {**named, "before": before, "after": after}))
        return steps


@dataclass(frozen=True, eq=False)
class Provenance:
    """The provenance of a release, as its record states it."""

    plan: Mapping[str, Any]  # goals and other parameters of `pw.anonymize`, to repeat it
    roles: Roles  # of the original's columns
    the_rest: Sequence[str]  # the columns that the caller did not name, whose role `the_rest` sets
    rows: int  # of the original
    suppressed: int  # rows
    levels: Mapping[str, Any]  # by column: its level, or rows by level if rows have several (None: withheld)
    heights: Mapping[str, int]  # of the hierarchies, by column
    without_hierarchy: Sequence[str]  # quasi-identifiers whose values stay as they are, or become the marker
    utility: Result  # of the utility measure; granularity if the search minimised the loss
    score: float | None  # that the search optimised: the utility, weighted if there are weights, or the loss
    loss: float
    bound: float | None  # an upper bound on the utility of any release of this kind, or a lower bound on its loss
    proven: bool
    proof: Mapping[str, int] | None  # of a search: level vectors by state; the counts add up to `vectors`
    polish_rounds: int | None  # of local recoding
    divided: bool  # True: people with equal quasi-identifiers have different labels, because of their sensitive values
    better: BetterLevels | None = None  # if levels were fixed: others that lose less
    people: Mapping[str, Any] | None = None  # where people have several rows: known records, and counts
    front: Front | None = None  # of alternative releases, if it was searched
    treatments: Sequence[ColumnTreatment] = ()  # of columns that have one

    def to_dict(self) -> dict[str, Any]:
        """Return the provenance as plain values for JSON."""
        utility = {name: value for name, value in self.utility.to_dict().items() if name in SHOWN_UTILITY_FIELDS}
        return {
            **{name: value for name, value in vars(self).items() if name not in OPTIONAL_FIELDS or value},
            "roles": {role: list(names) for role, names in vars(self.roles).items()},
            "the_rest": list(self.the_rest),
            "without_hierarchy": list(self.without_hierarchy),
            "levels": {name: _key_by_text(level) for name, level in self.levels.items()},
            "utility": utility,
            **({"better": {name: getattr(self.better, name) for name in SHOWN_BETTER_FIELDS}} if self.better else {}),
            **({} if self.front is None else {"front": self.front.to_dict()}),
            **({"treatments": [one.to_dict() for one in self.treatments]} if self.treatments else {}),
        }

    @property
    def gone(self) -> SuppressedAmount:
        """The suppressed rows and people."""
        return SuppressedAmount(self.suppressed, None if self.people is None else self.people["suppressed"])

    @property
    def bounds(self) -> dict[str, range]:
        """The allowed levels, by column that `finest` or `coarsest` restricted."""
        least, most = self.plan["finest"] or {}, self.plan["coarsest"] or {}
        found = {name: range(least.get(name, 0), most.get(name, top) + 1) for name, top in self.heights.items()}
        return {name: levels for name, levels in found.items() if len(levels) <= self.heights[name]}

    @property
    def shown_bounds(self) -> list[Name]:
        """The allowed levels as text: "age 1–2", or "age 1" if it is the only one."""
        each = {name: dict.fromkeys((levels[0], levels[-1])) for name, levels in self.bounds.items()}
        return [Name(f"{name} {'–'.join(map(str, ends))}") for name, ends in each.items()]


class SuppressedAmount(NamedTuple):
    """The number of suppressed rows of a release, and of the people who have one of them."""

    rows: int
    people: int | None = None  # None: every row is one person

    def is_apart(self, others: Iterable[SuppressedAmount], least: int) -> bool:
        """Return True if each other amount is equal, or differs by at least `least` people."""
        return all(self == other or abs(self.crowd - other.crowd) >= least for other in others)

    @property
    def crowd(self) -> int:
        """The number of people concerned."""
        return self.rows if self.people is None else self.people


@dataclass(frozen=True)
class BetterLevels:
    """Levels that meet the goals and lose less than those that the caller fixed."""

    levels: Mapping[str, int] | None  # by column; None, here and below: withheld
    suppressed: int | None  # rows
    risk: Fraction | None  # the highest re-identification risk
    score: float | None  # that the search optimised: the utility, weighted if there are weights, or the loss
    people: int | None = None  # who have a suppressed row; None: every row is one person, or withheld


@dataclass(frozen=True)
class Alternative:
    """An alternative release, with another limit or another rate of suppression."""

    limits: Mapping[str, Any]  # of the first privacy goal, by parameter; all other goals are unchanged
    rate: Fraction  # the share of rows that may be suppressed
    levels: Mapping[str, Any]  # by column
    suppressed: int  # rows
    risk: Fraction  # the highest re-identification risk: 1 divided by the size of the smallest class
    score: float  # that the search optimised: the utility, weighted if there are weights, or the loss
    chosen: bool  # True: it is the release itself
    people: int | None = None  # who have a suppressed row; None: every row is one person
    made: Any = field(default=None, repr=False, compare=False)  # its release; not in records and pickles

    def __getstate__(self) -> dict[str, Any]:
        """Return its figures, without the release."""
        return vars(self) | {"made": None}

    @property
    def utility(self) -> float:
        """The score: the utility, weighted if there are weights, or the loss."""
        return self.score

    def make(self) -> Any:  # noqa: ANN401 (an anonymised table)
        """Return the release of this alternative, to be explained and written."""
        if self.made is None:
            problem = "only the figures of this release are known: they come from a record, a report or a pickle"
            raise NotAskableError(problem, hint="call front() on what pw.anonymize returned, and make() on its points")
        return self.made

    def to_dict(self) -> dict[str, Any]:
        """Return its figures as plain values for JSON."""
        figures = {name: getattr(self, name) for name in ("limits", "levels", "suppressed", "score", "chosen")}
        people = {} if self.people is None else {"people": self.people}
        return {**figures, "rate": str(self.rate), "risk": str(self.risk), **people}

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Alternative:
        """Build it from plain values."""
        return cls(
            limits=dict(plain["limits"]),
            rate=Fraction(plain["rate"]),
            levels={name: int(level) for name, level in plain["levels"].items()},
            suppressed=int(plain["suppressed"]),
            risk=Fraction(plain["risk"]),
            score=float(plain["score"]),
            chosen=bool(plain["chosen"]),
            people=int(plain["people"]) if "people" in plain else None,
        )


@dataclass(frozen=True)
class Front(Sequence[Alternative]):
    """Alternative releases, none of which is dominated by another, the least risk first."""

    points: tuple[Alternative, ...]
    complete: bool  # False: the search ended before all limits and rates were tried
    left_out: int = 0  # the number of withheld points
    nodes: int = 0  # level vectors that were evaluated
    work: int = 0  # the most that could be evaluated

    @overload
    def __getitem__(self, key: int) -> Alternative: ...
    @overload
    def __getitem__(self, key: slice) -> Sequence[Alternative]: ...
    def __getitem__(self, key: int | slice) -> Alternative | Sequence[Alternative]:
        """Return a point by its place."""
        return self.points[key]

    def __len__(self) -> int:
        """Return the number of points."""
        return len(self.points)

    def to_dict(self) -> dict[str, Any]:
        """Return the front as plain values for JSON."""
        return {**vars(self), "points": [one.to_dict() for one in self.points]}

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Front:
        """Build a front from plain values."""
        points, counts = tuple(map(Alternative.from_dict, plain["points"])), ("left_out", "nodes", "work")
        return cls(points, bool(plain["complete"]), **{name: int(plain[name]) for name in counts})


def build_zero(gone: SuppressedAmount) -> SuppressedAmount:
    """Return the amount 0, with a number of people if the other amount has one."""
    return SuppressedAmount(0, None if gone.people is None else 0)


class ProvenanceSource(Protocol):
    """The interface of an anonymised table, as the source of the provenance of its release."""

    @property
    def provenance(self) -> Provenance:
        """The provenance of the release."""


OPTIONAL_FIELDS = ("people", "better", "front", "treatments")  # fields that a record has only if they have a value
SHOWN_BETTER_FIELDS = ("levels", "suppressed", "score")  # of better levels
SHOWN_UTILITY_FIELDS = ("measure", "parameters", "value", "exact")


def _key_by_text(level: Any) -> Any:  # noqa: ANN401
    return {str(one): many for one, many in level.items()} if isinstance(level, Mapping) else level
