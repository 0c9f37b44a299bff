"""The figures that a report draws and lists beside its results, without those that describe few people.

They have no reference to facts, so a section of the report cannot show more. There are three kinds: the distance of
each class from the whole table in a sensitive attribute, with the number of values in a class; the levels at which each
column is released; and the rows of each released value, in the release and in the original, which is generalised to the
level of the release first. Where exact counts could disclose small classes, they are bands or withheld.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import prod
from typing import NamedTuple

import numpy as np

from PETWorks.errors import PETWorksError
from PETWorks.evaluation.evaluation import Evaluation
from PETWorks.exact.limit import Limit
from PETWorks.exact.scores import FloatArray
from PETWorks.facts.cells import Cells
from PETWorks.facts.columns import ReleasedValues, count_released_values
from PETWorks.facts.facts import Facts
from PETWorks.facts.spread import Spread
from PETWorks.measure.bounds import Bound
from PETWorks.measure.privacy.t_closeness import TCloseness
from PETWorks.shown import Count, CountBand, Disclosure
from PETWorks.tables.counting.tally import IntArray, Mask, Value

MAX_DOTS = 2000  # most classes that are drawn as single dots
GRID_COLUMNS, GRID_ROWS = 60, 30  # columns and rows of the grid that is drawn for more classes
MAX_LISTED_CLASSES = 50  # most failing classes that are listed
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
    """A failing class that the output may describe."""

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
    failing: Mapping[str, int]  # failing classes: all, small ones, large ones; their people, unless withheld
    decades: int  # length of the logarithmic size axis, in powers of ten
    dots: tuple[Dot, ...]  # empty if there are too many classes, or only one
    grid: tuple[GridCell, ...]  # used instead of dots if there are too many classes
    undrawn: int  # small classes that are neither drawn nor listed: a size beside a score would disclose them
    costly: tuple[Costly, ...]
    diversity: tuple[Diversity, ...]


def compute_distances(evaluation: Evaluation, facts: Facts, disclosure: Disclosure) -> tuple[Distances, ...]:
    """Return the distances for each sensitive attribute; of several t-closeness results, prefer one that fails."""
    if not len(facts.classes):
        return ()
    found = [one for one in evaluation if isinstance(one.measure, TCloseness)]
    bounds: dict[str, Bound] = {}
    for result in sorted(found, key=lambda one: one.holds is not False):
        for bound in result.bounds:
            bounds.setdefault(bound.part, bound)
    return tuple(_compute_distances(bound, facts, disclosure) for bound in bounds.values())


def _compute_distances(bound: Bound, facts: Facts, disclosure: Disclosure) -> Distances:
    sizes, worst = bound.classes.sizes, bound.find_worst()
    drawn = bound.classes.all if disclosure.shows_counts else sizes >= disclosure.least
    (spread,) = facts.spreads(bound.part)
    decades = max(math.ceil(math.log10(max(int(sizes.max()), 2))), 1)
    across, scores, fails = np.log10(sizes[drawn]) / decades, bound.scores.approximate[drawn], bound.failing[drawn]
    return Distances(
        column=bound.part,
        kind=bound.figures["distance"],
        limit=None if bound.limit is None else Limit.of(bound.limit),
        classes=len(sizes),
        farthest=None if worst is None else bound.scores.value(worst),
        failing=_count_failing(bound, disclosure),
        decades=decades,
        dots=tuple(map(Dot, across.tolist(), scores.tolist(), fails.tolist())) if 1 < len(scores) <= MAX_DOTS else (),
        grid=tuple(_count_grid(across, scores)) if len(scores) > MAX_DOTS else (),
        undrawn=len(sizes) - len(scores),
        costly=tuple(_describe_costly(bound, disclosure)),
        diversity=tuple(_count_diversity(spread, drawn)),
    )


def _count_failing(bound: Bound, disclosure: Disclosure) -> dict[str, int]:
    sizes, fails = bound.classes.sizes, bound.failing
    small, large = fails & (sizes < SMALL_CLASS), fails & (sizes >= LARGE_CLASS)
    return {
        "fails": int(fails.sum()),
        "small": int(small.sum()),
        "large": int(large.sum()),
        **(
            {"small_people": int(sizes[small].sum()), "large_people": int(sizes[large].sum())}
            if disclosure.shows_counts
            else {}
        ),
    }


def _count_grid(across: FloatArray, scores: FloatArray) -> Iterator[GridCell]:
    x: IntArray = np.minimum((across * GRID_COLUMNS).astype(int), GRID_COLUMNS - 1)
    y: IntArray = np.minimum((scores * GRID_ROWS).astype(int), GRID_ROWS - 1)
    cells, classes = np.unique(x * GRID_ROWS + y, return_counts=True)
    depth = np.log1p(classes) / np.log1p(classes.max())
    return map(GridCell, (cells // GRID_ROWS).tolist(), (cells % GRID_ROWS).tolist(), depth.tolist())


def _describe_costly(bound: Bound, disclosure: Disclosure) -> Iterator[Costly]:
    """Yield the failing classes that may be described, the largest first."""
    sizes = bound.classes.sizes
    failing = np.flatnonzero(bound.failing & bound.find_nameable(disclosure))
    for index in failing[np.argsort(-sizes[failing], kind="stable")][:MAX_LISTED_CLASSES].tolist():
        if (values := bound.classes.values(index)) is not None:
            yield Costly(values, int(sizes[index]), bound.scores.value(index))


def _count_diversity(spread: Spread, listed: Mask) -> Iterator[Diversity]:
    """Count classes and people by the number of different values in a class."""
    values = np.bincount(spread.of_class, minlength=len(spread.classes))[listed]
    distinct, of = np.unique(values, return_inverse=True)
    people = np.bincount(of, weights=spread.sizes[listed], minlength=len(distinct))
    for many, classes, persons in zip(distinct, np.bincount(of), people, strict=True):
        yield Diversity(int(many), int(classes), int(persons))


@dataclass(frozen=True)
class ColumnLevels:
    """One column: the number of different values, and the share of rows at each level."""

    column: str
    in_hierarchy: bool  # False: the column has no hierarchy, so a value is either unchanged or suppressed
    height: int
    before: int | None  # different values in the original; None if there is no original
    after: int  # different values in the release
    levels: tuple[int, ...] | None  # levels of the unsuppressed rows; None: several, withheld
    shares: tuple[float, ...]  # share of all rows at level 0, 1, … height; empty: withheld
    suppressed: float  # share of all rows that are suppressed


def compute_column_levels(facts: Facts, disclosure: Mapping[str, Disclosure]) -> tuple[ColumnLevels, ...]:
    """Return the levels of every column; nothing if a value is missing from its hierarchy (measures report that).

    A level may have a single value, so the cells on each level are shown only where counts may stand beside values.
    """
    try:
        return tuple(
            _compute_levels(
                cells, in_hierarchy=cells.name in facts.hierarchies, told=disclosure[cells.name].shows_counts
            )
            for cells in facts.cells
        )
    except PETWorksError:
        return ()


def _compute_levels(cells: Cells, *, in_hierarchy: bool, told: bool) -> ColumnLevels:
    total, height, published = int(cells.counts.sum()), cells.hierarchy.height, ~cells.suppressed
    told = told or cells.on_one_level
    at_level = [int(cells.counts[published & (cells.levels == level)].sum()) for level in range(height + 1)]
    return ColumnLevels(
        column=cells.name,
        in_hierarchy=in_hierarchy,
        height=height,
        before=None if cells.original is None else len(np.unique(cells.original.codes)),
        after=len(np.unique(cells.released.codes[published])),
        levels=tuple(np.unique(cells.levels[published]).tolist()) if told else None,
        shares=tuple(rows / total for rows in at_level) if told else (),
        suppressed=int(cells.counts[cells.suppressed].sum()) / total,
    )


MAX_LISTED_VALUES = 8  # most values of a column that are listed
MAX_COLUMNS = 100  # most columns that are counted


class ValueRows(NamedTuple):
    """A released value, its rows in the release, and its rows in the generalised original; None: withheld."""

    value: Value
    after: Count | None
    before: Count | None


@dataclass(frozen=True)
class ReportedValues:
    """One column: some of its values, the other values together, and the value that lost most rows."""

    column: str
    level: int | None  # the level at which the original is counted; None: no original, no hierarchy, or withheld
    listed: tuple[ValueRows, ...]  # the most frequent values; in alphabetical order if counts are withheld
    others: int  # values that are not listed
    pooled: Count | None  # rows of the values that are not listed; None: withheld
    suppressed: int  # suppressed rows
    hardest: Hardest | None
    counts_shown: bool = False  # True: the remaining rows of every released value are shown
    gone: bool = False  # True: some value of the original is in no released row


class Hardest(NamedTuple):
    """The value that kept the smallest share of its rows; not exact if it follows from bands."""

    value: Value
    share: float
    exact: bool


def compute_column_values(facts: Facts, disclosure: Disclosure) -> tuple[ReportedValues, ...]:
    """Return the reported values of every quasi-identifier."""
    columns = facts.roles.quasi_identifiers[:MAX_COLUMNS] if facts.fits_in_memory else ()
    return tuple(compute_values(facts, column, disclosure) for column in columns)


def compute_values(facts: Facts, column: str, disclosure: Disclosure) -> ReportedValues:
    """Return the reported values of one quasi-identifier."""
    found = count_released_values(facts, column)
    occurring = np.flatnonzero(found.after)
    rows = [_build_value_rows(found, index, disclosure) for index in occurring.tolist()]
    if not disclosure.names_classes and (
        found.mixed or not _are_alike(facts, found.kinds[occurring], disclosure.least)
    ):
        rows = []
    few = _has_small_loss(found, disclosure.least)
    if disclosure.shows_counts and few:
        rows = [row._replace(before=None) for row in rows]
    listed = sorted(rows, key=_order_key)[:MAX_LISTED_VALUES]
    rest = int(found.after.sum()) - sum(int(found.after[found.values.index(row.value)]) for row in listed)
    return ReportedValues(
        column=column,
        level=found.level if column in facts.hierarchies and (disclosure.shows_counts or not found.mixed) else None,
        listed=tuple(listed),
        others=len(occurring) - len(listed),
        pooled=rest if disclosure.shows_counts else CountBand.of(rest) if disclosure.names_classes else None,
        suppressed=facts.scope.suppressed,
        hardest=None if found.mixed else _find_hardest(rows),  # it may be released as a finer value
        counts_shown=disclosure.shows_counts and not few and not found.mixed and found.before is not None,
        gone=found.gone > 0,
    )


def _build_value_rows(found: ReleasedValues, index: int, disclosure: Disclosure) -> ValueRows:
    counts = [None if column is None else int(column[index]) for column in (found.after, found.before)]
    if disclosure.shows_counts:
        return ValueRows(found.values[index], *counts)
    if found.mixed and not counts[1]:  # the original was counted on another level, so there is nothing to band
        counts[1] = None
    return ValueRows(
        found.values[index],
        *(None if one is None or not disclosure.names_classes else CountBand.of(one) for one in counts),
    )


def _order_key(row: ValueRows) -> tuple[int, bool, str]:
    """Return the sort key of values: the most frequent first, as far as counts are shown."""
    often = row.after.low if isinstance(row.after, CountBand) else row.after or 0
    return -often, row.value is None, row.value or ""


def _find_hardest(rows: list[ValueRows]) -> Hardest | None:
    """Return the value that kept the smallest share of its rows, by counts or by bands."""
    kept = []
    for row in rows:
        if isinstance(row.after, int) and isinstance(row.before, int) and row.before:
            kept.append(Hardest(row.value, row.after / row.before, exact=True))
        elif isinstance(row.after, CountBand) and isinstance(row.before, CountBand) and row.after < row.before:
            kept.append(Hardest(row.value, row.after.high / row.before.high, exact=False))
    return min(kept, default=None, key=lambda one: one.share)


def _has_small_loss(found: ReleasedValues, least: int) -> bool:
    """Return True if some value lost fewer rows than `least`: subtraction would disclose the values of these rows."""
    if found.before is None:
        return False
    lost = found.before - found.after
    return bool(((lost > 0) & (lost < least) & (found.after > 0)).any())


def _are_alike(facts: Facts, kinds: IntArray, least: int) -> bool:
    """Return True if the values of a column could be permuted without changing any shown figure.

    Scores of levels distinguish values of different kinds. If all combinations of values occur, their names disclose
    the classes: if all are small, or all equally large, then also how often each value occurs.
    """
    combinations = prod(
        np.count_nonzero(count_released_values(facts, one).after) for one in facts.roles.quasi_identifiers
    )
    sizes = facts.classes.histogram
    known = len(facts.classes) == combinations and (len(sizes) == 1 or max(sizes, default=0) < least)
    return len(set(kinds.tolist())) == 1 and not known
