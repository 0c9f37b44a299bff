"""Profitability: publishing each row must pay, even if somebody attacks it.

Definition
    Per row: an attack costs the adversary C and brings G if it succeeds; the publisher loses L by a success and gains B
    by publishing. In a class of s rows an attack succeeds with probability 1/s. The adversary attacks unless the
    expected gain is below the cost. The basic form asks that every row leaves the publisher more than nothing; the
    strict form (``allow_attack=False``) asks that, besides, no attack pays. An adversary who does not know who is in
    the release (``attacker="journalist"``) has to choose among the people F of a population instead. With
    ``information_loss=True`` a row is worth less to the publisher the more it was generalised.

Formula
    payoff = B - L/s if G/s ≥ C, else B; basic: payoff > 0 for every row. Strict: also G/s < C for every row.
    With information loss B·(1 - IL) in place of B, IL = Σ ln(leaves below the cell) / Σ ln(leaves of the column).

Example
    A person alone in a class and two who share one. An attack on the first is expected to bring 300, on the others 150.

    >>> from PETWorks import Release
    >>> release = Release({"year": ["197*", "198*", "198*"]})
    >>> amounts = dict(cost=4, gain=300, loss=300, benefit=1200)
    >>> result = release.ask(Profitability(**amounts))
    >>> result.holds, [(score.size, score.value) for score in result.worst]
    (True, [(1, 900.0), (2, 1050.0)])
    >>> [score.value + 4 for score in result.parts["adversary"].worst]  # the expected gains
    [300.0, 150.0]
    >>> release.ask(Profitability(**amounts, allow_attack=False)).holds
    False

Reading
    The value is the least payoff of any row; the adversary's largest payoff stands beside it. Rows are judged one by
    one, never as a sum. The verdict is only as good as the four amounts. Suppressed rows are not published, so they are
    not judged.

Reference
    Z. Wan et al., "A Game Theoretic Framework for Analyzing Re-Identification Risk", PLOS ONE 10(3), 2015,
    doi:10.1371/journal.pone.0120592. F. Prasser et al., "An Open Source Tool for Game Theoretic Health Data
    De-Identification", AMIA Annual Symposium 2017. (Where the expected gain equals the cost, these say that nobody
    attacks; here somebody does.)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any, ClassVar

import numpy as np

from PETWorks.counting.tally import IntArray, wide
from PETWorks.exact.limit import Limit, Number
from PETWorks.exact.scores import Ratios, Scores
from PETWorks.explain.step import Step
from PETWorks.facts.classes import Classes
from PETWorks.facts.facts import Facts
from PETWorks.formulas.leaves import all_leaves, classes_by_leaves, information_loss, worth_less
from PETWorks.measure.base import Words
from PETWorks.measure.parameter import amount, flag, word
from PETWorks.measure.privacy import Bound, Privacy, Side

FEW = 5  # sizes of classes for which attacks are worked out


@dataclass(frozen=True, kw_only=True)
class Profitability(Privacy):
    """What publishing a row leaves to the publisher, more than nothing."""

    cost: Number = amount()
    gain: Number = amount()
    loss: Number = amount()
    benefit: Number = amount()
    allow_attack: bool = flag(default=True)
    attacker: str = word("prosecutor", "journalist")
    information_loss: bool = flag(default=False)

    name: ClassVar[str] = "profitability"
    scales: ClassVar[bool] = True
    examples: ClassVar = (
        {"cost": 4, "gain": 300, "loss": 300, "benefit": 1200},
        {"cost": 4, "gain": 300, "loss": 300, "benefit": 1200, "allow_attack": False, "information_loss": True},
    )
    fixed_parts: ClassVar = ("publisher", "adversary")
    words: ClassVar = {
        "en": Words(
            "profitability",
            "Each published row leaves the publisher at least {value}; the best attack brings {adversary}.",
            "least payoff",
            {
                "given": "Per row: an attack costs {cost}, a success brings {gain}; the publisher loses {loss} by it"
                " and gains {benefit} by publishing.",
                "prosecutor": "An attacker who knows that a person is in the release picks one of the rows of the"
                " person's class. What an attack can be expected to bring, the smallest classes first:",
                "journalist": "An attacker who does not know who is in the release picks one of the people of the"
                " population who look alike. What an attack can be expected to bring, the fewest people first:",
                "attack_pays": "one of {size}: {gain} ÷ {size} = {expected:exact}, not below {cost}: attacking pays,"
                " the publisher risks {loss} ÷ {size} = {risk:exact} ({people:row|rows})",
                "attack_idle": "one of {size}: {gain} ÷ {size} = {expected:exact}, below {cost}: nobody attacks, the"
                " risk is 0 ({people:row|rows})",
                "worth": "Its rows stand for {leaves} of {everything} combinations of leaves, so that ln({leaves}) ÷"
                " ln({everything}) = {lost} of them is lost; publishing brings {benefit} × (1 - {lost}) = {worth}.",
                "payoff": "What publishing brings, {benefit}, is above the risk {risk}: {benefit} - {risk} = {score} is"
                " left.",
                "no_payoff": "What publishing brings, {benefit}, is not above the risk {risk}: {benefit} - {risk} ="
                " {score}.",
                "adversary": "On the other side, what the best attack leaves to the attacker: expected gain minus"
                " cost.",
                "strict": "The strict form asks, besides, that no attack pays: the attacker must have to choose among"
                " more than {gain} ÷ {cost} = {size} people.",
                "strict_free": "The strict form asks, besides, that no attack pays. An attack that costs nothing always"
                " does.",
                "attack": "{gain} ÷ {size} - {cost} = {score}.",
                "untold": "the verdict is only as good as the four amounts.",
                "improve": "generalise quasi-identifiers further, so that classes grow and attacks bring less; or"
                " suppress the small classes.",
            },
        ),
        "zh_TW": Words(
            "獲利力",
            "每筆發布的資料列至少為發布者留下 {value}；對攻擊者最有利的攻擊可得 {adversary}。",
            "發布者最低淨收益",
            {
                "given": "以每筆資料列計：攻擊者成本 {cost}，攻擊者收益 {gain}；"
                "發布者損失 {loss}，發布者收益 {benefit}。",
                "prosecutor": "攻擊者已知某人在表中，自其等價類中猜測一筆。收益期望值如下，自人數最少的等價類起：",
                "journalist": "攻擊者不知某人是否在表中，自母體中相同的人猜測一人。收益期望值如下，自人數最少者起：",
                "attack_pays": "{size} 人之一：{gain} ÷ {size} = {expected:exact}，不低於 {cost}，攻擊有利可圖，"
                "發布者風險為 {loss} ÷ {size} = {risk:exact}（{people} 筆資料列）",
                "attack_idle": "{size} 人之一：{gain} ÷ {size} = {expected:exact}，低於 {cost}，攻擊無利可圖，"
                "發布者風險為 0（{people} 筆資料列）",
                "worth": "其資料列代表 {everything} 種葉節點組合中的 {leaves} 種，"
                "資訊損失量為 ln({leaves}) ÷ ln({everything}) = {lost}；"
                "發布者收益為 {benefit} × (1 - {lost}) = {worth}。",
                "payoff": "發布者收益 {benefit} 大於發布者風險 {risk}：{benefit} - {risk} = {score}。",
                "no_payoff": "發布者收益 {benefit} 不大於發布者風險 {risk}：{benefit} - {risk} = {score}。",
                "adversary": "另一方面，對攻擊者最有利的攻擊：收益期望值減去攻擊者成本。",
                "strict": "嚴格變種另要求攻擊無利可圖：攻擊者猜測的人數須超過 {gain} ÷ {cost} = {size} 人。",
                "strict_free": "嚴格變種另要求攻擊無利可圖；攻擊者成本為 0 時，攻擊一律有利可圖。",
                "attack": "{gain} ÷ {size} - {cost} = {score}。",
                "untold": "判定結果取決於四項金額是否合理。",
                "improve": "進一步概化準識別屬性，使等價類變大、攻擊的收益期望值降低；或遮蔽人數少的等價類。",
            },
        ),
    }

    def bounds(self, facts: Facts) -> Iterator[Bound]:
        """Give the payoff of the publisher, and that of the adversary, in every class."""
        amounts = self._amounts()
        scale = lcm(*(one.denominator for one in amounts))
        cost, gain, loss, benefit = (int(one * scale) for one in amounts)
        classes, sizes, leaves = self._grouped(facts)
        sizes = wide(sizes, max(cost, gain, loss, benefit, scale) * (int(sizes.max(initial=0)) + 1))
        risk = loss * (gain >= cost * sizes).astype(sizes.dtype)
        payoff: Scores = Ratios(benefit * sizes - risk, scale * sizes)
        if leaves is not None:
            payoff = worth_less(amounts[3], Ratios(risk, scale * sizes), leaves, all_leaves(facts))
        attack = Ratios(gain - cost * sizes, scale * sizes)
        bound = Bound(Side.LESS_THAN, None if self.allow_attack else 0, attack, "adversary", classes, by_size=True)
        best = bound.worst()
        figures = {"adversary": None if best is None else attack.exact(best)}
        yield Bound(Side.MORE_THAN, 0, payoff, "publisher", classes, by_size=leaves is None, figures=figures)
        yield bound

    def _amounts(self) -> list[Fraction]:
        return [Limit.of(given).exact for given in (self.cost, self.gain, self.loss, self.benefit)]

    def _grouped(self, facts: Facts) -> tuple[Classes, IntArray, IntArray | None]:
        """Give the classes, how many people an attacker chooses among in each, and the leaves that its rows are for."""
        crowd = self.attacker == "journalist" and len(facts.classes) > 0
        sizes = facts.crowd.sizes if crowd else facts.classes.sizes
        if not self.information_loss:
            return facts.classes, sizes, None
        classes, leaves = classes_by_leaves(facts)
        return classes, sizes[classes.within], leaves if all_leaves(facts) > 1 else None

    def scoring(self, bound: Bound, facts: Facts) -> Iterator[Step]:
        """Say what was given, and what attacks bring; or what the attacker's side is."""
        cost, gain, _, _ = self._amounts()
        given = {name: getattr(self, name) for name in ("cost", "gain", "loss", "benefit")}
        if bound.part == "publisher":
            yield Step("given", given)
            yield Step(self.attacker, {}, tuple(self._attacks(facts, given)))
        elif self.allow_attack:
            yield Step("adversary")
        else:
            yield Step("strict", given | {"size": gain / cost}) if cost else Step("strict_free")

    def _attacks(self, facts: Facts, given: dict[str, Any]) -> Iterator[Step]:
        """Give the expected gain, and the publisher's risk, for the classes in which an attacker finds most easily."""
        classes, sizes, _ = self._grouped(facts)
        for size in np.unique(sizes)[:FEW].tolist():
            risk, people = self._risk(size), int(classes.people[sizes == size].sum())
            figures = {"size": size, "expected": self._amounts()[1] / size, "risk": risk or 0, "people": people}
            yield Step("attack_idle" if risk is None else "attack_pays", given | figures)

    def _risk(self, size: int) -> Fraction | None:
        """Give what the publisher risks where an attacker chooses among so many people; None if no attack pays."""
        cost, gain, loss, _ = self._amounts()
        return loss / size if gain >= cost * size else None

    def worked(self, bound: Bound, number: int, facts: Facts, least: int) -> Iterator[Step]:  # noqa: ARG002
        """Work out what is left to the publisher, or to the attacker."""
        _, sizes, leaves = self._grouped(facts)
        size, score = int(sizes[number]), bound.scores.told(number)
        if bound.part == "adversary":
            yield Step("attack", {"gain": self.gain, "size": size, "cost": self.cost, "score": score})
            return
        worth: Number = self.benefit
        if leaves is not None:
            stood_for, everything = int(leaves[number]), all_leaves(facts)
            lost = information_loss(stood_for, everything)
            worth = float(self._amounts()[3]) * (1 - lost)
            combinations = {"leaves": stood_for, "everything": everything, "lost": lost}
            yield Step("worth", combinations | {"benefit": self.benefit, "worth": worth})
        figures = {"benefit": worth, "risk": self._risk(size) or 0, "score": score}
        yield Step("payoff" if score > 0 else "no_payoff", figures)
