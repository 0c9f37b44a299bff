"""Step 6: compare the pinned candidates, and choose the one to release."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from PETWorks.app.files import StepState
from PETWorks.app.forms import BadRequestError, form_of
from PETWorks.app.project.draft import Change
from PETWorks.app.responses import Say, language_of, make_say, render_fragments, render_page, wants_fragments
from PETWorks.app.screens.compare.view import MIN_PINS, CompareView, is_chosen, start_comparison, with_chosen
from PETWorks.app.screens.explore.pins import name_candidates
from PETWorks.app.session import Session, require_session
from PETWorks.errors import PETWorksError

STEP, PAGE, HERE = 6, "compare.html", "/compare"
PARTS = ("compared", "steps", "dock")


def describe_step(session: Session, say: Say) -> StepState:
    """Return the state of the step: the number of candidates."""
    pins = session.draft.pins
    done = any(is_chosen(session.draft, pin) for pin in pins)
    return StepState(done, say("compare_standing" if pins else "compare_standing_none", pins=len(pins)))


def show(request: Request) -> Response:
    """Show the candidates side by side."""
    session = require_session(request)
    known = _build_context(request, session)
    if wants_fragments(request):
        return render_fragments(request, PAGE, ["compared"], to=HERE, step=STEP, **known)
    return render_page(request, PAGE, step=STEP, **known)


def choose(request: Request) -> Response:
    """Choose the candidate that is to be released."""
    session, form = require_session(request), form_of(request)
    pin = _find_pin(request, session)
    session.apply(form, Change("compare_choose", name=str(pin.get("name", ""))), with_chosen(session.draft, pin))
    return render_fragments(request, PAGE, PARTS, to=HERE, step=STEP, **_build_context(request, session))


def remove(request: Request) -> Response:
    """Remove a candidate from the comparison."""
    session, form = require_session(request), form_of(request)
    name = str(_find_pin(request, session).get("name", ""))
    session.apply(form, Change("compare_remove", name=name), session.draft.without_pin(name))
    return render_fragments(request, PAGE, PARTS, to=HERE, step=STEP, **_build_context(request, session))


def _find_pin(request: Request, session: Session) -> Any:  # noqa: ANN401
    place = int(request.path_params["number"]) - 1
    if not 0 <= place < len(session.draft.pins):
        raise BadRequestError("there is no such candidate")
    return session.draft.pins[place]


def _build_context(request: Request, session: Session) -> dict[str, Any]:
    """Return the variables of the page: too few candidates, running work, a problem, or the comparison."""
    known: dict[str, Any] = {"sheets": ("compare",), "view": None, "work": None, "problem": None}
    if len(session.draft.pins) < MIN_PINS:
        return known
    language = language_of(request)
    say = make_say(language)
    try:
        work = start_comparison(session, small=request.app.state.running.shows_small(request))
        if not work.wait(0.2):
            return known | {"work": work}
        if work.problem:
            return known | {"problem": work.problem}
        return known | {"view": CompareView(work.value, session.draft, language, say, name_candidates(session, say))}
    except PETWorksError as error:
        return known | {"problem": error}


ROUTES = [
    Route(HERE, show),
    Route(f"{HERE}/{{number:int}}/choose", choose, methods=["POST"]),
    Route(f"{HERE}/{{number:int}}/remove", remove, methods=["POST"]),
]
