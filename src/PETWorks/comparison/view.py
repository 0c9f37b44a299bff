"""What a comparison shows: guarded results side by side, as plain figures without any reference to facts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PETWorks.answer.evaluation import Evaluation
from PETWorks.answer.exhibits.values import ColumnValues
from PETWorks.answer.guard import guarded_evaluation
from PETWorks.answer.public import public_evaluation
from PETWorks.comparison.discretion import Together, together
from PETWorks.comparison.exhibits import (
    Loser,
    NoLoser,
    Number,
    all_values,
    dominators,
    loses_detail,
    loses_rows,
    withheld_alike,
)
from PETWorks.comparison.joint import changed_people
from PETWorks.comparison.rows import FIGURES, ColumnRow, Row, best_of, columns_of, rows_of
from PETWorks.facts.bands import Band, Count
from PETWorks.facts.notes import GUESSED, Note, Scope
from PETWorks.measure.guard import shown_scope
from PETWorks.measure.result import DESCRIBABLE
from PETWorks.risk.re_identification import ReidentificationRisk
from PETWorks.utility.granularity import Granularity

if TYPE_CHECKING:
    from PETWorks.comparison.comparison import Comparison

CHANGES = ("grew", "shrank", "suppressed", "published")


@dataclass(frozen=True, eq=False)
class Candidate:
    """A release: its letter, its name, its size, and its place among the others."""

    letter: str
    name: str
    scope: Scope
    holds: bool | None
    beaten_by: str | None  # the letter of a release that is nowhere worse; None: on the front, or not known
    rows_loser: Loser | NoLoser
    detail_loser: Loser | NoLoser
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
    notes: tuple[tuple[str, Note], ...]  # what puts values in doubt, and guessed encodings, with the letters concerned

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


def view_of(comparison: Comparison, *, show_small_classes: bool = False, public: bool = False) -> ComparisonView:
    """Build the view of a comparison; what describes small classes is removed unless they are to be shown."""
    least = 1 if show_small_classes else DESCRIBABLE
    facts, joint = comparison.facts, comparison.joint
    may = together(facts, joint, least)
    shown = [
        public_evaluation(one) if public else guarded_evaluation(one, least, explained=False)
        for one in comparison.evaluations
    ]
    rows = tuple(rows_of(shown))
    told = [] if public else [all_values(one, own) for one, own in zip(facts, may.by_release, strict=True)]
    values = withheld_alike(told)
    beaten = [None] * len(facts) if public else dominators([_point(one) for one in comparison.evaluations])
    candidates = []
    for number, (one, letter) in enumerate(zip(facts, comparison.letters, strict=True)):
        own = may.by_release[number]
        changes = None
        if joint and number and not public and facts[number].crowd is None:  # it counts rows
            changes = _changes(changed_people(joint, 0, number), least)
        by = beaten[number]
        candidates.append(
            Candidate(
                letter=letter,
                name=comparison.names[number],
                scope=shown[number].results[0].scope if public else shown_scope(one.scope, next(iter(own.values()))),
                holds=comparison.evaluations[number].holds,
                beaten_by=None if by is None else comparison.letters[by],
                rows_loser=NoLoser.UNTOLD if public else loses_rows(values[number], one.scope.suppressed),
                detail_loser=NoLoser.UNTOLD if public else loses_detail(one, own),
                changes=changes,
            )
        )
    return ComparisonView(
        title=comparison.title,
        candidates=tuple(candidates),
        rows=rows,
        columns=() if public else tuple(columns_of(comparison, shown, may)),
        values=() if public or not may.labels else tuple(zip(*(one.values() for one in values), strict=True)),
        may=may,
        public=public,
        paired=joint is not None,
        notes=tuple(_notes(shown, comparison.letters)),
    )


def _changes(people: Mapping[str, int], least: int) -> dict[str, Count]:
    """Return how many people are concerned by each change, a few of them as a band.

    The suppressed rows of each release are told. If those suppressed in one only are few in one of two releases, their
    number follows from the others, and a band would hide nothing.
    """
    few = {kind for kind, many in people.items() if 0 < many < least}
    follows = few & {"suppressed", "published"}
    few -= follows if len(follows) == 1 else set()
    return {kind: Band(0, least - 1) if kind in few else many for kind, many in people.items()}


def _notes(shown: Sequence[Evaluation], letters: str) -> list[tuple[str, Note]]:
    """Return warnings, leading ones first, and notes on guessed encodings, with the letters of their releases.

    One that concerns all releases has no letters, nor has one that names a file.
    """
    found = [
        (note, letter)
        for letter, one in zip(letters, shown, strict=True)
        for note in (*one.warnings, *(note for result in one.all_results for note in result.told_below))
    ]
    once = [note for place, (note, _) in enumerate(found) if note not in [other for other, _ in found[:place]]]
    told = []
    for note in sorted(once, key=lambda one: (not one.leading, one.kind == GUESSED)):
        concerned = "".join(dict.fromkeys(letter for other, letter in found if other == note))
        told.append(("" if concerned == letters or note.kind == GUESSED else concerned, note))
    return told


def _point(evaluation: Evaluation) -> tuple[Number | None, ...]:
    """Return what a release is judged by: highest and mean risk, what it loses, suppressed rows; less is better."""
    risk = next((one for one in evaluation if isinstance(one.measure, ReidentificationRisk)), None)
    risks = [None if risk is None else risk.parts[name].best_known for name in FIGURES]
    kept = next((one.best_known for one in evaluation if isinstance(one.measure, Granularity)), None)
    return *risks, None if kept is None else -kept, evaluation.results[0].scope.suppressed
