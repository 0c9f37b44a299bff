"""Independent belief: how sure somebody is of a sensitive value who takes each release for a draw of its own.

Definition
    Somebody knows a person's quasi-identifiers at each of several releases, that the person is in them, and of nobody
    else whether they are in both. So they multiply, value by value, how often it occurs in the person's classes. The
    belief in a value is its share of these products. No belief may exceed alpha. A person none of whose values is
    in all classes has no belief.

Formula
    b_v = Π n_e(v) ÷ Σ_w Π n_e(w), n_e(v) the rows of the person's class in release e that have v; max b_v ≤ α

Example
    In a copy of a class with four of five values the same, the belief is 16 of 17, beside 4 of 5 in one release.

    >>> from PETWorks import Release
    >>> people, ill = {"id": [*"abcde"], "zip": ["1"] * 5}, ["flu"] * 4 + ["cold"]
    >>> released = {"zip": ["1"] * 5, "ill": ill}
    >>> first = {"released": released, "original": people, "key": "id"}
    >>> given = {"quasi_identifiers": ["zip"], "sensitive": ["ill"]}
    >>> result = Release(released, original=people, **given, earlier=[first]).ask(IndependentBelief(alpha="0.9"))
    >>> print(result.exact, result.holds)
    16/17 False

Reading
    Lower is better. It neither bounds what somebody believes who can join rows, nor is bounded by it.

Reference
    S. R. Ganta, S. P. Kasiviswanathan, A. Smith, "Composition Attacks and Auxiliary Information in Data Privacy", KDD
    2008.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from PETWorks.measure.joined_editions import JoinedEditions, build_words, count_union, list_sensitive
from PETWorks.measure.plugin import (
    Facts,
    Figure,
    IntArray,
    Limit,
    Mask,
    Name,
    Need,
    Number,
    Page,
    Side,
    number,
)

NEAR = 1e-9  # what is nearer to the largest quotient than this is compared as a fraction


class IndependentBelief(JoinedEditions):
    """Largest belief in a sensitive value of somebody who takes releases for independent, at most alpha."""

    alpha: Number | None = number(default=None, limit=Side.AT_MOST, above=0, most=1, kw_only=False)

    name: ClassVar[str] = "independent belief"
    against: ClassVar[str] = "attribute"
    needs: ClassVar[frozenset[Need]] = frozenset({Need.EARLIER, Need.SENSITIVE})
    scales: ClassVar[bool] = False
    examples: ClassVar = ({"alpha": "0.9"},)
    words: ClassVar = {
        "en": build_words(
            "en",
            "independent belief",
            "Who takes the releases for independent believes in a sensitive value with {value} at most.",
            "largest belief",
            steps={
                "told": "Sensitive attribute {column}: the largest belief is {score:exact}. {above:person is|people"
                " are} believed to have a value with more than {limit:%}.",
                "untold": "somebody who can join rows may be surer still; see joint anonymity.",
                "improve": "release at the levels of the earlier release, or merge classes in which values are even.",
            },
        ),
        "zh_TW": build_words(
            "zh_TW",
            "獨立信念",
            "把各次發布視為互相獨立的人，對某個敏感值的信念至多為 {value}。",
            "最大信念",
            steps={
                "told": "敏感屬性 {column}：最大信念為 {score:exact}。"
                "有 {above} 人的某個值，被相信的程度超過 {limit:%}。",
                "untold": "能連結資料列的人可能更有把握，請見合併匿名性。",
                "improve": "以先前發布的層級發布，或合併等價類，使其中的值分布平均。",
            },
            page=Page(
                summary="把各次發布視為互相獨立的人，對某個敏感值有多大把握。",
                definition="有人知道某人在各次發布時的準識別屬性，也知道其在其中，但不知道其他人是否同時在其中。"
                "他將該人各等價類中每個值出現的次數逐值相乘，對某個值的信念即為其乘積所占的比例。"
                "任何信念都不得超過 alpha。若沒有任何值同時出現在所有等價類，即無信念可言。",
                formula="b_v = Π n_e(v) ÷ Σ_w Π n_e(w)，n_e(v) 為該人在第 e 次發布的等價類中值為 v 的列數；"
                "最大的 b_v ≤ α",
                example="五列中有四列相同的等價類再發布一次，信念為 16/17；單看一次為 4/5。",
                reading="越小越好。它不是能連結資料列者之信念的上限，也不以其為上限。",
            ),
        ),
    }

    def figures(self, facts: Facts) -> Iterator[Figure]:
        """Yield the largest belief of each sensitive attribute, the worst first."""
        found = [self._measure(facts, name) for name in list_sensitive(facts)]
        yield from sorted(found, key=lambda one: (one.value is None, -(one.value or 0)))

    def _measure(self, facts: Facts, name: str) -> Figure:
        limit = Fraction(1) if self.alpha is None else Limit.of(self.alpha).exact
        largest: Fraction | None = None
        worst: tuple[Name, ...] = ()
        above, everybody, judged = list[IntArray](), list[IntArray](), list[IntArray]()
        for joint, files in self.list_joins(facts):
            everybody.append(joint.person)
            judged.append(joint.person[joint.pairs_judged])
            most, total = joint.spread(name).find_independent_beliefs()
            known = joint.is_judged & (total > 0).astype(bool)
            if not known.any():
                continue
            here = find_largest_quotient(most[known], total[known])
            if largest is None or here > largest:
                largest, worst = here, files
            chosen = np.zeros(len(joint), dtype=bool)
            chosen[known] = exceeds(most[known], total[known], limit)
            above.append(joint.find_people(chosen))
        told: dict[str, Any] = {"people": count_union(everybody), "judged": count_union(judged)}
        told |= {"above": count_union(above), "files": worst, "column": Name(name), "limit": limit}
        told["few"] = (told["above"],)
        holds = True if largest is None else None
        notes = self.list_notes(facts)
        return Figure(name, largest, self.alpha, Side.AT_MOST, told, notes, holds=holds, about_few=True)


def find_largest_quotient(most: IntArray, total: IntArray) -> Fraction:
    """Return the largest of some quotients, exactly."""
    floats = most.astype(float) / total.astype(float)
    near = np.flatnonzero(floats >= floats.max() * (1 - NEAR))
    return max({Fraction(int(most[place]), int(total[place])) for place in near.tolist()})


def exceeds(most: IntArray, total: IntArray, limit: Fraction) -> Mask:
    """Return a mask of the quotients that are larger than a limit, exactly."""
    floats = most.astype(float) / total.astype(float)
    found: Mask = floats > float(limit)
    for place in np.flatnonzero(np.abs(floats - float(limit)) <= NEAR).tolist():
        found[place] = int(most[place]) * limit.denominator > limit.numerator * int(total[place])
    return found
