"""Replicated uniques: people who are unique in the original, and whose unique combination the release shows.

Definition
    A person is unique if nobody else of the original has the same quasi-identifiers. Such a combination is replicated
    if exactly one released row has it. To compare with people who took no part, original and hold-out are looked at
    together: uniqueness depends on the size of a table.

Formula
    #{keys: original 1, release 1} ÷ people of the original (repU)

Example
    All four are unique, and two of them are replicated.

    >>> from PETWorks import Release
    >>> people = {"sex": ["F", "F", "M", "M"], "zip": ["1", "2", "1", "2"]}
    >>> release = Release({"sex": ["F", "M", "X"], "zip": ["1", "2", "1"]}, original=people, synthetic=True)
    >>> result = release.ask(ReplicatedUniques())
    >>> print(result.exact, result.figures["unique"], result.figures["found"])
    1/2 4 2

Reading
    0: nobody who stands out in the original stands out in the release in the same way. A replicated combination may
    be coincidence: the hold-out tells how often.

Reference
    G. M. Raab, B. Nowok, C. Dibben, "Practical privacy metrics for synthetic data", 2024, arXiv:2406.16826.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations
from typing import ClassVar

import numpy as np

from PETWorks.measure.formulas.excess import Excess
from PETWorks.measure.original_people import OriginalPeople, PeopleShare, build_words
from PETWorks.measure.plugin import Facts, Limit, Number, Page, Result, Step, number


class ReplicatedUniques(OriginalPeople):
    """Share of the original's people whose unique combination occurs once in the release."""

    ways: Number | None = number(default=None, least=1, whole=True)

    name: ClassVar[str] = "replicated uniques"
    scales: ClassVar[bool] = True
    examples: ClassVar = ({"max_share": "0.9"},)
    words: ClassVar = {
        "en": build_words(
            "en",
            "replicated uniques",
            "{percent} of the people of the original are unique there, and their combination occurs once in the"
            " release.",
            "replicated uniques",
            steps={
                "share": "{unique:person of the original is|people of the original are} unique in the"
                " quasi-identifiers; the release has {found} of their combinations. {people} of these occur there"
                " exactly once: of {of:person|people} that is a share of {score}, and {of_uniques} of the uniques.",
                "released": "{released_unique:combination occurs|combinations occur} once in the release.",
                "untold": "a combination that occurs twice in the release may still tell of one person.",
                "improve": "generalise or bin the columns that make people unique before the model learns them.",
            },
            parameters={"ways": "any set of so many quasi-identifiers may make unique; otherwise all together"},
        ),
        "zh_TW": build_words(
            "zh_TW",
            "重現的唯一值",
            "原始資料中有 {percent} 的人獨一無二，而其組合在發布資料表中恰好出現一次。",
            "重現的唯一值",
            steps={
                "share": "原始資料中有 {unique} 人的準識別屬性獨一無二，發布資料表含有其中 {found} 個組合。"
                "其中 {people} 個恰好出現一次：占 {of} 人的 {score}，占獨一無二者的 {of_uniques}。",
                "released": "發布資料表中恰好出現一次的組合有 {released_unique} 個。",
                "untold": "在發布資料表中出現兩次的組合，仍可能透露一個人。",
                "improve": "在模型學習之前，先概化使人獨一無二的欄位，或將其分組。",
            },
            parameters={"ways": "任一組這麼多個準識別屬性獨一無二即計；否則為全部合在一起"},
            page=Page(
                summary="在原始資料中獨一無二，而其組合又出現在發布資料表的人。",
                definition="若原始資料中沒有其他人具有相同的準識別屬性，該人即為獨一無二。"
                "若發布資料表恰有一列具有該組合，即為重現。與未參與者比較時，原始資料與對照組一併檢視："
                "是否獨一無二，取決於資料表的大小。",
                formula="#{組合：原始資料一人、發布一列} ÷ 原始資料人數（repU）",
                example="四人都獨一無二，其中兩人重現。",
                reading="0：在原始資料中突出的人，沒有人在發布資料表中以相同方式突出。重現可能是巧合：對照組顯示其頻率。",
            ),
        ),
    }

    def tell(self, facts: Facts) -> PeopleShare:
        """Return how many people are unique in the original, and replicated."""
        keys = facts.roles.quasi_identifiers
        pool = self.find_pool(facts, keys)
        everything = len(keys) if self.ways is None else min(int(Limit.of(self.ways).exact), len(keys))
        alone, found, replicated, shared = (np.zeros(len(pool.released), dtype=bool) for _ in range(4))
        once = 0
        for some in combinations(keys, everything):
            ids, smaller = pool.group(some)
            released, people = smaller.matchable(some), smaller.original.counts
            once += int((released == 1).sum())
            alone |= (people == 1)[ids] & (pool.original.counts > 0)
            found |= ((people == 1) & (released > 0))[ids] & (pool.original.counts > 0)
            replicated |= ((people == 1) & (released == 1))[ids] & (pool.original.counts > 0)
            shared |= ((smaller.together == 1) & (released == 1))[ids]
        original, seen = pool.original, None
        if pool.holdout is not None:
            seen = Excess(original.count(shared), original.people, pool.holdout.count(shared), pool.holdout.people)
        unique = original.count(alone)
        figures = {
            "unique": unique,
            "found": original.count(found),
            "released_unique": once,
            "of_uniques": Fraction(original.count(replicated), unique or 1),
        }
        return PeopleShare(original.count(replicated), original.people, seen, figures)

    def explain_further(self, result: Result) -> Iterator[Step]:
        """Yield how many combinations occur once in the release."""
        yield Step("released", {"released_unique": result.figures["released_unique"]})
