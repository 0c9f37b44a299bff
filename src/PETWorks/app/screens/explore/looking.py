"""What somebody looks at in the plot before anything is chosen: it stands in the address, and not in the policy."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from urllib.parse import parse_qsl, urlencode

from markupsafe import Markup
from starlette.requests import Request

from PETWorks.answer.making import Gone
from PETWorks.app.answering import wants_fragments
from PETWorks.app.screens.explore.changes import levels_in
from PETWorks.app.screens.explore.plot import on_front, scale_of, tells, text_of
from PETWorks.app.screens.explore.scale import Across, Scale
from PETWorks.app.screens.explore.state import State
from PETWorks.making.exploring import Weighed
from PETWorks.making.vectors import Levels

PLOT = "/explore/plot"
REACH = 16  # pixels that a click may be away from a dot
SPOT = 4  # numbers of a click: where it was, and the size of the plot


@dataclass(frozen=True)
class Looking:
    """How the plot is looked at."""

    levels: Levels | None = None  # the combination that is looked at
    across: Across = "risk"  # what is across in the plot

    @classmethod
    def of(cls, request: Request, state: State) -> Looking:
        """Read it from the address; levels that the columns do not have any more are left out."""
        asked = _asked(request)
        across: Across = "suppressed" if asked.get("x") == "suppressed" else "risk"
        if "at" in asked:
            found = _nearest(state, across, asked["at"])
            return cls(found.levels if found else None, across)
        return cls(levels_in(asked.get("look", ""), state.exploration), across)

    @property
    def query(self) -> str:
        """The part of the address that says so."""
        given = {} if self.across == "risk" else {"x": str(self.across)}
        given |= {} if self.levels is None else {"look": text_of(self.levels)}
        return f"?{urlencode(given)}" if given else ""

    @property
    def spot(self) -> str:
        """The beginning of the address that asks for the dot nearest to a click."""
        return f"{PLOT}?x={self.across}&at="

    def at(self, levels: Levels | None) -> str:
        """Return the address that looks at other levels; None: at what is chosen."""
        return PLOT + replace(self, levels=levels).query

    def by(self, across: Across) -> str:
        """Return the address that has something else across."""
        return f"{PLOT}?x={across}" + (f"&look={text_of(self.levels)}" if self.levels else "")


@dataclass(frozen=True)
class Looked:
    """What is told of the combination that is looked at."""

    levels: Markup
    text: str  # the levels, as a form sends them
    told: tuple[Markup, ...]  # sentences


def told_of(one: Weighed, state: State, beside: Iterable[Gone], *, small: bool) -> Mapping[str, object]:
    """Return the figures of a combination: only those on its steps, if others would tell on fewer than five people."""
    share = Fraction(one.suppressed, state.rows or 1)
    if one.risk is None or not (small or tells(one, beside)):
        return {"share": share}
    return {"share": share, "people": one.suppressed, "risk": f"{float(one.risk):.4g}"}


def _asked(request: Request) -> Mapping[str, str]:
    """Return what the address of the page asks for; the script sends that with other requests as a header."""
    if wants_fragments(request) and request.url.path != PLOT:
        return dict(parse_qsl(request.headers.get("x-query", "").removeprefix("?")))
    return request.query_params


def _nearest(state: State, across: Across, text: str) -> Weighed | None:
    """Return the combination whose dot is nearest to a click; None if no dot is near.

    Of dots on one another, one of the front comes first, then one within the limit, then the one that loses least.
    """
    numbers = [int(one) for one in text.split(".") if one.isascii() and one.isdecimal() and len(one) < len("10000")]
    if len(numbers) != SPOT:
        return None
    scale, allowed = scale_of(state, across), state.allowed
    first = {one.levels for one in on_front(state, across)}
    near = [
        (round(away), one.levels not in first, not one.within(allowed), one.lost, *one.tie, one)
        for one in state.exploration.all_known()
        if (away := _away(one, scale, numbers)) <= REACH
    ]
    return min(near, key=lambda found: found[:-1])[-1] if near else None


def _away(one: Weighed, scale: Scale, spot: Sequence[int]) -> float:
    """Return how many pixels a dot is away from a click."""
    place = scale.place(one)
    if place is None:
        return math.inf
    x, y, wide, tall = spot
    return math.hypot(place[0] * wide - x, place[1] * tall - y)
