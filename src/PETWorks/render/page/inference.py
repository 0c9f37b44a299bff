"""The section on what could be learned about a class: its distance from the whole table, and its number of values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from markupsafe import Markup

from PETWorks.answer.exhibits.distances import ACROSS, LARGE_CLASS, SMALL_CLASS, UP, Distances
from PETWorks.answer.view import View
from PETWorks.facts.notes import Name
from PETWorks.privacy.t_closeness import TCloseness
from PETWorks.render.page.markup import Said, cell, joined, name, say, term_of
from PETWorks.render.page.svg import bar, cloud, grid

HEIGHT = 260
FIGURES = 6  # the most sensitive attributes that are shown; the others are folded


def section(view: View) -> Mapping[str, Any]:
    """Return a figure for each sensitive attribute."""
    shown = [_attribute(one, view.discretion.least) for one in view.distances]
    return {"attributes": shown[:FIGURES], "folded": shown[FIGURES:], "asked": bool(view.roles.sensitive)}


def _attribute(one: Distances, least: int) -> dict[str, Any]:
    return {
        "name": name(one.column),
        "label": Name(one.column),
        "kind": term_of(TCloseness, one.kind),
        "svg": _drawn(one),
        "dots": not one.grid,
        "limit": None if one.limit is None else float(one.limit),
        "limit_text": one.limit,
        "ticks": [(f"{10**power:,}", power / one.decades) for power in range(one.decades + 1)],
        "reading": joined(_readings(one, least)),
        "costly": [
            {"described": Markup(" · ").join(map(cell, each.values.values())), "people": each.people}
            | {"score": each.distance}
            for each in one.costly
        ],
        "diversity": _diversity(one),
    }


def _drawn(one: Distances) -> Markup | None:
    limit = None if one.limit is None else float(one.limit)
    if one.grid:
        return grid(one.grid, ACROSS, UP, HEIGHT, limit)
    return cloud(one.dots, HEIGHT, limit) if one.dots else None


def _readings(one: Distances, least: int) -> Iterator[Said]:
    yield _reading(one)
    if one.undrawn:
        yield say("cloud_undrawn", undrawn=one.undrawn, least=least)


def _reading(one: Distances) -> Said:
    if one.limit is None:
        return say("cloud_unjudged", classes=one.classes, value=one.farthest)
    if not one.failing["fails"]:
        return say("cloud_holds", classes=one.classes)
    kind = "cloud_fails" if "small_people" in one.failing else "cloud_fails_few"
    return say(kind, **one.failing, limit_small=SMALL_CLASS, limit_large=LARGE_CLASS)


def _diversity(one: Distances) -> list[dict[str, Any]]:
    most = max((row.people for row in one.diversity), default=1)
    return [
        {"many": row.values, "classes": row.classes, "people": row.people, "bar": bar(row.people / most)}
        for row in one.diversity
    ]
