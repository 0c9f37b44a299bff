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
    0: every class looks like the whole table. 1: as different as can be. The value is the largest distance of any class
    in any sensitive attribute. A small distance does not make people indistinguishable: it says nothing about how many
    share a class, and it looks at one sensitive attribute at a time.

Reference
    N. Li, T. Li, S. Venkatasubramanian, "t-Closeness: Privacy Beyond k-Anonymity and l-Diversity", ICDE 2007,
    doi:10.1109/ICDE.2007.367856.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import ClassVar, Literal

import numpy as np

from PETWorks.measure.formulas.earth_mover import choose_distance, find_non_numbers
from PETWorks.measure.formulas.floors import find_loss_by_equal_distance
from PETWorks.measure.plugin import (
    Bound,
    Cell,
    Facts,
    FloatArray,
    Limit,
    Mask,
    Name,
    Need,
    Note,
    Number,
    Page,
    Privacy,
    Side,
    Spread,
    Step,
    Words,
    cell_text,
    column,
    excess,
    number,
    overall_is_fixed,
    values,
    word,
)

NEARLY = 2  # the most values that are not numbers which a note on a column of numbers names

Distance = Literal["auto", "ordered", "hierarchical", "equal"]


class TCloseness(Privacy):
    """Distance of the farthest class from the whole table, at most t."""

    t: Number | None = number(default=None, limit=Side.AT_MOST, least=0, most=1, kw_only=False)
    distance: Distance = word(Distance, default="auto")
    order: Sequence[str] | None = values(default=None)  # the order of text values, for the ordered distance
    sensitive: str | None = column(default=None)  # None: every sensitive attribute

    name: ClassVar[str] = "t-closeness"
    against: ClassVar[str] = "attribute"
    monotone: ClassVar[bool] = True  # distances are convex
    classwise: ClassVar[bool] = True
    variant_figure: ClassVar[str] = "distance"
    needs: ClassVar[frozenset[Need]] = frozenset({Need.SENSITIVE})
    by_hierarchy: ClassVar = {"distance": "hierarchical"}
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
            terms={"ordered": "ordered", "hierarchical": "hierarchical", "equal": "equal"},
            short={"hierarchical": "hier."},
            notes={
                "unpublished": "{part}: suppressed rows that publish no value are left out of the overall"
                " distribution: {rows}.",
                "nearly_numeric": "{part} is not read as numbers because of: {values}.",
                "nearly_numeric_guarded": "{part} is not read as numbers because one or two of its values are none.",
            },
            parameters={
                "distance": "how far two values are apart; `auto` looks at the data",
                "order": "the values in order, for the ordered distance of text",
                "sensitive": "judge this sensitive attribute only; otherwise each",
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
            terms={"ordered": "有序", "hierarchical": "階層", "equal": "等距"},
            notes={
                "unpublished": "{part}：有 {rows} 筆整列遮蔽的資料列未發布此值，不計入整體分布。",
                "nearly_numeric": "{part} 因含有下列值而不視為數值：{values}。",
                "nearly_numeric_guarded": "{part} 因含有一兩個非數值的值而不視為數值。",
            },
            parameters={
                "distance": "兩個值相距多遠；`auto` 依資料決定",
                "order": "值的順序，供文字採用有序距離時使用",
                "sensitive": "只判定此敏感屬性；否則逐一判定",
            },
            page=Page(
                summary="得知某人屬於哪一個等價類，不應因此得知太多關於敏感屬性的事。",
                definition="敏感屬性在一個等價類中的分布，與在整個資料表中的分布，"
                "兩者之間的推土機距離（Earth Mover's Distance）最大者不得超過 t。"
                "整個資料表包含整列遮蔽的資料列，只要其敏感屬性的儲存格仍有發布。",
                formula="p 為某值在整個資料表中的占比，q 為其在等價類中的占比。\n"
                "有序（數值）：m 種相異值依大小排列，相鄰兩值相距一步：1/(m - 1) · Σ |Σ (q - p)|，"
                "內層總和由最小值起累加。\n"
                "階層（有資料階層的文字）：將占比由一值移往另一值，成本為兩者最低共同節點的高度 ÷ 資料階層的高度。\n"
                "等距（其他文字）：1/2 · Σ |q - p|。",
                example="五個人依出生年分為兩類。197* 這一類的薪水，是五人中最低的兩個。",
                reading="0：每個等價類都與整個資料表相同。1：差異大到不能再大。"
                "數值取自距離最大的敏感屬性中、距離最大的等價類。距離小不代表個人無法被區分：它不說明一類有多少人，"
                "且一次僅檢視一個敏感屬性。",
            ),
        ),
    }

    def bounds(self, facts: Facts) -> Iterator[Bound]:
        """Yield the distance of every class, for each sensitive attribute."""
        for spread in facts.spreads(self.sensitive):
            mover, limit = choose_distance(spread.by_shares, facts, self.distance, self.order), self.limit_of("t")
            notes, figures = tuple(self._notes(spread)), {"distance": mover.kind, "part": Name(spread.name)}
            bound = Bound(*limit, mover.scores(), spread.classes, spread.name, notes=notes, figures=figures)
            yield replace(bound, holders=spread.fewest_holders)

    def declarations_hold(self, facts: Facts) -> bool:
        """Return True if the distribution of the whole table does not depend on what is suppressed."""
        return super().declarations_hold(facts) and overall_is_fixed(facts, self.sensitive)

    def find_least_suppression_by(self, bound: Bound, facts: Facts) -> FloatArray | Mask:
        """Return the excess over t: distances are convex, and suppressed rows are at most 1 away.

        If all values are equally far apart, it is exactly what must be suppressed, except for whole rows.
        """
        most = float(Limit.of(self.t or 0))
        if bound.figures["distance"] == "equal":
            (spread,) = facts.spreads(bound.part)
            beyond = find_loss_by_equal_distance(spread.by_shares, most)
        else:
            beyond = excess(bound.scores.approximate, most)
        return np.maximum(super().find_least_suppression_by(bound, facts), beyond)

    def explain_scoring(self, bound: Bound, facts: Facts) -> Iterator[Step]:
        """Yield the step on the computation of the distance."""
        (spread,) = facts.spreads(bound.part)
        mover = choose_distance(spread.by_shares, facts, self.distance, self.order)
        yield Step(mover.kind, {"part": Name(spread.name), "rows": spread.rows, **mover.figures()})

    def explain_class(self, bound: Bound, index: int, facts: Facts, least: int) -> Iterator[Step]:
        """Yield the computation of the distance of one class."""
        (spread,) = facts.spreads(bound.part)
        if score := bound.scores.exact(index):
            yield from choose_distance(spread.by_shares, facts, self.distance, self.order).explain_class(
                index, score, least
            )
        else:
            yield Step("nothing_moved", {"score": score})

    def _notes(self, spread: Spread) -> Iterator[Note]:
        part, odd = Name(spread.name), find_non_numbers(spread)
        if spread.unpublished:
            yield Note("unpublished", {"part": part, "rows": spread.unpublished})
        nearly = 0 < len(odd) <= NEARLY and len(spread.values) > 2 * len(odd)
        if nearly and self.distance == "auto" and self.order is None:
            values, withheld = Cell(", ".join(map(cell_text, odd))), Note("nearly_numeric_guarded", {"part": part})
            yield Note("nearly_numeric", {"part": part, "values": values}, instead=withheld)
