"""Bounds: what privacy measures yield. A score for every class, and the side of the limit where every score must be.

Floats decide the clear cases only. Scores close to the limit, or to the worst score, are compared exactly.

>>> from PETWorks.exact.scores import Ratios
>>> from PETWorks.facts.classes import SizeGroups
>>> bound = Bound(Side.AT_MOST, "1/2", Ratios(np.array([1, 2]), np.array([2, 3])), SizeGroups.of({2: 1, 3: 1}))
>>> bound.scores.exact(bound.worst()), bound.fails
(Fraction(2, 3), array([False,  True]))

The family of privacy measures: builds the result and its explanation from the bounds that a measure yields.

Explain the result of a privacy measure: the class that decides it, and changes that would make the measure hold.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, cmp_to_key
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from PETWorks.errors import PETWorksError
from PETWorks.exact.limit import Limit, Number, Side
from PETWorks.exact.scores import FloatArray, Scores
from PETWorks.facts.classes import ClassParts, FinerClasses, Groups
from PETWorks.facts.disclosure import Discretion, Telling
from PETWorks.facts.facts import Facts
from PETWorks.facts.notes import Note, PeopleCounts
from PETWorks.facts.spread import Spread
from PETWorks.facts.what_if import affordable_lifts, generalising, leaves_enough, people_stay_together, suppressing
from PETWorks.measure.base import Measure, all_hold, keyed, verdict
from PETWorks.measure.formulas.floors import SLACK
from PETWorks.measure.parameter import limits
from PETWorks.measure.result import Alike, ClassScore, Part, Result
from PETWorks.measure.steps import Cell, Name, Step
from PETWorks.tables.counting.persons import Persons
from PETWorks.tables.counting.tally import IntArray, Mask, cell_text, sums

CLOSE = 1e-9  # relative difference below which scores are compared exactly; far above float rounding errors


@dataclass(frozen=True, eq=False)
class Bound:
    """The scores of all classes, and the limit they must keep, if one is set."""

    side: Side
    limit: Number | None
    scores: Scores
    classes: Groups  # the scored classes
    part: str = ""
    leads: bool = True  # False: the value of the measure does not come from this bound
    hopeless: Mask | None = None  # classes that fail for every limit
    notes: tuple[Note, ...] = ()
    figures: Mapping[str, Any] = field(default_factory=dict)
    people: IntArray | None = None  # by class, the fewest people its score reveals something about; None: its size
    by_size: bool = False  # True: scores depend on class sizes only, which are never withheld

    @property
    def badness(self) -> FloatArray:
        """Floats that are larger for worse classes."""
        bad = self.scores.approximate if self.side.high_is_bad else -self.scores.approximate
        return bad if self.hopeless is None else np.where(self.hopeless, np.inf, bad)

    @property
    def any_hopeless(self) -> bool:
        """True if some class fails for every limit."""
        return self.hopeless is not None and bool(self.hopeless.any())

    def nameable(self, discretion: Discretion) -> Mask:
        """Return a mask of the classes whose values may be told; parts of classes only where counts may be."""
        if not self.classes.can_be_described or not discretion.names:
            return ~self.classes.all
        if discretion.telling is Telling.EVERYTHING:  # a population's class may have no people of the release
            return self.classes.all
        people = self.classes.sizes if self.people is None else self.people
        whole = discretion.counts or not isinstance(self.classes, ClassParts)
        named: Mask = (people >= discretion.least) & whole
        return named

    def worst(self) -> int | None:
        """Return the index of the first class with the worst score; None if there are no classes."""
        if not len(self.badness):
            return None
        if self.any_hopeless:
            return int(self.badness.argmax())
        largest = self.badness.max()
        close = np.flatnonzero(self.badness >= largest - CLOSE * (1 + abs(largest)))
        candidates = np.sort(self.scores.alike(close)[0])  # few: most classes of equal scores have equal marks
        worst = max if self.side.high_is_bad else min
        return int(worst(candidates.tolist(), key=cmp_to_key(self.scores.difference)))

    def alike(self, index: int) -> IntArray:
        """Return the indices of the classes that have the same score as the given class."""
        if self.hopeless is not None and self.hopeless[index]:
            return np.flatnonzero(self.hopeless)
        own = self.badness[index]
        close = np.flatnonzero(np.abs(self.badness - own) <= CLOSE * (1 + abs(own)))
        distinct, like = self.scores.alike(close)
        same = np.array([self.scores.difference(index, other) == 0 for other in distinct.tolist()])
        found: IntArray = close[same[like]]
        return found

    @cached_property
    def fails(self) -> Mask:
        """A mask of the classes whose score is on the wrong side of the limit."""
        if self.limit is None:
            return ~self.classes.all
        limit = Limit.of(self.limit)
        if (relations := self.scores.relations(limit)) is not None:
            wrong = ~np.array([self.side.allows(relation) for relation in (0, 1, -1)])
            return wrong[relations] if self.hopeless is None else wrong[relations] | self.hopeless
        badness, edge = self.badness, float(limit) if self.side.high_is_bad else -float(limit)
        failing = badness > edge
        close = np.flatnonzero(np.abs(badness - edge) <= CLOSE * (1 + abs(edge)))
        if len(close):
            distinct, like = self.scores.alike(close)
            beyond = [not self.side.allows(self.scores.compare(index, limit)) for index in distinct.tolist()]
            failing[close] = np.array(beyond)[like]
        return failing

    def order(self, most: int) -> list[int]:
        """Return the indices of at most `most` classes, worst first; of equal scores, the larger class first."""
        if not (most := min(most, len(self.badness))):
            return []
        least = np.partition(self.badness, -most)[-most]
        close = CLOSE * (1 + abs(least)) if np.isfinite(least) else 0
        bad = np.flatnonzero(self.badness >= least - close)
        worst: list[int] = bad[np.lexsort((-self.classes.sizes[bad], self._ranks(bad)))][:most].tolist()
        return worst

    def _ranks(self, indices: IntArray) -> IntArray:
        """Return, for some classes, the ranks of their scores: equal if the scores are, smaller if they are worse."""
        ranks = np.full(len(indices), -1)  # of those that fail for every limit
        known = np.ones(len(indices), dtype=bool) if self.hopeless is None else ~self.hopeless[indices]
        distinct, like = self.scores.alike(indices[known])
        sign = -1 if self.side.high_is_bad else 1

        def difference(one: int, other: int) -> int:
            return sign * self.scores.difference(one, other)

        compared = cmp_to_key(difference)
        order = sorted(distinct.tolist(), key=compared)
        steps = [compared(one) < compared(other) for one, other in pairwise(order)]
        rank = dict(zip(order, np.cumsum([0, *steps]).tolist(), strict=False))
        ranks[known] = np.array([rank[index] for index in distinct.tolist()], dtype=np.int64)[like]
        return ranks


def failing_classes(bounds: Iterable[Bound], facts: Facts) -> Mask:
    """Return a mask of the release's classes that fail any of the bounds, even if only some of their rows do."""
    failing = ~facts.classes.all
    for bound in bounds:
        failing |= bound.classes.in_release(bound.fails)
    return failing


def failing_counts(bounds: Iterable[Bound], facts: Facts) -> dict[str, Any]:
    """Count the groups that fail any of the bounds, all groups that were judged, and the rows in failing groups.

    If people have several rows, also the people in failing groups, and all that were judged.
    """
    by_groups: dict[int, tuple[Groups, list[Mask]]] = {}
    for bound in bounds:
        by_groups.setdefault(id(bound.classes), (bound.classes, []))[1].append(bound.fails)
    failing = [(groups, np.any(masks, axis=0)) for groups, masks in by_groups.values()]
    counts = {
        "failing_classes": sum(groups.count(mask) for groups, mask in failing),
        "judged_classes": sum(groups.count(groups.all) for groups, _ in failing),
    }
    if len(failing) == 1:
        groups, mask = failing[0]
        people = groups.people_counts(mask)
        return counts | {"failing_rows": groups.rows_in(mask)} | ({"persons": people} if people else {})
    if (persons := facts.published_persons) is not None:
        pairs = np.any([_chosen_pairs(groups, mask, facts, persons) for groups, mask in failing], axis=0)
        found = PeopleCounts(int(np.count_nonzero(np.bincount(persons.of_person[pairs]))), facts.classes.everybody)
        return counts | {"failing_rows": int(persons.rows[pairs].sum()), "persons": found}
    entries = [_entries(groups, mask, facts) for groups, mask in failing]
    return counts | {"failing_rows": int(facts.published.counts[np.any(entries, axis=0)].sum())}


def _entries(groups: Groups, chosen: Mask, facts: Facts) -> Mask:
    """Return a mask of the unsuppressed entries in the chosen groups; a part of a class counts as the whole class."""
    if isinstance(groups, FinerClasses):
        return chosen[groups.of_entry]
    return groups.in_release(chosen)[facts.known_classes.of_entry]


def _chosen_pairs(groups: Groups, chosen: Mask, facts: Facts, persons: Persons) -> Mask:
    """Return a mask of the pairs of unsuppressed entry and person in the chosen groups."""
    if isinstance(groups, FinerClasses):
        return chosen[groups.of_pairs(persons)]
    return groups.in_release(chosen)[facts.known_classes.of_pairs(persons)]


LISTED = 12  # most values that are listed one by one


def grouped(facts: Facts) -> Step:
    """Return the step with the numbers of rows and classes, and the columns that form the classes."""
    scope, names = facts.scope, [Name(name) for name in facts.roles.quasi_identifiers]
    figures = {
        "rows": scope.rows - scope.suppressed,
        "columns": names,
        "classes": scope.classes,
        "suppressed": scope.suppressed,
    }
    if scope.people is None:
        return Step("grouped" if scope.suppressed else "grouped_all", figures)
    figures |= {"people": scope.people.published, "pairs": scope.people.pairs}
    return Step(f"grouped_people_{scope.people.known}", figures)


def decided(measure: Privacy, bound: Bound, facts: Facts, discretion: Discretion) -> Iterator[Step]:
    """Yield the steps for the class that decides the result.

    If it must not be described, because few people are in it or hold the value that decides, a larger class is shown
    instead. How a class got its score is shown where counts may stand beside values, or if only class sizes matter.
    """
    classes, least = bound.classes, discretion.least
    deciding, everything = bound.worst() or 0, classes.count(classes.all)
    if bound.hopeless is not None and bound.hopeless[deciding]:
        yield Step("hopeless", {"classes": classes.count(bound.hopeless), "all_classes": everything})
    figures = {"size": int(classes.sizes[deciding]), "all_classes": everything, "least": least}
    large = bound.nameable(discretion)
    shown = deciding
    if not classes.can_be_described:
        yield Step("deciding_by_size", figures)
    elif large[deciding]:
        yield Step("deciding", figures | {"values": classes.values(deciding)})
    elif bound.by_size:
        yield Step("deciding_withheld", figures)
    elif not discretion.counts and figures["size"] >= least:
        yield Step("deciding_by_size", figures)
    else:
        kind = "few_holders" if figures["size"] >= least else "few_people" if discretion.counts else "few_decide"
        yield Step(kind, figures if discretion.counts else {"all_classes": everything, "least": least})
        fails = bound.fails
        candidates = np.flatnonzero(large & fails if (large & fails).any() else large)
        if not candidates.size:
            yield Step("no_stand_in", {"least": least})
            return
        shown = int(candidates[classes.sizes[candidates].argmax()])
        kind = ("stand_in" if discretion.counts else "instead") + ("_failing" if fails[shown] else "")
        yield Step(kind, {"size": int(classes.sizes[shown]), "values": classes.values(shown)})
    if discretion.counts or bound.by_size:
        yield from measure.worked(bound, shown, facts, least)
    else:
        yield Step("shares_withheld", {"least": least})


def alike(facts: Facts, index: int) -> Step:
    """Return the step with the size of a class, and the number of classes of that size."""
    size = int(facts.classes.sizes[index])
    return Step("alike", {"size": size, "classes": facts.classes.histogram[size]})


def by_value(spread: Spread, index: int, least: int) -> tuple[Step, ...]:
    """Return steps with the number of people of a class for each sensitive value.

    Values that few people have, and those after the first LISTED, are counted together.
    """
    named = spread.nameable(index, least)[:LISTED]
    lines = [
        Step("value_count", {"value": Cell(cell_text(spread.values[one])), "count": count}) for one, count in named
    ]
    if rest := spread.others(index, [one for one, _ in named]):
        lines.append(Step("other_counts", {"count": rest}))
    return tuple(lines)


def helping(measure: Privacy, result: Result) -> Iterator[Step]:
    """Yield changes that would help: suppressing the failing classes, if it then holds; generalising a column.

    What cannot be measured after a change, or leaves less than half of the rows, is not offered.
    """
    facts = result.measured
    if not facts.fits:
        return
    failing = measure.failing(facts)
    if failing.any() and _left(measure, suppressing(facts, failing)) == 0:
        people = facts.classes.people_in(failing)
        yield Step("suppressing", {"classes": facts.classes.count(failing), "people": people})
    if result.discretion.telling is Telling.BANDS:
        return  # classes of fewer columns, together with bands beside values, could tell which classes are small
    left = {lift: _left(measure, generalising(facts, lift)) for lift in affordable_lifts(facts)}
    helpful = {lift: people for lift, people in left.items() if people is not None and people < result.failing_people}
    if helpful:
        best = min(helpful, key=lambda lift: helpful[lift])
        figures = {
            "column": Name(best.column),
            "level": best.level,
            "left": helpful[best],
            "people": result.failing_people,
        }
        yield Step("generalising" if best.level is None else "generalising_level", figures)
        if rows := generalising(facts, best).scope.suppressed - facts.scope.suppressed:
            yield Step("further_suppressed", {"rows": rows})


def _left(measure: Privacy, changed: Facts) -> int | None:
    """Count the people who fail after a change; None if that cannot be measured, or if too few rows are left."""
    with suppress(PETWorksError):
        return measure.failing_people(changed) if leaves_enough(changed) else None
    return None


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
        yield grouped(facts)
        if not len(facts.classes):
            yield Step("nothing_published")
        else:
            for bound, (name, part) in zip(result.bounds, result.parts.items(), strict=True):
                steps = decided(self, bound, facts, result.discretion)
                for step in (*self.scoring(bound, facts), *steps, verdict(part)):
                    yield replace(step, part=name)
        yield from self.closing()
        if result.holds is False:
            yield from helping(self, result)

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
