"""The requirements of a policy file: measures with their limits.

Requirements are also checked parameter by parameter, for a form that shows each error beside its field.

Values that are still "fill in" are found with their line and the comment that explains them.

Requirements that no release of a table can meet together: one asks for utility, another for protection.

Each pair is searched for the release that keeps most of the utility and meets the other requirement. If even that
release keeps too little, and it is proven to be the best, the two contradict each other.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, get_args

from PETWorks.anonymization.plan import SearchSettings
from PETWorks.errors import GoalError, ParameterError, PETWorksError, UnknownNameError, did_you_mean
from PETWorks.evaluation.release import Release
from PETWorks.evaluation.requirement import NotShown, Requirement
from PETWorks.exact.limit import Limit
from PETWorks.facts.notes import Name, Note, Reason
from PETWorks.measure.base import Measure
from PETWorks.measure.losses import Utility
from PETWorks.measure.parameter import find_limits, find_parameters
from PETWorks.measure.registry import find, measures
from PETWorks.policy.inspection import list_findable
from PETWorks.policy.toml import Problems, TomlSection
from PETWorks.presentation import Language

if TYPE_CHECKING:
    from PETWorks.anonymization.search import PolishProgress, SearchProgress


def read_requirements(file: TomlSection, sensitive: Sequence[str], problems: Problems) -> Iterator[Requirement]:
    """Yield the requirements under [[require]]; add the errors of invalid ones to `problems`."""
    required = file.tables("require")
    if not required:
        hint = 'add [[require]] with measure = "k-anonymity" and k = 5, for example'
        file.refuse("there is no requirement", hint=hint)
    for one in required:
        name, why = one.text("measure"), one.text("why") or ""
        source, clause = one.text("source") or "", one.text("clause") or ""
        changed = one.tables("changed")
        if name is None:
            if "measure" not in one:
                one.refuse('missing key "measure"', hint='add measure = "k-anonymity", for example')
            continue
        with problems.gathering(one.where):
            kind = _find_kind(name)
            if measure := _measure(kind, one, sensitive, problems):
                why = with_changes(why, measure, [_change(kind, other) for other in changed])
                yield Requirement(measure, why=why, source=source, clause=clause)


def read_not_shown(file: TomlSection) -> Iterator[NotShown]:
    """Yield the statements under [[not_shown]]; a text without a language is used for all languages."""
    for one in file.tables("not_shown"):
        source, clause = one.text("source") or "", one.text("clause") or ""
        what, looks_for = one.read_texts("what", get_args(Language)), tuple(one.names("looks_for"))
        for name in (name for name in looks_for if name not in list_findable()):
            one.refuse(f'an inspection does not look for "{name}"', hint=did_you_mean(name, list_findable()))
        if "what" not in one:
            one.refuse('missing key "what"', hint='add what = "the contract with the recipient", for example')
        one.report_unread()
        yield NotShown(what, source, clause, looks_for)


def read_removed(file: TomlSection, problems: Problems) -> Iterator[Note]:
    """Yield the requirements under [[removed]]: they were given up, and every output begins with them."""
    for one in file.tables("removed"):
        name, why = one.text("measure"), one.text("why")
        for key in ("measure", "why"):
            if key not in one:
                one.refuse(f'missing key "{key}"', hint="say which requirement was removed, and why")
        with problems.gathering(one.where):
            if name is None or why is None:
                continue
            kind = _find_kind(name)
            limits_before = ", ".join(f"{key} {_show_limit(value)}" for key, value in one.rest().items())
            one.report_unread(*find_parameters(kind), "source", "clause", "changed")
            figures = {"measure": Name(f"{kind.name} ({limits_before})" if limits_before else kind.name)}
            yield Note("removed_requirement", {**figures, "why": Reason(why)}, warning=True, leading=True)


def with_changes(why: str, measure: Measure, changes: Sequence[Mapping[str, Any]]) -> str:
    """Return the reason for a limit, preceded by its earlier values and why they changed, so that reports show both.

    Each change has the earlier values, and its reason under "why". The signs are the same in every language.

    >>> with_changes("the board", find("t-closeness")(t="0.5"), [{"t": "0.3", "why": "first release"}])
    'the board; t 0.3 → 0.5: first release'
    """
    now: dict[str, Any] = {name: getattr(measure, name) for name in find_parameters(type(measure))}
    told = list[str]()
    for change in reversed(changes):
        steps = [
            f"{name} {_show_limit(value)} → {_show_limit(now[name])}" for name, value in change.items() if name in now
        ]
        told.insert(0, f"{', '.join(steps)}: {change['why']}")
        now |= {name: value for name, value in change.items() if name in now}
    return "; ".join([*filter(None, [why]), *told])


def _show_limit(value: Any) -> str:  # noqa: ANN401
    return "–" if value in (None, "") else str(value)


def _change(kind: type[Measure], given: TomlSection) -> dict[str, Any]:
    """Return an earlier value and the reason for its change; an empty text stands for a limit that was not set."""
    why = given.text("why")
    if why is None and "why" not in given:
        given.refuse('missing key "why"', hint='add why = "the review board decided so", for example')
    before = {name: value for name, value in given.rest().items() if name in find_parameters(kind)}
    given.report_unread(*find_parameters(kind))
    if not before:
        given.refuse("nothing is said to have changed", hint=_name_limits(kind))
    return {**before, "why": why or ""}


def _find_kind(name: str) -> type[Measure]:
    try:
        return find(name)
    except UnknownNameError as error:
        raise UnknownNameError(f'unknown measure "{name}"', hint=error.hint) from error


def _measure(kind: type[Measure], given: TomlSection, sensitive: Sequence[str], problems: Problems) -> Measure | None:
    """Build the measure with its limits; return None after adding its errors to `problems`."""
    before = len(problems)
    known = find_parameters(kind)
    if any(parameter.kind == "function" for parameter in known.values()):
        hint = "evaluate it in Python, with release.check(): a policy file runs no code"
        raise ParameterError(f"{kind.name} needs a Python function, which a policy file cannot pass", hint=hint)
    parameters = {name: value for name, value in given.rest().items() if name in known}
    given.report_unread(*known)
    for name, value in parameters.items():
        with problems.gathering(given.where):
            if known[name].kind == "model":
                hint = "evaluate it in Python, with release.check(): a policy file runs no code"
                raise ParameterError(f"a policy file cannot pass {name}", hint=hint)
            sided = isinstance(value, dict) and known[name].kind != "table"
            parameters[name] = _number(kind, name, value) if sided else value
            known[name].read(parameters[name], name)
    if (chosen := parameters.get("sensitive")) is not None and chosen not in sensitive:
        given.refuse(f'"{chosen}" is not a sensitive attribute', hint=did_you_mean(chosen, sensitive))
    if lacking := [name for name in kind.list_required() if name not in parameters]:
        given.refuse(f"{kind.name} needs {', '.join(lacking)}")
    if len(problems) > before:
        return None
    measure = kind(**parameters)
    if not measure.judges:
        raise ParameterError(f"no limit is given for {kind.name}", hint=_name_limits(kind))
    return measure


def _number(kind: type[Measure], name: str, given: Mapping[str, Any]) -> Any:  # noqa: ANN401
    """Return the number of a limit whose side is named: average = { at_most = 0.05 }."""
    if name not in find_limits(kind):
        hint = f"write {name} = …; {_name_limits(kind)}"
        raise ParameterError(f"{name} is not a limit, so it cannot be written as {dict(given)}", hint=hint)
    side = find_limits(kind)[name].replace(" ", "_")
    if list(given) != [side]:
        raise ParameterError(f"{name} must be a number or {{ {side} = … }}, not {dict(given)}")
    return given[side]


def _name_limits(kind: type[Measure]) -> str:
    known = [f"{name} ({side})" for name, side in find_limits(kind).items()]
    if known:
        return f"its limits: {', '.join(known)}"
    judging = ", ".join(name for name, other in measures().items() if find_limits(other))
    return f"it has no limits; measures with limits: {judging}"


FILL_IN = "fill in"
VALUE = r"""(?P<value>(?:[^#"']|"[^"]*"|'[^']*')*)"""
LINE = re.compile(rf"""^\s*(?P<key>(?:[^#="'\[\]{{}}]+|"[^"]*")=)?{VALUE}(?:#\s*(?P<meant>.*))?$""")
BLANK = re.compile(r"""(?:(?P<inner>[\w.-]+)\s*=\s*)?(?P<quote>["'])fill in(?P=quote)""")


class Blank(NamedTuple):
    """A value to fill in: its line, its key, and the comment that explains it."""

    line: int
    key: str
    meant: str


def blanks(text: str) -> Iterator[Blank]:
    """Yield the values of a policy that are still to fill in.

    >>> list(blanks('k = "fill in"  # the smallest class'))
    [Blank(line=1, key='k', meant='the smallest class')]
    """
    key = ""
    for number, line in enumerate(text.splitlines(), 1):
        if found := LINE.match(line):
            key = (found["key"] or "").rstrip("= \t") or key  # a list may go on for several lines
            for blank in BLANK.finditer(found["value"]):
                inner = f".{blank['inner']}" if blank["inner"] else ""
                yield Blank(number, key + inner, (found["meant"] or "").strip())


def find_blanks(content: Any, text: str, file: str) -> list[ParameterError]:  # noqa: ANN401
    """Return an error for each value that is still to fill in; `content` is the parsed text."""
    if not _is_blank(content):
        return []
    return [
        ParameterError(f'{key} is still "{FILL_IN}"', where=f"{file}, line {line}", hint=meant)
        for line, key, meant in blanks(text)
    ]


def _is_blank(content: Any) -> bool:  # noqa: ANN401
    """Return True if a value is, or contains, a blank to fill in."""
    if isinstance(content, dict):
        return any(map(_is_blank, content.values()))
    return any(map(_is_blank, content)) if isinstance(content, list) else content == FILL_IN


WHOLE = ""  # the key of what is wrong with the requirement as a whole


def faults(kind: type[Measure], given: Mapping[str, Any], sensitive: Sequence[str]) -> dict[str, PETWorksError]:
    """Return the error of each invalid parameter of a requirement, by name; blanks to fill in are no errors.

    >>> from PETWorks import TCloseness
    >>> str(faults(TCloseness, {"t": "1.2"}, ["salary"])["t"])
    "t must be at least 0 and at most 1, not '1.2'"
    """
    known, found = find_parameters(kind), dict[str, PETWorksError]()
    for name, value in given.items():
        if value != FILL_IN and name in known and not _is_open(value):
            try:
                known[name].read(value, name)
            except PETWorksError as error:
                found[name] = error
    if (chosen := given.get("sensitive")) is not None and chosen not in sensitive:
        found["sensitive"] = ParameterError(
            f'"{chosen}" is not a sensitive attribute', hint=did_you_mean(chosen, sensitive)
        )
    for name in kind.list_required():
        if given.get(name) is None:
            found[name] = ParameterError(f"{kind.name} needs {name}")
    if not found and not any(map(_is_open, given.values())):
        try:
            measure = kind(**{name: value for name, value in given.items() if name in known})
        except PETWorksError as error:
            return {WHOLE: error}
        if not measure.judges:
            named = ", ".join(find_limits(kind))
            found[WHOLE] = ParameterError(f"no limit is given for {kind.name}", hint=f"state at least one of: {named}")
    return found


def _is_open(value: Any) -> bool:  # noqa: ANN401
    """Return True if a value is, or contains, a blank to fill in."""
    return any(map(_is_open, value.values())) if isinstance(value, Mapping) else value == FILL_IN


SECONDS = 20.0  # of each search; what is not decided by then is no contradiction that anybody knows of


@dataclass(frozen=True)
class Contradiction:
    """A utility requirement and one that conflicts with it, by position, and the highest utility the other allows.

    If `best` is None, no release meets the other one, and `utility` is the same position.
    """

    utility: int
    other: int
    best: float | None


class _ReachedError(Exception):
    """Stops a search that has reached its target."""


def find_contradictions(
    original: Release, plan: SearchSettings, tell: Callable[[], None] = lambda: None
) -> list[Contradiction]:
    """Return the pairs of goals that contradict each other; `original` is the original as a release of itself.

    `tell` is called repeatedly; an error that it raises stops the search.
    """
    asks = {number: goal for number, goal in enumerate(plan.goals) if isinstance(goal, Utility) and goal.judges}
    found = []
    for other, goal in enumerate(plan.goals):
        for number, utility in asks.items() if other not in asks else ():
            try:
                best = _find_best(original, plan, utility, [goal], tell)
            except GoalError:
                found.append(Contradiction(other, other, None))
                break
            if best is not None:
                found.append(Contradiction(number, other, best))
    return found


def _find_best(
    original: Release, plan: SearchSettings, utility: Utility, goals: Sequence[Measure], tell: Callable[[], None]
) -> float | None:
    """Return the highest utility of releases that meet the other goals if it is below the limit; None if unproven."""
    from PETWorks.anonymization.make import make

    limit = float(Limit.of(utility.at_least or 0))
    parameters = {name: value for name, value in utility.parameters().items() if name != "at_least"}
    wanted = replace(plan, goals=tuple(goals), utility=type(utility)(**parameters), time_limit=SECONDS)
    wanted = replace(wanted, recoding="global", levels={}, weights={})

    def listener(progress: SearchProgress | PolishProgress) -> None:
        tell()
        if progress.worth is not None and progress.worth >= limit:
            raise _ReachedError

    tell()
    try:
        made = make(original, wanted, listener)
    except _ReachedError:
        return None
    reach = made.utility.value if made.proven else made.bound
    return reach if reach is not None and reach < limit else None
