"""Earth Mover's Distance between each class and the whole table, for all classes at once, in integers.

The table has N rows, of which n have some value; a class has s rows, of which c have that value. Each function returns
a numerator and a denominator for each class. It uses only the values that occur in a class, so it is fast even if the
attribute has very many values.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from PETWorks.counting.tally import Coded, IntArray, Value, cell_text, wide
from PETWorks.errors import ParameterError, listing
from PETWorks.exact.decimal_text import numeral
from PETWorks.exact.scores import Ratios
from PETWorks.facts.spread import Spread
from PETWorks.hierarchies.hierarchy import Hierarchy


def equal(spread: Spread) -> Ratios:
    """Return the distances if all values are equally far apart: half the sum of |c/s - n/N|.

    This is equal to the sum of the positive terms c/s - n/N.
    """
    found, expected = spread.likelihoods()
    sizes = wide(spread.sizes, int(spread.sizes.max(initial=0)) * spread.rows)
    return Ratios(_by_class(np.maximum(found - expected, 0), spread), sizes * spread.rows)


def hierarchical(spread: Spread, hierarchy: Hierarchy) -> Ratios:
    """Return the distances if the distance between two values is the height of their lowest common ancestor.

    This is equal to the mean, over the levels of the hierarchy, of the equal distance at that level.
    """
    sizes = wide(spread.sizes, int(spread.sizes.max(initial=0)) * spread.rows * hierarchy.height)
    above = np.zeros_like(sizes)
    for level in range(hierarchy.height):
        nodes = Coded.of([hierarchy.lift(value, level) for value in spread.values])
        above += equal(spread.regrouped(nodes.codes, nodes.values)).numerator
    return Ratios(above, sizes * max(hierarchy.height, 1) * spread.rows)


def ordered(spread: Spread) -> Ratios:
    """Return the distances if the m values are ordered, and neighbours are one step apart.

    This is the sum, over the values, of |cumulated (c/s - n/N)|, divided by m - 1.

    Between two values of a class, its cumulated count C is constant, and that of the table, P, increases. So the sum of
    |N·C - s·P| over such a run has two parts: first N·C is larger, then s·P. Each part is a difference of prefix sums.
    """
    rows, steps = spread.rows, max(len(spread.values) - 1, 1)
    largest = int(spread.sizes.max(initial=0)) * rows * steps
    sizes, counts = wide(spread.sizes, largest), wide(spread.counts, largest)
    prefix = np.cumsum(spread.overall)  # P at each value
    area = np.concatenate([[0], np.cumsum(prefix)])  # sum of P below each value
    size = sizes[spread.of_class]

    before = np.cumsum(counts) - counts
    within = (before - before[spread.starts][spread.of_class] + counts) * rows  # N·C
    first = spread.of_value
    last = np.append(first[1:], len(spread.values))
    last[np.append(spread.starts[1:], len(first)) - 1] = len(spread.values)
    split = np.searchsorted(prefix, (within // size).astype(np.int64), side="right").clip(first, last)
    larger = within * (split - first) - size * (area[split] - area[first])
    smaller = size * (area[last] - area[split]) - within * (last - split)
    leading = sizes * area[first[spread.starts]]  # the values before the first value of the class, where C = 0
    return Ratios(leading + _by_class(larger + smaller, spread), sizes * rows * steps)


def _by_class(values: IntArray, spread: Spread) -> IntArray:
    return np.add.reduceat(values, spread.starts) if len(values) else values


def in_order(spread: Spread, order: Sequence[str] | None) -> Spread:
    """Sort the values as `order` lists them; without it as numbers, where equal numbers become one value."""
    if order is None:
        keys = [numeral(value) or Decimal(0) for value in spread.values]
    else:
        place = {str(value).strip(): Decimal(rank) for rank, value in enumerate(order)}
        if lacking := [cell_text(value) for value in spread.values if value not in place]:
            hint = "list all values of the column in order="
            raise ParameterError(f'the order lacks values of "{spread.name}"', hint=hint, listed=listing(lacking))
        keys = [place[value] for value in spread.values if value is not None]
    ranks = sorted(set(keys))
    codes = np.array([bisect_left(ranks, key) for key in keys], dtype=np.int64)
    return spread.merged(codes, [str(key) for key in ranks])


def surplus(spread: Spread, index: int) -> list[Fraction]:
    """Return, for every value, its share of one class minus its share of the whole table."""
    shares = [Fraction(-int(count), spread.rows) for count in spread.overall.tolist()]
    for value, count in spread.entries(index):
        shares[value] += Fraction(count, int(spread.sizes[index]))
    return shares


class Cancelled(NamedTuple):
    """What cancels at a node of a hierarchy: surplus (`above`), shortfall (`below`) of its children, and the cost."""

    node: Value
    height: int
    above: Fraction
    below: Fraction
    moved: Fraction
    cost: Fraction
    people: int  # people of the class in the children with surplus, or with shortfall: the smaller number but zero


def cancelled(spread: Spread, hierarchy: Hierarchy, index: int) -> list[Cancelled]:
    """Cancel surplus and shortfall, from the leaves upwards, at the lowest node that has both below it."""
    left = dict(zip(spread.values, surplus(spread, index), strict=True))
    held = dict.fromkeys(spread.values, 0) | {spread.values[value]: count for value, count in spread.entries(index)}
    leaf = {value: value for value in spread.values}  # for each node, one of the leaves below it
    steps = []
    for height in range(1, hierarchy.height + 1):
        nodes: dict[Value, list[Value]] = {}
        for node in left:
            nodes.setdefault(hierarchy.lift(leaf[node], height), []).append(node)
        for node, below in nodes.items():
            more, fewer = [one for one in below if left[one] > 0], [one for one in below if left[one] < 0]
            plus, minus = (abs(sum((left[one] for one in each), Fraction(0))) for each in (more, fewer))
            told = [sum(held[one] for one in each) for each in (more, fewer)]
            moved, people = min(plus, minus), min((many for many in told if many), default=0)
            cost = moved * Fraction(height, hierarchy.height)
            steps.append(Cancelled(node, height, plus, minus, moved, cost, people))
        leaf = {node: leaf[below[0]] for node, below in nodes.items()}
        held = {node: sum(held[one] for one in below) for node, below in nodes.items()}
        left = {node: sum((left[one] for one in below), Fraction(0)) for node, below in nodes.items()}
    return steps
