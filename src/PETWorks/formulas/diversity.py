"""How diverse the sensitive values of each class are: entropy, and the ratio of the recursive definition."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from PETWorks.counting.tally import IntArray, Mask
from PETWorks.exact.log_sum import Bits
from PETWorks.exact.scores import FloatArray, Logarithms, Ratios
from PETWorks.facts.spread import Spread
from PETWorks.formulas.floors import shortfall
from PETWorks.formulas.implied_values import most_implied


def diverse(spread: Spread) -> IntArray:
    """Return, for each class, how many different values it has.

    If people have several rows, one person can hold several values. Then it is the largest l so that there are l
    people, and those without a value hold at least l - 1 others, whatever value it is.
    """
    values = np.bincount(spread.of_class, minlength=len(spread.classes))
    if spread.holders is None:
        return values
    return np.minimum(spread.classes.sizes, values - most_implied(spread, spread.holders))


def entropies(spread: Spread) -> Logarithms:
    """Return, for each class, 2 to the power of the entropy of its values in bits.

    If people have several rows, that is the entropy of shares that add up to 1, and at most the number of values that
    `diverse` counts.
    """
    most, spread = diverse(spread), spread.by_shares
    weighted = spread.counts * np.log2(spread.counts)
    sizes = spread.sizes
    mean = (np.add.reduceat(weighted, spread.starts) if len(sizes) else weighted) / np.maximum(sizes, 1)

    def bits(index: int) -> Bits:
        own = Bits.of(spread.counts_in(index)) * Fraction(1, int(sizes[index]))
        found = Bits({int(sizes[index]): 1}) - own
        if spread.holders is None:
            return found
        limit = Bits({int(most[index]): 1})
        return limit if (found - limit).sign() > 0 else found

    found = 2 ** (np.log2(sizes) - mean)
    if spread.holders is None:
        return Logarithms(found, bits, lambda indices: [spread.patterns[indices]], power=True)
    found = np.minimum(found, most)
    return Logarithms(found, bits, lambda indices: [spread.patterns[indices], most[indices]], power=True)


def entropy_lost(spread: Spread, found: FloatArray, least: Fraction) -> FloatArray:
    """Return the least share of each class to suppress, if e^H is `found` in it, and must be `least` in what is kept.

    Entropy is concave: that of a class is at least that of its kept rows, times their share. If the class has too few
    values, all of it must go.
    """
    values = diverse(spread)
    lost = shortfall(np.log(found), math.log(least))
    return np.where(values < math.ceil(least), 1, lost)


def recursive_ratios(spread: Spread, least: int) -> tuple[Ratios, Mask, IntArray]:
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
        hopeless = hopeless | (diverse(spread) < least)
    return Ratios(largest, np.maximum(rest, 1)), hopeless, np.where(hopeless, spread.sizes, np.minimum(largest, rest))


def recursive_lost(spread: Spread, least: int, ratio: float) -> FloatArray:
    """Return the least share of each class to suppress, if the ratio of what is kept must be less than `ratio`.

    The largest count of a class is at most that of its kept rows, plus all suppressed rows; the sum of the l-th largest
    and all smaller counts is at least that of its kept rows. If there is no l-th value, all of the class must go.
    """
    ratios, hopeless, _ = recursive_ratios(spread, least)
    lost = np.maximum(ratios.numerator - ratio * ratios.denominator, 0) / spread.sizes
    return np.where(hopeless, 1, lost)
