"""Re-identification risk: the chance that an adversary finds the right person.

Definition
    Prosecutor: the adversary knows that a person is in the release, and picks one of the s rows of the person's class.
    Journalist: the adversary does not know, and picks among the F people of a population that look alike.
    Marketer: the adversary tries everybody, and cares for how many are found on average.
    All over unsuppressed rows. Without a population, F = s.

Formula
    prosecutor 1/s: highest, lowest, average (classes ÷ rows), share of rows with 1/s above the threshold. Journalist
    the same with 1/F; its success rate is the larger of classes ÷ ΣF and the mean of 1/F. Marketer: the mean of 1/F.

Example
    One person is alone in a class, two share one: risks 1 and 1/2, on average 2 classes ÷ 3 rows.

    >>> from PETWorks import Release
    >>> result = Release({"year": ["197*", "198*", "198*"]}).ask(ReidentificationRisk(threshold="1/2", highest="1/2"))
    >>> print({name: str(part.exact) for name, part in result.parts.items()})
    ... # doctest: +NORMALIZE_WHITESPACE
    {'highest': '1', 'lowest': '1/2', 'average': '2/3', 'rows at highest': '1', 'above threshold': '1/3',
     'journalist highest': '1', 'journalist lowest': '1/2', 'journalist success rate': '2/3',
     'journalist above threshold': '1/3', 'marketer': '2/3'}
    >>> result.holds
    False

Reading
    1: somebody is certain to be found. It is the chance of picking the right row, not the chance that somebody tries;
    it assumes that the adversary knows the quasi-identifiers and nothing else.

Reference
    K. El Emam, "Guide to the De-Identification of Personal Health Information", CRC Press, 2013; F. K. Dankar,
    K. El Emam, "A Method for Evaluating Marketer Re-Identification Risk", EDBT/ICDT Workshops 2010,
    doi:10.1145/1754239.1754271.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from fractions import Fraction
from typing import ClassVar

import numpy as np

from PETWorks.exact.limit import Limit
from PETWorks.measure.formulas.floors import find_size_of_risk
from PETWorks.measure.formulas.smallest_classes import SmallestClasses
from PETWorks.measure.plugin import (
    Facts,
    Figure,
    IntArray,
    Number,
    Page,
    Result,
    ResultPart,
    Risk,
    Side,
    Step,
    Words,
    build_grouping_step,
    number,
)


class ReidentificationRisk(Risk):
    """Chance that an adversary finds the right person."""

    threshold: Number = number(default="1/5", least=0, most=1)
    highest: Number | None = number(default=None, limit=Side.AT_MOST, least=0, most=1)
    average: Number | None = number(default=None, limit=Side.AT_MOST, least=0, most=1)
    above: Number | None = number(default=None, limit=Side.AT_MOST, least=0, most=1)

    name: ClassVar[str] = "re-identification"
    against: ClassVar[str] = "identity"
    scales: ClassVar[bool] = True
    examples: ClassVar = ({"average": "0.05"}, {"threshold": "1/3", "above": 0})
    fixed_parts: ClassVar = (
        "highest",
        "lowest",
        "average",
        "rows at highest",
        "above threshold",
        "journalist highest",
        "journalist lowest",
        "journalist success rate",
        "journalist above threshold",
        "marketer",
    )
    people_parts: ClassVar = ("rows at highest",)
    words: ClassVar = {
        "en": Words(
            "re-identification",
            "Somebody is found with a chance of {value}; on average the chance is {average}.",
            "highest risk",
            {
                "highest": "A prosecutor, who knows that a person is in the release, picks somebody of the person's"
                " class. The smallest class has {size:row|rows}: a chance of 1 ÷ {size} = {score}, for"
                " {people:person|people}.",
                "average": "On average: {classes:class|classes} ÷ {rows:row|rows} = {score:exact}.",
                "average_people": "Everybody has the risk of their smallest class; on average over"
                " {rows:person|people}: {score:exact}.",
                "above threshold": "A risk above {threshold}: {people} of {rows:person|people}, a share of {score}.",
                "journalist": "A journalist, who does not know who is in the release, picks among the people of the"
                " population who look alike: at most 1 ÷ {size} = {highest}; on average {rate} are found.",
                "marketer": "A marketer, who tries everybody, finds {score} of the people on average.",
                "no_population": "No population was given: the journalist and the marketer choose among the same"
                " people, and their risks are the same.",
                "untold": "it is the chance of picking the right person, not that of anybody trying; and it takes the"
                " quasi-identifiers to be all that an attacker knows.",
                "improve": "generalise quasi-identifiers further, so that classes grow, or suppress the small ones.",
            },
            parts={
                "highest": "highest",
                "lowest": "lowest",
                "average": "mean",
                "rows at highest": "rows at the highest",
                "above threshold": "share above the threshold",
                "journalist highest": "journalist, highest",
                "journalist lowest": "journalist, lowest",
                "journalist success rate": "journalist, success rate",
                "journalist above threshold": "journalist, above threshold",
                "marketer": "marketer",
            },
            decided="{highest} for {rows at highest:person|people}",
            parameters={"threshold": "the risk above which a row counts as at risk"},
        ),
        "zh_TW": Words(
            "再識別風險",
            "風險最高者被識別的機率為 {value}；平均為 {average}。",
            "最高風險",
            {
                "highest": "檢察官攻擊模型（已知某人在表中）：自其等價類中猜測一人。最小的等價類有 {size} 筆，"
                "猜中機率為 1 ÷ {size} = {score}，計 {people} 人。",
                "average": "平均：{classes} 個等價類 ÷ {rows} 筆資料列 = {score:exact}。",
                "average_people": "每個人以其最小等價類的風險計；{rows} 人平均：{score:exact}。",
                "above threshold": "風險高於 {threshold} 者：{rows} 人中有 {people} 人，占 {score}。",
                "journalist": "記者攻擊模型（不知某人是否在表中）：自母體中相同的人猜測，"
                "至多 1 ÷ {size} = {highest}；成功率為 {rate}。",
                "marketer": "行銷者攻擊模型（大量識別）：平均可識別其中 {score} 的人。",
                "no_population": "未提供母體：記者與行銷者攻擊模型自相同的人猜測，風險相同。",
                "untold": "此為猜中的機率，並非有人嘗試攻擊的機率；且假設攻擊者僅知準識別屬性。",
                "improve": "進一步概化準識別屬性，使等價類變大；或遮蔽人數少的等價類。",
            },
            parts={
                "highest": "最高風險",
                "lowest": "最低風險",
                "average": "平均",
                "rows at highest": "最高風險的資料列數",
                "above threshold": "高於門檻的占比",
                "journalist highest": "記者攻擊模型，最高風險",
                "journalist lowest": "記者攻擊模型，最低風險",
                "journalist success rate": "記者攻擊模型，成功率",
                "journalist above threshold": "記者攻擊模型，高於門檻的占比",
                "marketer": "行銷者攻擊模型",
            },
            decided="{highest}，計 {rows at highest} 人",
            parameters={"threshold": "風險高於此值的資料列視為有風險"},
            page=Page(
                summary="攻擊者找到正確的人的機率。",
                definition="檢察官攻擊模型：攻擊者已知某人在發布資料表中，從其等價類的 s 列中挑選一列。\n"
                "記者攻擊模型：攻擊者不知道某人是否在其中，從母體中看起來相同的 F 人中挑選。\n"
                "行銷者攻擊模型：攻擊者試遍所有人，在意的是平均能識別多少人。\n"
                "均以未整列遮蔽的資料列計算。未提供母體時，F = s。",
                formula="檢察官 1/s：最高、最低、平均（等價類數 ÷ 列數）、1/s 高於門檻的資料列占比。\n"
                "記者：以 1/F 代替 1/s；成功率為「等價類數 ÷ ΣF」與「1/F 的平均」中較大者。\n"
                "行銷者：1/F 的平均。",
                example="一人單獨一類，兩人同屬一類：風險為 1 與 1/2，平均為 2 類 ÷ 3 列。",
                reading="1：有人一定會被找到。這是挑中正確資料列的機率，不是有人嘗試的機率；"
                "並假定準識別屬性就是攻擊者所知的全部。",
            ),
        ),
    }

    @property
    def uses_population(self) -> bool:
        """True: the journalist and the marketer choose among its people."""
        return True

    def figures(self, facts: Facts) -> Iterator[Figure]:
        """Yield the risks for the three adversaries."""
        classes, sizes = facts.classes, facts.classes.sizes
        among, reach = sizes, classes.rows
        if facts.has_population and len(sizes):
            among = facts.population.sizes_of_release
            reach = int(among.sum())
        own, among_population = SmallestClasses.of(facts, sizes), SmallestClasses.of(facts, among)
        yield Figure("highest", _invert(own.least), self.highest)
        yield Figure("lowest", _invert(own.largest))
        yield Figure("average", own.compute_mean_inverse(), self.average)
        yield Figure("rows at highest", Fraction(own.count_people_at(own.least)), side=None)
        yield Figure("above threshold", own.compute_share_above(self.threshold), self.above)
        marketer = among_population.compute_mean_inverse()
        guess = Fraction(len(classes), reach or 1)
        yield Figure("journalist highest", _invert(among_population.least))
        yield Figure("journalist lowest", _invert(among_population.largest))
        yield Figure("journalist success rate", max(guess, marketer))
        yield Figure("journalist above threshold", among_population.compute_share_above(self.threshold))
        yield Figure("marketer", marketer)

    def find_implied_size(self, name: str, part: ResultPart) -> int:
        """Return the size of a class with the risk that the limit allows; for a share, with the threshold."""
        risk = Limit.of(self.threshold) if name == "above threshold" else part.limit
        return find_size_of_risk(risk)

    def count_smallest_to_suppress(self, sizes: IntArray) -> int:
        """Return a lower bound on the smallest classes to suppress; the mean never rises with one of them."""
        if self.average is None:
            return 1
        limit, people = Limit.of(self.average), np.append(np.cumsum(sizes[::-1])[::-1], 0).tolist()

        def is_met(gone: int) -> bool:
            return Side.AT_MOST.allows(limit.compare(Fraction(len(sizes) - gone, people[gone] or 1)))

        return bisect_left(range(len(sizes)), x=True, lo=1, key=is_met)

    def explain_figures(self, result: Result) -> Iterator[Step]:
        """Yield how the risks for the three adversaries are computed."""
        facts, parts = result.measured, {name: part.exact or Fraction(0) for name, part in result.parts.items()}
        sizes, people = facts.classes.sizes, facts.classes.everybody
        yield build_grouping_step(facts)
        if not people:
            yield Step("nothing_published")
            return
        at_highest, above = parts["rows at highest"], parts["above threshold"]
        yield Step("highest", {"size": int(sizes.min()), "score": parts["highest"], "people": at_highest})
        average: dict[str, object] = {"classes": len(facts.classes), "rows": people, "score": parts["average"]}
        yield Step("average" if facts.people_summary is None else "average_people", average)
        figures = {"threshold": self.threshold, "people": above * people, "rows": people, "score": above}
        yield Step("above threshold", figures)
        if not facts.has_population:
            yield Step("no_population")
            return
        highest, rate = parts["journalist highest"], parts["journalist success rate"]
        yield Step("journalist", {"size": int(1 / highest), "highest": highest, "rate": rate})
        yield Step("marketer", {"score": parts["marketer"]})


def _invert(size: int) -> Fraction:
    return Fraction(1, size) if size else Fraction(0)
