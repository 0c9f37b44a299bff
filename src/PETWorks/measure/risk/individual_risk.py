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

from collections.abc import Iterator
from fractions import Fraction
from typing import ClassVar

from PETWorks.facts.notes import Name
from PETWorks.facts.weights import add_up_weights, find_household_risks
from PETWorks.measure.formulas.individual_risk import Estimates, compute_household_risk
from PETWorks.measure.plugin import (
    Facts,
    Figure,
    Limit,
    Need,
    Note,
    Number,
    Page,
    Result,
    Risk,
    Side,
    Step,
    Words,
    build_grouping_step,
    column,
    number,
)
from PETWorks.measure.risk.re_identification import ReidentificationRisk


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
