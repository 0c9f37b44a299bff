"""Joint diversity: how many sensitive values are left for somebody in all releases that they are in.

Definition
    Somebody knows a person's quasi-identifiers at each of several releases, and that the person is in them; rows cannot
    be joined. The values left are those that occur in the person's class of every release. A person is *certain* if one
    value is left, and theirs in every release. The fewest values left must be l. Of a sensitive attribute whose true
    values change between releases, nothing follows from the intersection: the values of the joint class count then.

Formula
    min over people of |V|, V the values common to the person's classes; holds if |V| ≥ l

Example
    Each release alone leaves two values. Together, one is left for two people.

    >>> from PETWorks import Release
    >>> people = {"id": [*"abcd"], "zip": ["10", "10", "11", "11"], "age": ["31", "32", "31", "32"]}
    >>> ill = ["flu", "cold", "hay", "flu"]
    >>> first = {"released": {"zip": people["zip"], "age": ["3*"] * 4, "ill": ill}, "original": people, "key": "id"}
    >>> new = {"zip": ["1*"] * 4, "age": people["age"], "ill": ill}
    >>> release = Release(new, original=people, quasi_identifiers=["zip", "age"], sensitive=["ill"], earlier=[first])
    >>> result = release.ask(JointDiversity(l=2))
    >>> print(result.exact, result.figures["certain"])
    1 2

Reading
    Higher is better. *certain before* counts who is certain in one release alone. *certain joined* counts those whose
    joint class has one value: for who can tell which rows are one person's. *misled* has a value that is not among
    those left, because it changed: an adversary would be wrong, which is no protection.

Reference
    S. R. Ganta, S. P. Kasiviswanathan, A. Smith, "Composition Attacks and Auxiliary Information in Data Privacy", KDD
    2008.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from PETWorks.errors import did_you_mean
from PETWorks.facts.editions import JointClasses
from PETWorks.measure.joined_editions import JoinedEditions, build_words, count_union, list_sensitive
from PETWorks.measure.plugin import (
    Facts,
    Figure,
    IntArray,
    Name,
    Need,
    NotAskableError,
    Number,
    Page,
    Result,
    Side,
    Step,
    columns,
    number,
)
from PETWorks.tables.counting.tally import find_distinct


class JointDiversity(JoinedEditions):
    """Fewest sensitive values left for somebody in all releases, at least l."""

    l: Number | None = number(default=None, limit=Side.AT_LEAST, least=1, whole=True, kw_only=False)  # noqa: E741
    changing: Sequence[str] | None = columns(default=None)

    name: ClassVar[str] = "joint diversity"
    against: ClassVar[str] = "attribute"
    needs: ClassVar[frozenset[Need]] = frozenset({Need.EARLIER, Need.SENSITIVE})
    scales: ClassVar[bool] = False
    examples: ClassVar = ({"l": 2},)
    words: ClassVar = {
        "en": build_words(
            "en",
            "joint diversity",
            "Joined with earlier releases, {value} or more sensitive values are left for everybody.",
            "fewest values left",
            steps={
                "told": "Sensitive attribute {column}: {score:value is|values are} left, or more. One value is left for"
                " {certain:person|people}, and it is theirs; {before} of them are as certain in one release alone.",
                "joined": "Who can join rows is certain of {certain_joined:person|people}.",
                "misled": "{misled:person has a value|people have values} that changed, and would be taken for"
                " another.",
                "changing": "{column} changes between releases, so the values of joint classes are counted.",
                "untold": "a value that is left may still be much more likely than the others; see independent belief.",
                "improve": "release at the levels of the earlier release, or coarser, and suppress people for whom few"
                " values are left.",
            },
            parameters={"changing": "the sensitive attributes whose true values change between releases"},
        ),
        "zh_TW": build_words(
            "zh_TW",
            "合併多樣性",
            "與先前的發布合併後，每個人至少剩下 {value} 種可能的敏感值。",
            "最少剩下的值",
            steps={
                "told": "敏感屬性 {column}：至少剩下 {score} 種值。有 {certain} 人只剩一種值，且正是其值；"
                "其中 {before} 人僅憑單一次發布即可確定。",
                "joined": "能連結資料列的人，可確定 {certain_joined} 人的值。",
                "misled": "有 {misled} 人的值已改變，會被誤認為其他值。",
                "changing": "{column} 在各次發布之間會改變，因此計算合併類中的值。",
                "untold": "剩下的值之中，某個值的可能性仍可能遠高於其他值，請見獨立信念。",
                "improve": "以先前發布的層級發布，或更粗略，並遮蔽只剩少數值的人。",
            },
            parameters={"changing": "真實值在各次發布之間會改變的敏感屬性"},
            page=Page(
                summary="在某人出現的所有發布中，其敏感值還剩下幾種可能。",
                definition="有人知道某人在各次發布時的準識別屬性，也知道其在其中；資料列無法連結。"
                "剩下的值，是在該人每次發布的等價類中都出現的值。若只剩一種值，且每次發布都是其值，該人即為確定。"
                "最少必須剩下 l 種值。若敏感屬性的真實值在各次發布之間會改變，取交集沒有意義，改計合併類中的值。",
                formula="所有人中 |V| 的最小值，V 為該人各等價類共有的值；|V| ≥ l 即滿足",
                example="每次發布單獨看都剩兩種值，合併後有兩人只剩一種。",
                reading="越大越好。「僅憑單一次」計入單看一次發布即可確定的人。「連結後確定」計入合併類只有一種值的人，"
                "適用於能得知哪些列屬於同一人者。「誤認」的人其值已改變，攻擊者會猜錯，但這不算保護。",
            ),
        ),
    }

    def figures(self, facts: Facts) -> Iterator[Figure]:
        """Yield the fewest values left of each sensitive attribute, the worst first."""
        names = list_sensitive(facts)
        if strange := [name for name in self.changing or () if name not in names]:
            problem = f'changing: "{strange[0]}" is no sensitive attribute'
            raise NotAskableError(problem, hint=did_you_mean(strange[0], names))
        found = [self._measure(facts, name) for name in names]
        yield from sorted(found, key=lambda one: (one.value is None, one.value or 0))

    def _measure(self, facts: Facts, name: str) -> Figure:
        least: int | None = None
        worst: tuple[Name, ...] = ()
        lists: dict[str, list[IntArray]] = {key: [] for key in ("people", "judged", "certain", "joined", "misled")}
        changing = name in (self.changing or ())
        for joint, files in self.list_joins(facts):
            lists["people"].append(joint.person)
            lists["judged"].append(joint.person[joint.pairs_judged])
            spread, judged = joint.spread(name), joint.pairs_judged
            joined = [spread.count_joined(place)[0] for place in range(len(joint.editions))]
            left = np.minimum.reduce(joined) if changing else spread.shared
            if (fewest := joint.find_least(left)) is None:
                continue
            if least is None or fewest < least:
                least, worst = fewest, files
            lists["joined"].append(joint.find_people(spread.joined[0] == 1))
            certain = (left == 1)[joint.ids] if changing else spread.certain
            lists["certain"].append(joint.person[certain & judged])
            lists["misled"] += [] if changing else [joint.person[spread.misled & judged]]
        told: dict[str, Any] = {key: count_union(people) for key, people in lists.items()}
        told |= {"files": worst, "column": Name(name), "changing": changing, "certain_joined": told["joined"]}
        told["before"] = count_certain_before(facts, name, lists["certain"])
        told["few"] = tuple(told[key] for key in ("certain", "joined", "misled", "before"))
        value = None if least is None else Fraction(least)
        holds = True if value is None else None
        return Figure(
            name, value, self.l, Side.AT_LEAST, figures=told, notes=self.list_notes(facts), holds=holds, about_few=True
        )

    def explain_figures(self, result: Result) -> Iterator[Step]:
        """Yield how many people are in several editions, and what is left for them, attribute by attribute."""
        if result.figures.get("people"):
            yield Step("people", result.figures)
            for name, part in result.parts.items():
                if part.value is not None:
                    yield from self._explain_part(name, {**part.figures, "score": part.best_known})

    def _explain_part(self, name: str, told: dict[str, Any]) -> Iterator[Step]:
        if told["changing"]:
            yield Step("changing", told)
        yield Step("told", told, part=name)
        yield Step("set", told)
        yield Step("joined", told)
        if told["misled"]:
            yield Step("misled", told)


def count_certain_before(facts: Facts, name: str, certain: list[IntArray]) -> int:
    """Return how many of the people who are certain are so in one edition alone: their class there has one value."""
    people = find_distinct(np.concatenate(certain)) if certain else np.zeros(0, dtype=np.int64)
    sure = [people[:0]]
    for place in range(len(facts.editions.given)):
        alone: JointClasses = facts.editions.join((place,))
        sure.append(alone.find_people(alone.spread(name).shared == 1))
    return len(np.intersect1d(people, np.concatenate(sure)))
