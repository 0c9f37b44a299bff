"""The controls of step 5: for each column, a strip of levels with their prices, and its weight; and the limit.

The limit on suppressed rows is a slider under a curve, which shows the best score at each limit.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil

from markupsafe import Markup

from PETWorks.anonymization.exploration import NodeFigures, find_best_by_limit, select_inside
from PETWorks.anonymization.plan import read_search
from PETWorks.anonymization.vectors import Levels
from PETWorks.app.forms import BadRequestError, Form
from PETWorks.app.project.draft import Change, Draft
from PETWorks.app.responses import Say
from PETWorks.app.screens.explore.state import ExploreState
from PETWorks.app.session import Session
from PETWorks.errors import ParameterError
from PETWorks.facts.cells import LevelCodes
from PETWorks.measure.steps import Cell as Value
from PETWorks.measure.steps import Name
from PETWorks.policy.data import ANY_GOAL
from PETWorks.render.typography import format_percent
from PETWorks.settings.kinds import WeightPerColumn
from PETWorks.shown import THRESHOLD

DEFAULT_WEIGHT = "1"  # the weight of a column without its own


@dataclass(frozen=True)
class WrongWeight:
    """A weight that was typed and not accepted, and the problem."""

    number: int  # of the column
    typed: str
    problem: str


def read_weight(draft: Draft, name: str) -> str:
    """Return the weight of a column as text."""
    return str(draft.making.get("weights", {}).get(name, DEFAULT_WEIGHT))


def set_weight(session: Session, form: Form) -> WrongWeight | None:
    """Set the weight of a column; return the problem if the library does not accept it."""
    number, text = form.number("column"), form["weight"].strip() or DEFAULT_WEIGHT
    if not 0 < number <= len(session.columns):
        raise BadRequestError("there is no such column")
    name, making = session.columns[number - 1], session.draft.making
    others = {key: one for key, one in making.get("weights", {}).items() if key != name}
    try:
        whole = WeightPerColumn().read({name: text}, "weights")[name] == 1
        weights = others if whole else {**making.get("weights", {}), name: text}
        read_search(ANY_GOAL, **{key: making[key] for key in ("utility", "recoding") if key in making}, weights=weights)
    except ParameterError as error:
        return WrongWeight(number, text, str(error))
    if (before := read_weight(session.draft, name)) != (DEFAULT_WEIGHT if whole else text):
        change = Change("explore_weight", column=name, before=before, weight=DEFAULT_WEIGHT if whole else text)
        session.apply(form, change, session.draft.with_making("weights", weights))
    return None


MAX_LABELS = 4  # labels of the present level that are shown
PRICE_SECONDS = 0.06  # that an answer waits for prices; the page polls for the others


@dataclass(frozen=True)
class LevelButton:
    """A button for a level of a column. It shows which share of the rows would be suppressed, and the score."""

    level: int
    label: Markup  # the number of values, or the only value
    share: str  # of suppressed rows; "" if not known yet
    score: str
    over: bool  # True: over the limit
    never: bool  # True: a requirement fails, whatever is suppressed
    outside: bool  # True: outside the bounds of a search
    taken: bool


@dataclass(frozen=True)
class LevelBound:
    """A bound on the levels of a column."""

    ticked: bool
    text: Markup


@dataclass(frozen=True)
class Strip:
    """A column with its levels, bounds and weight."""

    number: int  # of the column, in the table
    name: Markup
    now: Markup
    steps: tuple[LevelButton, ...]
    coarsest: LevelBound  # ticked: it may not become coarser
    finest: LevelBound
    weight: str  # in the score


def list_strips(state: ExploreState, say: Say, *, waits: bool = True) -> tuple[Strip, ...]:
    """Return a strip for each column; with `waits`, prices that take long are omitted."""
    if state.local:
        return tuple(_make_mixed_strip(state, say, place) for place in range(len(state.ranges)))
    levels = state.levels
    prices = None if levels is None else price_steps(state, levels, PRICE_SECONDS if waits else None)
    return tuple(
        _make_strip(state, say, place, levels, prices[place] if prices else None) for place in range(len(state.ranges))
    )


def price_steps(state: ExploreState, levels: Levels, patience: float | None) -> list[list[NodeFigures | None]]:
    """Evaluate each level of each column; None for those that are not known in time."""
    end = None if patience is None else time.monotonic() + patience
    found: list[list[NodeFigures | None]] = [[] for _ in state.ranges]
    exploration = state.exploration
    for column, step in exploration.iterate_steps(levels):
        late = end is not None and time.monotonic() > end and not exploration.is_evaluated(step)
        found[column].append(None if late else exploration.evaluate(step))
    return found


def _make_strip(
    state: ExploreState, say: Say, place: int, levels: Levels | None, prices: Sequence[NodeFigures | None] | None
) -> Strip:
    ladder = state.exploration.table.ladders[place]
    level = None if levels is None else levels[place]
    given = state.plan.coarsest.get(ladder.name), state.plan.finest.get(ladder.name)
    steps = _list_buttons(state, say, place, level, prices or [None] * (ladder.height + 1))
    return Strip(
        number=_get_number(state, ladder),
        name=say("explore_column", column=Name(ladder.name)),
        now=Markup() if level is None else describe_level(state, say, ladder, place, level),
        steps=tuple(steps),
        coarsest=_make_bound(say, "coarser", given[0], level),
        finest=_make_bound(say, "finer", given[1], level),
        weight=read_weight(state.session.draft, ladder.name),
    )


def _make_mixed_strip(state: ExploreState, say: Say, place: int) -> Strip:
    """Return the strip of a locally recoded column: the share of rows with each level."""
    ladder, local = state.exploration.table.ladders[place], state.helper.local
    many: Mapping[int, int] = local.levels[ladder.name] if local else {}  # type: ignore[assignment]  # of this kind
    found = [
        replace(one, share=format_percent(Fraction(many.get(one.level, 0), state.rows or 1)) if local else "")
        for one in _list_buttons(state, say, place, None, [None] * (ladder.height + 1))
    ]
    name = say("explore_column", column=Name(ladder.name))
    none = LevelBound(ticked=False, text=Markup())
    weight = read_weight(state.session.draft, ladder.name)
    return Strip(_get_number(state, ladder), name, say("explore_mixed"), tuple(found), none, none, weight)


def _make_bound(say: Say, kind: str, given: int | None, level: int | None) -> LevelBound:
    """Return a bound, with its level if that is not the present one."""
    if given is None or given == level:
        return LevelBound(given is not None, say(f"explore_not_{kind}"))
    return LevelBound(ticked=True, text=say(f"explore_not_{kind}_than", level=given))


def _get_number(state: ExploreState, ladder: LevelCodes) -> int:
    return state.session.columns.index(ladder.name) + 1


def _list_buttons(
    state: ExploreState, say: Say, place: int, level: int | None, prices: Sequence[NodeFigures | None]
) -> Iterator[LevelButton]:
    ladder, bounds = state.exploration.table.ladders[place], state.ranges[place]
    for one, weighed in enumerate(prices):
        yield LevelButton(
            level=one,
            label=_render_label(state, say, ladder, one),
            share=_format_price(state, say, weighed),
            score="" if weighed is None else f"{weighed.score:.4f}",
            over=weighed is not None and not weighed.is_within(state.allowed),
            never=weighed is not None and not weighed.holds,
            outside=one not in bounds,
            taken=one == level,
        )


def _render_label(state: ExploreState, say: Say, ladder: LevelCodes, level: int) -> Markup:
    """Return the number of values of a column on a level, or the only value if enough people have it."""
    codes = {*ladder.up[level].tolist()}
    only = ladder.labels[min(codes)] if len(codes) == 1 else None
    named = only is not None and (level == ladder.height or state.rows >= THRESHOLD)
    return say("explore_labels", labels=[Value(only)]) if named else say("explore_values", values=len(codes))


def _format_price(state: ExploreState, say: Say, weighed: NodeFigures | None) -> str:
    """Format the share of suppressed rows, or that a requirement fails whatever is suppressed."""
    if weighed is None:
        return ""
    return format_percent(Fraction(weighed.suppressed, state.rows or 1)) if weighed.holds else str(say("explore_fails"))


def describe_level(state: ExploreState, say: Say, ladder: LevelCodes, place: int, level: int) -> Markup:
    """Describe the values of a column on a level; only those of enough people are named."""
    people = state.exploration.table.count_people_by_label(place, level)
    if level == 0:
        return say("explore_original_values", values=len(people))
    if level == ladder.height:
        return say("explore_nothing_left")
    often = sorted((code for code in people if people[code] >= THRESHOLD), key=lambda code: (-people[code], code))
    if not often:
        return say("explore_values", values=len(people))
    named = [Value(ladder.labels[code] or "") for code in sorted(often[:MAX_LABELS])]
    more = len(people) - len(named)
    return say("explore_labels_more" if more else "explore_labels", labels=named, more=more)


MIN_SLIDER_END = 12  # percent
MAX_SLIDER_END = 100
TABLE_PERCENTAGES = (0, 1, 2, 5, 10)  # percentages in the table
DRAWING_SIZE = 1000  # width and height


@dataclass(frozen=True)
class LimitView:
    """The limit on suppressed rows, with its curve."""

    value: str  # percent, as in the field
    most: int  # percent, the right end of the slider
    allowed: int
    path: Markup  # of the curve; empty if nothing is known
    at: float  # position of the limit, in percent of the width
    height: float | None  # of the curve at the limit, in percent from the top
    rows: tuple[tuple[str, str, bool], ...]  # limit, best score, True for the present limit
    ticks: tuple[str, ...]
    complete: bool  # False: not all vectors were evaluated yet


def make_limit_view(state: ExploreState) -> LimitView:
    """Return the view of the limit on suppressed rows."""
    share = state.plan.suppress_at_most.exact * 100
    most = min(max(MIN_SLIDER_END, ceil(share * Fraction(6, 5))), MAX_SLIDER_END)
    known = find_best_by_limit(select_inside(state.exploration.list_evaluated(), state.ranges))
    low = state.plan.utility is None
    top = max((one.score for one in known), default=1.0) or 1.0
    scale = top if low else 1.0
    points = [(one.suppressed / (state.rows or 1) * 100 / most, 1 - one.score / scale) for one in known]
    here = _find_best(known, state.allowed)
    limits = sorted({*map(Fraction, TABLE_PERCENTAGES), share})
    return LimitView(
        value=format_decimal(share),
        most=most,
        allowed=state.allowed,
        path=Markup(_draw_curve(points)),  # noqa: S704 (numbers)
        at=float(share) / most * 100,
        height=None if here is None else (1 - here.score / scale) * 100,
        rows=tuple(
            (f"{format_decimal(one)}%", _format_best(known, int(one * state.rows / 100)), one == share)
            for one in limits
        ),
        ticks=tuple(f"{most * part // 3}%" for part in range(4)),
        complete=state.helper.surveyed and state.exploration.evaluated_count >= state.exploration.vectors,
    )


def format_decimal(share: Fraction) -> str:
    """Format a number for a field, with at most four decimals."""
    return f"{float(share):.4f}".rstrip("0").rstrip(".")


def format_share(share: Fraction) -> str:
    """Format a share as the limit in sentences."""
    return format_percent(share) if share not in (0, 1) else f"{int(share * 100)}%"


def _find_best(known: Sequence[NodeFigures], allowed: int) -> NodeFigures | None:
    within = [one for one in known if one.suppressed <= allowed]
    return within[-1] if within else None


def _format_best(known: Sequence[NodeFigures], allowed: int) -> str:
    best = _find_best(known, allowed)
    return "–" if best is None else f"{best.score:.4f}"


def _draw_curve(points: Sequence[tuple[float, float]]) -> str:
    """Draw a step line from the first point to the right end."""
    visible = [(x, y) for x, y in points if x <= 1]
    if not visible:
        return ""
    x, y = visible[0]
    path = f"M{x * DRAWING_SIZE:.1f} {y * DRAWING_SIZE:.0f}"
    for x, y in visible[1:]:
        path += f"H{x * DRAWING_SIZE:.1f}V{y * DRAWING_SIZE:.0f}"
    return f"{path}H{DRAWING_SIZE}"
