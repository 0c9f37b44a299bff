"""Earth Mover's Distance between each class and the whole table, for all classes at once, in integers.

The table has N rows, of which n have some value; a class has s rows, of which c have that value. Each function returns
a numerator and a denominator for each class. It uses only the values that occur in a class, so it is fast even if the
attribute has very many values.

The steps of an explanation move the surplus of a class to the values that it has too few of.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from PETWorks.errors import HierarchyError, ParameterError, list_quoted
from PETWorks.exact.limit import parse_number
from PETWorks.exact.scores import Ratios
from PETWorks.facts.facts import Facts
from PETWorks.facts.spread import Spread
from PETWorks.hierarchies.hierarchy import Hierarchy
from PETWorks.measure.steps import Amounts, Cell, Step, Terms
from PETWorks.tables.counting.tally import Coded, IntArray, Value, cell_text, widen


def compute_equal_distances(spread: Spread) -> Ratios:
    """Return the distances if all values are equally far apart: half the sum of |c/s - n/N|.

    This is equal to the sum of the positive terms c/s - n/N.
    """
    found, expected = spread.likelihoods()
    sizes = widen(spread.sizes, int(spread.sizes.max(initial=0)) * spread.rows)
    return Ratios(_sum_by_class(np.maximum(found - expected, 0), spread), sizes * spread.rows)


def compute_hierarchical_distances(spread: Spread, hierarchy: Hierarchy) -> Ratios:
    """Return the distances if the distance between two values is the height of their lowest common ancestor.

    This is equal to the mean, over the levels of the hierarchy, of the equal distance at that level.
    """
    sizes = widen(spread.sizes, int(spread.sizes.max(initial=0)) * spread.rows * hierarchy.height)
    above = np.zeros_like(sizes)
    for level in range(hierarchy.height):
        nodes = Coded.of([hierarchy.lift(value, level) for value in spread.values])
        above += compute_equal_distances(spread.regroup(nodes.codes, nodes.values)).numerator
    return Ratios(above, sizes * max(hierarchy.height, 1) * spread.rows)


def compute_ordered_distances(spread: Spread) -> Ratios:
    """Return the distances if the m values are ordered, and neighbours are one step apart.

    This is the sum, over the values, of |cumulated (c/s - n/N)|, divided by m - 1.

    Between two values of a class, its cumulated count C is constant, and that of the table, P, increases. So the sum of
    |N·C - s·P| over such a run has two parts: first N·C is larger, then s·P. Each part is a difference of prefix sums.
    """
    rows, steps = spread.rows, max(len(spread.values) - 1, 1)
    largest = int(spread.sizes.max(initial=0)) * rows * steps
    sizes, counts = widen(spread.sizes, largest), widen(spread.counts, largest)
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
    return Ratios(leading + _sum_by_class(larger + smaller, spread), sizes * rows * steps)


def _sum_by_class(values: IntArray, spread: Spread) -> IntArray:
    return np.add.reduceat(values, spread.starts) if len(values) else values


def sort_values(spread: Spread, order: Sequence[str] | None) -> Spread:
    """Sort the values as `order` lists them; without it as numbers, where equal numbers become one value."""
    if order is None:
        keys = [parse_number(value) or Decimal(0) for value in spread.values]
    else:
        place = {str(value).strip(): Decimal(rank) for rank, value in enumerate(order)}
        if lacking := [cell_text(value) for value in spread.values if value not in place]:
            hint = "list all values of the column in order="
            raise ParameterError(f'the order lacks values of "{spread.name}"', hint=hint, listed=list_quoted(lacking))
        keys = [place[value] for value in spread.values if value is not None]
    ranks = sorted(set(keys))
    codes = np.array([bisect_left(ranks, key) for key in keys], dtype=np.int64)
    return spread.merge(codes, [str(key) for key in ranks])


def compute_surplus(spread: Spread, index: int) -> list[Fraction]:
    """Return, for every value, its share of one class minus its share of the whole table."""
    shares = [Fraction(-int(count), spread.rows) for count in spread.overall.tolist()]
    for value, count in spread.entries(index):
        shares[value] += Fraction(count, int(spread.sizes[index]))
    return shares


class Cancellation(NamedTuple):
    """The surplus (`above`) and shortfall (`below`) of the children of a hierarchy's node that cancel, and the cost."""

    node: Value
    height: int
    above: Fraction
    below: Fraction
    moved: Fraction
    cost: Fraction
    people: int  # people of the class in the children with surplus or shortfall: the smaller positive number


def cancel(spread: Spread, hierarchy: Hierarchy, index: int) -> list[Cancellation]:
    """Cancel surplus and shortfall, from the leaves upwards, at the lowest node that has both below it."""
    left = dict(zip(spread.values, compute_surplus(spread, index), strict=True))
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
            steps.append(Cancellation(node, height, plus, minus, moved, cost, people))
        leaf = {node: leaf[below[0]] for node, below in nodes.items()}
        held = {node: sum(held[one] for one in below) for node, below in nodes.items()}
        left = {node: sum((left[one] for one in below), Fraction(0)) for node, below in nodes.items()}
    return steps


MAX_LISTED_TERMS = 12  # the most terms that an explanation shows one by one


class OrderedDistance:
    """The ordered distance of a sensitive attribute: surplus moves from each value to the next larger one."""

    kind = "ordered"

    def __init__(self, spread: Spread, order: Sequence[str] | None) -> None:
        self.spread = sort_values(spread, order)

    def scores(self) -> Ratios:
        """Return the distance of every class."""
        return compute_ordered_distances(self.spread)

    def figures(self) -> dict[str, int]:
        """Return the counts that the explanation of the distance uses."""
        values = len(self.spread.values)
        return {"values": values, "steps": max(values - 1, 1)}

    def explain_class(self, index: int, score: Fraction | None, least: int) -> Iterator[Step]:
        """Yield how the distance of one class is computed."""
        return explain_ordered_distance(self.spread, index, score, least)


class HierarchicalDistance:
    """The hierarchical distance: surplus and shortfall cancel at the lowest node that has both below it."""

    kind = "hierarchical"

    def __init__(self, spread: Spread, tree: Hierarchy) -> None:
        self.spread, self.tree = spread, tree

    def scores(self) -> Ratios:
        """Return the distance of every class."""
        return compute_hierarchical_distances(self.spread, self.tree)

    def figures(self) -> dict[str, int]:
        """Return the counts that the explanation of the distance uses."""
        return {"height": self.tree.height}

    def explain_class(self, index: int, score: Fraction | None, least: int) -> Iterator[Step]:
        """Yield how the distance of one class is computed."""
        return explain_hierarchical_distance(self.spread, self.tree, index, score, least)


class EqualDistance:
    """The equal distance: the sum of the surpluses."""

    kind = "equal"

    def __init__(self, spread: Spread) -> None:
        self.spread = spread

    def scores(self) -> Ratios:
        """Return the distance of every class."""
        return compute_equal_distances(self.spread)

    def figures(self) -> dict[str, int]:
        """Return the counts that the explanation of the distance uses."""
        return {}

    def explain_class(self, index: int, score: Fraction | None, least: int) -> Iterator[Step]:
        """Yield how the distance of one class is computed."""
        return explain_equal_distance(self.spread, index, score, least)


Distance = OrderedDistance | HierarchicalDistance | EqualDistance


def choose_distance(spread: Spread, facts: Facts, distance: str, order: Sequence[str] | None) -> Distance:
    """Return the chosen distance; "auto" is ordered for numbers, hierarchical with a hierarchy, else equal."""
    odd, in_hierarchy = find_non_numbers(spread), spread.name in facts.hierarchies
    if distance == "hierarchical" and not in_hierarchy:
        problem, figures = 'there is no hierarchy for "{column}"', {"column": spread.name}
        raise HierarchyError(problem, hint="pass one in hierarchies=", figures=figures)
    if distance == "ordered" and odd and order is None:
        hint, listed = "pass its values in order: order=", list_quoted(map(cell_text, odd))
        problem = f'the ordered distance needs numbers, but "{spread.name}" has values that are not numbers'
        raise ParameterError(problem, hint=hint, listed=listed)
    if distance == "ordered" or (distance == "auto" and (order is not None or not odd)):
        return OrderedDistance(spread, order)
    if distance == "hierarchical" or (distance == "auto" and in_hierarchy):
        return HierarchicalDistance(spread, facts.columns.find_sensitive_hierarchy(spread))
    return EqualDistance(spread)


def find_non_numbers(spread: Spread) -> list[Value]:
    """Return the values of a sensitive attribute that are not numbers."""
    return [value for value in spread.values if parse_number(value) is None]


def explain_ordered_distance(spread: Spread, index: int, score: Fraction | None, least: int) -> Iterator[Step]:
    """Yield the steps that move surplus from each value to the next larger one."""
    if any(count < least for _, count in spread.entries(index)):
        yield Step("counts_withheld", {"least": least, "score": score})
    elif len(spread.values) > MAX_LISTED_TERMS:
        yield Step("carried_sum", {"values": len(spread.values), "score": score})
    else:
        amounts = [abs(amount) for amount in accumulate(compute_surplus(spread, index))][:-1]
        costs = [amount / max(len(amounts), 1) for amount in amounts]
        yield Step("carried", {"amounts": Amounts(amounts)})
        yield Step("carried_cost", {"costs": Terms(costs, common=True), "score": score})


def explain_hierarchical_distance(
    spread: Spread, tree: Hierarchy, index: int, score: Fraction | None, least: int
) -> Iterator[Step]:
    """Yield the steps that cancel surplus and shortfall by node; nodes that describe few people are not named."""
    nodes = [one for one in cancel(spread, tree, index) if one.above and one.below]
    named = sorted((one for one in nodes if one.people >= least), key=lambda one: -one.cost)[:MAX_LISTED_TERMS]
    lines = [
        Step("node", one._asdict() | {"node": Cell(cell_text(one.node)), "top": tree.height})
        for one in sorted(named, key=lambda one: one.height)
    ]
    costs = [line.figures["cost"] for line in lines]
    if len(named) < len(nodes):
        costs.append(sum((one.cost for one in nodes), Fraction(0)) - sum(costs, Fraction(0)))
        lines.append(Step("other_nodes", {"cost": costs[-1]}))
    yield Step("cancelled", {}, tuple(lines))
    if len(costs) > 1:
        yield Step("nodes_sum", {"costs": Terms(costs), "score": score})


def explain_equal_distance(spread: Spread, index: int, score: Fraction | None, least: int) -> Iterator[Step]:
    """Yield the steps that add up the surpluses of a class's values; values that few people have are not named."""
    more, size = compute_surplus(spread, index), int(spread.sizes[index])
    named = [entry for entry in spread.find_nameable(index, least) if more[entry[0]] > 0][:MAX_LISTED_TERMS]
    lines = [
        Step(
            "value",
            {
                "value": Cell(cell_text(spread.values[value])),
                "inside": Fraction(count, size),
                "overall": Fraction(int(spread.overall[value]), spread.rows),
                "more": more[value],
            },
        )
        for value, count in named
    ]
    rest = sum((one for one in more if one > 0), Fraction(0)) - sum((more[value] for value, _ in named), Fraction(0))
    yield Step("surplus", {}, (*lines, *([Step("other_values", {"more": rest})] if rest else [])))
    yield Step("surplus_sum", {"score": score})
