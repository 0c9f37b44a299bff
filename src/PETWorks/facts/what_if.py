"""The release as it would be if some classes were suppressed, or a column generalised completely.

Nothing is estimated: the tally is changed, and the measures are computed again on it. Facts keep each changed release,
and the results of measures on it, so that both are computed only once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from PETWorks.counting.tally import Coded, IntArray, Mask, Tally
from PETWorks.facts.facts import Facts
from PETWorks.facts.memo import kept


def suppressing(facts: Facts, chosen: Mask) -> Facts:
    """Return the facts with the quasi-identifiers of some classes suppressed."""
    marked = dict.fromkeys(facts.roles.quasi_identifiers, chosen)
    return facts.once(("suppressing", chosen.tobytes()), lambda: facts.changed(MarkedTallies(facts, marked)))


def generalising(facts: Facts, column: str) -> Facts:
    """Return the facts with the marker in place of all values of a column."""
    marked = {column: facts.classes.all}
    return facts.once(("generalising", column), lambda: facts.changed(MarkedTallies(facts, marked)))


def effort(facts: Facts) -> int:
    """Estimate the work of generalising each column in turn: every time, all combinations are grouped again."""
    columns = len(facts.roles.quasi_identifiers)
    return columns * (columns + 10) * len(facts.published.counts)


@dataclass(frozen=True, eq=False)
class MarkedTallies:
    """The tallies of a release in which the cells of some columns are suppressed, for some classes."""

    facts: Facts  # as they are
    marked: Mapping[str, Mask]  # by column, the classes whose cells are suppressed

    @kept
    def released(self) -> Tally:
        """The release, with the chosen cells suppressed."""
        return self._altered(self.facts.released, self.facts.known_classes.of_entry)

    @kept
    def paired(self) -> Tally:
        """The pairs of original and release, with the chosen cells of the release suppressed."""
        pairs = self.facts.paired
        of_class, _ = pairs.where(~self.facts.suppressed(pairs)).grouped(self.facts.roles.quasi_identifiers)
        return self._altered(pairs, of_class)

    @property
    def before(self) -> Tally:
        """The original, which stays as it is."""
        return self.facts.before

    def _altered(self, tally: Tally, of_class: IntArray) -> Tally:
        published = ~self.facts.suppressed(tally)
        columns = dict(tally.columns)
        for name, chosen in self.marked.items():
            entries = np.zeros(len(tally.counts), dtype=bool)
            entries[published] = chosen[of_class]
            columns[name] = _with_marker(columns[name], entries, self.facts.marker)
        return Tally(columns, tally.counts)


def _with_marker(column: Coded, entries: Mask, marker: str) -> Coded:
    code, values = column.code(marker), column.values
    if code < 0:
        code, values = len(values), (*values, marker)
    return Coded(np.where(entries, np.int64(code), column.codes), values)
