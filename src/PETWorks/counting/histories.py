"""Histories: all rows of a person together, as a multiset of combinations. People with the same history are alike.

>>> persons = Persons(np.array([0, 0, 0, 1, 1]), np.array([0, 1, 2, 0, 2]), np.array([2, 2, 1, 1, 1]), people=3)
>>> histories_of(persons).of_person.tolist()  # the first has 0, 0 and 1, the second 0 and 0, the third 0 and 1
[2, 0, 1]
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from PETWorks.counting.persons import Persons
from PETWorks.counting.tally import IntArray, pack

NOBODY = -1


@dataclass(frozen=True, eq=False)
class Histories:
    """The history of each person as a number, and what each history is made of. Shorter ones have smaller numbers.

    Numbers depend on the combinations only, not on how persons are numbered.
    """

    of_person: IntArray  # NOBODY for a person without rows
    starts: IntArray  # by history, where its combinations begin
    lengths: IntArray  # by history, how many different combinations it has
    combinations: IntArray
    rows: IntArray  # beside each of these, how many rows of a person have it

    def __len__(self) -> int:
        """Return the number of different histories."""
        return len(self.starts)

    def of(self, index: int) -> list[tuple[int, int]]:
        """Return the combinations of a history, each with its number of rows."""
        here = slice(int(self.starts[index]), int(self.starts[index] + self.lengths[index]))
        return list(zip(self.combinations[here].tolist(), self.rows[here].tolist(), strict=True))


def histories_of(persons: Persons) -> Histories:
    """Find the history of each person, from the distinct pairs of combination and person."""
    order = np.argsort(persons.of_person, kind="stable")  # pairs are sorted by combination
    person, combination, rows = (one[order] for one in (persons.of_person, persons.of_entry, persons.rows))
    lengths = np.bincount(person, minlength=persons.people)
    present = np.flatnonzero(lengths)
    lengths = lengths[present]
    starts = np.cumsum(lengths) - lengths
    packed, _ = pack([combination, rows], [int(combination.max(initial=0)) + 1, int(rows.max(initial=0)) + 1])
    tokens, ranks = np.unique(packed, return_inverse=True)
    found = np.zeros(len(present), dtype=np.int64)
    longer = np.arange(len(present))
    for place in range(int(lengths.max(initial=0))):
        longer = longer[lengths[longer] > place]
        keys = found[longer] * len(tokens) + ranks[starts[longer] + place]
        found[longer] = np.unique(keys, return_inverse=True)[1]
    _, first, numbers = np.unique(lengths * (len(present) + 1) + found, return_index=True, return_inverse=True)
    of_person = np.full(persons.people, NOBODY)
    of_person[present] = numbers
    return Histories(of_person, starts[first], lengths[first], combination, rows)
