"""A table in which rows are suppressed by person: rows of one combination, but of different persons, may part ways."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from PETWorks.counting.persons import Persons
from PETWorks.counting.size_histogram import Grouping
from PETWorks.counting.tally import Coded, IntArray, Mask, Tally, ranked, sums
from PETWorks.facts.memo import Memo, kept
from PETWorks.making.recoding import Recoding
from PETWorks.making.table import RawTable
from PETWorks.making.unchanged import Unchanged


@dataclass(frozen=True, eq=False)
class ByPerson(Unchanged):
    """The tallies of an original with an entry for each combination and person."""

    pairs: Persons

    @kept
    def released(self) -> Tally:
        """The quasi-identifiers and sensitive attributes; entries of several persons may have the same values."""
        columns = {name: column.take(self.pairs.of_entry) for name, column in self.facts.released.columns.items()}
        return Tally(columns, self.pairs.rows)

    @kept
    def persons(self) -> Persons:
        """Whose rows they are: each entry has one person."""
        return replace(self.pairs, of_entry=np.arange(len(self.pairs.rows)))


@dataclass(frozen=True, eq=False)
class PersonTable(RawTable):
    """The same table, with what one person has of a combination in the place of combinations."""

    @classmethod
    def dividing(cls, whole: RawTable) -> RawTable:
        """Divide the combinations of a table by person; if nobody has several rows, they stay as they are."""
        if (pairs := whole.facts.persons) is None:
            return whole
        return cls(replace(whole.facts, _changed=ByPerson(whole.facts, pairs), _memo=Memo()))

    @cached_property
    def _by_combination(self) -> tuple[IntArray, Tally]:
        return self.facts.released.grouped(self.facts.roles.quasi_identifiers)

    @cached_property
    def _grouped(self) -> tuple[IntArray, Tally]:
        (ids, tally), persons = self._by_combination, self.facts.all_persons
        assert persons is not None  # noqa: S101 (of this kind of table)
        keys = ids.astype(np.int64) * persons.people + persons.of_person
        first, units = ranked(keys, len(tally.counts) * persons.people)
        columns = {name: column.take(ids[first]) for name, column in tally.columns.items()}
        return units, Tally(columns, sums(units, self.facts.released.counts, len(first)))

    @property
    def distinct(self) -> Tally:
        """The combinations, whoever has them."""
        return self._by_combination[1]

    def recoding(self, cells: Mapping[str, Coded], suppressed: Mask) -> Recoding:
        """Return what is written: rows are found by their quasi-identifiers and the cell that names the person.

        Rows without a person, which have the marker or nothing there, are found by either.
        """
        tables, names = self.facts._tables, self.facts.roles.quasi_identifiers  # noqa: SLF001 (of our own)
        named = tables.held([], names, Grouping(names, self.facts.marker)).names
        nobody = [code for code, name in enumerate(named) if name is None or name == self.facts.marker]
        persons = self.pairs.of_person
        unnamed = np.isin(persons, nobody) | (persons >= len(named))
        chosen = np.concatenate([np.flatnonzero(~unnamed), *(np.flatnonzero(unnamed) for _ in nobody)])
        codes = np.concatenate([persons[~unnamed], *(np.full(int(unnamed.sum()), code) for code in nobody)])
        counts = self.counts[chosen]
        counts[len(persons) :] = 0  # the same rows once more
        before = {name: column.take(chosen) for name, column in self.combinations.columns.items()}
        return Recoding(
            Tally({**before, str(tables.people.column): Coded(codes, named)}, counts),
            {name: column.take(chosen) for name, column in cells.items()},
            suppressed[chosen],
        )
