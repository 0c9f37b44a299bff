"""Joint anonymity: how many people agree with somebody in every release that they are in.

Definition
    Somebody has several releases of the same people, knows a person's quasi-identifiers at each of them, and that the
    person is in them, and knows which rows are one person's. The joint class of a person are those who are in the same
    releases, and have the same released quasi-identifiers in each. Suppressed rows of a release are one class; a person
    who is suppressed in all of them is not judged. The smallest joint class must have k people. Every set of releases
    that somebody is in is judged.

Formula
    min over people of |J|; holds if |J| ≥ k

Example
    Each release alone has classes of four. Joined, everybody is alone.

    >>> from PETWorks import Release
    >>> people = {"id": [*"abcd"], "zip": ["10", "10", "11", "11"], "age": ["31", "32", "31", "32"]}
    >>> first = {"released": {"zip": people["zip"], "age": ["3*"] * 4}, "original": people, "key": "id"}
    >>> release = Release({"zip": ["1*"] * 4, "age": people["age"]}, original=people, earlier=[first])
    >>> result = release.ask(JointAnonymity(k=2))
    >>> print(result.exact, result.holds, result.parts["rows left"].exact)
    1 False 2

Reading
    Higher is better. Whoever knows no more cannot get below it. *rows left* is for those who cannot tell which rows are
    one person's, but know that sensitive values do not change. *unsure* is for those who know that a person is in this
    or that release, not in all. *compatible* takes every row that fits the true values, and is told only: it believes
    that a suppressed row may be anybody's.

Reference
    B. C. M. Fung, K. Wang, A. W.-C. Fu, J. Pei, "Anonymity for Continuous Data Publishing", EDBT 2008.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any, ClassVar

from PETWorks.errors import did_you_mean
from PETWorks.facts.editions import JointClasses
from PETWorks.measure.joined_editions import JoinedEditions, build_words, count_union
from PETWorks.measure.plugin import (
    THRESHOLD,
    Facts,
    Figure,
    IntArray,
    Limit,
    Name,
    NotAskableError,
    Number,
    Page,
    Result,
    ResultPart,
    Side,
    Step,
    columns,
    number,
)

PARTS = ("joint size", "below", "alone", "rows left", "unsure", "compatible")


class JointAnonymity(JoinedEditions):
    """Size of the smallest class of people who agree in every release they are in, at least k."""

    k: Number | None = number(default=None, limit=Side.AT_LEAST, least=1, whole=True, kw_only=False)
    unchanged: Sequence[str] | None = columns(default=None)

    name: ClassVar[str] = "joint anonymity"
    examples: ClassVar = ({"k": 5},)
    fixed_parts: ClassVar = PARTS
    people_parts: ClassVar = ("joint size",)
    private_parts: ClassVar = PARTS[1:]
    words: ClassVar = {
        "en": build_words(
            "en",
            "joint anonymity",
            "Joined with earlier releases, {value} or more people agree in every release that they are in.",
            "smallest joint class",
            parts={
                "joint size": "smallest joint class",
                "below": "people in joint classes below the limit",
                "alone": "people alone in their joint class",
                "rows left": "rows left, where rows cannot be joined",
                "unsure": "people left, if it is unsure who is in which",
                "compatible": "people whose rows fit the true values",
            },
            steps={
                "told": "Who joins them finds {score:person|people} or more for each of these; {alone:person is|people"
                " are} alone.",
                "below": "{below:person is|people are} in joint classes of fewer than {limit}.",
                "rows left": "Where rows cannot be joined, {rows_left:row is|rows are} left, or more; these stay the"
                " same between releases: {columns}.",
                "unsure": "Who does not know in which of them somebody is, finds {unsure:person|people} or more.",
                "compatible": "By rows that fit the true values, {compatible:person fits|people fit} or more. This is"
                " not judged: it takes a suppressed row for anybody's.",
                "untold": "people of a joint class may still all share one sensitive value; see joint diversity. Who"
                " left or joined is another question; see differencing.",
                "improve": "release at the levels of the earlier release, or coarser in every column, and suppress"
                " small joint classes.",
            },
            parameters={"unchanged": "the columns that stay the same between releases; otherwise the sensitive ones"},
        ),
        "zh_TW": build_words(
            "zh_TW",
            "合併匿名性",
            "與先前的發布合併後，至少有 {value} 人在其出現的每次發布中都相同。",
            "最小合併類",
            parts={
                "joint size": "最小合併類",
                "below": "合併類低於門檻的人",
                "alone": "合併類中獨自一人者",
                "rows left": "資料列無法連結時，剩下的列",
                "unsure": "不確定誰在哪次發布時，剩下的人",
                "compatible": "資料列符合其真實值的人",
            },
            steps={
                "told": "合併後，每個人至少對應 {score} 人；有 {alone} 人獨自一人。",
                "below": "有 {below} 人的合併類少於 {limit} 人。",
                "rows left": "若資料列無法連結，至少剩下 {rows_left} 列；各次發布之間不變的欄位：{columns}。",
                "unsure": "不知道某人在哪次發布的人，至少對應 {unsure} 人。",
                "compatible": "以符合真實值的資料列計，至少 {compatible} 人符合。"
                "此數不作判定：它把遮蔽的列當作可能屬於任何人。",
                "untold": "同一合併類的人仍可能具有相同的敏感值，請見合併多樣性。"
                "誰離開、誰加入是另一個問題，請見差分。",
                "improve": "以先前發布的層級發布，或每個欄位都更粗略，並遮蔽小的合併類。",
            },
            parameters={"unchanged": "各次發布之間不變的欄位；否則為敏感屬性"},
            page=Page(
                summary="在某人出現的每次發布中，與其相同的有多少人。",
                definition="有人持有同一群人的數次發布，知道某人在各次發布時的準識別屬性、知道其在其中，"
                "也知道哪些資料列屬於同一人。某人的合併類，是出現在相同各次發布、且每次發布的準識別屬性都與其相同的人。"
                "一次發布中遮蔽的列自成一類；每次都遮蔽的人不作判定。最小的合併類必須至少有 k 人。"
                "凡是某人所出現的發布組合，都會判定。",
                formula="所有人中 |J| 的最小值；|J| ≥ k 即滿足",
                example="每次發布單獨看都是四人一類；合併後每個人都獨自一人。",
                reading="越大越好。所知不多於此的人，無法再縮小。「剩下的列」適用於無法得知哪些列屬於同一人、"
                "但知道敏感值不變的人。「不確定」適用於只知道某人在其中一次的人。「符合」計入所有符合真實值的列，"
                "僅供參考：它認為遮蔽的列可能屬於任何人。",
            ),
        ),
    }

    @property
    def requested_size(self) -> int | None:
        """The size k."""
        return None if self.k is None else int(Limit.of(self.k).exact)

    @property
    def requested_suppressed_people(self) -> int | None:
        """None: the suppressed rows of a release are judged as one of its classes."""
        return None

    def find_implied_size(self, name: str, part: ResultPart) -> int:  # noqa: ARG002
        """Return the number of people that the limit asks for."""
        return 1 if part.limit is None else int(part.limit.exact)

    def figures(self, facts: Facts) -> Iterator[Figure]:
        """Yield the smallest joint class, and what is told beside it."""
        limit = self.requested_size or THRESHOLD
        below, alone, everybody, judged = (list[IntArray]() for _ in range(4))
        sizes, left, unsure, fits = list[int](), list[int](), list[int](), list[int]()
        worst: tuple[Name, ...] = ()
        unchanged: tuple[str, ...] = ()
        for joint, files in self.list_joins(facts):
            everybody.append(joint.person)
            judged.append(joint.person[joint.pairs_judged])
            if (least := joint.find_least(joint.sizes)) is None:
                continue
            worst = worst if sizes and min(sizes) <= least else files
            sizes.append(least)
            below.append(joint.find_people(joint.sizes < limit))
            alone.append(joint.find_people(joint.sizes == 1))
            unchanged = self.find_unchanged(facts, joint)
            left.append(joint.find_least(joint.spread(unchanged).rows_left) or 0)
            unsure.append(joint.find_least(joint.unsure) or 0)
            compatible = joint.find_compatible()
            fits += [] if compatible is None else [int(compatible.sizes.min())]
        told: dict[str, Any] = {
            "people": count_union(everybody),
            "judged": count_union(judged),
            "below": count_union(below),
            "alone": count_union(alone),
            "files": worst,
            "limit": limit,
            "columns": unchanged,
        }
        value = min(sizes, default=None)
        told["few"] = (value or 0, told["below"], told["alone"])
        yield Figure(
            "joint size",
            None if value is None else Fraction(value),
            self.k,
            Side.AT_LEAST,
            figures=told,
            notes=self.list_notes(facts),
            holds=True if value is None else None,
        )
        yield Figure("below", Fraction(told["below"]), side=None)
        yield Figure("alone", Fraction(told["alone"]), side=None)
        for name, found in (("rows left", left), ("unsure", unsure), ("compatible", fits)):
            if found:
                yield Figure(name, Fraction(min(found)), side=None)

    def find_unchanged(self, facts: Facts, joint: JointClasses) -> tuple[str, ...]:
        """Return the columns that do not change: those given, else the sensitive ones that all editions have."""
        given = facts.roles.sensitive if self.unchanged is None else self.unchanged
        if strange := [name for name in given if name not in facts.roles.sensitive]:
            problem = f'unchanged: "{strange[0]}" is no sensitive attribute'
            raise NotAskableError(problem, hint=did_you_mean(strange[0], facts.roles.sensitive))
        return tuple(name for name in given if all(name in one.row_values for one in joint.editions))

    def explain_people(self, result: Result) -> Iterator[Step]:
        """Yield the smallest joint class and the files that it is found in, and what others would find."""
        yield Step("told", {**result.figures, "score": result.exact})
        yield Step("set", result.figures)
        if result.figures["below"]:
            yield Step("below", result.figures)
        known = {name: part.best_known for name, part in result.parts.items()}
        if known.get("rows left") is not None:
            yield Step("rows left", {"columns": result.figures["columns"], "rows_left": known["rows left"]})
        for name in ("unsure", "compatible"):
            if known.get(name) is not None:
                yield Step(name, {name: known[name]})
