"""The proof that a release is the best, as a sum of combinations; a better one; and remedies if none holds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from fractions import Fraction

from markupsafe import Markup

from PETWorks.anonymization.exploration import (
    NodeFigures,
    SearchState,
    find_best,
    find_fewest_suppressed,
    select_inside,
)
from PETWorks.anonymization.full_domain import Infeasibility
from PETWorks.app.responses import Say
from PETWorks.app.screens.explore.plot import format_levels
from PETWorks.app.screens.explore.state import ExploreState
from PETWorks.app.screens.explore.strips import format_decimal
from PETWorks.measure.registry import find
from PETWorks.measure.steps import Name
from PETWorks.render.typography import format_percent

DIGITS = Decimal("0.0001")
SUMMANDS = ("by_bound", "by_goals", "evaluated")
MAX_REMEDIES = 3  # that are offered


@dataclass(frozen=True)
class ProofAction:
    """A remedy if nothing holds: its effect, and the form that applies it."""

    text: Markup
    action: str
    fields: Mapping[str, str]


@dataclass(frozen=True)
class Proof:
    """The text under the answer."""

    kind: str  # "proven", "part", "better", "searching", "none" or ""
    lead: Markup = Markup()
    text: Markup = Markup()
    rows: tuple[tuple[Markup, int], ...] = ()  # the sum
    total: int = 0
    product: str = ""
    better: str = ""  # better levels, as a form sends them
    counts: Mapping[str, int] | None = None  # of a running search
    reach: str = ""
    best: NodeFigures | None = None
    remedies: tuple[ProofAction, ...] = ()  # each was evaluated, and holds
    trial: ProofAction | None = None  # may help; known only after trying
    blamed: Markup = Markup()  # the requirement that fails or costs most


def explain_proof(
    state: ExploreState, now: NodeFigures | None, say: Say, *, rate: str, measure: str, kind: str, language: str
) -> Proof:
    """Return the proof for the shown release."""
    helper, sought = state.helper, state.sought
    if helper.task:
        return _describe_progress(state, say)
    if kind in ("none", "nothing_found"):
        return _explain_none(state, say, measure, language, proven=kind == "none")
    if state.local:
        return _explain_recoding(state, say)
    if now is None:
        return Proof("")
    if sought and sought.ended and sought.best and sought.best.levels == now.levels:
        return _explain_search(state, sought, say, rate)
    return _explain_survey(state, now, say, rate=rate, measure=measure, language=language)


def _explain_none(state: ExploreState, say: Say, measure: str, language: str, *, proven: bool = True) -> Proof:
    """Return the text if nothing holds: the requirement that fails or costs most, and the remedies."""
    blame, everybody = state.sought.infeasibility if state.sought else None, state.rows
    hopeless = blame is not None and blame.rows >= everybody
    tried = bool(state.helper.problem) and state.helper.finished == "local"
    possible = state.exploration.table.facts.persons is None and not hopeless and not tried
    return Proof(
        "none",
        text=say("explore_none_proof", combinations=state.combinations) if proven else Markup(),
        remedies=tuple(_list_remedies(state, say, measure)),
        trial=ProofAction(say("explore_remedy_local"), "/explore/local", {}) if possible else None,
        blamed=Markup() if blame is None else _describe_blame(blame, say, everybody, language),
    )


def _describe_blame(blame: Infeasibility, say: Say, everybody: int, language: str) -> Markup:
    """Describe the requirement that fails or costs most, as the command line does."""
    titles = {name: find(name).words[language].title for name in (*blame.unmet, *blame.alone)}
    if blame.unmet:
        return say("explore_blame_unmet", requirements=[titles[name] for name in blame.unmet])
    name = blame.costliest
    key = "explore_blame_all" if blame.alone[name] >= everybody else "explore_blame"
    return say(key, requirement=titles[name], people=blame.alone[name], rows=everybody)


def _describe_progress(state: ExploreState, say: Say) -> Proof:
    """Return the progress of the search or of local recoding."""
    helper = state.helper
    if helper.task == "local":
        rounds = helper.polished.rounds if helper.polished else 0
        return Proof("recoding", text=say("explore_polished", rounds=rounds) if rounds else Markup(""))
    sought = helper.best
    counts = sought.counts if sought and sought.counts.get("vectors") else None
    return Proof("searching", counts=counts, reach=format_reach(state, sought), best=sought.best if sought else None)


def format_reach(state: ExploreState, sought: SearchState | None) -> str:
    """Format the bound on the score of all combinations."""
    return _format_bound(state, sought.reach if sought else None)


def _format_bound(state: ExploreState, score: float | None) -> str:
    """Format a bound on scores, rounded to the safe side; "" if it is not known."""
    if score is None:
        return ""
    return str(Decimal(score).quantize(DIGITS, ROUND_FLOOR if state.plan.utility is None else ROUND_CEILING))


def _explain_recoding(state: ExploreState, say: Say) -> Proof:
    """Return what is known of a local recoding: it is not proven to be the best, but there may be a bound."""
    local, bound = state.helper.local, _format_bound(state, state.helper.ceiling)
    if local is None:
        return Proof("")
    sentences = [say("explore_local_proof", rounds=local.rounds)]
    if bound:
        sentences.append(
            say("explore_local_floor" if state.plan.utility is None else "explore_local_ceiling", bound=bound)
        )
    return Proof("local", text=say("explore_gap").join(sentences))


def _explain_search(state: ExploreState, sought: SearchState, say: Say, rate: str) -> Proof:
    counts = sought.counts
    rows = [(say(f"explore_sum_{name}", rate=rate), counts[name]) for name in SUMMANDS]
    if counts["open"]:
        rows.append((say("explore_sum_open"), counts["open"]))
    product = " × ".join(str(len(one)) for one in state.ranges)
    figures = {"combinations": counts["vectors"], "rate": rate}
    shared = {"rows": tuple(rows), "total": counts["vectors"], "product": product}
    if sought.proven:
        return Proof("proven", say("explore_proven"), say("explore_proven_lead", **figures), **shared)  # type: ignore[arg-type]
    done = counts["vectors"] - counts["open"]
    bound = format_reach(state, sought)
    key = "explore_part" if not bound else "explore_part_below" if state.plan.utility is None else "explore_part_bound"
    text = say(key, done=done, bound=bound, **figures)
    return Proof("part", say("explore_best_found"), text, **shared)  # type: ignore[arg-type]


def _explain_survey(
    state: ExploreState, now: NodeFigures, say: Say, *, rate: str, measure: str, language: str
) -> Proof:
    """Compare with all combinations that were evaluated so far."""
    known = select_inside(state.exploration.list_evaluated(), state.ranges)
    found = state.found
    top = find_best(known, state.allowed)
    if found and (top is None or found.lost < top.lost):
        top = found
    if top is None:
        if len(known) < state.combinations:
            return Proof("")
        return _explain_none(state, say, measure, language)
    if now.is_within(state.allowed) and top.lost >= now.lost:
        if len(known) < state.combinations:
            return Proof("")
        rows = ((say("explore_sum_evaluated"), len(known)),)
        product = " × ".join(str(len(one)) for one in state.ranges)
        text = say("explore_proven_lead", combinations=len(known), rate=rate)
        return Proof("proven", say("explore_proven"), text, rows, len(known), product)
    text = say("explore_better", measure=measure, score=f"{top.score:.4f}", people=top.suppressed, rate=rate)
    return Proof("better", text=text, better=format_levels(top.levels))


def _list_remedies(state: ExploreState, say: Say, measure: str) -> Iterator[ProofAction]:
    """Yield remedies that were evaluated: a coarser column, or a higher limit on suppression."""
    known = state.exploration.list_evaluated()
    ladders, number = state.exploration.table.ladders, 0
    for place, ladder in enumerate(ladders):
        if ladder.name in state.plan.coarsest and number < MAX_REMEDIES - 1:
            wider = [range(own.start, ladder.height + 1) if at == place else own for at, own in enumerate(state.ranges)]
            if found := find_best(select_inside(known, wider), state.allowed):
                number += 1
                figures = {"column": Name(ladder.name), "level": found.levels[place], "people": found.suppressed}
                share = format_percent(Fraction(found.suppressed, state.rows or 1))
                text = say(
                    "explore_remedy_coarser", **figures, measure=measure, share=share, score=f"{found.score:.4f}"
                )
                column = str(state.session.columns.index(ladder.name) + 1)
                yield ProofAction(text, "/explore/free", {"column": column, "levels": format_levels(found.levels)})
    if found := find_fewest_suppressed(select_inside(known, state.ranges)):
        rate = Fraction(-(-found.suppressed * 1000 // (state.rows or 1)), 10)  # percent, rounded up to a tenth
        text = say(
            "explore_remedy_limit",
            measure=measure,
            limit=f"{format_decimal(rate)}%",
            people=found.suppressed,
            score=f"{found.score:.4f}",
        )
        yield ProofAction(
            text,
            "/explore/limit",
            {"limit": format_decimal(rate), "slider": "", "shown": "", "levels": format_levels(found.levels)},
        )
