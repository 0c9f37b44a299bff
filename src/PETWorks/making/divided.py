"""A table whose rows are divided: rows of one combination, and even with equal sensitive values, may part ways.

A *piece* is some of the rows that have the same quasi-identifiers and the same sensitive values.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from PETWorks.counting.tally import Coded, IntArray, Mask, Tally
from PETWorks.facts.memo import Memo, kept
from PETWorks.making.recoding import Recoding
from PETWorks.making.table import RawTable, Values
from PETWorks.making.unchanged import Unchanged


@dataclass(frozen=True, eq=False)
class Pieces(Unchanged):
    """The tallies of an original whose entries are divided into pieces."""

    entry: IntArray  # by piece, its entry of the whole tally
    counts: IntArray  # by piece, how many rows it has

    @kept
    def released(self) -> Tally:
        """The quasi-identifiers and sensitive attributes of each piece."""
        columns = self.facts.released.columns
        return Tally({name: column.take(self.entry) for name, column in columns.items()}, self.counts)


@dataclass(frozen=True, eq=False)
class DividedTable(RawTable):
    """The same table, with pieces in the place of combinations: each has labels of its own."""

    whole: RawTable
    entry: IntArray  # by piece, its entry of the whole tally

    @classmethod
    def into(cls, whole: RawTable, entry: IntArray, counts: IntArray) -> DividedTable:
        """Divide the entries of a table into pieces, whose counts add up to those of the entries."""
        pieces = Pieces(whole.facts, entry, counts)
        table = cls(replace(whole.facts, _changed=pieces, _memo=Memo()), whole, entry)
        vars(table)["ladders"] = whole.ladders
        return table

    @classmethod
    def by_entry(cls, whole: RawTable) -> DividedTable:
        """Let rows part ways only if their sensitive values differ."""
        counts = whole.facts.released.counts
        return cls.into(whole, np.arange(len(counts)), counts)

    @cached_property
    def _grouped(self) -> tuple[IntArray, Tally]:
        entries, names = self.facts.released, self.facts.roles.quasi_identifiers
        return np.arange(len(entries.counts)), Tally({name: entries.columns[name] for name in names}, entries.counts)

    @property
    def distinct(self) -> Tally:
        """The combinations as a whole."""
        return self.whole.combinations

    def part(self, kept: Mask) -> DividedTable:
        """Return the table of only some pieces."""
        return self.into(self.whole, self.entry[kept], self.counts[kept])

    def recoding(self, cells: Mapping[str, Coded], suppressed: Mask) -> Recoding:
        """Return what is written: pieces of one entry follow each other, and rows get their cells in this order."""
        order = np.argsort(self.entry, kind="stable")
        cells = {name: column.take(order) for name, column in cells.items()}
        pieces = self.into(self.whole, self.entry[order], self.counts[order]).facts.released
        return Recoding(pieces, cells, suppressed[order], divided=True)

    @cached_property
    def sensitive(self) -> dict[str, Values]:
        """The values of each sensitive attribute: every piece has one."""
        entries = self.facts.released
        names = self.facts.roles.sensitive
        return {name: Values(entries.columns[name], self.of_entry, entries.counts) for name in names}
