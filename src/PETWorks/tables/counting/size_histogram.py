"""The summary (`SizeSummary`) of a table whose tally does not fit in memory: its size, and the sizes of its classes.

A table of N rows has at most √(2N) different class sizes, so a summary is small even for a very large table. The
summaries of two parts of a table can be added if no class has rows in both parts.

A person may have rows in every part of such a table. `SizesByPerson` therefore writes the people of each class to disk
once more, with the size of the class, in parts by person. So nobody is counted twice.

>>> with SizesByPerson(None) as people:
...     people.put(Coded.of(["A", "B"]), np.array([2, 2]))
...     people.put(Coded.of(["C", "A"]), np.array([0, 1]))
...     smallest, everybody = people.count_people()
>>> sorted(smallest.items()), sorted(everybody.items())
([(0, 1), (1, 1), (2, 1)], [(1, 1), (2, 2)])
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from PETWorks.errors import TooLargeError
from PETWorks.tables.counting.tally import Coded, IntArray, Key, Mask, Tally, find_distinct
from PETWorks.tables.counting.texts import Texts, unify
from PETWorks.tables.counting.workspace import Spill

Histogram = Counter[int]


class SizesByPerson(ExitStack):
    """A file with the sizes of each person's classes; suppressed rows count as size 0."""

    def __init__(self, folder: str | None) -> None:
        super().__init__()
        self._folder, self._spill = folder, None

    _spill: Spill | None  # None: nothing was written yet

    def put(self, persons: Coded, sizes: IntArray) -> None:
        """Write the persons of some classes, with the sizes of these classes."""
        if self._spill is None:
            self._spill = self.enter_context(Spill(self._folder, ["person"]))
        of_person, sizes = _find_pairs(persons.codes, sizes)
        self._spill.put(Tally({"person": Coded(of_person, persons.values)}, sizes))

    def count_people(self) -> tuple[Histogram, Histogram]:
        """Count people by the size of their smallest class (0: all their rows are suppressed), and by all sizes.

        A person with classes of several sizes counts once in the first histogram, and once for each size in the second.
        """
        smallest, every = Histogram(), Histogram()
        for _, pieces in self._spill.read_parts() if self._spill else ():
            several = [(Texts.of(persons.values), persons.codes, sizes) for (persons,), sizes in pieces]
            of_person, sizes = _find_pairs(_number_persons(several), np.concatenate([sizes for *_, sizes in several]))
            people = len(find_distinct(of_person))
            of_person, sizes = of_person[sizes > 0], sizes[sizes > 0]
            first = np.append(True, of_person[1:] != of_person[:-1])[: len(of_person)]  # sizes are sorted
            smallest += Histogram(sizes[first].tolist()) + Histogram({0: people - int(first.sum())})
            every += Histogram(sizes.tolist())
        return smallest, every


def _number_persons(several: Sequence[tuple[Texts, IntArray, IntArray]]) -> IntArray:
    """Return a number for the person of each pair, the same one in all pieces."""
    _, numbers = unify([texts for texts, *_ in several])
    starts = np.cumsum([0, *(len(texts) for texts, *_ in several)])
    return np.concatenate([numbers[start:][codes] for start, (_, codes, _) in zip(starts, several, strict=False)])


def _find_pairs(of_person: IntArray, sizes: IntArray) -> tuple[IntArray, IntArray]:
    """Return the distinct pairs of person and size, sorted."""
    space = int(sizes.max(initial=0)) + 1
    return np.divmod(find_distinct(of_person.astype(np.int64) * space + sizes), space)


class Grouping(NamedTuple):
    """The columns that form classes, and the marker of suppressed cells."""

    keys: tuple[Key, ...]
    marker: str = ""  # "" matches no cell: empty cells are read as missing
    person: Key | None = None  # the column that names the person; classes then have people

    def find_suppressed(self, tally: Tally) -> Mask:
        """Return a mask of the combinations in which all these columns are suppressed."""
        columns = [tally.columns[key] for key in self.keys]
        marked: Mask = np.all([column.codes == column.code(self.marker) for column in columns], axis=0)
        return marked

    def merge_unnamed(self, tally: Tally) -> tuple[Tally, int]:
        """Return the combinations with suppressed persons made missing, and the rows of these persons.

        Two combinations may then be equal. Without a person column nothing changes.
        """
        if self.person is None:
            return tally, 0
        column = tally.columns[self.person]
        texts = Texts.of(column.values)
        if not (suppressed := texts.find([self.marker])):
            return tally, 0
        marked = np.isin(column.codes, suppressed)
        nobody = texts.find([None, self.marker])
        codes = np.where(np.isin(column.codes, nobody), nobody[0], column.codes)
        columns = {**tally.columns, self.person: Coded(codes, texts.clear(nobody))}
        return Tally(columns, tally.counts), int(tally.counts[marked].sum())


@dataclass(frozen=True)
class SizeSummary:
    """The numbers of rows, combinations and suppressed rows, the histogram of class sizes, and the missing cells.

    Sizes are numbers of rows; if rows have persons, `crowds` has the people and rows of the classes. Since a person
    counts there in each of their classes, people are also counted in `smallest` and `holders`, which only the summary
    of a whole table has.
    """

    rows: int = 0
    combinations: int = 0
    suppressed: int = 0  # number of suppressed rows
    histogram: Mapping[int, int] = field(default_factory=dict)  # how many classes there are of each size
    missing: Mapping[Key, int] = field(default_factory=dict)  # number of missing cells, by column
    crowds: Mapping[tuple[int, int], int] = field(default_factory=dict)  # how many classes have so many people and rows
    suppressed_people: int = 0  # people who have suppressed rows; rows without a person are one person together
    unnamed: int = 0  # rows without a person: the cell is missing or suppressed
    marked: int = 0  # of these, rows whose person is suppressed
    person: Key | None = None  # the column that names the person
    smallest: Mapping[int, int] = field(
        default_factory=dict
    )  # people by the size of their smallest class; 0 if they have none
    holders: Mapping[int, int] = field(default_factory=dict)  # how many people have a class of each size

    @property
    def people(self) -> int:
        """The number of people; rows without a person are one person together."""
        return sum(self.smallest.values())

    @property
    def several(self) -> bool:
        """True if rows have persons, and somebody has several rows."""
        return self.person is not None and self.people < self.rows

    @classmethod
    def of(cls, tally: Tally, grouping: Grouping, people: SizesByPerson | None = None) -> SizeSummary:
        """Summarise a tally that has all rows of its classes; the sizes by person are added to `people`."""
        suppressed = grouping.find_suppressed(tally)
        named, marked = grouping.merge_unnamed(tally)
        missing = count_missing_cells(named)
        summary = cls(
            tally.rows,
            len(tally.counts),
            int(tally.counts[suppressed].sum()),
            _count_sizes(tally.where(~suppressed).count_by(grouping.keys)),
            missing,
        )
        if grouping.person is None:
            return summary
        unnamed = missing.pop(grouping.person, 0)
        pairs = named.select([*grouping.keys, grouping.person])
        hidden = grouping.find_suppressed(pairs)
        ids, classes = pairs.where(~hidden).group(grouping.keys)
        crowd = np.bincount(ids, minlength=len(classes.counts))
        if people is not None:
            sizes = np.zeros(len(hidden), dtype=np.int64)
            sizes[~hidden] = crowd[ids]
            people.put(pairs.columns[grouping.person], sizes)
        return replace(
            summary,
            crowds=count_class_sizes(crowd, classes.counts),
            suppressed_people=int(hidden.sum()),
            unnamed=unnamed,
            marked=marked,
            person=grouping.person,
        )

    def __add__(self, other: SizeSummary) -> SizeSummary:
        """Add the summary of another part of the table, which shares no class with this one, but perhaps people."""
        return SizeSummary(
            self.rows + other.rows,
            self.combinations + other.combinations,
            self.suppressed + other.suppressed,
            Counter(self.histogram) + Counter(other.histogram),
            Counter(self.missing) + Counter(other.missing),
            Counter(self.crowds) + Counter(other.crowds),
            self.suppressed_people + other.suppressed_people,
            self.unnamed + other.unnamed,
            self.marked + other.marked,
            self.person or other.person,
        )


def count_class_sizes(people: IntArray, rows: IntArray) -> Counter[tuple[int, int]]:
    """Count classes by their numbers of people and rows."""
    return Counter(zip(people.tolist(), rows.tolist(), strict=True))


def _count_sizes(sizes: IntArray) -> dict[int, int]:
    different, times = np.unique(sizes, return_counts=True)
    return dict(zip(different.tolist(), times.tolist(), strict=True))


def count_missing_cells(tally: Tally) -> dict[Key, int]:
    """Count the missing cells of each column that has any."""
    counts = {key: tally.counts[column.codes == column.code(None)].sum() for key, column in tally.columns.items()}
    return {key: int(cells) for key, cells in counts.items() if cells}


def summarise_if_too_large(tally: Callable[[], Tally]) -> SizeSummary | None:
    """Return the summary of a table whose tally does not fit in memory; None if it fits."""
    try:
        tally()
    except TooLargeError as error:
        return error.summary
    return None
