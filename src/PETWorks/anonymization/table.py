"""The raw table that is anonymised: its combinations and levels, counted once.

For any labels of its combinations it builds the facts of the release that has them, like those of any other release:
every measure can be evaluated on them, and no row is read.

A divided table has pieces in place of combinations. A *piece* is some of the rows with the same quasi-identifiers and
the same sensitive values; each piece has labels of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from typing import NamedTuple

import numpy as np

from PETWorks.anonymization.made_release import complete_hierarchies
from PETWorks.anonymization.release_facts import (
    CombinationLabels,
    OriginalTallies,
    RecodedFacts,
    RecodingMap,
    TableSlice,
)
from PETWorks.anonymization.vectors import Vectors
from PETWorks.facts.cells import LevelCodes
from PETWorks.facts.facts import Facts
from PETWorks.facts.memo import cached
from PETWorks.tables.counting.persons import PersonPairs
from PETWorks.tables.counting.tally import Coded, IntArray, Mask, Tally, pack, rank_keys, sum_by_group


class SensitiveValues(NamedTuple):
    """The values of a sensitive attribute: an entry for each pair of combination and value that occurs."""

    column: Coded
    of_combination: IntArray
    counts: IntArray


@dataclass(frozen=True, eq=False)
class RawTable:
    """The original, which builds the facts of its possible releases."""

    facts: Facts  # of the original as a release of itself

    @classmethod
    def of(cls, facts: Facts) -> RawTable:
        """Build the table from the facts of an original as a release of itself."""
        hierarchies = complete_hierarchies(facts)
        return cls(replace(facts, hierarchies=hierarchies, changed=OriginalTallies(facts)))

    def select(self, kept: Mask) -> RawTable:
        """Return the table of some combinations. Values and labels keep their codes."""
        part = TableSlice(self.facts, kept[self.of_entry])
        table = replace(self, facts=replace(self.facts, changed=part))
        vars(table)["ladders"] = self.ladders
        return table

    @cached_property
    def _grouped(self) -> tuple[IntArray, Tally]:
        return self.facts.released.group(self.facts.roles.quasi_identifiers)

    @cached_property
    def pairs(self) -> PersonPairs:
        """The people of the combinations, where people have several rows."""
        assert self.facts.all_persons is not None  # noqa: S101 (used only then)
        return self.facts.all_persons.regroup(self.of_entry)

    @cached_property
    def one_combination_each(self) -> bool:
        """True if all rows of a person have the same quasi-identifiers."""
        return bool((np.bincount(self.pairs.of_person) <= 1).all())

    def count_people(self, combinations: Mask) -> int:
        """Count the people who have a row of some combinations; the rows if nobody has several."""
        if self.facts.persons is None:
            return int(self.counts[combinations].sum())
        found = np.zeros(self.pairs.people, dtype=bool)
        found[self.pairs.of_person[combinations[self.pairs.of_entry]]] = True
        return int(found.sum())

    def count_people_by_label(self, place: int, level: int) -> dict[int, int]:
        """Count the people by label of a quasi-identifier on a level; a person counts once per label."""
        ladder = self.ladders[place]
        up = ladder.up[level]
        if self.facts.persons is None:
            many = sum_by_group(up, self.by_value[place], len(ladder.labels))
        else:
            labels = up[self.codes[place]][self.pairs.of_entry].astype(np.int64)
            many = np.bincount(np.unique(labels * self.pairs.people + self.pairs.of_person) // self.pairs.people)
        return {code: int(many[code]) for code in sorted(set(up.tolist()))}

    @property
    def combinations(self) -> Tally:
        """The distinct combinations of quasi-identifiers, sorted by their values."""
        return self._grouped[1]

    @property
    def distinct(self) -> Tally:
        """The combinations; for tables whose combinations are divided, the undivided ones."""
        return self.combinations

    @property
    def of_entry(self) -> IntArray:
        """The combination of each entry of the tally that also has the sensitive attributes."""
        return self._grouped[0]

    @property
    def counts(self) -> IntArray:
        """By combination, the number of rows."""
        return self.combinations.counts

    @cached_property
    def missing(self) -> Mapping[str, int]:
        """The number of missing cells, by column that has any."""
        return self.facts.scope.missing

    @cached_property
    def rows(self) -> int:
        """The number of rows."""
        return self.combinations.rows

    @cached_property
    def codes(self) -> tuple[IntArray, ...]:
        """For each quasi-identifier, the value of each combination."""
        return tuple(self.combinations.columns[name].codes for name in self.facts.roles.quasi_identifiers)

    @cached_property
    def by_value(self) -> tuple[IntArray, ...]:
        """For each quasi-identifier, the rows by value."""
        return self.count_rows_by_value(slice(None))

    def count_rows_by_value(self, combinations: Mask | slice) -> tuple[IntArray, ...]:
        """Return, for each quasi-identifier, the rows of some combinations by value."""
        some = combinations if isinstance(combinations, slice) else np.flatnonzero(combinations)
        columns, counts = zip(self.codes, self.ladders, strict=True), self.counts[some]
        return tuple(sum_by_group(codes[some], counts, len(ladder.values)) for codes, ladder in columns)

    @cached_property
    def ladders(self) -> tuple[LevelCodes, ...]:
        """The level codes of each quasi-identifier, in the order of the table; raises if a hierarchy lacks a value."""
        columns, marker = self.facts.columns, self.facts.marker
        _ = columns.cells
        values = {name: self.combinations.columns[name].values for name in self.facts.roles.quasi_identifiers}
        return tuple(LevelCodes.of(columns.find_hierarchy(name), values[name], marker) for name in values)

    @cached_property
    def sensitive(self) -> Mapping[str, SensitiveValues]:
        """The values of each sensitive attribute by combination."""
        found, combinations = {}, len(self.counts)
        for name in self.facts.roles.sensitive:
            column = self.facts.released.columns[name]
            packed, unpack = pack([self.of_entry, column.codes], [combinations, len(column.values)])
            first, ids = rank_keys(packed, combinations * len(column.values))
            of_combination, codes = unpack(packed[first])
            counts = sum_by_group(ids, self.facts.released.counts, len(first))
            found[name] = SensitiveValues(Coded(codes, column.values), of_combination, counts)
        return found

    @cached_property
    def vectors(self) -> Vectors:
        """The classes of level vectors, with a cache that all searches share."""
        return Vectors(self)

    def build_recoding_map(self, cells: Mapping[str, Coded], suppressed: Mask) -> RecodingMap:
        """Build the recoding map of combinations with these cells, some of them suppressed."""
        return RecodingMap(self.combinations, cells, suppressed)

    def look_up_labels(self, levels: Sequence[int | IntArray]) -> list[IntArray]:
        """Return, for each quasi-identifier, the label of each combination; its levels may differ by combination."""
        return [ladder.up[level, codes] for ladder, codes, level in zip(self.ladders, self.codes, levels, strict=True)]

    def build_facts_from_labels(
        self, labels: Sequence[IntArray], suppressed: Mask | None = None, levels: Sequence[int] | None = None
    ) -> RecodedFacts:
        """Build the facts of the release in which combinations have these labels, some of them suppressed."""
        cells = zip(self.ladders, labels, strict=True)
        return self.build_facts_from_cells(
            {ladder.name: Coded(codes, ladder.labels) for ladder, codes in cells}, suppressed, levels
        )

    def build_facts_from_cells(
        self, cells: Mapping[str, Coded], suppressed: Mask | None = None, levels: Sequence[int] | None = None
    ) -> RecodedFacts:
        """Build the facts of the release in which combinations have these cells, also cells without a hierarchy.

        Combinations whose cells are all the marker are suppressed, too.
        """
        columns = {name: cells[name] for name in self.facts.roles.quasi_identifiers}
        sizes = [len(column.values) for column in columns.values()]
        first, ids = rank_keys(pack([column.codes for column in columns.values()], sizes)[0], prod(sizes))
        marked = [column.codes == column.code(self.facts.marker) for column in columns.values()]
        gone = np.logical_and.reduce(marked)
        return RecodedFacts.of(
            CombinationLabels(self, ids, first, columns, levels).suppress(
                gone if suppressed is None else gone | suppressed
            )
        )


@dataclass(frozen=True, eq=False)
class PieceTallies(OriginalTallies):
    """The tallies of an original whose entries are divided into pieces."""

    entry: IntArray  # by piece, its entry of the whole tally
    counts: IntArray  # by piece, how many rows it has

    @cached
    def released(self) -> Tally:
        """The quasi-identifiers and sensitive attributes of each piece."""
        columns = self.facts.released.columns
        return Tally({name: column.take(self.entry) for name, column in columns.items()}, self.counts)


@dataclass(frozen=True, eq=False)
class DividedTable(RawTable):
    """A table with pieces in place of combinations: each piece has labels of its own."""

    whole: RawTable
    entry: IntArray  # by piece, its entry of the whole tally

    @classmethod
    def divide(cls, whole: RawTable, entry: IntArray, counts: IntArray) -> DividedTable:
        """Divide the entries of a table into pieces, whose counts add up to those of the entries."""
        pieces = PieceTallies(whole.facts, entry, counts)
        table = cls(replace(whole.facts, changed=pieces), whole, entry)
        vars(table)["ladders"] = whole.ladders
        return table

    @classmethod
    def divide_by_entry(cls, whole: RawTable) -> DividedTable:
        """Divide a table so that rows may have different labels only if their sensitive values differ."""
        counts = whole.facts.released.counts
        return cls.divide(whole, np.arange(len(counts)), counts)

    @cached_property
    def _grouped(self) -> tuple[IntArray, Tally]:
        entries, names = self.facts.released, self.facts.roles.quasi_identifiers
        return np.arange(len(entries.counts)), Tally({name: entries.columns[name] for name in names}, entries.counts)

    @property
    def distinct(self) -> Tally:
        """The combinations of the undivided table."""
        return self.whole.combinations

    def select(self, kept: Mask) -> DividedTable:
        """Return the table of some pieces."""
        return self.divide(self.whole, self.entry[kept], self.counts[kept])

    def build_recoding_map(self, cells: Mapping[str, Coded], suppressed: Mask) -> RecodingMap:
        """Build the recoding map: pieces of one entry are adjacent, and its rows get their cells in this order."""
        order = np.argsort(self.entry, kind="stable")
        cells = {name: column.take(order) for name, column in cells.items()}
        pieces = self.divide(self.whole, self.entry[order], self.counts[order]).facts.released
        return RecodingMap(pieces, cells, suppressed[order], divided=True)

    @cached_property
    def sensitive(self) -> dict[str, SensitiveValues]:
        """The values of each sensitive attribute: exactly one for each piece."""
        entries = self.facts.released
        names = self.facts.roles.sensitive
        return {name: SensitiveValues(entries.columns[name], self.of_entry, entries.counts) for name in names}
