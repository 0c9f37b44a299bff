"""l-diversity: every class must hold several well-represented sensitive values.

Definition
    Distinct: each class has at least l different values of the sensitive attribute.
    Entropy: the entropy H of the values in a class is at least ln l, that is exp(H) ≥ l.
    Recursive (c,l): with the counts r1 ≥ r2 ≥ … of the values in a class, r1 < c · (r_l + r_(l+1) + … ).

Formula
    distinct: least number of values; entropy: least exp(-Σ q·ln q); recursive: largest r1 / (r_l + …), less than c

Example
    In one class three values occur 7, 2 and 1 times: l = 3 values, but r1/r3 = 7, so l = 3 needs c > 7.

    >>> from PETWorks import Release
    >>> table = {"year": ["197*"] * 10, "disease": ["flu"] * 7 + ["cold"] * 2 + ["ulcer"]}
    >>> release = Release(table, quasi_identifiers=["year"], sensitive=["disease"])
    >>> print(release.ask(LDiversity(l=3)).exact, release.ask(LDiversity(variant="recursive", l=3, c=7)).exact)
    3 7
    >>> release.ask(LDiversity(variant="recursive", l=3, c=7)).holds
    False
    >>> print(round(release.ask(LDiversity(variant="entropy")).value, 4))
    2.2296

Reading
    The larger, the better hidden (for the recursive form the value is the c that is not yet enough: the smaller, the
    better). Values count as different even if they mean nearly the same, and how common a value is in the whole table
    plays no part. Several sensitive attributes are judged one by one; ``others="join"`` adds the others to the
    quasi-identifiers.

Reference
    A. Machanavajjhala, D. Kifer, J. Gehrke, M. Venkitasubramaniam, "l-Diversity: Privacy Beyond k-Anonymity", ACM
    Transactions on Knowledge Discovery from Data 1(1), 2007, doi:10.1145/1217299.1217302.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import ClassVar, Literal

import numpy as np

from PETWorks.measure.formulas.diversity import (
    build_ratio_step,
    compute_entropies,
    compute_recursive_ratios,
    count_diverse_values,
    explain_entropy,
    explain_missing_ratio,
    find_loss_by_entropy,
    find_loss_by_recursive_ratio,
)
from PETWorks.measure.plugin import (
    Bound,
    Facts,
    FloatArray,
    Limit,
    Mask,
    Name,
    Need,
    Note,
    Number,
    Page,
    ParameterError,
    Privacy,
    Ratios,
    Scores,
    Side,
    Spread,
    Step,
    Words,
    build_diversity_step,
    build_value_steps,
    column,
    explain_counting,
    number,
    word,
)

Variant = Literal["distinct", "entropy", "recursive"]
Others = Literal["apart", "join"]


class LDiversity(Privacy):
    """Number of well-represented sensitive values in the least diverse class, at least l."""

    l: Number | None = number(default=None, limit=Side.AT_LEAST, least=1, kw_only=False)  # noqa: E741 (its name)
    c: Number | None = number(default=None, limit=Side.LESS_THAN, above=0)
    variant: Variant = word(Variant, default="distinct")
    others: Others = word(Others, default="apart")
    sensitive: str | None = column(default=None)

    name: ClassVar[str] = "l-diversity"
    against: ClassVar[str] = "attribute"
    monotone: ClassVar[bool] = True  # merging adds up r1 at most and r_l + … at least; entropy is concave
    classwise: ClassVar[bool] = True
    variant_figure: ClassVar[str] = "variant"
    needs: ClassVar[frozenset[Need]] = frozenset({Need.SENSITIVE})
    examples: ClassVar = ({"l": 3}, {"variant": "entropy", "l": "2.5"}, {"variant": "recursive", "l": 3, "c": 2})
    words: ClassVar = {
        "en": Words(
            "l-diversity",
            "The least diverse class comes to {value} for {part} ({variant}).",
            "least diverse class",
            {
                "joined": "Grouped by {columns} as well, besides the quasi-identifiers: {classes:class|classes}.",
                "distinct": "Each class is scored by how many different values of {part} occur in it.",
                "entropy": "Each class is scored by 2 to the power of its entropy in {part}, to which a value adds its"
                " share × -log2(share) bits. Values that are equally frequent count in full, others less.",
                "recursive": "In each class the values of {part} are sorted by how many people hold them; the largest"
                " count is divided by the sum of the counts from place {l} on.",
                "counted": "The people of this class by their value of {part}:",
                "values": "Different values: {score}.",
                "bits": "Entropy: {terms} = {bits} bits; 2^{bits} = {score}.",
                "bits_sum": "Entropy: {bits} bits; 2^{bits} = {score}.",
                "ratio": "The largest count is {largest}, those from place {l} on add up to {rest}: {largest} ÷ {rest}"
                " = {score:exact}.",
                "too_few": "Only {values:value occurs|different values occur}, and there is no place {l}: no c is large"
                " enough.",
                "too_few_count": "Fewer than {l} values count: no c is large enough.",
                "smaller": "The smaller of the two is the score: {score}.",
                "untold": "values count as different however alike they are in meaning, and how common a value is in"
                " the whole table plays no part.",
                "improve": "generalise quasi-identifiers further, so that classes merge and hold more values; or"
                " suppress the least diverse classes.",
            },
            terms={"distinct": "distinct values", "entropy": "entropy", "recursive": "recursive"},
            short={"distinct": "distinct"},
            notes={"too_few_values": "{part} has only {values} values in the whole table: l = {l} cannot hold."},
            parameters={
                "variant": "which form of the measure",
                "others": "whether other sensitive attributes join the quasi-identifiers",
                "sensitive": "judge this sensitive attribute only; otherwise each",
            },
        ),
        "zh_TW": Words(
            "l-多樣性",
            "最不多樣的等價類，其「{part}」的值為 {value}（{variant}）。",
            "最不多樣的等價類",
            {
                "joined": "除準識別屬性外，另以 {columns} 分類，共 {classes} 個等價類。",
                "distinct": "每個等價類以其中 {part} 有幾種相異值計。",
                "entropy": "每個等價類以 2 的熵次方計；{part} 每種值的熵為占比 × -log2（占比）位元。"
                "各值出現次數相同時完整計入，否則較少。",
                "recursive": "各等價類將 {part} 各值依人數由多至少排序，以最大人數除以第 {l} 名起的人數合計。",
                "counted": "此等價類的人，依 {part} 的值計：",
                "values": "相異值：{score} 種。",
                "bits": "熵：{terms} = {bits} 位元；2^{bits} = {score}。",
                "bits_sum": "熵：{bits} 位元；2^{bits} = {score}。",
                "ratio": "最大人數為 {largest}，第 {l} 名起合計 {rest}：{largest} ÷ {rest} = {score:exact}。",
                "too_few": "僅有 {values} 種相異值，沒有第 {l} 名，故 c 再大亦無法滿足。",
                "too_few_count": "計入的值不足 {l} 種，故 c 再大亦無法滿足。",
                "smaller": "兩者取小：{score}。",
                "untold": "意義相近的值仍視為相異，亦未考量各值在整體中是否常見。",
                "improve": "進一步概化準識別屬性，使等價類合併而含有更多種值；或遮蔽最不多樣的等價類。",
            },
            terms={"distinct": "相異值", "entropy": "熵", "recursive": "遞迴"},
            notes={"too_few_values": "「{part}」在整個資料表中僅有 {values} 種值，不可能滿足 l = {l}。"},
            parameters={
                "variant": "採用指標的哪一種形式",
                "others": "其他敏感屬性是否併入準識別屬性",
                "sensitive": "只判定此敏感屬性；否則逐一判定",
            },
            page=Page(
                summary="每個等價類都必須有多種具代表性的敏感值。",
                definition="相異值：每個等價類至少有 l 種敏感值。\n"
                "熵：等價類中各值的熵 H 至少為 ln l，即 exp(H) ≥ l。\n"
                "遞迴 (c,l)：將等價類中各值的次數由大到小排列為 r1 ≥ r2 ≥ …，須滿足 r1 < c · (r_l + r_(l+1) + …)。",
                formula="相異值：最少的種類數；熵：最小的 exp(-Σ q·ln q)；遞迴：最大的 r1 / (r_l + …)，須小於 c",
                example="同一類中，三種值分別出現 7、2、1 次：有 l = 3 種值，但 r1/r3 = 7，故 l = 3 時須 c > 7。",
                reading="越大越好（遞迴形式的數值是尚不足夠的 c，越小越好）。值只要不同就算不同，不論意思是否相近；"
                "某個值在整個資料表中是否常見，也不影響結果。有多個敏感屬性時逐一判定；"
                '`others="join"` 會把其他敏感屬性併入準識別屬性。',
            ),
        ),
    }

    def __post_init__(self) -> None:
        """Check that l and c fit the variant."""
        super().__post_init__()
        if self.variant == "recursive" and self.l is None:
            hint = "pass l=3, for example; c is the limit"
            raise ParameterError("the recursive variant needs a whole number l", hint=hint)
        if self.variant != "entropy" and self.l is not None:
            Limit.of(self.l, "l", whole=True)
        if self.variant != "recursive" and self.c is not None:
            hint = 'leave out c=, or pass variant="recursive"'
            raise ParameterError(f"c is a limit of the recursive variant, not of the {self.variant} one", hint=hint)

    @property
    def judges(self) -> bool:
        """True if the limit of the variant is set; for the recursive one that is c."""
        return (self.c if self.variant == "recursive" else self.l) is not None

    def least_size(self) -> int:
        """Return l: each value takes a row. The recursive ratio of n different values is at least 1/(n - l + 1)."""
        further = int(1 // Limit.of(self.c).exact) if self.c is not None else 0
        return (self.round_limit_up("l") or 1) + further if self.judges else 1

    def bounds(self, facts: Facts) -> Iterator[Bound]:
        """Yield the diversity of every class, for each sensitive attribute."""
        for spread in facts.spreads(self.sensitive, joined=self.others == "join"):
            limit, hopeless, people = "l", None, None
            match self.variant:
                case "distinct":
                    scores: Scores = Ratios(count_diverse_values(spread))
                case "entropy":
                    scores = compute_entropies(spread)
                case "recursive":
                    limit = "c"
                    scores, hopeless, people = compute_recursive_ratios(spread, int(Limit.of(self.l or 1).exact))
            told = {"part": Name(spread.name), "variant": self.variant}
            bound = Bound(*self.limit_of(limit), scores, spread.classes, spread.name, figures=told)
            holders = spread.fewest_holders
            yield replace(bound, hopeless=hopeless, people=people, holders=holders, notes=self._notes(spread))

    def find_least_suppression_by(self, bound: Bound, facts: Facts) -> FloatArray | Mask:
        """Return the classes with fewer than l values; of others that fail, the shortfall of their diversity."""
        (spread,) = facts.spreads(bound.part, joined=self.others == "join")
        lost: FloatArray | Mask = bound.failing
        if self.variant == "entropy":
            lost = find_loss_by_entropy(spread, bound.scores.approximate, Limit.of(self.l or 1).exact)
        elif self.variant == "recursive":
            lost = find_loss_by_recursive_ratio(spread, self.round_limit_up("l") or 1, float(Limit.of(self.c or 1)))
        return np.maximum(super().find_least_suppression_by(bound, facts), lost)

    def explain_scoring(self, bound: Bound, facts: Facts) -> Iterator[Step]:
        """Yield the columns that form classes besides the quasi-identifiers, if any, and the score of a class."""
        if self.others == "join" and len(facts.roles.sensitive) > 1:
            columns = [Name(name) for name in facts.roles.sensitive if name != bound.part]
            yield Step("joined", {"columns": columns, "classes": len(bound.scores.approximate)})
        yield Step(self.variant, {"part": Name(bound.part), "l": self.l})
        yield from explain_counting(facts)

    def explain_class(self, bound: Bound, index: int, facts: Facts, least: int) -> Iterator[Step]:
        """Yield the people of a class by value, and how the diversity follows from these counts."""
        (spread,) = facts.spreads(bound.part, joined=self.others == "join")
        counts = sorted(spread.counts_in(index).tolist(), reverse=True)
        if spread.find_nameable(index, least):
            yield Step("counted", {"part": Name(spread.name)}, build_value_steps(spread, index, least))
        if self.variant == "distinct":
            yield build_diversity_step(spread, index, bound.scores.best_known(index), "values")
        elif bound.hopeless is not None and bound.hopeless[index]:
            yield from explain_missing_ratio(spread, index, counts, self.round_limit_up("l") or 1)
        elif counts[-1] < least:
            yield Step("counts_withheld", {"least": least, "score": bound.scores.best_known(index)})
        elif self.variant == "recursive":
            yield build_ratio_step(counts, self.round_limit_up("l") or 1, bound.scores.best_known(index))
        else:
            yield from explain_entropy(spread, index, counts, bound.scores.best_known(index))

    def _notes(self, spread: Spread) -> tuple[Note, ...]:
        if self.l is None or Limit.of(self.l).exact <= (values := len(spread.values)):
            return ()
        return (Note("too_few_values", {"part": Name(spread.name), "values": values, "l": Limit.of(self.l)}),)
