"""Attribute disclosure: people whose sensitive value can be inferred from the release, correctly.

Definition
    A combination of quasi-identifiers is disclosive if all its released rows have one value of the sensitive
    attribute. The release discloses a person's value if their combination is disclosive and the value is theirs.
    A release can be right of people it never saw; what exceeds that is due to the original.

Formula
    people whose value is disclosed, and right ÷ people of the original (DiSCO)

Example
    Three of four combinations occur, two are disclosive, and one of these is right.

    >>> from PETWorks import Release
    >>> people = {"zip": ["1", "2", "3", "4"], "ill": ["flu", "cold", "flu", "flu"]}
    >>> released = {"zip": ["1", "2", "3", "3"], "ill": ["flu", "flu", "flu", "cold"]}
    >>> roles = {"quasi_identifiers": ["zip"], "sensitive": ["ill"]}
    >>> result = Release(released, original=people, synthetic=True, **roles).ask(AttributeDisclosure())
    >>> print(result.exact, result.parts["precision"].exact, result.parts["CAP"].exact)
    1/4 1/2 3/8

Reading
    0: nobody's value follows. Right of an uncommon value is what nobody would have guessed. Which combinations are
    disclosive is seen in the release by everybody: a precision of 0% or 100% tells of each whether it is true.

Reference
    G. M. Raab, B. Nowok, C. Dibben, "Practical privacy metrics for synthetic data", 2024, arXiv:2406.16826; M. Elliot,
    "Final Report on the Disclosure Risk Associated with the Synthetic Data Produced by the SYLLS Team", 2014;
    J. Taub, M. Elliot, "The Synthetic Data Challenge", UNECE, 2019.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from PETWorks.facts.pool import Pool
from PETWorks.measure.formulas.excess import Excess
from PETWorks.measure.original_people import PARTS, OriginalPeople, PeopleShare, build_words
from PETWorks.measure.plugin import (
    Facts,
    Figure,
    IntArray,
    Mask,
    NotAskableError,
    Page,
    Result,
    Step,
    columns,
    sum_by_group,
)

FURTHER = ("uncommon", "uncommon excess", "precision", "certain", "CAP", "CAP found", "TCAP", "blind")


class AttributeDisclosure(OriginalPeople):
    """Share of the original's people whose sensitive value can be inferred from the release, correctly."""

    target: Sequence[str] | None = columns(default=None)
    keys: Sequence[str] | None = columns(default=None)

    name: ClassVar[str] = "attribute disclosure"
    against: ClassVar[str] = "attribute"
    examples: ClassVar = ({"max_share": "0.9"},)
    fixed_parts: ClassVar = (*PARTS, *FURTHER)
    private_parts: ClassVar = ("precision", "certain", "CAP", "CAP found", "TCAP")
    words: ClassVar = {
        "en": build_words(
            "en",
            "attribute disclosure",
            "Of {percent} of the people of the original, the release gives away the right value.",
            "right values",
            steps={
                "target": "What is given away: {target}, by {keys:column|columns}; of several sensitive attributes, the"
                " worst.",
                "share": "The combination of {found:person|people} of the original occurs in the release; for"
                " {disclosive} of them all its rows have one value. It is theirs for {people} of {of}, a share of"
                " {score}.",
                "uncommon": "{uncommon} of these values are none of the release's most frequent: what nobody would have"
                " guessed. Always naming the most frequent would be right for a share of {mode}.",
                "certain": "For {certain} of the people whose value is right, the original's rows agree as well.",
                "untold": "a value that is nearly certain, in nine rows of ten, is not counted.",
                "improve": "use coarser quasi-identifiers or values, or a model that is told less of single people.",
            },
            parts={
                "uncommon": "right, uncommon",
                "uncommon excess": "uncommon, excess",
                "precision": "right of the disclosive",
                "certain": "right and certain",
                "CAP": "CAP",
                "CAP found": "CAP of those found",
                "TCAP": "TCAP",
                "blind": "by blind guessing",
            },
            parameters={
                "target": "the attribute that is given away, or several as one value; otherwise each sensitive one",
                "keys": "the columns that an adversary knows; otherwise the quasi-identifiers",
            },
        ),
        "zh_TW": build_words(
            "zh_TW",
            "屬性揭露",
            "發布資料表正確透露原始資料中 {percent} 的人的值。",
            "正確透露的值",
            steps={
                "target": "所透露者：{target}；依據 {keys} 個欄位。有多個敏感屬性時，取最嚴重者。",
                "share": "原始資料中有 {found} 人的組合出現在發布資料表；其中 {disclosive} 人的組合，各列只有一個值。"
                "{of} 人中有 {people} 人的值正是如此，占 {score}。",
                "uncommon": "其中 {uncommon} 人的值不是發布資料表中最常見的值，亦即沒有人猜得到。"
                "若總是猜最常見的值，猜對的比例為 {mode}。",
                "certain": "值正確的人之中，有 {certain} 人在原始資料的同一組合也只有一個值。",
                "untold": "近乎確定的值，例如十列中有九列相同，不計入。",
                "improve": "使準識別屬性或值更粗略，或改用較不受單一個人影響的模型。",
            },
            parts={
                "uncommon": "正確且不常見",
                "uncommon excess": "不常見者超出的幅度",
                "precision": "單一值者中正確的比例",
                "certain": "正確且確定",
                "CAP": "CAP",
                "CAP found": "找得到者的 CAP",
                "TCAP": "TCAP",
                "blind": "盲猜",
            },
            parameters={
                "target": "所透露的屬性，或合為一值的數個屬性；否則為各敏感屬性",
                "keys": "攻擊者得知的欄位；否則為準識別屬性",
            },
            page=Page(
                summary="敏感值可由發布資料表得知，而且正確的人。",
                definition="若準識別屬性的某一組合，其發布的各列只有一個敏感值，該組合即透露此值。"
                "某人的組合透露一個值，而此值正是該人的值，即為屬性揭露。"
                "發布資料表也可能說中它從未見過的人；超出的部分，才是因原始資料而來。",
                formula="值被正確透露的人數 ÷ 原始資料人數（DiSCO）",
                example="四個組合中有三個出現，兩個只有一個值，其中一個正確。",
                reading="0：無法得知任何人的值。正確且不常見，是沒有人猜得到的部分。"
                "哪些組合只有一個值，任何人都能從發布資料表看出；正確比例若為 0% 或 100%，就等於說出每一個是否為真。",
            ),
        ),
    }

    def tell(self, facts: Facts) -> PeopleShare:
        """Return of how many people the value follows and is right; of several attributes, the worst."""
        keys = tuple(self.keys or facts.roles.quasi_identifiers)
        targets = [tuple(self.target)] if self.target else [(name,) for name in facts.roles.sensitive]
        if not targets:
            raise NotAskableError(
                "this measure needs a sensitive attribute, but no column is one",
                hint="name one in sensitive=, or pass target=",
            )
        found = []
        for target in targets:
            known = [name for name in keys if name not in target]
            if not known:
                raise NotAskableError(
                    f'only "{", ".join(target)}" is known of people', hint="pass keys=, other columns"
                )
            pool = self.find_pool(facts, [*known, *target])
            found.append(KnownKeys(pool, known, target).build_share())
        return max(found, key=self._rank)

    def _rank(self, told: PeopleShare) -> tuple[Fraction, Fraction]:
        """Return what the worst attribute has the most of: the excess if that has a limit, else the share."""
        if self.max_excess is not None and told.compared is not None:
            return told.compared.find_bound(self.alpha), told.share
        return told.share, told.share

    def explain_further(self, result: Result) -> Iterator[Step]:
        """Yield how many values differ from the most frequent one, and how many are inferred with certainty."""
        names = ("target", "keys", "uncommon", "mode", "certain")
        known = {name: result.figures[name] for name in names}
        yield Step("target", {name: known[name] for name in ("target", "keys")})
        yield Step("uncommon", {name: known[name] for name in ("uncommon", "mode")})
        if not result.parts["certain"].withheld:
            yield Step("certain", {"certain": known["certain"]})


@dataclass(frozen=True, eq=False)
class KnownKeys:
    """What released rows imply about a target for somebody who knows the keys."""

    pool: Pool
    keys: Sequence[str]
    target: Sequence[str]

    def build_share(self) -> PeopleShare:
        """Return the number of people for whom the inference is correct, with the other figures."""
        pool, people = self.pool, self.pool.original.people
        ids, by_key = pool.group(self.keys)
        values, by_value = pool.group(self.target)
        rows = pool.matchable(self.keys)  # s_t
        of_key = sum_by_group(ids, rows, len(by_key.released))  # s
        kinds = sum_by_group(ids, (rows > 0).astype(np.int64), len(by_key.released))
        disclosive = kinds == 1
        right = disclosive[ids] & (rows > 0)
        common = (by_value.released == by_value.released.max())[values]
        uncommon = right & ~common
        own = pool.original.counts
        alike = sum_by_group(ids, (own > 0).astype(np.int64), len(by_key.released)) == 1
        found, shown = by_key.original.count(of_key > 0), by_key.original.count(disclosive)
        told, rare = pool.original.count(right), pool.original.count(uncommon)
        certain = pool.original.count(right & alike[ids])
        figures: dict[str, Any] = {
            "target": " + ".join(self.target),
            "keys": len(self.keys),
            "found": found,
            "disclosive": shown,
            "disclosive_in_original": by_key.original.count(alike & (by_key.original.counts > 0)),
            "uncommon": rare,
            "certain": certain,
            "mode": self._share_modes(by_value),
        }
        seen = self._compare(right)
        further = [Figure("uncommon", Fraction(rare, people))]
        if pair := self._compare(uncommon):
            further.append(Figure("uncommon excess", pair.excess, figures={"a": pair.a, "b": pair.b}))
        mean = _sum_shares(own, rows, of_key[ids])
        further += [
            Figure("precision", Fraction(told, shown) if shown else None),
            Figure("certain", Fraction(certain, people)),
            Figure("CAP", mean / max(1, int(own.sum()))),
            Figure("CAP found", mean / int(own[of_key[ids] > 0].sum()) if found else None),
            Figure("TCAP", self._measure_tcap(ids, rows, disclosive)),
            Figure("blind", self._guess_blindly(by_value)),
        ]
        few = (rare, found - told, *((pair.a, pair.b) if pair else ()))
        return PeopleShare(told, people, seen, figures, further=tuple(further), few=few)

    def _compare(self, chosen: Mask) -> Excess | None:
        original, holdout = self.pool.original, self.pool.holdout
        if holdout is None:
            return None
        return Excess(original.count(chosen), original.people, holdout.count(chosen), holdout.people)

    def _measure_tcap(self, ids: IntArray, rows: IntArray, disclosive: Mask) -> Fraction | None:
        """Return the mean of o_t/o over released rows with a disclosive key that the original has."""
        own = self.pool.original.counts
        of_key = sum_by_group(ids, own, len(disclosive))[ids]
        counted = np.where(disclosive[ids] & (of_key > 0), rows, 0)
        return _sum_shares(counted, own, of_key) / int(counted.sum()) if counted.any() else None

    def _share_modes(self, values: Pool) -> Fraction:
        """Return the share of people for whom the release's most frequent value is right; ties are shared."""
        most = values.released == values.released.max()
        people = int(values.original.counts.sum())
        return Fraction(int(values.original.counts[most].sum()), people * int(most.sum()))

    def _guess_blindly(self, values: Pool) -> Fraction:
        """Return the share of people for whom a random value, distributed as in the release, is right."""
        ways = sum(int(s) * int(o) for s, o in zip(values.released, values.original.counts, strict=True))
        return Fraction(ways, values.rows * int(values.original.counts.sum()))


def _sum_shares(weights: IntArray, parts: IntArray, wholes: IntArray) -> Fraction:
    """Return the sum of weight · part ÷ whole over combinations, without those whose whole is 0."""
    used = (weights > 0) & (parts > 0) & (wholes > 0)
    different, ids = np.unique(wholes[used], return_inverse=True)
    sums = sum_by_group(ids, weights[used].astype(np.int64) * parts[used], len(different))
    shares = (Fraction(int(one), int(whole)) for one, whole in zip(sums, different, strict=True))
    return sum(shares, Fraction(0))
