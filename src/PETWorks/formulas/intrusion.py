"""Data intrusion simulation with special uniques (DIS-SUDA): the chance that a match with a row is right.

An intruder who finds exactly one match in a release may be wrong, because the person's double was not sampled. How
often follows from the rows that are unique and those that have one double, and from the sampling fraction. The scores
of special uniques share this chance out: those who stand out in few columns are more likely to be unique outside, too.

>>> guide = Intrusion({6: 2, 12: 1, 10: 1}, unique=4, pairs=6, fraction=Fraction(1, 100), columns=4)
>>> guide.of_file, f"{guide.of(12):.9f}", f"{guide.of(6):.9f}", guide.of(0)
(Fraction(2, 299), '0.011383006', '0.004986798', Fraction(0, 1))
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal, getcontext
from fractions import Fraction
from functools import cached_property

from PETWorks.exact.limit import Limit, Number
from PETWorks.exact.settled import exact_power, settled
from PETWorks.facts.facts import Facts
from PETWorks.facts.weights import weighted
from PETWorks.formulas.special_uniques import MinimalUniques

MOST_COLUMNS = 27  # with more, the exponent is not positive, and would turn the order of the scores round


@dataclass(frozen=True)
class Intrusion:
    """What a simulated intruder meets: how many rows have each score, how many are unique, how many have one double."""

    scores: Mapping[int, int]  # the number of rows of each positive score
    unique: int
    pairs: int
    fraction: Fraction  # the share of the population that was sampled
    columns: int
    _sums: dict[int, Decimal] = field(default_factory=dict, repr=False, compare=False)  # by precision

    def above(self, threshold: Limit, scores: Mapping[int, int]) -> int:
        """Count the rows, or people, whose chance is above a threshold, by their scores."""
        chances = {score: Fraction(self.of(score, threshold.exact)) for score in scores}
        return sum(many for score, many in scores.items() if threshold.compare(chances[score]) > 0)

    @property
    def of_file(self) -> Fraction | None:
        """The chance that a unique match is right; None if no row is unique or has one double."""
        right, wrong = self.unique * self.fraction, self.pairs * (1 - self.fraction)
        return right / (right + wrong) if right + wrong else None

    @property
    def certain(self) -> bool:
        """True if every match is right: no row has a double, or everybody was sampled."""
        return not self.pairs or self.fraction == 1

    def of(self, score: int, limit: Fraction | None = None) -> Fraction | Decimal:
        """Return the chance for a row with a score: a fraction if it is one, else with digits enough for a limit."""
        if not score:
            return Fraction(0)
        if self.certain:
            return Fraction(1)
        doubles = self.pairs * (1 - self.fraction) / self.fraction
        if self._powers:
            odds = sum(rows / self._powers[other] for other, rows in self.scores.items()) * self._powers[score]
            return odds / (odds + doubles)

        def chance() -> Decimal:
            odds = self._inverse_powers() * Decimal(score) ** _decimal(self._exponent)
            return odds / (odds + _decimal(doubles))

        return settled(chance, limit)

    def mean(self, rows: int, scores: Mapping[int, int] | None = None) -> Fraction | Decimal:
        """Return the mean chance over a number of rows, or of people of whom so many have each of `scores`."""
        chances = [(self.of(score), many) for score, many in (scores or self.scores).items()]
        total = sum((Fraction(chance) * many for chance, many in chances), Fraction(0)) / (rows or 1)
        return total if self.certain or self._powers or not chances else settled(lambda: _decimal(total))

    @property
    def _exponent(self) -> Fraction:
        return 1 + Fraction(8 - self.columns, 20)

    @cached_property
    def _powers(self) -> Mapping[int, Fraction] | None:
        """The scores, each divided by one of them, to the exponent; None if some of these are no fractions.

        A sum of positive roots is a fraction only if every root is.
        """
        one = next(iter(self.scores), 1)
        powers = {}
        for score in self.scores:
            power = exact_power(Fraction(score, one), self._exponent)
            if power is None:
                return None
            powers[score] = power
        return powers

    def _inverse_powers(self) -> Decimal:
        """Return the sum over rows of 1 ÷ score to the exponent, to the precision of the current context."""
        precision, exponent = getcontext().prec, _decimal(self._exponent)
        if precision not in self._sums:
            total = sum((many / Decimal(score) ** exponent for score, many in self.scores.items()), Decimal(0))
            self._sums[precision] = total
        return self._sums[precision]


def _decimal(number: Fraction) -> Decimal:
    return Decimal(number.numerator) / number.denominator


def intrusion(facts: Facts, uniques: MinimalUniques, stated: Number | None) -> Intrusion | None:
    """Simulate an intruder, with the stated sampling fraction or that of the weights; None if there is neither."""
    if stated is None and facts.weight is None:
        return None
    fraction = weighted(facts).sampled if stated is None else Limit.of(stated).exact
    histogram = facts.classes.histogram
    return Intrusion(uniques.scores, histogram.get(1, 0), 2 * histogram.get(2, 0), fraction, uniques.columns)
