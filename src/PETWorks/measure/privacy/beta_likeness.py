"""β-likeness: no class may make a sensitive value much more likely than the whole table does.

Definition
    Basic: the relative excess (q - p)/p of a value's share in a class over its share of the whole table is at most β.
    Enhanced: it is at most β and at most -ln p, so that frequent values may not exceed by much.

Formula
    largest (q - p)/p over classes and values with q > p, 0 if there are none; holds if ≤ β, enhanced ≤ min(β, -ln p)

Example
    In a class of two, the cold is twice as frequent as in the whole table: its excess is 1.

    >>> from PETWorks import Release
    >>> table = {"year": ["197*"] * 2 + ["198*"] * 2, "disease": ["flu", "cold", "flu", "flu"]}
    >>> release = Release(table, quasi_identifiers=["year"], sensitive=["disease"])
    >>> print(release.ask(BetaLikeness(beta=1)).exact, release.ask(BetaLikeness(beta=1)).holds)
    1 True
    >>> release.ask(BetaLikeness(beta=1, variant="enhanced")).holds  # flu: 1/3 is above -ln(3/4)
    False

Reading
    0: no class says more than the whole table. Values that become less likely are not looked at. For the enhanced form,
    a class that exceeds -ln p fails for every β; the value is then not defined, and such classes are named.

Reference
    J. Cao, P. Karras, "Publishing Microdata with a Robust Privacy Guarantee", PVLDB 5(11), 2012,
    doi:10.14778/2350229.2350255.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal, localcontext
from fractions import Fraction
from math import log
from typing import Any, ClassVar, Literal

import numpy as np

from PETWorks.exact.sums import DIGITS
from PETWorks.measure.bounds import CLOSE
from PETWorks.measure.formulas.floors import find_most_excess
from PETWorks.measure.plugin import (
    Bound,
    Cell,
    Facts,
    FloatArray,
    IntArray,
    Limit,
    Mask,
    Name,
    Need,
    Number,
    Page,
    Privacy,
    Side,
    Spread,
    Step,
    Words,
    cell_text,
    column,
    find_largest,
    number,
    overall_is_fixed,
    word,
)

Variant = Literal["basic", "enhanced"]


class BetaLikeness(Privacy):
    """Largest relative excess of a sensitive value in a class, at most β."""

    beta: Number | None = number(default=None, limit=Side.AT_MOST, above=0, kw_only=False)
    variant: Variant = word(Variant, default="basic")
    sensitive: str | None = column(default=None)

    name: ClassVar[str] = "β-likeness"
    against: ClassVar[str] = "attribute"
    monotone: ClassVar[bool] = True  # the limit of a value is the same in all classes; a merged one has a mean share
    classwise: ClassVar[bool] = True
    variant_figure: ClassVar[str] = "variant"
    needs: ClassVar[frozenset[Need]] = frozenset({Need.SENSITIVE})
    examples: ClassVar = ({"beta": 1}, {"beta": 1, "variant": "enhanced"})
    words: ClassVar = {
        "en": Words(
            "β-likeness",
            "In some class, a value of {part} exceeds its share of the whole by {value} times that share ({variant}).",
            "largest excess",
            {
                "basic": "For every value of {part} that is more frequent in a class than in all {rows:row|rows}: by"
                " how much its share is larger, divided by its share overall. The class is scored by the largest"
                " excess.",
                "enhanced": "For every value of {part} that is more frequent in a class than in all {rows:row|rows}: by"
                " how much its share is larger, divided by its share overall. The class is scored by the largest"
                " excess; one above -ln(share overall) is beyond every β.",
                "exceeds": "{value} exceeds most: ({inside} - {overall}) ÷ {overall} = {score}.",
                "no_excess": "No value is more frequent in the class than overall: {score}.",
                "capped": "{value} exceeds by ({inside} - {overall}) ÷ {overall} = {excess}, more than"
                " -ln({overall}) = {cap}: no β is large enough.",
                "untold": "values that are less frequent in a class than overall are not looked at, nor how many people"
                " share a class.",
                "improve": "generalise quasi-identifiers further, so that classes grow and come to look like the whole"
                " table; or suppress the classes that exceed most.",
            },
            terms={"basic": "basic", "enhanced": "enhanced"},
            parameters={
                "variant": "which form of the measure",
                "sensitive": "judge this sensitive attribute only; otherwise each",
            },
        ),
        "zh_TW": Words(
            "β-相像性",
            "在某個等價類中，「{part}」某個值的占比較整體高出 {value} 倍（{variant}）。",
            "最大超出倍數",
            {
                "basic": "{part} 的值在等價類中比在全部 {rows} 列中更常見時，以其占比多出的部分除以整體占比。"
                "等價類以超出最多的值計。",
                "enhanced": "{part} 的值在等價類中比在全部 {rows} 列中更常見時，以其占比多出的部分除以整體占比。"
                "等價類以超出最多的值計；超過 -ln（整體占比）者，β 再大亦無法滿足。",
                "exceeds": "超出最多的值為「{value}」：({inside} - {overall}) ÷ {overall} = {score}。",
                "no_excess": "該類沒有比整體更常見的值：{score}。",
                "capped": "「{value}」超出 ({inside} - {overall}) ÷ {overall} = {excess}，"
                "大於 -ln({overall}) = {cap}，β 再大亦無法滿足。",
                "untold": "未檢視在等價類中較整體少見的值，亦未說明等價類有多少人。",
                "improve": "進一步概化準識別屬性，使等價類變大而接近整體分布；或遮蔽超出最多的等價類。",
            },
            terms={"basic": "基礎定義", "enhanced": "加強定義"},
            parameters={"variant": "採用指標的哪一種形式", "sensitive": "只判定此敏感屬性；否則逐一判定"},
            page=Page(
                summary="得知等價類，不應使任何敏感值的可能性大幅升高。",
                definition="基礎定義：某值在等價類中的占比 q，相對於整體占比 p 的增幅 (q - p)/p 至多為 β。\n"
                "加強定義：增幅至多為 β，且至多為 -ln p，因此常見的值不得增加太多。",
                formula="各等價類、各值（q > p 者）的最大 (q - p)/p，無此情形則為 0；"
                "≤ β 即滿足，加強定義須 ≤ min(β, -ln p)",
                example="兩人的等價類中，感冒的占比是整體的兩倍：增幅為 1。",
                reading="0：沒有任何等價類比整個資料表透露更多。可能性降低的值不列入。"
                "加強定義中，增幅超過 -ln p 的等價類對任何 β 都不滿足；此時沒有數值，並列出這些等價類。",
            ),
        ),
    }

    def bounds(self, facts: Facts) -> Iterator[Bound]:
        """Yield the largest excess in every class, for each sensitive attribute."""
        for spread in facts.spreads(self.sensitive):
            found, expected = spread.likelihoods()
            excess = np.maximum(found - expected, 0)
            hopeless = _find_beyond(spread, excess, expected) if self.variant == "enhanced" else None
            scores = find_largest(excess, expected, spread.starts)
            holders, figures = spread.counts[scores.entries], {"part": Name(spread.name), "variant": self.variant}
            limit = self.limit_of("beta")
            yield Bound(*limit, scores, spread.classes, spread.name, hopeless=hopeless, people=holders, figures=figures)

    def declarations_hold(self, facts: Facts) -> bool:
        """Return True if the distribution of the whole table does not depend on what is suppressed."""
        return super().declarations_hold(facts) and overall_is_fixed(facts, self.sensitive)

    def find_least_suppression_by(self, bound: Bound, facts: Facts) -> FloatArray | Mask:
        """Return the excess of values over the largest shares that their limits allow."""
        (spread,) = facts.spreads(bound.part)
        shares = spread.overall / spread.rows
        beta = float(Limit.of(self.beta or 1))
        most = np.minimum(beta, -np.log(shares)) if self.variant == "enhanced" else beta
        return np.maximum(
            super().find_least_suppression_by(bound, facts), find_most_excess(spread, shares * (1 + most))
        )

    def explain_scoring(self, bound: Bound, facts: Facts) -> Iterator[Step]:
        """Yield the step on the computation of the excess."""
        (spread,) = facts.spreads(bound.part)
        yield Step(self.variant, {"part": Name(spread.name), "rows": spread.rows})

    def explain_class(self, bound: Bound, index: int, facts: Facts, least: int) -> Iterator[Step]:
        """Yield the shares of the value that exceeds most, if enough people of the class have it."""
        (spread,) = facts.spreads(bound.part)
        named, score = spread.find_nameable(index, least), bound.scores.best_known(index)
        if bound.hopeless is not None and bound.hopeless[index]:
            shares = [(entry, *spread.shares(index, entry)) for entry in named]
            beyond = [entry for entry, inside, overall in shares if _is_above_log(inside / overall - 1, overall)]
            yield from [_build_excess_step("capped", spread, index, entry) for entry in beyond[:1]]
            return
        most = max(spread.entries(index), key=lambda entry: Fraction(entry[1], int(spread.overall[entry[0]])))
        if not score:
            yield Step("no_excess", {"score": score})
        elif most in named:
            yield _build_excess_step("exceeds", spread, index, most)
        else:
            yield Step("counts_withheld", {"least": least, "score": score})


def _build_excess_step(kind: str, spread: Spread, index: int, entry: tuple[int, int]) -> Step:
    """Build the step that puts the numbers of one value of a class into the formula."""
    inside, overall = spread.shares(index, entry)
    excess, value = inside / overall - 1, Cell(cell_text(spread.values[entry[0]]))
    figures: dict[str, Any] = {"value": value, "inside": inside, "overall": overall}
    return Step(kind, figures | ({"score": excess} if kind == "exceeds" else {"excess": excess, "cap": -log(overall)}))


def _find_beyond(spread: Spread, excess: IntArray, expected: IntArray) -> Mask:
    """Return a mask of the classes in which the excess of some value is above -ln p."""
    shares = spread.overall / spread.rows
    margin = np.asarray(excess / expected, dtype=float) + np.log(shares)[spread.of_value]
    above = margin > 0
    for entry in np.flatnonzero(np.abs(margin) < CLOSE):
        share = Fraction(int(spread.overall[spread.of_value[entry]]), spread.rows)
        above[entry] = _is_above_log(Fraction(int(excess[entry]), int(expected[entry])), share)
    return np.logical_or.reduceat(above, spread.starts) if len(above) else above


def _is_above_log(excess: Fraction, share: Fraction) -> bool:
    """Return True if an excess is above -ln(share). They are equal only for a share of 1 and an excess of 0."""
    if share == 1:
        return excess > 0
    digits = DIGITS
    while True:
        with localcontext(prec=digits):
            log = Decimal(share.denominator).ln() - Decimal(share.numerator).ln()
            difference = Decimal(excess.numerator) / excess.denominator - log
            if abs(difference) > Decimal(10) ** (8 - digits):
                return difference > 0
        digits *= 2
