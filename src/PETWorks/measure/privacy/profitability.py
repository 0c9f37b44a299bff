"""Profitability: publishing each row must pay, even if somebody attacks it.

Definition
    Per row: an attack costs the adversary C and brings G if it succeeds; the publisher loses L by a success and gains B
    by publishing. In a class of s rows an attack succeeds with probability 1/s. The adversary attacks unless the
    expected gain is below the cost. The basic form requires that the publisher's payoff of every row is above 0. The
    strict form (``allow_attack=False``) also requires that no attack pays. An adversary who does not know who is in
    the release (``attacker="journalist"``) has to choose among the F people of a population instead. With
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
    one, never as a sum; suppressed rows are not judged. The verdict is only as good as the four amounts.

Reference
    Z. Wan et al., "A Game Theoretic Framework for Analyzing Re-Identification Risk", PLOS ONE 10(3), 2015,
    doi:10.1371/journal.pone.0120592. F. Prasser et al., "An Open Source Tool for Game Theoretic Health Data
    De-Identification", AMIA Annual Symposium 2017. (At an expected gain equal to the cost, they say: no attack.)
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, Literal

from PETWorks.measure.formulas.attack_game import (
    Game,
    GameOnClasses,
    explain_attacker_payoff,
    explain_attacks,
    explain_publisher_payoff,
    explain_strict,
)
from PETWorks.measure.plugin import (
    Bound,
    Facts,
    Limit,
    Mask,
    Number,
    Page,
    Privacy,
    Side,
    Step,
    Words,
    flag,
    number,
    population_nests,
    word,
)

Attacker = Literal["prosecutor", "journalist"]


class Profitability(Privacy):
    """The publisher's payoff of each row, more than 0."""

    cost: Number = number(least=0)
    gain: Number = number(least=0)
    loss: Number = number(least=0)
    benefit: Number = number(least=0)
    allow_attack: bool = flag(default=True)
    attacker: Attacker = word(Attacker, default="prosecutor")
    information_loss: bool = flag(default=False)

    name: ClassVar[str] = "profitability"
    always_judges: ClassVar[bool] = True  # the payoff must be more than 0
    by_sizes: ClassVar[bool] = True
    classwise: ClassVar[bool] = True
    scales: ClassVar[bool] = True
    examples: ClassVar = (
        {"cost": 4, "gain": 300, "loss": 300, "benefit": 1200},
        {"cost": 4, "gain": 300, "loss": 300, "benefit": 1200, "allow_attack": False, "information_loss": True},
    )
    of_sizes: ClassVar[bool] = True
    fixed_parts: ClassVar = ("publisher", "adversary")
    population_if: ClassVar = {"attacker": ("journalist",)}
    words: ClassVar = {
        "en": Words(
            "profitability",
            "Publishing a person leaves the publisher at least {value}; the best attack brings {adversary}.",
            "least payoff",
            {
                "given": "Per person: an attack costs {cost}, a success brings {gain}; the publisher loses {loss} by it"
                " and gains {benefit} by publishing.",
                "prosecutor": "An attacker who knows that a person is in the release picks somebody of the person's"
                " class. What an attack can be expected to bring, the smallest classes first:",
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
            parts={"publisher": "publisher", "adversary": "adversary"},
            parameters={
                "cost": "what an attack on a row costs the adversary",
                "gain": "what a successful attack brings the adversary",
                "loss": "what the publisher loses by it",
                "benefit": "what publishing a row brings the publisher",
                "allow_attack": "whether attacks that pay are tolerated; if not, the strict form",
                "attacker": "whether the adversary knows who is in the release",
                "information_loss": "whether a generalised row is worth less",
            },
            people="Each class leaves the publisher at least {value} per person; the best attack brings {adversary}.",
        ),
        "zh_TW": Words(
            "獲利力",
            "發布每一人，至少為發布者留下 {value}；對攻擊者最有利的攻擊可得 {adversary}。",
            "發布者最低淨收益",
            {
                "given": "以每人計：攻擊者成本 {cost}，攻擊者收益 {gain}；發布者損失 {loss}，發布者收益 {benefit}。",
                "prosecutor": "攻擊者已知某人在表中，自其等價類中猜測一人。收益期望值如下，自人數最少的等價類起：",
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
            parts={"publisher": "發布者", "adversary": "攻擊者"},
            parameters={
                "cost": "攻擊者成本：攻擊一筆資料列的花費",
                "gain": "攻擊者收益：攻擊成功的所得",
                "loss": "發布者損失：攻擊成功時的損失",
                "benefit": "發布者收益：發布一筆資料列的所得",
                "allow_attack": "是否容許有利可圖的攻擊；不容許即為嚴格變種",
                "attacker": "攻擊者是否知道誰在發布資料表中",
                "information_loss": "概化的資料列是否價值較低",
            },
            people="每個等價類以每人計至少為發布者留下 {value}；對攻擊者最有利的攻擊可得 {adversary}。",
            page=Page(
                summary="即使有人攻擊，發布每一筆資料列仍須划算。",
                definition="以每筆資料列計：攻擊成本為 C，成功時攻擊者得到 G；發布者因攻擊成功損失 L，因發布得到 B。"
                "在 s 列的等價類中，攻擊成功的機率為 1/s。除非收益期望值低於成本，否則攻擊者就會攻擊。\n"
                "基礎定義要求每筆資料列留給發布者的淨收益大於 0；嚴格變種（`allow_attack=False`）"
                "另要求任何攻擊都無利可圖。\n"
                '若攻擊者不知道誰在發布資料表中（`attacker="journalist"`），就必須從母體的 F 人中挑選。'
                "`information_loss=True` 時，資料列概化得越多，對發布者的價值越低。",
                formula="淨收益 = B - L/s（若 G/s ≥ C），否則為 B；基礎定義：每列淨收益 > 0。"
                "嚴格變種：另須每列 G/s < C。\n"
                "計入資訊損失量時，以 B·(1 - IL) 代替 B，IL = Σ ln(儲存格之下的葉節點數) / Σ ln(欄位的葉節點數)。",
                example="一人單獨一類，兩人同屬一類。攻擊前者的收益期望值為 300，攻擊後兩人各為 150。",
                reading="數值為各列中最低的淨收益；攻擊者的最大淨收益一併列出。逐列判定，從不加總。"
                "判定結果取決於四項金額是否合理。整列遮蔽的資料列未發布，故不判定。",
            ),
            reference='Z. Wan et al., "A Game Theoretic Framework for Analyzing Re-Identification Risk", PLOS ONE'
            ' 10(3), 2015, doi:10.1371/journal.pone.0120592。F. Prasser et al., "An Open Source Tool for Game'
            ' Theoretic Health Data De-Identification", AMIA Annual Symposium 2017。'
            "（收益期望值等於成本時，兩文均視為不攻擊。）",
        ),
    }

    @property
    def monotone(self) -> bool:  # type: ignore[override]
        """True without information loss; with it, merging classes lowers the publisher's payoff."""
        return not self.information_loss

    @property
    def pairs(self) -> bool:  # type: ignore[override]
        """True with information loss, which depends on how far cells were generalised."""
        return self.information_loss

    def bounds(self, facts: Facts) -> Iterator[Bound]:
        """Yield the payoff of the publisher, and that of the adversary, in every class."""
        played = self._build_game(facts)
        payoff, attack = played.payoffs()
        limit = None if self.allow_attack else 0
        adversary = Bound(Side.LESS_THAN, limit, attack, played.classes, "adversary", leads=False, by_size=True)
        best = adversary.find_worst()
        figures = {"adversary": None if best is None else attack.exact(best)}
        by_size = played.leaves is None
        yield Bound(Side.MORE_THAN, 0, payoff, played.classes, "publisher", by_size=by_size, figures=figures)
        yield adversary

    @property
    def _given(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in Game._fields}

    @property
    def _game(self) -> Game:
        return Game(*(Limit.of(amount).exact for amount in self._given.values()))

    def _build_game(self, facts: Facts) -> GameOnClasses:
        journalist = self.attacker == "journalist"
        return GameOnClasses.of(self._game, facts, journalist=journalist, information_loss=self.information_loss)

    def least_size(self) -> int:
        """Return the size that the game requires; a journalist chooses among more people than the class has."""
        return self._game.least_size(strict=not self.allow_attack) if self.attacker == "prosecutor" else 1

    def declarations_hold(self, facts: Facts) -> bool:
        """Return True without a population, or if generalising further merges its classes in any case."""
        return self.attacker == "prosecutor" or population_nests(facts)

    def find_least_suppression_by(self, bound: Bound, facts: Facts) -> Mask:
        """Return the classes that fail even without information loss: attacks on their parts succeed no less often."""
        return bound.failing if bound.part == "adversary" else self._game.worthless(self._build_game(facts).sizes)

    def explain_scoring(self, bound: Bound, facts: Facts) -> Iterator[Step]:
        """Yield the publisher's amounts and the gain of attacks; for the adversary's bound, its requirement."""
        if bound.part == "publisher":
            yield Step("given", self._given)
            yield Step(self.attacker, {}, tuple(explain_attacks(self._build_game(facts), self._given)))
        else:
            yield Step("adversary") if self.allow_attack else explain_strict(self._game, self._given)

    def explain_class(self, bound: Bound, index: int, facts: Facts, least: int) -> Iterator[Step]:  # noqa: ARG002
        """Yield how the payoff of the publisher, or of the adversary, is computed."""
        explain = explain_publisher_payoff if bound.part == "publisher" else explain_attacker_payoff
        yield from explain(self._build_game(facts), self._given, index, bound.scores.best_known(index))
