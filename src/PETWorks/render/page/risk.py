"""The section on who could be singled out: people by class size, and how many have at least a given risk."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from markupsafe import Markup

from PETWorks.answer.view import Histogram, View
from PETWorks.privacy.k_anonymity import KAnonymity
from PETWorks.render.page.markup import say
from PETWorks.render.page.svg import bar, curve

BINS = ((1, 1), (2, 2), (3, 3), (4, 4), (5, 9), (10, 19), (20, 49), (50, 99), (100, 199), (200, 499), (500, None))
POINTS = 200  # the most points of a curve
HEIGHT = 220


def section(view: View) -> Mapping[str, Any]:
    """Return people by class size, and the curve of risk."""
    after, before = view.sizes, view.sizes_before
    limits = [result.limit for result in view.find_all(KAnonymity) if result.limit is not None]
    limit = max(map(float, limits), default=None)
    rows = list(_bins(after, before, limit))
    risk = 1 / limit if limit else 0.2
    return {
        "rows": rows,
        "limit": limit,
        "before": before is not None,
        "smallest": min(after, default=0),
        "curve": _curve(after, before, risk) if sum(after.values()) > 1 else None,
        "reading": _reading(after, before, risk) if after else None,
    }


def _bins(after: Histogram, before: Histogram | None, limit: float | None) -> Iterator[dict[str, Any]]:
    """Count classes and people by class size."""
    bins = [(low, high, _inside(after, low, high), _inside(before or {}, low, high)) for low, high in _split(limit)]
    most = max(max(_people(released), _people(past)) for _, _, released, past in bins) or 1
    for low, high, released, past in bins:
        people, people_before = _people(released), None if before is None else _people(past)
        bad = limit is not None and low < limit
        yield {
            "size": _label(low, high),
            "risk": Fraction(1, low),
            "classes": sum(released.values()),
            "people": people,
            "before": people_before,
            "bad": bad and people > 0,
            "last_bad": limit is not None and bad and (high is None or high + 1 >= limit),
            "bar": bar(people / most, "d2" if bad else "d1", None if people_before is None else people_before / most),
        }


def _split(limit: float | None) -> Iterator[tuple[int, int | None]]:
    """Yield the bins of class sizes; a bin that contains the limit is split there."""
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


def _inside(histogram: Histogram, low: int, high: int | None) -> Histogram:
    """Return the part of a histogram with sizes from `low` to `high`."""
    return {size: many for size, many in histogram.items() if low <= size and (high is None or size <= high)}


def _people(histogram: Histogram) -> int:
    return sum(size * many for size, many in histogram.items())


def _curve(after: Histogram, before: Histogram | None, risk: float) -> dict[str, Any]:
    """Build the curve of the share of people with at least a given risk, from the lowest risk (left) to 1 (right)."""
    lowest = 1 / max(*after, *(before or ()), 1)
    decades = max(math.ceil(-math.log10(lowest)), 1)

    def place(one: float) -> float:
        return 1 + math.log10(one) / decades

    lines = [("after", _points(after, place))]
    if before:
        lines.insert(0, ("before", _points(before, place)))
    ticks = [(f"1/{10**power:,}" if power else "1", place(10.0**-power)) for power in range(decades, -1, -1)]
    return {"svg": curve(lines, HEIGHT, place(risk)), "ticks": ticks, "limit": place(risk), "risk": risk}


def _points(histogram: Histogram, place: Callable[[float], float]) -> list[tuple[float, float]]:
    """Return the points of the curve: by class size, the position of its risk, the share of people at higher risk."""
    distinct = np.array(sorted(histogram), dtype=np.int64)
    people = np.array([size * histogram[size] for size in distinct.tolist()], dtype=np.int64)
    higher = (np.cumsum(people) - people) / people.sum()
    chosen = np.unique(np.linspace(0, len(distinct) - 1, min(POINTS, len(distinct))).astype(int))[::-1]
    return [(0.0, 1.0), *((place(1 / int(distinct[one])), float(higher[one])) for one in chosen), (1.0, 0.0)]


def _reading(after: Histogram, before: Histogram | None, risk: float) -> Any:  # noqa: ANN401
    figures: dict[str, Any] = {"risk": Fraction(risk).limit_denominator(10**6)}
    for name, histogram in (("after", after), ("before", before)):
        if histogram is not None:
            above = _people({size: many for size, many in histogram.items() if size * risk < 1 - 1e-12})
            figures |= {name: above / (_people(histogram) or 1), f"unique_{name}": histogram.get(1, 0)}
    return say("curve_both" if before is not None else "curve_one", **figures)
