"""How many people may be suppressed: the curve of what each limit buys, above a slider."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from markupsafe import Markup

from PETWorks.app.screens.explore.state import State
from PETWorks.making.exploring import Weighed
from PETWorks.making.exploring_survey import best_by_limit, inside
from PETWorks.render.numbers import percent

ROOM = 12  # percent that the slider reaches at least
MOST = 100
TOLD = (0, 1, 2, 5, 10)  # percentages in the table
SIZE = 1000  # of the drawing, both ways


@dataclass(frozen=True)
class Limit:
    """What is shown of the limit."""

    value: str  # percent, as in the field
    most: int  # percent, the right end of the slider
    allowed: int
    path: Markup  # of the curve; empty if it is not known
    at: float  # where the limit is, in percent of the width
    height: float | None  # where the curve is there, in percent from the top
    rows: tuple[tuple[str, str, bool], ...]  # limit, best score, whether it is the present one
    ticks: tuple[str, ...]
    complete: bool  # False: it is of the vectors that were weighed so far


def limit(state: State) -> Limit:
    """Return what is shown of the limit on suppressed rows."""
    share = state.plan.suppress_at_most.exact * 100
    most = min(max(ROOM, ceil(share * Fraction(6, 5))), MOST)
    known = best_by_limit(inside(state.exploration.all_known(), state.ranges))
    low = state.plan.utility is None
    top = max((one.score for one in known), default=1.0) or 1.0
    scale = top if low else 1.0
    points = [(one.suppressed / (state.rows or 1) * 100 / most, 1 - one.score / scale) for one in known]
    here = _best(known, state.allowed)
    told = sorted({*map(Fraction, TOLD), share})
    return Limit(
        value=decimal(share),
        most=most,
        allowed=state.allowed,
        path=Markup(_path(points)),  # noqa: S704 (numbers)
        at=float(share) / most * 100,
        height=None if here is None else (1 - here.score / scale) * 100,
        rows=tuple((f"{decimal(one)}%", _told(known, int(one * state.rows / 100)), one == share) for one in told),
        ticks=tuple(f"{most * part // 3}%" for part in range(4)),
        complete=state.helper.surveyed and state.exploration.known >= state.exploration.vectors,
    )


def decimal(share: Fraction) -> str:
    """Write a percentage as a number that a field takes: as many digits as it has, at most four."""
    return f"{float(share):.4f}".rstrip("0").rstrip(".")


def shown(share: Fraction) -> str:
    """Write a share as the limit is written in sentences."""
    return percent(share) if share not in (0, 1) else f"{int(share * 100)}%"


def _best(known: Sequence[Weighed], allowed: int) -> Weighed | None:
    within = [one for one in known if one.suppressed <= allowed]
    return within[-1] if within else None


def _told(known: Sequence[Weighed], allowed: int) -> str:
    best = _best(known, allowed)
    return "–" if best is None else f"{best.score:.4f}"


def _path(points: Sequence[tuple[float, float]]) -> str:
    """Draw a line of steps, from the first point to the right end."""
    visible = [(x, y) for x, y in points if x <= 1]
    if not visible:
        return ""
    x, y = visible[0]
    path = f"M{x * SIZE:.1f} {y * SIZE:.0f}"
    for x, y in visible[1:]:
        path += f"H{x * SIZE:.1f}V{y * SIZE:.0f}"
    return f"{path}H{SIZE}"
