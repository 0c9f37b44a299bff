"""Linkability: people whose values in two groups of columns the release links.

Definition
    Somebody knows a person's values in the first group of columns. The release links the second group if all released
    rows that agree on the first have the person's values in the second; or the other way round.

Formula
    people who are linked, either way ÷ people of the original

Example
    Of three people, the first can be linked from either side, and the second from the disease only.

    >>> from PETWorks import Release
    >>> people = {"zip": ["1", "1", "2"], "ill": ["flu", "cold", "hay"]}
    >>> release = Release({"zip": ["1", "1"], "ill": ["flu", "cold"]}, original=people, synthetic=True)
    >>> print(release.ask(Linkability(first="zip", second="ill")).exact)
    2/3

Reading
    0: nobody's two groups of columns are tied together. What exceeds the share of the hold-out is due to the original.

Reference
    Article 29 Data Protection Working Party, "Opinion 05/2014 on Anonymisation Techniques", WP216, 2014; M. Elliot,
    2014, for the value that follows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from PETWorks.facts.pool import Pool
from PETWorks.measure.formulas.excess import Excess
from PETWorks.measure.original_people import OriginalPeople, PeopleShare, build_words
from PETWorks.measure.plugin import Facts, Mask, Page, ParameterError, columns, sum_by_group


class Linkability(OriginalPeople):
    """Share of the original's people whose two groups of columns the release links."""

    first: Sequence[str] = columns()
    second: Sequence[str] = columns()

    name: ClassVar[str] = "linkability"
    examples: ClassVar = ({"first": ["age"], "second": ["zip"], "max_share": "0.9"},)
    words: ClassVar = {
        "en": build_words(
            "en",
            "linkability",
            "Of {percent} of the people of the original, the release links the two groups of columns.",
            "people linked",
            steps={
                "share": "For {people} of {of:person|people} of the original, all released rows that agree with them on"
                " one group of columns have their values in the other: a share of {score}.",
                "untold": "rows that agree and do not all have the same values may still narrow the link down.",
                "improve": "make one of the two groups of columns coarser.",
            },
            parameters={"first": "the columns of the first group", "second": "the columns of the second group"},
        ),
        "zh_TW": build_words(
            "zh_TW",
            "可連結性",
            "發布資料表將原始資料中 {percent} 的人的兩組欄位連結起來。",
            "可連結的人",
            steps={
                "share": "原始資料的 {of} 人中，有 {people} 人，凡在一組欄位上與其相同的發布資料列，"
                "在另一組欄位也都是其值：占 {score}。",
                "untold": "相同的資料列若值不一，仍可能縮小連結的範圍。",
                "improve": "使其中一組欄位更粗略。",
            },
            parameters={"first": "第一組欄位", "second": "第二組欄位"},
            page=Page(
                summary="兩組欄位的值，可由發布資料表連結起來的人。",
                definition="有人知道某人第一組欄位的值。若凡在第一組相同的發布資料列，第二組也都是該人的值，"
                "發布資料表即連結兩者；反之亦然。",
                formula="可由任一方向連結的人數 ÷ 原始資料人數",
                example="三人中，第一人可由任一方向連結，第二人只能由疾病連結。",
                reading="0：沒有人的兩組欄位被連結。超出對照組比例的部分，才是因原始資料而來。",
            ),
        ),
    }

    def tell(self, facts: Facts) -> PeopleShare:
        """Return how many people can be linked, either way."""
        if both := [name for name in self.first if name in self.second]:
            raise ParameterError(f'"{both[0]}" is in both groups of columns', hint="name it in one of them")
        pool = self.find_pool(facts, [*self.first, *self.second])
        linked = follows(pool, self.first) | follows(pool, self.second)
        people, seen = pool.original.count(linked), None
        if pool.holdout is not None:
            seen = Excess(people, pool.original.people, pool.holdout.count(linked), pool.holdout.people)
        return PeopleShare(people, pool.original.people, seen)


def follows(pool: Pool, known: Sequence[str]) -> Mask:
    """Return a mask of the combinations that follow: all released rows that agree on the known columns have them."""
    ids, groups = pool.group(known)
    rows = pool.matchable(known)
    kinds = sum_by_group(ids, (rows > 0).astype(np.int64), len(groups.released))
    mask: Mask = (kinds[ids] == 1) & (rows > 0)
    return mask
