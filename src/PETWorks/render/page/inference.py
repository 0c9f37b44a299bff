"""What could be learned about a class: how far each is from the whole table, and how many values it holds."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from markupsafe import Markup

from PETWorks.exact.limit import Limit
from PETWorks.explain.step import Name
from PETWorks.facts.classes import Spread
from PETWorks.measure.privacy import Bound
from PETWorks.privacy.t_closeness import TCloseness
from PETWorks.render.page.markup import cell, name, say
from PETWorks.render.page.svg import bar, cloud, grid
from PETWorks.render.page.view import View

DOTS = 2000  # classes that are drawn one by one
ACROSS, UP, HEIGHT = 60, 30, 260
LISTED = 50  # classes in a table
FIGURES = 6  # sensitive attributes that are shown, the rest is folded
SMALL, LARGE = 20, 50  # people, for the sentence below a figure


def section(view: View) -> Mapping[str, Any]:
    """Give a figure for each sensitive attribute."""
    bounds: dict[str, Bound] = {}
    for result in view.find_all(TCloseness) if len(view.facts.classes) else ():
        assert isinstance(result.measure, TCloseness)  # noqa: S101
        for bound in result.measure.bounds(view.facts):
            bounds.setdefault(bound.figures["part"], bound)
    shown = [_attribute(view, bound) for bound in bounds.values()]
    return {"attributes": shown[:FIGURES], "folded": shown[FIGURES:], "asked": bool(view.facts.roles.sensitive)}


def _attribute(view: View, bound: Bound) -> dict[str, Any]:
    sizes, distances, fails = view.facts.classes.sizes, bound.scores.approximate, bound.fails()
    limit = None if bound.limit is None else float(Limit.of(bound.limit))
    decades = max(math.ceil(math.log10(max(int(sizes.max()), 2))), 1)
    across = np.log10(sizes) / decades
    (spread,) = view.facts.spreads(bound.figures["part"])
    drawn = None
    if len(sizes) > 1:
        dots = zip(across.tolist(), distances.tolist(), fails.tolist(), strict=True)
        drawn = cloud(dots, HEIGHT, limit) if len(sizes) <= DOTS else _grid(across, distances, limit)
    return {
        "name": name(bound.figures["part"]),
        "label": Name(bound.figures["part"]),
        "kind": bound.figures["distance"],
        "svg": drawn,
        "dots": len(sizes) <= DOTS,
        "limit": limit,
        "limit_text": None if bound.limit is None else Limit.of(bound.limit),
        "ticks": [(f"{10**power:,}", power / decades) for power in range(decades + 1)],
        "reading": _reading(bound, view),
        "costly": list(_costly(view, bound)),
        "diversity": list(_diversity(spread)),
    }


def _grid(across: Any, distances: Any, limit: float | None) -> Any:  # noqa: ANN401
    x = np.minimum((across * ACROSS).astype(int), ACROSS - 1)
    y = np.minimum((distances * UP).astype(int), UP - 1)
    cells, classes = np.unique(x * UP + y, return_counts=True)
    depth = np.log1p(classes) / np.log1p(classes.max())
    places = zip((cells // UP).tolist(), (cells % UP).tolist(), depth.tolist(), strict=True)
    return grid(places, ACROSS, UP, HEIGHT, limit)


def _reading(bound: Bound, view: View) -> Any:  # noqa: ANN401
    sizes, fails = view.facts.classes.sizes, bound.fails()
    if bound.limit is None:
        worst = bound.worst()
        return say("cloud_unjudged", classes=len(sizes), value=None if worst is None else bound.scores.value(worst))
    if not fails.any():
        return say("cloud_holds", classes=len(sizes))
    small, large = fails & (sizes < SMALL), fails & (sizes >= LARGE)
    return say(
        "cloud_fails",
        fails=int(fails.sum()),
        small=int(small.sum()),
        small_people=int(sizes[small].sum()),
        large=int(large.sum()),
        large_people=int(sizes[large].sum()),
        limit_small=SMALL,
        limit_large=LARGE,
    )


def _costly(view: View, bound: Bound) -> Iterator[dict[str, Any]]:
    """List the failing classes that may be described, those with most people first."""
    classes = view.facts.classes
    failing = np.flatnonzero(bound.fails() & (classes.sizes >= view.least))
    for number in failing[np.argsort(-classes.sizes[failing], kind="stable")][:LISTED].tolist():
        yield {
            "described": Markup(" · ").join(map(cell, classes.values(number).values())),
            "people": int(classes.sizes[number]),
            "score": bound.scores.value(number),
        }


def _diversity(spread: Spread) -> Iterator[dict[str, Any]]:
    """Count classes, and people, by how many different values a class holds."""
    values = np.bincount(spread.of_class, minlength=len(spread.classes))
    distinct, of = np.unique(values, return_inverse=True)
    people = np.bincount(of, weights=spread.sizes, minlength=len(distinct))
    for many, classes, persons in zip(distinct, np.bincount(of), people, strict=True):
        yield {
            "many": int(many),
            "classes": int(classes),
            "people": int(persons),
            "bar": bar(float(persons / people.max())),
        }
