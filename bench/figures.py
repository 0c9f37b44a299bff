"""Compute ratios, growth, and which targets are met, from the measured times."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from cases import CASES, GROWTH, HUNDRED, MILLION

Record = Mapping[str, Any]  # a case at a size, with all its contestants


class Verdict(NamedTuple):
    """A target; `met` is True if it is reached."""

    kind: str  # ratio, faster, seconds, peak, page, growth
    limit: float
    met: bool


class Figure(NamedTuple):
    """A line of the table. A figure that was not measured is None, and `why` has the reason."""

    case: str
    rows: int
    seconds: float | None
    baseline: float | None
    peak: int | None
    measures: int | None  # number of measures that were evaluated; None for other work
    verdicts: tuple[Verdict, ...] = ()
    why: str = ""
    page: int | None = None  # bytes of the largest page of the application

    @property
    def ratio(self) -> float | None:
        """The time divided by that of the baseline."""
        return self.seconds / self.baseline if self.seconds and self.baseline else None


def best(record: Record, contestant: str) -> float | None:
    """Return the best time of a contestant, or the median where that counts; None if it was not measured."""
    times = record["contestants"].get(contestant, {}).get("seconds", [])
    if times and CASES[record["case"]].typical:
        return statistics.median(times)
    return min(times, default=None)


def figure(record: Record) -> Figure:
    """Compare PETWorks, which is the first contestant, with the baseline and the targets."""
    case, rows = CASES[record["case"]], record["rows"]
    ours, came = next(iter(record["contestants"].items()))
    groups = [[time for one in group if (time := best(record, one))] for group in case.baseline]
    baseline = sum(map(min, groups)) if groups and all(groups) else None
    why = came.get("skipped") or came.get("failed") or ""
    taken, page = best(record, ours), came.get("page")
    plain = Figure(record["case"], rows, taken, baseline, came.get("peak"), came.get("gave"), why=why, page=page)
    return plain._replace(verdicts=tuple(_verdicts(plain)))


def _verdicts(figure: Figure) -> Iterator[Verdict]:
    target = CASES[figure.case].targets.get(figure.rows)
    if not target:
        return
    if target.ratio and figure.ratio:
        yield Verdict("ratio", target.ratio, figure.ratio <= target.ratio)
    if target.faster and figure.ratio:
        yield Verdict("faster", target.faster, 1 / figure.ratio >= target.faster)
    if target.seconds and figure.seconds:
        yield Verdict("seconds", target.seconds, figure.seconds <= target.seconds)
    if target.page and figure.page:
        yield Verdict("page", target.page, figure.page <= target.page)
    if target.peak and figure.peak:
        yield Verdict("peak", target.peak, figure.peak <= target.peak)


def growth(results: Mapping[str, Any], contestant: str) -> float | None:
    """Return the slope of log(time) against log(rows), from a million rows to a hundred million."""
    times = [(rows, time) for rows, time in series(results, "classes", contestant) if MILLION <= rows <= HUNDRED]
    if not {MILLION, HUNDRED} <= {rows for rows, _ in times}:
        return None
    points = [(math.log(rows), math.log(time)) for rows, time in times]
    across, up = (sum(ordinates) / len(points) for ordinates in zip(*points, strict=True))
    return sum((x - across) * (y - up) for x, y in points) / sum((x - across) ** 2 for x, _ in points)


def growth_verdict(exponent: float) -> Verdict:
    """Compare the growth of the time with its target."""
    return Verdict("growth", GROWTH, exponent <= GROWTH)


def series(results: Mapping[str, Any], case: str, contestant: str) -> list[tuple[int, float]]:
    """Return the rows and best times of a contestant, sorted by rows."""
    times = [(one["rows"], best(one, contestant)) for one in results["results"] if one["case"] == case]
    return sorted((rows, time) for rows, time in times if time)
