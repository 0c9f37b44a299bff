"""Steps that explain the chance that somebody tries, and finds the right person."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import Any, TypeVar

from PETWorks.exact.limit import Limit
from PETWorks.explain.step import Name, Step
from PETWorks.facts.notes import Note
from PETWorks.formulas.attempts import PUBLIC, Attempts

T = TypeVar("T")


def stated(known: Attempts) -> Step:
    """Build the step that lists the chances of attempts, as they were stated or computed from a prevalence."""
    return Step("stated", {}, tuple(_stated(name, one, known.chances[name]) for name, one in known.stated.items()))


def _stated(name: str, one: Limit | Mapping[str, Limit], chance: Fraction) -> Step:
    if isinstance(one, Limit):
        return Step("attempt", {"name": Name(name), "chance": one})
    return Step("acquaintance", {"name": Name(name), "chance": chance, **one})


def counted(known: Attempts) -> list[Name]:
    """Return the names of the attempts that count: the likeliest, or all."""
    return [Name(name) for name, chance in known.counted.items() if known.any_of or chance == known.largest]


def combined(known: Attempts, found: Fraction | float, score: Fraction | float) -> Step:
    """Build the step that combines the chances with that of success: the largest, or those of all."""
    if not known.any_of:
        return Step("largest", {"names": counted(known), "chance": known.largest, "found": found, "score": score})
    return Step("any", {"missed": 1 - score, "score": score}, tuple(_missed(known, found)))


def _missed(known: Attempts, found: Fraction | float) -> Iterator[Step]:
    for name, chance in known.counted.items():
        success: Fraction | float = chance * found
        figures = {"chance": chance, "found": found, "success": success, "missed": 1 - success}
        yield Step("missed", {"name": Name(name), **figures})


def needed(known: Attempts, limit: Limit, kind: Callable[[str, Mapping[str, Any]], T] | None) -> Iterator[T]:
    """Yield the step or note that says among how many people an attempt must have to choose, if a kind is given."""
    people = known.people_asked(limit)
    if kind and people is None:
        yield kind("needed_none", {"limit": limit})
    elif kind and not known.cannot_exceed(limit):
        yield kind("needed", {"limit": limit, "people": people})


def doubts(known: Attempts, limit: Limit, risk: str) -> Iterator[Note]:
    """Yield what puts the verdict in doubt: a limit that no table can exceed, an average where the highest counts."""
    if known.cannot_exceed(limit):
        figures = {"reach": known.succeed(Fraction(1)), "limit": limit}
        yield Note("cannot_fail", figures, warning=True, leading=True)
    if PUBLIC in known.chances and risk == "average":
        yield Note("public_average", warning=True)
