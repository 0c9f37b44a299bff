"""The distance of each class from the whole table in a sensitive attribute, and how many values a class has."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from PETWorks.answer.evaluation import Evaluation
from PETWorks.counting.tally import IntArray, Mask, Value
from PETWorks.exact.limit import Limit
from PETWorks.exact.scores import FloatArray
from PETWorks.facts.discretion import Discretion
from PETWorks.facts.facts import Facts
from PETWorks.facts.spread import Spread
from PETWorks.measure.bound import Bound
from PETWorks.privacy.t_closeness import TCloseness

DOTS = 2000  # the most classes that are drawn as single dots
ACROSS, UP = 60, 30  # columns and rows of the grid that is drawn for more classes
LISTED = 50  # the most failing classes that are listed
SMALL_CLASS, LARGE_CLASS = 20, 50  # small: fewer people than the first, large: at least the second


class Dot(NamedTuple):
    """A class: its size on a logarithmic scale and its distance, both from 0 to 1, and whether it fails."""

    across: float
    distance: float
    fails: bool


class GridCell(NamedTuple):
    """A cell of a grid of sizes and distances, and how many classes are in it, on a logarithmic scale from 0 to 1."""

    across: int
    up: int
    depth: float


class Costly(NamedTuple):
    """A failing class that may be described."""

    values: Mapping[str, Value]
    people: int
    distance: float


class Diversity(NamedTuple):
    """The number of classes that have a given number of different values, and of the people in them."""

    values: int
    classes: int
    people: int


@dataclass(frozen=True)
class Distances:
    """The distances of all classes from the whole table, in one sensitive attribute."""

    column: str
    kind: str  # the kind of distance: "ordered", "hierarchical" or "equal"
    limit: Limit | None
    classes: int
    farthest: float | None
    failing: Mapping[str, int]  # classes that fail: all, small ones, large ones; their people, if that may be told
    decades: int  # length of the logarithmic size axis, in powers of ten
    dots: tuple[Dot, ...]  # empty if there are too many classes, or only one
    grid: tuple[GridCell, ...]  # used instead of dots if there are too many classes
    undrawn: int  # small classes that are neither drawn nor listed: a size beside a score would reveal them
    costly: tuple[Costly, ...]
    diversity: tuple[Diversity, ...]


def distances(evaluation: Evaluation, facts: Facts, may: Discretion) -> tuple[Distances, ...]:
    """Return the distances for each sensitive attribute; of several t-closeness results, prefer one that fails."""
    if not len(facts.classes):
        return ()
    found = [one for one in evaluation if isinstance(one.measure, TCloseness)]
    bounds: dict[str, Bound] = {}
    for result in sorted(found, key=lambda one: one.holds is not False):
        for bound in result.bounds:
            bounds.setdefault(bound.part, bound)
    return tuple(_distances(bound, facts, may) for bound in bounds.values())


def _distances(bound: Bound, facts: Facts, may: Discretion) -> Distances:
    sizes, worst = bound.classes.sizes, bound.worst()
    drawn = bound.classes.all if may.counts else sizes >= may.least
    (spread,) = facts.spreads(bound.part)
    decades = max(math.ceil(math.log10(max(int(sizes.max()), 2))), 1)
    across, scores, fails = np.log10(sizes[drawn]) / decades, bound.scores.approximate[drawn], bound.fails[drawn]
    return Distances(
        column=bound.part,
        kind=bound.figures["distance"],
        limit=None if bound.limit is None else Limit.of(bound.limit),
        classes=len(sizes),
        farthest=None if worst is None else bound.scores.value(worst),
        failing=_failing(bound, may),
        decades=decades,
        dots=tuple(map(Dot, across.tolist(), scores.tolist(), fails.tolist())) if 1 < len(scores) <= DOTS else (),
        grid=tuple(_grid(across, scores)) if len(scores) > DOTS else (),
        undrawn=len(sizes) - len(scores),
        costly=tuple(_costly(bound, may)),
        diversity=tuple(_diversity(spread, drawn)),
    )


def _failing(bound: Bound, may: Discretion) -> dict[str, int]:
    sizes, fails = bound.classes.sizes, bound.fails
    small, large = fails & (sizes < SMALL_CLASS), fails & (sizes >= LARGE_CLASS)
    return {
        "fails": int(fails.sum()),
        "small": int(small.sum()),
        "large": int(large.sum()),
        **({"small_people": int(sizes[small].sum()), "large_people": int(sizes[large].sum())} if may.counts else {}),
    }


def _grid(across: FloatArray, scores: FloatArray) -> Iterator[GridCell]:
    x: IntArray = np.minimum((across * ACROSS).astype(int), ACROSS - 1)
    y: IntArray = np.minimum((scores * UP).astype(int), UP - 1)
    cells, classes = np.unique(x * UP + y, return_counts=True)
    depth = np.log1p(classes) / np.log1p(classes.max())
    return map(GridCell, (cells // UP).tolist(), (cells % UP).tolist(), depth.tolist())


def _costly(bound: Bound, may: Discretion) -> Iterator[Costly]:
    """Yield the failing classes that may be described, the largest first."""
    sizes = bound.classes.sizes
    failing = np.flatnonzero(bound.fails & bound.nameable(may))
    for index in failing[np.argsort(-sizes[failing], kind="stable")][:LISTED].tolist():
        if (values := bound.classes.values(index)) is not None:
            yield Costly(values, int(sizes[index]), bound.scores.value(index))


def _diversity(spread: Spread, listed: Mask) -> Iterator[Diversity]:
    """Count classes and people by the number of different values in a class."""
    values = np.bincount(spread.of_class, minlength=len(spread.classes))[listed]
    distinct, of = np.unique(values, return_inverse=True)
    people = np.bincount(of, weights=spread.sizes[listed], minlength=len(distinct))
    for many, classes, persons in zip(distinct, np.bincount(of), people, strict=True):
        yield Diversity(int(many), int(classes), int(persons))
