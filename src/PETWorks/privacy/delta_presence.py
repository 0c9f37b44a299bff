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
    δ near 1: to be of that class is to be in the release. δ near 0: to be of that class is not to be in it. The value
    is the greatest δ. It needs the population itself, not an estimate of it.

Reference
    M. E. Nergiz, M. Atzori, C. Clifton, "Hiding the Presence of Individuals from Shared Databases", SIGMOD 2007,
    doi:10.1145/1247480.1247554.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from PETWorks.bound import Bound, Privacy, Side
from PETWorks.errors import ParameterError
from PETWorks.facts import Facts
from PETWorks.limit import Limit, Number
from PETWorks.measure import Need, Words
from PETWorks.parameter import number
from PETWorks.scores import Ratios


@dataclass(frozen=True, kw_only=True)
class DeltaPresence(Privacy):
    """Share of a population's class that is in the release, between two limits."""

    d_min: Number | None = number(least=0, most=1)
    d_max: Number | None = number(least=0, most=1)

    name: ClassVar[str] = "δ-presence"
    needs: ClassVar[frozenset[Need]] = frozenset({Need.POPULATION})
    examples: ClassVar = ({"d_min": "0.1", "d_max": "0.5"},)
    fixed_parts: ClassVar = ("greatest", "least")
    words: ClassVar = {
        "en": Words(
            "δ-presence",
            "Of the people in a class of the population, at most {value} are in the release, at least {least}.",
        ),
        "zh_TW": Words("δ-存在性", "母體各等價類中，收錄於發布資料表的比例最高為 {value}，最低為 {least}。"),
    }

    def __post_init__(self) -> None:
        """Check that the limits leave room."""
        super().__post_init__()
        low, high = self.d_min, self.d_max
        if low is not None and high is not None and Limit.of(high).compare(Limit.of(low).exact) > 0:
            raise ParameterError(f"d_min must be at most d_max, not {self.d_min} and {self.d_max}")

    def bounds(self, facts: Facts) -> Iterator[Bound]:
        """Give the share of every class of the population."""
        if not len(facts.classes):
            shares, classes, people = Ratios(facts.classes.sizes), facts.classes, None
        else:
            classes, people = facts.crowd.classes, facts.crowd.sample
            shares = Ratios(people, classes.sizes)
        least = Bound(Side.AT_LEAST, self.d_min, shares, "least", classes, people=people)
        lowest = least.worst()
        figures = {"least": None if lowest is None else shares.exact(lowest)}
        yield Bound(Side.AT_MOST, self.d_max, shares, "greatest", classes, people=people, figures=figures)
        yield least
