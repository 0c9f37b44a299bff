"""Simulate adversaries on a release: whom each finds, and which change of the release would prevent it.

Built-in adversaries know the quasi-identifiers, any one other published column, or the population, or read the cells;
the caller can add others. A person is *found* if fewer than five people match what is known, and *certain* if nobody
else does. Adversaries that could not be simulated are listed: nothing is proven about them.

>>> from PETWorks import Release
>>> rows = {"sex": ["f"] * 5 + ["m"] * 5, "ward": ["A"] * 7 + ["B", "C", "D"]}
>>> tried = attack(Release(rows, quasi_identifiers=["sex"], insensitive=["ward"]))
>>> [(one.name, one.found, one.certain) for one in tried]
[('quasi_identifiers', 0, 0), ('column ward', 3, 3), ('cells', 0, 0)]
>>> tried["column ward"].remedy.kind, tried["column ward"].remedy.columns, tried["column ward"].remedy.values
('remove', ('ward',), 4)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Protocol, overload

import numpy as np

from PETWorks.errors import PETWorksError, UnknownNameError, did_you_mean
from PETWorks.facts.facts import Facts
from PETWorks.premises.adversary import Adversary
from PETWorks.premises.findings import Finding, PremiseChecker
from PETWorks.premises.knowledge import FoundPeople, generalise_column
from PETWorks.premises.people_of_rows import find_cells, group_columns
from PETWorks.premises.tables import CheckedTables, UncheckedError
from PETWorks.shown import THRESHOLD
from PETWorks.tables.counting.tally import Coded, Mask

QUASI_IDENTIFIERS, CELLS, POPULATION, EARLIER = "quasi_identifiers", "cells", "population", "earlier"
MAX_COLUMNS = 10  # single columns that are listed, worst first
MAX_TRIES = 200_000_000  # of remedies: rows that are sorted, all together
SUPPRESS, GENERALISE, REMOVE = "suppress", "generalise", "remove"


class Attackable(Protocol):
    """The interface of a release that can be attacked."""

    @property
    def facts(self) -> Facts:
        """The facts of the release."""

    @property
    def left_out(self) -> Sequence[str]:
        """The identifiers of the original that the release leaves out."""


@dataclass(frozen=True)
class AttackRemedy:
    """A change of the release, evaluated: how many people the adversary still finds, and what the change costs.

    `suppress` replaces the quasi-identifiers of the people who are found, as a required class size of five would.
    """

    kind: str  # "suppress", "generalise" (to a level) or "remove"
    columns: tuple[str, ...]
    level: int | None
    found: int
    certain: int
    suppressed: int  # people whose quasi-identifiers are suppressed
    lost: float  # the share of the detail of all published cells that is lost
    values: int  # distinct values that vanish

    def to_dict(self) -> dict[str, Any]:
        """Return the remedy as plain values for JSON."""
        return {**vars(self), "columns": list(self.columns)}


@dataclass(frozen=True)
class AttackResult:
    """The people whom one adversary finds, their share of all people, and the cheapest remedy that was tried."""

    name: str
    knows: Mapping[str, int | str]  # columns, each at a level; 0 is as released
    rows: str  # "one" or "all" rows of a person
    found: int
    certain: int
    people: int
    at_most: int | None = None  # the people who may be found; None: the adversary is tried, not judged
    remedy: AttackRemedy | None = None

    @property
    def holds(self) -> bool | None:
        """True if the adversary finds no more people than allowed; None if there is no such bound."""
        return None if self.at_most is None else self.found <= self.at_most

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain values for JSON."""
        remedy = self.remedy and self.remedy.to_dict()
        return {**vars(self), "knows": dict(self.knows), "remedy": remedy, "holds": self.holds}


@dataclass(frozen=True)
class Attack(Sequence[AttackResult]):
    """The results of all adversaries, by position or name, and those that were not simulated, with the reason."""

    results: tuple[AttackResult, ...]
    untried: Mapping[str, str] = field(default_factory=dict)
    columns: int = 0  # single columns that were tried; those that find nobody are not listed
    unlisted: int = 0  # further ones that find people

    @property
    def found(self) -> int:
        """The largest number of people whom any adversary finds."""
        return max((one.found for one in self.results), default=0)

    @property
    def holds(self) -> bool | None:
        """True if every adversary with a bound keeps it; None if no adversary has a bound."""
        verdicts = [one.holds for one in self.results if one.holds is not None]
        return all(verdicts) if verdicts else None

    @overload
    def __getitem__(self, key: int | str) -> AttackResult: ...
    @overload
    def __getitem__(self, key: slice) -> Sequence[AttackResult]: ...
    def __getitem__(self, key: int | str | slice) -> AttackResult | Sequence[AttackResult]:
        """Return a result by its position or by the adversary's name."""
        if not isinstance(key, str):
            return self.results[key]
        for one in self.results:
            if one.name == key:
                return one
        raise UnknownNameError(f'no adversary "{key}" was tried', hint=did_you_mean(key, [one.name for one in self]))

    def __len__(self) -> int:
        """Return the number of results."""
        return len(self.results)

    def __iter__(self) -> Iterator[AttackResult]:
        """Iterate over the results."""
        return iter(self.results)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values for JSON."""
        results = [one.to_dict() for one in self.results]
        return {**vars(self), "results": results, "untried": dict(self.untried)}


def attack(release: Attackable, adversaries: Sequence[Adversary] = (), *, remedies: bool = True) -> Attack:
    """Simulate the built-in adversaries and `adversaries` on a release; each that has `at_most` is judged by it.

    With `remedies`, every adversary who finds people gets the cheapest of the remedies that could be evaluated.
    """
    return _Attacker(CheckedTables(release.facts, release.left_out), remedies=remedies).run(adversaries)


class _Change(NamedTuple):
    """A change of released columns, and what it costs."""

    kind: str
    columns: tuple[str, ...]
    level: int | None
    changed: Mapping[str, Coded | None]  # None: the column is removed
    suppressed: int
    lost: float
    values: int


@dataclass(frozen=True, eq=False)
class _Attacker:
    """Simulates adversaries on the rows of a release."""

    tables: CheckedTables
    remedies: bool

    def run(self, adversaries: Sequence[Adversary]) -> Attack:
        roles, tables = self.tables.facts.roles, self.tables
        untried = {EARLIER: "not given"}
        results = [self._try(QUASI_IDENTIFIERS, dict.fromkeys(roles.quasi_identifiers, 0))]
        single = [name for name in tables.published if name not in roles.quasi_identifiers]
        tried = sorted((self._count(f"column {name}", {name: 0}) for name in single), key=lambda one: -one.found)
        telling = [one for one in tried if one.found]
        results += map(self._mend, telling[:MAX_COLUMNS])
        for find in (self._read_cells, self._ask_population):
            try:
                results.append(find())
            except UncheckedError as error:
                untried[CELLS if find == self._read_cells else POPULATION] = error.reason
        results += [self._try(one.name, one.knows, one.rows, one.at_most) for one in adversaries]
        return Attack(tuple(results), untried, len(single), len(telling[MAX_COLUMNS:]))

    def _try(
        self, name: str, knows: Mapping[str, int | str], rows: str = "one", at_most: int | None = None
    ) -> AttackResult:
        return self._mend(self._count(name, knows, rows, at_most))

    def _count(
        self, name: str, knows: Mapping[str, int | str], rows: str = "one", at_most: int | None = None
    ) -> AttackResult:
        found = self._find(knows, rows, {})
        return AttackResult(name, knows, rows, found.found, found.certain, found.people, at_most)

    def _find(self, knows: Mapping[str, int | str], rows: str, changed: Mapping[str, Coded | None]) -> FoundPeople:
        """Return the people whom an adversary finds, after some columns were changed."""
        tables, people = self.tables, self.tables.people
        columns = list[Coded]()
        for name, level in knows.items():
            if name not in changed:
                columns.append(generalise_column(tables, name, level))
            elif (column := changed[name]) is not None:
                columns.append(column)
        ids, many = group_columns(columns, tables.released.rows)
        if rows == "all":
            ids = people.find_histories(ids)
            many = int(ids.max(initial=-1)) + 1
        few, lone = people.find_fewer(ids, many, THRESHOLD - 1), people.find_fewer(ids, many, 1)
        return FoundPeople(few.people, lone.people, people.people, few.rows)

    # The cheapest remedy.

    def _mend(self, result: AttackResult) -> AttackResult:
        """Add the cheapest change that satisfies the adversary's bound, else the change that helps most."""
        if not self.remedies or result.found <= (result.at_most or 0):
            return result
        tried = list[AttackRemedy]()
        for change in self._yield_affordable(result):
            found = self._find(result.knows, result.rows, change.changed)
            price = change.suppressed, change.lost, change.values
            tried.append(AttackRemedy(change.kind, change.columns, change.level, found.found, found.certain, *price))
        helpful = [one for one in tried if one.found < result.found]
        best = min(helpful, key=lambda one: (max(one.found, result.at_most or 0), one.lost, one.values), default=None)
        return replace(result, remedy=best)

    def _yield_affordable(self, result: AttackResult) -> Iterator[_Change]:
        for number, change in enumerate(self._yield_changes(result), 1):
            if number > 1 and number * self.tables.released.rows > MAX_TRIES:
                return
            yield change

    def _yield_changes(self, result: AttackResult) -> Iterator[_Change]:
        quasi = self.tables.facts.roles.quasi_identifiers
        for name in result.knows:
            yield self._remove([name])
        if any(name in quasi for name in result.knows):
            yield self._suppress(self._find(result.knows, result.rows, {}).rows)
        for name, level in result.knows.items():
            tree = self.tables.facts.hierarchies.get(name)
            for higher in range((level if isinstance(level, int) else 0) + 1, tree.height if tree else 0):
                yield self._generalise(name, higher)

    @property
    def _cells(self) -> int:
        """The number of published cells."""
        return max(1, self.tables.released.rows * len(self.tables.published))

    def _remove(self, names: Sequence[str]) -> _Change:
        values = sum(self._count_values(name) for name in names)
        lost = len(names) * self.tables.released.rows / self._cells
        return _Change(REMOVE, tuple(names), None, dict.fromkeys(names), 0, lost, values)

    def _count_values(self, name: str) -> int:
        return int(find_cells(self.tables.released[name].values, self.tables.marker).sum())

    def _suppress(self, rows: Mask) -> _Change:
        names, changed, values = self.tables.facts.roles.quasi_identifiers, dict[str, Coded | None](), 0
        for name in names:
            column = self.tables.released[name]
            marked = Coded(np.where(rows, len(column.values), column.codes), [*column.values, self.tables.marker])
            changed[name] = _merge_values(marked)
            values += self._count_values(name) - int(find_cells(marked.trim().values, self.tables.marker).sum())
        lost = int(rows.sum()) * len(names) / self._cells
        return _Change(SUPPRESS, names, None, changed, self.tables.people.count(rows), lost, values)

    def _generalise(self, name: str, level: int) -> _Change:
        before, after = self.tables.released[name], generalise_column(self.tables, name, level)
        sizes = np.bincount(before.codes, minlength=len(before.values))
        tree, lost = self.tables.facts.hierarchies[name], 0.0
        for value, rows in zip(before.values, sizes.tolist(), strict=True):
            lowest = tree.lowest.get(value, tree.height)
            if value != self.tables.marker and lowest < level:
                above = tree.lift(tree.under(value, lowest)[0], level)
                lost += rows * (tree.size(above, level) - tree.size(value, lowest)) / max(1, len(tree.leaves) - 1)
        kept = find_cells(after.values, self.tables.marker).sum()
        return _Change(
            GENERALISE, (name,), level, {name: after}, 0, lost / self._cells, self._count_values(name) - int(kept)
        )

    # Who reads the cells, and who has the population.

    def _read_cells(self) -> AttackResult:
        finding = PremiseChecker(self.tables).find("contents")
        if finding.unchecked:
            raise UncheckedError(finding.unchecked)
        count = self.tables.people.count
        rows = _join_rows(finding, self.tables.released.rows)
        found, people = count(rows), self.tables.people.people
        remedy = None
        if found and self.remedies:
            change = self._remove([*finding.columns])
            remedy = AttackRemedy(REMOVE, change.columns, None, 0, 0, 0, change.lost, change.values)
        return AttackResult(CELLS, dict.fromkeys(finding.columns, 0), "one", found, found, people, remedy=remedy)

    def _ask_population(self) -> AttackResult:
        facts = self.tables.facts
        if not facts.has_population:
            raise UncheckedError("not given")
        try:
            classes = facts.population
        except PETWorksError as error:
            raise UncheckedError("rows") from error
        count: Callable[[int], int] = lambda most: facts.classes.count_people_in(  # noqa: E731
            classes.find_in_release(classes.sizes <= most)
        )
        knows = dict.fromkeys(facts.roles.quasi_identifiers, 0)
        return AttackResult(POPULATION, knows, facts.known, count(THRESHOLD - 1), count(1), self.tables.people.people)


def _join_rows(finding: Finding, rows: int) -> Mask:
    joined = np.zeros(rows, dtype=bool)
    for find in finding.rows.values():
        joined |= find()
    return joined


def _merge_values(column: Coded) -> Coded:
    """Return the codes with one code for each distinct value: the marker may also be a value of the table."""
    return Coded.of([*column.values]).take(column.codes)
