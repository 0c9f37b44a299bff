"""The view of step 5: proof, strips, limit, plot, pins, requirements and columns; and the responses of its routes.

`PlotFocus` is the combination in focus in the plot. It is in the address, not in the policy.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any
from urllib.parse import parse_qsl, urlencode

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response

from PETWorks.anonymization.exploration import NodeFigures
from PETWorks.anonymization.vectors import Levels
from PETWorks.app.forms import BadRequestError, Form, form_of
from PETWorks.app.notices import COLUMNS, REQUIREMENTS, ScreenLink, find_mending_screens
from PETWorks.app.project.draft import find_step
from PETWorks.app.responses import language_of, make_say, render_fragments, render_page, wants_fragments
from PETWorks.app.screens.explore.answer import ExploreAnswer, GoalRow, count_holding, list_goals
from PETWorks.app.screens.explore.changes import parse_levels
from PETWorks.app.screens.explore.pins import Pin, list_pins
from PETWorks.app.screens.explore.plot import (
    Across,
    Plot,
    Scale,
    draw_links,
    draw_marks,
    format_levels,
    list_front,
    make_plot,
    make_scale,
    may_be_shown,
)
from PETWorks.app.screens.explore.proof import Proof, ProofAction, explain_proof
from PETWorks.app.screens.explore.state import ExploreState, count_table, list_requirements
from PETWorks.app.screens.explore.strips import LimitView, Strip, WrongWeight, list_strips, make_limit_view
from PETWorks.app.screens.explore.trade import find_local_trade, find_trade
from PETWorks.app.session import Session, Work, require_session
from PETWorks.errors import PETWorksError
from PETWorks.evaluation.provenance import SuppressedAmount
from PETWorks.measure.steps import Cell, Name
from PETWorks.render.typography import format_percent

PLOT_PATH = "/explore/plot"
MAX_CLICK_PIXELS = 16  # distance of a click from a dot
CLICK_NUMBERS = 4  # in a click: its place, and the size of the plot


@dataclass(frozen=True)
class PlotFocus:
    """The focus of the plot: a combination, and the axis across."""

    levels: Levels | None = None  # the combination in focus
    across: Across = "risk"  # the horizontal axis

    @classmethod
    def of(cls, request: Request, state: ExploreState) -> PlotFocus:
        """Read the focus from the address; levels that the columns no longer have are ignored."""
        asked = _read_query(request)
        across: Across = "suppressed" if asked.get("x") == "suppressed" else "risk"
        if "at" in asked:
            found = _find_nearest(state, across, asked["at"])
            return cls(found.levels if found else None, across)
        return cls(parse_levels(asked.get("look", ""), state.exploration), across)

    @property
    def query(self) -> str:
        """The query of the address, for this focus."""
        given = {} if self.across == "risk" else {"x": str(self.across)}
        given |= {} if self.levels is None else {"look": format_levels(self.levels)}
        return f"?{urlencode(given)}" if given else ""

    @property
    def spot(self) -> str:
        """The start of the address for the dot nearest to a click."""
        return f"{PLOT_PATH}?x={self.across}&at="

    def address_at(self, levels: Levels | None) -> str:
        """Return the address with the focus on other levels; None: on the chosen ones."""
        return PLOT_PATH + replace(self, levels=levels).query

    def address_by(self, across: Across) -> str:
        """Return the address with another horizontal axis."""
        return f"{PLOT_PATH}?x={across}" + (f"&look={format_levels(self.levels)}" if self.levels else "")


@dataclass(frozen=True)
class FocusDetails:
    """The texts on the combination in focus."""

    levels: Markup
    text: str  # the levels, as a form sends them
    sentences: tuple[Markup, ...]  # sentences


def list_figures(
    one: NodeFigures, state: ExploreState, beside: Iterable[SuppressedAmount], *, small: bool
) -> Mapping[str, object]:
    """Return the figures of a combination, without those that could disclose fewer than five people."""
    share = Fraction(one.suppressed, state.rows or 1)
    if one.risk is None or not (small or may_be_shown(one, beside)):
        return {"share": share}
    return {"share": share, "people": one.suppressed, "risk": f"{float(one.risk):.4g}"}


def _read_query(request: Request) -> Mapping[str, str]:
    """Return the query of the page's address; the script sends it as a header with other requests."""
    if wants_fragments(request) and request.url.path != PLOT_PATH:
        return dict(parse_qsl(request.headers.get("x-query", "").removeprefix("?")))
    return request.query_params


def _find_nearest(state: ExploreState, across: Across, text: str) -> NodeFigures | None:
    """Return the combination whose dot is nearest to a click; None if no dot is near.

    Of overlapping dots, prefer those on the front, then those within the limit, then the least loss.
    """
    numbers = [int(one) for one in text.split(".") if one.isascii() and one.isdecimal() and len(one) < len("10000")]
    if len(numbers) != CLICK_NUMBERS:
        return None
    scale, allowed = make_scale(state, across), state.allowed
    first = {one.levels for one in list_front(state, across)}
    near = [
        (round(away), one.levels not in first, not one.is_within(allowed), one.lost, *one.tie, one)
        for one in state.exploration.list_evaluated()
        if (away := _measure_distance(one, scale, numbers)) <= MAX_CLICK_PIXELS
    ]
    return min(near, key=lambda found: found[:-1])[-1] if near else None


def _measure_distance(one: NodeFigures, scale: Scale, spot: Sequence[int]) -> float:
    """Return the distance of a dot from a click, in pixels."""
    place = scale.place(one)
    if place is None:
        return math.inf
    x, y, wide, tall = spot
    return math.hypot(place[0] * wide - x, place[1] * tall - y)


@dataclass(frozen=True)
class ExploreView(ExploreAnswer):
    """The view of the screen."""

    focus: PlotFocus = PlotFocus()
    wrong: WrongWeight | None = None

    @cached_property
    def proof(self) -> Proof:
        """The proof that the release is the best, or a better one."""
        return explain_proof(
            self.state, self.now, self.say, rate=self.rate, measure=self.measure, kind=self.kind, language=self.language
        )

    @cached_property
    def trades(self) -> tuple[ProofAction, ...]:
        """What would keep columns that are gone: more suppression, or local recoding."""
        if self.now is None or self.kind != "holds" or self.state.local or self.state.helper.task:
            return ()
        offered = [look(self.state, self.now, self.say, self.measure) for look in (find_trade, find_local_trade)]
        return tuple(one for one in offered if one)

    @cached_property
    def strips(self) -> tuple[Strip, ...]:
        """The levels of each column, with their prices."""
        return list_strips(self.state, self.say, waits=self.waits)

    @property
    def beyond(self) -> Markup:
        """The legend of striped levels: over the limit, or also those where a requirement fails."""
        never = any(step.never for strip in self.strips for step in strip.steps)
        return self.say("explore_over_or_fails" if never else "explore_over_limit", rate=self.rate)

    @property
    def prices_missing(self) -> bool:
        """True if some prices are not known yet."""
        return self.state.levels is not None and any(not one.share for strip in self.strips for one in strip.steps)

    @cached_property
    def limit(self) -> LimitView:
        """The limit on suppressed people, with its curve."""
        return make_limit_view(self.state)

    @cached_property
    def scale(self) -> Scale:
        """The axes of the plot."""
        return make_scale(self.state, self.focus.across)

    @cached_property
    def plot(self) -> Plot:
        """The dots and the front."""
        return make_plot(self.state, self.scale)

    @cached_property
    def pins(self) -> tuple[Pin, ...]:
        """The pinned candidates."""
        return list_pins(self.state, self.say, self.language, self.measure)

    @property
    def none_keeps(self) -> bool:
        """True if it is proven that no combination within the limit keeps every column."""
        keeping = self.state.helper.keeping if self.state.sought else None
        return keeping is not None and keeping.ended and keeping.proven and keeping.best is None

    @property
    def marks(self) -> Markup:
        """The marks in the plot: pins, the chosen combination, and the one in focus."""
        rings = {"now": self.now, "seen": self._seen}
        return draw_marks([(one.letter, one.weighed) for one in self.pins if one.weighed], rings, self.scale)

    @property
    def links(self) -> Markup:
        """The links on the dots of the front."""
        return draw_links(self.plot.front, self.scale, self.focus.address_at)

    @cached_property
    def _seen(self) -> NodeFigures | None:
        """The combination in focus; None if it is the chosen one."""
        levels = self.focus.levels
        return None if levels in (None, self.state.levels) else self.state.exploration.evaluate(levels)

    @property
    def query(self) -> str:
        """The query of the page's address, for the focus of the plot."""
        return self.focus.query if self._seen else replace(self.focus, levels=None).query

    @property
    def focus_details(self) -> FocusDetails | None:
        """The texts on the combination in focus; None if it is the chosen one."""
        if (one := self._seen) is None:
            return None
        beside = [other.gone for other in (self.now, self.state.found, *self.plot.front) if other]
        figures = list_figures(one, self.state, beside, small=self.small)
        key = "explore_looked_told" if "people" in figures else "explore_looked_untold"
        sentences = [self.say(key, measure=self.measure, score=f"{one.score:.4f}", **figures)]
        if not one.is_within(self.state.allowed):
            sentences.append(self.say("explore_looked_over" if one.holds else "explore_looked_never", rate=self.rate))
        return FocusDetails(self._render_levels(one), format_levels(one.levels), tuple(sentences))

    def _render_levels(self, one: NodeFigures) -> Markup:
        named = [f"{name} {level}" for name, level in zip(self.state.exploration.names, one.levels, strict=True)]
        return self.say("explore_levels", levels=[Name(text) for text in named])

    @property
    def pin(self) -> str:
        """The letter of the shown release among the pins; "" if it is not pinned."""
        return next((one.letter for one in self.pins if one.shown), "")

    @cached_property
    def goals(self) -> tuple[GoalRow, ...]:
        """The requirements, before and after suppression."""
        return list_goals(self.state, self.preview, self.language, self.least) if self.preview else ()

    @property
    def together(self) -> Mapping[str, int] | None:
        """The classes and people that fail any requirement before suppression."""
        if self.preview is None or self.state.local:
            return None
        return {
            "classes": len(self.preview.before.groups(with_values=True)) - self.preview.weighed.classes,
            "people": self.preview.weighed.suppressed,
        }

    @property
    def left(self) -> list[tuple[Markup, float, str]]:
        """The detail left in each column, least first."""
        if self.preview is None:
            return []
        ordered = sorted(self.preview.left.items(), key=lambda one: one[1])
        return [
            (self.say("explore_column", column=Name(name)), float(left), f"{float(left):.4f}") for name, left in ordered
        ]

    @property
    def hardest(self) -> Markup | None:
        """The value with the highest share of suppressed rows; None if it is withheld."""
        found = self.preview.find_hardest(self.least) if self.preview and self.now and self.now.suppressed else None
        if found is None or self.now is None:
            return None
        column, value, whole = found
        rows = self.state.exploration.table.rows
        share, overall = format_percent(value.share), format_percent(Fraction(self.now.published, rows or 1))
        figures: dict[str, Any] = {
            "column": Name(column),
            "value": Cell(value.value or ""),
            "share": share,
            "overall": overall,
        }
        return self.say("explore_hardest" if whole else "explore_hardest_told", **figures)

    @property
    def withholds_hardest(self) -> bool:
        """True if the value hit hardest by suppression is withheld because of small classes."""
        now = self.now
        counted = self.preview is not None and bool(self.preview.rows_by_label)  # not those of local recoding
        return bool(counted and now and not self.small and now.suppressed and self.hardest is None)

    @property
    def front(self) -> list[dict[str, Any]]:
        """The front as a table, most detail first."""
        return [
            {
                "address": self.focus.address_at(one.levels),
                "levels": self._render_levels(one),
                "suppressed": self.say(
                    "explore_people_share", people=one.suppressed, share=Fraction(one.suppressed, self.state.rows or 1)
                ),
                "risk": f"{float(one.risk or 0):.4g}",
                "score": f"{one.score:.4f}",
                "here": self.state.chosen == one.levels or (self.now is not None and self.now.levels == one.levels),
                "seen": self._seen is not None and self._seen.levels == one.levels,
            }
            for one in self.plot.front
        ]

    @property
    def neighbours(self) -> tuple[str, str]:
        """The addresses of the two neighbours on the front; "" where there is none."""
        points, here = self.plot.front, self._seen or self.now
        if here is None:
            return "", ""
        before = [one for one in points if one.lost < here.lost]
        after = [one for one in points if one.lost > here.lost]
        return (
            self.focus.address_at(before[-1].levels) if before else "",
            self.focus.address_at(after[0].levels) if after else "",
        )

    @property
    def may_be_local(self) -> bool:
        """True if local recoding may suppress fewer rows. It counts rows, so each person must have one row."""
        suppresses = self.now is not None and self.now.suppressed > 0
        return suppresses and not self.state.local and self.state.exploration.table.facts.persons is None

    @property
    def quote(self) -> Markup | None:
        """The estimate of local recoding; None if not known."""
        quote = self.state.helper.quote
        if quote is None or self.now is None or self.state.local:
            return None
        gone = int(self.state.exploration.table.counts[quote.suppressed].sum())
        figures = {"people": gone, "now": self.now.suppressed, "measure": self.measure, "score": f"{quote.score:.4f}"}
        return self.say("explore_local_price", **figures)


TEMPLATE, BUSY, SHUT, STEP = "explore.html", "explore_busy.html", "explore_shut.html", find_step("explore")
HOME = "/explore"
RELEASE = ScreenLink("/release", "explore_to_release")
WAIT_SECONDS = 0.3  # that a page waits for the table before it shows that it is busy


def load_state(request: Request, session: Session) -> ExploreState | Response:
    """Return the state, or the page that shows why there is none yet."""
    say, draft = make_say(language_of(request)), session.draft
    if len(draft.roles_of(session.columns)) < len(session.columns):
        return _render_closed(request, say("explore_shut_roles"), [COLUMNS])
    if not draft.requirements:
        return _render_closed(request, say("explore_shut_requirements"), [REQUIREMENTS])
    if draft.making.get("recoding") == "microaggregate":
        return _render_closed(request, say("explore_shut_means"), [RELEASE])
    try:
        requirements, work = list_requirements(draft), count_table(session)
        if not work.wait(WAIT_SECONDS):
            return _render_counting(request, work)
        return ExploreState.of(session, work.value, requirements)
    except PETWorksError as error:
        return _render_closed(request, say("explore_shut_problem"), find_mending_screens(session, error), error)


def _render_closed(
    request: Request, title: Markup, to: Sequence[ScreenLink], problem: PETWorksError | None = None
) -> Response:
    if wants_fragments(request):
        return Response(headers={"X-Go": HOME}, media_type="text/html")
    return render_page(request, SHUT, step=STEP, title=title, doors=to, problem=problem)


def _render_counting(request: Request, work: Work[Any]) -> Response:
    if wants_fragments(request):
        return render_fragments(request, BUSY, ["busy"], to=HOME, step=STEP, work=work)
    return render_page(request, BUSY, step=STEP, work=work)


def build_context(
    request: Request, state: ExploreState, *, waits: bool = True, wrong: WrongWeight | None = None
) -> dict[str, Any]:
    """Return the variables of the templates. The stamp is taken first, so that the page polls for later results."""
    language, helper, seen = language_of(request), state.helper, make_stamp(state)
    asks_again = helper.alive and not helper.idle
    say, small = make_say(language, rows=state.counts_rows), request.app.state.running.shows_small(request)
    view = ExploreView(state, say, language, small, waits, asks_again, PlotFocus.of(request, state), wrong)
    live = Markup("") if view.now is None else _render_dock(view)
    return {"view": view, "step": STEP, "sheets": ("explore",), "live": live, "stamp": seen}


def _render_dock(view: ExploreView) -> Markup:
    """Render the answer for the dock."""
    assert view.now is not None  # noqa: S101
    share = format_percent(view.now.suppressed / (view.state.rows or 1))
    parts = (
        view.say("explore_live_suppressed", people=view.now.suppressed, share=share),
        view.say("explore_live_score", measure=view.measure, score=f"{view.now.score:.4f}"),
    )
    verdict = view.say("explore_live", holding=count_holding(view.goals), all=len(view.goals))
    if view.kind != "holds":
        verdict = view.say("explore_live_not" if view.now.holds else "explore_live_fails", rate=view.rate)
    icon = Markup('<svg class="icon" viewBox="0 0 20 20" aria-hidden="true" focusable="false"><use href="#{}"/></svg>')
    return (
        icon.format("note" if view.kind == "holds" and view.published else view.mark)
        + Markup("<span>{}</span>").format(verdict)
        + Markup("").join(Markup('<span class="w">{}</span>').format(one) for one in parts)
    )


def make_stamp(state: ExploreState) -> str:
    """Return the stamp of what a page shows: the results, ".", and the progress."""
    helper = state.helper
    what = (
        state.session.revision,
        helper.task or "",
        helper.finished or "",
        helper.quote is not None,
        helper.ceiling is not None,
        helper.surveyed,
        helper.idle,
        bool(helper.problem),
        "" if state.chosen or state.levels is None else format_levels(state.levels),
    )
    counts = helper.best.counts.get("open", 0) if helper.best and helper.task else 0
    how_far = (state.exploration.evaluated_count, counts, helper.polished.rounds if helper.polished else 0)
    return "-".join(map(str, what)).replace(".", "_") + "." + "-".join(map(str, how_far))


def render_changes(request: Request, names: Sequence[str]) -> Response:
    """Answer with the parts that changed, for the present state."""
    state = load_state(request, require_session(request))
    if isinstance(state, Response):
        return state
    return render_fragments(request, TEMPLATE, names, to=HOME, **build_context(request, state))


def read_request(request: Request) -> tuple[Session, Form, ExploreState]:
    """Return the session, form and state of a request that changes something."""
    session, form = require_session(request), form_of(request)
    state = load_state(request, session)
    if isinstance(state, Response):
        raise BadRequestError("the table is not counted yet, or decisions are missing")
    return session, form, state
