"""The rows of a comparison: a measure, or a column, of all releases side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from PETWorks.answer.evaluation import Evaluation
from PETWorks.answer.exhibits.levels import ColumnLevels, column_levels
from PETWorks.comparison.discretion import Together
from PETWorks.exact.limit import Side
from PETWorks.facts.bands import Rounded
from PETWorks.facts.notes import Note
from PETWorks.measure.base import Measure
from PETWorks.measure.result import Part, Result
from PETWorks.risk.re_identification import ReidentificationRisk
from PETWorks.utility.granularity import Granularity

if TYPE_CHECKING:
    from PETWorks.comparison.comparison import Comparison

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


def best_of(cells: Sequence[Part | None], side: str) -> tuple[bool, ...]:
    """Return True for each value that is better than another, and than which none is better."""
    known = [cell.best_known for cell in cells if cell is not None and cell.best_known is not None]
    if not side or len(set(known)) < 2:  # noqa: PLR2004 (nothing to choose from)
        return (False,) * len(cells)
    best = min(known) if Side(side).high_is_bad else max(known)
    return tuple(cell is not None and cell.best_known == best for cell in cells)


def rows_of(shown: Sequence[Evaluation]) -> Iterator[Row]:
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


def columns_of(comparison: Comparison, shown: Sequence[Evaluation], may: Together) -> Iterator[ColumnRow]:
    """Yield the rows of columns: their levels, and what is left of them."""
    levels = [
        {one.column: one for one in column_levels(facts, own)}
        for facts, own in zip(comparison.facts, may.by_release, strict=True)
    ]
    kept = [next((one for one in some if isinstance(one.measure, Granularity)), None) for some in shown]
    for column in comparison.facts[0].roles.quasi_identifiers:
        scores = [None if one is None else one.parts.get(column) for one in kept]
        told = [
            one if one is None or own[column].counts else _rounded(one)
            for one, own in zip(scores, may.by_release, strict=True)
        ]
        yield ColumnRow(column, tuple(one.get(column) for one in levels), tuple(told))
