"""The release as it would be if some classes or people were suppressed, or columns generalised further.

Nothing is estimated: the tally is changed, and the measures are computed again on it. Facts cache each changed release,
and the results of measures on it. A change can affect more than its cells: a population is generalised to the levels of
the whole release, and a sensitive value that is suppressed too leaves the overall distribution together with its row.

If all records of a person are known, people are suppressed with all their rows. People of different classes can share a
combination, so each combination is split: rows of people who remain, and rows of suppressed people.

The last functions state which totals of a table stay the same while columns are generalised and classes suppressed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from PETWorks.facts.classes import Unit
from PETWorks.facts.facts import Facts
from PETWorks.facts.memo import cached
from PETWorks.facts.people_classes import SamePersons, group_people
from PETWorks.hierarchies.hierarchy import TOP, Hierarchy
from PETWorks.tables.counting.persons import PersonPairs
from PETWorks.tables.counting.tally import Coded, IntArray, Key, Mask, Tally, Value, sum_by_group

Split = tuple[Tally, PersonPairs]


@dataclass(frozen=True, eq=False)
class WithoutPeople:
    """The tallies of a release in which the people of some classes are suppressed."""

    facts: Facts  # as they are; all records of a person are known
    chosen: Mask  # the classes

    @cached
    def _released(self) -> Split:
        assert self.facts.all_persons is not None  # noqa: S101
        return self._split(self.facts.released, self.facts.all_persons)

    @cached
    def _paired(self) -> Split:
        assert self.facts.paired_persons is not None  # noqa: S101
        return self._split(self.facts.paired, self.facts.paired_persons)

    @property
    def released(self) -> Tally:
        """The changed release."""
        return self._released[0]

    @property
    def persons(self) -> PersonPairs:
        """The person of each row of `released`."""
        return self._released[1]

    @property
    def paired(self) -> Tally:
        """The pairs of original and release after the change."""
        return self._paired[0]

    @property
    def named_persons(self) -> tuple[str | None, Sequence[Value]]:
        """The person column of the release, and each person's cell; None without such a column."""
        return self.facts.named_persons

    @property
    def paired_persons(self) -> PersonPairs:
        """The person of each row of `paired`."""
        return self._paired[1]

    @property
    def before(self) -> Tally:
        """The original, unchanged."""
        return self.facts.before

    def _split(self, tally: Tally, persons: PersonPairs) -> Split:
        """Split combinations by whether their people are suppressed; classes keep their numbers in every tally."""
        names = self.facts.roles.quasi_identifiers
        shown = ~self.facts.find_suppressed(tally)
        here = persons.where(shown)
        classes = group_people(tally.where(shown), here, names, "all")
        goes = np.zeros(persons.people, dtype=bool)
        goes[here.of_person] = self.chosen[classes.find_groups_of_pairs(here)]
        entries = persons.of_entry.astype(np.int64) * 2 + goes[persons.of_person]
        left, place = np.unique(entries, return_inverse=True)
        counts = sum_by_group(place, persons.rows, len(left))
        columns: dict[Key, Coded] = {key: column.take(left // 2) for key, column in tally.columns.items()}
        for name in names:
            columns[name] = _mark_suppressed_people(columns[name], left % 2 == 1, self.facts.marker)
        return Tally(columns, counts), PersonPairs.from_pairs(place, persons.of_person, persons.rows, persons.people)


def _mark_suppressed_people(column: Coded, entries: Mask, marker: str) -> Coded:
    """Replace some cells by the marker; values stay sorted, missing last."""
    values = sorted({*column.values, marker}, key=lambda value: (value is None, value or ""))
    place = {value: code for code, value in enumerate(values)}
    codes = np.array([place[value] for value in column.values], dtype=np.int64)[column.codes]
    return Coded(np.where(entries, place[marker], codes), values).trim()


AFFORDABLE = 6 * 10**7  # limit of the effort of trying to generalise columns, in cells that are grouped again
OVERHEAD = 1000  # fixed effort for a column, in rows that could be grouped in the same time


@dataclass(frozen=True)
class Generalisation:
    """A column generalised further: to a level of its hierarchy, or completely."""

    column: str
    level: int | None = None  # values of lower levels become their ancestors there; None: every value, the marker


def suppress_classes(facts: Facts, chosen: Mask) -> Facts:
    """Return the facts with the quasi-identifiers of some classes suppressed."""
    if facts.persons is not None and facts.known == "all":
        return facts.cache(
            ("without people", chosen.tobytes()), lambda: facts.with_tallies(WithoutPeople(facts, chosen))
        )
    return facts.cache(("suppressing", chosen.tobytes()), lambda: facts.with_tallies(WithoutClasses(facts, chosen)))


def generalise_columns(facts: Facts, *lifts: Generalisation) -> Facts:
    """Return the facts with some columns generalised further."""
    return facts.cache(
        ("generalising", frozenset(lifts)), lambda: facts.with_tallies(WithGeneralisations(facts, lifts))
    )


def leaves_enough(changed: Facts) -> bool:
    """Return True if at least half of the rows of a release are not suppressed."""
    return 2 * changed.scope.suppressed <= changed.scope.rows


def count_affordable_tries(facts: Facts) -> int:
    """Return how many trial generalisations are affordable; each one groups all combinations again."""
    return AFFORDABLE // ((len(facts.roles.quasi_identifiers) + 10) * (len(facts.published.counts) + OVERHEAD))


def find_affordable_generalisations(facts: Facts) -> tuple[Generalisation, ...]:
    """Return the ways to generalise a column further; none if trying them all takes too long."""
    lifts = tuple(_yield_generalisations(facts))
    return lifts if len(lifts) <= count_affordable_tries(facts) else ()


def estimate_lost_detail(facts: Facts, gone: Mask | None = None) -> float:
    """Return the share of the detail of cells that is lost, to rank changes; `gone` is a mask of classes to suppress.

    It is an estimate: it uses the lowest levels that have the released values, and a value without a hierarchy has lost
    nothing.
    """
    classes, columns = facts.groups(Unit.ROWS, with_values=True), len(facts.roles.quasi_identifiers)
    if gone is not None and facts.groups(with_values=True).members is not None:
        return estimate_lost_detail(suppress_classes(facts, gone))
    lost = np.zeros(len(classes))
    for name, column in classes.columns.items():
        tree = facts.hierarchies.get(str(name))
        levels = [tree.lowest.get(value, tree.height) / (tree.height or 1) if tree else 0 for value in column.values]
        lost += np.where(column.codes == column.code(facts.marker), 1, np.array(levels)[column.codes])
    lost = lost if gone is None else np.where(gone, columns, lost)
    return (float(lost @ classes.sizes) + facts.scope.suppressed * columns) / (facts.scope.rows * columns)


def _yield_generalisations(facts: Facts) -> Iterator[Generalisation]:
    """Yield, for each column, the next level that merges some of its values, and complete generalisation."""
    for name, column in facts.groups(Unit.ROWS, with_values=True).columns.items():
        released = {column.values[code] for code in np.unique(column.codes).tolist()}
        if released == {facts.marker}:
            continue
        tree = facts.hierarchies.get(str(name))
        for level in range(1, tree.height if tree else 1):
            lift = Generalisation(str(name), level)
            if len(set(map(_build_ancestor(facts, lift), released))) < len(released):
                yield lift
                break
        yield Generalisation(str(name))


@dataclass(frozen=True, eq=False)
class ChangedTallies(SamePersons, ABC):
    """The tallies of a release after a change of its cells."""

    @cached
    def released(self) -> Tally:
        """The changed release."""
        return self._change(self.facts.released)

    @cached
    def paired(self) -> Tally:
        """The pairs of original and release after the change."""
        return self._change(self.facts.paired)

    @abstractmethod
    def _change(self, tally: Tally) -> Tally:
        """Return a tally of the release with the change."""

    @property
    def before(self) -> Tally:
        """The original, unchanged."""
        return self.facts.before

    @property
    def paired_persons(self) -> PersonPairs | None:
        """The person of each row of `paired`, unchanged."""
        return self.facts.paired_persons


@dataclass(frozen=True, eq=False)
class WithoutClasses(ChangedTallies):
    """The tallies of a release in which the quasi-identifiers of some classes are suppressed."""

    chosen: Mask  # the classes

    def _change(self, tally: Tally) -> Tally:
        facts, published = self.facts, ~self.facts.find_suppressed(tally)
        of_class, _ = tally.where(published).group(facts.roles.quasi_identifiers)
        entries = np.zeros(len(tally.counts), dtype=bool)
        entries[published] = self.chosen[of_class]
        columns = dict(tally.columns)
        for name in facts.roles.quasi_identifiers:
            columns[name] = _mark(columns[name], entries, facts.marker)
        return Tally(columns, tally.counts)


@dataclass(frozen=True, eq=False)
class WithGeneralisations(ChangedTallies):
    """The tallies of a release in which some columns are generalised further."""

    lifts: tuple[Generalisation, ...]

    def _change(self, tally: Tally) -> Tally:
        columns = dict(tally.columns)
        for lift in self.lifts:
            columns[lift.column] = _generalise(columns[lift.column], _build_ancestor(self.facts, lift))
        return Tally(columns, tally.counts)


def _build_ancestor(facts: Facts, lift: Generalisation) -> Callable[[Value], Value]:
    """Return the function that generalises a value; values at or above the level, or in no level, stay the same."""
    if (level := lift.level) is None:
        return lambda _: facts.marker
    tree = facts.hierarchies[lift.column]

    def ancestor(value: Value) -> Value:
        lowest = tree.lowest.get(value, level)
        return value if value == facts.marker or lowest >= level else tree.lift(tree.under(value, lowest)[0], level)

    return ancestor


def _generalise(column: Coded, ancestor: Callable[[Value], Value]) -> Coded:
    return _sort_values(column.codes, [ancestor(value) for value in column.values])


def _mark(column: Coded, entries: Mask, marker: str) -> Coded:
    return _sort_values(np.where(entries, np.int64(len(column.values)), column.codes), [*column.values, marker])


def _sort_values(codes: IntArray, values: Sequence[Value]) -> Coded:
    """Build a column as tallies have it: the values that occur, each once, sorted, missing last."""
    ordered = sorted(set(values), key=lambda value: (value is None, value or ""))
    place = {value: number for number, value in enumerate(ordered)}
    return Coded(np.array([place[value] for value in values], dtype=np.int64)[codes], ordered).trim()


def people_stay_together(facts: Facts) -> bool:
    """Return True if classes of a coarser release are unions of classes whose people are in no other class.

    Then what holds for the people of some classes holds for the class that they are merged into. It does not if
    somebody is in several classes: after merging, the person is one member with all their values.
    """
    return facts.persons is None or facts.known == "all" or facts.nobody_in_several_classes


def overall_is_fixed(facts: Facts, only: str | None = None) -> bool:
    """Return True if no cell of the sensitive attributes (or of `only` one) is suppressed.

    A suppressed cell leaves the overall distribution of its attribute if its row is suppressed, too.
    """
    return not any(spread.unpublished or facts.marker in spread.values for spread in facts.spreads(only))


def population_nests(facts: Facts) -> bool:
    """Return True if a class of the population is always a union of its classes in more detailed releases.

    The level of a release is inferred from its remaining values. The choice of level does not matter if every value
    stands for the same leaves on all levels that have it, and a suppressed cell stands for all leaves.
    """
    columns = {name: facts.released.columns[name] for name in facts.roles.quasi_identifiers}
    return all(_nests(facts.hierarchies.get(name), column, facts.marker) for name, column in columns.items())


def _nests(tree: Hierarchy | None, released: Coded, marker: str) -> bool:
    if tree is None:
        return marker == TOP
    if marker in released.values and marker != tree.top:
        return False
    means_all = marker not in tree.lowest or tree.size(marker, tree.lowest[marker]) == len(tree.leaves)
    return tree.one_meaning and means_all
