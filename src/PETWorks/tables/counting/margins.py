"""Count the values of each column separately, in one pass: by rows and, with a person column, by people.

>>> from PETWorks.tables.counting.tally import Coded
>>> margins = count_each("table", ["sex"], [[Coded.of(["m", "f", "m"])], [Coded.of([None, "m"])]])
>>> dict(zip(margins["sex"].values, margins["sex"].counts.tolist(), strict=True))
{'m': 3, 'f': 1, None: 1}
>>> rows = [Coded.of(["m", "m", "f"]), Coded.of(["Ann", "Ann", "Bob"])]
>>> count_each("table", ["sex", "who"], [rows], person="who")["sex"].holders.tolist()
[1, 1]

People are counted by the distinct pairs of value and person, as 64-bit keys.

>>> holders = PeopleCounter()
>>> holders.add(np.array([0, 0, 1]), np.array([7, 7, 7]))
>>> holders.add(np.array([0]), np.array([8]))
>>> holders.count_people(values=2).tolist()
[2, 1]
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from PETWorks.progress import report_rows
from PETWorks.tables.counting.builder import VALUE_BYTES
from PETWorks.tables.counting.count import COUNTING_SHARE, Batch, build_empty_error
from PETWorks.tables.counting.tally import Coded, IntArray, Tally, Value, find_distinct, recode
from PETWorks.tables.counting.workspace import Prefetch, Workspace

PERSON_BITS = 32  # the bits of a key that hold the person
PAIR_BYTES = 24  # approximate memory to hold and sort a pair


class PeopleCounter:
    """Counts the people who have each value of a column, by distinct pairs of value and person."""

    def __init__(self) -> None:
        self._merged = np.zeros(0, dtype=np.int64)
        self._recent: list[IntArray] = []

    @property
    def pairs(self) -> int:
        """The number of stored pairs, some of which may be equal."""
        return len(self._merged) + sum(map(len, self._recent))

    def add(self, values: IntArray, persons: IntArray) -> None:
        """Add pairs."""
        self._recent.append(values << PERSON_BITS | persons)
        if self.pairs > 2 * len(self._merged):
            self._merge()

    def count_people(self, values: int) -> IntArray:
        """Return how many people have each value; `values` is the number of values."""
        self._merge()
        return np.bincount(self._merged >> PERSON_BITS, minlength=values)

    def _merge(self) -> None:
        self._merged, self._recent = find_distinct(np.concatenate([self._merged, *self._recent])), []


def find_pairs(column: Coded, person: Coded) -> tuple[IntArray, IntArray]:
    """Return the distinct pairs of value and person in a batch, as codes of the batch."""
    people = len(person.values)
    return np.divmod(find_distinct(column.codes.astype(np.int64) * people + person.codes), max(people, 1))


class Margin(NamedTuple):
    """The counts of the values of a column, in no particular order."""

    values: Sequence[Value]
    counts: IntArray
    complete: bool = True  # False: there are too many values for the memory, and these are the first ones
    holders: IntArray | None = None  # how many people have each value; None: not counted, or too many for the memory

    @classmethod
    def of(cls, tally: Tally) -> Margin:
        """Build the counts from the tally of a single column."""
        (column,) = tally.columns.values()
        return cls([column.values[code] for code in column.codes.tolist()], tally.counts)


class _ColumnPart(NamedTuple):
    """A column of a batch of rows."""

    values: Sequence[Value]
    counts: IntArray
    pairs: tuple[IntArray, IntArray] | None  # of value and person; None where people are not counted


class _ColumnCounter:
    """Counts the values of a column."""

    def __init__(self, holders: PeopleCounter | None) -> None:
        self.lexicon: dict[Value, int] = {}
        self.holders = holders
        self._parts: list[tuple[IntArray, IntArray]] = []

    @property
    def pairs(self) -> int:
        return self.holders.pairs if self.holders else 0

    def add(self, part: _ColumnPart) -> IntArray:
        """Count a part; return the codes of its values."""
        codes = recode(self.lexicon, part.values)
        self._parts.append((codes, part.counts))
        return codes

    def build(self, *, complete: bool = True) -> Margin:
        codes, counts = (np.concatenate(parts) for parts in zip(*self._parts, strict=True))
        summed = np.bincount(codes, weights=counts, minlength=len(self.lexicon)).astype(np.int64)
        holders = self.holders.count_people(len(self.lexicon)) if self.holders and complete else None
        return Margin(list(self.lexicon), summed, complete, holders)


def count_each(
    name: str,
    columns: Sequence[str],
    batches: Iterable[Batch],
    workspace: Workspace | None = None,
    person: str | None = None,
) -> Mapping[str, Margin]:
    """Count the values of each column; if `person` names a column, also the people of each value.

    If the memory does not suffice, people are no longer counted in the column with most pairs of value and person. Then
    a column whose values alone take too much memory is counted no further.
    """
    most = (workspace or Workspace()).memory * COUNTING_SHARE
    counters, done, rows = (
        {one: _ColumnCounter(PeopleCounter() if person else None) for one in columns},
        dict[str, Margin](),
        0,
    )
    with Prefetch(partial(_count_batch, None if person is None else columns.index(person)), batches) as work:
        for _, counted in work:
            _add_batch(dict(zip(columns, counted, strict=True)), counters, person)
            rows += (read := int(counted[0].counts.sum()))
            report_rows(read)
            while _estimate_memory(counters) > most:
                crowded = max(counters, key=lambda column: counters[column].pairs)
                if counters[crowded].pairs:
                    counters[crowded].holders = None
                    continue
                largest = max(counters, key=lambda column: len(counters[column].lexicon))
                done[largest] = counters.pop(largest).build(complete=False)
    if not rows:
        raise build_empty_error(name)
    done |= {column: counter.build() for column, counter in counters.items()}
    return {column: done[column] for column in columns}


def _estimate_memory(counters: Mapping[str, _ColumnCounter]) -> int:
    return sum(VALUE_BYTES * len(one.lexicon) + PAIR_BYTES * one.pairs for one in counters.values())


def _add_batch(parts: Mapping[str, _ColumnPart], counters: Mapping[str, _ColumnCounter], person: str | None) -> None:
    """Count the columns of a batch."""
    codes = {column: counter.add(parts[column]) for column, counter in counters.items()}
    for column, counter in counters.items():
        if counter.holders is None or (pairs := parts[column].pairs) is None or person is None:
            continue
        if person not in counters:  # too many people
            counter.holders = None
        else:
            counter.holders.add(codes[column][pairs[0]], codes[person][pairs[1]])


def _count_batch(person: int | None, batch: Batch) -> list[_ColumnPart]:
    """Return the distinct values of each column of a batch, their counts, and their pairs with persons."""
    trimmed = [column.trim() for column in batch]
    return [_count_column(column, None if person is None else trimmed[person]) for column in trimmed]


def _count_column(column: Coded, person: Coded | None) -> _ColumnPart:
    counts = np.bincount(column.codes, minlength=len(column.values))
    return _ColumnPart(column.values, counts, None if person is None else find_pairs(column, person))
