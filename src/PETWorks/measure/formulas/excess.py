"""What a release discloses *because* people were in the original: compare them with people who were not.

With a of n people of the original and b of h people of a hold-out, the excess is a/n - b/h. It is at most
a/n - p, p the lower bound of Clopper and Pearson (1934) of b of h. How often a random parting of both together would
give the original as many is the one-sided test of Fisher (1935). Verdicts are exact: logarithms decide the clear cases,
sums of whole numbers the others.

>>> seen = Excess(3, 4, 1, 4)
>>> seen.excess, seen.chance, seen.is_at_most(Fraction(1, 2), Fraction(1, 20)), seen.find_bound(Fraction(1, 20))
(Fraction(1, 2), Fraction(17, 70), False, Fraction(737259, 1000000))
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import comb, exp, log

import numpy as np

from PETWorks.exact.scores import FloatArray

CLOSE = 1e-6  # logarithms that differ by less are compared as whole numbers
STEPS = 10**6  # bounds have six digits
MOST_PEOPLE = 2 * 10**6  # beyond so many people, no size of a hold-out is suggested
MOST_EXACT = 1000  # the most people of whom the chance is a fraction


@dataclass(frozen=True)
class Excess:
    """The people for whom an attack succeeds: a of n in the original, b of h in the hold-out."""

    a: int
    n: int
    b: int
    h: int

    @property
    def excess(self) -> Fraction:
        """The share in the original minus the share in the hold-out."""
        return Fraction(self.a, self.n) - Fraction(self.b, self.h)

    @property
    def chance(self) -> Fraction | float:
        """The share of random splits in which the original has at least as many successes."""
        return compute_chance(self.a, self.n, self.b, self.h)

    def is_at_most(self, limit: Fraction, alpha: Fraction) -> bool:
        """Return True if the excess is at most a limit, with confidence 1 - alpha."""
        share = Fraction(self.a, self.n) - limit
        return share <= 0 or _is_lower_bound(self.b, self.h, share, alpha)

    def find_bound(self, alpha: Fraction) -> Fraction:
        """Return the upper bound on the excess with confidence 1 - alpha; shares have six digits."""
        return Fraction(self.a, self.n) - find_lower_bound(self.b, self.h, alpha)

    def find_needed(self, limit: Fraction, alpha: Fraction) -> int | None:
        """Return how many people the hold-out needs for this limit; None if it is large enough, or if no size is.

        It assumes that the share in a larger hold-out is that of the original.
        """
        alike = Excess(self.a, self.n, self.a * self.h // self.n, self.h)
        if limit <= 0 or alike.is_at_most(limit, alpha):
            return None
        low, high = self.h, 2 * self.h
        while not Excess(self.a, self.n, self.a * high // self.n, high).is_at_most(limit, alpha):
            low, high = high, 2 * high
            if high > MOST_PEOPLE:
                return None
        while high - low > 1:
            middle = (low + high) // 2
            if Excess(self.a, self.n, self.a * middle // self.n, middle).is_at_most(limit, alpha):
                high = middle
            else:
                low = middle
        return high


def find_lower_bound(b: int, h: int, alpha: Fraction) -> Fraction:
    """Return the largest six-digit share for which b or more successes of h have a probability of at most alpha."""
    low, high = 0, STEPS
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if _is_lower_bound(b, h, Fraction(middle, STEPS), alpha) else (low, middle)
    return Fraction(low, STEPS)


def is_upper_bound(x: int, n: int, share: Fraction, alpha: Fraction) -> bool:
    """Return True if x or fewer successes of n have a probability of at most alpha for this share.

    >>> [is_upper_bound(0, n, Fraction(1, 20), Fraction(1, 20)) for n in (58, 59)]
    [False, True]
    """
    if share >= 1:
        return True
    return x < n and not _exceeds(x, n, share, alpha)


def find_upper_bound(x: int, n: int, alpha: Fraction) -> Fraction:
    """Return the upper Clopper-Pearson bound for x of n, rounded up to six digits."""
    low, high = 0, STEPS
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_upper_bound(x, n, Fraction(middle, STEPS), alpha) else (middle, high)
    return Fraction(high, STEPS)


def _is_lower_bound(b: int, h: int, share: Fraction, alpha: Fraction) -> bool:
    """Return True if b or more successes of h have a probability of at most alpha for this share."""
    if share <= 0:
        return True
    if share >= 1 or b == 0:
        return False
    return not _is_below(b - 1, h, share, 1 - alpha)


def _is_below(x: int, n: int, share: Fraction, level: Fraction) -> bool:
    """Return True if the probability of x or fewer successes of n is below the level."""
    chance = sum_logarithms(_list_binomial(n, share, 0, x))
    if abs(chance - log(level)) > CLOSE:
        return chance < log(level)
    return bool(_sum_exactly(x, n, share) < level * share.denominator**n)


def _exceeds(x: int, n: int, share: Fraction, level: Fraction) -> bool:
    """Return True if the probability of x or fewer successes of n is above the level."""
    chance = sum_logarithms(_list_binomial(n, share, 0, x))
    if abs(chance - log(level)) > CLOSE:
        return chance > log(level)
    return bool(_sum_exactly(x, n, share) > level * share.denominator**n)


def _sum_exactly(x: int, n: int, share: Fraction) -> int:
    """Return the probability of x or fewer of n, as a multiple of the n-th power of the share's denominator."""
    u, v = share.numerator, share.denominator
    term: int = (v - u) ** n
    total = term
    for i in range(x):
        term = term * (n - i) * u // ((i + 1) * (v - u))
        total += term
    return total


def _list_binomial(n: int, share: Fraction, first: int, last: int) -> FloatArray:
    """Return the logarithms of the binomial probabilities of the first to the last number of n."""
    i = np.arange(first, last + 1)
    known = _list_factorials(n)
    yes, no = log(share), log(1 - share)
    found: FloatArray = known[n] - known[i] - known[n - i] + i * np.longdouble(yes) + (n - i) * np.longdouble(no)
    return found


def sum_logarithms(terms: FloatArray) -> float:
    """Return the logarithm of a sum, from the logarithms of its terms."""
    if not len(terms):
        return float("-inf")
    largest = terms.max()
    return float(largest + np.log(np.exp(terms - largest).sum()))


@lru_cache(maxsize=8)
def _list_factorials(n: int) -> FloatArray:
    """Return the logarithms of 0! to n!."""
    steps = np.log(np.maximum(np.arange(n + 1, dtype=np.longdouble), 1))
    found: FloatArray = np.cumsum(steps)
    return found


def compute_chance(a: int, n: int, b: int, h: int) -> Fraction | float:
    """Return the probability that n people, drawn from n + h with a + b successes, have at least a of these.

    >>> compute_chance(4, 4, 0, 4), compute_chance(0, 10, 5, 10)
    (Fraction(1, 70), Fraction(1, 1))
    """
    least, most = max(a, n - (n + h - a - b)), min(a + b, n)
    if n + h <= MOST_EXACT:
        ways = sum(comb(a + b, i) * comb(n + h - a - b, n - i) for i in range(least, most + 1))
        return Fraction(ways, comb(n + h, n))
    known, told = _list_factorials(n + h), a + b
    if a <= max(0, told - h):
        return Fraction(1)
    i = np.arange(least, most + 1)
    others = n + h - told
    terms = known[told] - known[i] - known[told - i] + known[others] - known[n - i] - known[others - n + i]
    return min(1.0, exp(sum_logarithms(terms - (known[n + h] - known[n] - known[h]))))
