"""The sections on risk: people by class size, the most identifying columns, and inference about classes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from markupsafe import Markup

from PETWorks.disclosure.exhibits import GRID_COLUMNS, GRID_ROWS, LARGE_CLASS, SMALL_CLASS, Distances
from PETWorks.disclosure.report import EvaluationView, Histogram
from PETWorks.exact.limit import Limit
from PETWorks.facts.notes import Name
from PETWorks.measure.privacy.alpha_k_anonymity import AlphaKAnonymity
from PETWorks.measure.privacy.k_anonymity import KAnonymity
from PETWorks.measure.privacy.p_sensitive_k_anonymity import PSensitiveKAnonymity
from PETWorks.measure.privacy.t_closeness import TCloseness
from PETWorks.measure.result import ResultPart
from PETWorks.measure.risk.attribute_risk import AttributeRisk
from PETWorks.measure.risk.re_identification import ReidentificationRisk
from PETWorks.render.page.markup import BilingualMarkup, find_term, join_sentences, say, write_cell, write_name
from PETWorks.render.page.svg import draw_bar, draw_cloud, draw_curve, draw_grid
from PETWorks.shown import Exact, show_exactly

BINS = ((1, 1), (2, 2), (3, 3), (4, 4), (5, 9), (10, 19), (20, 49), (50, 99), (100, 199), (200, 499), (500, None))
SIZED = (KAnonymity, AlphaKAnonymity, PSensitiveKAnonymity)  # measures with a limit `k` on class sizes
DECADES = 9  # maximum number of powers of ten on the scale of the curve
POINTS = 200  # maximum number of points of a curve
CURVE_HEIGHT = 220


@dataclass(frozen=True)
class RiskCeiling:
    """The highest risk that the requirements allow, and the smallest class size that keeps to it."""

    risk: Fraction
    shown: Fraction | Limit  # as the requirement states it
    least: float  # infinite if no class is allowed


def build_risk_section(view: EvaluationView) -> Mapping[str, Any]:
    """Return people by class size, and the curve of risk."""
    after, before, ceiling = view.covered, _by_size(view.sizes_before), _ceiling(view)
    least = ceiling.least if ceiling else 0
    return {
        "rows": list(_bins(view.sizes, after, before, least)),
        "limit": least,
        "before": before is not None,
        "smallest": min(after, default=0),
        "curve": _curve(after, before, ceiling) if sum(view.sizes.values()) > 1 else None,
        "reading": _describe_curve(after, before, ceiling) if after else None,
    }


def _ceiling(view: EvaluationView) -> RiskCeiling | None:
    """Return the strictest limit on the risk: a class size to reach, or a risk not to exceed; None if none is set."""
    found = []
    for one in view.evaluation.requirements:
        if isinstance(one.measure, SIZED) and one.measure.k is not None:
            size = Limit.of(one.measure.k)
            found.append(RiskCeiling(1 / size.exact, 1 / size.exact, math.ceil(size.exact)))
        if isinstance(one.measure, ReidentificationRisk) and one.measure.highest is not None:
            risk = Limit.of(one.measure.highest)
            found.append(RiskCeiling(risk.exact, risk, _find_smallest_size(risk)))
    return min(found, key=lambda ceiling: ceiling.risk, default=None)


def _find_smallest_size(risk: Limit) -> float:
    """Return the smallest class size whose risk is at most the limit, by exact comparison."""
    if not risk.exact:
        return math.inf
    size = math.ceil(1 / risk.exact)
    return size - 1 if size > 1 and not risk.compare(Fraction(1, size - 1)) else size


def _by_size(sizes: Histogram | None) -> Histogram | None:
    """Return how many people are in classes of each size."""
    return None if sizes is None else {size: size * many for size, many in sizes.items()}


def _bins(sizes: Histogram, after: Histogram, before: Histogram | None, least: float) -> Iterator[dict[str, Any]]:
    """Count classes, and people, by class size."""
    bins = [
        (low, high, _select_sizes(after, low, high), _select_sizes(before or {}, low, high))
        for low, high in _split(least)
    ]
    most = max(max(_people(released), _people(past)) for _, _, released, past in bins) or 1
    for low, high, released, past in bins:
        people, people_before = _people(released), None if before is None else _people(past)
        bad = low < least
        yield {
            "size": _label(low, high),
            "risk": Fraction(1, low),
            "classes": _people(_select_sizes(sizes, low, high)),
            "people": people,
            "before": people_before,
            "bad": bad and people > 0,
            "last_bad": bad and high is not None and high + 1 >= least,
            "bar": draw_bar(
                people / most, "d2" if bad else "d1", None if people_before is None else people_before / most
            ),
        }


def _split(least: float) -> Iterator[tuple[int, int | None]]:
    """Yield the bins of class sizes; a bin that contains the smallest allowed size is split there."""
    for low, high in BINS:
        if low < least < math.inf and (high is None or least <= high):
            yield low, int(least) - 1
            yield int(least), high
        else:
            yield low, high


def _label(low: int, high: int | None) -> Markup:
    if high is None:
        return say("bin_open", low=Exact(low))
    return say("bin", low=Exact(low), high=Exact(high)) if high > low else say("bin_one", low=Exact(low))


def _select_sizes(histogram: Histogram, low: int, high: int | None) -> Histogram:
    """Return the part of a histogram with sizes from `low` to `high`."""
    return {size: many for size, many in histogram.items() if low <= size and (high is None or size <= high)}


def _people(histogram: Histogram) -> int:
    return sum(histogram.values())


def _curve(after: Histogram, before: Histogram | None, ceiling: RiskCeiling | None) -> dict[str, Any]:
    """Build the curve of the share of people with at least a given risk, from the lowest risk (left) to 1 (right)."""
    limit = None if ceiling is None else max(float(ceiling.risk), 10.0**-DECADES)
    lowest = min(1 / max(*after, *(before or ()), 1), limit or 1)
    decades = max(math.ceil(-math.log10(lowest)), 1)

    def place(one: float) -> float:
        return 1 + math.log10(one) / decades

    lines = [("after", _points(after, place))]
    if before:
        lines.insert(0, ("before", _points(before, place)))
    ticks = [(f"1/{10**power:,}" if power else "1", place(10.0**-power)) for power in range(decades, -1, -1)]
    at = None if limit is None else place(limit)
    return {"svg": draw_curve(lines, CURVE_HEIGHT, at), "ticks": ticks, "limit": at, "risk": ceiling and ceiling.shown}


def _points(histogram: Histogram, place: Callable[[float], float]) -> list[tuple[float, float]]:
    """Return the points of the curve: by class size, the position of its risk, the share of people at higher risk."""
    distinct = np.array(sorted(histogram), dtype=np.int64)
    people = np.array([histogram[size] for size in distinct.tolist()], dtype=np.int64)
    higher = (np.cumsum(people) - people) / people.sum()
    chosen = np.unique(np.linspace(0, len(distinct) - 1, min(POINTS, len(distinct))).astype(int))[::-1]
    return [(0.0, 1.0), *((place(1 / int(distinct[one])), float(higher[one])) for one in chosen), (1.0, 0.0)]


def _describe_curve(after: Histogram, before: Histogram | None, ceiling: RiskCeiling | None) -> BilingualMarkup:
    """Write how many people have a risk above the limit; without a limit, the highest risk; and how many are unique."""
    figures: dict[str, Any] = {"risk": ceiling and ceiling.shown}
    for moment, histogram in (("after", after), ("before", before)):
        if histogram is not None:
            above = _people({size: many for size, many in histogram.items() if ceiling and size < ceiling.least})
            share = above / (_people(histogram) or 1)
            figures |= {
                moment: share if ceiling else Fraction(1, min(histogram, default=1)),
                f"unique_{moment}": histogram.get(1, 0),
            }
    return say(("curve" if ceiling else "curve_free") + ("_one" if before is None else "_both"), **figures)


FOLDED = 60  # maximum number of other combinations that are listed, folded


def build_columns_section(view: EvaluationView) -> Mapping[str, Any]:
    """Return the most revealing combination of each size; the others are folded."""
    result = view.find(AttributeRisk)
    if result is None or not view.published:
        return {"best": [], "rest": [], "more": 0, "compared": 0}
    sets = list(result.parts.values())
    by_size = {len(one.figures["columns"]): one for one in reversed(sets)}  # keeps the first, the most revealing
    best = [by_size[size] for size in sorted(by_size)]
    rest = [one for one in sets if by_size[len(one.figures["columns"])] is not one]
    return {
        "best": [_row(one, view.published) for one in best],
        "rest": [_row(one, view.published) for one in rest[:FOLDED]],
        "more": max(len(rest) - FOLDED, 0),
        "compared": len(sets),
        "withheld": any(one.withheld for one in sets),
    }


def _row(part: ResultPart, rows: int) -> dict[str, Any]:
    names = [write_name(one) for one in part.figures["columns"]]
    if part.withheld:
        return {"names": names, "withheld": True}
    separation, share = part.figures["separation"], part.exact or Fraction(0)
    return {
        "names": names,
        "withheld": False,
        "combinations": part.figures.get("combinations", int(share * rows)),
        "distinction": float(share),
        "separation": None if separation is None else float(separation),
        "distinction_bar": draw_bar(float(share), "d4", height=10),
        "separation_bar": draw_bar(float(separation or 0), height=10),
    }


CLOUD_HEIGHT = 260
FIGURES = 6  # maximum number of sensitive attributes shown; the others are folded


def build_inference_section(view: EvaluationView) -> Mapping[str, Any]:
    """Return a figure for each sensitive attribute."""
    shown = [_attribute(one, view.disclosure.least) for one in view.distances]
    return {"attributes": shown[:FIGURES], "folded": shown[FIGURES:], "asked": bool(view.roles.sensitive)}


def _attribute(one: Distances, least: int) -> dict[str, Any]:
    return {
        "name": write_name(one.column),
        "label": Name(one.column),
        "kind": find_term(TCloseness, one.kind),
        "svg": _draw_distances(one),
        "dots": not one.grid,
        "limit": None if one.limit is None else float(one.limit),
        "limit_text": one.limit,
        "ticks": [(f"{10**power:,}", power / one.decades) for power in range(one.decades + 1)],
        "reading": join_sentences(_readings(one, least)),
        "costly": [
            {"described": Markup(" · ").join(map(write_cell, each.values.values())), "people": each.people}
            | {"score": each.distance}
            for each in one.costly
        ],
        "diversity": _diversity(one),
    }


def _draw_distances(one: Distances) -> Markup | None:
    limit = None if one.limit is None else float(one.limit)
    if one.grid:
        return draw_grid(one.grid, GRID_COLUMNS, GRID_ROWS, CLOUD_HEIGHT, limit)
    return draw_cloud(one.dots, CLOUD_HEIGHT, limit) if one.dots else None


def _readings(one: Distances, least: int) -> Iterator[BilingualMarkup]:
    yield _inference_reading(one)
    if one.undrawn:
        yield say("cloud_undrawn", undrawn=Exact(one.undrawn), least=Exact(least))


def _inference_reading(one: Distances) -> BilingualMarkup:
    if one.limit is None:
        return say(
            "cloud_unjudged", classes=Exact(one.classes), value=None if one.farthest is None else Exact(one.farthest)
        )
    if not one.failing["fails"]:
        return say("cloud_holds", classes=Exact(one.classes))
    kind = "cloud_fails" if "small_people" in one.failing else "cloud_fails_few"
    return say(kind, **show_exactly(one.failing), limit_small=Exact(SMALL_CLASS), limit_large=Exact(LARGE_CLASS))


def _diversity(one: Distances) -> list[dict[str, Any]]:
    most = max((row.people for row in one.diversity), default=1)
    return [
        {"many": row.values, "classes": row.classes, "people": row.people, "bar": draw_bar(row.people / most)}
        for row in one.diversity
    ]
