"""Explain the result of a privacy measure: the class that decides it, and changes that would make the measure hold."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

import numpy as np

from PETWorks.counting.tally import cell_text
from PETWorks.errors import PETWorksError
from PETWorks.explain.step import Cell, Name, Step
from PETWorks.facts.discretion import Discretion, Telling
from PETWorks.facts.facts import Facts
from PETWorks.facts.spread import Spread
from PETWorks.facts.what_if import affordable_lifts, generalising, leaves_enough, suppressing

if TYPE_CHECKING:
    from PETWorks.measure.bound import Bound
    from PETWorks.measure.privacy import Privacy
    from PETWorks.measure.result import Result

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
