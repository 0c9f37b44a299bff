"""What is asked of a release that is to be made, checked before any row is read.

Numbers as callers give them to a plan: shares, levels, weights and times.

The record of a release that was made: a plan as plain values and back, and how the release came about.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from inspect import signature
from typing import TYPE_CHECKING, Any, Literal, get_args

from PETWorks.errors import THRESHOLD, ParameterError, did_you_mean, show_value
from PETWorks.evaluation.provenance import Provenance
from PETWorks.exact.limit import Limit, Number
from PETWorks.facts.cells import LevelCodes
from PETWorks.measure.base import Measure, to_plain
from PETWorks.measure.losses import Utility
from PETWorks.measure.registry import find
from PETWorks.measure.utility.granularity import Granularity
from PETWorks.measure.utility.squared_error import SquaredError

if TYPE_CHECKING:
    from PETWorks.anonymization.anonymized_table import AnonymizedTable

UNITS = {"": 1, "s": 1, "min": 60, "h": 3600}
_TIME = re.compile(r"(\d+(?:\.\d+)?) ?(s|min|h|)", re.ASCII)


def share_of_rows(given: Any, name: str) -> Limit:  # noqa: ANN401
    """Read the share of rows that may be suppressed, also as a percentage; `name` is the parameter's, for errors."""
    if isinstance(given, str) and given.strip().endswith("%"):
        exact = Limit.of(given.strip().removesuffix("%"), name).exact / 100
        rate = Limit(exact)
    else:
        rate = Limit.of(given, name)
    if not 0 <= rate.exact <= 1:
        problem = f"{name} must be a share of the rows, from 0 to 1, not {show_value(given)}"
        raise ParameterError(problem, hint='pass for example "5%" or "1/20"')
    return rate


def levels_of(name: str, given: Mapping[str, int] | None) -> dict[str, int]:
    """Read levels by column; `name` is the parameter's, for errors."""
    for column, level in (found := _mapped(name, given, 2)).items():
        if isinstance(level, bool) or not isinstance(level, int):
            raise ParameterError(f'{name}: the level of "{column}" must be a whole number, not {show_value(level)}')
    return found


def weights_of(given: Mapping[str, Number] | None) -> dict[str, Fraction]:
    """Read weights by column."""
    weights = {}
    for name, number in _mapped("weights", given, "1/2").items():
        weights[name] = Limit.of(number, f'the weight of "{name}"').exact
        if not 0 <= weights[name] <= 1:
            raise ParameterError(f'the weight of "{name}" must be from 0 to 1, not {show_value(number)}')
    return weights


def seconds_of(given: str | float | None) -> float | None:
    """Read a time: seconds as a number, or text such as "60 s" or "2 min"."""
    if given is None:
        return None
    found = _TIME.fullmatch(given.strip()) if isinstance(given, str) else None
    seconds = float(found[1]) * UNITS[found[2]] if found else given
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 < seconds < float("inf"):
        raise ParameterError(f"time_limit cannot be {show_value(given)}", hint='pass for example "60 s" or "2 min"')
    return float(seconds)


def _mapped(name: str, given: Any, example: object) -> dict[str, Any]:  # noqa: ANN401
    if not isinstance(given, Mapping | None):
        hint = f'pass {name}={{"age": {example!r}}}'
        raise ParameterError(f"{name} must map columns to numbers, not {show_value(given)}", hint=hint)
    return dict(given or {})


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
        asked = [goal.requested_size for goal in self.goals]
        return max((size for size in asked if size), default=None)

    @property
    def crowd(self) -> int:
        """Return the least number of rows that are suppressed, if any are, and stay in the release.

        Who is known to be in the table and fits no class must be one of them, so few would tell on somebody.
        """
        return 0 if self.allow_few or self.suppressed_rows == "remove" else self.class_size or THRESHOLD

    def allowed(self, rows: int) -> int:
        """Return how many of so many rows may be suppressed."""
        return int(self.suppress_at_most.exact * rows)

    def ranges(self, ladders: Sequence[LevelCodes]) -> list[range]:
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
            raise ParameterError(
                f"{name} cannot be {show_value(given)}", hint=did_you_mean(str(given), get_args(words))
            )
    for name, flag in (("parts", parts), ("drop_identifiers", drop_identifiers)):
        if not isinstance(flag, bool):
            raise ParameterError(f"{name} must be True or False, not {show_value(flag)}")
    for name, number in (("seed", seed), ("polish_rounds", polish_rounds)):
        if number is not None and (type(number) is not int or number < 0):
            raise ParameterError(f"{name} must be a whole number from 0, not {show_value(number)}")
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
            raise ParameterError(f"a goal must be a measure, not {show_value(goal)}", hint="pass goals=[KAnonymity(5)]")
        if not goal.judges:
            raise ParameterError(f"{goal.name} is no goal without a limit", hint=f"pass {goal.example_call()}")
    return found


def _utility(given: object) -> Utility | None:
    if given == LOSS:
        return None
    kind = find(given) if isinstance(given, str) else None
    measure = kind() if kind and not kind.list_required() else given
    if not isinstance(measure, Utility):
        hint = 'pass "granularity", "loss", or a utility measure such as "Precision"'
        raise ParameterError(f"utility cannot be {show_value(given)}", hint=hint)
    return measure


PARAMETERS = tuple(name for name in signature(plan).parameters if name != "goals")


def making_of(made: AnonymizedTable) -> Provenance:
    """Return what a record tells of how a release was made."""
    proof, table, crowd = made.proof, made.facts.combination_labels.table, made.facts.scope.people
    return Provenance(
        plan=plain_plan(made.plan),
        roles=made.original.roles,
        the_rest=made.the_rest,
        rows=table.rows,
        suppressed=made.suppressed,
        levels=made.levels,
        heights={ladder.name: ladder.height for ladder in table.ladders} if made.levels else {},
        without_hierarchy=made.without_hierarchy,
        utility=made.utility,
        score=made.worth,
        loss=made.loss,
        bound=made.bound,
        proven=made.proven,
        proof=None if proof is None else proof.counts,
        polish_rounds=made.outcome.rounds,
        divided=made.divided,
        better=made.given.better if made.given else None,
        people=None
        if crowd is None
        else {"known": crowd.known, "people": crowd.people, "suppressed": crowd.suppressed},
    )


def plain_plan(asked: Plan) -> dict[str, Any]:
    """Return a plan as plain values: the parameters of `pw.anonymize`, by name."""
    given = {name: _plain(getattr(asked, name, None)) for name in PARAMETERS}
    given |= {"utility": LOSS if asked.utility is None else _plain(asked.utility), "time_limit": asked.seconds}
    if asked.recoding != "microaggregate":
        given["grouping"] = None
    return {"goals": [_plain(goal) for goal in asked.goals], **given}


def plan_of(given: Mapping[str, Any], measure: Callable[[Mapping[str, Any]], Measure]) -> Plan:
    """Build a plan from plain values; `measure` builds a measure from its name and parameters."""
    goals, utility, others = given["goals"], given["utility"], dict(given)
    del others["goals"]
    others["utility"] = utility if utility == LOSS else measure(utility)
    return plan([measure(goal) for goal in goals], **others)


def _plain(value: Any) -> Any:  # noqa: ANN401
    if isinstance(value, Measure):
        return {"measure": value.name, "parameters": value.parameters()}
    return {name: to_plain(one) for name, one in value.items()} if isinstance(value, Mapping) else to_plain(value)
