"""The plot: each combination is a dot, the front is a line, and pins have letters.

The vertical axis is the detail. The horizontal axis is the risk, or the share of suppressed rows.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from markupsafe import Markup

from PETWorks.anonymization.exploration import NodeFigures, find_best_by_limit, find_front
from PETWorks.anonymization.vectors import Levels
from PETWorks.app.screens.explore.state import ExploreState
from PETWorks.evaluation.provenance import SuppressedAmount, build_zero
from PETWorks.exact.limit import Limit
from PETWorks.measure.risk.re_identification import ReidentificationRisk
from PETWorks.shown import THRESHOLD

Across = Literal["risk", "suppressed"]
TICK_PERCENTAGES = (0, 0.1, 0.5, 1, 2, 5, 10, 20, 50, 100)  # of suppressed rows
MIN_TICK_GAP = 0.1  # of the width, between two ticks
MIN_SUPPRESSED_SHARE = 0.01  # at the right end of the axis
Place = tuple[float, float]  # from 0 to 1: to the right, and down


@dataclass(frozen=True)
class Scale:
    """The axes: risks (logarithmic) or shares of suppressed rows (square root), and scores."""

    across: Across
    low: float  # ends of the axis: logarithms, or roots
    high: float
    rows: int  # of which some are suppressed
    most: float  # the highest score of the axis
    least: bool  # True: a loss, so that less is better

    @classmethod
    def of(cls, known: Iterable[NodeFigures], across: Across, rows: int, limit: float, *, loss: bool) -> Scale:
        """Return the scale that includes all combinations and the limit on suppressed rows."""
        every = list(known)
        most = max((one.score for one in every), default=1.0) if loss else 1.0
        if across == "suppressed":
            high = (
                math.sqrt(
                    max([limit, MIN_SUPPRESSED_SHARE, *(one.suppressed / (rows or 1) for one in every if one.risk)])
                )
                * 1.04
            )
            return cls(across, -0.02 * high, high, rows, most or 1.0, loss)
        risks = [math.log10(one.risk) for one in every if one.risk]
        low, high = min(risks, default=-1.0), max(risks, default=0.0)
        return cls(across, low - 0.15, max(high + 0.1, low + 0.5), rows, most or 1.0, loss)

    def place(self, one: NodeFigures) -> Place | None:
        """Return the place of a combination; None if it releases nobody."""
        if not one.risk:
            return None
        value = one.suppressed / (self.rows or 1) if self.across == "suppressed" else float(one.risk)
        return min(max(self.at(value), 0.0), 1.0), one.score / self.most if self.least else 1 - one.score

    def at(self, value: float) -> float:
        """Return the place of a risk, or of a share of suppressed rows, on the axis."""
        moved = math.sqrt(value) if self.across == "suppressed" else math.log10(value)
        return (moved - self.low) / (self.high - self.low)

    @property
    def ticks(self) -> tuple[tuple[str, float], ...]:
        """The ticks of the axis, in percent of the width: powers of ten, or percentages."""
        if self.across == "risk":
            powers = range(math.ceil(self.low), math.floor(self.high) + 1)
            named = [(f"1/{10**-power:,}" if power else "1", 10.0**power) for power in powers]
            return tuple((text, self.at(value) * 100) for text, value in named)
        found: list[tuple[str, float]] = []
        for percent in TICK_PERCENTAGES:
            place = self.at(percent / 100)
            if place <= 1 and (not found or place - found[-1][1] / 100 >= MIN_TICK_GAP):
                found.append((f"{percent:g}%", place * 100))
        return tuple(found)


MAX_DOTS = 5000  # combinations drawn as dots; more are drawn as a grid of densities
SIZE = 1000
MAX_LISTED = 40  # of the front, in the table
EDGE = 0.1  # of the plot; within it, letters are turned inwards
ACROSS, UP = 40, 24  # cells of the grid
OFFSETS = {"A": (-34, -26), "B": (34, 30), "C": (30, -18), "D": (-30, 34)}  # of the letters, in pixels
SHAPES = {
    "A": '<circle r="{r}"/>',
    "B": '<rect x="-{r}" y="-{r}" width="{d}" height="{d}" rx="1"/>',
    "C": '<path d="M0-{w}L{w} 0L0 {w}L-{w} 0z"/>',
    "D": '<path d="M-{r} {h}L-{w} -{h}L0-{w}L{w} -{h}L{r} {h}z"/>',
}


@dataclass(frozen=True)
class Plot:
    """The contents of the plot."""

    known: int  # combinations that were evaluated
    all: int
    within: int
    beyond: int
    dots: Markup
    line: Markup
    front: tuple[NodeFigures, ...]
    left_out: int  # of the front, withheld because the figures could disclose few people
    more: int  # of the front, beyond the number that is listed
    ticks: tuple[tuple[str, float], ...]
    limit: float | None  # on the horizontal axis, in percent of the width
    grid: bool


def make_scale(state: ExploreState, across: Across) -> Scale:
    """Return the scale for the combinations that were evaluated so far."""
    limit, loss = float(state.plan.suppress_at_most.exact), state.plan.utility is None
    return Scale.of(state.exploration.list_evaluated(), across, state.rows, limit, loss=loss)


def list_front(state: ExploreState, across: Across) -> list[NodeFigures]:
    """Return the combinations of the front, most detail first."""
    every, allowed = state.exploration.list_evaluated(), state.allowed
    if across == "risk":
        return find_front(every, allowed)
    return [one for one in find_best_by_limit(every) if one.is_within(allowed) and one.risk is not None][::-1]


def make_plot(state: ExploreState, scale: Scale) -> Plot:
    """Return the plot of the combinations that were evaluated so far."""
    every, allowed, points = state.exploration.list_evaluated(), state.allowed, list_front(state, scale.across)
    within = sum(one.is_within(allowed) for one in every)
    grid = state.exploration.vectors > MAX_DOTS
    listed, limit = _select_listed(state, scale.across), _place_limit(state, scale)
    return Plot(
        known=len(every),
        all=state.exploration.vectors,
        within=within,
        beyond=len(every) - within,
        dots=_draw_grid(every, scale) if grid else _draw_dots(every, allowed, scale),
        line=_draw_front(points, scale, 100 if limit is None or scale.across == "risk" else limit),
        front=tuple(listed[:MAX_LISTED]),
        more=max(len(listed) - MAX_LISTED, 0),
        left_out=len(points) - len(listed),
        ticks=scale.ticks,
        limit=limit,
        grid=grid,
    )


def _place_limit(state: ExploreState, scale: Scale) -> float | None:
    """Return the place of the limit on suppressed rows, or on the mean risk if one is required and in range."""
    if scale.across == "suppressed":
        return scale.at(float(state.plan.suppress_at_most.exact)) * 100
    means = [one.measure.average for one in state.requirements if isinstance(one.measure, ReidentificationRisk)]
    limits = [float(Limit.of(one).exact) for one in means if one is not None]
    if not limits or not min(limits):
        return None
    place = scale.at(min(limits))
    return place * 100 if 0 <= place <= 1 else None


def _select_listed(state: ExploreState, across: Across) -> list[NodeFigures]:
    """Return the combinations of the front that may be listed beside each other.

    One is left out if it has a small class, or if its suppressed people differ from another's by few. The others
    include the front by risk, which the same reader can see.
    """
    seen = [] if across == "risk" else _select_listed(state, "risk")
    shown = {one.gone for one in (*seen, state.found) if one}
    listed = list[NodeFigures]()
    for one in list_front(state, across):
        if may_be_shown(one, shown):
            shown.add(one.gone)
            listed.append(one)
    return listed


def may_be_shown(one: NodeFigures, others: Iterable[SuppressedAmount]) -> bool:
    """Return True if the figures of a combination may be shown beside those of others."""
    apart = one.gone.is_apart((build_zero(one.gone), *others), THRESHOLD)
    return one.smallest >= THRESHOLD and apart


def _draw_dots(every: Sequence[NodeFigures], allowed: int, scale: Scale) -> Markup:
    """Draw two paths of dots: squares over the limit, circles within."""
    paths = {True: [], False: []}  # type: dict[bool, list[str]]
    for one in every:
        if place := scale.place(one):
            paths[one.is_within(allowed)].append(f"M{place[0] * SIZE:.0f} {place[1] * SIZE:.0f}h0")
    drawn = [(kind, "".join(dict.fromkeys(paths[inside]))) for kind, inside in (("no", False), ("ok", True))]
    return Markup("".join(f'<path class="{kind}" d="{path}"/>' for kind, path in drawn if path))  # noqa: S704 (numbers)


def _draw_grid(every: Sequence[NodeFigures], scale: Scale) -> Markup:
    """Draw a grid; the opacity of a cell shows its number of combinations."""
    places = [place for one in every if (place := scale.place(one))]
    cells = Counter((min(int(x * ACROSS), ACROSS - 1), min(int(y * UP), UP - 1)) for x, y in places)
    deepest, wide, tall = max(cells.values(), default=1), SIZE / ACROSS, SIZE / UP
    return Markup(  # noqa: S704 (numbers)
        "".join(
            f'<rect class="depth" x="{x * wide:.0f}" y="{y * tall:.0f}" width="{wide:.0f}" height="{tall:.0f}"'
            f' fill-opacity="{0.15 + 0.75 * many / deepest:.2f}"/>'
            for (x, y), many in sorted(cells.items())
        )
    )


def _draw_front(points: Sequence[NodeFigures], scale: Scale, end: float) -> Markup:
    """Draw the front: a step line from the left to `end`, with a dot at each combination."""
    places = [place for one in reversed(points) if (place := scale.place(one))]
    if not places:
        return Markup()
    path = f"M{places[0][0] * SIZE:.0f} {places[0][1] * SIZE:.0f}"
    for x, y in places[1:]:
        path += f"H{x * SIZE:.0f}V{y * SIZE:.0f}"
    dots = "".join(f"M{x * SIZE:.0f} {y * SIZE:.0f}h0" for x, y in places)
    return Markup(f'<path class="fl" d="{path}H{end / 100 * SIZE:.0f}"/><path class="fp" d="{dots}"/>')  # noqa: S704 (numbers)


def draw_marks(
    pins: Sequence[tuple[str, NodeFigures]], rings: Mapping[str, NodeFigures | None], scale: Scale
) -> Markup:
    """Draw the pins with their letters, and rings around the chosen combination and the one in focus."""
    drawn = []
    for kind, ringed in rings.items():
        if ringed and (place := scale.place(ringed)):
            x, y = place
            drawn.append(f'<circle class="{kind}" cx="{x * 100:.2f}%" cy="{y * 100:.2f}%" r="9"/>')
    for letter, one in pins:
        if place := scale.place(one):
            (x, y), (dx, dy) = place, OFFSETS[letter]
            dx, dy = _turn_inwards(x, dx), _turn_inwards(y, dy)
            drawn.append(
                f'<svg x="{x * 100:.2f}%" y="{y * 100:.2f}%" overflow="visible"><line class="lead-line" x2="{dx}"'
                f' y2="{dy}"/><g class="pin">{draw_shape(letter, 5)}<g transform="translate({dx} {dy})">'
                f'{draw_shape(letter, 9)}<text y="4.5" text-anchor="middle">{letter}</text></g></g></svg>'
            )
    return Markup("".join(drawn))  # noqa: S704 (numbers and letters)


def draw_links(points: Sequence[NodeFigures], scale: Scale, address: Callable[[Levels], str]) -> Markup:
    """Draw a link around each listed dot of the front. The table has the same links for the keyboard."""
    link = Markup('<a href="{}" tabindex="-1" data-part><circle class="hit" cx="{:.2f}%" cy="{:.2f}%" r="8"/></a>')
    placed = [(one, place) for one in points if (place := scale.place(one))]
    return Markup("").join(link.format(address(one.levels), x * 100, y * 100) for one, (x, y) in placed)


def _turn_inwards(place: float, offset: int) -> int:
    """Return the offset of a letter, turned inwards near an edge."""
    return abs(offset) if place < EDGE else -abs(offset) if place > 1 - EDGE else offset


def draw_shape(letter: str, size: int) -> str:
    """Draw the shape of a pin."""
    return SHAPES[letter].format(r=size, d=2 * size, w=round(size * 1.2, 1), h=round(size * 0.8, 1))


def format_levels(levels: Levels) -> str:
    """Format levels as a form sends them."""
    return ".".join(map(str, levels))
