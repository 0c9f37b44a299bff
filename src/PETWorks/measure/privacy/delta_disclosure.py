"""δ-disclosure privacy: no class may make a sensitive value much more, or much less, likely than the whole table does.

Definition
    For every value that occurs in a class, its share there may differ from its share of the whole table by less than
    the factor 2^δ, up or down.

Formula
    largest |log2(q/p)| over classes and their values; holds if < δ

Example
    In a class of two, the flu is twice as frequent as in the whole table: |log2(1/2 ÷ 1/4)| = 1.

    >>> from PETWorks import Release
    >>> table = {"year": ["197*"] * 2 + ["198*"] * 2, "disease": ["flu", "cold", "ulcer", "ulcer"]}
    >>> release = Release(table, quasi_identifiers=["year"], sensitive=["disease"])
    >>> result = release.ask(DeltaDisclosure(delta=1))
    >>> print(result.exact, result.holds)
    1 False

Reading
    0: every class looks like the whole table. Values that do not occur in a class are skipped, though their absence
    tells something too; ``absent="count"`` makes such classes fail for every δ.

Reference
    J. Brickell, V. Shmatikov, "The Cost of Privacy: Destruction of Data-Mining Utility in Anonymized Data Publishing",
    KDD 2008, doi:10.1145/1401890.1401904.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Literal

import numpy as np

from PETWorks.exact.scores import Largest
from PETWorks.measure.formulas.floors import find_largest_in_class, find_most_excess
from PETWorks.measure.plugin import (
    Bits,
    Bound,
    Cell,
    Facts,
    FloatArray,
    Limit,
    Logarithms,
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
    shortfall,
    word,
)

Absent = Literal["skip", "count"]
FACTOR = 1000  # largest exponent of 2 that is computed; no share changes by more


class DeltaDisclosure(Privacy):
    """Largest |log2(q/p)| of a sensitive value in a class, less than δ."""

    delta: Number | None = number(default=None, limit=Side.LESS_THAN, above=0, kw_only=False)
    absent: Absent = word(Absent, default="skip")
    sensitive: str | None = column(default=None)

    name: ClassVar[str] = "δ-disclosure"
    against: ClassVar[str] = "attribute"
    classwise: ClassVar[bool] = True
    needs: ClassVar[frozenset[Need]] = frozenset({Need.SENSITIVE})
    examples: ClassVar = ({"delta": 1}, {"delta": 1, "absent": "count"})
    words: ClassVar = {
        "en": Words(
            "δ-disclosure",
            "In some class, a value of {part} is more or less frequent than overall by a factor of 2^{value}.",
            "largest change",
            {
                "skip": "For every value of {part} in a class: its share there, divided by its share of all"
                " {rows:row|rows}. The class is scored by the value that changes most, up or down, in powers of 2.",
                "count": "For every value of {part} in a class: its share there, divided by its share of all"
                " {rows:row|rows}. The class is scored by the value that changes most, up or down, in powers of 2; a"
                " class that lacks a value is beyond every δ.",
                "changed": "{value} changes most: {inside} of the class, {overall} of the whole table;"
                " |log2({inside} ÷ {overall})| = {score}.",
                "absent": "The class lacks {lacking} of {values:value|values} of {part}: no δ is large enough.",
                "untold": "it does not say how many people share a class; and unless absent values are counted, it does"
                " not see what a class rules out.",
                "improve": "generalise quasi-identifiers further, so that classes grow and come to look like the whole"
                " table; or suppress the classes that change most.",
            },
            parameters={
                "absent": "whether values that a class lacks count",
                "sensitive": "judge this sensitive attribute only; otherwise each",
            },
        ),
        "zh_TW": Words(
            "δ-揭露",
            "在某個等價類中，「{part}」某個值的占比與整體相差達 2 的 {value} 次方倍。",
            "最大占比變化",
            {
                "skip": "逐類計算 {part} 各值在該類的占比，除以在全部 {rows} 列的占比。"
                "等價類以變化最大的值計，不論增減，取以 2 為底的對數。",
                "count": "逐類計算 {part} 各值在該類的占比，除以在全部 {rows} 列的占比。"
                "等價類以變化最大的值計，不論增減，取以 2 為底的對數；缺少任一值的等價類，δ 再大亦無法滿足。",
                "changed": "變化最大的值為「{value}」：在該類占 {inside}，在整體占 {overall}；"
                "|log2({inside} ÷ {overall})| = {score}。",
                "absent": "{part} 的 {values} 種值中，該類缺少 {lacking} 種，δ 再大亦無法滿足。",
                "untold": "未說明等價類有多少人；若不計入未出現的值，亦未反映等價類排除了哪些值。",
                "improve": "進一步概化準識別屬性，使等價類變大而接近整體分布；或遮蔽變化最大的等價類。",
            },
            parameters={"absent": "等價類中沒有的值是否計入", "sensitive": "只判定此敏感屬性；否則逐一判定"},
            page=Page(
                summary="得知等價類，不應使任何敏感值的可能性大幅升高或降低。",
                definition="等價類中出現的每個敏感值，其占比與整個資料表中的占比相比，向上、向下都須小於 2^δ 倍。",
                formula="各等價類、各值的最大 |log2(q/p)|；< δ 即滿足",
                example="兩人的等價類中，流感的占比是整體的兩倍：|log2(1/2 ÷ 1/4)| = 1。",
                reading="0：每個等價類都與整個資料表相同。等價類中沒有出現的值略過不計，但沒有出現本身也透露資訊；"
                '`absent="count"` 會使這樣的等價類對任何 δ 都不滿足。',
            ),
        ),
    }

    @property
    def monotone(self) -> bool:  # type: ignore[override]
        """True if absent values are counted; if they are skipped, a merged class can have a larger change."""
        return self.absent == "count"

    def bounds(self, facts: Facts) -> Iterator[Bound]:
        """Yield the largest change of frequency in every class, for each sensitive attribute."""
        for spread in facts.spreads(self.sensitive):
            values = np.bincount(spread.of_class, minlength=len(spread.classes))
            hopeless = values < len(spread.values) if self.absent == "count" else None
            factors = _compute_changes(spread)
            scores, holders = _to_logarithms(factors), spread.counts[factors.entries]
            figures = {"part": Name(spread.name)}
            limit = self.limit_of("delta")
            yield Bound(*limit, scores, spread.classes, spread.name, hopeless=hopeless, people=holders, figures=figures)

    def declarations_hold(self, facts: Facts) -> bool:
        """Return True if the distribution of the whole table does not depend on what is suppressed."""
        return super().declarations_hold(facts) and overall_is_fixed(facts, self.sensitive)

    def find_least_suppression_by(self, bound: Bound, facts: Facts) -> FloatArray | Mask:
        """Return the excess of values over the largest share that δ allows; if all must occur, also the shortfall.

        If absent values are skipped, a value can be rare in a class because it is absent from most of its parts.
        """
        (spread,) = facts.spreads(bound.part)
        shares = spread.overall / spread.rows
        factor = 2.0 ** min(float(Limit.of(self.delta or 1)), FACTOR)
        above = find_most_excess(spread, np.minimum(shares * factor, 1))
        if bound.hopeless is None:
            return above
        found = spread.counts / spread.sizes[spread.of_class]
        below = find_largest_in_class(spread, shortfall(found, shares[spread.of_value] / factor))
        return np.where(
            bound.hopeless, 1, np.maximum(super().find_least_suppression_by(bound, facts), np.maximum(above, below))
        )

    def explain_scoring(self, bound: Bound, facts: Facts) -> Iterator[Step]:
        """Yield the step on the computation of the change."""
        (spread,) = facts.spreads(bound.part)
        yield Step(self.absent, {"part": Name(spread.name), "rows": spread.rows})

    def explain_class(self, bound: Bound, index: int, facts: Facts, least: int) -> Iterator[Step]:
        """Yield the shares of the value that changes most, if enough people of the class have it."""
        (spread,) = facts.spreads(bound.part)
        entries, score = spread.entries(index), bound.scores.best_known(index)
        if bound.hopeless is not None and bound.hopeless[index]:
            values = len(spread.values)
            yield Step("absent", {"part": Name(spread.name), "lacking": values - len(entries), "values": values})
            return
        most = max(entries, key=lambda entry: max(_compute_factors(*spread.shares(index, entry))))
        if most in spread.find_nameable(index, least):
            inside, overall = spread.shares(index, most)
            value = Cell(cell_text(spread.values[most[0]]))
            yield Step("changed", {"value": value, "inside": inside, "overall": overall, "score": score})
        else:
            yield Step("counts_withheld", {"least": least, "score": score})


def _compute_factors(inside: Fraction, overall: Fraction) -> tuple[Fraction, Fraction]:
    return inside / overall, overall / inside


def _compute_changes(spread: Spread) -> Largest:
    """Return, by class, the largest factor between a value's share in the class and its share overall, up or down."""
    inside, outside = spread.likelihoods()
    return find_largest(np.maximum(inside, outside), np.minimum(inside, outside), spread.starts)


@dataclass(frozen=True, eq=False)
class _LargestChanges:
    """The largest change of each class, as a logarithm."""

    factors: Largest

    def bits(self, index: int) -> Bits:
        """Return the logarithm of the factor of a class."""
        return Bits.log(self.factors.exact(index))


def _to_logarithms(factors: Largest) -> Logarithms:
    return Logarithms(np.log2(factors.approximate), _LargestChanges(factors).bits, factors.marks)
