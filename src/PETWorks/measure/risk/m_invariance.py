"""m-invariance: every class of every release has different sensitive values only, and a person's set stays the same.

Definition
    In every release every class has different sensitive values only, and the classes of a person have the same set of
    values in all releases. Who joins the releases learns no more than from one. The smallest class must have m rows. If
    it does not hold, the value is 0.

Formula
    min |class| if m-invariant, else 0; holds if it is ≥ m

Example
    One person left, and another came whose value is the same.

    >>> from PETWorks import Release
    >>> roles = {"quasi_identifiers": ["zip"], "sensitive": ["ill"]}
    >>> first = {"released": {"zip": ["1", "1"], "ill": ["flu", "cold"]}, "original": {"id": ["a", "b"]}, "key": "id"}
    >>> new = {"zip": ["1", "1"], "ill": ["flu", "cold"]}
    >>> release = Release(new, original={"id": ["a", "c"]}, **roles, earlier=[first])
    >>> print(release.ask(MInvariance(m=2)).exact)
    2

Reading
    Higher is better. Releases of other methods hardly ever have it: with classes of k people and fewer than k values,
    it is 0. *the same set* counts the people whose classes keep their set of values.

Reference
    X. Xiao, Y. Tao, "m-Invariance: Towards Privacy Preserving Re-publication of Dynamic Datasets", SIGMOD 2007.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from PETWorks.facts.editions import PersonLabels
from PETWorks.measure.joined_editions import JoinedEditions, build_words, count_union, list_sensitive
from PETWorks.measure.plugin import (
    Facts,
    Figure,
    IntArray,
    Mask,
    Name,
    Need,
    NotAskableError,
    Number,
    Page,
    Side,
    number,
)


class MInvariance(JoinedEditions):
    """Size of the smallest class of m-invariant releases, at least m."""

    m: Number | None = number(default=None, limit=Side.AT_LEAST, least=1, whole=True, kw_only=False)

    name: ClassVar[str] = "m-invariance"
    against: ClassVar[str] = "attribute"
    needs: ClassVar[frozenset[Need]] = frozenset({Need.EARLIER, Need.SENSITIVE})
    examples: ClassVar = ({"m": 2},)
    words: ClassVar = {
        "en": build_words(
            "en",
            "m-invariance",
            "The releases are m-invariant with m = {value}; 0: they are not.",
            "smallest class, if m-invariant",
            shared=("people",),
            steps={
                "told": "Sensitive attribute {column}: m is {score}. The classes of {same:person|people} keep their set"
                " of values; {repeated:class has|classes have} a value more than once.",
                "untold": "who left or joined is another question; see differencing.",
                "improve": "make classes of people with different values, and keep the set of values of each class;"
                " rows that are nobody's may take the place of people who left.",
            },
        ),
        "zh_TW": build_words(
            "zh_TW",
            "m-不變性",
            "各次發布具有 m-不變性，m = {value}；0 表示不具有。",
            "具 m-不變性時的最小等價類",
            shared=("people",),
            steps={
                "told": "敏感屬性 {column}：m 為 {score}。有 {same} 人的等價類保持相同的值集合；"
                "有 {repeated} 個等價類含有重複的值。",
                "untold": "誰離開、誰加入是另一個問題，請見差分。",
                "improve": "使等價類由值各不相同的人組成，並保持每一類的值集合；離開的人可由不屬於任何人的列代替。",
            },
            page=Page(
                summary="每次發布的每個等價類中敏感值都不重複，且每個人的值集合在各次發布中不變。",
                definition="每次發布的每個等價類中，敏感值各不相同；每個人的等價類，在各次發布中都有相同的值集合。"
                "如此，合併各次發布的人所知不多於單看一次。最小的等價類必須至少有 m 列；不具此性質時，值為 0。",
                formula="具 m-不變性時為最小等價類的列數，否則為 0；≥ m 即滿足",
                example="一人離開，另一人加入，其值相同。",
                reading="越大越好。以其他方法製作的發布幾乎都不具此性質：等價類的人數多於值的種類時，即為 0。"
                "「相同」計入等價類的值集合不變的人。",
            ),
        ),
    }

    def figures(self, facts: Facts) -> Iterator[Figure]:
        """Yield m for each sensitive attribute, the worst first."""
        names = list_sensitive(facts)
        if facts.editions.has_several:
            problem = "m-invariance is defined for one row per person"
            raise NotAskableError(
                problem, hint="require joint anonymity and joint diversity, which also count people with several rows"
            )
        found = [self._measure(facts, name) for name in names]
        yield from sorted(found, key=lambda one: (one.value is None, one.value or 0))

    def _measure(self, facts: Facts, name: str) -> Figure:
        counted = facts.editions.counted
        sizes, repeated = list[int](), 0
        for one in counted:
            rows, several = count_class_rows(one, name)
            sizes += rows[rows > 0].tolist()
            repeated += int(several.sum())
        sets = number_value_sets(counted, name)
        same, other, everybody, judged = (list[IntArray]() for _ in range(4))
        for joint, _ in self.list_joins(facts):
            everybody.append(joint.person)
            judged.append(joint.person[joint.pairs_judged])
            here = [sets[counted.index(one)][labels] for one, labels in zip(joint.editions, joint.labels, strict=True)]
            equal = np.logical_and.reduce([one == here[0] for one in here])
            same.append(joint.find_people(equal))
            other.append(joint.find_people(~equal))
        kept = not repeated and not count_union(other)
        value = None if not sizes else Fraction(min(sizes) if kept else 0)
        told: dict[str, Any] = {"people": count_union(everybody), "judged": count_union(judged)}
        told |= {"same": len(np.setdiff1d(_join(same), _join(other))), "repeated": repeated, "column": Name(name)}
        told["few"] = (told["same"], told["judged"] - told["same"])
        holds, notes = (True if value is None else None), self.list_notes(facts)
        return Figure(name, value, self.m, Side.AT_LEAST, told, notes, holds=holds, about_few=True)


def _join(people: list[IntArray]) -> IntArray:
    return np.concatenate(people) if people else np.zeros(0, dtype=np.int64)


def count_class_rows(one: PersonLabels, name: str) -> tuple[IntArray, Mask]:
    """Return the rows of each class, 0 of the suppressed ones, and a mask of the classes that repeat a value."""
    cells = one.count_cells(one.row_values[name])
    rows = np.bincount(cells.labels, weights=cells.rows, minlength=one.labels).astype(np.int64)
    several: Mask = np.bincount(cells.labels[cells.rows > 1], minlength=one.labels) > 0
    if one.suppressed >= 0:
        rows[one.suppressed], several[one.suppressed] = 0, False
    return rows, several


def number_value_sets(counted: tuple[PersonLabels, ...], name: str) -> list[IntArray]:
    """Return a number for the set of values of each class, by edition; the suppressed rows have another one in each."""
    known: dict[bytes, int] = {}
    found = []
    for place, one in enumerate(counted):
        cells = one.count_cells(one.row_values[name])
        ends = np.searchsorted(cells.labels, np.arange(one.labels), "right").tolist()
        sets = np.zeros(one.labels, dtype=np.int64)
        start = 0
        for label, end in enumerate(ends):
            sets[label] = known.setdefault(cells.values[start:end].tobytes(), len(known))
            start = end
        if one.suppressed >= 0:
            sets[one.suppressed] = -1 - place
        found.append(sets)
    return found
