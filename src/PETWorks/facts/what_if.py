"""The release as it would be if some classes were suppressed, or columns generalised further.

Nothing is estimated: the tally is changed, and the measures are computed again on it. Facts keep each changed release,
and the results of measures on it, so that both are computed only once. A change can affect more than the cells it is
made for: a population is generalised to the levels of the whole release, and a sensitive value that is suppressed too
leaves the overall distribution together with its row.

The release as it would be if some people were suppressed, with all their rows: what is known of them is known whole.

Combinations are shared by people of different classes. So each is split in two: the rows of those who stay, and the
rows of those who are suppressed.

What stays the same about a table while columns are generalised and classes suppressed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from PETWorks.facts.facts import Facts
from PETWorks.facts.memo import kept
from PETWorks.facts.people_classes import SamePersons, classes_of_people
from PETWorks.hierarchies.hierarchy import TOP, Hierarchy
from PETWorks.tables.counting.persons import Persons
from PETWorks.tables.counting.tally import Coded, IntArray, Key, Mask, Tally, Value, sums

Split = tuple[Tally, Persons]


@dataclass(frozen=True, eq=False)
class WithoutPeople:
    """The tallies of a release in which the people of some classes are suppressed."""

    facts: Facts  # as they are; all records of a person are known
    chosen: Mask  # the classes

    @kept
    def _released(self) -> Split:
        assert self.facts.all_persons is not None  # noqa: S101
        return self._split(self.facts.released, self.facts.all_persons)

    @kept
    def _paired(self) -> Split:
        assert self.facts.paired_persons is not None  # noqa: S101
        return self._split(self.facts.paired, self.facts.paired_persons)

    @property
    def released(self) -> Tally:
        """The release, changed."""
        return self._released[0]

    @property
    def persons(self) -> Persons:
        """Whose rows they are."""
        return self._released[1]

    @property
    def paired(self) -> Tally:
        """The pairs of original and release, with the release changed."""
        return self._paired[0]

    @property
    def named_persons(self) -> tuple[str | None, Sequence[Value]]:
        """The column of the release that says whose rows they are, and the cell of each person; None: it has none."""
        return self.facts.named_persons

    @property
    def paired_persons(self) -> Persons:
        """Whose rows the pairs are."""
        return self._paired[1]

    @property
    def before(self) -> Tally:
        """The original, which stays as it is."""
        return self.facts.before

    def _split(self, tally: Tally, persons: Persons) -> Split:
        """Split combinations by whether their people go; classes have the same numbers in every tally."""
        names = self.facts.roles.quasi_identifiers
        shown = ~self.facts.suppressed(tally)
        here = persons.where(shown)
        classes = classes_of_people(tally.where(shown), here, names, "all")
        goes = np.zeros(persons.people, dtype=bool)
        goes[here.of_person] = self.chosen[classes.of_pairs(here)]
        entries = persons.of_entry.astype(np.int64) * 2 + goes[persons.of_person]
        left, place = np.unique(entries, return_inverse=True)
        counts = sums(place, persons.rows, len(left))
        columns: dict[Key, Coded] = {key: column.take(left // 2) for key, column in tally.columns.items()}
        for name in names:
            columns[name] = _suppressed_people_marked(columns[name], left % 2 == 1, self.facts.marker)
        return Tally(columns, counts), Persons.regrouped(place, persons.of_person, persons.rows, persons.people)


def _suppressed_people_marked(column: Coded, entries: Mask, marker: str) -> Coded:
    """Put the marker into some cells; values stay sorted, missing last."""
    values = sorted({*column.values, marker}, key=lambda value: (value is None, value or ""))
    place = {value: code for code, value in enumerate(values)}
    codes = np.array([place[value] for value in column.values], dtype=np.int64)[column.codes]
    return Coded(np.where(entries, place[marker], codes), values).trimmed()


AFFORDABLE = 6 * 10**7  # the most effort that is spent on trying to generalise columns, in cells that are grouped again
OVERHEAD = 1000  # rows that are grouped in the time which one column takes, however few rows it has


@dataclass(frozen=True)
class Lift:
    """A column generalised further: to a level of its hierarchy, or completely."""

    column: str
    level: int | None = None  # values of lower levels become their ancestors there; None: every value, the marker


def suppressing(facts: Facts, chosen: Mask) -> Facts:
    """Return the facts with the quasi-identifiers of some classes suppressed."""
    if facts.persons is not None and facts.known == "all":
        return facts.once(("without people", chosen.tobytes()), lambda: facts.changed(WithoutPeople(facts, chosen)))

    def change(tally: Tally) -> Tally:
        published = ~facts.suppressed(tally)
        of_class, _ = tally.where(published).grouped(facts.roles.quasi_identifiers)
        entries = np.zeros(len(tally.counts), dtype=bool)
        entries[published] = chosen[of_class]
        columns = dict(tally.columns)
        for name in facts.roles.quasi_identifiers:
            columns[name] = _marked(columns[name], entries, facts.marker)
        return Tally(columns, tally.counts)

    return facts.once(("suppressing", chosen.tobytes()), lambda: facts.changed(ChangedTallies(facts, change)))


def generalising(facts: Facts, *lifts: Lift) -> Facts:
    """Return the facts with some columns generalised further."""

    def change(tally: Tally) -> Tally:
        columns = dict(tally.columns)
        for lift in lifts:
            columns[lift.column] = _lifted(columns[lift.column], _ancestors(facts, lift))
        return Tally(columns, tally.counts)

    return facts.once(("generalising", *lifts), lambda: facts.changed(ChangedTallies(facts, change)))


def leaves_enough(changed: Facts) -> bool:
    """Return True if at least half of the rows of a release are not suppressed."""
    return 2 * changed.scope.suppressed <= changed.scope.rows


def affordable_tries(facts: Facts) -> int:
    """Return how often columns may be generalised by way of trial: each time, all combinations are grouped again."""
    return AFFORDABLE // ((len(facts.roles.quasi_identifiers) + 10) * (len(facts.published.counts) + OVERHEAD))


def affordable_lifts(facts: Facts) -> tuple[Lift, ...]:
    """Return the ways to generalise a column further; none if trying them all takes too long."""
    lifts = tuple(_possible_lifts(facts))
    return lifts if len(lifts) <= affordable_tries(facts) else ()


def detail_lost(facts: Facts, gone: Mask | None = None) -> float:
    """Estimate the share of the cells' detail that is lost, to rank changes; `gone`: classes to be suppressed, too.

    It looks only at the lowest levels that have the released values; a value without a hierarchy has lost nothing.
    """
    classes, columns = facts.known_row_classes, len(facts.roles.quasi_identifiers)
    if gone is not None and facts.known_classes.members is not None:
        return detail_lost(suppressing(facts, gone))
    lost = np.zeros(len(classes))
    for name, column in classes.columns.items():
        tree = facts.hierarchies.get(str(name))
        levels = [tree.lowest.get(value, tree.height) / (tree.height or 1) if tree else 0 for value in column.values]
        lost += np.where(column.codes == column.code(facts.marker), 1, np.array(levels)[column.codes])
    lost = lost if gone is None else np.where(gone, columns, lost)
    return (float(lost @ classes.sizes) + facts.scope.suppressed * columns) / (facts.scope.rows * columns)


def _possible_lifts(facts: Facts) -> Iterator[Lift]:
    """Yield, by column, the next level that merges some of its values, and the complete generalisation."""
    for name, column in facts.known_row_classes.columns.items():
        released = {column.values[code] for code in np.unique(column.codes).tolist()}
        if released == {facts.marker}:
            continue
        tree = facts.hierarchies.get(str(name))
        for level in range(1, tree.height if tree else 1):
            lift = Lift(str(name), level)
            if len(set(map(_ancestors(facts, lift), released))) < len(released):
                yield lift
                break
        yield Lift(str(name))


@dataclass(frozen=True, eq=False)
class ChangedTallies(SamePersons):
    """The tallies of a release after a change of its cells."""

    change: Callable[[Tally], Tally]

    @kept
    def released(self) -> Tally:
        """The release, changed."""
        return self.change(self.facts.released)

    @kept
    def paired(self) -> Tally:
        """The pairs of original and release, with the release changed."""
        return self.change(self.facts.paired)

    @property
    def before(self) -> Tally:
        """The original, which stays as it is."""
        return self.facts.before

    @property
    def paired_persons(self) -> Persons | None:
        """Whose rows the pairs are, which stays as it is."""
        return self.facts.paired_persons


def _ancestors(facts: Facts, lift: Lift) -> Callable[[Value], Value]:
    """Return the function that generalises a value; values at or above the level, or in no level, stay the same."""
    if (level := lift.level) is None:
        return lambda _: facts.marker
    tree = facts.hierarchies[lift.column]

    def ancestor(value: Value) -> Value:
        lowest = tree.lowest.get(value, level)
        return value if value == facts.marker or lowest >= level else tree.lift(tree.under(value, lowest)[0], level)

    return ancestor


def _lifted(column: Coded, ancestor: Callable[[Value], Value]) -> Coded:
    return _in_order(column.codes, [ancestor(value) for value in column.values])


def _marked(column: Coded, entries: Mask, marker: str) -> Coded:
    return _in_order(np.where(entries, np.int64(len(column.values)), column.codes), [*column.values, marker])


def _in_order(codes: IntArray, values: Sequence[Value]) -> Coded:
    """Build a column as tallies have it: the values that occur, each once, sorted, missing last."""
    ordered = sorted(set(values), key=lambda value: (value is None, value or ""))
    place = {value: number for number, value in enumerate(ordered)}
    return Coded(np.array([place[value] for value in values], dtype=np.int64)[codes], ordered).trimmed()


def people_stay_together(facts: Facts) -> bool:
    """Return True if the classes of a less detailed release are unions of classes, of people who are in no other.

    Then what is true of the people of some classes is true of those of the class that they are merged to. It is not
    where somebody is in several classes: merged, the person's rows are those of one member, who holds all their values.
    """
    return facts.persons is None or facts.known == "all" or facts.one_class_each


def overall_is_fixed(facts: Facts, only: str | None = None) -> bool:
    """Return True if no cell of the sensitive attributes (or of `only` one) is suppressed.

    A suppressed cell leaves the overall distribution of its attribute when its row is suppressed, too.
    """
    return not any(spread.unpublished or facts.marker in spread.values for spread in facts.spreads(only))


def population_nests(facts: Facts) -> bool:
    """Return True if a class of the population is always a union of its classes in more detailed releases.

    The level of a release is read from the values that are left in it. It does not matter which level that is, if every
    value stands for the same leaves on all levels that have it, and a suppressed cell for all leaves.
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
