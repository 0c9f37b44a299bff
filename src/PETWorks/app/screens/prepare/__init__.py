"""Step 2: what has to be put right in the table before anything is measured, and columns that are derived."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from PETWorks.app.files import StepState
from PETWorks.app.forms import BadRequestError, Form, form_of
from PETWorks.app.notices import WAIT_SECONDS
from PETWorks.app.project.draft import Change, Draft, find_step
from PETWorks.app.responses import Say, language_of, render_fragments, render_page, wants_fragments
from PETWorks.app.screens.prepare.cards import PrepareCard, find_in_rows, list_cards
from PETWorks.app.screens.prepare.view import DERIVED, SOURCES, DeriveForm, PrepareView
from PETWorks.app.session import Session, require_session
from PETWorks.errors import PETWorksError
from PETWorks.settings.preparing import read_derivation
from PETWorks.tables.opening import open_original

TEMPLATE, STEP, HOME = "prepare.html", find_step("prepare"), "/prepare"
PARTS = ("main", "steps", "dock")
CHOICES = {"short_years": ("roc", "western"), "order": ("ymd", "dmy", "mdy"), "otherwise": ("missing",)}
LARGEST = 1000  # rows above a header, or at the end


def describe_step(session: Session, say: Say) -> StepState:
    """Return the state of the step: how many findings are decided."""
    if session.raw_survey.state != "done" or not (work := find_in_rows(session)).wait(WAIT_SECONDS) or work.problem:
        return StepState(done=False)
    view = PrepareView(session, list_cards(session.raw_survey.value, work.value), "en")
    decided, every = len(view.cards) - len(view.waiting), len(view.cards)
    words = say("prepare_standing", decided=decided, findings=every) if every else say("prepare_standing_none")
    return StepState(done=not view.waiting, words=words)


def show(request: Request) -> Response:
    """Show the findings, or that the table is still being read."""
    session = require_session(request)
    if busy := _render_busy(request, session):
        return busy
    return render_page(request, TEMPLATE, step=STEP, sheets=("prepare",), **_build_context(request, session))


def _render_busy(request: Request, session: Session) -> Response | None:
    """Return the page that is shown while the table is read; None if that is done."""
    work: Any = session.raw_survey
    ended = work.wait(WAIT_SECONDS)
    if ended and work.state == "done":
        work = find_in_rows(session)
        ended = work.wait(WAIT_SECONDS)
    if ended:
        _ = work.value  # raises what went wrong
        if wants_fragments(request) and request.query_params.get("busy"):
            return Response(headers={"X-Go": HOME}, media_type="text/html")
        return None
    figures = {"step": STEP, "work": work, "address": f"{HOME}?busy=1"}
    if wants_fragments(request):
        return render_fragments(request, "prepare_busy.html", ["busy"], to=HOME, **figures)
    return render_page(request, "prepare_busy.html", **figures)


def _list_cards(session: Session) -> list[PrepareCard]:
    return list_cards(session.raw_survey.value, find_in_rows(session).value)


def _build_context(request: Request, session: Session, waited: str = "", **figures: Any) -> dict[str, Any]:  # noqa: ANN401
    view = PrepareView(session, _list_cards(session), language_of(request), waited)
    return {"view": view, "derive": figures.get("derive") or DeriveForm(), "kinds": DERIVED, "sources": SOURCES}


def decide(request: Request) -> Response:
    """Accept a finding, as it is or changed, or leave it."""
    session, form = require_session(request), form_of(request)
    if not (session.raw_survey.wait(WAIT_SECONDS) and find_in_rows(session).wait(WAIT_SECONDS)):
        return RedirectResponse(HOME, 303)
    cards, number = _list_cards(session), request.path_params["number"]
    if not 0 < number <= len(cards):
        raise HTTPException(404)
    card, answer = cards[number - 1], form.get("answer")
    if form.get("what") != card.key or answer not in ("accept", "leave"):
        raise BadRequestError("there is no such finding any more")
    if answer == "leave":
        session.apply(form, _build_change("leave", card), card.leave(session.draft))
    else:
        changed = _read_changes(form, card)
        draft, change = card.accept(session.draft, changed), _build_change("accept", card)
        session.apply(form, change, draft)
        if PrepareView(session, cards, "en").describe(card).state == "unfit":
            session.project.note(change)  # the same text, for as many cells as there are now
    return _render_changes(request, session, form)


def _build_change(answer: str, card: PrepareCard) -> Change:
    """Return the change that a decision is, with the cells that it was made for."""
    figures: dict[str, Any] = {"prepare_finding": card.kind, "cells": card.cells}
    if card.column is None:
        return Change(f"prepare_{answer}_row", **figures)
    return Change(f"prepare_{answer}", column=card.column, **figures)


def _read_changes(form: Form, card: PrepareCard) -> Mapping[str, Any]:
    """Return the settings that the fields of a card change; None for a setting that is left out."""
    found: dict[str, Any] = {}
    for name, words in CHOICES.items():
        if name in form:
            if form[name] not in ("", *words):
                raise BadRequestError(f"the field {name!r} has no such value")
            found[name] = form[name] or None
    if card.kind in ("header_row", "skip_last") and card.kind in form:
        found[card.kind] = min(max(form.number(card.kind), 1), LARGEST)
    return found


def accept_together(request: Request) -> Response:
    """Accept all findings that wait and lose nothing."""
    session, form = require_session(request), form_of(request)
    if not (session.raw_survey.wait(WAIT_SECONDS) and find_in_rows(session).wait(WAIT_SECONDS)):
        return RedirectResponse(HOME, 303)
    view = PrepareView(session, _list_cards(session), "en")
    draft, together = session.draft, view.together
    for card in together:
        draft = card.accept(draft)
    if together:
        session.apply(form, Change("prepare_together", findings=len(together)), draft)
        for card in together:
            session.project.note(_build_change("accept", card))
    return _render_changes(request, session, form)


def derive(request: Request) -> Response:
    """Add a derived column; if that cannot be done, show why and change nothing."""
    session, form = require_session(request), form_of(request)
    if not (session.raw_survey.wait(WAIT_SECONDS) and find_in_rows(session).wait(WAIT_SECONDS)):
        return RedirectResponse(HOME, 303)
    wanted = DeriveForm.read(form)
    try:
        draft = _with_derived(session, wanted)
    except PETWorksError as error:
        known = _build_context(request, session, form.get("waited"), derive=wanted.with_problem(error))
        if wants_fragments(request):
            return render_fragments(request, TEMPLATE, ["main", "dock"], to=HOME, step=STEP, **known)
        return render_page(request, TEMPLATE, step=STEP, status=422, sheets=("prepare",), **known)
    session.apply(form, Change("prepare_derive", column=wanted.name), draft)
    return _render_changes(request, session, form)


def _with_derived(session: Session, wanted: DeriveForm) -> Draft:
    """Return a draft with a derived column; raise an error if the table cannot have it."""
    given, draft = wanted.write_settings(), session.draft
    read_derivation(given, wanted.name)
    draft = draft.with_section("derive", {**draft.section("derive"), wanted.name: given})
    open_original(session.table_path, draft.reading, draft.preparing, draft.data.get("person"))
    return draft


def remove_derived(request: Request) -> Response:
    """Remove a derived column, with its role, hierarchy and treatment."""
    session, form = require_session(request), form_of(request)
    name, draft = form["name"], session.draft
    if name not in draft.section("derive"):
        raise BadRequestError("there is no such derived column")
    for section in ("derive", "hierarchies", "treat"):
        draft = draft.with_section(section, {key: one for key, one in draft.section(section).items() if key != name})
    session.apply(form, Change("prepare_underive", column=name), draft.without_role(name))
    return _render_changes(request, session, form)


def _render_changes(request: Request, session: Session, form: Form) -> Response:
    known = _build_context(request, session, form.get("waited"))
    return render_fragments(request, TEMPLATE, PARTS, to=HOME, step=STEP, **known)


ROUTES = [
    Route(HOME, show),
    Route(f"{HOME}/together", accept_together, methods=["POST"]),
    Route(f"{HOME}/derive", derive, methods=["POST"]),
    Route(f"{HOME}/underive", remove_derived, methods=["POST"]),
    Route(f"{HOME}/{{number:int}}", decide, methods=["POST"]),
]
