"""Bounds: what privacy measures yield. A score for every class, and the side of the limit where every score must be.

Floats decide the clear cases only. Scores close to the limit, or to the worst score, are compared exactly.

`Privacy` builds the result from the bounds that a measure yields. Its explanation shows the class that decides the
result, and changes that would make the measure hold.

>>> from PETWorks.exact.scores import Ratios
>>> from PETWorks.facts.classes import SizeGroups
>>> bound = Bound(Side.AT_MOST, "1/2", Ratios(np.array([1, 2]), np.array([2, 3])), SizeGroups.of({2: 1, 3: 1}))
>>> bound.scores.exact(bound.find_worst()), bound.failing
(Fraction(2, 3), array([False,  True]))
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
from PETWorks.facts.facts import Facts
from PETWorks.facts.notes import Note, PeopleCounts
from PETWorks.facts.spread import Spread
from PETWorks.facts.what_if import (
    find_affordable_generalisations,
    generalise_columns,
    leaves_enough,
    people_stay_together,
    suppress_classes,
)
from PETWorks.measure.base import Measure, all_hold, build_verdict, name_parts
from PETWorks.measure.formulas.floors import SLACK
from PETWorks.measure.parameter import find_limits
from PETWorks.measure.result import ClassScore, EqualScores, Result, ResultPart
from PETWorks.measure.steps import LISTED, Cell, Name, Step
from PETWorks.shown import THRESHOLD, Disclosure, DisclosureLevel
from PETWorks.tables.counting.persons import PersonPairs
from PETWorks.tables.counting.tally import IntArray, Mask, cell_text, sum_by_group

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
    people: IntArray | None = None  # by class, the fewest people whom its score is about; None: its size
    holders: IntArray | None = None  # by class, the fewest people who have a value that its score depends on, if others
    by_size: bool = False  # True: scores depend on class sizes only, which are never withheld

    @property
    def badness(self) -> FloatArray:
        """Scores as floats that are larger for worse classes."""
        bad = self.scores.approximate if self.side.high_is_bad else -self.scores.approximate
        return bad if self.hopeless is None else np.where(self.hopeless, np.inf, bad)

    @property
    def any_hopeless(self) -> bool:
        """True if some class fails whatever the limit is."""
        return self.hopeless is not None and bool(self.hopeless.any())

    def find_nameable(self, discretion: Disclosure) -> Mask:
        """Return a mask of the classes whose values may be shown; parts of classes only where counts may be."""
        if not self.classes.can_be_described or not discretion.names_classes:
            return ~self.classes.all
        if discretion.level is DisclosureLevel.FULL:  # a population's class may have no people of the release
            return self.classes.all
        people = self.count_people()
        whole = discretion.shows_counts or not isinstance(self.classes, ClassParts)
        named: Mask = (people >= discretion.least) & whole
        return named

    def find_worst(self) -> int | None:
        """Return the index of the first class with the worst score; None if there are no classes."""
        if not len(self.badness):
            return None
        if self.any_hopeless:
            return int(self.badness.argmax())
        largest = self.badness.max()
        close = np.flatnonzero(self.badness >= largest - CLOSE * (1 + abs(largest)))
        candidates = np.sort(self.scores.group_alike(close)[0])  # few: most classes of equal scores have equal marks
        worst = max if self.side.high_is_bad else min
        return int(worst(candidates.tolist(), key=cmp_to_key(self.scores.difference)))

    def find_equal(self, index: int) -> IntArray:
        """Return the indices of the classes that have the same score as the given class."""
        if self.hopeless is not None and self.hopeless[index]:
            return np.flatnonzero(self.hopeless)
        own = self.badness[index]
        close = np.flatnonzero(np.abs(self.badness - own) <= CLOSE * (1 + abs(own)))
        distinct, like = self.scores.group_alike(close)
        same = np.array([self.scores.difference(index, other) == 0 for other in distinct.tolist()])
        found: IntArray = close[same[like]]
        return found

    def find_largest_equal(self, index: int) -> int:
        """Return, among the classes with the score of a given one, the index of the class that concerns most people.

        The order of equal scores would disclose how the values of small classes are sorted; this choice does not.
        """
        people, same = self.count_people(), self.find_equal(index)
        return int(same[np.lexsort((-self.classes.sizes[same], -people[same]))[0]])

    def count_people(self) -> IntArray:
        """Return, by class, the smallest number of people whom its score describes."""
        return self.classes.sizes if self.people is None else self.people

    @cached_property
    def failing(self) -> Mask:
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
            distinct, like = self.scores.group_alike(close)
            beyond = [not self.side.allows(self.scores.compare(index, limit)) for index in distinct.tolist()]
            failing[close] = np.array(beyond)[like]
        return failing

    def rank_worst(self, most: int) -> list[int]:
        """Return the indices of at most `most` classes, worst first; of equal scores, the larger class first."""
        if not (most := min(most, len(self.badness))):
            return []
        least = np.partition(self.badness, -most)[-most]
        close = CLOSE * (1 + abs(least)) if np.isfinite(least) else 0
        bad = np.flatnonzero(self.badness >= least - close)
        worst: list[int] = bad[np.lexsort((-self.classes.sizes[bad], self._ranks(bad)))][:most].tolist()
        return worst

    def _ranks(self, indices: IntArray) -> IntArray:
        """Return the ranks of some classes' scores: equal if the scores are, smaller if they are worse."""
        ranks = np.full(len(indices), -1)  # of those that fail for every limit
        known = np.ones(len(indices), dtype=bool) if self.hopeless is None else ~self.hopeless[indices]
        distinct, like = self.scores.group_alike(indices[known])
        sign = -1 if self.side.high_is_bad else 1

        def difference(one: int, other: int) -> int:
            return sign * self.scores.difference(one, other)

        compared = cmp_to_key(difference)
        order = sorted(distinct.tolist(), key=compared)
        steps = [compared(one) < compared(other) for one, other in pairwise(order)]
        rank = dict(zip(order, np.cumsum([0, *steps]).tolist(), strict=False))
        ranks[known] = np.array([rank[index] for index in distinct.tolist()], dtype=np.int64)[like]
        return ranks


def find_failing_classes(bounds: Iterable[Bound], facts: Facts) -> Mask:
    """Return a mask of the release's classes that fail any of the bounds, even if only some of their rows do."""
    failing = ~facts.classes.all
    for bound in bounds:
        failing |= bound.classes.find_in_release(bound.failing)
    return failing


def count_failing(bounds: Iterable[Bound], facts: Facts) -> dict[str, Any]:
    """Count the groups that fail any of the bounds, all judged groups, and the rows in failing groups.

    If people have several rows, also the people in failing groups, and all judged people.
    """
    by_groups: dict[int, tuple[Groups, list[Mask]]] = {}
    for bound in bounds:
        by_groups.setdefault(id(bound.classes), (bound.classes, []))[1].append(bound.failing)
    failing = [(groups, np.any(masks, axis=0)) for groups, masks in by_groups.values()]
    counts = {
        "failing_classes": sum(groups.count(mask) for groups, mask in failing),
        "judged_classes": sum(groups.count(groups.all) for groups, _ in failing),
    }
    if len(failing) == 1:
        groups, mask = failing[0]
        people = groups.count_people(mask)
        return counts | {"failing_rows": groups.count_rows_in(mask)} | ({"persons": people} if people else {})
    if (persons := facts.published_persons) is not None:
        pairs = np.any([_find_pairs(groups, mask, facts, persons) for groups, mask in failing], axis=0)
        found = PeopleCounts(int(np.count_nonzero(np.bincount(persons.of_person[pairs]))), facts.classes.everybody)
        return counts | {"failing_rows": int(persons.rows[pairs].sum()), "persons": found}
    entries = [_find_entries(groups, mask, facts) for groups, mask in failing]
    return counts | {"failing_rows": int(facts.published.counts[np.any(entries, axis=0)].sum())}


def _find_entries(groups: Groups, chosen: Mask, facts: Facts) -> Mask:
    """Return a mask of the unsuppressed entries in the chosen groups; a part of a class counts as the whole class."""
    if isinstance(groups, FinerClasses):
        return chosen[groups.of_entry]
    return groups.find_in_release(chosen)[facts.groups(with_values=True).of_entry]


def _find_pairs(groups: Groups, chosen: Mask, facts: Facts, persons: PersonPairs) -> Mask:
    """Return a mask of the pairs of unsuppressed entry and person in the chosen groups."""
    if isinstance(groups, FinerClasses):
        return chosen[groups.find_groups_of_pairs(persons)]
    return groups.find_in_release(chosen)[facts.groups(with_values=True).find_groups_of_pairs(persons)]


def build_grouping_step(facts: Facts) -> Step:
    """Build the step with the numbers of rows and classes, and the columns that form the classes."""
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


def explain_deciding_class(measure: Privacy, bound: Bound, facts: Facts, discretion: Disclosure) -> Iterator[Step]:
    """Yield the steps for the class that decides the result.

    If few people are in it or have the deciding value, it must not be described, and a larger class is shown instead.
    The computation of a score is shown only where counts may stand beside values, or if it depends on class sizes
    alone.
    """
    classes, least = bound.classes, discretion.least
    deciding, everything = bound.find_worst() or 0, classes.count(classes.all)
    if not discretion.shows_counts:
        deciding = bound.find_largest_equal(deciding)
    if bound.hopeless is not None and bound.hopeless[deciding]:
        yield Step("hopeless", {"classes": classes.count(bound.hopeless), "all_classes": everything})
    figures = {"size": int(classes.sizes[deciding]), "all_classes": everything, "least": least}
    large = bound.find_nameable(discretion)
    shown = deciding
    if not classes.can_be_described:
        yield Step("deciding_by_size", figures)
    elif large[deciding]:
        yield Step("deciding", figures | {"values": classes.values(deciding)})
    elif bound.by_size:
        yield Step("deciding_withheld", figures)
    elif not discretion.shows_counts and figures["size"] >= least:
        yield Step("deciding_by_size", figures)
    else:
        kind = "few_holders" if figures["size"] >= least else "few_people" if discretion.shows_counts else "few_decide"
        yield Step(kind, figures if discretion.shows_counts else {"all_classes": everything, "least": least})
        fails = bound.failing
        candidates = np.flatnonzero(large & fails if (large & fails).any() else large)
        if not candidates.size:
            yield Step("no_stand_in", {"least": least})
            return
        shown = int(candidates[classes.sizes[candidates].argmax()])
        kind = ("stand_in" if discretion.shows_counts else "instead") + ("_failing" if fails[shown] else "")
        yield Step(kind, {"size": int(classes.sizes[shown]), "values": classes.values(shown)})
    if discretion.shows_counts or bound.by_size:
        yield from measure.explain_class(bound, shown, facts, least)
    else:
        yield Step("shares_withheld", {"least": least})


def build_size_step(facts: Facts, index: int) -> Step:
    """Build the step with the size of a class, and the number of classes of that size."""
    size = int(facts.classes.sizes[index])
    return Step("alike", {"size": size, "classes": facts.classes.histogram[size]})


def build_value_steps(spread: Spread, index: int, least: int) -> tuple[Step, ...]:
    """Build steps with the number of people of a class for each sensitive value.

    Values that few people have, and those after the first LISTED, are counted together.
    """
    named = spread.find_nameable(index, least)[:LISTED]
    lines = [
        Step("value_count", {"value": Cell(cell_text(spread.values[one])), "count": count}) for one, count in named
    ]
    if rest := spread.count_others(index, [one for one, _ in named]):
        lines.append(Step("other_counts", {"count": rest}))
    return tuple(lines)


def explain_changes(measure: Privacy, result: Result) -> Iterator[Step]:
    """Yield changes that would help: suppressing the failing classes, if it then holds; generalising a column.

    A change that cannot be measured, or leaves less than half of the rows, is not offered.
    """
    facts = result.measured
    if not facts.fits_in_memory:
        return
    failing = measure.find_failing(facts)
    if failing.any() and _count_failing_after(measure, suppress_classes(facts, failing)) == 0:
        people = facts.classes.count_people_in(failing)
        yield Step("suppressing", {"classes": facts.classes.count(failing), "people": people})
    if result.disclosure.level is DisclosureLevel.BANDED:
        return  # classes of fewer columns, together with bands, could disclose which classes are small
    left = {
        lift: _count_failing_after(measure, generalise_columns(facts, lift))
        for lift in find_affordable_generalisations(facts)
    }
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
        if rows := generalise_columns(facts, best).scope.suppressed - facts.scope.suppressed:
            yield Step("further_suppressed", {"rows": rows})


def _count_failing_after(measure: Privacy, changed: Facts) -> int | None:
    """Count the people who fail after a change; None if that cannot be measured, or if too few rows are left."""
    with suppress(PETWorksError):
        return measure.count_failing_people(changed) if leaves_enough(changed) else None
    return None


MAX_WORST_CLASSES = 10  # the most classes that `Result.worst` lists


class Privacy(Measure):
    """Measures of how well people are protected: every class must keep the bounds."""

    family: ClassVar[str] = "privacy"
    monotone: ClassVar[bool] = False  # True: if classes hold, a class merged from them (by generalisation) holds too
    by_sizes: ClassVar[bool] = False  # True: it is monotone also where somebody is in several classes
    classwise: ClassVar[bool] = False  # True: a class keeps its scores, whatever other classes are suppressed
    _former_names: ClassVar[Mapping[str, str]] = {
        **Measure._former_names,  # noqa: SLF001 (of a base class)
        "must_lose": "find_least_suppression_by",
        "scoring": "explain_scoring",
        "steady": "declarations_hold",
        "worked": "explain_class",
    }

    @abstractmethod
    def bounds(self, facts: Facts) -> Iterator[Bound]:
        """Yield the bounds that must hold."""

    def limit_of(self, parameter: str) -> tuple[Side, Number | None]:
        """Return the side that a limit declares, and the limit: the first arguments of a bound."""
        return find_limits(type(self))[parameter], getattr(self, parameter)

    def compute_bounds(self, facts: Facts) -> tuple[Bound, ...]:
        """Return the bounds, computed once for each `Facts`."""
        return self._cache(facts, ("bounds", self), lambda: tuple(self.bounds(facts)))

    # Declarations that let the search for the best release skip some. Without them it tries all.

    def least_size(self) -> int:
        """Return a lower bound on the rows of a class that holds, derived from the parameters."""
        return self.requested_size or 1

    def find_implied_size(self, name: str, part: ResultPart) -> int:  # noqa: ARG002
        """Return the least size of a class that keeps the limit."""
        return self.least_size()

    def declarations_hold(self, facts: Facts) -> bool:
        """Return True if `monotone`, `classwise` and the least suppression are right for this table.

        They are wrong for some tables, such as one whose people are in several classes: merged, such classes have fewer
        people than both together.
        """
        return self.by_sizes or people_stay_together(facts)

    def find_least_suppression(self, facts: Facts) -> FloatArray:
        """Return, for each class, the least share of its rows that every more detailed release must suppress.

        More detailed: no column is generalised further than here. Otherwise the remaining rows cannot hold.
        """
        floor = np.zeros(len(facts.groups(with_values=True)))
        for bound in self.compute_bounds(facts) if self.declarations_hold(facts) else ():
            if bound.limit is not None:
                lost = np.asarray(self.find_least_suppression_by(bound, facts), dtype=float)
                floor = np.maximum(floor, bound.classes.find_shares_in_release(lost))
        return np.where(floor < 1, floor * (1 - SLACK), 1.0)

    def find_least_suppression_by(self, bound: Bound, facts: Facts) -> FloatArray | Mask:  # noqa: ARG002
        """Return the least suppression of each class for one bound; True: all of the class must be suppressed.

        A failing class cannot be retained as a whole, so at least one row of it must be suppressed.
        """
        return bound.failing / bound.classes.sizes if self.monotone and self.classwise else ~bound.classes.all

    def round_limit_up(self, parameter: str) -> int | None:
        """Return the least whole number that reaches a limit; None if the limit is not set."""
        limit = getattr(self, parameter)
        return None if limit is None else math.ceil(Limit.of(limit).exact)

    def find_failing(self, facts: Facts) -> Mask:
        """Return a mask of the release's classes that fail."""
        return find_failing_classes(self.compute_bounds(facts), facts)

    def count_failing_people(self, facts: Facts) -> int:
        """Count the people in failing classes; rows, if every row is one person."""
        counts = count_failing(self.compute_bounds(facts), facts)
        people: int = counts["persons"].failing if "persons" in counts else counts["failing_rows"]
        return people

    def _compute(self, facts: Facts) -> Result:
        """Compute the result: its value is the worst score; it holds if all bounds hold."""
        bounds = self.compute_bounds(facts)
        judged = [_build_part(bound) for bound in bounds]
        parts = name_parts((bound.part, part) for bound, part in zip(bounds, judged, strict=True))
        leading = [(bound, part) for bound, part in zip(bounds, judged, strict=True) if bound.leads]
        head = _find_deciding_part([part for _, part in leading], high_is_bad=leading[0][0].side.high_is_bad)
        notes = [note for bound in bounds for note in bound.notes]
        if not len(facts.classes):
            notes.append(Note("nothing_published"))
        return Result(
            **vars(head) | {"holds": all_hold(parts.values()), **count_failing(bounds, facts)},
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
        yield build_grouping_step(facts)
        if not len(facts.classes):
            yield Step("nothing_published")
        else:
            for bound, (name, part) in zip(result.bounds, result.parts.items(), strict=True):
                steps = explain_deciding_class(self, bound, facts, result.disclosure)
                for step in (*self.explain_scoring(bound, facts), *steps, build_verdict(part)):
                    yield replace(step, part=name)
        yield from self.conclude()
        if result.holds is False:
            yield from explain_changes(self, result)

    def explain_scoring(self, bound: Bound, facts: Facts) -> Iterator[Step]:  # noqa: ARG002
        """Yield the steps that explain how every class is scored."""
        if "scored" in self.words["en"].steps:
            yield Step("scored", {**bound.figures, "part": Name(bound.part)})

    def explain_class(self, bound: Bound, index: int, facts: Facts, least: int) -> Iterator[Step]:  # noqa: ARG002
        """Yield how the score of a class is computed, without values that fewer than `least` of its people have."""
        return iter(())


def _build_part(bound: Bound) -> ResultPart:
    """Build the part of a bound: the worst score, the verdict, and the worst classes."""
    groups, scores, worst, failing = bound.classes, bound.scores, bound.find_worst(), bound.failing
    hopeless = np.zeros(len(failing), dtype=bool) if bound.hopeless is None else bound.hopeless
    scored = None if worst is None or hopeless[worst] else worst
    people = bound.count_people()
    fewest = people if bound.holders is None else np.minimum(people, bound.holders)
    listed = bound.rank_worst(MAX_WORST_CLASSES) if groups.can_be_described else ()
    rows = (
        None
        if groups.members is None
        else sum_by_group(groups.members.of_entry, groups.members.rows, len(groups.sizes))
    )
    return ResultPart(
        value=None if scored is None else scores.value(scored),
        exact=None if scored is None else scores.exact(scored),
        side=bound.side,
        limit=None if bound.limit is None else Limit.of(bound.limit),
        holds=None if bound.limit is None else not failing.any(),
        failing_classes=groups.count(failing),
        failing_rows=groups.count_rows_in(failing),
        judged_classes=groups.count(groups.all),
        judged_rows=groups.count_rows_in(groups.all),
        persons=groups.count_people(failing),
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
        alike=_summarise_equal(bound, worst) if worst is not None and groups.can_be_described else None,
        about_few=worst is not None and bool((fewest[bound.find_equal(worst)] < THRESHOLD).any()),
    )


def _summarise_equal(bound: Bound, worst: int) -> EqualScores:
    sizes = bound.classes.sizes[bound.find_equal(worst)]
    return EqualScores(len(sizes), int(sizes.min()), int(sizes.max()))


def _find_deciding_part(parts: list[ResultPart], *, high_is_bad: bool) -> ResultPart:
    """Return the deciding part: one with a class that fails whatever the limit, else the one with the worst value."""
    for part in parts:
        if "hopeless_classes" in part.figures:
            return part
    worst = max if high_is_bad else min
    return worst(parts, key=lambda part: part.best_known or 0)
