"""The candidates that are pinned: A to D, each with what it gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from markupsafe import Markup

from PETWorks.app.answering import Say
from PETWorks.app.screens.explore.found import LETTERS, fitting
from PETWorks.app.screens.explore.limit import shown
from PETWorks.app.screens.explore.plot import shape
from PETWorks.app.screens.explore.state import State, recoded
from PETWorks.explain.step import Name
from PETWorks.making.exploring import Weighed


@dataclass(frozen=True)
class Pin:
    """A candidate."""

    letter: str
    shape: Markup
    title: Markup
    text: Markup
    weighed: Weighed | None  # None: it is not known yet, or does not fit the columns any more
    shown: bool
    can_be_seen: bool  # False: it does not fit the columns any more


def pins(state: State, say: Say, language: str, measure: str) -> tuple[Pin, ...]:  # noqa: ARG001
    """Return the candidates of the draft."""
    found = []
    for one in state.desk.draft.pins:
        letter = str(one.get("name", ""))
        if letter not in LETTERS or not letter:
            continue
        local = one.get("recoding") == "local"
        weighed = _local(state) if local else _weighed(state, dict(one.get("levels", {})))
        title = say("explore_pin_local") if local else _title(state, weighed, say)
        found.append(
            Pin(
                letter=letter,
                shape=Markup(shape(letter, 9)),  # noqa: S704 (of ours)
                title=title,
                text=_text(state, weighed, say, measure, local=local),
                weighed=weighed,
                shown=state.local
                if local
                else weighed is not None and not state.local and weighed.levels == state.levels,
                can_be_seen=local or weighed is not None,
            )
        )
    return tuple(found)


def _weighed(state: State, levels: Mapping[str, int]) -> Weighed | None:
    vector = fitting(state.exploration, levels)
    return None if vector is None else state.exploration.weigh(vector)


def _local(state: State) -> Weighed | None:
    look = recoded(state)
    return look.weighed if look else None


def _title(state: State, one: Weighed | None, say: Say) -> Markup:
    if one is None:
        return say("explore_pin_unfit")
    if state.best_known and one.levels == state.best_known.levels:
        return say("explore_pin_best", rate=shown(state.plan.suppress_at_most.exact))
    if state.best_keeping and one.levels == state.best_keeping.levels:
        return say("explore_pin_keeping")
    return say("explore_pin_levels", levels=" ".join(map(str, one.levels)))


def _text(state: State, one: Weighed | None, say: Say, measure: str, *, local: bool) -> Markup:
    if one is None:
        return say("explore_pin_unknown" if local else "explore_pin_unfit_lead")
    told = say("explore_pin_text", people=one.suppressed, measure=measure, score=f"{one.score:.4f}")
    tops = zip(state.exploration.names, one.levels, state.exploration.heights, strict=False)
    gone = [Name(name) for name, level, top in tops if top and level == top]
    key = "explore_pin_gone" if len(gone) > 1 else "explore_pin_gone_one"
    return told + say(key, columns=gone) if gone else told
