"""The search while it goes on: the best so far, and what no other can exceed; and local recoding, to be looked at."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from PETWorks.counting.tally import IntArray, Mask
from PETWorks.facts.ladder import Ladder
from PETWorks.making.exploring import Exploration, Look, Weighed
from PETWorks.making.full_domain import Blame, blame, search_of
from PETWorks.making.made import Made
from PETWorks.making.outcome import LevelsOf
from PETWorks.making.plan import Plan
from PETWorks.making.search import Polishing, Progress
from PETWorks.utility.granularity import Granularity


@dataclass(frozen=True)
class Sought:
    """How far a search is: what became of the vectors, the best so far, and what no vector's score exceeds."""

    counts: Mapping[str, int]  # of vectors: evaluated, by_goals, by_bound, open; they add up to "vectors"
    best: Weighed | None = None
    reach: float | None = None  # the score that no vector exceeds, or is below if it is the loss; None: not known
    ended: bool = False
    proven: bool = False  # True: there is no better vector; or none that holds, if none was found
    blame: Blame | None = None  # if none was found: which vector comes nearest, and what each goal costs there


def seek(exploration: Exploration, plan: Plan, tell: Callable[[Sought], None]) -> Sought:
    """Search all level vectors; `tell` is called while the search goes on, and may raise KeyboardInterrupt to end it.

    The best so far is then returned, with what no other exceeds.
    """
    last = Progress(0)

    def listener(progress: Progress | Polishing) -> None:
        nonlocal last
        if isinstance(progress, Progress):
            last = progress
            tell(_sought(exploration, progress, search.best))

    search = search_of(exploration.table, plan, listener)
    try:
        found = search.run()
    except KeyboardInterrupt:  # before anything was found
        return replace(_sought(exploration, last, None), ended=True)
    told = _sought(exploration, found.progress, found.best)
    if found.best is None and found.nearest:
        told = replace(told, blame=blame(exploration.table, plan, found.nearest))
    return replace(told, ended=True, proven=found.proven, reach=None if found.trimmed else told.reach)


def _sought(exploration: Exploration, progress: Progress, best: object) -> Sought:
    from PETWorks.making.candidate import Candidate

    weighed = exploration.weighed(best) if isinstance(best, Candidate) else None
    return Sought(progress.counts, weighed, progress.reach)


def keeping_all(plan: Plan, ladders: Sequence[Ladder]) -> Plan:
    """Return the plan under which no column is generalised completely; one that must be, by the plan, still is."""
    tops = {one.name: one.height - 1 for one in ladders if one.height > plan.finest.get(one.name, 0)}
    return replace(
        plan, coarsest={**plan.coarsest, **{name: min(top, plan.coarsest.get(name, top)) for name, top in tops.items()}}
    )


@dataclass(frozen=True, eq=False)
class Recoded:
    """A local recoding: the label of each combination of the table, and which combinations are suppressed."""

    labels: tuple[IntArray, ...]  # by quasi-identifier, codes of its ladder's labels
    suppressed: Mask
    levels: LevelsOf  # by column, how many rows are at each level
    score: float
    rounds: int  # of polishing

    @classmethod
    def of(cls, made: Made) -> Recoded:
        """Take what another process needs to look at a release that was made."""
        lift = made.facts.lifted
        labels = tuple(lift.labels[ladder.name].codes.astype(np.int32) for ladder in lift.table.ladders)
        return cls(labels, lift.suppressed, made.levels, made.worth or 0.0, made.outcome.rounds or 0)

    def look(self, exploration: Exploration) -> Look:
        """Return the release that it gives, with its facts."""
        table = exploration.table
        facts = table.released(self.labels, self.suppressed)
        sizes = facts.known_classes.sizes
        gone = int(table.counts[self.suppressed].sum())
        parts = Granularity().evaluate(facts).parts
        weighed = Weighed(
            levels=(),
            holds=all(goal.evaluate(facts).holds is True for goal in exploration.plan.goals),
            suppressed=gone,
            published=table.rows - gone,
            classes=len(sizes),
            smallest=int(sizes.min()) if len(sizes) else 0,
            score=self.score,
            lost=Fraction(0),
        )
        left = {name: part.exact if part.exact is not None else Fraction(1) for name, part in parts.items()}
        return Look(weighed, facts, facts, left, {}, {})
