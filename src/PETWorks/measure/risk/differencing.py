"""Differencing: what two releases tell of those who left or joined in between.

Definition
    Two released combinations meet if they stand for a common value in every column. A cell is what is connected by
    meeting, so that a coarse class is set against all the finer ones within it. In each cell, *gone* are the people of
    the first release who are not in it in the second, *come* the reverse: who is suppressed in the other release, or
    has other values by then, counts. The smallest number that is not 0 must be k. Every pair of releases is judged.

Formula
    min {gone, come > 0} over cells; holds if it is ≥ k

Example
    One person left. The difference of the two releases shows what she had.

    >>> from PETWorks import Release
    >>> roles = {"quasi_identifiers": ["zip"], "sensitive": ["ill"]}
    >>> ill = {"zip": ["1"] * 4, "ill": ["flu", "cold", "flu", "hay"]}
    >>> first = {"released": ill, "original": {"id": [*"abcd"]}, "key": "id"}
    >>> stay = {name: cells[:3] for name, cells in ill.items()}
    >>> result = Release(stay, original={"id": [*"abc"]}, **roles, earlier=[first]).ask(Differencing(k=3))
    >>> print(result.exact, result.holds, result.figures["left_shown"])
    1 False 1

Reading
    Higher is better; no value: nobody left or joined. *left, shown* and *joined, shown* count people whose sensitive
    value is the only one that the difference of a cell has. Where fewer than k people left in all, no second release
    can hold: gather those who opt out until k of them have left.

Reference
    D. E. Denning, P. J. Denning, M. D. Schwartz, "The Tracker: A Threat to Statistical Database Security", ACM TODS 4,
    1979 (differences of counts).
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations
from typing import Any, ClassVar

from PETWorks.facts.changed_cells import ChangedCells, find_changed_cells
from PETWorks.measure.joined_editions import JoinedEditions, build_words
from PETWorks.measure.plugin import (
    THRESHOLD,
    Facts,
    Figure,
    Limit,
    Name,
    NotAskableError,
    Note,
    Number,
    Page,
    Result,
    ResultPart,
    Side,
    Step,
    number,
)

PARTS = ("smallest change", "cells pointed at", "people pointed at", "cells seen")
FIGURES = ("cells", "cells_pointed", "people_pointed", "cells_net", "left_shown", "joined_shown")


class Differencing(JoinedEditions):
    """Smallest number of people who left or joined a cell of two releases, at least k."""

    k: Number | None = number(default=None, limit=Side.AT_LEAST, least=1, whole=True, kw_only=False)

    name: ClassVar[str] = "differencing"
    examples: ClassVar = ({"k": 5},)
    fixed_parts: ClassVar = PARTS
    private_parts: ClassVar = PARTS
    words: ClassVar = {
        "en": build_words(
            "en",
            "differencing",
            "Where people left or joined a cell between two releases, {value} or more did.",
            "fewest who left or joined",
            parts={
                "smallest change": "fewest who left or joined",
                "cells pointed at": "cells pointed at",
                "people pointed at": "people pointed at",
                "cells seen": "cells whose rows tell it",
            },
            shared=(),
            steps={
                "told": "{files}: {cells:cell|cells}. In {cells_pointed} of them fewer than {limit} people left or"
                " joined: {people_pointed:person|people} in all. By the numbers of rows alone, {cells_net:cell"
                " tells|cells tell} it.",
                "smallest": "The fewest who left or joined a cell are {score}.",
                "nobody": "Nobody left or joined.",
                "shown": "The difference shows the sensitive value of {left_shown:person|people} who left and"
                " {joined_shown:person|people} who joined.",
                "untold": "somebody who knows a person in both releases learns other things; see joint anonymity.",
                "improve": "gather those who leave until {k} of a cell have left, or release at coarser levels.",
            },
            notes={
                "few_left": "Fewer than {k} people left in all, so no second release can hold: gather them until {k}"
                " have left.",
                "overlapping": "Labels overlap in other ways than levels do, so cells are large; that equal labels were"
                " compared is not said.",
            },
        ),
        "zh_TW": build_words(
            "zh_TW",
            "差分",
            "兩次發布之間有人離開或加入的單元，離開或加入的至少有 {value} 人。",
            "最少離開或加入人數",
            parts={
                "smallest change": "最少離開或加入人數",
                "cells pointed at": "指向少數人的單元",
                "people pointed at": "被指向的人",
                "cells seen": "由列數即可看出的單元",
            },
            shared=(),
            steps={
                "told": "{files}：共 {cells} 個單元。其中 {cells_pointed} 個單元離開或加入的人少於 {limit} 人，"
                "計 {people_pointed} 人。僅由列數即可看出者有 {cells_net} 個單元。",
                "smallest": "離開或加入一個單元的，最少有 {score} 人。",
                "nobody": "沒有人離開或加入。",
                "shown": "相減即顯示 {left_shown} 位離開者與 {joined_shown} 位加入者的敏感值。",
                "untold": "知道某人同時在兩次發布中的人，會得知其他事情，請見合併匿名性。",
                "improve": "累積退出者，直到一個單元有 {k} 人離開；或以更粗略的層級發布。",
            },
            notes={
                "few_left": "離開的總共不到 {k} 人，任何第二次發布都無法滿足：請累積到 {k} 人離開再發布。",
                "overlapping": "標籤重疊的方式與層級不同，因此單元很大；這並未比較相同的標籤。",
            },
            page=Page(
                summary="兩次發布透露了期間離開或加入的人哪些事。",
                definition="兩個發布的組合，若在每個欄位都含有共同的值，即相遇。由相遇相連者為一個單元，"
                "因此粗略的等價類與其中所有較細的等價類相比。每個單元中，離開者為第一次發布時在其中、第二次不在的人；"
                "加入者相反。在另一次發布中被遮蔽、或值已改變的人也計入。不為 0 的最小人數必須至少有 k 人。"
                "每兩次發布都會判定。",
                formula="各單元中離開與加入人數（大於 0 者）的最小值；≥ k 即滿足",
                example="一人離開。兩次發布相減，即顯示其值。",
                reading="越大越好；沒有值表示無人離開或加入。「顯示」計入其敏感值為該單元差異中唯一一種值的人。"
                "若離開的總共不到 k 人，任何第二次發布都無法滿足：請累積到 k 人離開。",
            ),
        ),
    }

    def find_implied_size(self, name: str, part: ResultPart) -> int:  # noqa: ARG002
        """Return the number of people that the limit asks for."""
        return 1 if part.limit is None else int(part.limit.exact)

    def figures(self, facts: Facts) -> Iterator[Figure]:
        """Yield the smallest change of all pairs of releases, and what its pair tells."""
        limit = THRESHOLD if self.k is None else int(Limit.of(self.k).exact)
        counted, found = facts.editions.counted, list[tuple[dict[str, Any], ChangedCells]]()
        for first, second in combinations(counted, 2):
            several = [find_changed_cells(first, second, name) for name in facts.roles.sensitive or (None,)]
            cells = several[0]
            if cells is None or None in several:
                problem = "cells of labels that overlap in other ways than levels do take too long to compare"
                raise NotAskableError(problem, where=second.name, hint="release at one level for each column")
            pointed, people, net = cells.find_below(limit)
            shown = [max(one.shown[side] for one in several if one is not None) for side in (0, 1)]
            told = dict(zip(FIGURES, (len(cells), pointed, people, net, *shown), strict=True))
            names = {"files": (Name(first.name), Name(second.name)), "limit": limit, "gone": int(cells.gone.sum())}
            found.append(({**told, **names}, cells))
        told, worst = min(found, key=lambda one: (one[1].smallest or 10**18, -one[0]["people_pointed"]))
        told["people"] = 1
        value = None if worst.smallest is None else Fraction(worst.smallest)
        yield Figure(
            "smallest change",
            value,
            self.k,
            Side.AT_LEAST,
            told,
            (*self.list_notes(facts), *self._find_doubts(told, worst, limit)),
            holds=True if value is None else None,
            about_few=worst.smallest is not None and worst.smallest < THRESHOLD,
        )
        for name, key in zip(PARTS[1:], FIGURES[1:4], strict=True):
            yield Figure(name, Fraction(told[key]), side=None)

    @staticmethod
    def _find_doubts(told: dict[str, Any], cells: ChangedCells, limit: int) -> Iterator[Note]:
        if 0 < told["gone"] < limit:
            yield Note("few_left", {"k": Limit.of(limit)}, warning=True)
        if not cells.nested:
            yield Note("overlapping", warning=True)

    def explain_figures(self, result: Result) -> Iterator[Step]:
        """Yield the cells of the worst pair of releases, and who is pointed at."""
        told = result.figures
        yield Step("told", told)
        if result.exact is None:
            yield Step("nobody")
            return
        yield Step("smallest", {"score": result.exact})
        yield Step("shown", told)

    def conclude(self) -> Iterator[Step]:
        """Yield the closing steps, with the limit."""
        k = Limit.of(THRESHOLD if self.k is None else self.k)
        for step in super().conclude():
            yield Step(step.kind, {"k": k})
