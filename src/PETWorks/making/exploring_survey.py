"""What is known of many level vectors together: the best at every limit, and the front of risk and detail."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from PETWorks.making.exploring import Weighed


def inside(weighed: Iterable[Weighed], ranges: Sequence[range]) -> list[Weighed]:
    """Return the vectors whose levels are all in the ranges that are allowed."""
    return [one for one in weighed if all(level in own for level, own in zip(one.levels, ranges, strict=True))]


def best(weighed: Iterable[Weighed], allowed: int) -> Weighed | None:
    """Return the vector that loses least, with at most so many rows suppressed; ties are decided as in a search."""
    return min((one for one in weighed if one.within(allowed)), key=lambda one: (one.lost, *one.tie), default=None)


def fewest(weighed: Iterable[Weighed]) -> Weighed | None:
    """Return the vector that suppresses the fewest rows; of several, the one that loses least."""
    holding = (one for one in weighed if one.holds and one.classes)
    return min(holding, key=lambda one: (one.suppressed, one.lost, *one.tie), default=None)


def front(weighed: Iterable[Weighed], allowed: int) -> list[Weighed]:
    """Return the vectors within a limit of which none has both less risk and less loss than another, least loss first.

    Of vectors that are equal in both, the first in the order of ties stands for all.
    """
    found, least = list[Weighed](), None
    known = [(one.risk, one) for one in weighed if one.within(allowed) and one.risk is not None]
    for _, one in sorted(known, key=lambda both: (both[0], both[1].lost, *both[1].tie)):
        if least is None or one.lost < least:
            found.append(one)
            least = one.lost
    return found[::-1]


def best_by_limit(weighed: Iterable[Weighed]) -> list[Weighed]:
    """Return the vectors that are the best at some limit on the suppressed rows, from the smallest limit up.

    Each is the best from as many rows as it suppresses to just below those of the next.
    """
    holding = sorted((one for one in weighed if one.holds), key=lambda one: (one.suppressed, one.lost, *one.tie))
    return list(_rising(holding))


def _rising(ordered: Iterable[Weighed]) -> Iterator[Weighed]:
    """Yield, of vectors in the order of suppressed rows, those that lose less than all before them."""
    least = None
    for _, group in groupby(ordered, key=lambda one: one.suppressed):
        one = next(group)
        if least is None or one.lost < least:
            least = one.lost
            yield one
