"""The base of measures of what a release discloses of people because they were in its original.

Each says of a person yes or no, looking at the person, the release, and the original and the hold-out together. The
share of the original is exact: everybody was looked at. Beside it stands the share of the hold-out, people of whom the
release cannot know anything.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar

from PETWorks.facts.pool import Pool, list_pool_notes
from PETWorks.measure.formulas.excess import Excess
from PETWorks.measure.plugin import (
    THRESHOLD,
    Facts,
    Figure,
    Figures,
    Limit,
    Need,
    NotAskableError,
    Note,
    Number,
    Page,
    Result,
    Side,
    Step,
    Unit,
    Words,
    number,
    table,
)

PARTS = ("share", "hold-out", "excess", "excess at most", "chance")
NO_HOLDOUT = "max_excess compares the people of the original with others, and there is no hold-out"


@dataclass(frozen=True)
class PeopleShare:
    """For how many people of the original an attack succeeds, and the same for original and hold-out together."""

    people: int  # of the original, where nothing but the original is known
    of: int
    compared: Excess | None = None  # in the pool; None: there is no hold-out
    figures: Mapping[str, Any] = field(default_factory=dict)  # for the explanation
    further: tuple[Figure, ...] = ()  # parts of their own
    notes: tuple[Note, ...] = ()
    few: tuple[int, ...] = ()  # further numbers of people that the public must not work out if they are small

    @property
    def share(self) -> Fraction:
        """The share of the people of the original for whom it succeeds."""
        return Fraction(self.people, self.of)


class PoolFigures(Figures):
    """Measures of a release beside its original and a hold-out; no released row pairs with one of these."""

    levels: Mapping[str, Number] | None = table(least=0, whole=True, default=None)
    bins: Mapping[str, Number] | None = table(least=1, whole=True, default=None)

    needs: ClassVar[frozenset[Need]] = frozenset({Need.ORIGINAL})
    unit: ClassVar[Unit] = Unit.PEOPLE
    for_unpaired: ClassVar[bool] = True

    @property
    def coarser(self) -> tuple[dict[str, int], dict[str, int]]:
        """The levels and bins of columns that are made coarser before they are compared."""
        given = (self.levels or {}, self.bins or {})
        levels, bins = ({name: int(Limit.of(one).exact) for name, one in some.items()} for some in given)
        return levels, bins

    def find_pool(self, facts: Facts, names: Sequence[str], *, with_holdout: bool = False) -> Pool:
        """Return the pool of some columns; `with_holdout` raises an error if there is no hold-out."""
        if with_holdout and not facts.has_holdout:
            raise NotAskableError("this measure compares with people who took no part", hint="pass holdout=")
        levels, bins = self.coarser
        return facts.find_pool(names, levels, bins)

    def list_notes(self, facts: Facts) -> Iterator[Note]:
        """Yield notes on the tables: on the hold-out, and on coarser columns."""
        levels, bins = self.coarser
        return list_pool_notes(facts, [*(name for name, level in levels.items() if level), *bins])


class OriginalPeople(PoolFigures):
    """Measures of what a release discloses of people because they were in its original."""

    max_share: Number | None = number(default=None, limit=Side.AT_MOST, least=0, most=1)
    max_excess: Number | None = number(default=None, limit=Side.AT_MOST, least=0, most=1)
    confidence: Number = number(default="0.95", above=0, most=1)

    family: ClassVar[str] = "risk"
    against: ClassVar[str] = "identity"
    fixed_parts: ClassVar[tuple[str, ...]] = PARTS

    @abstractmethod
    def tell(self, facts: Facts) -> PeopleShare:
        """Return for how many people the attack succeeds."""

    @property
    def alpha(self) -> Fraction:
        """The probability that a bound is wrong."""
        return 1 - Limit.of(self.confidence).exact

    def find_share(self, facts: Facts) -> PeopleShare:
        """Return the result of `tell`, computed once."""
        return facts.cache(("told", self), lambda: self.tell(facts))

    def figures(self, facts: Facts) -> Iterator[Figure]:
        """Yield the share of the original, that of the hold-out, the excess, and its upper bound."""
        if self.max_excess is not None and not facts.has_holdout:
            raise NotAskableError(NO_HOLDOUT, hint="pass holdout=, or max_share= in place of max_excess=")
        told = self.find_share(facts)
        notes = (*self.list_notes(facts), *told.notes)
        if told.compared is None:
            notes = (Note("unknown_others", warning=True, leading=True), *notes)
        counted = {"people": told.people, "of": told.of, "few": self._list_few(told), **told.figures}
        yield Figure("share", told.share, self.max_share, figures=counted, notes=notes)
        if seen := told.compared:
            yield from self._compare(seen)
        yield from told.further

    def _compare(self, seen: Excess) -> Iterator[Figure]:
        bound = seen.find_bound(self.alpha)
        yield Figure("hold-out", Fraction(seen.b, seen.h), side=None, figures={"b": seen.b, "h": seen.h})
        yield Figure("excess", seen.excess, figures={"a": seen.a, "n": seen.n})
        if self.max_excess is None:
            yield Figure("excess at most", bound)
        else:
            limit = Limit.of(self.max_excess).exact
            needed = None if (holds := seen.is_at_most(limit, self.alpha)) else seen.find_needed(limit, self.alpha)
            notes = () if needed is None else (Note("small_holdout", {"people": seen.h, "needed": needed}),)
            yield Figure("excess at most", bound, self.max_excess, notes=notes, holds=holds)
        yield Figure("chance", seen.chance, side=None)

    @staticmethod
    def _list_few(told: PeopleShare) -> tuple[int, ...]:
        seen = told.compared
        people = (told.people, told.of - told.people)
        return (*people, *((seen.a, seen.b, seen.n - seen.a) if seen else ()), *told.few)

    def tells_of_few(self, result: Result) -> bool:
        """Return True if fewer than five people could be inferred from the figures."""
        return any(number < THRESHOLD for number in result.figures.get("few", ()))

    def explain_figures(self, result: Result) -> Iterator[Step]:
        """Yield for how many people of original and hold-out it succeeds, and what may be due to chance."""
        known = {name: part.best_known for name, part in result.parts.items()}
        yield Step("share", {**result.figures, "score": result.exact})
        yield from self.explain_further(result)
        if "hold-out" in known:
            seen = result.parts["hold-out"].figures
            yield Step("hold-out", {**seen, "score": known["hold-out"]})
            yield Step("excess", {**result.parts["excess"].figures, **seen, "score": known["excess"]})
            figures = {"score": result.parts["excess at most"].value, "confidence": Limit.of(self.confidence).exact}
            yield Step("excess at most", figures)
            yield Step("chance", {"score": result.parts["chance"].value})

    def explain_further(self, result: Result) -> Iterator[Step]:  # noqa: ARG002
        """Yield the steps of this measure alone."""
        return iter(())


COARSER: Mapping[str, dict[str, str]] = {  # the meaning of the parameters of `PoolFigures`
    "en": {
        "levels": "columns that are lifted to a level of their hierarchy first, in all tables; 0: as they are",
        "bins": "columns of numbers that are cut into so many bins first, by the original's numbers",
    },
    "zh_TW": {
        "levels": "先提升到資料階層某一層級的欄位，各表皆同；0 表示維持原樣",
        "bins": "先依原始資料的數值分成若干組的數值欄位",
    },
}
COMMON: Mapping[str, dict[str, dict[str, str]]] = {
    "en": {
        "steps": {
            "hold-out": "Of the {h:person|people} of the hold-out, who took no part: {b}, a share of {score}.",
            "excess": "Original and hold-out looked at together: {a} ÷ {n} - {b} ÷ {h} = {score}.",
            "excess at most": "With a confidence of {confidence:%}, the excess is at most {score}: the hold-out is a"
            " sample.",
            "chance": "If the people had been parted by chance, the original would have as many with a chance of"
            " {score}. This is not judged: with many people everything is significant.",
        },
        "parts": {
            "share": "share of the original",
            "hold-out": "share of the hold-out",
            "excess": "excess",
            "excess at most": "excess at most",
            "chance": "by chance",
        },
        "parameters": {
            "max_share": "the largest share of the people of the original",
            "max_excess": "by how much the share of the original may exceed that of the hold-out",
            "confidence": "of the bound of the excess",
            **COARSER["en"],
        },
    },
    "zh_TW": {
        "steps": {
            "hold-out": "未參與的對照組 {h} 人中有 {b} 人，占 {score}。",
            "excess": "原始資料與對照組一併檢視：{a} ÷ {n} - {b} ÷ {h} = {score}。",
            "excess at most": "對照組為抽樣；信心水準 {confidence:%} 之下，超出的幅度至多 {score}。",
            "chance": "若這些人是隨機分成兩組，原始資料有這麼多人的機率為 {score}。"
            "此機率不作判定：人數多時，任何差異都會顯著。",
        },
        "parts": {
            "share": "占原始資料的比例",
            "hold-out": "占對照組的比例",
            "excess": "超出的幅度",
            "excess at most": "超出的幅度至多",
            "chance": "出於隨機的機率",
        },
        "parameters": {
            "max_share": "占原始資料人數的最大比例",
            "max_excess": "占原始資料的比例，最多可超出對照組多少",
            "confidence": "超出幅度上限的信心水準",
            **COARSER["zh_TW"],
        },
    },
}


def build_words(
    language: str,
    title: str,
    sentence: str,
    measured: str,
    *,
    steps: Mapping[str, str],
    parts: Mapping[str, str] | None = None,
    notes: Mapping[str, str] | None = None,
    parameters: Mapping[str, str] | None = None,
    page: Page | None = None,
) -> Words:
    """Build the words of a measure from its own and those that all these measures share."""
    common = COMMON[language]
    return Words(
        title,
        sentence,
        measured,
        {**common["steps"], **steps},
        parts={**common["parts"], **(parts or {})},
        notes=notes or {},
        parameters={**common["parameters"], **(parameters or {})},
        page=page,
    )
