"""Explain Earth Mover's Distances: the steps that move the surplus of a class to the values that it has too few of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import accumulate

from PETWorks.counting.tally import Value, cell_text
from PETWorks.errors import HierarchyError, ParameterError, listing
from PETWorks.exact.decimal_text import numeral
from PETWorks.exact.scores import Ratios
from PETWorks.explain.step import Amounts, Cell, Step, Terms
from PETWorks.facts.facts import Facts
from PETWorks.facts.spread import Spread
from PETWorks.formulas import earth_mover
from PETWorks.hierarchies.hierarchy import Hierarchy

LISTED = 12  # most terms that an explanation shows one by one


class Ordered:
    """The ordered distance of a sensitive attribute: surplus moves from each value to the next larger one."""

    kind = "ordered"

    def __init__(self, spread: Spread, order: Sequence[str] | None) -> None:
        self.spread = earth_mover.in_order(spread, order)

    def scores(self) -> Ratios:
        """Return the distance of every class."""
        return earth_mover.ordered(self.spread)

    def figures(self) -> dict[str, int]:
        """Return what the explanation of the distance counts."""
        values = len(self.spread.values)
        return {"values": values, "steps": max(values - 1, 1)}

    def worked(self, index: int, score: Fraction | None, least: int) -> Iterator[Step]:
        """Work out the distance of one class."""
        return carried(self.spread, index, score, least)


class Hierarchical:
    """The hierarchical distance: surplus and shortfall cancel at the lowest node that has both below it."""

    kind = "hierarchical"

    def __init__(self, spread: Spread, tree: Hierarchy) -> None:
        self.spread, self.tree = spread, tree

    def scores(self) -> Ratios:
        """Return the distance of every class."""
        return earth_mover.hierarchical(self.spread, self.tree)

    def figures(self) -> dict[str, int]:
        """Return what the explanation of the distance counts."""
        return {"height": self.tree.height}

    def worked(self, index: int, score: Fraction | None, least: int) -> Iterator[Step]:
        """Work out the distance of one class."""
        return cancelled(self.spread, self.tree, index, score, least)


class Equal:
    """The equal distance: the sum of the surpluses."""

    kind = "equal"

    def __init__(self, spread: Spread) -> None:
        self.spread = spread

    def scores(self) -> Ratios:
        """Return the distance of every class."""
        return earth_mover.equal(self.spread)

    def figures(self) -> dict[str, int]:
        """Return what the explanation of the distance counts."""
        return {}

    def worked(self, index: int, score: Fraction | None, least: int) -> Iterator[Step]:
        """Work out the distance of one class."""
        return surplus(self.spread, index, score, least)


Mover = Ordered | Hierarchical | Equal


def mover_of(spread: Spread, facts: Facts, distance: str, order: Sequence[str] | None) -> Mover:
    """Return the chosen distance; "auto" is ordered for numbers, hierarchical with a hierarchy, else equal."""
    odd, in_hierarchy = no_numbers(spread), spread.name in facts.hierarchies
    if distance == "hierarchical" and not in_hierarchy:
        raise HierarchyError(f'there is no hierarchy for "{spread.name}"', hint="pass one in hierarchies=")
    if distance == "ordered" and odd and order is None:
        hint, listed = "pass its values in order: order=", listing(map(cell_text, odd))
        problem = f'the ordered distance needs numbers, but "{spread.name}" has values that are not numbers'
        raise ParameterError(problem, hint=hint, listed=listed)
    if distance == "ordered" or (distance == "auto" and (order is not None or not odd)):
        return Ordered(spread, order)
    if distance == "hierarchical" or (distance == "auto" and in_hierarchy):
        return Hierarchical(spread, facts.columns.tree(spread))
    return Equal(spread)


def no_numbers(spread: Spread) -> list[Value]:
    """Return the values of a sensitive attribute that are not numbers."""
    return [value for value in spread.values if numeral(value) is None]


def carried(spread: Spread, index: int, score: Fraction | None, least: int) -> Iterator[Step]:
    """Yield the steps that move surplus from each value to the next larger one."""
    if any(count < least for _, count in spread.entries(index)):
        yield Step("counts_withheld", {"least": least, "score": score})
    elif len(spread.values) > LISTED:
        yield Step("carried_sum", {"values": len(spread.values), "score": score})
    else:
        amounts = [abs(amount) for amount in accumulate(earth_mover.surplus(spread, index))][:-1]
        costs = [amount / max(len(amounts), 1) for amount in amounts]
        yield Step("carried", {"amounts": Amounts(amounts)})
        yield Step("carried_cost", {"costs": Terms(costs, common=True), "score": score})


def cancelled(spread: Spread, tree: Hierarchy, index: int, score: Fraction | None, least: int) -> Iterator[Step]:
    """Yield the steps that cancel surplus and shortfall node by node; nodes that describe few people are not named."""
    nodes = [one for one in earth_mover.cancelled(spread, tree, index) if one.above and one.below]
    named = sorted((one for one in nodes if one.people >= least), key=lambda one: -one.cost)[:LISTED]
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


def surplus(spread: Spread, index: int, score: Fraction | None, least: int) -> Iterator[Step]:
    """Yield the steps that add up the surpluses of a class's values; values that few people have are not named."""
    more, size = earth_mover.surplus(spread, index), int(spread.sizes[index])
    named = [entry for entry in spread.nameable(index, least) if more[entry[0]] > 0][:LISTED]
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
