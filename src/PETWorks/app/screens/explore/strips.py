"""The strips: a step for each level of each column, with its price on it before it is taken."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from markupsafe import Markup

from PETWorks.app.answering import Say
from PETWorks.app.screens.explore.state import State
from PETWorks.app.screens.explore.weights import weight_of
from PETWorks.explain.step import Cell as Value
from PETWorks.explain.step import Name
from PETWorks.facts.ladder import Ladder
from PETWorks.making.exploring import Weighed
from PETWorks.making.vectors import Levels
from PETWorks.measure.result import DESCRIBABLE
from PETWorks.render.numbers import percent

LISTED = 4  # labels of the present level that are named
PATIENCE = 0.06  # seconds that an answer waits for prices; others follow by themselves


@dataclass(frozen=True)
class Step:
    """A level of a column."""

    level: int
    label: Markup  # how many values there are, or the only one
    share: str  # of people suppressed; "" if it is not known yet
    score: str
    over: bool  # True: more than may be
    never: bool  # True: the goals do not hold there at all
    outside: bool  # True: a search does not take it
    taken: bool


@dataclass(frozen=True)
class Bound:
    """A level that a column may not go beyond."""

    ticked: bool
    text: Markup


@dataclass(frozen=True)
class Strip:
    """A column."""

    number: int  # of the column, in the table
    name: Markup
    now: Markup
    steps: tuple[Step, ...]
    coarsest: Bound  # whether it may become coarser
    finest: Bound
    weight: str  # how much its detail counts


def strips(state: State, say: Say, *, waits: bool = True) -> tuple[Strip, ...]:
    """Return a strip for each column; with `waits`, prices that take long are left out."""
    if state.local:
        return tuple(_mixed(state, say, place) for place in range(len(state.ranges)))
    levels = state.levels
    prices = None if levels is None else priced(state, levels, PATIENCE if waits else None)
    return tuple(
        _strip(state, say, place, levels, prices[place] if prices else None) for place in range(len(state.ranges))
    )


def priced(state: State, levels: Levels, patience: float | None) -> list[list[Weighed | None]]:
    """Return what each step of each column gives, as far as that is known in time."""
    end = None if patience is None else time.monotonic() + patience
    found: list[list[Weighed | None]] = [[] for _ in state.ranges]
    exploration = state.exploration
    for column, step in exploration.steps(levels):
        late = end is not None and time.monotonic() > end and not exploration.knows(step)
        found[column].append(None if late else exploration.weigh(step))
    return found


def _strip(state: State, say: Say, place: int, levels: Levels | None, prices: Sequence[Weighed | None] | None) -> Strip:
    ladder = state.exploration.table.ladders[place]
    level = None if levels is None else levels[place]
    given = state.plan.coarsest.get(ladder.name), state.plan.finest.get(ladder.name)
    steps = _steps(state, say, place, level, prices or [None] * (ladder.height + 1))
    return Strip(
        number=_number(state, ladder),
        name=say("explore_column", column=Name(ladder.name)),
        now=Markup() if level is None else present(state, say, ladder, place, level),
        steps=tuple(steps),
        coarsest=_bound(say, "coarser", given[0], level),
        finest=_bound(say, "finer", given[1], level),
        weight=weight_of(state.desk.draft, ladder.name),
    )


def _mixed(state: State, say: Say, place: int) -> Strip:
    """Return the strip of a column whose rows have different levels: how many have each."""
    ladder, local = state.exploration.table.ladders[place], state.helper.local
    many: Mapping[int, int] = local.levels[ladder.name] if local else {}  # type: ignore[assignment]  # of this kind
    found = [
        replace(one, share=percent(Fraction(many.get(one.level, 0), state.rows or 1)) if local else "")
        for one in _steps(state, say, place, None, [None] * (ladder.height + 1))
    ]
    name = say("explore_column", column=Name(ladder.name))
    none = Bound(ticked=False, text=Markup())
    weight = weight_of(state.desk.draft, ladder.name)
    return Strip(_number(state, ladder), name, say("explore_mixed"), tuple(found), none, none, weight)


def _bound(say: Say, kind: str, given: int | None, level: int | None) -> Bound:
    """Return a bound, with its level if that is not the present one."""
    if given is None or given == level:
        return Bound(given is not None, say(f"explore_not_{kind}"))
    return Bound(ticked=True, text=say(f"explore_not_{kind}_than", level=given))


def _number(state: State, ladder: Ladder) -> int:
    return state.desk.columns.index(ladder.name) + 1


def _steps(state: State, say: Say, place: int, level: int | None, prices: Sequence[Weighed | None]) -> Iterator[Step]:
    ladder, bounds = state.exploration.table.ladders[place], state.ranges[place]
    for one, weighed in enumerate(prices):
        yield Step(
            level=one,
            label=_label(state, say, ladder, one),
            share=_price(state, say, weighed),
            score="" if weighed is None else f"{weighed.score:.4f}",
            over=weighed is not None and not weighed.within(state.allowed),
            never=weighed is not None and not weighed.holds,
            outside=one not in bounds,
            taken=one == level,
        )


def _label(state: State, say: Say, ladder: Ladder, level: int) -> Markup:
    """Say how many values a column has on a level, or the only one, if enough people have it."""
    codes = {*ladder.up[level].tolist()}
    only = ladder.labels[min(codes)] if len(codes) == 1 else None
    named = only is not None and (level == ladder.height or state.rows >= DESCRIBABLE)
    return say("explore_labels", labels=[Value(only)]) if named else say("explore_values", values=len(codes))


def _price(state: State, say: Say, weighed: Weighed | None) -> str:
    """Write the share of people suppressed; that nothing can hold, where the goals fail whatever is suppressed."""
    if weighed is None:
        return ""
    return percent(Fraction(weighed.suppressed, state.rows or 1)) if weighed.holds else str(say("explore_fails"))


def present(state: State, say: Say, ladder: Ladder, place: int, level: int) -> Markup:
    """Say what the values of a column are now; only those that enough people have are named."""
    people = state.exploration.table.people_by_label(place, level)
    if level == 0:
        return say("explore_original_values", values=len(people))
    if level == ladder.height:
        return say("explore_nothing_left")
    often = sorted((code for code in people if people[code] >= DESCRIBABLE), key=lambda code: (-people[code], code))
    if not often:
        return say("explore_values", values=len(people))
    named = [Value(ladder.labels[code] or "") for code in sorted(often[:LISTED])]
    more = len(people) - len(named)
    return say("explore_labels_more" if more else "explore_labels", labels=named, more=more)
