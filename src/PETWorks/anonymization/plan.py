"""The settings of a search with its goals, checked before any row is read, and the record of how a release was made."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any

from PETWorks.anonymization.recodings import load_recoding
from PETWorks.errors import ParameterError, did_you_mean, show_value
from PETWorks.evaluation.provenance import Provenance
from PETWorks.facts.cells import LevelCodes
from PETWorks.measure.base import Measure
from PETWorks.measure.losses import Utility
from PETWorks.measure.registry import find
from PETWorks.measure.utility.granularity import Granularity
from PETWorks.settings.kinds import LOSS
from PETWorks.settings.section import declared
from PETWorks.settings.sections import MAKING, Grouping, Search, Writing
from PETWorks.settings.treatments import AsItIs, Numbers
from PETWorks.shown import THRESHOLD

if TYPE_CHECKING:
    from fractions import Fraction

    from PETWorks.anonymization.anonymized_table import AnonymizedTable
    from PETWorks.exact.limit import Limit

LAST = ("time_limit", "polish_rounds")  # of a record, as in those of earlier versions
PARAMETERS = sorted(declared(*MAKING), key=LAST.__contains__)  # of `anonymize`, besides those about the table


class SearchSettings(Search, Writing):
    """Goals, and what may be done to meet them: the settings of a search as they are used, already checked."""

    goals: Sequence[Measure] = ()
    utility: Utility | None = field(default_factory=Granularity)  # None: the loss of all columns, multiplied
    grouping: Grouping = "halving"
    if TYPE_CHECKING:  # no longer converted
        suppress_at_most: Limit = Limit.of(0)
        time_limit: float | None = None
        weights: Mapping[str, Fraction] = field(default_factory=dict)
    allow_few: bool = False  # True: any number of rows may be suppressed, also so few that they disclose a person

    def __post_init__(self) -> None:
        """Take the values unchanged: `read_search` has checked them."""

    @property
    def class_size(self) -> int | None:
        """Return the largest class size that a goal requires; None if no goal requires one."""
        asked = [goal.requested_size for goal in self.goals]
        return max((size for size in asked if size), default=None)

    @property
    def crowd(self) -> int:
        """The minimum number of suppressed rows, if any are suppressed and stay in the release.

        Somebody who is known to be in the table and matches no class must be in one of them: few rows would disclose
        them.
        """
        return 0 if self.allow_few or self.suppressed_rows == "remove" else self.class_size or THRESHOLD

    def allowed(self, rows: int) -> int:
        """Return how many of a number of rows may be suppressed."""
        return self.suppress_at_most.count_within(rows)

    def ranges(self, ladders: Sequence[LevelCodes]) -> list[range]:
        """Return the allowed levels of each column; raise an error for unknown columns and levels."""
        return self.levels_allowed({ladder.name: ladder.height for ladder in ladders})

    def levels_allowed(self, heights: Mapping[str, int]) -> list[range]:
        """Return the allowed levels of columns with these heights, as `ranges` does."""
        self.require_known(heights)
        for parameter in ("coarsest", "finest", "levels"):
            for name, level in getattr(self, parameter).items():
                if not 0 <= level <= heights[name]:
                    problem = f'{parameter}: "{name}" has no level {level}'
                    raise ParameterError(problem, hint=f"its levels are 0 to {heights[name]}")
        return [self._range(name, height) for name, height in heights.items()]

    def require_known(self, names: Iterable[str]) -> None:
        """Raise an error if a setting names a column that is not among these quasi-identifiers."""
        known = set(names)
        for parameter in ("coarsest", "finest", "levels", "weights"):
            for name in getattr(self, parameter):
                if name not in known:
                    problem = f'{parameter}: "{name}" is not a quasi-identifier'
                    raise ParameterError(problem, hint=did_you_mean(name, known))
        if known and not any(self.weights.get(name, 1) for name in known):
            problem = "weights: every quasi-identifier counts 0, so that no release would be better than another"
            raise ParameterError(problem, hint="leave out the columns whose loss matters: they count 1")

    def _range(self, name: str, height: int) -> range:
        least, most = self.finest.get(name, 0), self.coarsest.get(name, height)
        match self.treat.get(name):
            case Numbers():
                least = max(least, 1)  # the first level has the treated numbers
            case AsItIs():
                most = min(most, 0)
        if least > most:
            raise ParameterError(f'no level of "{name}" is allowed: at most {most}, and at least {least}')
        if (level := self.levels.get(name)) is None:
            return range(least, most + 1)
        if not least <= level <= most:
            problem = f'levels: "{name}" is to be on level {level}, but finest and coarsest allow {least} to {most}'
            raise ParameterError(problem)
        return range(level, level + 1)


def read_search(goals: Measure | Iterable[Measure], **given: Any) -> SearchSettings:  # noqa: ANN401
    """Return the settings of a search with these goals; raise an error if one is invalid."""
    search = {name: given.pop(name) for name in declared(Search) if name in given}
    return join_search(goals, Search(**search), Writing(**given))


def join_search(goals: Measure | Iterable[Measure], search: Search, writing: Writing) -> SearchSettings:
    """Return the settings of a search with these goals; raise an error if they contradict each other."""
    recoding = load_recoding(search.recoding)
    utility = _read_utility(recoding.default_utility() if search.utility is None else search.utility)
    recoding.check(search, utility)
    given = {name: getattr(one, name) for one in (search, writing) for name in declared(type(one))}
    given |= {"utility": utility, "grouping": search.grouping or "halving"}
    return SearchSettings(goals=_read_goals(goals), **given)


def _read_goals(goals: Measure | Iterable[Measure]) -> tuple[Measure, ...]:
    several = isinstance(goals, Iterable) and not isinstance(goals, str | type)
    found: tuple[Any, ...] = tuple(goals) if several else (goals,)  # type: ignore[arg-type]  # mypy loses several
    if not found:
        raise ParameterError("no goal is given", hint="pass goals=[KAnonymity(5)], or further measures with limits")
    for goal in found:
        if not isinstance(goal, Measure):
            raise ParameterError(f"a goal must be a measure, not {show_value(goal)}", hint="pass goals=[KAnonymity(5)]")
        if goal.for_editions:
            problem = f"{goal.name} compares files that are written, so no search can keep to it"
            raise ParameterError(problem, hint="make the release, and check it beside the earlier ones")
        if not goal.judges:
            raise ParameterError(f"{goal.name} is no goal without a limit", hint=f"pass {goal.example_call()}")
    return found


def _read_utility(given: object) -> Utility | None:
    if given == LOSS:
        return None
    kind = find(given) if isinstance(given, str) else None
    measure = kind() if kind and not kind.list_required() else given
    if not isinstance(measure, Utility):
        hint = 'pass "granularity", "loss", or a utility measure such as "Precision"'
        raise ParameterError(f"utility cannot be {show_value(given)}", hint=hint)
    return measure


def record_making(made: AnonymizedTable) -> Provenance:
    """Return the entry of a record on how a release was made."""
    proof, table, crowd = made.proof, made.facts.combination_labels.table, made.facts.scope.people
    return Provenance(
        plan=record_search(made.plan),
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
        treatments=made.treatments,
    )


def record_search(asked: SearchSettings) -> dict[str, Any]:
    """Return the goals and settings of a search as plain values: the parameters of `pw.anonymize`, by name."""
    known = declared(*MAKING)
    given = {
        name: None if (one := getattr(asked, name)) is None else known[name].kind.plain(one) for name in PARAMETERS
    }
    given |= {"utility": LOSS if asked.utility is None else given["utility"]}
    if "grouping" not in load_recoding(asked.recoding).own_settings:
        given["grouping"] = None
    return {"goals": [known["utility"].kind.plain(goal) for goal in asked.goals], **given}


def restore_search(given: Mapping[str, Any], measure: Callable[[Mapping[str, Any]], Measure]) -> SearchSettings:
    """Return the settings in a record; `measure` builds a measure from its name and parameters."""
    goals, utility, others = given["goals"], given["utility"], dict(given)
    del others["goals"]
    others["utility"] = utility if utility == LOSS else measure(utility)
    return read_search([measure(goal) for goal in goals], **others)
