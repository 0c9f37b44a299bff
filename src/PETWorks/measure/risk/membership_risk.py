"""Membership risk: whether the release tells who was in the original, and who was not.

Definition
    A person's score is the greatest number of columns on which one released row agrees with them; of equal scores, the
    rarer person comes first. If members score higher than people who took no part, the release gives members away:
    all a little (AUC), or a few for certain (the true positives while hardly anybody else is taken for a member).

Formula
    AUC = (#{member scores higher} + ½ #{equal}) ÷ pairs of a member and another. TPR: members among the highest scores,
    as long as at most 1% of the others are among them.

Example
    Both members are in the release as they are; one of the two others agrees as well.

    >>> from PETWorks import Release
    >>> people, others = {"sex": ["F", "M"], "zip": ["1", "2"]}, {"sex": ["F", "M"], "zip": ["1", "3"]}
    >>> result = Release(people, original=people, holdout=others, synthetic=True).ask(MembershipRisk())
    >>> print(result.exact, result.parts["TPR"].exact, result.figures["above"])
    7/8 1/2 no

Reading
    1/2: members cannot be told from others by this score. An AUC near 1/2 beside a true positive rate far above 1% is a
    release that gives a few people away. No table shows that differential privacy was used.

Reference
    N. Carlini et al., "Membership Inference Attacks From First Principles", IEEE Symposium on Security and Privacy,
    2022, doi:10.1109/SP46214.2022.9833649; H. B. Mann, D. R. Whitney, Annals of Mathematical Statistics 18(1), 1947,
    doi:10.1214/aoms/1177730491.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from PETWorks.facts.pool import Pool, PoolSide
from PETWorks.measure.formulas.excess import compute_chance
from PETWorks.measure.formulas.nearest_agreement import ALL_SETS, MOST_AWAY, find_agreement, rank_people
from PETWorks.measure.original_people import COARSER, PoolFigures
from PETWorks.measure.plugin import (
    THRESHOLD,
    Facts,
    Figure,
    IntArray,
    Limit,
    Need,
    Note,
    Number,
    Page,
    Result,
    Side,
    Step,
    Words,
    columns,
    number,
)

DEVIATIONS = 3  # standard deviations above chance


@dataclass(frozen=True, eq=False)
class Ranking:
    """The people of original and hold-out by score, the lowest first."""

    members: IntArray
    others: IntArray

    @property
    def n(self) -> int:
        """The number of people of the original."""
        return int(self.members.sum())

    @property
    def h(self) -> int:
        """The number of people of the hold-out."""
        return int(self.others.sum())

    @property
    def wins(self) -> int:
        """Twice the number of pairs in which the member scores higher, and once that of equal scores."""
        below = np.cumsum(self.others) - self.others
        return sum(
            x * (2 * less + y)
            for x, less, y in zip(self.members.tolist(), below.tolist(), self.others.tolist(), strict=True)
        )

    @property
    def auc(self) -> Fraction:
        """The share of pairs in which the member scores higher; equal scores count half."""
        return Fraction(self.wins, 2 * self.n * self.h)

    @property
    def deviation(self) -> Fraction | None:
        """The squared distance from chance in standard deviations; None if all scores are equal."""
        n, h, everybody = self.n, self.h, self.n + self.h
        ties = sum(t**3 - t for t in (self.members + self.others).tolist())
        spread = Fraction(n * h, 12) * (everybody + 1 - Fraction(ties, everybody * (everybody - 1)))
        return (Fraction(self.wins, 2) - Fraction(n * h, 2)) ** 2 / spread if spread else None

    @property
    def is_above_chance(self) -> bool:
        """True if members score higher than chance explains."""
        return self.auc > Fraction(1, 2) and (self.deviation or 0) >= DEVIATIONS**2

    def take_best(self, most: Fraction, counted: IntArray) -> tuple[int, int]:
        """Return the members and others with the highest scores: whole ties, at most `most` people."""
        passed = np.cumsum(counted[::-1])
        ties = int(np.searchsorted(passed, int(most), side="right"))
        return int(self.members[::-1][:ties].sum()), int(self.others[::-1][:ties].sum())


class MembershipRisk(PoolFigures):
    """Chance that a member of the original scores higher than somebody who took no part."""

    columns: Sequence[str] | None = columns(default=None)
    false_positives: Number = number(default="0.01", above=0, most=1, percent=True)
    max_auc: Number | None = number(default=None, limit=Side.AT_MOST, least=0, most=1)
    max_tpr: Number | None = number(default=None, limit=Side.AT_MOST, least=0, most=1)

    name: ClassVar[str] = "membership risk"
    family: ClassVar[str] = "risk"
    against: ClassVar[str] = "membership"
    needs: ClassVar[frozenset[Need]] = frozenset({Need.ORIGINAL, Need.HOLDOUT})
    scales: ClassVar[bool] = True
    examples: ClassVar = ({"max_auc": "0.9"},)
    fixed_parts: ClassVar = ("AUC", "TPR", "top", "agreement")
    words: ClassVar = {
        "en": Words(
            "membership risk",
            "A member of the original scores higher than somebody else in {percent} of all pairs; 50% is chance.",
            "AUC",
            {
                "scores": "Of {columns:column|columns}, the most on which one released row agrees with a person."
                " Members"
                " and others by that number: {agreement}.",
                "AUC": "In a share of {score} of all pairs of one of {n:member|members} and one of {h:other|others},"
                " the"
                " member scores higher; equal scores count half. 1/2 is chance.",
                "above": "That is above chance by three standard deviations or more: the release tells who was in the"
                " original.",
                "not above": "That is no three standard deviations above chance.",
                "TPR": "As long as at most {allowed:%} of the others are taken for members ({fp} are), {tp} of"
                " {n:member|members} are found: a share of {score}.",
                "top": "Among the highest scores of at most {allowed:%} of everybody, {x:member|members} and"
                " {y:other|others}: by chance so many members with {score}.",
                "untold": "another score, or an adversary who knows how the rows were made, may find more.",
                "improve": "use a model that is told less of single people, and leave out copies of rare rows.",
            },
            parts={"AUC": "AUC", "TPR": "true positives", "top": "by chance", "agreement": "AUC without rarity"},
            notes={
                "three_away": "{columns} columns: people on whom every released row differs in more than {most} tie."
            },
            parameters={
                "columns": "the columns that are compared; otherwise all but identifiers",
                "false_positives": "the share of others who may be taken for members",
                "max_auc": "the largest AUC",
                "max_tpr": "the largest share of members who are found",
                **COARSER["en"],
            },
        ),
        "zh_TW": Words(
            "成員風險",
            "所有配對中，有 {percent} 是原始資料的成員分數較高；50% 即為隨機。",
            "AUC",
            {
                "scores": "{columns} 個欄位中，發布的某一列與該人相同的欄位數，取最多者。"
                "依此數，成員與其他人各有：{agreement}。",
                "AUC": "{n} 名成員與 {h} 名其他人的所有配對中，成員分數較高者占 {score}；分數相同計一半。1/2"
                " 即為隨機。",
                "above": "高出隨機三個標準差以上：發布資料表透露誰在原始資料中。",
                "not above": "未高出隨機三個標準差。",
                "TPR": "其他人至多 {allowed:%} 被當成成員時（實際 {fp} 人），{n} 名成員中有 {tp} 名被找到：占"
                " {score}。",
                "top": "分數最高、至多占全體 {allowed:%} 的人之中，有成員 {x} 名、其他人 {y} 名："
                "隨機有這麼多成員的機率為 {score}。",
                "untold": "其他計分方式，或知道資料列如何產生的攻擊者，可能找到更多。",
                "improve": "改用較不受單一個人影響的模型，並剔除罕見資料列的複製。",
            },
            parts={"AUC": "AUC", "TPR": "真陽性率", "top": "出於隨機的機率", "agreement": "不計罕見程度的 AUC"},
            notes={"three_away": "共 {columns} 個欄位：與所有發布資料列相差超過 {most} 個欄位的人視為同分。"},
            parameters={
                "columns": "比較的欄位；否則為識別屬性以外的所有欄位",
                "false_positives": "其他人被當成成員的最大比例",
                "max_auc": "AUC 的上限",
                "max_tpr": "被找到的成員的最大比例",
                **COARSER["zh_TW"],
            },
            page=Page(
                summary="發布資料表是否透露誰在原始資料中。",
                definition="某人的分數，是發布的某一列與該人相同的欄位數，取最多者；同分時，較罕見的人在前。"
                "若成員的分數高於未參與的人，發布資料表即透露成員：可能每人都透露一點（AUC），"
                "也可能確切透露少數人（幾乎沒有其他人被誤認時的真陽性率）。",
                formula="AUC =（#{成員分數較高} + ½ #{同分}）÷ 成員與其他人的配對數。"
                "真陽性率：其他人至多 1% 在內時，分數最高者中的成員。",
                example="兩名成員都原樣出現在發布資料表；其他兩人中也有一人相同。",
                reading="1/2：以此分數無法分辨成員。AUC 接近 1/2 而真陽性率遠高於 1%，表示發布資料表透露少數人。"
                "任何資料表都無法證明使用了差分隱私。",
            ),
        ),
    }

    def figures(self, facts: Facts) -> Iterator[Figure]:
        """Yield the AUC, the true positives, how they compare with chance, and the AUC without rarity."""
        names = self.columns or facts.comparable
        pool = self.find_pool(facts, names, with_holdout=True)
        keys = [name for name in names if name in facts.roles.quasi_identifiers]
        far = len(names) > ALL_SETS
        agreement = find_agreement(pool, pool.matchable(keys), MOST_AWAY if far else len(names))
        ranking, plain = _rank(pool, rank_people(pool, agreement)), _rank(pool, agreement + 1)
        allowed = Limit.of(self.false_positives).exact
        n, h = ranking.n, ranking.h
        tp, fp = ranking.take_best(allowed * h, ranking.others)
        x, y = ranking.take_best(allowed * (n + h), ranking.members + ranking.others)
        told: dict[str, Any] = {
            "columns": len(names),
            "n": n,
            "h": h,
            "above": "yes" if ranking.is_above_chance else "no",
        }
        told |= {"agreement": _list_agreement(plain), "deviation": ranking.deviation}
        notes = (*self.list_notes(facts), *_note_far(len(names)))
        yield Figure("AUC", ranking.auc, self.max_auc, figures=told, notes=notes)
        yield Figure("TPR", Fraction(tp, n), self.max_tpr, figures={"tp": tp, "fp": fp, "n": n, "allowed": allowed})
        top = {"x": x, "y": y, "allowed": allowed}
        few = min(x, y) < THRESHOLD
        yield Figure("top", compute_chance(x, n, y, h), side=None, figures=top, about_few=few)
        yield Figure("agreement", plain.auc)

    def tells_of_few(self, result: Result) -> bool:
        """Return True if the members who are found, or not, are fewer than five."""
        told = result.parts["TPR"].figures
        return not told or min(told["tp"], told["n"] - told["tp"]) < THRESHOLD

    def explain_figures(self, result: Result) -> Iterator[Step]:
        """Yield the scores, both rates and whether they are above chance."""
        told = result.figures
        yield Step("scores", {"columns": told["columns"], "agreement": told["agreement"]})
        yield Step("AUC", {"n": told["n"], "h": told["h"], "score": result.exact})
        yield Step("above" if told["above"] == "yes" else "not above")
        for name in ("TPR", "top"):
            yield Step(name, {**result.parts[name].figures, "score": result.parts[name].best_known})


def _note_far(many: int) -> Iterator[Note]:
    if many > ALL_SETS:
        yield Note("three_away", {"columns": many, "most": MOST_AWAY})


def _list_agreement(plain: Ranking) -> dict[str, str]:
    """Return the numbers of members and others by the columns that agree, most columns first."""
    pairs = [*enumerate(zip(plain.members.tolist(), plain.others.tolist(), strict=True), start=-1)]
    return {("<" if agreed < 0 else str(agreed)): f"{x}/{y}" for agreed, (x, y) in reversed(pairs) if x or y}


def _rank(pool: Pool, ranks: IntArray) -> Ranking:
    assert pool.holdout is not None  # noqa: S101 (this measure needs one)
    size = int(ranks.max(initial=0)) + 1
    return Ranking(_count(pool.original, ranks, size), _count(pool.holdout, ranks, size))


def _count(side: PoolSide, ranks: IntArray, size: int) -> IntArray:
    """Return the people by rank; a person with several rows has the best of their ranks."""
    if side.pairs is None:
        counts = np.zeros(size, dtype=np.int64)
        np.add.at(counts, ranks, side.counts)
        return counts
    entry, person = side.pairs
    best = np.zeros(side.people, dtype=np.int64)
    np.maximum.at(best, person, ranks[entry])
    return np.bincount(best, minlength=size)
