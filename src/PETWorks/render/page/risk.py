"""Who could be singled out: people by class size, and how many carry at least a given risk."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from markupsafe import Markup

from PETWorks.errors import PETWorksError
from PETWorks.privacy.k_anonymity import KAnonymity
from PETWorks.render.page.markup import say
from PETWorks.render.page.svg import bar, curve
from PETWorks.render.page.view import View
from PETWorks.tally import IntArray

BINS = ((1, 1), (2, 2), (3, 3), (4, 4), (5, 9), (10, 19), (20, 49), (50, 99), (100, 199), (200, 499), (500, None))
POINTS = 200  # of a curve
HEIGHT = 220


def section(view: View) -> Mapping[str, Any]:
    """Give people by class size, and the curve of risk."""
    after, before = view.facts.classes.sizes, _before(view)
    limits = [result.limit for result in view.find_all(KAnonymity) if result.limit is not None]
    limit = max(map(float, limits), default=None)
    rows = list(_bins(after, before, limit))
    risk = 1 / limit if limit else 0.2
    return {
        "rows": rows,
        "limit": limit,
        "before": before is not None,
        "smallest": int(after.min()) if len(after) else 0,
        "curve": _curve(after, before, risk) if len(after) > 1 else None,
        "reading": _reading(after, before, risk) if len(after) else None,
    }


def _before(view: View) -> IntArray | None:
    if view.facts.original is None:
        return None
    try:
        return view.facts.classes_before
    except PETWorksError:  # it lacks a column; the measures that need it say so
        return None


def _bins(after: IntArray, before: IntArray | None, limit: float | None) -> Iterator[dict[str, Any]]:
    """Count classes and people by class size."""
    bins = [(low, high, _inside(after, low, high), _inside(before, low, high)) for low, high in _split(limit)]
    most = max(max(released.sum(), past.sum()) for _, _, released, past in bins) or 1
    for low, high, released, past in bins:
        people, people_before = int(released.sum()), None if before is None else int(past.sum())
        bad = limit is not None and low < limit
        yield {
            "size": _label(low, high),
            "risk": Fraction(1, low),
            "classes": len(released),
            "people": people,
            "before": people_before,
            "bad": bad and people > 0,
            "last_bad": limit is not None and bad and (high is None or high + 1 >= limit),
            "bar": bar(people / most, "d2" if bad else "d1", None if people_before is None else people_before / most),
        }


def _split(limit: float | None) -> Iterator[tuple[int, int | None]]:
    """Give the bins; one that the limit falls into is split there."""
    edge = math.ceil(limit) if limit else 0
    for low, high in BINS:
        if low < edge and (high is None or edge <= high):
            yield low, edge - 1
            yield edge, high
        else:
            yield low, high


def _label(low: int, high: int | None) -> Markup:
    if high is None:
        return say("bin_open", low=low)
    return say("bin", low=low, high=high) if high > low else say("bin_one", low=low)


def _inside(sizes: IntArray | None, low: int, high: int | None) -> IntArray:
    """Choose the classes of some sizes."""
    if sizes is None:
        return np.zeros(0, dtype=np.int64)
    return sizes[(sizes >= low) & (sizes <= (high or np.inf))]


def _curve(after: IntArray, before: IntArray | None, risk: float) -> dict[str, Any]:
    """Draw which share of people carries at least a risk, from the lowest to 1, the riskier the farther right."""
    lowest = 1 / max(int(after.max()), int(before.max(initial=1)) if before is not None else 1)
    decades = max(math.ceil(-math.log10(lowest)), 1)

    def place(one: float) -> float:
        return 1 + math.log10(one) / decades

    lines = [("after", _points(after, place))]
    if before is not None and len(before):
        lines.insert(0, ("before", _points(before, place)))
    ticks = [(f"1/{10**power:,}" if power else "1", place(10.0**-power)) for power in range(decades, -1, -1)]
    return {"svg": curve(lines, HEIGHT, place(risk)), "ticks": ticks, "limit": place(risk), "risk": risk}


def _points(sizes: IntArray, place: Callable[[float], float]) -> list[tuple[float, float]]:
    """Give, for the sizes that occur, where their risk lies and which share of people carries a higher one."""
    distinct, classes = np.unique(sizes, return_counts=True)
    people = distinct * classes
    higher = (np.cumsum(people) - people) / people.sum()
    chosen = np.unique(np.linspace(0, len(distinct) - 1, min(POINTS, len(distinct))).astype(int))[::-1]
    return [(0.0, 1.0), *((place(1 / int(distinct[one])), float(higher[one])) for one in chosen), (1.0, 0.0)]


def _reading(after: IntArray, before: IntArray | None, risk: float) -> Any:  # noqa: ANN401
    figures: dict[str, Any] = {"risk": Fraction(risk).limit_denominator(10**6)}
    for name, sizes in (("after", after), ("before", before)):
        if sizes is not None:
            above = int(sizes[sizes * risk < 1 - 1e-12].sum())
            figures |= {name: above / (int(sizes.sum()) or 1), f"unique_{name}": int((sizes == 1).sum())}
    return say("curve_both" if before is not None else "curve_one", **figures)
