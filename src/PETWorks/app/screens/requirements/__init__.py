"""Step 4: what must hold before the table may leave."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from PETWorks.app.answering import Say, fragments, language_of, page, speaker, wants_fragments
from PETWorks.app.desk import Desk, opened
from PETWorks.app.files import Standing
from PETWorks.app.forms import BadRequestError, Form, form_of
from PETWorks.app.project.draft import Change, Draft
from PETWorks.app.screens.requirements.asking import (
    LONGEST,
    Answer,
    Typed,
    answer_of,
    explored,
    given_up,
    is_open,
    kind_of,
    new,
    removed_of,
    sensitive_of,
    with_reason,
    with_removed,
)
from PETWorks.app.screens.requirements.view import RequirementsView
from PETWorks.measure.registry import find
from PETWorks.policy.templates import template

STEP, PAGE, HERE = 4, "requirements.html", "/requirements"
PARTS = ("answer", "templates", "list", "foot", "steps", "dock")


def standing(desk: Desk, say: Say) -> Standing:
    """Say how far the step is."""
    asked = desk.draft.requirements
    if waiting := sum(map(is_open, asked)):
        return Standing(done=False, words=say("requirements_standing_open", open=waiting))
    return Standing(
        bool(asked), say("requirements_standing" if asked else "requirements_standing_none", all=len(asked))
    )


def show(request: Request) -> Response:
    """Show the requirements."""
    desk = opened(request)
    if wants_fragments(request):
        return fragments(
            request, PAGE, ["answer", "requirements_now.html"], to=HERE, step=STEP, **_known(request, desk)
        )
    return page(request, PAGE, step=STEP, **_known(request, desk))


def use(request: Request) -> Response:
    """Start from a template: its requirements take the place of those that are set."""
    desk, form = opened(request), form_of(request)
    chosen = template(form["template"])
    content = chosen.content
    draft = desk.draft.with_requirements(content["require"]).with_section("not_shown", content.get("not_shown", []))
    return _replaced(request, form, Change("requirements_template", template=chosen.name), draft)


def add(request: Request) -> Response:
    """Add a requirement, whose limits are still open."""
    desk, form = opened(request), form_of(request)
    kind = find(form["measure"])
    desk.apply(form, Change("requirements_add", measure=kind.name), desk.draft.with_requirement(new(kind)))
    return _answered(request, desk, added=True)


def decide(request: Request) -> Response:
    """Set the limits of a requirement; what is wrong is told beside its field, and what was set before holds."""
    desk, form = opened(request), form_of(request)
    place, before = _at(request, desk)
    if (kind := kind_of(before)) is None:
        raise BadRequestError("this measure is not installed")
    answer = answer_of(form, before, kind, sensitive_of(desk))
    asks = bool(answer.changed) and explored(desk) and not is_open(before)
    lacking = asks and not answer.others["reason"]
    if answer.wrong or lacking:
        typed = Typed(place + 1, answer.texts, answer.wrong, reason_needed=lacking, others=answer.others)
        return _refused(request, desk, typed)
    content = with_reason(answer) if asks else answer.content
    change = _told(kind.name, answer, reason=answer.others["reason"] if asks else "")
    desk.apply(form, change, desk.draft.with_requirement(content, place))
    return _answered(request, desk)


def remove(request: Request) -> Response:
    """Remove a requirement; Undo brings it back."""
    desk, form = opened(request), form_of(request)
    place, before = _at(request, desk)
    change = Change("requirements_remove", measure=str(before.get("measure", "")))
    return _replaced(request, form, change, desk.draft.without_requirement(place), str(place + 1))


def _replaced(request: Request, form: Form, change: Change, draft: Draft, number: str = "") -> Response:
    """Take requirements away; once somebody has seen what they cost, only with a reason, which every report tells."""
    desk = opened(request)
    gone = given_up(desk.draft.requirements, draft.requirements) if explored(desk) else []
    reason = " ".join(form.get("reason").split())[:LONGEST]
    if gone and not reason:
        return _refused(request, desk, None, number or form["template"])
    desk.apply(form, change, with_removed(draft, gone, reason) if gone else draft)
    return _answered(request, desk)


def _at(request: Request, desk: Desk) -> tuple[int, Mapping[str, Any]]:
    """Return the place of a requirement, counted from 0, and what the policy has of it."""
    place = int(request.path_params["number"]) - 1
    if not 0 <= place < len(desk.draft.requirements):
        raise BadRequestError("there is no such requirement")
    return place, desk.draft.requirements[place]


def _told(measure: str, answer: Answer, reason: str) -> Change:
    kept = ("measure", "why", "source", "clause", "changed")
    what = ", ".join(f"{name} {value}" for name, value in answer.content.items() if name not in kept)
    if reason:
        return Change("requirements_change", measure=measure, what=what, why=reason)
    return Change("requirements_set", measure=measure, what=what)


def _known(request: Request, desk: Desk, typed: Typed | None = None, leaving: str = "") -> dict[str, Any]:
    small = request.app.state.running.shows_small(request)
    language = language_of(request)
    view = RequirementsView(desk, language, speaker(language), typed=typed, small=small)
    return {"view": view, "sheets": ("requirements",), "leaving": leaving, "removed": removed_of(desk.draft)}


def _answered(request: Request, desk: Desk, *, added: bool = False) -> Response:
    return fragments(request, PAGE, PARTS, to=HERE, step=STEP, added=added, **_known(request, desk))


def _refused(request: Request, desk: Desk, typed: Typed | None, leaving: str = "") -> Response:
    known = _known(request, desk, typed, leaving)
    if wants_fragments(request):
        return fragments(request, PAGE, PARTS, to=HERE, step=STEP, **known)
    return page(request, PAGE, step=STEP, status=422, **known)


ROUTES = [
    Route(HERE, show),
    Route(f"{HERE}/template", use, methods=["POST"]),
    Route(f"{HERE}/add", add, methods=["POST"]),
    Route(f"{HERE}/{{number:int}}", decide, methods=["POST"]),
    Route(f"{HERE}/{{number:int}}/remove", remove, methods=["POST"]),
]
