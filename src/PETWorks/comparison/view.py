"""What a comparison shows: guarded results side by side, as plain figures without any reference to facts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from PETWorks.answer.evaluation import Evaluation
from PETWorks.answer.exhibits.levels import ColumnLevels, column_levels
from PETWorks.answer.exhibits.values import ColumnValues
from PETWorks.answer.guard import guarded_evaluation
from PETWorks.answer.public import public_evaluation
from PETWorks.comparison.discretion import Together, together
from PETWorks.comparison.exhibits import Loser, Number, all_values, dominators, loses_detail, loses_rows, withheld_alike
from PETWorks.comparison.joint import changed_people
from PETWorks.exact.limit import Side
from PETWorks.facts.bands import Band, Count, Rounded
from PETWorks.facts.notes import Note, Scope
from PETWorks.measure.base import Measure
from PETWorks.measure.guard import shown_scope
from PETWorks.measure.result import DESCRIBABLE, Part, Result
from PETWorks.risk.re_identification import ReidentificationRisk
from PETWorks.utility.granularity import Granularity

if TYPE_CHECKING:
    from PETWorks.comparison.comparison import Comparison

CHANGES = ("grew", "shrank", "suppressed", "published")
FIGURES = ("highest", "average")  # of the re-identification risk


@dataclass(frozen=True)
class Row:
    """A value of each release, side by side: of a measure, or of one of its parts."""

    measure: Measure
    part: str  # "" for the measure itself
    results: tuple[Result | None, ...]
    cells: tuple[Part | None, ...]  # None: not evaluated
    required: bool
    problems: tuple[Note | None, ...]

    @property
    def side(self) -> str:
        """The side of a limit on which values are better; "" if neither is."""
        return next((cell.side for cell in self.cells if cell is not None), "")

    @property
    def best(self) -> tuple[bool, ...]:
        """True for each value that is better than another, and than which none is better."""
        return best_of([None if cell is None or cell.withheld else cell for cell in self.cells], self.side)

    @property
    def differs(self) -> bool:
        """True if releases differ in value or verdict."""
        return len({(cell.value, cell.holds, cell.band) if cell else None for cell in self.cells}) > 1


@dataclass(frozen=True)
class ColumnRow:
    """A column of each release, side by side."""

    column: str
    levels: tuple[ColumnLevels | None, ...]
    scores: tuple[Part | None, ...]

    @property
    def best(self) -> tuple[bool, ...]:
        """True for each release that keeps more of the column than another, and than which none keeps more."""
        return best_of(self.scores, Side.AT_LEAST)

    @property
    def differs(self) -> bool:
        """True if the column is released at different levels."""
        return len({(one.levels, one.shares) if one else None for one in self.levels}) > 1


@dataclass(frozen=True, eq=False)
class Candidate:
    """A release: its letter, its name, its size, and its place among the others."""

    letter: str
    name: str
    scope: Scope
    holds: bool | None
    beaten_by: str | None  # the letter of a release that is nowhere worse; None: on the front, or not known
    rows_loser: Loser | None
    detail_loser: Loser | None
    changes: Mapping[str, Count] | None  # people, beside the first release; None: the first, or not known


@dataclass(frozen=True, eq=False)
class ComparisonView:
    """All that a comparison can show."""

    title: str
    candidates: tuple[Candidate, ...]
    rows: tuple[Row, ...]
    columns: tuple[ColumnRow, ...]
    values: tuple[tuple[ColumnValues, ...], ...]  # by column, of each release
    may: Together
    public: bool
    paired: bool  # True: the rows of all releases pair

    @property
    def known(self) -> str:
        """What an adversary knows of a person; "": every row is one person."""
        return next((one.scope.known for one in self.candidates if one.scope.known), "")

    @property
    def required(self) -> tuple[Row, ...]:
        """The rows of requirements."""
        return tuple(row for row in self.rows if row.required)

    @property
    def others(self) -> tuple[Row, ...]:
        """The rows of measures that are not required."""
        return tuple(row for row in self.rows if not row.required)

    @property
    def richest(self) -> Candidate | None:
        """The release that keeps most, of those that hold all requirements; None if several do, or if it is unknown."""
        (row,) = [row for row in self.rows if isinstance(row.measure, Granularity) and not row.part] or (None,)
        if row is None:
            return None
        holding = [number for number, one in enumerate(self.candidates) if one.holds is not False]
        cells = [cell if number in holding else None for number, cell in enumerate(row.cells)]
        best = [one for one, is_best in zip(self.candidates, best_of(cells, row.side), strict=True) if is_best]
        return best[0] if len(best) == 1 else None


def best_of(cells: Sequence[Part | None], side: str) -> tuple[bool, ...]:
    """Return True for each value that is better than another, and than which none is better."""
    known = [cell.best_known for cell in cells if cell is not None and cell.best_known is not None]
    if not side or len(set(known)) < 2:  # noqa: PLR2004 (nothing to choose from)
        return (False,) * len(cells)
    best = min(known) if Side(side).high_is_bad else max(known)
    return tuple(cell is not None and cell.best_known == best for cell in cells)


def view_of(comparison: Comparison, *, show_small_classes: bool = False, public: bool = False) -> ComparisonView:
    """Build the view of a comparison; what describes small classes is removed unless they are to be shown."""
    least = 1 if show_small_classes else DESCRIBABLE
    facts, joint = comparison.facts, comparison.joint
    may = together(facts, joint, least)
    shown = [
        public_evaluation(one) if public else guarded_evaluation(one, least, explained=False)
        for one in comparison.evaluations
    ]
    rows = tuple(_rows(shown))
    told = [] if public else [all_values(one, own) for one, own in zip(facts, may.by_release, strict=True)]
    values = withheld_alike(told)
    beaten = [None] * len(facts) if public else dominators([_point(one) for one in comparison.evaluations])
    candidates = []
    for number, (one, letter) in enumerate(zip(facts, comparison.letters, strict=True)):
        own = may.by_release[number]
        changes = None
        if joint and number and not public and facts[number].crowd is None:  # it counts rows
            changes = {kind: _told(many, least) for kind, many in changed_people(joint, 0, number).items()}
        by = beaten[number]
        candidates.append(
            Candidate(
                letter=letter,
                name=comparison.names[number],
                scope=shown[number].results[0].scope if public else shown_scope(one.scope, next(iter(own.values()))),
                holds=comparison.evaluations[number].holds,
                beaten_by=None if by is None else comparison.letters[by],
                rows_loser=None if public else loses_rows(values[number]),
                detail_loser=None if public else loses_detail(one, own),
                changes=changes,
            )
        )
    return ComparisonView(
        title=comparison.title,
        candidates=tuple(candidates),
        rows=rows,
        columns=() if public else tuple(_columns(comparison, shown, may)),
        values=() if public or not may.labels else tuple(zip(*(one.values() for one in values), strict=True)),
        may=may,
        public=public,
        paired=joint is not None,
    )


def _told(people: int, least: int) -> Count:
    return Band(0, least - 1) if 0 < people < least else people


def _point(evaluation: Evaluation) -> tuple[Number | None, ...]:
    """Return what a release is judged by: highest and mean risk, what it loses, suppressed rows; less is better."""
    risk = next((one for one in evaluation if isinstance(one.measure, ReidentificationRisk)), None)
    risks = [None if risk is None else risk.parts[name].best_known for name in FIGURES]
    kept = next((one.best_known for one in evaluation if isinstance(one.measure, Granularity)), None)
    return *risks, None if kept is None else -kept, evaluation.results[0].scope.suppressed


def _rows(shown: Sequence[Evaluation]) -> Iterator[Row]:
    """Yield the rows: requirements in their order, then other measures."""
    for required in zip(*(one.requirements for one in shown), strict=True):
        results = tuple(one.result for one in required)
        problems = tuple(one.problem for one in required)
        for part in _judged(results):
            yield Row(required[0].measure, part, results, tuple(_cell(one, part) for one in results), True, problems)
    judged = {one.result for evaluation in shown for one in evaluation.requirements}
    for others in _aligned([[one for one in evaluation if one not in judged] for evaluation in shown]):
        known = next(one for one in others if one is not None)
        for part in FIGURES if isinstance(known.measure, ReidentificationRisk) else ("",):
            cells = tuple(_cell(one, part) for one in others)
            yield Row(known.measure, part, others, cells, False, (None,) * len(others))


def _aligned(results: Sequence[Sequence[Result]]) -> Iterator[tuple[Result | None, ...]]:
    """Yield the results of each measure, of all releases."""
    names = dict.fromkeys(one.measure.name for some in results for one in some)
    for name in names:
        yield tuple(next((one for one in some if one.measure.name == name), None) for some in results)


def _judged(results: Sequence[Result | None]) -> list[str]:
    """Return the parts that have a limit, of any release; the measure itself if none has."""
    parts = dict.fromkeys(name for one in results if one for name, part in one.parts.items() if part.limit is not None)
    return list(parts) or [""]


def _cell(result: Result | None, part: str) -> Part | None:
    return None if result is None else result.parts.get(part) if part else result


def _rounded(score: Part) -> Part:
    return replace(score, value=None if score.value is None else Rounded(score.value), exact=None)


def _columns(comparison: Comparison, shown: Sequence[Evaluation], may: Together) -> Iterator[ColumnRow]:
    levels = [{one.column: one for one in column_levels(facts)} for facts in comparison.facts]
    kept = [next((one for one in some if isinstance(one.measure, Granularity)), None) for some in shown]
    for column in comparison.facts[0].roles.quasi_identifiers:
        scores = [None if one is None else one.parts.get(column) for one in kept]
        told = [
            one
            if one is None or own[column].counts
            else replace(one, value=one.value and Rounded(one.value), exact=None)
            for one, own in zip(scores, may.by_release, strict=True)
        ]
        yield ColumnRow(column, tuple(one.get(column) for one in levels), tuple(told))
