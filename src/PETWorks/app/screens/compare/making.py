"""The pinned candidates, made and compared in the background; each is made once for what it depends on."""

from __future__ import annotations

import json
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from PETWorks.app.desk import Desk
from PETWorks.app.project.draft import Draft
from PETWorks.app.screens.requirements.original import original_key
from PETWorks.app.work import Work
from PETWorks.comparison.view import ComparisonView
from PETWorks.errors import MANY
from PETWorks.making.table import RawTable
from PETWorks.policy.candidates import Candidate, candidate, compared
from PETWorks.policy.recipe import Recipe
from PETWorks.progress import one_of

LEAST, MOST = 2, 4  # candidates that are compared
TAKEN = ("recoding", "suppress_at_most")  # what a candidate may have of its own, besides levels


@dataclass(frozen=True, eq=False)
class Result:
    """The candidates, and what is shown of them; None if fewer than two could be made."""

    candidates: tuple[Candidate, ...]
    view: ComparisonView | None
    examples: Mapping[str, Sequence[str]]  # by column, a label of each level that many people have; "": none


def comparison(desk: Desk, *, small: bool = False) -> Work[Result]:
    """Make and compare the candidates in the background."""
    pins, key = desk.draft.pins[:MOST], _key(desk)

    def work(progress: Work[Result]) -> Result:
        recipe = Recipe(desk.project.path, **desk.memory)
        found = []
        for number, (pinned, pin) in enumerate(zip(recipe.making.pinned, pins, strict=False)):
            progress.tell(share=number / (len(pins) + 1))
            mine = ("candidate", key, json.dumps(pin, default=str))
            with one_of(len(pins) + 1, number):
                found.append(desk.kept(mine, lambda pinned=pinned: candidate(recipe, pinned)))  # type: ignore[misc]
        progress.tell(share=len(pins) / (len(pins) + 1))
        made = [one for one in found if one.made]
        view = compared(recipe, found).view(show_small_classes=small) if len(made) >= LEAST else None
        return Result(tuple(found), view, _examples(found))

    return desk.background(("compared", key, json.dumps(pins, default=str), small), work)


def _examples(found: Sequence[Candidate]) -> dict[str, Sequence[str]]:
    """Return, of each level of each column, the label that most people have; "" if they are few, as on Explore."""
    made = next((one.made for one in found if one.made and one.made.plan.recoding != "microaggregate"), None)
    return {} if made is None else _labels(made.facts.lifted.table)


def _labels(table: RawTable) -> dict[str, Sequence[str]]:
    examples: dict[str, Sequence[str]] = {}
    for place, ladder in enumerate(table.ladders):
        by_level = [table.people_by_label(place, level) for level in range(ladder.height + 1)]
        most = [max(people, key=lambda code: (people[code], -code)) for people in by_level]
        examples[ladder.name] = [
            (ladder.labels[code] or "") if people[code] >= MANY else ""
            for code, people in zip(most, by_level, strict=True)
        ]
    return examples


def _key(desk: Desk) -> Hashable:
    """Return what a candidate depends on besides itself: the original, the requirements, and the rest of the plan."""
    making = {name: value for name, value in desk.draft.making.items() if name not in ("pinned", "levels")}
    return (original_key(desk), json.dumps([list(desk.draft.requirements), making], default=str))


def is_chosen(draft: Draft, pin: Mapping[str, Any]) -> bool:
    """Return True if what would be released is this candidate."""
    levels, recoding = draft.making.get("levels", {}), draft.making.get("recoding", "global")
    return bool(levels == pin.get("levels", {}) and recoding == pin.get("recoding", "global"))


def with_chosen(draft: Draft, pin: Mapping[str, Any]) -> Draft:
    """Return a draft that releases a candidate; bounds of the search that its levels do not keep are dropped."""
    levels: Mapping[str, int] = pin.get("levels", {})
    draft = draft.with_making("levels", dict(levels))
    for name in TAKEN:
        if name in pin or name == "recoding":
            draft = draft.with_making(name, pin.get(name))
    for name, is_kept in (("coarsest", int.__le__), ("finest", int.__ge__)):
        bounds = draft.making.get(name, {})
        kept = {column: bound for column, bound in bounds.items() if is_kept(levels.get(column, bound), bound)}
        draft = draft.with_making(name, kept)
    return draft


def letters(pins: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the names of the candidates."""
    return [str(pin.get("name", "")) for pin in pins]
