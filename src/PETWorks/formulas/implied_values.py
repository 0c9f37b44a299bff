"""Sensitive values that imply others: everybody of a class who holds the one holds the other, too.

Only people with several rows can hold several values. A value does not make a class more diverse than the value that it
implies: who is known not to hold the one cannot hold the other.
"""

from __future__ import annotations

import numpy as np

from PETWorks.counting.tally import IntArray, pack
from PETWorks.facts.spread import Holders, Spread

AT_ONCE = 2**22  # how many holders of values are looked at together


def most_implied(spread: Spread, holders: Holders) -> IntArray:
    """Return, for each class, the most values that imply one and the same other value."""
    classes, values = len(spread.classes.sizes), max(len(spread.values), 1)
    most = np.zeros(classes, dtype=np.int64)
    sizes = [max(classes, 1), max(holders.people, 1), values]
    triples, _ = pack([holders.of_class, holders.of_person, holders.of_value], sizes)
    search = _Search(triples.astype(np.int64), spread, values)
    entries, implied = search.found()
    if len(entries):
        keys, counts = np.unique(spread.of_class[entries].astype(np.int64) * values + implied, return_counts=True)
        np.maximum.at(most, keys // values, counts)
    return most


class _Search:
    """The holders of each value of each class, who are asked for further values, those with fewest values first."""

    def __init__(self, triples: IntArray, spread: Spread, values: int) -> None:
        self.triples, self.values = triples, values  # sorted: those of a class and person stand together
        self.person = triples // values
        changes = np.append(True, self.person[1:] != self.person[:-1])[: len(triples)]
        self.first = np.flatnonzero(changes)
        held = np.diff(np.append(self.first, len(triples)))
        self.of_person = np.cumsum(changes) - 1
        self.held = held[self.of_person]  # by triple, how many values its person has in the class
        entry = _entries(spread, triples % values, values)
        self.order = np.lexsort((self.held, entry))
        self.counts = spread.counts
        self.starts = np.cumsum(spread.counts) - spread.counts

    def found(self) -> tuple[IntArray, IntArray]:
        """Return the values that imply others, as entries of the spread, and beside each the value that it implies."""
        fewest = self.order[self.starts] if len(self.starts) else self.order
        several = np.flatnonzero(self.held[fewest] > 1)
        begin = self.first[self.of_person[fewest[several]]]
        entries, offsets = _spelt_out(self.held[fewest[several]])
        implied = self.triples[begin[entries] + offsets] % self.values
        own = self.triples[fewest[several]] % self.values
        other = implied != own[entries]
        entries, implied = several[entries[other]], implied[other]
        asked = 1  # holders of each value who were asked so far
        while (self.counts[entries] > asked).any():
            kept = np.ones(len(entries), dtype=bool)
            further = np.flatnonzero(self.counts[entries] > asked)
            many = np.minimum(self.counts[entries[further]], 2 * asked) - asked
            for some in np.array_split(np.arange(len(further)), int(many.sum()) // AT_ONCE + 1):
                place, offset = _spelt_out(many[some])
                which = further[some[place]]
                kept[which[~self._holds(entries[which], asked + offset, implied[which])]] = False
            entries, implied, asked = entries[kept], implied[kept], 2 * asked
        return entries, implied

    def _holds(self, entries: IntArray, number: IntArray, value: IntArray) -> IntArray:
        """Return True where the numbered holder of an entry's value holds another value, too."""
        wanted = self.person[self.order[self.starts[entries] + number]] * self.values + value
        place = np.minimum(np.searchsorted(self.triples, wanted), len(self.triples) - 1)
        found: IntArray = self.triples[place] == wanted
        return found


def _entries(spread: Spread, of_value: IntArray, values: int) -> IntArray:
    """Return the entry of the spread that each triple belongs to."""
    assert spread.holders is not None  # noqa: S101
    keys = spread.of_class.astype(np.int64) * values + spread.of_value
    return np.searchsorted(keys, spread.holders.of_class.astype(np.int64) * values + of_value)


def _spelt_out(lengths: IntArray) -> tuple[IntArray, IntArray]:
    """Return, for runs of some lengths, the run of each member and its place in the run.

    >>> _spelt_out(np.array([2, 1]))
    (array([0, 0, 1]), array([0, 1, 0]))
    """
    of_run = np.repeat(np.arange(len(lengths)), lengths)
    return of_run, np.arange(len(of_run)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
