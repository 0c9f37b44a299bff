"""What every way of recoding yields: the release that was found, and what is known about better ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from PETWorks.making.candidate import Candidate
from PETWorks.making.lifted import LiftedFacts
from PETWorks.making.search import Found, Progress

LevelsOf = Mapping[str, int] | Mapping[str, Mapping[int, int]]


@dataclass(frozen=True, eq=False)
class Outcome:
    """A release that meets the goals."""

    facts: LiftedFacts
    levels: LevelsOf  # by column: its level; if rows have different ones, how many have each level; none for means
    proven: bool  # True: no other release of this kind is better
    bound: float | None  # what the utility, or the loss if that is looked for, of no other can exceed; None: not known
    ceiling: Callable[[], float] | None = None  # instead of `bound`: computes it, which takes a while
    proof: Progress | None = None  # of a search over level vectors
    best: Candidate | None = None  # of such a search
    freely: Callable[[], Found] | None = None  # if levels are given: searches all vectors, which takes a while
    rounds: int | None = None  # of polishing
    lost_variance: Fraction | None = None  # by microaggregation: its share of all, the mean over the columns
