"""What level vectors give, before one is chosen: rows to suppress, detail that is left, risk, verdicts.

Everything comes from one counted table. What a vector gives does not depend on how many rows may be suppressed: it says
how many would have to be, and a limit only divides the vectors into those within and those beyond.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import prod
from threading import RLock

import numpy as np

from PETWorks.answer.exhibits.values import Hardest
from PETWorks.answer.making import Gone
from PETWorks.counting.tally import IntArray, sums
from PETWorks.facts.ladder import Ladder
from PETWorks.formulas.crowds import Crowds
from PETWorks.making.aim import objective_of
from PETWorks.making.candidate import Candidate
from PETWorks.making.cellwise import Cellwise
from PETWorks.making.lifted import LiftedFacts
from PETWorks.making.people import all_of, amount_of, judge_of
from PETWorks.making.plan import Plan
from PETWorks.making.table import RawTable
from PETWorks.making.vectors import Levels
from PETWorks.utility.granularity import Granularity

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
