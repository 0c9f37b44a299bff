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
from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol

import numpy as np

from PETWorks.errors import PETWorksError
from PETWorks.facts.facts import Facts
from PETWorks.premises.adversary import Adversary
from PETWorks.premises.attack_result import (
    CELLS,
    COLUMN,
    EARLIER,
    GENERALISE,
    POPULATION,
    QUASI_IDENTIFIERS,
    REMOVE,
    SUPPRESS,
    Attack,
    AttackRemedy,
    AttackResult,
)
from PETWorks.premises.findings import Finding, PremiseChecker
from PETWorks.premises.knowledge import FoundPeople, generalise_column
from PETWorks.premises.people_of_rows import group_columns
from PETWorks.premises.tables import CheckedTables, UncheckedError
from PETWorks.shown import THRESHOLD
from PETWorks.tables.counting.tally import Coded, Mask
from PETWorks.tables.counting.texts import find_cells

MAX_COLUMNS = 10  # single columns that are listed, worst first
MAX_TRIES = 200_000_000  # of remedies: rows that are sorted, all together


class Attackable(Protocol):
    """The interface of a release that can be attacked."""

    @property
    def facts(self) -> Facts:
        """The facts of the release."""

    @property
    def left_out(self) -> Sequence[str]:
        """The identifiers of the original that the release leaves out."""


def attack(release: Attackable, adversaries: Sequence[Adversary] = (), *, remedies: bool = True) -> Attack:
    """Simulate the built-in adversaries and `adversaries` on a release; each that has `at_most` is judged by it.

    With `remedies`, every adversary who finds people gets the cheapest of the remedies that could be evaluated.
    """
    checker = PremiseChecker(CheckedTables(release.facts, release.left_out))
    return _Attacker(checker, remedies=remedies).run(adversaries)


def try_adversaries(checker: PremiseChecker) -> Attack | None:
    """Return whom each adversary finds, from what premises were checked on; None if the rows cannot be had."""
    try:
        return None if checker.tables.facts.synthetic else _Attacker(checker, remedies=False).run(checker.adversaries)
    except UncheckedError:
        return None


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

    checker: PremiseChecker
    remedies: bool

    @property
    def tables(self) -> CheckedTables:
        """The rows of the release."""
        return self.checker.tables

    def run(self, adversaries: Sequence[Adversary]) -> Attack:
        roles, tables = self.tables.facts.roles, self.tables
        untried = dict[str, str]()
        results = [self._try(QUASI_IDENTIFIERS, dict.fromkeys(roles.quasi_identifiers, 0))]
        single = [name for name in tables.published if name not in roles.quasi_identifiers]
        tried = sorted((self._count(COLUMN + name, {name: 0}) for name in single), key=lambda one: -one.found)
        telling = [one for one in tried if one.found]
        results += map(self._mend, telling[:MAX_COLUMNS])
        further = {EARLIER: self._join_editions, CELLS: self._read_cells, POPULATION: self._ask_population}
        for name, find in further.items():
            try:
                results.append(find())
            except UncheckedError as error:
                untried[name] = error.reason
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
        finding = self.checker.find("contents")
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

    def _join_editions(self) -> AttackResult:
        """Count the people of this release whom somebody finds who has the earlier ones: by joint classes."""
        facts = self.tables.facts
        if not facts.has_earlier:
            raise UncheckedError("not given")
        try:
            found, alone = facts.editions.count_found(THRESHOLD - 1), facts.editions.count_found(1)
        except PETWorksError as error:
            raise UncheckedError("rows") from error
        knows = dict.fromkeys(facts.roles.quasi_identifiers, 0)
        return AttackResult(EARLIER, knows, facts.known, found, alone, self.tables.people.people)

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
