"""Stated chances of attempts to find a person, the chance that an attempt succeeds, and the steps that explain both."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import Any, TypeVar

from PETWorks.errors import ParameterError
from PETWorks.exact.limit import Limit, Side
from PETWorks.facts.notes import Note
from PETWorks.measure.steps import Name, Step

PUBLIC = "public"  # the name of an attempt that is certain
HALVINGS = 200  # enough for sixty digits
BITS = 13_000  # the most of all chances together: Python writes no whole number of more than 4,300 digits


def find_chance_of_acquaintance(prevalence: Fraction, acquaintances: int) -> Fraction:
    """Return the chance of knowing somebody with a condition of this prevalence among so many acquaintances.

    >>> float(find_chance_of_acquaintance(Fraction("0.001"), 150))
    0.13935661731696358
    """
    return 1 - (1 - prevalence) ** acquaintances


class Attempts:
    """The stated attempts by name: a chance each, or a prevalence and a number of acquaintances.

    `any_of`: one success of several independent attempts is enough; else the likeliest attempt counts.
    """

    def __init__(self, stated: Mapping[str, Any], *, any_of: bool) -> None:
        self.stated, self.any_of = stated, any_of
        self.chances = {name: _read_chance(one) for name, one in stated.items()}
        if sum(chance.denominator.bit_length() for chance in self.chances.values()) > BITS:
            raise ParameterError("attempts have too many digits", hint="write prevalences with fewer digits")

    @property
    def counted(self) -> Mapping[str, Fraction]:
        """The chances that matter: beside a public release, which is attempted for certain, no other does."""
        return {PUBLIC: self.chances[PUBLIC]} if PUBLIC in self.chances else self.chances

    @property
    def largest(self) -> Fraction:
        """The chance of the most likely attempt."""
        return max(self.counted.values())

    def format_chances(self) -> dict[str, str]:
        """Return the chances as decimals of at most four digits, or in full if that is shorter."""
        return {name: f"{float(chance):.4g}" for name, chance in self.chances.items()}

    def compute_success(self, risk: Fraction) -> Fraction:
        """Return the chance that somebody tries and succeeds, if an attempt succeeds with a chance of `risk`."""
        if self.any_of:
            return 1 - math.prod((1 - chance * risk for chance in self.counted.values()), start=Fraction(1))
        return self.largest * risk

    def find_allowed_risk(self, limit: Fraction) -> Fraction:
        """Return about the largest chance of success at which an attempt keeps the limit, to compare a risk with."""
        if not self.any_of:
            return limit / self.largest if self.largest else Fraction(1)
        low, high = Fraction(0), Fraction(1)
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            low, high = (low, middle) if self.compute_success(middle) > limit else (middle, high)
        return low

    def cannot_exceed(self, limit: Limit) -> bool:
        """Return True if even attempts that succeed for certain keep the limit."""
        return _meets_limit(limit, self.compute_success(Fraction(1)))

    def find_required_people(self, limit: Limit) -> int | None:
        """Return the least number of people to choose among so that the limit is kept; None if there is none."""
        if limit.exact == 0:
            return None if self.largest else 1
        enough = math.ceil(sum(self.counted.values()) / limit.exact)
        fits = range(1, enough + 1)
        return 1 + bisect_left(
            fits, True, key=lambda people: _meets_limit(limit, self.compute_success(Fraction(1, people)))
        )


def _read_chance(stated: Limit | Mapping[str, Limit]) -> Fraction:
    if isinstance(stated, Limit):
        return stated.exact
    return find_chance_of_acquaintance(stated["prevalence"].exact, int(stated["acquaintances"].exact))


def _meets_limit(limit: Limit, value: Fraction) -> bool:
    return Side.AT_MOST.allows(limit.compare(value))


T = TypeVar("T")


def explain_chances(known: Attempts) -> Step:
    """Build the step that lists the chances of attempts, as they were stated or computed from a prevalence."""
    return Step(
        "stated", {}, tuple(_explain_chance(name, one, known.chances[name]) for name, one in known.stated.items())
    )


def _explain_chance(name: str, one: Limit | Mapping[str, Limit], chance: Fraction) -> Step:
    if isinstance(one, Limit):
        return Step("attempt", {"name": Name(name), "chance": one})
    return Step("acquaintance", {"name": Name(name), "chance": chance, **one})


def name_counted(known: Attempts) -> list[Name]:
    """Return the names of the attempts that count: the likeliest, or all."""
    return [Name(name) for name, chance in known.counted.items() if known.any_of or chance == known.largest]


def combine_chances(known: Attempts, found: Fraction | float, score: Fraction | float) -> Step:
    """Build the step that combines the chances with that of success: the largest, or those of all."""
    if not known.any_of:
        return Step("largest", {"names": name_counted(known), "chance": known.largest, "found": found, "score": score})
    return Step("any", {"missed": 1 - score, "score": score}, tuple(_explain_missed(known, found)))


def _explain_missed(known: Attempts, found: Fraction | float) -> Iterator[Step]:
    for name, chance in known.counted.items():
        success: Fraction | float = chance * found
        figures = {"chance": chance, "found": found, "success": success, "missed": 1 - success}
        yield Step("missed", {"name": Name(name), **figures})


def explain_needed_people(
    known: Attempts, limit: Limit, kind: Callable[[str, Mapping[str, Any]], T] | None
) -> Iterator[T]:
    """Yield the step or note on the number of people that an attempt must choose among, if a kind is given."""
    people = known.find_required_people(limit)
    if kind and people is None:
        yield kind("needed_none", {"limit": limit})
    elif kind and not known.cannot_exceed(limit):
        yield kind("needed", {"limit": limit, "people": people})


def find_doubts(known: Attempts, limit: Limit, risk: str) -> Iterator[Note]:
    """Yield notes that put the verdict in doubt: a limit that no table exceeds, an average for the highest."""
    if known.cannot_exceed(limit):
        figures = {"reach": known.compute_success(Fraction(1)), "limit": limit}
        yield Note("cannot_fail", figures, warning=True, leading=True)
    if PUBLIC in known.chances and risk == "average":
        yield Note("public_average", warning=True)
