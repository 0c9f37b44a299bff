"""What is asked of a release that is to be made, checked before any row is read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal, get_args

from PETWorks.errors import ParameterError, did_you_mean, shown
from PETWorks.exact.limit import Limit, Number
from PETWorks.facts.ladder import Ladder
from PETWorks.making.given import levels_of, seconds_of, share_of_rows, weights_of
from PETWorks.measure.base import Measure
from PETWorks.measure.registry import find
from PETWorks.measure.utility import Utility
from PETWorks.privacy.k_anonymity import CROWD
from PETWorks.utility.granularity import Granularity
from PETWorks.utility.squared_error import SquaredError

Recoding = Literal["global", "local", "microaggregate"]
SAID = {"global": "global recoding", "local": "local recoding", "microaggregate": "microaggregation"}
Grouping = Literal["halving", "mdav"]
Suppress = Literal["rows", "people"]
SuppressedRows = Literal["keep", "remove"]
Order = Literal["original", "shuffled"]
Encoding = Literal["utf-8", "utf-8-sig"]
LOSS = "loss"  # the utility that is no measure: the loss of all columns, multiplied


@dataclass(frozen=True)
class Plan:
    """Goals, and what may be done to meet them."""

    goals: Sequence[Measure]
    suppress_at_most: Limit = Limit(Fraction(0))
    utility: Utility | None = field(default_factory=Granularity)  # None: the loss of all columns, multiplied
    recoding: Recoding = "global"
    grouping: Grouping = "halving"  # of microaggregation
    coarsest: Mapping[str, int] = field(default_factory=dict)
    finest: Mapping[str, int] = field(default_factory=dict)
    levels: Mapping[str, int] = field(default_factory=dict)
    weights: Mapping[str, Fraction] = field(default_factory=dict)
    suppress: Suppress = "rows"  # the rows of failing classes, or all rows of everybody in one
    suppressed_rows: SuppressedRows = "keep"
    drop_identifiers: bool = False
    order: Order = "original"
    seed: int | None = None
    output_encoding: Encoding = "utf-8"  # of a CSV file; "utf-8-sig": with a byte-order mark, for Excel
    seconds: float | None = None
    polish_rounds: int | None = None
    parts: bool = False  # of local recoding. True: labels may depend on sensitive values, too
    allow_few: bool = False  # True: any number of rows may be suppressed, also so few that it tells on somebody

    @property
    def class_size(self) -> int | None:
        """Return the largest size of classes that a goal asks for; None if none does."""
        asked = [goal.size_asked for goal in self.goals]
        return max((size for size in asked if size), default=None)

    @property
    def crowd(self) -> int:
        """Return the least number of rows that are suppressed, if any are, and stay in the release.

        Who is known to be in the table and fits no class must be one of them, so few would tell on somebody.
        """
        return 0 if self.allow_few or self.suppressed_rows == "remove" else self.class_size or CROWD

    def allowed(self, rows: int) -> int:
        """Return how many of so many rows may be suppressed."""
        return int(self.suppress_at_most.exact * rows)

    def ranges(self, ladders: Sequence[Ladder]) -> list[range]:
        """Return the levels that are allowed for each column; raise an error for other names and levels."""
        return self.levels_allowed({ladder.name: ladder.height for ladder in ladders})

    def levels_allowed(self, heights: Mapping[str, int]) -> list[range]:
        """Return the levels that are allowed for columns of these heights, as `ranges` does."""
        self.require_known(heights)
        for parameter in ("coarsest", "finest", "levels"):
            for name, level in getattr(self, parameter).items():
                if not 0 <= level <= heights[name]:
                    problem = f'{parameter}: "{name}" has no level {level}'
                    raise ParameterError(problem, hint=f"its levels are 0 to {heights[name]}")
        return [self._range(name, height) for name, height in heights.items()]

    def require_known(self, names: Iterable[str]) -> None:
        """Raise an error if something is asked of a column that is not one of these, the quasi-identifiers."""
        known = set(names)
        for parameter in ("coarsest", "finest", "levels", "weights"):
            for name in getattr(self, parameter):
                if name not in known:
                    problem = f'{parameter}: "{name}" is not a quasi-identifier'
                    raise ParameterError(problem, hint=did_you_mean(name, known))

    def _range(self, name: str, height: int) -> range:
        least, most = self.finest.get(name, 0), self.coarsest.get(name, height)
        if least > most:
            raise ParameterError(f'"{name}" cannot be finer than level {most} and coarser than level {least}')
        if (level := self.levels.get(name)) is None:
            return range(least, most + 1)
        if not least <= level <= most:
            problem = f'levels: "{name}" is to be on level {level}, but finest and coarsest allow {least} to {most}'
            raise ParameterError(problem)
        return range(level, level + 1)


def plan(
    goals: Measure | Iterable[Measure],
    *,
    suppress_at_most: Number = 0,
    utility: Utility | str | None = None,
    recoding: str = "global",
    grouping: str | None = None,
    parts: bool = False,
    coarsest: Mapping[str, int] | None = None,
    finest: Mapping[str, int] | None = None,
    levels: Mapping[str, int] | None = None,
    weights: Mapping[str, Number] | None = None,
    suppress: str = "rows",
    suppressed_rows: str = "keep",
    drop_identifiers: bool = False,
    order: str = "original",
    seed: int | None = None,
    output_encoding: str = "utf-8",
    time_limit: str | float | None = None,
    polish_rounds: int | None = None,
) -> Plan:
    """Check what a caller asks for, and return it as a plan."""
    for name, given, words in (
        ("recoding", recoding, Recoding),
        ("grouping", grouping or "halving", Grouping),
        ("suppress", suppress, Suppress),
        ("suppressed_rows", suppressed_rows, SuppressedRows),
        ("order", order, Order),
        ("output_encoding", output_encoding, Encoding),
    ):
        if given not in get_args(words):
            raise ParameterError(f"{name} cannot be {shown(given)}", hint=did_you_mean(str(given), get_args(words)))
    for name, flag in (("parts", parts), ("drop_identifiers", drop_identifiers)):
        if not isinstance(flag, bool):
            raise ParameterError(f"{name} must be True or False, not {shown(flag)}")
    for name, number in (("seed", seed), ("polish_rounds", polish_rounds)):
        if number is not None and (type(number) is not int or number < 0):
            raise ParameterError(f"{name} must be a whole number from 0, not {shown(number)}")
    if seed is not None and order != "shuffled":
        raise ParameterError("a seed is for a shuffled order only", hint='pass order="shuffled", or omit seed=')
    _require_recoding(recoding, grouping, parts=parts)
    means = recoding == "microaggregate"
    measure = _utility((SquaredError() if means else Granularity()) if utility is None else utility)
    if means:
        _require_means_only(measure, {"coarsest": coarsest, "finest": finest, "levels": levels}, time_limit)
    elif weights and not isinstance(measure, Granularity | None):
        hint = 'weigh columns with utility="granularity" or utility="loss"'
        raise ParameterError(f"weights do not go with {measure.name}", hint=hint)
    return Plan(
        goals=_goals(goals),
        suppress_at_most=share_of_rows(suppress_at_most, "suppress_at_most"),
        utility=measure,
        recoding=recoding,  # type: ignore[arg-type]
        grouping=grouping or "halving",  # type: ignore[arg-type]
        coarsest=levels_of("coarsest", coarsest),
        finest=levels_of("finest", finest),
        levels=levels_of("levels", levels),
        weights=weights_of(weights),
        suppress=suppress,  # type: ignore[arg-type]
        suppressed_rows=suppressed_rows,  # type: ignore[arg-type]
        drop_identifiers=drop_identifiers,
        order=order,  # type: ignore[arg-type]
        seed=seed,
        output_encoding=output_encoding,  # type: ignore[arg-type]
        seconds=seconds_of(time_limit),
        polish_rounds=polish_rounds,
        parts=parts,
    )


def _require_recoding(recoding: str, grouping: str | None, *, parts: bool) -> None:
    """Raise an error if something is asked of another way of recoding than it is for."""
    if grouping and recoding != "microaggregate":
        raise ParameterError("grouping is for microaggregation only", hint='pass recoding="microaggregate"')
    if parts and recoding != "local":
        raise ParameterError("parts is for local recoding only", hint='pass recoding="local", or omit parts')


def _require_means_only(measure: Utility | None, levels: Mapping[str, object], time_limit: object) -> None:
    """Raise an error if microaggregation is asked for something about levels, which it has not, or about its time."""
    if not isinstance(measure, SquaredError):
        name = LOSS if measure is None else measure.name
        hint = "omit utility=: it makes the squared error small"
        raise ParameterError(f"{name} is not what microaggregation keeps", hint=hint)
    for name, given in levels.items():
        if given:
            raise ParameterError(f"{name} does not go with microaggregation", hint="it uses no hierarchies")
    if time_limit is not None:
        hint = 'omit time_limit; grouping="halving" takes seconds for a million rows'
        raise ParameterError("time_limit does not go with microaggregation: groups are found at once", hint=hint)


def _goals(goals: Measure | Iterable[Measure]) -> tuple[Measure, ...]:
    found = (goals,) if isinstance(goals, Measure) else tuple(goals)
    if not found:
        raise ParameterError("no goal is given", hint="pass goals=[KAnonymity(5)], or further measures with limits")
    for goal in found:
        if not isinstance(goal, Measure):
            raise ParameterError(f"a goal must be a measure, not {shown(goal)}", hint="pass goals=[KAnonymity(5)]")
        if not goal.judges:
            raise ParameterError(f"{goal.name} is no goal without a limit", hint=f"pass {goal.example_call()}")
    return found


def _utility(given: object) -> Utility | None:
    if given == LOSS:
        return None
    kind = find(given) if isinstance(given, str) else None
    measure = kind() if kind and not kind.required() else given
    if not isinstance(measure, Utility):
        hint = 'pass "granularity", "loss", or a utility measure such as "Precision"'
        raise ParameterError(f"utility cannot be {shown(given)}", hint=hint)
    return measure
