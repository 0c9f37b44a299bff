"""Step 6: which candidate should be released."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from PETWorks.app.answering import Say, fragments, language_of, page, speaker, wants_fragments
from PETWorks.app.desk import Desk, opened
from PETWorks.app.files import Standing
from PETWorks.app.forms import BadRequestError, form_of
from PETWorks.app.project.draft import Change
from PETWorks.app.screens.compare.view import LEAST, CompareView, comparison, is_chosen, with_chosen
from PETWorks.app.screens.explore.pins import named
from PETWorks.errors import PETWorksError

STEP, PAGE, HERE = 6, "compare.html", "/compare"
PARTS = ("compared", "steps", "dock")


def standing(desk: Desk, say: Say) -> Standing:
    """Say how many candidates there are."""
    pins = desk.draft.pins
    done = any(is_chosen(desk.draft, pin) for pin in pins)
    return Standing(done, say("compare_standing" if pins else "compare_standing_none", pins=len(pins)))


def show(request: Request) -> Response:
    """Show the candidates side by side."""
    desk = opened(request)
    known = _known(request, desk)
    if wants_fragments(request):
        return fragments(request, PAGE, ["compared"], to=HERE, step=STEP, **known)
    return page(request, PAGE, step=STEP, **known)


def choose(request: Request) -> Response:
    """Choose the candidate that is to be released."""
    desk, form = opened(request), form_of(request)
    pin = _pin(request, desk)
    desk.apply(form, Change("compare_choose", name=str(pin.get("name", ""))), with_chosen(desk.draft, pin))
    return fragments(request, PAGE, PARTS, to=HERE, step=STEP, **_known(request, desk))


def remove(request: Request) -> Response:
    """Take a candidate out of the comparison."""
    desk, form = opened(request), form_of(request)
    name = str(_pin(request, desk).get("name", ""))
    desk.apply(form, Change("compare_remove", name=name), desk.draft.without_pin(name))
    return fragments(request, PAGE, PARTS, to=HERE, step=STEP, **_known(request, desk))


def _pin(request: Request, desk: Desk) -> Any:  # noqa: ANN401
    place = int(request.path_params["number"]) - 1
    if not 0 <= place < len(desk.draft.pins):
        raise BadRequestError("there is no such candidate")
    return desk.draft.pins[place]


def _known(request: Request, desk: Desk) -> dict[str, Any]:
    """Return what the page shows: too few candidates, work that runs, a problem, or the comparison."""
    known: dict[str, Any] = {"sheets": ("compare",), "view": None, "work": None, "problem": None}
    if len(desk.draft.pins) < LEAST:
        return known
    language = language_of(request)
    say = speaker(language)
    try:
        work = comparison(desk, small=request.app.state.running.shows_small(request))
        if not work.wait(0.2):
            return known | {"work": work}
        if work.problem:
            return known | {"problem": work.problem}
        return known | {"view": CompareView(work.value, desk.draft, language, say, named(desk, say))}
    except PETWorksError as error:
        return known | {"problem": error}


ROUTES = [
    Route(HERE, show),
    Route(f"{HERE}/{{number:int}}/choose", choose, methods=["POST"]),
    Route(f"{HERE}/{{number:int}}/remove", remove, methods=["POST"]),
]
