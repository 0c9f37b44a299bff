"""What the process found becomes text: the best levels, and the candidates that are pinned with them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from PETWorks.app.desk import Desk
from PETWorks.app.project.change import Change
from PETWorks.app.project.draft import Draft
from PETWorks.app.project.journal import Entry
from PETWorks.app.search.helper import Helper
from PETWorks.making.exploring import Exploration, Weighed
from PETWorks.making.vectors import Levels

LETTERS = "ABCD"


def take_over(desk: Desk, names: Sequence[str], helper: Helper) -> None:
    """Write down what was found, whatever else has changed meanwhile."""
    with desk.project.lock:
        desk.project.refresh()
        draft, change = desk.draft, None
        if helper.finished == "best" and helper.best and helper.best.best:
            draft, change = _with_best(draft, helper, helper.best.best, names)
        elif helper.finished == "local" and helper.local:
            draft = draft.with_making("recoding", "local").with_making("levels", None)
            draft = draft.with_making("polish_rounds", helper.local.rounds)
            draft, change = pinned(draft, {"recoding": "local"}), Change("explore_local")
        elif helper.finished == "best" and helper.best and not any(map(_told_none, desk.project.journal.entries)):
            desk.project.note(Change("explore_none"))  # somebody has seen what the limits cost
        if change:
            desk.apply({"revision": desk.revision}, change, draft)  # type: ignore[arg-type]


def _told_none(entry: Entry) -> bool:
    return entry.change.kind == "explore_none"


def _with_best(draft: Draft, helper: Helper, best: Weighed, names: Sequence[str]) -> tuple[Draft, Change]:
    """Return the draft with the best levels, unless others were chosen meanwhile; and with candidates pinned.

    Levels that were fixed before, for some columns, stay as bounds.
    """
    if draft.making.get("levels") == helper.levels_before:
        draft = draft.with_making("levels", by_name(names, best.levels)).with_making("recoding", None)
        fixed = helper.asked.levels if helper.asked else {}
        for kind in ("coarsest", "finest") if fixed else ():
            draft = draft.with_making(kind, {**draft.making.get(kind, {}), **fixed})
    draft = pinned(draft, {"levels": by_name(names, best.levels)})
    if helper.keeping and helper.keeping.best:
        draft = pinned(draft, {"levels": by_name(names, helper.keeping.best.levels)})
    return draft, Change("explore_best", suppressed=best.suppressed, score=f"{best.score:.4f}")


def by_name(names: Sequence[str], levels: Levels) -> dict[str, int]:
    """Return levels as the policy has them."""
    return dict(zip(names, levels, strict=True))


def fitting(exploration: Exploration, levels: Mapping[str, int]) -> Levels | None:
    """Return levels of a pin as a vector; None if the columns, or their hierarchies, are others now."""
    if set(levels) != set(exploration.names):
        return None
    vector = tuple(levels[name] for name in exploration.names)
    fits = all(0 <= level <= top for level, top in zip(vector, exploration.heights, strict=True))
    return vector if fits else None


def pinned(draft: Draft, pin: Mapping[str, Any]) -> Draft:
    """Return the draft with a candidate under the first free letter; as it is, if there is none or it is pinned."""
    if letter_of(draft, pin):
        return draft
    used = {one.get("name") for one in draft.pins}
    letter = next((one for one in LETTERS if one not in used), None)
    return draft.with_pin({"name": letter, **pin}) if letter else draft


def letter_of(draft: Draft, pin: Mapping[str, Any]) -> str:
    """Return the letter under which a candidate is pinned; "" if it is not."""
    same = [one for one in draft.pins if _what(one) == _what(pin)]
    return str(same[0].get("name", "")) if same else ""


def _what(pin: Mapping[str, Any]) -> tuple[Any, Any]:
    return pin.get("recoding", "global"), dict(pin.get("levels", {})) or None
