"""The release as it would be if some classes were suppressed, or a column generalised completely.

Nothing is estimated: the tally is changed and everything is measured anew. Suppressing whole classes changes no other
class, because the overall distribution of a sensitive attribute counts suppressed rows too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields

import numpy as np

from PETWorks.counting.tally import Coded, IntArray, Mask, Tally
from PETWorks.facts.facts import Facts
from PETWorks.facts.kept import kept


def suppressing(facts: Facts, chosen: Mask) -> Facts:
    """Suppress the quasi-identifiers of some classes."""
    return _changed(facts, dict.fromkeys(facts.roles.quasi_identifiers, chosen))


def generalising(facts: Facts, column: str) -> Facts:
    """Put the marker in the place of all values of a column."""
    return _changed(facts, {column: facts.classes.all})


def effort(facts: Facts) -> int:
    """Estimate the work of generalising each column in turn: all columns of all combinations are grouped anew."""
    columns = len(facts.roles.quasi_identifiers)
    return columns * (columns + 10) * len(facts.published.counts)


def _changed(facts: Facts, marked: Mapping[str, Mask]) -> Facts:
    known = {one.name: getattr(facts, one.name) for one in fields(Facts) if not one.name.startswith("_")}
    return _WhatIf(**known, real=facts, marked=marked)


@dataclass(frozen=True, eq=False)
class _WhatIf(Facts):
    """Facts of a release in which the cells of some columns are suppressed, for some classes."""

    real: Facts = None  # type: ignore[assignment]  # (fields after those with a default need one)
    marked: Mapping[str, Mask] = field(default_factory=dict)

    @kept
    def paired(self) -> Tally:
        """The pairs, with the released cells changed."""
        pairs = self.real.paired
        of_class, _ = pairs.where(~self.real.suppressed(pairs)).grouped(self.roles.quasi_identifiers)
        return self._altered(pairs, of_class)

    @kept
    def released(self) -> Tally:
        """The release, changed."""
        return self._altered(self.real.released, self.real.classes.of_entry)

    @property
    def before(self) -> Tally:
        """The original, which stays as it is."""
        return self.real.before

    def _altered(self, tally: Tally, of_class: IntArray) -> Tally:
        published = ~self.real.suppressed(tally)
        columns = dict(tally.columns)
        for name, chosen in self.marked.items():
            entries = np.zeros(len(tally.counts), dtype=bool)
            entries[published] = chosen[of_class]
            columns[name] = _with_marker(columns[name], entries, self.marker)
        return Tally(columns, tally.counts)


def _with_marker(column: Coded, entries: Mask, marker: str) -> Coded:
    code, values = column.code(marker), column.values
    if code < 0:
        code, values = len(values), (*values, marker)
    return Coded(np.where(entries, np.int64(code), column.codes), values)
