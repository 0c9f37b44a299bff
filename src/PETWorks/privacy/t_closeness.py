"""t-closeness: being in a class must say little about a sensitive attribute.

Definition
    The largest Earth Mover's Distance between the distribution of a sensitive attribute in a class and in the whole
    table must be at most t. The whole table includes suppressed rows, as long as their sensitive cell is published.

Formula
    Let p be a value's share of the whole table and q its share of a class.
    Ordered (numbers): the m distinct values stand in a row, a step apart: 1/(m - 1) · Σ |Σ (q - p)|, the inner sum
    cumulated from the smallest value.
    Hierarchical (text with a hierarchy): moving a share from one value to another costs the height of their lowest
    common ancestor ÷ the height of the hierarchy.
    Equal (other text): 1/2 · Σ |q - p|.

Example
    Five people in two classes by year of birth. In the class 197* their salaries are the two lowest of five.

    >>> table = {
    ...     "year": ["197*", "197*", "198*", "198*", "198*"],
    ...     "salary": [3000, 4000, 5000, 6000, 8000],
    ...     "disease": ["gastric cancer", "flu", "flu", "gastritis", "gastric cancer"],
    ... }
    >>> diseases = [
    ...     ("flu", "respiratory infection", "disease"),
    ...     ("gastric cancer", "stomach disease", "disease"),
    ...     ("gastritis", "stomach disease", "disease"),
    ... ]
    >>> from PETWorks import Release
    >>> roles = {"quasi_identifiers": ["year"], "sensitive": ["salary", "disease"]}
    >>> release = Release(table, **roles, hierarchies={"disease": diseases})
    >>> result = release.ask(TCloseness(t="0.4"))
    >>> result.holds
    True
    >>> for name, part in result.parts.items():
    ...     print(name, [(score.values["year"], str(score.exact)) for score in part.worst])
    salary [('197*', '3/8'), ('198*', '1/4')]
    disease [('197*', '3/20'), ('198*', '1/10')]

Reading
    0: every class looks like the whole table. 1: as different as can be. The value is that of the farthest class of the
    attribute that is farthest. A small distance does not make people indistinguishable: it says nothing about how many
    share a class, and it looks at one sensitive attribute at a time.

Reference
    N. Li, T. Li, S. Venkatasubramanian, "t-Closeness: Privacy Beyond k-Anonymity and l-Diversity", ICDE 2007,
    doi:10.1109/ICDE.2007.367856.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, ClassVar

import numpy as np

from PETWorks.counting.tally import shown
from PETWorks.errors import HierarchyError, ParameterError, listing
from PETWorks.exact.decimal_text import numeral
from PETWorks.exact.limit import Number
from PETWorks.explain import earth_mover as moving
from PETWorks.explain.step import Name, Step
from PETWorks.facts.classes import Spread
from PETWorks.facts.facts import Facts
from PETWorks.formulas import earth_mover
from PETWorks.measure.base import Need, Words
from PETWorks.measure.parameter import number, text, values, word
from PETWorks.measure.privacy import Bound, Privacy, Side
from PETWorks.measure.result import Note

NEARLY = 2  # so many values that are no numbers are named, where the others are


@dataclass(frozen=True, kw_only=True)
class TCloseness(Privacy):
    """Distance of the farthest class from the whole table, at most t."""

    t: Number | None = number(least=0, most=1)
    distance: str = word("auto", "ordered", "hierarchical", "equal")
    order: Sequence[str] | None = values()  # of text values, for the ordered distance
    sensitive: str | None = text()  # one attribute; otherwise each

    name: ClassVar[str] = "t-closeness"
    needs: ClassVar[frozenset[Need]] = frozenset({Need.SENSITIVE})
    examples: ClassVar = ({"t": "0.2"}, {"t": "0.2", "distance": "equal"})
    words: ClassVar = {
        "en": Words(
            "t-closeness",
            "The class farthest from the whole table differs from it by {value} in {part} ({distance} distance).",
            "largest distance",
            {
                "ordered": "For each class: how often each value of {part} occurs there, minus how often in all"
                " {rows:row|rows}. {part} has {values:value|values} in order; surplus is carried to the next larger"
                " one, each step at a cost of 1/{steps}.",
                "hierarchical": "For each class: how often each value of {part} occurs there, minus how often in all"
                " {rows:row|rows}. Surplus and shortfall cancel at the lowest node of the hierarchy that holds both, at"
                " a cost of its height divided by {height}.",
                "equal": "For each class: how often each value of {part} occurs there, minus how often in all"
                " {rows:row|rows}. All values are equally far apart, so the surpluses add up to the distance.",
                "nothing_moved": "The values of the class have the shares that they have overall: {score}.",
                "carried": "Carried from value to value: {amounts}.",
                "carried_cost": "Cost: {costs} = {score}.",
                "carried_sum": "Carried over {values:value|values}, together at a cost of {score}.",
                "cancelled": "Cancelled node by node:",
                "node": "{node} (height {height} of {top}): +{above} -{below}, {moved} × {height}/{top} = {cost}",
                "other_nodes": "other nodes: {cost}",
                "nodes_sum": "Sum: {costs} = {score}.",
                "surplus": "More frequent in the class than overall:",
                "value": "{value}: {inside} - {overall} = {more}",
                "other_values": "other values, together: {more}",
                "surplus_sum": "Sum of the surpluses: {score}.",
                "untold": "a small distance does not make people indistinguishable, and it looks at one sensitive"
                " attribute at a time.",
                "improve": "generalise quasi-identifiers further, so that classes grow and come to look like the whole"
                " table; or suppress the classes that are farthest.",
            },
        ),
        "zh_TW": Words(
            "t-相似性",
            "與整體分布差異最大的等價類，其「{part}」的推土機距離（{distance}）為 {value}。",
            "最大推土機距離",
            {
                "ordered": "逐類計算 {part} 各值在該類的出現比例，減去在全部 {rows} 列的出現比例。"
                "{part} 共有 {values} 種值依序排列；多出的比例移往下一個較大的值，每步成本 1/{steps}。",
                "hierarchical": "逐類計算 {part} 各值在該類的出現比例，減去在全部 {rows} 列的出現比例。"
                "多出與不足的比例於資料階層中最低的共同節點相抵，成本為該節點高度除以 {height}。",
                "equal": "逐類計算 {part} 各值在該類的出現比例，減去在全部 {rows} 列的出現比例。"
                "各值等距，故多出的比例合計即為距離。",
                "nothing_moved": "該類各值的出現比例與整體相同：{score}。",
                "carried": "逐值移動量：{amounts}。",
                "carried_cost": "成本：{costs} = {score}。",
                "carried_sum": "於 {values} 種值之間移動，成本合計 {score}。",
                "cancelled": "逐節點相抵：",
                "node": "{node}（高度 {height}／{top}）：+{above} -{below}，{moved} × {height}/{top} = {cost}",
                "other_nodes": "其他節點：{cost}",
                "nodes_sum": "合計：{costs} = {score}。",
                "surplus": "在該類中比整體更常出現的值：",
                "value": "{value}：{inside} - {overall} = {more}",
                "other_values": "其他值合計：{more}",
                "surplus_sum": "多出的比例合計：{score}。",
                "untold": "距離小不代表個人無法被區分；且一次僅檢視一個敏感屬性。",
                "improve": "進一步概化準識別屬性，使等價類變大而接近整體分布；或遮蔽距離最大的等價類。",
            },
        ),
    }

    def bounds(self, facts: Facts) -> Iterator[Bound]:
        """Give the distance of every class, for each sensitive attribute."""
        for spread in facts.spreads(self.sensitive):
            kind, notes = self._kind(spread, facts)
            match kind:
                case "ordered":
                    scores = earth_mover.ordered(self._in_order(spread))
                case "hierarchical":
                    scores = earth_mover.hierarchical(spread, facts.tree(spread))
                case _:
                    scores = earth_mover.equal(spread)
            figures = {"distance": kind, "part": spread.name}
            yield Bound(Side.AT_MOST, self.t, scores, spread.name, notes=notes, figures=figures)

    def scoring(self, bound: Bound, facts: Facts) -> Iterator[Step]:
        """Say how the distance is found."""
        (spread,) = facts.spreads(bound.figures["part"])
        figures: dict[str, Any] = {"part": Name(spread.name), "rows": spread.rows}
        match kind := bound.figures["distance"]:
            case "ordered":
                values = len(self._in_order(spread).values)
                figures |= {"values": values, "steps": max(values - 1, 1)}
            case "hierarchical":
                figures["height"] = facts.tree(spread).height
        yield Step(kind, figures)

    def worked(self, bound: Bound, number: int, facts: Facts, least: int) -> Iterator[Step]:
        """Work out the distance of one class."""
        (spread,) = facts.spreads(bound.figures["part"])
        score = bound.scores.exact(number)
        match bound.figures["distance"]:
            case _ if not score:
                yield Step("nothing_moved", {"score": score})
            case "ordered":
                yield from moving.carried(self._in_order(spread), number, score, least)
            case "hierarchical":
                yield from moving.cancelled(spread, facts.tree(spread), number, score, least)
            case _:
                yield from moving.surplus(spread, number, score, least)

    def _kind(self, spread: Spread, facts: Facts) -> tuple[str, tuple[Note, ...]]:
        """Choose the distance: ordered for numbers, hierarchical where there is a hierarchy, else equal."""
        notes = [Note("unpublished", {"part": spread.name, "rows": spread.unpublished})] if spread.unpublished else []
        no_numbers = [value for value in spread.values if numeral(value) is None]
        if self.distance == "hierarchical" and spread.name not in facts.hierarchies:
            hint = f"pass one in hierarchies=, for example hierarchies={{{spread.name!r}: …}}"
            raise HierarchyError(f'there is no hierarchy for "{spread.name}"', hint=hint)
        if self.distance == "ordered" and no_numbers and self.order is None:
            hint, listed = "say in which order its values stand: order=[…]", listing(map(shown, no_numbers))
            raise ParameterError(f'"{spread.name}" has values that are no numbers', hint=hint, listed=listed)
        if self.distance != "auto":
            return self.distance, tuple(notes)
        if self.order is not None or not no_numbers:
            return "ordered", tuple(notes)
        if len(no_numbers) <= NEARLY and len(spread.values) > 2 * len(no_numbers):
            odd = ", ".join(map(shown, no_numbers))
            notes.append(Note("nearly_numeric", {"part": spread.name, "values": odd}))
        return "hierarchical" if spread.name in facts.hierarchies else "equal", tuple(notes)

    def _in_order(self, spread: Spread) -> Spread:
        """Put the values in order: as the caller says, or by size, where numbers that are equal are one."""
        if self.order is None:
            keys = [numeral(value) or Decimal(0) for value in spread.values]
        else:
            place = {str(value).strip(): Decimal(rank) for rank, value in enumerate(self.order)}
            if lacking := [shown(value) for value in spread.values if value not in place]:
                raise ParameterError(f'order= lacks values of "{spread.name}"', listed=listing(lacking))
            keys = [place[value] for value in spread.values if value is not None]
        ranks = sorted(set(keys))
        codes = np.array([bisect_left(ranks, key) for key in keys], dtype=np.int64)
        return spread.regrouped(codes, [str(key) for key in ranks])
