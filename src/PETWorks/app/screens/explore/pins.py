"""The pinned candidates, A to D, with their figures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from markupsafe import Markup

from PETWorks.anonymization.exploration import NodeFigures, find_best_by_limit, select_inside
from PETWorks.app.responses import Say
from PETWorks.app.screens.explore.plot import draw_shape
from PETWorks.app.screens.explore.state import (
    LETTERS,
    PENDING_SEARCH,
    ExploreState,
    count_table,
    list_requirements,
    match_levels,
    preview_recoding,
)
from PETWorks.app.screens.explore.strips import format_share
from PETWorks.app.session import Session
from PETWorks.measure.steps import Name


@dataclass(frozen=True)
class Pin:
    """A pinned candidate."""

    letter: str
    shape: Markup
    title: Markup
    text: Markup
    weighed: NodeFigures | None  # None: not known yet, or no longer fits the columns
    shown: bool
    can_be_seen: bool  # False: no longer fits the columns


def list_pins(state: ExploreState, say: Say, language: str, measure: str) -> tuple[Pin, ...]:  # noqa: ARG001
    """Return the pinned candidates of the draft."""
    found = []
    for one in state.session.draft.pins:
        letter = str(one.get("name", ""))
        if letter not in LETTERS or not letter:
            continue
        local = one.get("recoding") == "local"
        weighed = _evaluate_recoding(state) if local else _evaluate_levels(state, dict(one.get("levels", {})))
        title = say("explore_pin_local") if local else _render_title(state, weighed, say)
        found.append(
            Pin(
                letter=letter,
                shape=Markup(draw_shape(letter, 9)),  # noqa: S704 (a constant)
                title=title,
                text=_describe_candidate(state, weighed, say, measure, local=local),
                weighed=weighed,
                shown=state.local
                if local
                else weighed is not None and not state.local and weighed.levels == state.levels,
                can_be_seen=local or weighed is not None,
            )
        )
    return tuple(found)


def _evaluate_levels(state: ExploreState, levels: Mapping[str, int]) -> NodeFigures | None:
    vector = match_levels(state.exploration, levels)
    return None if vector is None else state.exploration.evaluate(vector)


def _evaluate_recoding(state: ExploreState) -> NodeFigures | None:
    preview = preview_recoding(state)
    return preview.weighed if preview else None


def _render_title(state: ExploreState, one: NodeFigures | None, say: Say) -> Markup:
    if one is None:
        return say("explore_pin_unfit")
    if state.best_known and one.levels == state.best_known.levels:
        return say("explore_pin_best", rate=format_share(state.plan.suppress_at_most.exact))
    if state.best_keeping and one.levels == state.best_keeping.levels:
        return say("explore_pin_keeping")
    if _is_best_at_its_limit(state, one):
        return say("explore_pin_best", rate=format_share(Fraction(one.suppressed, state.rows or 1)))
    return say("explore_pin_levels", levels=" ".join(map(str, one.levels)))


def _is_best_at_its_limit(state: ExploreState, one: NodeFigures) -> bool:
    """Return True if all were evaluated and it is the best of those that suppress no more, as at another limit."""
    if state.exploration.evaluated_count < state.exploration.vectors:
        return False
    return any(
        one.levels == other.levels
        for other in find_best_by_limit(select_inside(state.exploration.list_evaluated(), state.ranges))
    )


class CandidateTitle(NamedTuple):
    """The title of a candidate, and the text on whether it is proven to be the best."""

    title: Markup
    proven: Markup


def name_candidates(session: Session, say: Say) -> dict[str, CandidateTitle]:
    """Return the titles of candidates by letter; empty if step 5 was not opened since the start."""
    held = session.get_cached(PENDING_SEARCH)
    if not (held and held.helper and held.helper.alive and (work := count_table(session)).wait(0)):
        return {}
    state, found = ExploreState.of(session, work.value, list_requirements(session.draft)), dict[str, CandidateTitle]()
    for one in (pin for pin in session.draft.pins if pin.get("name") in [*LETTERS]):
        local = one.get("recoding") == "local"
        weighed = None if local else _evaluate_levels(state, dict(one.get("levels", {})))
        title = say("explore_pin_local") if local else _render_title(state, weighed, say)
        found[str(one.get("name", ""))] = CandidateTitle(title, _describe_proof(state, weighed, say, local=local))
    return found


def _describe_proof(state: ExploreState, one: NodeFigures | None, say: Say, *, local: bool) -> Markup:
    """Describe whether a candidate is proven to be the best, and of how many."""
    if local or one is None:
        return say("compare_proven_found" if local else "compare_proven_no")
    searched = bool(state.sought and state.sought.ended and state.sought.proven)
    weighed = state.exploration.evaluated_count >= state.exploration.vectors
    best, keeping = state.best_known, state.best_keeping
    if (searched or weighed) and best and one.levels == best.levels:
        return say("compare_proven", combinations=state.combinations)
    if weighed and keeping and one.levels == keeping.levels:
        return say("compare_proven_keeping")
    if _is_best_at_its_limit(state, one):
        share = format_share(Fraction(one.suppressed, state.rows or 1))
        return say("compare_proven_within", combinations=state.combinations, rate=share)
    return say("compare_proven_no")


def _describe_candidate(state: ExploreState, one: NodeFigures | None, say: Say, measure: str, *, local: bool) -> Markup:
    if one is None:
        return say("explore_pin_unknown" if local else "explore_pin_unfit_lead")
    text = say("explore_pin_text", people=one.suppressed, measure=measure, score=f"{one.score:.4f}")
    tops = zip(state.exploration.names, one.levels, state.exploration.heights, strict=False)
    gone = [Name(name) for name, level, top in tops if top and level == top]
    key = "explore_pin_gone" if len(gone) > 1 else "explore_pin_gone_one"
    return text + say(key, columns=gone) if gone else text
