"""The sizes of everybody's classes, of a table whose pairs of class and person do not fit in memory.

A person may have rows in every part of such a table. So for each class its people are written to disk once more, with
the size of the class, and in other parts: all pairs of a person are in one. Nobody is counted twice then.

>>> with SizesByPerson(None) as people:
...     people.put(Coded.of(["A", "B"]), np.array([2, 2]))
...     people.put(Coded.of(["C", "A"]), np.array([0, 1]))
...     smallest, everybody = people.smallest_and_all()
>>> sorted(smallest.items()), sorted(everybody.items())
([(0, 1), (1, 1), (2, 1)], [(1, 1), (2, 2)])
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack

import numpy as np

from PETWorks.counting.sorted_keys import distinct
from PETWorks.counting.spill import Spill
from PETWorks.counting.tally import Coded, IntArray, Tally
from PETWorks.counting.texts import Texts, unified

Histogram = Counter[int]


class SizesByPerson(ExitStack):
    """A file of persons, each with the sizes of their classes; the size of suppressed rows is 0."""

    def __init__(self, folder: str | None) -> None:
        super().__init__()
        self._folder, self._spill = folder, None

    _spill: Spill | None  # None: nothing was written yet

    def put(self, persons: Coded, sizes: IntArray) -> None:
        """Write the persons of some classes, with the sizes of these."""
        if self._spill is None:
            self._spill = self.enter_context(Spill(self._folder, ["person"]))
        of_person, sizes = _pairs(persons.codes, sizes)
        self._spill.put(Tally({"person": Coded(of_person, persons.values)}, sizes))

    def smallest_and_all(self) -> tuple[Histogram, Histogram]:
        """Count people by the size of their smallest class (0: all their rows are suppressed), and by all sizes.

        Who has classes of several sizes counts once in the first histogram, and for each of these in the second.
        """
        smallest, every = Histogram(), Histogram()
        for _, pieces in self._spill.parts() if self._spill else ():
            several = [(Texts.of(persons.values), persons.codes, sizes) for (persons,), sizes in pieces]
            of_person, sizes = _pairs(_same_persons(several), np.concatenate([sizes for *_, sizes in several]))
            people = len(distinct(of_person))
            of_person, sizes = of_person[sizes > 0], sizes[sizes > 0]
            first = np.append(True, of_person[1:] != of_person[:-1])[: len(of_person)]  # sizes are sorted
            smallest += Histogram(sizes[first].tolist()) + Histogram({0: people - int(first.sum())})
            every += Histogram(sizes.tolist())
        return smallest, every


def _same_persons(several: Sequence[tuple[Texts, IntArray, IntArray]]) -> IntArray:
    """Return a number for the person of each pair; the same person has the same one in all pieces."""
    _, numbers = unified([texts for texts, *_ in several])
    starts = np.cumsum([0, *(len(texts) for texts, *_ in several)])
    return np.concatenate([numbers[start:][codes] for start, (_, codes, _) in zip(starts, several, strict=False)])


def _pairs(of_person: IntArray, sizes: IntArray) -> tuple[IntArray, IntArray]:
    """Return the distinct pairs of person and size, sorted."""
    space = int(sizes.max(initial=0)) + 1
    return np.divmod(distinct(of_person.astype(np.int64) * space + sizes), space)
