"""How Explore answers: the state that a request meets, the page that says why there is none, and parts that changed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response

from PETWorks.app.answering import fragments, language_of, page, speaker, wants_fragments
from PETWorks.app.desk import Desk, opened
from PETWorks.app.forms import BadRequestError, Form, form_of
from PETWorks.app.screens.explore.looking import Looking
from PETWorks.app.screens.explore.plot import text_of
from PETWorks.app.screens.explore.rows import holding
from PETWorks.app.screens.explore.state import State, asked_of, counted
from PETWorks.app.screens.explore.view import ExploreView
from PETWorks.app.screens.explore.weights import WrongWeight
from PETWorks.app.screens.mending import COLUMNS, REQUIREMENTS, Door, doors
from PETWorks.app.work import Work
from PETWorks.errors import PETWorksError
from PETWorks.render.numbers import percent

TEMPLATE, BUSY, SHUT, STEP, HOME = "explore.html", "explore_busy.html", "explore_shut.html", 5, "/explore"
RELEASE = Door("/release", "explore_to_release")
PATIENCE = 0.3  # seconds that a page waits for the table before it says that it is busy


def state_of(request: Request, desk: Desk) -> State | Response:
    """Return the state, or the page that says why there is none yet."""
    say, draft = speaker(language_of(request)), desk.draft
    if len(draft.roles_of(desk.columns)) < len(desk.columns):
        return _shut(request, say("explore_shut_roles"), [COLUMNS])
    if not draft.requirements:
        return _shut(request, say("explore_shut_requirements"), [REQUIREMENTS])
    if draft.making.get("recoding") == "microaggregate":
        return _shut(request, say("explore_shut_means"), [RELEASE])
    try:
        requirements, work = asked_of(draft), counted(desk)
        if not work.wait(PATIENCE):
            return _busy(request, work)
        return State.of(desk, work.value, requirements)
    except PETWorksError as error:
        return _shut(request, say("explore_shut_problem"), doors(desk, error), error)


def _shut(request: Request, title: Markup, to: Sequence[Door], problem: PETWorksError | None = None) -> Response:
    if wants_fragments(request):
        return Response(headers={"X-Go": HOME}, media_type="text/html")
    return page(request, SHUT, step=STEP, title=title, doors=to, problem=problem)


def _busy(request: Request, work: Work[Any]) -> Response:
    if wants_fragments(request):
        return fragments(request, BUSY, ["busy"], to=HOME, step=STEP, work=work)
    return page(request, BUSY, step=STEP, work=work)


def known(request: Request, state: State, *, waits: bool = True, wrong: WrongWeight | None = None) -> dict[str, Any]:
    """Return what the templates use. What the page has seen is noted first: what is found later, it asks for again."""
    language, helper, seen = language_of(request), state.helper, stamp(state)
    asks_again = helper.alive and not helper.idle
    say, small = speaker(language, rows=state.counts_rows), request.app.state.running.shows_small(request)
    view = ExploreView(state, say, language, small, waits, asks_again, Looking.of(request, state), wrong)
    live = Markup("") if view.now is None else _live(view)
    return {"view": view, "step": STEP, "sheets": ("explore",), "live": live, "stamp": seen}


def _live(view: ExploreView) -> Markup:
    """Write the answer for the dock."""
    assert view.now is not None  # noqa: S101
    share = percent(view.now.suppressed / (view.state.rows or 1))
    parts = (
        view.say("explore_live_suppressed", people=view.now.suppressed, share=share),
        view.say("explore_live_score", measure=view.measure, score=f"{view.now.score:.4f}"),
    )
    told = view.say("explore_live", holding=holding(view.goals), all=len(view.goals))
    if view.kind != "holds":
        told = view.say("explore_live_not" if view.now.holds else "explore_live_fails", rate=view.rate)
    icon = Markup('<svg class="icon" viewBox="0 0 20 20" aria-hidden="true" focusable="false"><use href="#{}"/></svg>')
    return (
        icon.format("note" if view.kind == "holds" and view.published else view.mark)
        + Markup("<span>{}</span>").format(told)
        + Markup("").join(Markup('<span class="w">{}</span>').format(one) for one in parts)
    )


def stamp(state: State) -> str:
    """Return what a page that asks again has seen: what was found, and how far the work is."""
    helper = state.helper
    what = (
        state.desk.revision,
        helper.task or "",
        helper.finished or "",
        helper.quote is not None,
        helper.ceiling is not None,
        helper.surveyed,
        helper.idle,
        bool(helper.problem),
        "" if state.chosen or state.levels is None else text_of(state.levels),
    )
    counts = helper.best.counts.get("open", 0) if helper.best and helper.task else 0
    how_far = (state.exploration.known, counts, helper.polished.rounds if helper.polished else 0)
    return "-".join(map(str, what)).replace(".", "_") + "." + "-".join(map(str, how_far))


def changed(request: Request, names: Sequence[str]) -> Response:
    """Answer with the parts that changed, for the state as it is now."""
    state = state_of(request, opened(request))
    if isinstance(state, Response):
        return state
    return fragments(request, TEMPLATE, names, to=HOME, **known(request, state))


def current(request: Request) -> tuple[Desk, Form, State]:
    """Return the desk, the form and the state that a request which changes something meets."""
    desk, form = opened(request), form_of(request)
    state = state_of(request, desk)
    if isinstance(state, Response):
        raise BadRequestError("the table is not counted yet, or decisions are missing")
    return desk, form, state
