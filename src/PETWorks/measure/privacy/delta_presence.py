"""δ-presence: it must stay uncertain whether a person of a population is in the release.

Definition
    For each class of the population, generalised as the release is, δ is the share of its people that are in the
    release. Every δ must be at least dMin and at most dMax; a class without a released row has δ = 0 and counts.

Formula
    δ = s/F, s unsuppressed rows of the release and F people of the population in a class; holds if dMin ≤ δ ≤ dMax

Example
    One of the two people born in the 1970s is in the release, and both of those born in the 1980s.

    >>> from PETWorks import Release
    >>> population = {"year": ["1970", "1975", "1981", "1988"]}
    >>> years = [(year, f"{year[:3]}*", "*") for year in population["year"]]
    >>> release = Release({"year": ["197*", "198*", "198*"]}, population=population, hierarchies={"year": years})
    >>> result = release.ask(DeltaPresence(d_min="1/2", d_max="2/3"))
    >>> print(result.parts["least"].exact, result.parts["greatest"].exact, result.holds)
    1/2 1 False

Reading
    δ near 1: whoever is in that class is almost surely in the release. δ near 0: almost surely not in it. The value is
    the greatest δ. It needs the population itself, not an estimate of it.

Reference
    M. E. Nergiz, M. Atzori, C. Clifton, "Hiding the Presence of Individuals from Shared Databases", SIGMOD 2007,
    doi:10.1145/1247480.1247554.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import numpy as np

from PETWorks.measure.plugin import (
    Bound,
    Facts,
    FloatArray,
    Groups,
    Limit,
    Mask,
    Need,
    Number,
    Page,
    ParameterError,
    Privacy,
    Ratios,
    Side,
    Step,
    Words,
    number,
    population_nests,
    shortfall,
)


class DeltaPresence(Privacy):
    """Share of a population's class that is in the release, between two limits."""

    d_min: Number | None = number(default=None, limit=Side.AT_LEAST, least=0, most=1)
    d_max: Number | None = number(default=None, limit=Side.AT_MOST, least=0, most=1)

    name: ClassVar[str] = "δ-presence"
    against: ClassVar[str] = "membership"
    monotone: ClassVar[bool] = True  # merged classes have a mean of their shares; those without a row have one, too
    needs: ClassVar[frozenset[Need]] = frozenset({Need.POPULATION})
    examples: ClassVar = ({"d_min": "0.1", "d_max": "0.5"},)
    of_sizes: ClassVar[bool] = True
    fixed_parts: ClassVar = ("greatest", "least")
    words: ClassVar = {
        "en": Words(
            "δ-presence",
            "Of the people in a class of the population, at most {value} are in the release, at least {least}.",
            "greatest share",
            {
                "greatest": "The population, generalised as the release is, has {people:person|people} in"
                " {classes:class|classes}. δ is the share of a class that is in the release. First the greatest δ,"
                " which comes nearest to saying that somebody is in the release.",
                "least": "Then the least δ, which comes nearest to saying that somebody is not in the release; it is 0"
                " for a class without a released row.",
                "deciding": "Of {all_classes:class|classes} of the population, the one that decides has"
                " {size:person|people}: {values}.",
                "deciding_withheld": "Of {all_classes:class|classes} of the population, the one that decides has"
                " {size:person|people}; its values are withheld (fewer than {least} of them are in the release).",
                "share": "In the release: {released} of its {people:person|people}, a share of {score}.",
                "untold": "it does not say what the release tells about those who are in it.",
                "improve": "generalise quasi-identifiers further, so that classes of the population merge and their"
                " shares even out; or release fewer of the people in the classes with a large share.",
            },
            parts={"greatest": "greatest", "least": "least"},
        ),
        "zh_TW": Words(
            "δ-存在性",
            "母體各等價類中，收錄於發布資料表的比例最高為 {value}，最低為 {least}。",
            "最高收錄比例",
            {
                "greatest": "母體依發布資料表概化後，{people} 人分為 {classes} 個等價類；"
                "δ 為該類收錄於發布資料表的比例。先看最大的 δ：最接近斷定某人在發布資料表中。",
                "least": "再看最小的 δ：最接近斷定某人不在發布資料表中；沒有發布資料列的等價類，其 δ 為 0。",
                "deciding": "母體的 {all_classes} 個等價類中，關鍵等價類有 {size} 人：{values}。",
                "deciding_withheld": "母體的 {all_classes} 個等價類中，關鍵等價類有 {size} 人；"
                "其值不顯示（收錄於發布資料表者不足 {least} 人）。",
                "share": "其 {people} 人中有 {released} 人收錄於發布資料表，占 {score}。",
                "untold": "未說明發布資料表透露了其中的人哪些資訊。",
                "improve": "進一步概化準識別屬性，使母體的等價類合併、比例趨於一致；"
                "或減少比例過高的等價類所發布的資料列。",
            },
            parts={"greatest": "最大值", "least": "最小值"},
            page=Page(
                summary="母體中的某人是否在發布資料表中，必須無法確定。",
                definition="將母體依發布資料表的方式概化。對母體的每個等價類，"
                "δ 為其中出現在發布資料表的人所占的比例。每個 δ 都須至少為 dMin、至多為 dMax；"
                "發布資料表中沒有的等價類，δ = 0，也列入判定。",
                formula="δ = s/F，s 為該類在發布資料表中未整列遮蔽的列數，F 為母體在該類的人數；dMin ≤ δ ≤ dMax 即滿足",
                example="1970 年代出生的兩人中，有一人在發布資料表中；1980 年代出生的兩人都在。",
                reading="δ 接近 1：屬於這一類就等於在發布資料表中。δ 接近 0：屬於這一類就等於不在其中。"
                "數值為最大的 δ。此指標需要母體本身，不能以估計代替。",
            ),
        ),
    }

    def __post_init__(self) -> None:
        """Check that d_min is at most d_max."""
        super().__post_init__()
        low, high = self.d_min, self.d_max
        if low is not None and high is not None and Limit.of(high).compare(Limit.of(low).exact) > 0:
            raise ParameterError(f"d_min must be at most d_max, but d_min is {self.d_min} and d_max is {self.d_max}")

    def bounds(self, facts: Facts) -> Iterator[Bound]:
        """Yield the bounds on the share of every class of the population; the value comes from the greatest share."""
        classes: Groups = facts.classes
        shares, people = Ratios(classes.sizes), None
        if len(facts.classes):
            classes, people = facts.population, facts.population.sample
            shares = Ratios(people, classes.sizes)
        least = Bound(*self.limit_of("d_min"), shares, classes, part="least", leads=False, people=people, by_size=True)
        lowest = least.find_worst()
        figures = {"least": None if lowest is None else shares.exact(lowest)}
        yield Bound(
            *self.limit_of("d_max"), shares, classes, part="greatest", people=people, by_size=True, figures=figures
        )
        yield least

    def declarations_hold(self, facts: Facts) -> bool:
        """Return True if generalising further merges classes of the population, whatever is suppressed."""
        return super().declarations_hold(facts) and population_nests(facts)

    def find_least_suppression_by(self, bound: Bound, facts: Facts) -> FloatArray | Mask:  # noqa: ARG002
        """Return the excess of classes over d_max; everything, if some class has less than d_min.

        Such a class has a part with less than d_min, and suppressing rows makes less of it. If all rows are suppressed,
        nothing is judged.
        """
        if bound.part == "least":
            return np.full(len(bound.failing), bound.failing.any())
        return shortfall(float(Limit.of(self.d_max or 0)), bound.scores.approximate)

    def explain_scoring(self, bound: Bound, facts: Facts) -> Iterator[Step]:
        """Yield the step that defines δ, for the least or the greatest."""
        yield Step(bound.part, {"people": facts.population.rows, "classes": len(facts.population)})

    def explain_class(self, bound: Bound, index: int, facts: Facts, least: int) -> Iterator[Step]:  # noqa: ARG002
        """Yield the number of people of a class who are in the release."""
        released, people = (int(counts[index]) for counts in (facts.population.sample, facts.population.sizes))
        yield Step("share", {"released": released, "people": people, "score": bound.scores.best_known(index)})
