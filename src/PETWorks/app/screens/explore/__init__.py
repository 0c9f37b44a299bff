"""Step 5: how fine the data may stay. Each level has its price before it is taken; the best is searched, with proof."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from PETWorks.app.answering import Say, fragments, page, wants_fragments
from PETWorks.app.desk import Desk, opened
from PETWorks.app.files import Standing
from PETWorks.app.forms import BadRequestError
from PETWorks.app.project.draft import Change
from PETWorks.app.screens.explore.changes import free, levels_of, set_bounds, set_levels, set_limit
from PETWorks.app.screens.explore.state import HELD, Held, fitting, pinned
from PETWorks.app.screens.explore.strips import set_weight
from PETWorks.app.screens.explore.view import HOME, TEMPLATE, changed, current, known, stamp, state_of

LEVELS = ("answer", "strips", "current", "along", "pins", "figures", "steps", "dock")
LIMIT = ("answer", "strips", "curve", "limit_told", "plot", "pins", "figures", "steps", "dock")
ALL = ("answer", "strips", "limit", "plot", "pins", "figures", "steps", "dock")


def standing(desk: Desk, say: Say) -> Standing:
    """Tell in the bar of steps how many candidates are pinned."""
    if many := len(desk.draft.pins):
        return Standing(done=True, words=say("explore_standing", pins=many))
    held = desk.known(HELD)
    sought = held.helper.best if isinstance(held, Held) and held.helper else None
    nothing = sought is not None and sought.ended and sought.proven and sought.best is None
    return Standing(done=False, words=say("explore_standing_nothing" if nothing else "explore_standing_none"))


def show(request: Request) -> Response:
    """Show the screen; or which decisions are missing, or that the table is being counted."""
    desk = opened(request)
    state = state_of(request, desk)
    if isinstance(state, Response):
        return state
    if wants_fragments(request):  # what was waited for is there: the whole page is new
        return Response(headers={"X-Go": HOME}, media_type="text/html")
    state.begin()
    return page(request, TEMPLATE, **known(request, state))


def levels(request: Request) -> Response:
    """Take a step: another level of a column; or say that a column may not become coarser, or finer."""
    desk, form, state = current(request)
    chosen = levels_of(form, state)
    if chosen != state.levels:
        set_levels(desk, form, state, chosen)
    else:
        set_bounds(desk, form, state)
    return changed(request, LEVELS)


def plot(request: Request) -> Response:
    """Show the plot by risk or by suppressed rows, and the combination that is looked at: both are in the address."""
    state = state_of(request, opened(request))
    if isinstance(state, Response):
        return state
    told = known(request, state)
    return fragments(request, TEMPLATE, ["plot"], to=f"{HOME}{told['view'].query}#plot", **told)


def look(request: Request) -> Response:
    """Choose a combination: of the plot, of the search, or a remedy."""
    desk, form, state = current(request)
    set_levels(desk, form, state, levels_of(form, state))
    return changed(request, LEVELS)


def limit(request: Request) -> Response:
    """Set how many people may be suppressed."""
    desk, form, state = current(request)
    by_slider = set_limit(desk, form, state)
    return changed(request, LIMIT if by_slider else ALL)


def weight(request: Request) -> Response:
    """Set how much the detail of a column counts; if that cannot be, say why beside the field."""
    desk, form, state = current(request)
    if (wrong := set_weight(desk, form)) is None:
        return changed(request, ALL)
    told = known(request, state, waits=False, wrong=wrong)  # with all prices: nothing replaces the reason
    if wants_fragments(request):
        return fragments(request, TEMPLATE, ["strips"], to=HOME, **told)
    return page(request, TEMPLATE, status=422, **told)


def free_column(request: Request) -> Response:
    """Let a column become coarser again, and take the levels that this allows."""
    desk, form, state = current(request)
    free(desk, form, state)
    return changed(request, ALL)


def search(request: Request) -> Response:
    """Start the search, or stop it; or, for a page that asks again, tell how far it is."""
    if request.method == "POST":
        desk, form, state = current(request)
        desk.project.require(form["revision"])
        if form["do"] == "stop":
            state.helper.stop()
        else:
            state.seek()
        return changed(request, ALL)
    return _told(request)


def _told(request: Request) -> Response:
    """Tell a page that asks again what is new."""
    state = state_of(request, opened(request))
    if isinstance(state, Response):
        return state
    seen, now = request.query_params.get("seen", ""), stamp(state)
    if seen == now and wants_fragments(request):
        return Response(status_code=204)
    told = known(request, state)
    if seen.partition(".")[0] != now.partition(".")[0]:
        return fragments(request, TEMPLATE, ALL, to=HOME, **told)
    part = "answer" if told["view"].kind == "waits" else "search"
    return fragments(request, TEMPLATE, (part, "curve", "limits", "plot"), to=HOME, **told)


def local(request: Request) -> Response:
    """Try local recoding: found in the background, pinned and shown when it is."""
    desk, form, state = current(request)
    desk.project.require(form["revision"])
    state.helper.ask("local", replace(state.plan, levels={}))
    return changed(request, ALL)


def prices(request: Request) -> Response:
    """Tell the prices that an answer did not wait for."""
    state = state_of(request, opened(request))
    if isinstance(state, Response):
        return state
    return fragments(request, TEMPLATE, ["strips"], to=HOME, **known(request, state))


def pin(request: Request) -> Response:
    """Pin what is in sight."""
    desk, form, state = current(request)
    what: dict[str, Any] = {"recoding": "local"}
    if not state.local:
        if state.levels is None:
            raise BadRequestError("there is nothing to pin yet")
        what = {"levels": dict(zip(state.exploration.names, state.levels, strict=True))}
    desk.apply(form, Change("explore_pin"), pinned(desk.draft, what))
    return changed(request, ("answer", "current", "pins", "steps", "dock"))


def pin_of(request: Request) -> Response:
    """Look at a candidate, or take it off."""
    desk, form, state = current(request)
    letter = request.path_params["letter"]
    known = {one.get("name"): one for one in desk.draft.pins}
    if letter not in known:
        raise BadRequestError("nothing is pinned under this letter")
    if form["do"] == "remove":
        desk.apply(form, Change("explore_unpin", letter=letter), desk.draft.without_pin(letter))
        return changed(request, ("answer", "current", "pins", "steps", "dock"))
    pin = known[letter]
    if pin.get("recoding") == "local":
        draft = desk.draft.with_making("recoding", "local").with_making("levels", None)
        desk.apply(form, Change("explore_look", letter=letter), draft)
        return (
            Response(headers={"X-Go": HOME}, media_type="text/html")
            if wants_fragments(request)
            else changed(request, ALL)
        )
    chosen = fitting(state.exploration, pin.get("levels", {}))
    if chosen is None:
        raise BadRequestError("it does not fit the columns any more")
    set_levels(desk, form, state, chosen)
    return changed(request, LEVELS)


ROUTES = [
    Route("/explore", show),
    Route("/explore/levels", levels, methods=["POST"]),
    Route("/explore/plot", plot),
    Route("/explore/look", look, methods=["POST"]),
    Route("/explore/limit", limit, methods=["POST"]),
    Route("/explore/weight", weight, methods=["POST"]),
    Route("/explore/free", free_column, methods=["POST"]),
    Route("/explore/search", search, methods=["GET", "POST"]),
    Route("/explore/local", local, methods=["POST"]),
    Route("/explore/prices", prices),
    Route("/pins", pin, methods=["POST"]),
    Route("/pins/{letter}", pin_of, methods=["POST"]),
]
