"""An attacker who reads a report: which small classes follow from all the figures and names in it?

The attacker knows everything that the view of a report holds, as constraints on the unknown table of classes: how many
classes there are of each size, which values a column has and how often, classes that are named, figures of subsets of
columns, and what remedies would bring. With hierarchies, also what follows from levels and leaves. A solver then looks
for a table that fits and in which a given class does not exist, or is not small. If there is none, it is pinned.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import lcm
from typing import Any, NamedTuple

import pytest

import PETWorks as pw
from PETWorks.plugin import Limit, Result
from support.release_facts import CountBand, EvaluationView

cp_model = pytest.importorskip("ortools.sat.python.cp_model", reason="the attacker needs a solver")

Combination = tuple[str | None, ...]
EFFORT = 1  # in the solver's own unit of work, about a second: the same however busy the machine is


class Place(NamedTuple):
    """Where a value stands in its hierarchy."""

    level: int
    leaves: int


Trees = Mapping[str, Mapping[str, Place]]  # by column and value


@dataclass(frozen=True)
class Unnamed:
    """A value that the report counts, but does not name."""

    number: int


class Attacker:
    """All that a report tells, as constraints of a solver."""

    def __init__(self, view: EvaluationView, trees: Trees | None = None) -> None:
        self.view, self.model, self.trees = view, cp_model.CpModel(), trees or {}
        self.columns = view.roles.quasi_identifiers
        self.published = sum(size * many for size, many in view.sizes.items())  # people, each in one class
        self.values = [self._values(column) for column in self.columns]
        self.people: dict[tuple[Any, ...], Any] = {}  # for each combination of values, how many people have it
        self.size_is: dict[tuple[Any, ...], dict[int, Any]] = {}
        self._sizes()
        self._counts()
        self._named()
        self._subsets()
        self._remedies()
        if self.trees:
            self._levels()
            self._scores()

    def counts(self, place: int, value: str, least: int = 5) -> bool | None:
        """Return True if it is certain that fewer than `least` people have a value; None if the solver gave up."""
        if value not in self.values[place]:
            return False  # it is not named
        model = self.model.clone()
        model.add(self._having(place, [value]) >= least)
        solved = self._solved(model)
        return None if solved == cp_model.UNKNOWN else bool(solved == cp_model.INFEASIBLE)

    def pins(self, combination: Combination, guess: Mapping[Any, int], least: int = 5) -> bool | None:
        """Return True if it is certain that a class of 1 to `least - 1` people has this combination of values.

        The solver first looks near `guess`, the people of each combination. None is returned if it gave up.
        """
        if combination not in self.size_is:
            return False  # one of its values is not named
        model = self.model.clone()
        for size, chosen in self.size_is[combination].items():
            if 0 < size < least:
                model.add(model.get_bool_var_from_proto_index(chosen.index) == 0)
        for other, sizes in self.size_is.items():
            for size, chosen in sizes.items():
                variable = model.get_bool_var_from_proto_index(chosen.index)
                model.add_hint(variable, guess.get(other, 0) == size)
        solved = self._solved(model)
        return None if solved == cp_model.UNKNOWN else bool(solved == cp_model.INFEASIBLE)

    def is_consistent(self) -> bool | None:
        """Return True if some table fits, as the true one does if the constraints are right; None if it gave up."""
        solved = self._solved(self.model)
        return None if solved == cp_model.UNKNOWN else bool(solved == cp_model.OPTIMAL)

    @staticmethod
    def _solved(model: cp_model.CpModel) -> Any:
        solver = cp_model.CpSolver()
        solver.parameters.max_deterministic_time, solver.parameters.num_workers = EFFORT, 1
        return solver.solve(model)

    def _values(self, column: str) -> list[Any]:
        (found,) = (one for one in self.view.values if one.column == column)
        return [*(row.value for row in found.listed), *map(Unnamed, range(found.others))]

    def _sizes(self) -> None:
        """Classes of each size: exactly as many as the histogram says."""
        possible = [0, *self.view.sizes]
        for combination in product(*self.values):
            self.size_is[combination] = {size: self.model.new_bool_var("") for size in possible}
            self.model.add_exactly_one(self.size_is[combination].values())
            self.people[combination] = sum(size * chosen for size, chosen in self.size_is[combination].items())
        for size, many in self.view.sizes.items():
            self.model.add(sum(chosen[size] for chosen in self.size_is.values()) == many)

    def _counts(self) -> None:
        """Rows of each value: exact, in a band, or at least one."""
        for place, found in enumerate(self.view.values):
            for row in found.listed:
                self._is(self._having(place, [row.value]), row.after)
            for value in self.values[place]:
                self.model.add(self._having(place, [value]) >= 1)
            if found.others:
                self._is(
                    self._having(place, [one for one in self.values[place] if isinstance(one, Unnamed)]), found.pooled
                )

    def _having(self, place: int, values: Sequence[Any]) -> Any:
        return sum(people for combination, people in self.people.items() if combination[place] in values)

    def _is(self, count: Any, told: int | CountBand | None) -> None:
        if isinstance(told, CountBand):
            self.model.add_linear_constraint(count, told.low, told.high)
        elif told is not None:
            self.model.add(count == told)

    def _named(self) -> None:
        """Classes that are named with their size."""
        for values, size in named_classes(self.view):
            self.model.add(self.people[tuple(values[column] for column in self.columns)] == size)

    def _known(self, place: int) -> bool:
        """True if all values of a column are named, so that their levels are known."""
        return not any(isinstance(value, Unnamed) for value in self.values[place])

    def _levels(self) -> None:
        """Cells of each level: from the bars, and from the steps of Precision."""
        told = {(one.column, level): share for one in self.view.levels for level, share in enumerate(one.shares)}
        cells = {key: round(share * self.view.scope.rows) for key, share in told.items()}
        precision = self.view.find(pw.Precision)
        for step in walk(precision) if precision else ():
            if step.kind == "level":
                cells[str(step.figures["column"]), step.figures["level"]] = step.figures["cells"]
        for (column, level), many in cells.items():
            place = self.columns.index(column)
            if self._known(place):
                on_it = [value for value in self.values[place] if self.trees[column][value].level == level]
                self.model.add(self._having(place, on_it) == many)

    def _scores(self) -> None:
        """Scores that add up over cells or rows: Precision, granularity and Ambiguity, where nothing is suppressed."""
        rows = self.view.scope.rows
        for kind, whole in ((pw.Precision, 1), (pw.Granularity, rows)):
            if (result := self.view.find(kind)) is None:
                continue
            lost = {name: part.figures["lost"] for name, part in result.parts.items() if "lost" in part.figures}
            sums = [((name,), one) for name, one in lost.items()]
            for columns, told in (*sums, (self.columns, result.figures["lost"])):
                if all(self._known(self.columns.index(column)) for column in columns):
                    self._adds_up(columns, kind, Fraction(told) * whole)
        result = self.view.find(pw.Ambiguity)
        if result is not None and all(map(self._known, range(len(self.columns)))):
            stood_for = int(Fraction(result.figures["lost"])) + rows
            self.model.add(sum(people * self._leaves(one) for one, people in self.people.items()) == stood_for)

    def _leaves(self, combination: tuple[Any, ...]) -> int:
        leaves = 1
        for column, value in zip(self.columns, combination, strict=True):
            leaves *= self.trees[column][value].leaves
        return leaves

    def _adds_up(self, columns: Sequence[str], kind: type, total: Fraction) -> None:
        """The losses of all cells of some columns add up to a total."""
        terms = []
        for column in columns:
            place, tree = self.columns.index(column), self.trees[column]
            top = max(tree.values())
            for value in self.values[place]:
                level, leaves = tree[value]
                lost = Fraction(level, top.level) if kind is pw.Precision else Fraction(leaves - 1, top.leaves)
                terms.append((lost, self._having(place, [value])))
        scale = lcm(total.denominator, *(each.denominator for each, _ in terms))
        self.model.add(sum(int(each * scale) * people for each, people in terms) == int(total * scale))

    def _subsets(self) -> None:
        """Distinction and separation of sets of columns."""
        result = self.view.find(pw.AttributeRisk)
        if result is None:
            return
        rows = self.published
        for part in result.parts.values():
            columns = part.figures["columns"]
            if part.withheld:
                continue  # the order of such sets follows from the bands
            groups = self._groups([self.columns.index(one) for one in columns])
            self.model.add(sum(self._occurs(group) for group in groups) == int((part.exact or 0) * rows))
            if (separation := part.figures["separation"]) is not None:
                told = rows * rows - Fraction(separation) * rows * (rows - 1)
                self.model.add(sum(self._square(group) for group in groups) == int(told))

    def _groups(self, places: Sequence[int]) -> list[Any]:
        """Return the rows of each combination of some columns."""
        groups: dict[tuple[Any, ...], list[Any]] = {}
        for combination, people in self.people.items():
            groups.setdefault(tuple(combination[place] for place in places), []).append(people)
        return [self._variable(sum(group)) for group in groups.values()]

    def _variable(self, expression: Any) -> Any:
        variable = self.model.new_int_var(0, self.published, "")
        self.model.add(variable == expression)
        return variable

    def _square(self, count: Any) -> Any:
        square = self.model.new_int_var(0, self.published**2, "")
        self.model.add_multiplication_equality(square, [count, count])
        return square

    def _between(self, count: Any, low: int, high: int) -> Any:
        """Return a variable that is true if a count is between two numbers."""
        inside, below, above = (self.model.new_bool_var("") for _ in range(3))
        self.model.add_exactly_one(inside, below, above)
        self.model.add(count >= low).only_enforce_if(inside)
        self.model.add(count <= high).only_enforce_if(inside)
        self.model.add(count < low).only_enforce_if(below)
        self.model.add(count > high).only_enforce_if(above)
        return inside

    def _occurs(self, count: Any) -> Any:
        return self._between(count, 1, self.published)

    def _remedies(self) -> None:
        """People in classes smaller than k if a column is generalised completely."""
        for remedy in self.view.advice.generalise if self.view.advice else ():
            lifted = {lift.column for lift in remedy.lifts if lift.level is None}
            if len(lifted) < len(remedy.lifts):
                continue  # to another level: such a table has other values, which the attacker does not know
            if remedy.people:
                continue  # some rows are then `*` in all columns, and form no class
            places = [place for place, name in enumerate(self.columns) if name not in lifted]
            for outcome in remedy.after:
                if isinstance(outcome.measure, pw.KAnonymity) and outcome.measure.k is not None:
                    self._fails(places, int(Limit.of(outcome.measure.k).exact), outcome)

    def _fails(self, places: Sequence[int], k: int, outcome: Any) -> None:
        small = []
        for group in self._groups(places):
            chosen, people = self._between(group, 1, k - 1), self.model.new_int_var(0, k - 1, "")
            self.model.add(people == group).only_enforce_if(chosen)
            self.model.add(people == 0).only_enforce_if(~chosen)
            small.append(people)
        if outcome.holds is not None:
            self.model.add(sum(small) == 0) if outcome.holds else self.model.add(sum(small) >= 1)
        self._is(sum(small), outcome.failing_rows)


def named_classes(view: EvaluationView) -> Iterator[tuple[Mapping[str, Any], int]]:
    """Yield every class that a view names, with its size."""
    for result in view.results:
        for part in (result, *result.parts.values()):
            yield from ((one.values, one.size) for one in part.worst if _whole(one.values, view))
        for step in walk(result):
            if _whole(step.figures.get("values"), view) and "size" in step.figures:
                yield step.figures["values"], step.figures["size"]
    for one in view.distances:
        yield from ((each.values, each.people) for each in one.costly)


def _whole(values: Any, view: EvaluationView) -> bool:
    return isinstance(values, Mapping) and set(values) == set(view.roles.quasi_identifiers)


def walk(result: Result) -> Iterator[Any]:
    """Yield all steps of a result, and their lines."""
    waiting = list(result.steps)
    while waiting:
        step = waiting.pop()
        yield step
        waiting += step.lines
