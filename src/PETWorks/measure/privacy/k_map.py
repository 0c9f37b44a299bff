"""k-map: everybody must look like at least k - 1 others of the population.

Definition
    Like k-anonymity, but the people who look alike are counted in a population that holds the release: every class of
    the release must have at least k people there.

Formula
    smallest F over the classes of the release, F people of the population in a class; holds if ≥ k

Example
    The person who stands alone in the release shares the 1970s with another one of the population.

    >>> from PETWorks import Release
    >>> population = {"year": ["1970", "1975", "1981", "1988"]}
    >>> years = [(year, f"{year[:3]}*", "*") for year in population["year"]]
    >>> release = Release({"year": ["197*", "198*", "198*"]}, population=population, hierarchies={"year": years})
    >>> print(release.ask(KMap(k=2)).exact, release.ask(KMap(k=2)).holds)
    2 True

Reading
    The larger, the better hidden from somebody who does not know who is in the release. Against somebody who does know,
    use k-anonymity. It needs the population itself; estimated class sizes are not offered.

Reference
    L. Sweeney, "Computational Disclosure Control: A Primer on Data Privacy Protection", thesis, MIT, 2001; K. El Emam,
    F. K. Dankar, "Protecting Privacy Using k-Anonymity", JAMIA 15(5), 2008, doi:10.1197/jamia.M2716.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from PETWorks.measure.plugin import (
    Bound,
    Facts,
    Mask,
    Need,
    Number,
    Page,
    Privacy,
    Ratios,
    Side,
    Step,
    Words,
    number,
    population_nests,
)


class KMap(Privacy):
    """People of the population in the smallest class of the release, at least k."""

    k: Number | None = number(default=None, limit=Side.AT_LEAST, least=1, whole=True, kw_only=False)

    name: ClassVar[str] = "k-map"
    against: ClassVar[str] = "identity"
    needs: ClassVar[frozenset[Need]] = frozenset({Need.POPULATION})
    monotone: ClassVar[bool] = True
    by_sizes: ClassVar[bool] = True
    classwise: ClassVar[bool] = True  # suppressing can change the level that is read, but, if `steady`, not the people
    scales: ClassVar[bool] = True
    examples: ClassVar = ({"k": 5},)
    people_parts: ClassVar = ("",)
    words: ClassVar = {
        "en": Words(
            "k-map",
            "Every released class is shared by at least {value} people of the population.",
            "smallest class, in the population",
            {
                "scored": "The population has {people:person|people}, generalised as the release is. Each class of the"
                " release is scored by how many of them look like it.",
                "found": "In the population, {score:person looks|people look} like this class.",
                "untold": "somebody who knows that a person is in the release need only look there; see k-anonymity.",
                "improve": "generalise quasi-identifiers further, so that more people of the population look alike; or"
                " suppress the classes that few look like.",
            },
        ),
        "zh_TW": Words(
            "k-映射",
            "每個發布的等價類，在母體中至少有 {value} 人。",
            "母體中的最小等價類",
            {
                "scored": "母體有 {people} 人，依發布資料表概化。發布資料表的每個等價類，以母體中與其相同的人數計。",
                "found": "母體中與此等價類相同者有 {score} 人。",
                "untold": "若攻擊者已知某人在發布資料表中，僅需在其中尋找，請一併參考 k-匿名性。",
                "improve": "進一步概化準識別屬性，使母體中相同的人更多；或遮蔽母體中人數少的等價類。",
            },
            page=Page(
                summary="每個人都必須與母體中至少 k - 1 個其他人看起來相同。",
                definition="與 k-匿名性相似，但相同的人是在包含發布資料表的母體中計數：發布資料表的每個等價類，"
                "在母體中都必須至少有 k 人。",
                formula="發布資料表各等價類中最小的 F，F 為母體在該類的人數；≥ k 即滿足",
                example="發布資料表中單獨一類的人，在母體中另有一人同為 1970 年代出生。",
                reading="越大，越不容易被不知道誰在發布資料表中的人找到。若攻擊者知道，則要看 k-匿名性。"
                "此指標需要母體本身，不提供以估計值代替等價類人數的作法。",
            ),
        ),
    }

    def bounds(self, facts: Facts) -> Iterator[Bound]:
        """Yield the people of the population in every class of the release."""
        sizes = facts.population.sizes_of_release if len(facts.classes) else facts.classes.sizes
        yield Bound(*self.limit_of("k"), Ratios(sizes), facts.classes, by_size=True)

    def declarations_hold(self, facts: Facts) -> bool:
        """Return True if generalising further merges classes of the population, whatever is suppressed."""
        return population_nests(facts)

    def find_least_suppression_by(self, bound: Bound, facts: Facts) -> Mask:  # noqa: ARG002
        """Return the classes that fail: parts of a class have no more people of the population."""
        return bound.failing

    def explain_scoring(self, bound: Bound, facts: Facts) -> Iterator[Step]:  # noqa: ARG002
        """Yield the step on the people who are counted."""
        yield Step("scored", {"people": facts.population.rows})

    def explain_class(self, bound: Bound, index: int, facts: Facts, least: int) -> Iterator[Step]:  # noqa: ARG002
        """Yield the number of people of the population who belong to a class of the release."""
        yield Step("found", {"score": bound.scores.best_known(index)})
