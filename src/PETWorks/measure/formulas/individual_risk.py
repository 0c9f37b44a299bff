"""Individual risk: the chance of picking the right person of a population, estimated from sampling weights.

A class has f people in the sample, and its weights add up to F. The people of the population who look alike are then
taken to be negative binomial with p = f/F, and the risk is the mean of 1 ÷ their number: (p/f)·₂F₁(1, 1; f+1; q), with
q = 1 - p (Benedetti and Franconi 1998). The alternating sum of the papers loses all digits for large f; two other forms
do not: for p < 1/2 and small f the recurrence r₁ = (p/q)·ln(1/p), r_{f+1} = (p/q)·(1/f - r_f), else the series
(p/f)·Σ t_i, t_0 = 1, t_i = t_{i-1}·i·q/(f+i).

>>> [f"{risk:.13f}" for risk in compute_risks(np.array([1, 3, 20]), np.array([1.5, 9, 25.0]), np.array([0.5, 6, 5.0]))]
['0.8109302162163', '0.1373265360835', '0.0403880657524']
>>> str(compute_precise_risk(3, Fraction(9)))[:20]
'0.137326536083513711'
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cached_property
from math import fsum

import numpy as np

from PETWorks.exact.limit import Limit
from PETWorks.exact.scores import FloatArray
from PETWorks.exact.sums import compute_digits
from PETWorks.facts.classes import Groups
from PETWorks.tables.counting.tally import IntArray, Mask, widen

MAX_RECURRENCE_PEOPLE = 50  # the most people of a class for which the recurrence is used
CLOSE = 1e-11  # relative difference below which risks are computed with more digits; far above their errors
PRECISE_DIGITS = 60  # to tell risks apart that floats do not
NEGLIGIBLE = 1e-18  # the series ends at a term below this share of the sum


def compute_risks(sample: IntArray, estimated: FloatArray, unseen: FloatArray) -> FloatArray:
    """Return the risks of classes with `sample` people, `estimated` in the population, `unseen` more than sampled.

    If nobody is unseen, the risk is 1 ÷ sample. All are right to about 15 digits.
    """
    found = 1.0 / sample
    recurring = (unseen > sample) & (sample <= MAX_RECURRENCE_PEOPLE)
    if recurring.any():
        found[recurring] = _compute_by_recurrence(sample[recurring], estimated[recurring], unseen[recurring])
    series: Mask = (unseen > 0) & ~recurring
    if series.any():
        found[series] = _compute_by_series(sample[series], estimated[series], unseen[series])
    return found


def _compute_by_recurrence(sample: IntArray, estimated: FloatArray, unseen: FloatArray) -> FloatArray:
    odds = sample / unseen
    risk: FloatArray = odds * np.log(estimated / sample)
    for people in range(1, int(sample.max())):
        further = sample > people
        risk[further] = odds[further] * (1 / people - risk[further])
    return risk


def _compute_by_series(sample: IntArray, estimated: FloatArray, unseen: FloatArray) -> FloatArray:
    share = unseen / estimated
    term: FloatArray = np.ones(len(sample))
    total, step = term.copy(), 0
    while (term > NEGLIGIBLE * total).any():
        step += 1
        term = term * (step * share / (sample + step))
        total += term
    return total / estimated


def compute_precise_risk(sample: int, estimated: Fraction) -> Decimal:
    """Return the risk of one class to the precision of the current decimal context, but for its last few digits."""
    if estimated <= sample:
        return Decimal(1) / sample
    with localcontext() as context:
        context.prec += 10
        share = 1 - _to_decimal(sample / estimated)
        ends = Decimal(10) ** -context.prec
        term = total = Decimal(1)
        if sample <= MAX_RECURRENCE_PEOPLE and estimated > 2 * sample:
            return _compute_by_precise_recurrence(sample, estimated)
        step = 0
        while term > ends * total:
            step += 1
            term = term * step * share / (sample + step)
            total += term
        return total / _to_decimal(estimated)


def _compute_by_precise_recurrence(sample: int, estimated: Fraction) -> Decimal:
    """Return the risk by the recurrence; it loses up to two digits for each person, so many more are carried."""
    with localcontext() as context:
        context.prec += 3 * sample + 10
        odds = _to_decimal(sample / (estimated - sample))
        risk = odds * _to_decimal(estimated / sample).ln()
        for people in range(1, sample):
            risk = odds * (Decimal(1) / people - risk)
        return risk


@dataclass(frozen=True, eq=False)
class Estimates:
    """The risks of all classes: `sample` people in each, and `totals` ÷ `scale` in the population.

    A person in several classes has the highest of their risks.
    """

    classes: Groups
    totals: IntArray
    scale: int

    @property
    def sample(self) -> IntArray:
        """The number of people of each class."""
        return self.classes.sizes

    @cached_property
    def risks(self) -> FloatArray:
        """The risk of everybody in each class."""
        unseen = self.totals - self._sampled  # in integers, so that no digit is lost
        return compute_risks(self.sample, _divide(self.totals, self.scale), _divide(np.maximum(unseen, 0), self.scale))

    @property
    def certain(self) -> Mask:
        """A mask of the classes whose weights say that nobody else of the population looks alike."""
        found: Mask = self.totals <= self._sampled
        return found.astype(bool)

    @property
    def _sampled(self) -> IntArray:
        """The people of each class, in the unit of the totals."""
        return widen(self.sample, int(self.sample.max(initial=0)) * self.scale) * self.scale

    def find_highest(self, limit: Fraction | None) -> Fraction | Decimal:
        """Return the highest risk: a fraction if it is one, else with digits enough to compare it with a limit."""
        if not len(self.sample):
            return Fraction(0)
        near = np.flatnonzero(self.risks >= self.risks.max() * (1 - CLOSE))
        pairs = {(int(self.sample[one]), int(self.totals[one])) for one in near}
        return max((self._compute_risk(*pair, limit) for pair in pairs), key=Fraction)  # type: ignore[arg-type]

    def count_expected(self, limit: Fraction | None, among: int = 1) -> Fraction | Decimal | float:
        """Return the number of people who are expected to be found, divided by a number."""
        if self.certain.all():
            sizes, people = self.classes.find_least_by_person(self.sample)
            found = Counter(dict.fromkeys(sizes.tolist(), 0))
            for size, many in zip(sizes.tolist(), people.tolist(), strict=True):
                found[size] += many
            return sum((Fraction(many, size) for size, many in found.items()), Fraction(0)) / among
        risks, people = self.classes.find_least_by_person(-self.risks)
        value = fsum((-risks * people).tolist()) / among
        if limit is None or abs(value - float(limit)) > CLOSE * (1 + abs(value)):
            return value
        classes = self._count_by_risk()

        def total() -> Decimal:
            found = (many * compute_precise_risk(size, self._people(all_)) for (size, all_), many in classes.items())
            return sum(found, Decimal(0)) / among

        return compute_digits(total, limit)

    def _count_by_risk(self) -> Counter[tuple[int, int]]:
        """Count the people by the class that has the highest of their risks, as sample and total; exactly."""
        pairs = list(zip(self.sample.tolist(), self.totals.tolist(), strict=True))
        with localcontext(prec=PRECISE_DIGITS):
            risk = {pair: compute_precise_risk(pair[0], self._people(pair[1])) for pair in set(pairs)}
        order = sorted(risk, key=lambda pair: -risk[pair])
        rank = {pair: number for number, pair in enumerate(order)}
        ranks, people = self.classes.find_least_by_person(np.array([rank[pair] for pair in pairs], dtype=np.int64))
        found = Counter[tuple[int, int]]()
        for number, many in zip(ranks.tolist(), people.tolist(), strict=True):
            found[order[number]] += many
        return found

    @property
    def worst(self) -> int:
        """The first class with the highest risk, as far as floats tell."""
        return int(self.risks.argmax())

    def find_above(self, threshold: Limit) -> Mask:
        """Return a mask of the classes whose risk is above a threshold."""
        edge = float(threshold)
        found: Mask = self.risks > edge
        for one in np.flatnonzero(np.abs(self.risks - edge) <= CLOSE * edge).tolist():
            risk = self._compute_risk(int(self.sample[one]), int(self.totals[one]), threshold.exact)
            found[one] = threshold.compare(Fraction(risk)) > 0
        return found

    def count_expected_uniques(self) -> float:
        """Return the number of the sample's uniques who are expected to be unique in the population."""
        alone = self.sample == 1
        if (members := self.classes.members) is None:
            return self._sum_chances(self.totals[alone])
        here = alone[members.of_entry]
        _, first = np.unique(members.of_person[here], return_index=True)  # in several classes, with one weight
        return self._sum_chances(self.totals[members.of_entry[here][first]])

    def _sum_chances(self, totals: IntArray) -> float:
        """Add up the chances that people who stand for so many are alone."""
        return fsum(self.scale / max(total, self.scale) for total in totals.tolist())

    def _people(self, total: int) -> Fraction:
        return Fraction(total, self.scale)

    def _compute_risk(self, size: int, total: int, limit: Fraction | None) -> Fraction | Decimal:
        if total <= size * self.scale:
            return Fraction(1, size)
        return compute_digits(lambda: compute_precise_risk(size, self._people(total)), limit)


def compute_household_risk(risk: FloatArray, of_household: IntArray, members: IntArray) -> float:
    """Return the highest chance that somebody of a household is found, if its people are found independently.

    Each entry is a risk, and the number of `members` of a household with it.
    """
    if not len(members):
        return 0.0
    risk = np.minimum(risk, np.nextafter(1, 0))  # the logarithm of 0 is infinite
    safe = np.bincount(of_household, weights=members * np.log1p(-risk))
    return float(-np.expm1(safe).min())


def _divide(numbers: IntArray, scale: int) -> FloatArray:
    """Divide whole numbers that may have more digits than floats."""
    if scale < 2**53 and numbers.dtype != object:
        return numbers / scale
    return np.array([number / scale for number in numbers.tolist()], dtype=np.float64)


def _to_decimal(number: Fraction) -> Decimal:
    return Decimal(number.numerator) / number.denominator
