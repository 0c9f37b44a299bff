"""The diversity of the sensitive values of each class: number, entropy, and the recursive ratio.

If people have several rows, one value can imply another: everybody of a class who has the one has the other, too. A
value does not make a class more diverse than the value that it implies, since a person who is known not to have the one
cannot have the other.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from PETWorks.exact.scores import FloatArray, Logarithms, Ratios
from PETWorks.exact.sums import Bits
from PETWorks.facts.facts import Facts
from PETWorks.facts.spread import PeopleByClassAndValue, Spread
from PETWorks.measure.formulas.floors import shortfall
from PETWorks.measure.steps import LISTED, Step, Terms
from PETWorks.tables.counting.tally import IntArray, Mask, pack

MAX_HOLDERS_AT_ONCE = 2**22  # the most pairs of person and value that are examined together


def count_most_implied(spread: Spread, holders: PeopleByClassAndValue) -> IntArray:
    """Return, for each class, the largest number of its values that imply the same other value."""
    classes, values = len(spread.classes.sizes), max(len(spread.values), 1)
    most = np.zeros(classes, dtype=np.int64)
    sizes = [max(classes, 1), max(holders.people, 1), values]
    triples, _ = pack([holders.of_class, holders.of_person, holders.of_value], sizes)
    search = _Search(triples.astype(np.int64), spread, values)
    entries, implied = search.find_implications()
    if len(entries):
        keys, counts = np.unique(spread.of_class[entries].astype(np.int64) * values + implied, return_counts=True)
        np.maximum.at(most, keys // values, counts)
    return most


class _Search:
    """Finds, for each class, values whose people all have another value, too; values of few people come first."""

    def __init__(self, triples: IntArray, spread: Spread, values: int) -> None:
        self.triples, self.values = triples, values  # sorted: those of a class and person stand together
        self.person = triples // values
        changes = np.append(True, self.person[1:] != self.person[:-1])[: len(triples)]
        self.first = np.flatnonzero(changes)
        held = np.diff(np.append(self.first, len(triples)))
        self.of_person = np.cumsum(changes) - 1
        self.held = held[self.of_person]  # by triple, the number of values of its person in the class
        entry = _find_entries(spread, triples % values, values)
        self.order = np.lexsort((self.held, entry))
        self.counts = spread.counts
        self.starts = np.cumsum(spread.counts) - spread.counts

    def find_implications(self) -> tuple[IntArray, IntArray]:
        """Return the values that imply others, as entries of the spread, and the implied value of each."""
        fewest = self.order[self.starts] if len(self.starts) else self.order
        several = np.flatnonzero(self.held[fewest] > 1)
        begin = self.first[self.of_person[fewest[several]]]
        entries, offsets = _expand_runs(self.held[fewest[several]])
        implied = self.triples[begin[entries] + offsets] % self.values
        own = self.triples[fewest[several]] % self.values
        other = implied != own[entries]
        entries, implied = several[entries[other]], implied[other]
        asked = 1  # people of each value who were examined so far
        while (self.counts[entries] > asked).any():
            kept = np.ones(len(entries), dtype=bool)
            further = np.flatnonzero(self.counts[entries] > asked)
            many = np.minimum(self.counts[entries[further]], 2 * asked) - asked
            for some in np.array_split(np.arange(len(further)), int(many.sum()) // MAX_HOLDERS_AT_ONCE + 1):
                place, offset = _expand_runs(many[some])
                which = further[some[place]]
                kept[which[~self._holds(entries[which], asked + offset, implied[which])]] = False
            entries, implied, asked = entries[kept], implied[kept], 2 * asked
        return entries, implied

    def _holds(self, entries: IntArray, number: IntArray, value: IntArray) -> IntArray:
        """Return True where a certain person with an entry's value has another value, too."""
        wanted = self.person[self.order[self.starts[entries] + number]] * self.values + value
        place = np.minimum(np.searchsorted(self.triples, wanted), len(self.triples) - 1)
        found: IntArray = self.triples[place] == wanted
        return found


def _find_entries(spread: Spread, of_value: IntArray, values: int) -> IntArray:
    """Return the entry of the spread that each triple belongs to."""
    assert spread.holders is not None  # noqa: S101
    keys = spread.of_class.astype(np.int64) * values + spread.of_value
    return np.searchsorted(keys, spread.holders.of_class.astype(np.int64) * values + of_value)


def _expand_runs(lengths: IntArray) -> tuple[IntArray, IntArray]:
    """Return, for runs of given lengths, the run of each member and its position in the run.

    >>> _expand_runs(np.array([2, 1]))
    (array([0, 0, 1]), array([0, 1, 0]))
    """
    of_run = np.repeat(np.arange(len(lengths)), lengths)
    return of_run, np.arange(len(of_run)) - np.repeat(np.cumsum(lengths) - lengths, lengths)


def count_diverse_values(spread: Spread) -> IntArray:
    """Return, for each class, the number of its different values.

    If people have several rows, one person can have several values. Then the result is the largest l so that, for every
    value, at least l - 1 other values occur among the people without it, and there are at least l people.
    """
    values = np.bincount(spread.of_class, minlength=len(spread.classes))
    if spread.holders is None:
        return values
    return np.minimum(spread.classes.sizes, values - count_most_implied(spread, spread.holders))


@dataclass(frozen=True, eq=False)
class _ClassEntropies:
    """The entropies of the values of all classes, as sums of logarithms."""

    spread: Spread  # by shares
    most: IntArray | None  # by class, an upper bound on 2 to the power of the entropy; None: there is none

    def bits(self, index: int) -> Bits:
        """Return the entropy of a class in bits."""
        size = int(self.spread.sizes[index])
        found = Bits({size: 1}) - Bits.of(self.spread.counts_in(index)) * Fraction(1, size)
        if self.most is None:
            return found
        limit = Bits({int(self.most[index]): 1})
        return limit if (found - limit).sign() > 0 else found

    def marks(self, indices: IntArray) -> list[IntArray]:
        """Return the patterns of the shares, and the bounds."""
        patterns = self.spread.patterns[indices]
        return [patterns] if self.most is None else [patterns, self.most[indices]]


def compute_entropies(spread: Spread) -> Logarithms:
    """Return, for each class, 2 to the power of the entropy of its values in bits.

    If people have several rows, that is the entropy of shares that add up to 1, and at most the number of values that
    `count_diverse_values` returns.
    """
    most, spread = count_diverse_values(spread), spread.by_shares
    weighted = spread.counts * np.log2(spread.counts)
    sizes = spread.sizes
    mean = (np.add.reduceat(weighted, spread.starts) if len(sizes) else weighted) / np.maximum(sizes, 1)
    found = 2 ** (np.log2(sizes) - mean)
    entropies = _ClassEntropies(spread, None if spread.holders is None else most)
    found = found if spread.holders is None else np.minimum(found, most)
    return Logarithms(found, entropies.bits, entropies.marks, power=True)


def find_loss_by_entropy(spread: Spread, found: FloatArray, least: Fraction) -> FloatArray:
    """Return the least share of each class to suppress, if its e^H is `found` and that of the rest must be `least`.

    Entropy is concave: that of a class is at least that of its retained rows, times their share. If the class has too
    few values, all of it must be suppressed.
    """
    values = count_diverse_values(spread)
    lost = shortfall(np.log(found), math.log(least))
    return np.where(values < math.ceil(least), 1, lost)


def compute_recursive_ratios(spread: Spread, least: int) -> tuple[Ratios, Mask, IntArray]:
    """Return, for each class, its largest count divided by the sum of the l-th largest and all smaller counts.

    Also return a mask of the classes that have no l-th value, and therefore always fail; and the smallest number of
    people that each ratio describes.
    """
    order = np.lexsort((-spread.counts, spread.of_class))
    counts = spread.counts[order]
    rank = np.arange(len(counts)) - spread.starts[spread.of_class]
    rest = np.add.reduceat(np.where(rank >= least - 1, counts, 0), spread.starts) if len(counts) else counts
    largest, hopeless = counts[spread.starts], rest == 0
    if spread.holders is not None:
        hopeless = hopeless | (count_diverse_values(spread) < least)
    return Ratios(largest, np.maximum(rest, 1)), hopeless, np.where(hopeless, spread.sizes, np.minimum(largest, rest))


def find_loss_by_recursive_ratio(spread: Spread, least: int, ratio: float) -> FloatArray:
    """Return the least share of each class to suppress so that the ratio of the rest is less than `ratio`.

    The largest count of a class is at most that of its retained rows, plus all suppressed rows; the sum of the l-th
    largest and all smaller counts is at least that of its retained rows. If there is no l-th value, all of the class
    must be suppressed.
    """
    ratios, hopeless, _ = compute_recursive_ratios(spread, least)
    lost = np.maximum(ratios.numerator - ratio * ratios.denominator, 0) / spread.sizes
    return np.where(hopeless, 1, lost)


def explain_counting(facts: Facts) -> Iterator[Step]:
    """Yield a step that says which values count, if one person can have several values."""
    if facts.persons is not None:
        yield Step("counting_values")


def build_diversity_step(spread: Spread, index: int, score: Fraction | float, kind: str) -> Step:
    """Build the step with the number of different values of a class, or with the number of them that count."""
    values = len(spread.entries(index))
    if values == score:
        return Step(kind, {"score": score})
    if score == (size := int(spread.classes.sizes[index])):
        return Step("values_of_few", {"values": values, "size": size, "score": score})
    return Step("values_implied", {"values": values, "implied": values - score, "score": score})


def explain_entropy(spread: Spread, index: int, counts: Sequence[int], score: Fraction | float) -> Iterator[Step]:
    """Yield 2 to the power of the entropy of some counts; also that fewer values count, if they do."""
    size, most = sum(counts), int(count_diverse_values(spread)[index])
    terms = [count / size * math.log2(size / count) for count in counts]
    kind, bits = "bits" if 1 < len(terms) <= LISTED else "bits_sum", math.fsum(terms)
    is_cut = score == most < len(counts)
    power = 2**bits if is_cut else score
    yield Step(kind, {"terms": Terms(terms[:LISTED]), "bits": bits, "score": power})
    if is_cut:
        yield build_diversity_step(spread, index, Fraction(most), "values")
        yield Step("smaller", {"score": score})


def build_ratio_step(counts: Sequence[int], least: int, score: Fraction | float) -> Step:
    """Build the step that divides the largest count by the sum of the counts from a place on."""
    return Step("ratio", {"largest": counts[0], "l": least, "rest": sum(counts[least - 1 :]), "score": score})


def explain_missing_ratio(spread: Spread, index: int, counts: Sequence[int], least: int) -> Iterator[Step]:
    """Yield why a class has no ratio: too few values occur, or too few of them count."""
    if len(counts) < least:
        yield Step("too_few", {"values": len(counts), "l": least})
        return
    yield build_diversity_step(spread, index, Fraction(int(count_diverse_values(spread)[index])), "values")
    yield Step("too_few_count", {"l": least})
