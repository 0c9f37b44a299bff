"""The release as it would be if some classes were suppressed, or columns generalised further.

Nothing is estimated: the tally is changed, and the measures are computed again on it. Facts keep each changed release,
and the results of measures on it, so that both are computed only once. A change can affect more than the cells it is
made for: a population is generalised to the levels of the whole release, and a sensitive value that is suppressed too
leaves the overall distribution together with its row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from PETWorks.counting.persons import Persons
from PETWorks.counting.tally import Coded, IntArray, Mask, Tally, Value
from PETWorks.facts.facts import Facts
from PETWorks.facts.memo import kept
from PETWorks.facts.same_persons import SamePersons
from PETWorks.facts.suppressed_people import WithoutPeople

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
