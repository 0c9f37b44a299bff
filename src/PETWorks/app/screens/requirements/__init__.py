"""Step 4: the requirements that a release must meet."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from PETWorks.app.files import StepState
from PETWorks.app.forms import BadRequestError, Form, form_of
from PETWorks.app.project.draft import Change, Draft, find_step
from PETWorks.app.responses import Say, language_of, make_say, render_fragments, render_page, wants_fragments
from PETWorks.app.screens.requirements.requirement_form import (
    MAX_TEXT,
    RejectedForm,
    RequirementForm,
    find_given_up,
    find_measure_class,
    has_explored,
    is_open,
    list_removed,
    list_sensitive,
    make_requirement,
    read_form,
    with_reason,
    with_removed,
)
from PETWorks.app.screens.requirements.view import RequirementsView
from PETWorks.app.session import Session, require_session
from PETWorks.measure.registry import find
from PETWorks.policy.templates import template

STEP, PAGE, HERE = find_step("requirements"), "requirements.html", "/requirements"
PARTS = ("answer", "templates", "list", "foot", "steps", "dock")


def describe_step(session: Session, say: Say) -> StepState:
    """Return the state of the step: the number of requirements, or of open ones."""
    asked = session.draft.requirements
    if waiting := sum(map(is_open, asked)):
        return StepState(done=False, words=say("requirements_standing_open", open=waiting))
    return StepState(
        bool(asked), say("requirements_standing" if asked else "requirements_standing_none", all=len(asked))
    )


def show(request: Request) -> Response:
    """Show the requirements."""
    session = require_session(request)
    if wants_fragments(request):
        return render_fragments(
            request, PAGE, ["answer", "requirements_now.html"], to=HERE, step=STEP, **_build_context(request, session)
        )
    return render_page(request, PAGE, step=STEP, **_build_context(request, session))


def use_template(request: Request) -> Response:
    """Use a template: its requirements replace the present ones."""
    session, form = require_session(request), form_of(request)
    chosen = template(form["template"])
    content = chosen.content
    draft = session.draft.with_requirements(content["require"]).with_section("not_shown", content.get("not_shown", []))
    return _replace(request, form, Change("requirements_template", template=chosen.name), draft)


def add(request: Request) -> Response:
    """Add a requirement with open limits."""
    session, form = require_session(request), form_of(request)
    kind = find(form["measure"])
    session.apply(
        form, Change("requirements_add", measure=kind.name), session.draft.with_requirement(make_requirement(kind))
    )
    return _render_parts(request, session, added=True)


def decide(request: Request) -> Response:
    """Set the limits of a requirement; if one is invalid, show the problem beside its field and change nothing."""
    session, form = require_session(request), form_of(request)
    place, before = _find_requirement(request, session)
    if (kind := find_measure_class(before)) is None:
        raise BadRequestError("this measure is not installed")
    answer = read_form(form, before, kind, list_sensitive(session))
    asks = bool(answer.changed) and has_explored(session) and not is_open(before)
    lacking = asks and not answer.others["reason"]
    if answer.wrong or lacking:
        typed = RejectedForm(place + 1, answer.texts, answer.wrong, reason_needed=lacking, others=answer.others)
        return _render_rejected(request, session, typed)
    content = with_reason(answer) if asks else answer.content
    change = _describe_limits(kind.name, answer, reason=answer.others["reason"] if asks else "")
    session.apply(form, change, session.draft.with_requirement(content, place))
    return _render_parts(request, session)


def remove(request: Request) -> Response:
    """Remove a requirement. Undo restores it."""
    session, form = require_session(request), form_of(request)
    place, before = _find_requirement(request, session)
    change = Change("requirements_remove", measure=str(before.get("measure", "")))
    return _replace(request, form, change, session.draft.without_requirement(place), str(place + 1))


def _replace(request: Request, form: Form, change: Change, draft: Draft, number: str = "") -> Response:
    """Remove requirements. After exploring, this needs a reason, which every report shows."""
    session = require_session(request)
    gone = find_given_up(session.draft.requirements, draft.requirements) if has_explored(session) else []
    reason = " ".join(form.get("reason").split())[:MAX_TEXT]
    if gone and not reason:
        return _render_rejected(request, session, None, number or form["template"])
    session.apply(form, change, with_removed(draft, gone, reason) if gone else draft)
    return _render_parts(request, session)


def _find_requirement(request: Request, session: Session) -> tuple[int, Mapping[str, Any]]:
    """Return the index of a requirement, from 0, and its content in the policy."""
    place = int(request.path_params["number"]) - 1
    if not 0 <= place < len(session.draft.requirements):
        raise BadRequestError("there is no such requirement")
    return place, session.draft.requirements[place]


def _describe_limits(measure: str, answer: RequirementForm, reason: str) -> Change:
    kept = ("measure", "why", "source", "clause", "changed")
    what = ", ".join(f"{name} {value}" for name, value in answer.content.items() if name not in kept)
    if reason:
        return Change("requirements_change", measure=measure, what=what, why=reason)
    return Change("requirements_set", measure=measure, what=what)


def _build_context(
    request: Request, session: Session, typed: RejectedForm | None = None, leaving: str = ""
) -> dict[str, Any]:
    small = request.app.state.running.shows_small(request)
    language = language_of(request)
    view = RequirementsView(session, language, make_say(language), typed=typed, small=small)
    return {"view": view, "sheets": ("requirements",), "leaving": leaving, "removed": list_removed(session.draft)}


def _render_parts(request: Request, session: Session, *, added: bool = False) -> Response:
    return render_fragments(request, PAGE, PARTS, to=HERE, step=STEP, added=added, **_build_context(request, session))


def _render_rejected(request: Request, session: Session, typed: RejectedForm | None, leaving: str = "") -> Response:
    known = _build_context(request, session, typed, leaving)
    if wants_fragments(request):
        return render_fragments(request, PAGE, PARTS, to=HERE, step=STEP, **known)
    return render_page(request, PAGE, step=STEP, status=422, **known)


ROUTES = [
    Route(HERE, show),
    Route(f"{HERE}/template", use_template, methods=["POST"]),
    Route(f"{HERE}/add", add, methods=["POST"]),
    Route(f"{HERE}/{{number:int}}", decide, methods=["POST"]),
    Route(f"{HERE}/{{number:int}}/remove", remove, methods=["POST"]),
]
