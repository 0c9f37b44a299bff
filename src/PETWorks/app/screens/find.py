"""Try to find somebody: who might look for people in the release, how many they find, and what would stop them.

The release is made as the policy says, and adversaries are tried on it in the background. Numbers of people only: fewer
than five are not counted out, nor is a difference of fewer than five.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from PETWorks.app.files import StepState
from PETWorks.app.forms import BadRequestError, Form, form_of
from PETWorks.app.project.draft import Change, Draft, find_step
from PETWorks.app.responses import Say, language_of, make_say, render_fragments, render_page, wants_fragments
from PETWorks.app.session import Session, Work, require_session
from PETWorks.errors import PETWorksError
from PETWorks.facts.notes import Name
from PETWorks.facts.roles import Role
from PETWorks.policy.policy import Policy
from PETWorks.premises.adversary import Adversary
from PETWorks.premises.attack import attack
from PETWorks.premises.attack_result import GENERALISE, REMOVE, Attack, AttackRemedy, AttackResult
from PETWorks.progress import report_part
from PETWorks.render.attack import AttackWriter
from PETWorks.render.page.markup import PAGE as MEDIUM
from PETWorks.render.page.svg import draw_bar
from PETWorks.shown import THRESHOLD, CountBand, Exact

STEP, PAGE, HERE = find_step("find"), "find.html", "/find"
PARTS = ("tried", "steps", "dock")
WAIT = 0.2
MOST = 100  # columns that the form for an adversary lists


@dataclass(frozen=True, eq=False)
class Tried:
    """Whom adversaries find in the release that the policy makes, and the heights of its hierarchies."""

    tried: Attack
    heights: Mapping[str, int]


def start_trial(session: Session) -> Work[Tried]:
    """Make the release and try adversaries on it, in the background."""

    def work(progress: Work[Tried]) -> Tried:
        recipe = Policy(session.project.path, **session.memory, purpose="anonymize")
        with report_part(3, 0):
            release = recipe.anonymize().release
        progress.report(share=0.4)
        trees = release.facts.hierarchies
        heights = {name: trees[name].height for name in release.roles.quasi_identifiers if name in trees}
        return Tried(attack(release, recipe.adversaries), heights)

    return session.run_in_background(("find", session.project.text, session.table_key), work)


@dataclass(frozen=True)
class Shown:
    """One adversary on the screen."""

    number: int
    who: Markup
    finding: Markup
    sure: Markup
    bar: Markup
    status: str  # "fails" or "holds"
    remedy: Markup
    price: Markup
    can_take: bool
    named: str  # the name in the policy; "" for those who are always tried


class FindView:
    """What the screen shows of a trial."""

    def __init__(self, found: Tried, draft: Draft, language: str, say: Say, *, small: bool) -> None:
        self._writer, self._say, self._small = AttackWriter(language, MEDIUM), say, small
        self._draft, self.tried = draft, found.tried
        named = {str(one.get("name", "")) for one in draft.content.get("adversary", ())}
        self.people = found.tried[0].people if len(found.tried) else 0
        self.entries = [self._show(number, one, named) for number, one in enumerate(found.tried)]
        finding = sum(one.status == "fails" for one in self.entries)
        self.status = "fails" if finding else "holds"
        key = "find_h1_some" if finding else "find_h1_none"
        self.headline = say(key, finding=Exact(finding), all=Exact(len(self.entries)))
        self.untried = Markup(self._writer.write_untried(found.tried))  # noqa: S704 (escaped)

    def _count(self, people: int, beside: int = 0) -> Exact | CountBand:
        """Return a number of people; a band if it, or its difference to another number, is of fewer than five."""
        apart = abs(beside - people)
        exact = self._small or ((people >= THRESHOLD or not people) and (apart >= THRESHOLD or not apart))
        return Exact(people) if exact else CountBand.of_people(people)

    def _show(self, number: int, one: AttackResult, named: set[str]) -> Shown:
        fails = one.found > (one.at_most or 0)
        figures = {"found": self._count(one.found, one.people), "people": Exact(one.people)}
        finding = self._say("find_finds", **figures) if one.found else self._say("find_nobody")
        sure = self._say("find_certain", certain=self._count(one.certain, one.found)) if one.certain else Markup()
        known = self._small or one.found >= THRESHOLD or not one.found
        share = one.found / one.people if known and one.people else THRESHOLD / one.people if one.people else 0
        remedy = one.remedy if one.found else None
        return Shown(
            number=number,
            who=Markup(self._writer.write_who(one)),  # noqa: S704 (escaped)
            finding=finding,
            sure=sure,
            bar=draw_bar(min(1.0, share), "d2", height=12),
            status="fails" if fails else "holds",
            remedy=self._write_remedy(remedy) if remedy else self._say("find_no_remedy") if one.found else Markup(),
            price=self._write_price(one, remedy) if remedy else Markup(),
            can_take=remedy is not None and can_take(remedy),
            named=one.name if one.name in named else "",
        )

    def _write_remedy(self, remedy: AttackRemedy) -> Markup:
        columns = [Name(name) for name in remedy.columns]
        return self._say(f"find_{remedy.kind}", columns=columns, level=Exact(remedy.level or 0))

    def _write_price(self, one: AttackResult, remedy: AttackRemedy) -> Markup:
        figures: dict[str, Any] = {"lost": Exact(remedy.lost), "values": Exact(remedy.values)}
        if remedy.suppressed:
            figures["suppressed"] = self._count(remedy.suppressed)
        price = self._say("find_price_people" if remedy.suppressed else "find_price", **figures)
        after = self._say("find_after", found=self._count(remedy.found, one.found)) if remedy.found else (
            self._say("find_after_nobody")
        )  # fmt: skip
        return price + Markup(" ") + after


def can_take(remedy: AttackRemedy) -> bool:
    """Return True if a click can write a remedy; a suppression follows from a requirement, which somebody decides."""
    return remedy.kind in (REMOVE, GENERALISE)


def describe_step(session: Session, say: Say) -> StepState:
    """Return the state of the step: nobody is tried before somebody looks."""
    work = session.get_cached(("work", ("find", session.project.text, session.table_key)))
    if not isinstance(work, Work) or work.state != "done":
        return StepState(done=False, words=say("find_standing_none"))
    found = sum(one.found > 0 for one in work.value.tried)
    return StepState(not found, say("find_standing", finding=Exact(found), all=Exact(len(work.value.tried))))


def show(request: Request) -> Response:
    """Show whom adversaries find, or that they are being tried."""
    session = require_session(request)
    known = _build_context(request, session)
    if wants_fragments(request):
        return render_fragments(request, PAGE, ["tried"], to=HERE, step=STEP, **known)
    return render_page(request, PAGE, step=STEP, **known)


def take(request: Request) -> Response:
    """Take the remedy of an adversary."""
    session, form = require_session(request), form_of(request)
    work, number = start_trial(session), form.number("number")
    if not work.wait(WAIT) or work.problem or number >= len(work.value.tried):
        raise BadRequestError("there is no such remedy any more")
    remedy = work.value.tried[number].remedy
    if remedy is None or not can_take(remedy):
        raise BadRequestError("there is no such remedy")
    change = Change(f"find_{remedy.kind}", columns=[*remedy.columns])
    session.apply(form, change, with_remedy(session.draft, remedy))
    return _render(request, session)


def with_remedy(draft: Draft, remedy: AttackRemedy) -> Draft:
    """Return a draft in which a remedy is taken."""
    if remedy.kind == REMOVE:
        treat = {**draft.section("treat"), **{name: {"remove": True} for name in remedy.columns}}
        return draft.with_section("treat", treat)
    levels = {**draft.making.get("levels", {}), **dict.fromkeys(remedy.columns, remedy.level)}
    return draft.with_making("levels", levels)


def add(request: Request) -> Response:
    """Add somebody who must not find people."""
    session, form = require_session(request), form_of(request)
    given = _read_adversary(form, [*session.columns])
    others = [one for one in session.draft.content.get("adversary", ()) if one.get("name") != given["name"]]
    try:
        Adversary(given["name"], given["knows"])
    except PETWorksError as error:
        known = _build_context(request, session) | {"wrong": error, "given": given["name"]}
        if wants_fragments(request):
            return render_fragments(request, PAGE, PARTS, to=HERE, step=STEP, **known)
        return render_page(request, PAGE, step=STEP, status=422, **known)
    session.apply(
        form, Change("find_add", name=given["name"]), session.draft.with_section("adversary", [*others, given])
    )
    return _render(request, session)


def _read_adversary(form: Form, columns: list[str]) -> dict[str, Any]:
    """Return the entry of a policy that the form describes."""
    knows: list[Any] = []
    for number, column in enumerate(columns[:MOST]):
        if level := form.get(f"knows-{number}"):
            if not (level.isascii() and level.isdecimal() and len(level) < 3):  # noqa: PLR2004
                raise BadRequestError("a level is no number")
            knows.append({column: int(level)} if int(level) else column)
    return {"name": form.get("name").strip(), "knows": knows}


def remove(request: Request) -> Response:
    """Remove somebody from the policy."""
    session, form = require_session(request), form_of(request)
    name = form["name"]
    others = [one for one in session.draft.content.get("adversary", ()) if one.get("name") != name]
    session.apply(form, Change("find_forget", name=name), session.draft.with_section("adversary", others))
    return _render(request, session)


def _render(request: Request, session: Session) -> Response:
    return render_fragments(request, PAGE, PARTS, to=HERE, step=STEP, **_build_context(request, session))


def _build_context(request: Request, session: Session) -> dict[str, Any]:
    language = language_of(request)
    known: dict[str, Any] = {"sheets": ("find",), "view": None, "work": None, "problem": None, "wrong": None}
    known |= {"given": "", "columns": (), "heights": {}}
    try:
        work = start_trial(session)
        roles = session.draft.roles_of(session.columns)
        named = [(number, one) for number, one in enumerate(session.columns) if roles.get(one) is not Role.IDENTIFIER]
        known |= {"columns": named[:MOST]}
        if not work.wait(WAIT):
            return known | {"work": work}
        if work.problem:
            return known | {"problem": work.problem}
        small = request.app.state.running.shows_small(request)
        view = FindView(work.value, session.draft, language, make_say(language), small=small)
        return known | {"view": view, "heights": work.value.heights}
    except PETWorksError as error:
        return known | {"problem": error}


ROUTES = [
    Route(HERE, show),
    Route(f"{HERE}/take", take, methods=["POST"]),
    Route(f"{HERE}/add", add, methods=["POST"]),
    Route(f"{HERE}/remove", remove, methods=["POST"]),
]
