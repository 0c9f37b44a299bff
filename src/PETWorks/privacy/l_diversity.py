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
    better). Values count as different however alike they mean, and how common a value is in the whole table plays no
    part. Several sensitive attributes are judged one by one; ``others="join"`` puts the others among the
    quasi-identifiers.

Reference
    A. Machanavajjhala, D. Kifer, J. Gehrke, M. Venkitasubramaniam, "l-Diversity: Privacy Beyond k-Anonymity", ACM
    Transactions on Knowledge Discovery from Data 1(1), 2007, doi:10.1145/1217299.1217302.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from PETWorks.counting.tally import IntArray, Mask
from PETWorks.errors import ParameterError
from PETWorks.exact.limit import Limit, Number
from PETWorks.exact.log_sum import Bits
from PETWorks.exact.scores import Logarithms, Ratios
from PETWorks.explain import privacy as reasons
from PETWorks.explain.step import Name, Step, Terms
from PETWorks.facts.classes import Spread
from PETWorks.facts.facts import Facts
from PETWorks.measure.base import Need, Words
from PETWorks.measure.parameter import number, text, word
from PETWorks.measure.privacy import Bound, Privacy, Side
from PETWorks.measure.result import Note


@dataclass(frozen=True, kw_only=True)
class LDiversity(Privacy):
    """Number of well-represented sensitive values in the least diverse class, at least l."""

    l: Number | None = number(least=1)  # noqa: E741 (its name)
    c: Number | None = number(above=0)
    variant: str = word("distinct", "entropy", "recursive")
    others: str = word("apart", "join")
    sensitive: str | None = text()

    name: ClassVar[str] = "l-diversity"
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
                "bits": "Entropy: {terms} = {bits} bits; 2 to that power is {score}.",
                "bits_sum": "Entropy: {bits} bits; 2 to that power is {score}.",
                "ratio": "The largest count is {largest}, those from place {l} on add up to {rest}: {largest} ÷ {rest}"
                " = {score:exact}.",
                "too_few": "Only {values:value occurs|different values occur}, and there is no place {l}: no c is large"
                " enough.",
                "untold": "values count as different however alike they are in meaning, and how common a value is in"
                " the whole table plays no part.",
                "improve": "generalise quasi-identifiers further, so that classes merge and hold more values; or"
                " suppress the least diverse classes.",
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
                "bits": "熵：{terms} = {bits} 位元；2 的該次方為 {score}。",
                "bits_sum": "熵：{bits} 位元；2 的該次方為 {score}。",
                "ratio": "最大人數為 {largest}，第 {l} 名起合計 {rest}：{largest} ÷ {rest} = {score:exact}。",
                "too_few": "僅有 {values} 種相異值，沒有第 {l} 名，故 c 再大亦無法滿足。",
                "untold": "意義相近的值仍視為相異，亦未考量各值在整體中是否常見。",
                "improve": "進一步概化準識別屬性，使等價類合併而含有更多種值；或遮蔽最不多樣的等價類。",
            },
        ),
    }

    def __post_init__(self) -> None:
        """Check that l and c fit the variant."""
        super().__post_init__()
        if self.variant == "recursive" and (self.l is None or Limit.of(self.l).exact.denominator != 1):
            raise ParameterError("the recursive variant needs a whole number l", hint="l=3, say; c is the limit")
        if self.variant != "recursive" and self.c is not None:
            raise ParameterError('c goes with variant="recursive" only')

    def bounds(self, facts: Facts) -> Iterator[Bound]:
        """Give the diversity of every class, for each sensitive attribute."""
        for spread in facts.spreads(self.sensitive, joined=self.others == "join"):
            limit, side, hopeless, people = self.l, Side.AT_LEAST, None, None
            match self.variant:
                case "distinct":
                    scores: Ratios | Logarithms = Ratios(np.bincount(spread.of_class, minlength=len(spread.classes)))
                case "entropy":
                    scores = _entropies(spread)
                case _:
                    scores, hopeless, people = _recursive(spread, int(Limit.of(self.l or 1).exact))
                    limit, side = self.c, Side.LESS_THAN
            notes, figures = self._notes(spread), {"part": spread.name, "variant": self.variant}
            yield Bound(side, limit, scores, spread.name, spread.classes, hopeless, notes, figures, people=people)

    def scoring(self, bound: Bound, facts: Facts) -> Iterator[Step]:
        """Say what groups besides the quasi-identifiers, and what a class is scored by."""
        if self.others == "join" and len(facts.roles.sensitive) > 1:
            columns = [Name(name) for name in facts.roles.sensitive if name != bound.part]
            yield Step("joined", {"columns": columns, "classes": len(bound.scores.approximate)})
        yield Step(self.variant, {"part": Name(bound.part), "l": self.l})

    def worked(self, bound: Bound, number: int, facts: Facts, least: int) -> Iterator[Step]:
        """Count the people of a class by value, and work its diversity out of the counts."""
        (spread,) = facts.spreads(bound.part, joined=self.others == "join")
        counts = sorted(spread.counts_in(number).tolist(), reverse=True)
        if spread.nameable(number, least):
            yield Step("counted", {"part": Name(spread.name)}, reasons.by_value(spread, number, least))
        if self.variant == "distinct":
            yield Step("values", {"score": len(counts)})
        elif bound.hopeless is not None and bound.hopeless[number]:
            yield Step("too_few", {"values": len(counts), "l": self.l})
        elif counts[-1] < least:
            yield Step("counts_withheld", {"least": least, "score": bound.scores.told(number)})
        else:
            yield self._computed(counts, bound.scores.told(number))

    def _computed(self, counts: list[int], score: Fraction | float) -> Step:
        if self.variant == "recursive":
            rest = sum(counts[int(Limit.of(self.l or 1).exact) - 1 :])
            return Step("ratio", {"largest": counts[0], "l": self.l, "rest": rest, "score": score})
        size = sum(counts)
        terms = [count / size * math.log2(size / count) for count in counts]
        kind = "bits" if 1 < len(terms) <= reasons.FEW else "bits_sum"
        return Step(kind, {"terms": Terms(terms[: reasons.FEW]), "bits": math.fsum(terms), "score": score})

    def _notes(self, spread: Spread) -> tuple[Note, ...]:
        if self.l is None or Limit.of(self.l).exact <= len(spread.values):
            return ()
        return (Note("too_few_values", {"part": spread.name, "values": len(spread.values), "l": Limit.of(self.l)}),)


def _entropies(spread: Spread) -> Logarithms:
    weighted = spread.counts * np.log2(spread.counts)
    sizes = spread.sizes
    mean = (np.add.reduceat(weighted, spread.starts) if len(sizes) else weighted) / np.maximum(sizes, 1)

    def bits(number: int) -> Bits:
        own = Bits.of(spread.counts_in(number)) * Fraction(1, int(sizes[number]))
        return Bits({int(sizes[number]): 1}) - own

    return Logarithms(2 ** (np.log2(sizes) - mean), bits, lambda numbers: [spread.patterns[numbers]], power=True)


def _recursive(spread: Spread, least: int) -> tuple[Ratios, Mask, IntArray]:
    """Give the largest count divided by the sum of those from the l-th on; classes without an l-th are hopeless."""
    order = np.lexsort((-spread.counts, spread.of_class))
    counts = spread.counts[order]
    rank = np.arange(len(counts)) - spread.starts[spread.of_class]
    rest = np.add.reduceat(np.where(rank >= least - 1, counts, 0), spread.starts) if len(counts) else counts
    largest, hopeless = counts[spread.starts], rest == 0
    return Ratios(largest, np.maximum(rest, 1)), hopeless, np.where(hopeless, spread.sizes, np.minimum(largest, rest))
