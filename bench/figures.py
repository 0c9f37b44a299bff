"""What follows from the times that were taken: ratios, growth, and which targets are met."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from cases import CASES, GROWTH, HUNDRED, MILLION

Record = Mapping[str, Any]  # a case at a size, with all its contestants


class Verdict(NamedTuple):
    """A target, and whether it is met."""

    kind: str  # ratio, faster, seconds, peak, growth
    limit: float
    met: bool


class Figure(NamedTuple):
    """A line of the table. What was not measured is None, and `why` says why."""

    case: str
    rows: int
    seconds: float | None
    baseline: float | None
    peak: int | None
    measures: int | None  # that were answered
    verdicts: tuple[Verdict, ...] = ()
    why: str = ""

    @property
    def ratio(self) -> float | None:
        """Say how many times the baseline it took."""
        return self.seconds / self.baseline if self.seconds and self.baseline else None


def best(record: Record, contestant: str) -> float | None:
    """Give the best time of a contestant."""
    return min(record["contestants"].get(contestant, {}).get("seconds", []), default=None)


def figure(record: Record) -> Figure:
    """Compare ours, the first, with the baseline and the targets."""
    case, rows = CASES[record["case"]], record["rows"]
    ours, came = next(iter(record["contestants"].items()))
    groups = [[time for one in group if (time := best(record, one))] for group in case.baseline]
    baseline = sum(map(min, groups)) if all(groups) else None
    why = came.get("skipped") or came.get("failed") or ""
    plain = Figure(record["case"], rows, best(record, ours), baseline, came.get("peak"), came.get("gave"), why=why)
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
    if target.peak and figure.peak:
        yield Verdict("peak", target.peak, figure.peak <= target.peak)


def growth(results: Mapping[str, Any], contestant: str) -> float | None:
    """Give the slope of time against rows, both as logarithms, from a million rows to a hundred million."""
    times = [(rows, time) for rows, time in series(results, "classes", contestant) if MILLION <= rows <= HUNDRED]
    if not {MILLION, HUNDRED} <= {rows for rows, _ in times}:
        return None
    points = [(math.log(rows), math.log(time)) for rows, time in times]
    across, up = (sum(ordinates) / len(points) for ordinates in zip(*points, strict=True))
    return sum((x - across) * (y - up) for x, y in points) / sum((x - across) ** 2 for x, _ in points)


def growth_verdict(exponent: float) -> Verdict:
    """Say whether the time grows as slowly as is aimed at."""
    return Verdict("growth", GROWTH, exponent <= GROWTH)


def series(results: Mapping[str, Any], case: str, contestant: str) -> list[tuple[int, float]]:
    """Give rows and times of a contestant, in order of rows."""
    times = [(one["rows"], best(one, contestant)) for one in results["results"] if one["case"] == case]
    return sorted((rows, time) for rows, time in times if time)
