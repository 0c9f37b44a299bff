"""The table that a release is made from: its combinations and ladders, counted once.

What a release would be like, if every combination of quasi-identifiers got certain labels, are facts like those of any
other release: every measure can be evaluated on them, and no row is touched.

Hierarchies of a release that is made: those without a row for missing values get one if there are any.

A table whose rows are divided: rows of one combination, and even with equal sensitive values, may part ways.

A *piece* is some of the rows that have the same quasi-identifiers and the same sensitive values.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from typing import NamedTuple

import numpy as np

from PETWorks.anonymization.lifted import Lift, LiftedFacts, Part, Recoding, Unchanged
from PETWorks.anonymization.vectors import Vectors
from PETWorks.facts.cells import Ladder
from PETWorks.facts.facts import Facts
from PETWorks.facts.memo import Memo, kept
from PETWorks.hierarchies.files import WithMissing
from PETWorks.tables.counting.persons import Persons
from PETWorks.tables.counting.tally import Coded, IntArray, Mask, Tally, Value, pack, ranked, sums


def with_missing(facts: Facts, values: Callable[[str], Sequence[Value]]) -> WithMissing:
    """Complete the hierarchies if values of the column, or of the same column of the population, are missing.

    `values` returns the values of a column before it was recoded. Missing values stay missing below the top.
    """

    def missing(name: str) -> bool:
        return name in facts.roles.quasi_identifiers and (None in values(name) or None in _of_population(facts, name))

    return WithMissing(facts.hierarchies, missing)


def _of_population(facts: Facts, name: str) -> Sequence[Value]:
    if not facts.has_population:
        return ()
    people = facts._tables.population_tally(facts.roles.quasi_identifiers, rows=0)  # noqa: SLF001 (of our own)
    return people.columns[name].values


class Values(NamedTuple):
    """The values of a sensitive attribute: an entry for each combination and value that occur together."""

    column: Coded
    of_combination: IntArray
    counts: IntArray


@dataclass(frozen=True, eq=False)
class RawTable:
    """The original, with facts of every release that it could give."""

    facts: Facts  # of the original as a release of itself

    @classmethod
    def of(cls, facts: Facts) -> RawTable:
        """Take the facts of a table that is both original and release."""
        hierarchies = with_missing(facts, lambda name: facts.released.columns[name].values)
        return cls(replace(facts, hierarchies=hierarchies, _changed=Unchanged(facts), _memo=Memo()))

    def part(self, kept: Mask) -> RawTable:
        """Return the table of only some combinations. Values and labels keep their codes."""
        part = Part(self.facts, kept[self.of_entry])
        table = replace(self, facts=replace(self.facts, _changed=part, _memo=Memo()))
        vars(table)["ladders"] = self.ladders
        return table

    @cached_property
    def _grouped(self) -> tuple[IntArray, Tally]:
        return self.facts.released.grouped(self.facts.roles.quasi_identifiers)

    @cached_property
    def pairs(self) -> Persons:
        """Whose rows the combinations are, where people have several rows."""
        assert self.facts.all_persons is not None  # noqa: S101 (asked for only then)
        return self.facts.all_persons.of(self.of_entry)

    @cached_property
    def one_combination_each(self) -> bool:
        """True if all rows of a person have the same quasi-identifiers."""
        return bool((np.bincount(self.pairs.of_person) <= 1).all())

    def people_in(self, combinations: Mask) -> int:
        """Count the people who have a row of some combinations; where nobody has several rows, the rows."""
        if self.facts.persons is None:
            return int(self.counts[combinations].sum())
        found = np.zeros(self.pairs.people, dtype=bool)
        found[self.pairs.of_person[combinations[self.pairs.of_entry]]] = True
        return int(found.sum())

    def people_by_label(self, place: int, level: int) -> dict[int, int]:
        """Return how many people have each label of a quasi-identifier on a level; who has several rows counts once."""
        ladder = self.ladders[place]
        up = ladder.up[level]
        if self.facts.persons is None:
            many = sums(up, self.by_value[place], len(ladder.labels))
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
        """The same; for tables whose combinations are divided, the combinations as a whole."""
        return self.combinations

    @property
    def of_entry(self) -> IntArray:
        """The combination of each entry of the whole tally, which also has the sensitive attributes."""
        return self._grouped[0]

    @property
    def counts(self) -> IntArray:
        """How many rows each combination has."""
        return self.combinations.counts

    @cached_property
    def missing(self) -> Mapping[str, int]:
        """How many cells of each column are missing, of columns that have any."""
        return self.facts.scope.missing

    @cached_property
    def rows(self) -> int:
        """How many rows the table has."""
        return self.combinations.rows

    @cached_property
    def codes(self) -> tuple[IntArray, ...]:
        """For each quasi-identifier, the value of each combination."""
        return tuple(self.combinations.columns[name].codes for name in self.facts.roles.quasi_identifiers)

    @cached_property
    def by_value(self) -> tuple[IntArray, ...]:
        """For each quasi-identifier, how many rows have each value."""
        return self.rows_by_value(slice(None))

    def rows_by_value(self, combinations: Mask | slice) -> tuple[IntArray, ...]:
        """Return, for each quasi-identifier, how many rows of some combinations have each value."""
        some = combinations if isinstance(combinations, slice) else np.flatnonzero(combinations)
        columns, counts = zip(self.codes, self.ladders, strict=True), self.counts[some]
        return tuple(sums(codes[some], counts, len(ladder.values)) for codes, ladder in columns)

    @cached_property
    def ladders(self) -> tuple[Ladder, ...]:
        """The quasi-identifiers, in the order of the table; a value that its hierarchy lacks is an error."""
        columns, marker = self.facts.columns, self.facts.marker
        _ = columns.cells
        values = {name: self.combinations.columns[name].values for name in self.facts.roles.quasi_identifiers}
        return tuple(Ladder.of(columns.hierarchy(name), values[name], marker) for name in values)

    @cached_property
    def sensitive(self) -> Mapping[str, Values]:
        """The values of each sensitive attribute by combination."""
        found, combinations = {}, len(self.counts)
        for name in self.facts.roles.sensitive:
            column = self.facts.released.columns[name]
            packed, unpack = pack([self.of_entry, column.codes], [combinations, len(column.values)])
            first, ids = ranked(packed, combinations * len(column.values))
            of_combination, codes = unpack(packed[first])
            counts = sums(ids, self.facts.released.counts, len(first))
            found[name] = Values(Coded(codes, column.values), of_combination, counts)
        return found

    @cached_property
    def vectors(self) -> Vectors:
        """The classes of level vectors. What is kept of them serves all searches."""
        return Vectors(self)

    def recoding(self, cells: Mapping[str, Coded], suppressed: Mask) -> Recoding:
        """Return what is written if combinations have these cells, and some of them are suppressed."""
        return Recoding(self.combinations, cells, suppressed)

    def labels(self, levels: Sequence[int | IntArray]) -> list[IntArray]:
        """Return, for each quasi-identifier, the label of each combination; levels may differ between combinations."""
        return [ladder.up[level, codes] for ladder, codes, level in zip(self.ladders, self.codes, levels, strict=True)]

    def released(self, labels: Sequence[IntArray], suppressed: Mask | None = None) -> LiftedFacts:
        """Return the facts of the release in which combinations have these labels, and some of them are suppressed."""
        cells = zip(self.ladders, labels, strict=True)
        return self.recoded({ladder.name: Coded(codes, ladder.labels) for ladder, codes in cells}, suppressed)

    def recoded(self, cells: Mapping[str, Coded], suppressed: Mask | None = None) -> LiftedFacts:
        """Return the facts of the release in which combinations have these cells, whether a hierarchy has them or not.

        Combinations whose cells are all the marker are suppressed, too.
        """
        columns = {name: cells[name] for name in self.facts.roles.quasi_identifiers}
        sizes = [len(column.values) for column in columns.values()]
        first, ids = ranked(pack([column.codes for column in columns.values()], sizes)[0], prod(sizes))
        marked = [column.codes == column.code(self.facts.marker) for column in columns.values()]
        gone = np.logical_and.reduce(marked)
        return LiftedFacts.of(
            Lift(self, ids, first, columns).without(gone if suppressed is None else gone | suppressed)
        )


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
