"""Find the rows of a person when a release is written: by quasi-identifiers, and the cell that names the person."""

from __future__ import annotations

import numpy as np

from PETWorks.counting.size_histogram import Grouping
from PETWorks.counting.tally import Coded, Tally
from PETWorks.making.recoding import Recoding
from PETWorks.making.table import RawTable


def with_persons(recoding: Recoding, table: RawTable) -> Recoding:
    """Return a recoding whose combinations are those of persons, so that rows are found by the person, too.

    Rows without a person, which have the marker or nothing, are found by either.
    """
    facts = table.facts
    tables, names = facts._tables, facts.roles.quasi_identifiers  # noqa: SLF001 (of our own)
    cells = tables.held([], names, Grouping(names, facts.marker)).names
    nobody = [code for code, name in enumerate(cells) if name is None or name == facts.marker]
    persons = table.pairs.of_person
    unnamed = np.isin(persons, nobody) | (persons >= len(cells))
    rows = [np.flatnonzero(~unnamed), *(np.flatnonzero(unnamed) for _ in nobody)]
    codes = [persons[~unnamed], *(np.full(int(unnamed.sum()), code) for code in nobody)]
    chosen = np.concatenate(rows)
    counts = recoding.before.counts[chosen]
    counts[len(persons) :] = 0  # the same rows once more
    column = Coded(np.concatenate(codes), cells)
    before = {name: one.take(chosen) for name, one in recoding.before.columns.items()}
    return Recoding(
        Tally({**before, str(tables.people.column): column}, counts),
        {name: one.take(chosen) for name, one in recoding.after.items()},
        recoding.suppressed[chosen],
    )
