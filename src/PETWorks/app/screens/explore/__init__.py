"""Step 5: choose the level of each column. Each level shows its cost; the best combination is searched, with proof."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from PETWorks.app.files import StepState
from PETWorks.app.forms import BadRequestError
from PETWorks.app.project.draft import Change
from PETWorks.app.responses import Say, render_fragments, render_page, wants_fragments
from PETWorks.app.screens.explore.changes import free_column, read_levels, set_bounds, set_levels, set_limit
from PETWorks.app.screens.explore.state import PENDING_SEARCH, PendingSearch, add_pin, match_levels
from PETWorks.app.screens.explore.strips import set_weight
from PETWorks.app.screens.explore.view import (
    HOME,
    TEMPLATE,
    build_context,
    load_state,
    make_stamp,
    read_request,
    render_changes,
)
from PETWorks.app.session import Session, require_session

LEVEL_PARTS = ("answer", "strips", "current", "along", "pins", "figures", "steps", "dock")
LIMIT_PARTS = ("answer", "strips", "curve", "limit_told", "plot", "pins", "figures", "steps", "dock")
ALL_PARTS = ("answer", "strips", "limit", "plot", "pins", "figures", "steps", "dock")


def describe_step(session: Session, say: Say) -> StepState:
    """Return the state of the step: the number of pinned candidates."""
    if many := len(session.draft.pins):
        return StepState(done=True, words=say("explore_standing", pins=many))
    held = session.get_cached(PENDING_SEARCH)
    sought = held.helper.best if isinstance(held, PendingSearch) and held.helper else None
    nothing = sought is not None and sought.ended and sought.proven and sought.best is None
    return StepState(done=False, words=say("explore_standing_nothing" if nothing else "explore_standing_none"))


def show(request: Request) -> Response:
    """Show the screen, the missing decisions, or that the table is being counted."""
    session = require_session(request)
    state = load_state(request, session)
    if isinstance(state, Response):
        return state
    if wants_fragments(request):  # the work has ended: the whole page is new
        return Response(headers={"X-Go": HOME}, media_type="text/html")
    state.begin_search()
    return render_page(request, TEMPLATE, **build_context(request, state))


def change_levels(request: Request) -> Response:
    """Choose another level of a column, or set a bound on the levels of a column."""
    session, form, state = read_request(request)
    chosen = read_levels(form, state)
    if chosen != state.levels:
        set_levels(session, form, state, chosen)
    else:
        set_bounds(session, form, state)
    return render_changes(request, LEVEL_PARTS)


def show_plot(request: Request) -> Response:
    """Show the plot by risk or suppressed rows, and the combination in focus; the address has both."""
    state = load_state(request, require_session(request))
    if isinstance(state, Response):
        return state
    context = build_context(request, state)
    return render_fragments(request, TEMPLATE, ["plot"], to=f"{HOME}{context['view'].query}#plot", **context)


def choose_levels(request: Request) -> Response:
    """Choose a combination: from the plot, from the search, or a remedy."""
    session, form, state = read_request(request)
    set_levels(session, form, state, read_levels(form, state))
    return render_changes(request, LEVEL_PARTS)


def change_limit(request: Request) -> Response:
    """Set how many people may be suppressed."""
    session, form, state = read_request(request)
    by_slider = set_limit(session, form, state)
    return render_changes(request, LIMIT_PARTS if by_slider else ALL_PARTS)


def change_weight(request: Request) -> Response:
    """Set the weight of a column; if it is invalid, show the problem beside the field."""
    session, form, state = read_request(request)
    if (wrong := set_weight(session, form)) is None:
        return render_changes(request, ALL_PARTS)
    context = build_context(
        request, state, waits=False, wrong=wrong
    )  # with all prices, so that no later answer replaces the problem
    if wants_fragments(request):
        return render_fragments(request, TEMPLATE, ["strips"], to=HOME, **context)
    return render_page(request, TEMPLATE, status=422, **context)


def lift_bound(request: Request) -> Response:
    """Remove the bound of a column, and choose levels beyond it."""
    session, form, state = read_request(request)
    free_column(session, form, state)
    return render_changes(request, ALL_PARTS)


def search(request: Request) -> Response:
    """Start or stop the search; for a page that polls, show the progress."""
    if request.method == "POST":
        session, form, state = read_request(request)
        session.project.require_revision(form["revision"])
        if form["do"] == "stop":
            state.helper.stop()
        else:
            state.seek()
        return render_changes(request, ALL_PARTS)
    return _render_progress(request)


def _render_progress(request: Request) -> Response:
    """Answer a page that polls with the parts that changed."""
    state = load_state(request, require_session(request))
    if isinstance(state, Response):
        return state
    seen, now = request.query_params.get("seen", ""), make_stamp(state)
    if seen == now and wants_fragments(request):
        return Response(status_code=204)
    context = build_context(request, state)
    if seen.partition(".")[0] != now.partition(".")[0]:
        return render_fragments(request, TEMPLATE, ALL_PARTS, to=HOME, **context)
    part = "answer" if context["view"].kind == "waits" else "search"
    return render_fragments(request, TEMPLATE, (part, "curve", "limits", "plot"), to=HOME, **context)


def try_local(request: Request) -> Response:
    """Start local recoding in the background; the result is pinned and shown."""
    session, form, state = read_request(request)
    session.project.require_revision(form["revision"])
    state.helper.ask("local", replace(state.plan, levels={}))
    return render_changes(request, ALL_PARTS)


def show_prices(request: Request) -> Response:
    """Show the prices that an earlier answer did not wait for."""
    state = load_state(request, require_session(request))
    if isinstance(state, Response):
        return state
    return render_fragments(request, TEMPLATE, ["strips"], to=HOME, **build_context(request, state))


def pin_current(request: Request) -> Response:
    """Pin the release that is shown."""
    session, form, state = read_request(request)
    what: dict[str, Any] = {"recoding": "local"}
    if not state.local:
        if state.levels is None:
            raise BadRequestError("there is nothing to pin yet")
        what = {"levels": dict(zip(state.exploration.names, state.levels, strict=True))}
    session.apply(form, Change("explore_pin"), add_pin(session.draft, what))
    return render_changes(request, ("answer", "current", "pins", "steps", "dock"))


def use_pin(request: Request) -> Response:
    """Show a pinned candidate, or remove it."""
    session, form, state = read_request(request)
    letter = request.path_params["letter"]
    known = {one.get("name"): one for one in session.draft.pins}
    if letter not in known:
        raise BadRequestError("nothing is pinned under this letter")
    if form["do"] == "remove":
        session.apply(form, Change("explore_unpin", letter=letter), session.draft.without_pin(letter))
        return render_changes(request, ("answer", "current", "pins", "steps", "dock"))
    pin = known[letter]
    if pin.get("recoding") == "local":
        draft = session.draft.with_making("recoding", "local").with_making("levels", None)
        session.apply(form, Change("explore_look", letter=letter), draft)
        return (
            Response(headers={"X-Go": HOME}, media_type="text/html")
            if wants_fragments(request)
            else render_changes(request, ALL_PARTS)
        )
    chosen = match_levels(state.exploration, pin.get("levels", {}))
    if chosen is None:
        raise BadRequestError("it does not fit the columns any more")
    set_levels(session, form, state, chosen)
    return render_changes(request, LEVEL_PARTS)


ROUTES = [
    Route("/explore", show),
    Route("/explore/levels", change_levels, methods=["POST"]),
    Route("/explore/plot", show_plot),
    Route("/explore/look", choose_levels, methods=["POST"]),
    Route("/explore/limit", change_limit, methods=["POST"]),
    Route("/explore/weight", change_weight, methods=["POST"]),
    Route("/explore/free", lift_bound, methods=["POST"]),
    Route("/explore/search", search, methods=["GET", "POST"]),
    Route("/explore/local", try_local, methods=["POST"]),
    Route("/explore/prices", show_prices),
    Route("/pins", pin_current, methods=["POST"]),
    Route("/pins/{letter}", use_pin, methods=["POST"]),
]
