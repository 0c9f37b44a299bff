"""A release made from a sample, applied to the whole population that the sample is a part of."""

from __future__ import annotations

import numpy as np

from PETWorks.counting.lookup import Lookup
from PETWorks.counting.tally import Coded, Key, Tally
from PETWorks.errors import PopulationError
from PETWorks.making.lifted import LiftedFacts
from PETWorks.making.outcome import LevelsOf
from PETWorks.making.recoding import Recoding
from PETWorks.making.table import RawTable
from PETWorks.sources import Source


def population_recoding(population: RawTable, levels: LevelsOf, sample: LiftedFacts) -> Recoding:
    """Generalise everybody to the levels of a sample's release, and suppress whoever is in a class suppressed there.

    If the whole sample is suppressed, so is everybody: its levels then mean nothing.
    """
    ladders = population.ladders
    labels = population.labels([levels[ladder.name] for ladder in ladders])  # type: ignore[misc]  # one level each
    cells = {ladder.name: Coded(codes, ladder.labels) for ladder, codes in zip(ladders, labels, strict=True)}
    gone = np.flatnonzero(sample.lifted.suppressed)
    classes: dict[Key, Coded] = {name: sample.lifted.labels[name].take(gone) for name in cells}
    found = Lookup(Tally(classes, sample.lifted.table.counts[gone])).find([*cells.values()])
    facts = population.recoded(cells, (found >= 0) | sample.lifted.suppressed.all())
    return Recoding(population.combinations, facts.cells_by_combination, facts.lifted.suppressed)


def require_part(part: Source, whole: Source, name: str) -> None:
    """Raise an error unless every row of a table, in the columns of both, occurs in another one at least as often."""
    columns = [column for column in whole.columns if column in part.columns]
    rows, all_rows = part.tally(columns), whole.tally(columns)
    found = Lookup(all_rows).find([rows.columns[column] for column in columns])
    there = np.where(found < 0, 0, all_rows.counts[found])
    if lacking := int(np.maximum(rows.counts - there, 0).sum()):
        problem = f"{lacking:,} of the {rows.rows:,} rows of {name} do not occur in {whole.name}, or not as often"
        raise PopulationError(problem, where=part.name, hint=f"take {name} from the rows of {whole.name}")
