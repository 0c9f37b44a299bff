"""The family of privacy measures: builds the result and its explanation from the bounds that a measure yields."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import replace
from typing import ClassVar

import numpy as np

from PETWorks.counting.tally import Mask, sums
from PETWorks.exact.limit import Limit, Number, Side
from PETWorks.exact.scores import FloatArray
from PETWorks.explain import privacy as explain
from PETWorks.explain.step import Name, Step
from PETWorks.facts.facts import Facts
from PETWorks.facts.notes import Note
from PETWorks.facts.steady import people_stay_together
from PETWorks.formulas.floors import SLACK
from PETWorks.measure.base import Measure, all_hold, keyed, verdict
from PETWorks.measure.bound import Bound, failing_classes, failing_counts
from PETWorks.measure.parameter import limits
from PETWorks.measure.result import Alike, ClassScore, Part, Result

WORST = 10  # the most classes that `Result.worst` lists


class Privacy(Measure):
    """Measures of how well people are hidden: every class must keep the bounds."""

    family: ClassVar[str] = "privacy"
    monotone: ClassVar[bool] = False  # True: if classes hold, a class merged from them (by generalisation) holds too
    by_sizes: ClassVar[bool] = False  # True: it is monotone also where somebody is in several classes
    classwise: ClassVar[bool] = False  # True: a class keeps its scores, whatever other classes are suppressed

    @abstractmethod
    def bounds(self, facts: Facts) -> Iterator[Bound]:
        """Yield the bounds that must hold."""

    def limit_of(self, parameter: str) -> tuple[Side, Number | None]:
        """Return the side that a limit declares, and the limit: what a bound begins with."""
        return limits(type(self))[parameter], getattr(self, parameter)

    def judged_by(self, facts: Facts) -> tuple[Bound, ...]:
        """Return the bounds, computed once for each `Facts`."""
        return self._once(facts, ("bounds", self), lambda: tuple(self.bounds(facts)))

    # What lets the search for the best release skip some. A measure that declares nothing is searched for in all.

    def least_size(self) -> int:
        """Return the fewest rows with which a class can hold, as far as that follows from the parameters."""
        return self.size_asked or 1

    def steady(self, facts: Facts) -> bool:
        """Return True if `monotone`, `classwise` and `floor` are right for this table; some tables are exceptions.

        One is a table whose people are in several classes: merged, such classes have fewer people than both together.
        """
        return self.by_sizes or people_stay_together(facts)

    def floor(self, facts: Facts) -> FloatArray:
        """Return, for each class, the least share of its rows that every more detailed release must suppress.

        More detailed: no column is generalised further than here. It must suppress as much so that the rest holds.
        """
        floor = np.zeros(len(facts.known_classes))
        for bound in self.judged_by(facts) if self.steady(facts) else ():
            if bound.limit is not None:
                lost = np.asarray(self.must_lose(bound, facts), dtype=float)
                floor = np.maximum(floor, bound.classes.shares_in_release(lost))
        return np.where(floor < 1, floor * (1 - SLACK), 1.0)

    def must_lose(self, bound: Bound, facts: Facts) -> FloatArray | Mask:  # noqa: ARG002
        """Return the `floor` of each class for one bound; True: all of it.

        If what is kept of a failing class cannot be all of it, that is one row at least.
        """
        return bound.fails / bound.classes.sizes if self.monotone and self.classwise else ~bound.classes.all

    def whole(self, parameter: str) -> int | None:
        """Return the least whole number that reaches a limit; None if the limit is not set."""
        limit = getattr(self, parameter)
        return None if limit is None else math.ceil(Limit.of(limit).exact)

    def failing(self, facts: Facts) -> Mask:
        """Return a mask of the release's classes that fail."""
        return failing_classes(self.judged_by(facts), facts)

    def failing_rows(self, facts: Facts) -> int:
        """Count the rows in failing classes: rows of the population if its classes are scored, else of the release."""
        rows: int = failing_counts(self.judged_by(facts), facts)["failing_rows"]
        return rows

    def failing_people(self, facts: Facts) -> int:
        """Count the people in failing classes; every row is one unless people have several."""
        counts = failing_counts(self.judged_by(facts), facts)
        people: int = counts["persons"].failing if "persons" in counts else counts["failing_rows"]
        return people

    def _worked_out(self, facts: Facts) -> Result:
        """Compute the result: its value is the worst score; it holds if all bounds hold."""
        bounds = self.judged_by(facts)
        judged = [_judged(bound) for bound in bounds]
        parts = keyed((bound.part, part) for bound, part in zip(bounds, judged, strict=True))
        leading = [(bound, part) for bound, part in zip(bounds, judged, strict=True) if bound.leads]
        head = _worst([part for _, part in leading], high_is_bad=leading[0][0].side.high_is_bad)
        notes = [note for bound in bounds for note in bound.notes]
        if not len(facts.classes):
            notes.append(Note("nothing_published"))
        return Result(
            **vars(head) | {"holds": all_hold(parts.values()), **failing_counts(bounds, facts)},
            measure=self,
            scope=facts.scope,
            parts=parts,
            notes=(*facts.notes, *facts.people_notes, *notes),
            facts=facts,
            bounds=bounds,
        )

    def explain(self, result: Result) -> Iterator[Step]:
        """Yield the steps of each bound: grouping, scoring, the deciding class, comparison with the limit."""
        facts = result.measured
        yield explain.grouped(facts)
        if not len(facts.classes):
            yield Step("nothing_published")
        else:
            for bound, (name, part) in zip(result.bounds, result.parts.items(), strict=True):
                decided = explain.decided(self, bound, facts, result.discretion)
                for step in (*self.scoring(bound, facts), *decided, verdict(part)):
                    yield replace(step, part=name)
        yield from self.closing()
        if result.holds is False:
            yield from explain.helping(self, result)

    def scoring(self, bound: Bound, facts: Facts) -> Iterator[Step]:  # noqa: ARG002
        """Yield the steps that explain how every class is scored."""
        if "scored" in self.words["en"].steps:
            yield Step("scored", {**bound.figures, "part": Name(bound.part)})

    def worked(self, bound: Bound, index: int, facts: Facts, least: int) -> Iterator[Step]:  # noqa: ARG002
        """Yield how one class got its score; a value that fewer than `least` people of it have must not be named."""
        return iter(())


def _judged(bound: Bound) -> Part:
    """Build the part of a bound: the worst score, the verdict, and the worst classes."""
    groups, scores, worst, failing = bound.classes, bound.scores, bound.worst(), bound.fails
    hopeless = np.zeros(len(failing), dtype=bool) if bound.hopeless is None else bound.hopeless
    scored = None if worst is None or hopeless[worst] else worst
    people = groups.sizes if bound.people is None else bound.people
    listed = bound.order(WORST) if groups.can_be_described else ()
    rows = None if groups.members is None else sums(groups.members.of_entry, groups.members.rows, len(groups.sizes))
    return Part(
        value=None if scored is None else scores.value(scored),
        exact=None if scored is None else scores.exact(scored),
        side=bound.side,
        limit=None if bound.limit is None else Limit.of(bound.limit),
        holds=None if bound.limit is None else not failing.any(),
        failing_classes=groups.count(failing),
        failing_rows=groups.rows_in(failing),
        judged_classes=groups.count(groups.all),
        judged_rows=groups.rows_in(groups.all),
        persons=groups.people_counts(failing),
        worst=tuple(
            ClassScore(
                groups.values(index),
                int(groups.sizes[index]),
                None if hopeless[index] else scores.value(index),
                None if hopeless[index] else scores.exact(index),
                int(people[index]),
                None if rows is None else int(rows[index]),
            )
            for index in listed
        ),
        figures=dict(bound.figures) | ({"hopeless_classes": int(hopeless.sum())} if bound.any_hopeless else {}),
        alike=_alike(bound, worst) if worst is not None and groups.can_be_described else None,
    )


def _alike(bound: Bound, worst: int) -> Alike:
    sizes = bound.classes.sizes[bound.alike(worst)]
    return Alike(len(sizes), int(sizes.min()), int(sizes.max()))


def _worst(parts: list[Part], *, high_is_bad: bool) -> Part:
    """Return the part that decides: one with a class that fails for every limit, else the one with the worst value."""
    for part in parts:
        if "hopeless_classes" in part.figures:
            return part
    worst = max if high_is_bad else min
    return worst(parts, key=lambda part: part.best_known or 0)
