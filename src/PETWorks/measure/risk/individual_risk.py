"""Individual risk: the chance of finding the right person in the population, estimated from sampling weights.

Definition
    A row of a sample stands for as many people of the population as its weight says. If f sampled people look alike,
    their weights add up to an estimate F of how many do in the population; that number is taken to be negative
    binomial. The risk of a person is the expected value of 1 ÷ the number. If F is at most f, it is 1 ÷ f.

Formula
    r = (p/f)·2F1(1, 1; f + 1; 1 - p), p = f/F. Highest r; expected re-identifications Σ f·r; global risk, their share
    of the rows; expected population uniques among the sample's, Σ min(1/F, 1) over classes of one. Of a household:
    1 - Π(1 - r) over its rows, which takes them to be found independently.

Example
    Of two people who look alike, each stands for 180; a third person is like nobody else, and stands for 215.

    >>> from PETWorks import Release
    >>> people = {"labor": ["yes", "yes", "no"], "weight": ["180", "180", "215"]}
    >>> result = Release(people, weight="weight").ask(IndividualRisk())
    >>> print(f"{result.value:.13f} {result.figures['expected']:.13f}")
    0.0250964393838 0.0359454792483

Reading
    Low is good. It is an estimate: weights are taken to be 1 ÷ the chance of being sampled, classes to be independent,
    and the adversary not to know who was sampled. For somebody who does, see re-identification risk. Weights that are
    published can tell who belongs to a small group.

Reference
    R. Benedetti, L. Franconi, "Statistical and Technological Solutions for Controlled Data Dissemination", New
    Techniques and Technologies for Statistics, 1998; L. Franconi, S. Polettini, "Individual Risk Estimation in
    mu-Argus: A Review", Privacy in Statistical Databases 2004, doi:10.1007/978-3-540-25955-8_20.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cached_property
from math import fsum
from typing import ClassVar

import numpy as np

from PETWorks.exact.scores import FloatArray
from PETWorks.exact.sums import compute_digits
from PETWorks.facts.classes import Groups
from PETWorks.facts.notes import Name
from PETWorks.facts.weights import add_up_weights, find_household_risks
from PETWorks.measure.formulas.floors import find_size_of_risk
from PETWorks.measure.plugin import (
    Facts,
    Figure,
    Limit,
    Need,
    Note,
    Number,
    Page,
    Result,
    ResultPart,
    Risk,
    Side,
    Step,
    Words,
    build_grouping_step,
    column,
    number,
)
from PETWorks.measure.risk.re_identification import ReidentificationRisk
from PETWorks.tables.counting.tally import IntArray, Mask, widen

MAX_RECURRENCE_PEOPLE = 50  # the most people of a class for which the recurrence is used
CLOSE = 1e-11  # relative difference below which risks are computed with more digits; far above their errors
PRECISE_DIGITS = 60  # to tell risks apart that floats do not
NEGLIGIBLE = 1e-18  # the series ends at a term below this share of the sum


def compute_risks(sample: IntArray, estimated: FloatArray, unseen: FloatArray) -> FloatArray:
    """Return the risks of classes with `sample` people, `estimated` in the population, `unseen` more than sampled.

    If nobody is unseen, the risk is 1 ÷ sample. All are right to about 15 digits.

    A class has f people in the sample, and its weights add up to F. The people of the population who look alike are
    then taken to be negative binomial with p = f/F, and the risk is the mean of 1 ÷ their number:
    (p/f)·₂F₁(1, 1; f+1; q), with q = 1 - p (Benedetti and Franconi 1998). The alternating sum of the papers loses all
    digits for large f; two other forms do not: for p < 1/2 and small f the recurrence r₁ = (p/q)·ln(1/p),
    r_{f+1} = (p/q)·(1/f - r_f), else the series (p/f)·Σ t_i, t_0 = 1, t_i = t_{i-1}·i·q/(f+i).

    >>> risks = compute_risks(np.array([1, 3, 20]), np.array([1.5, 9, 25.0]), np.array([0.5, 6, 5.0]))
    >>> [f"{risk:.13f}" for risk in risks]
    ['0.8109302162163', '0.1373265360835', '0.0403880657524']
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
    """Return the risk of one class to the precision of the current decimal context, but for its last few digits.

    >>> str(compute_precise_risk(3, Fraction(9)))[:20]
    '0.137326536083513711'
    """
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
        for place, many in zip(ranks.tolist(), people.tolist(), strict=True):
            found[order[place]] += many
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
        """Return the sum of the probabilities that people with these weights are unique."""
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


class IndividualRisk(Risk):
    """Chance that a sampled person is found in the population."""

    highest: Number | None = number(default=None, limit=Side.AT_MOST, least=0, most=1)
    expected: Number | None = number(default=None, limit=Side.AT_MOST, least=0)
    average: Number | None = number(default=None, limit=Side.AT_MOST, least=0, most=1)
    threshold: Number | None = number(default=None, least=0, most=1)
    household: str | None = column(default=None)

    name: ClassVar[str] = "individual risk"
    against: ClassVar[str] = "identity"
    scales: ClassVar[bool] = True
    needs: ClassVar = frozenset({Need.WEIGHT})
    examples: ClassVar = ({"highest": "0.05", "threshold": "0.01"}, {"average": "0.01", "expected": 1})
    fixed_parts: ClassVar = ("highest", "expected", "average", "above threshold", "population uniques", "household")
    words: ClassVar = {
        "en": Words(
            "individual risk",
            "An estimated {expected} of the sampled people would be found; the highest chance is {value}.",
            "highest risk (estimated)",
            {
                "highest": "The weights of a class add up to an estimate of how many people of the population look"
                " alike. All {rows:published row stands|published rows stand} for an estimated {people:person|people}."
                " The highest risk: {size:sampled person|sampled people} of an estimated {all_people}, a chance of"
                " {score}.",
                "expected": "Expected re-identifications, the sum of the risks of all rows: {score}.",
                "average": "Global risk: {expected} ÷ {rows:row|rows} = {score}.",
                "above threshold": "A risk above {threshold}: a share of {score}.",
                "population uniques": "Of {unique:row that is|rows that are} unique in the sample, {score} are expected"
                " to be unique in the population.",
                "household": "The highest risk of a household, that somebody of it is found: {score}.",
                "untold": "it is an estimate: weights are taken to be 1 ÷ the chance of being sampled, classes to"
                " be independent, and the adversary not to know who was sampled; for one who does, see"
                " re-identification.",
                "improve": "generalise quasi-identifiers further, so that classes grow, or suppress the rows at risk.",
            },
            parts={
                "highest": "highest",
                "expected": "expected re-identifications",
                "average": "global risk",
                "above threshold": "share above the threshold",
                "population uniques": "expected population uniques",
                "household": "household, highest",
            },
            notes={
                "estimated": "Estimated: weights are taken to be 1 ÷ the chance of being sampled, classes to be"
                " independent.",
                "estimated_households": "Members of a household are taken to be found independently of each other.",
                "few": "The weights of {classes:class|classes} say that nobody else of the population looks alike.",
                "below_one": "{rows:row has a weight|rows have weights} below 1: less than one person.",
                "published_weight": "{column} is published: weights can tell who is in a small group.",
            },
            parameters={
                "threshold": "the risk above which a row counts as at risk",
                "household": "the column that says which rows are one household",
            },
        ),
        "zh_TW": Words(
            "個別風險",
            "樣本中估計有 {expected} 人會被識別；最高機率為 {value}。",
            "最高風險（估計）",
            {
                "highest": "等價類的權數總和，是母體中相同者人數的估計值。{rows} 筆發布的資料列估計代表 {people} 人。"
                "風險最高者：樣本 {size} 人，母體估計 {all_people} 人，機率為 {score}。",
                "expected": "預期被識別的人數，即各人風險的總和：{score}。",
                "average": "整體風險：{expected} ÷ {rows} 筆 = {score}。",
                "above threshold": "風險高於 {threshold} 者占 {score}。",
                "population uniques": "樣本中獨一無二的 {unique} 人中，預期有 {score} 人在母體中也是獨一無二的。",
                "household": "家戶中有人被識別的最高機率：{score}。",
                "untold": "此為估計值：假設權數為抽樣機率的倒數、各等價類獨立，且攻擊者不知道誰被抽樣；"
                "若知道，請參考再識別風險。",
                "improve": "進一步概化準識別屬性，使等價類變大；或遮蔽有風險的資料列。",
            },
            parts={
                "highest": "最高風險",
                "expected": "預期被識別的人數",
                "average": "整體風險",
                "above threshold": "高於門檻的占比",
                "population uniques": "預期的母體唯一人數",
                "household": "家戶最高風險",
            },
            notes={
                "estimated": "此為估計值：假設權數為抽樣機率的倒數，且各等價類獨立。",
                "estimated_households": "假設同一家戶的人各自獨立被識別。",
                "few": "依 {classes} 個等價類的權數，母體中沒有其他相同的人。",
                "below_one": "{rows} 筆的權數小於 1，代表不到一個人。",
                "published_weight": "{column} 照原樣發布：權數可能透露誰屬於人數少的群體。",
            },
            parameters={"threshold": "風險高於此值的資料列視為有風險", "household": "表示哪些資料列屬於同一家戶的欄位"},
            page=Page(
                summary="依抽樣權數估計，在母體中找到正確的人的機率。",
                definition="樣本的一列代表母體中的若干人，其數為權數。"
                "若樣本中有 f 人相同，其權數總和 F 即為母體中相同者的估計數，"
                "並假設該人數服從負二項分布。一個人的風險，是該人數倒數的期望值。F 不大於 f 時，風險為 1 ÷ f。",
                formula="r = (p/f)·2F1(1, 1; f + 1; 1 - p)，p = f/F。最高 r；預期被識別的人數 Σ f·r；"
                "整體風險，即其占列數的比例；樣本唯一者中預期為母體唯一的人數，即單列等價類的 min(1/F, 1) 總和。\n"
                "家戶：其各列的 1 - Π(1 - r)，假設各自獨立被識別。",
                example="兩人相同，各代表 180 人；第三人與他人皆不相同，代表 215 人。",
                reading="越低越好。此為估計值：假設權數為抽樣機率的倒數、各等價類獨立，且攻擊者不知道誰被抽樣。"
                "若知道，請參考再識別風險。發布的權數可能透露誰屬於人數少的群體。",
            ),
        ),
    }

    def find_implied_size(self, name: str, part: ResultPart) -> int:
        """Return the size of a class whose people have the risk that the limit allows, if all weigh the same."""
        return 1 if name == "expected" else find_size_of_risk(part.limit)

    def figures(self, facts: Facts) -> Iterator[Figure]:
        """Yield the highest risk, the expected re-identifications, the global risk, and those of special groups."""
        people, estimates = facts.classes.everybody, self._build_estimates(facts)
        notes = tuple(self._notes(facts))
        yield Figure("highest", estimates.find_highest(_read_exact(self.highest)), self.highest, notes=notes)
        yield Figure("expected", estimates.count_expected(_read_exact(self.expected)), self.expected)
        yield Figure("average", estimates.count_expected(_read_exact(self.average), people or 1), self.average)
        if self.threshold is not None:
            above = facts.classes.count_people_in(estimates.find_above(Limit.of(self.threshold)))
            yield Figure("above threshold", Fraction(above, people or 1))
        yield Figure("population uniques", estimates.count_expected_uniques())
        if self.household is not None:
            yield Figure(
                "household", compute_household_risk(*find_household_risks(facts, self.household, estimates.risks))
            )

    def explain_figures(self, result: Result) -> Iterator[Step]:
        """Yield how the risks are computed."""
        facts, told = result.measured, result.figures
        yield build_grouping_step(facts)
        if not (rows := facts.classes.everybody):
            yield Step("nothing_published")
            return
        found, worst = add_up_weights(facts), self._build_estimates(facts).worst
        people = {"people": round(found.all_people), "all_people": round(found.people(worst), 1)}
        size = {"size": int(facts.classes.sizes[worst])}
        further: dict[str, dict[str, object]] = {
            "highest": {"rows": rows, **people, **size},
            "expected": {},
            "average": {"expected": told["expected"], "rows": rows},
            "above threshold": {"threshold": self.threshold},
            "population uniques": {"unique": facts.classes.count_people_in(facts.classes.sizes == 1)},
            "household": {},
        }
        for name in result.parts:
            yield Step(name, {**further[name], "score": told[name]})

    def _build_estimates(self, facts: Facts) -> Estimates:
        found = add_up_weights(facts)
        return facts.cache("individual risk", lambda: Estimates(found.classes, found.totals, found.scale))

    def _notes(self, facts: Facts) -> Iterator[Note]:
        yield Note("estimated")
        if self.household is not None:
            yield Note("estimated_households")
        if few := int(self._build_estimates(facts).certain.sum()):
            yield Note("few", {"classes": few})
        if below := add_up_weights(facts).below_one:
            yield Note("below_one", {"rows": below})
        if facts.weight in facts.roles.insensitive:
            yield Note("published_weight", {"column": Name(str(facts.weight))})


def find_success(facts: Facts, whose: str, limit: Fraction) -> Fraction:
    """Return the chance that an attempt succeeds; by weights, with digits enough to compare it with a limit."""
    kind, name = FIGURES[whose]
    if kind is ReidentificationRisk:
        return ReidentificationRisk().evaluate(facts).parts[name].exact or Fraction(0)
    near = min(limit, Fraction(1))
    measure = IndividualRisk(highest=near) if name == "highest" else IndividualRisk(average=near)
    figures = measure.figures(facts)
    return Fraction(next(one.value for one in figures if one.name == name) or 0)


FIGURES: dict[str, tuple[type[Risk], str]] = {  # by adversary and risk: the measure, and its name of the figure
    "prosecutor highest": (ReidentificationRisk, "highest"),
    "prosecutor average": (ReidentificationRisk, "average"),
    "journalist highest": (ReidentificationRisk, "journalist highest"),
    "journalist average": (ReidentificationRisk, "journalist success rate"),
    "marketer average": (ReidentificationRisk, "marketer"),
    "individual highest": (IndividualRisk, "highest"),
    "individual average": (IndividualRisk, "average"),
}


def _read_exact(limit: Number | None) -> Fraction | None:
    return None if limit is None else Limit.of(limit).exact
