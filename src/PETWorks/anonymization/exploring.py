"""What level vectors give, before one is chosen: rows to suppress, detail that is left, risk, verdicts.

Everything comes from one counted table. What a vector gives does not depend on how many rows may be suppressed: it says
how many would have to be, and a limit only divides the vectors into those within and those beyond.

The search while it goes on: the best so far, and what no other can exceed; and local recoding, to be looked at.

What is known of many level vectors together: the best at every limit, and the front of risk and detail.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import groupby, product
from math import prod
from threading import RLock

import numpy as np

from PETWorks.anonymization.candidate import Candidate
from PETWorks.anonymization.full_domain import Blame, blame, search_of
from PETWorks.anonymization.lifted import LiftedFacts
from PETWorks.anonymization.made import Made
from PETWorks.anonymization.objective import Cellwise, objective_of
from PETWorks.anonymization.people import all_of, amount_of, judge_of
from PETWorks.anonymization.plan import Plan
from PETWorks.anonymization.search import LevelsOf, Polishing, Progress
from PETWorks.anonymization.table import RawTable
from PETWorks.anonymization.vectors import Levels
from PETWorks.evaluation.exhibits import Hardest
from PETWorks.evaluation.provenance import Gone
from PETWorks.facts.cells import Ladder
from PETWorks.measure.formulas.crowds import Crowds
from PETWorks.measure.utility.granularity import Granularity
from PETWorks.tables.counting.tally import IntArray, Mask, sums

KEPT = 12  # vectors whose facts are kept: the one that is looked at, and those before it
CLOSE = 10**12  # losses that are no fractions are equal if they agree in so many parts of 1


@dataclass(frozen=True)
class Weighed:
    """What a level vector gives if the classes that fail are suppressed: plain figures."""

    levels: Levels
    holds: bool  # False: the goals do not hold here, however many rows are suppressed
    suppressed: int  # rows that must be suppressed so that they hold; people, if the plan suppresses these
    published: int  # rows that are left
    classes: int  # that they form
    smallest: int  # rows of the smallest class; 0 if there is none
    score: float  # what is looked for: a utility, or the loss
    lost: Fraction  # larger for a vector that loses more, equal if it loses as much
    mean: Fraction | None = None  # the mean chance of being found, where people have several rows
    people: int | None = None  # who have a suppressed row, where people have several rows

    def within(self, allowed: int) -> bool:
        """Return True if the goals hold with at most so many rows suppressed."""
        return self.holds and self.suppressed <= allowed

    @property
    def gone(self) -> Gone:
        """What is suppressed."""
        return Gone(self.suppressed, self.people)

    @property
    def risk(self) -> Fraction | None:
        """The mean chance of being found: classes divided by rows, or that of people; None if nobody is left."""
        if not self.classes:
            return None
        return Fraction(self.classes, self.published) if self.mean is None else self.mean

    @property
    def tie(self) -> tuple[int, int, Levels]:
        """What decides between equal losses, as in a search."""
        return self.suppressed, sum(self.levels), self.levels[::-1]


@dataclass(frozen=True, eq=False)
class Look:
    """A release that could be made, to be looked at: its facts before and after failing classes are suppressed."""

    weighed: Weighed
    before: LiftedFacts
    released: LiftedFacts
    left: Mapping[str, Fraction]  # by column, its granularity
    rows_by_label: Mapping[str, tuple[IntArray, IntArray]]  # by column, of each label: rows, and those not suppressed
    labels: Mapping[str, Sequence[str | None]]

    def hardest(self, least: int) -> tuple[str, Hardest, bool] | None:
        """Return the column and label that keep the smallest share of their rows; None if that would tell too much.

        It would if a class, the suppressed rows, or what some label lost, are fewer than `least` people; or if people
        have several rows, since labels are counted by rows. Also returned is whether all columns could be looked at.
        """
        crowds = [self.weighed.smallest or least, self.weighed.suppressed or least]
        if least > 1 and self.released.persons is not None:
            return None
        found, whole = list[tuple[str, Hardest]](), True
        for name, (before, after) in self.rows_by_label.items() if min(crowds) >= least else ():
            lost = before - after
            few = bool(((lost > 0) & (lost < least)).any())
            whole &= not few
            if not few:
                shares = np.where(before >= least, after / np.maximum(before, 1), 1.0)
                place = int(shares.argmin()) if len(shares) else 0
                if len(shares) and shares[place] < 1:
                    found.append((name, Hardest(self.labels[name][place], float(shares[place]), exact=True)))
        return (*min(found, key=lambda one: one[1].share), whole) if found else None


class Exploration:
    """The level vectors of a table under the goals of a plan. It may be asked from several threads."""

    def __init__(self, table: RawTable, plan: Plan) -> None:
        self.table, self.plan = table, plan
        self.names = tuple(ladder.name for ladder in table.ladders)
        self.heights = tuple(ladder.height for ladder in table.ladders)
        self._objective = objective_of(table, plan.utility, plan.weights)
        self._judge = judge_of(table, plan, allowed=all_of(table, plan), crowd=plan.crowd)
        self._weighed: dict[Levels, Weighed] = {}
        self._looks: dict[Levels, Look] = {}
        self.lock = RLock()  # the table keeps groups that all vectors share

    @property
    def vectors(self) -> int:
        """How many level vectors there are."""
        return prod(height + 1 for height in self.heights)

    @property
    def known(self) -> int:
        """How many of them were weighed."""
        return len(self._weighed)

    def every(self) -> Iterator[Levels]:
        """Yield all level vectors, the coarsest first: their classes are few, and they soon show where limits lie."""
        return product(*(range(height, -1, -1) for height in self.heights))

    def weigh(self, levels: Levels) -> Weighed:
        """Return what a vector gives; work it out once."""
        with self.lock:
            if levels not in self._weighed:
                candidate, holds = self._suppressed(levels)
                self._weighed[levels] = self.weighed(candidate, holds=holds)
            return self._weighed[levels]

    def knows(self, levels: Levels) -> bool:
        """Return True if a vector was weighed."""
        return levels in self._weighed

    def learn(self, weighed: Iterable[Weighed]) -> None:
        """Take over what was worked out elsewhere, for the same table and goals."""
        self._weighed.update((one.levels, one) for one in weighed)

    def all_known(self) -> list[Weighed]:
        """Return all that were weighed so far."""
        return list(self._weighed.values())

    def steps(self, levels: Levels) -> Iterator[tuple[int, Levels]]:
        """Yield every step of every column, with the number of the column: one level is another, or the same."""
        for column, height in enumerate(self.heights):
            for level in range(height + 1):
                yield column, (*levels[:column], level, *levels[column + 1 :])

    def prices(self, levels: Levels) -> list[list[Weighed]]:
        """Return, for each column and each of its levels, what the vector with that level gives."""
        found: list[list[Weighed]] = [[] for _ in self.names]
        for column, step in self.steps(levels):
            found[column].append(self.weigh(step))
        return found

    def look(self, levels: Levels) -> Look:
        """Return the release that a vector gives, with its facts."""
        with self.lock:
            if levels not in self._looks:
                candidate, holds = self._suppressed(levels)
                self._weighed[levels] = self.weighed(candidate, holds=holds)
                while len(self._looks) >= KEPT:
                    del self._looks[next(iter(self._looks))]
                self._looks[levels] = self._look(candidate)
            return self._looks[levels]

    def weighed(self, candidate: Candidate, *, holds: bool = True) -> Weighed:
        """Return the figures of a candidate."""
        sizes, loss = candidate.released.known_classes.sizes, self._objective.loss(candidate)
        exact = self._objective.exact(candidate) if isinstance(self._objective, Cellwise) else None
        several = self.table.facts.persons is not None
        return Weighed(
            levels=candidate.levels,
            holds=holds,
            suppressed=amount_of(candidate.gone, self.table, self.plan),
            published=self.table.rows - candidate.suppressed_rows,
            classes=len(sizes),
            smallest=int(sizes.min(initial=self.table.rows)) if len(sizes) else 0,
            score=self._objective.value(loss),
            lost=Fraction(round(loss * CLOSE), CLOSE) if exact is None else exact,
            mean=Crowds.of(candidate.released, sizes).mean_inverse() if several and len(sizes) else None,
            people=self.table.people_in(candidate.gone) if several else None,
        )

    def _suppressed(self, levels: Levels) -> tuple[Candidate, bool]:
        """Return a vector with what must be suppressed there, and whether the goals then hold.

        If they cannot hold, the classes are suppressed that fail by themselves.
        """
        facts = LiftedFacts.of(self.table.vectors.lift(levels))
        failing = self._judge.failing(facts)
        candidate, _ = self._judge.admitted(levels, facts, failing)
        if candidate is not None:
            return candidate, True
        gone = np.append(failing, True)[facts.lifted.of_combination]
        return Candidate(self.table, levels, facts, gone, int(self.table.counts[gone].sum())), False

    def _look(self, candidate: Candidate) -> Look:
        columns = list(zip(self.table.ladders, candidate.levels, candidate.published, strict=True))
        labelled = [(ladder, ladder.up[level]) for ladder, level, _ in columns]
        return Look(
            weighed=self._weighed[candidate.levels],
            before=candidate.facts,
            released=candidate.released,
            left={ladder.name: self._left(ladder, level, rows) for ladder, level, rows in columns},
            rows_by_label={
                ladder.name: (sums(up, many, len(ladder.labels)), sums(up, rows, len(ladder.labels)))
                for (ladder, up), many, (_, _, rows) in zip(labelled, self.table.by_value, columns, strict=True)
            },
            labels={ladder.name: ladder.labels for ladder in self.table.ladders},
        )

    def _left(self, ladder: Ladder, level: int, published: IntArray) -> Fraction:
        """Return the granularity of a column; 1 if it has nothing to lose."""
        losses = Granularity().cell_losses(ladder)
        lost = int(losses.by_level[level] @ published) + losses.suppressed * (self.table.rows - int(published.sum()))
        return 1 - Fraction(lost, losses.suppressed * self.table.rows) if losses.suppressed else Fraction(1)


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
    from PETWorks.anonymization.candidate import Candidate

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
