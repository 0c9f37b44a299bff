"""The view of a comparison for output: disclosure-controlled figures, without reference to facts.

It has a row for each measure and each column, with the values of all releases side by side; the value that lost most;
and the releases on the front.

`find_joint_disclosure` decides what may be shown of several releases together. The counts of a single release may be
exact if all its classes have enough people. Beside another release, counts of one column could be subtracted from those
of the other. So a count stands beside a value only if no release has a small class and, for that column, every
combination of labels of all releases has enough people; else a band. Nothing stands beside a value of any release

- if people have several rows: counts beside values are of rows, and would have to be judged by people;
- if few people are suppressed in one release and not in another: subtraction would leave these people;
- if a small class of one release has no alternative explanation that agrees with the other releases. It has one if its
  people could have another value of a column, that combination does not occur, and somebody has this value with their
  labels in the other releases.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from itertools import permutations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from PETWorks.disclosure import Audience
from PETWorks.disclosure.evaluation import disclose_evaluation, publish_evaluation
from PETWorks.disclosure.exhibits import ColumnLevels, ReportedValues, compute_column_levels, compute_values
from PETWorks.disclosure.level import find_disclosure
from PETWorks.disclosure.results import disclose_scope
from PETWorks.errors import PETWorksError
from PETWorks.evaluation.comparison import JointTable, count_changed_people
from PETWorks.evaluation.evaluation import Evaluation
from PETWorks.exact.limit import Side
from PETWorks.facts.columns import count_released_values
from PETWorks.facts.facts import Facts
from PETWorks.facts.notes import GUESSED, Note, Scope
from PETWorks.measure.base import Measure
from PETWorks.measure.bounds import Privacy
from PETWorks.measure.result import Result, ResultPart
from PETWorks.measure.risk.re_identification import ReidentificationRisk
from PETWorks.measure.utility.granularity import Granularity
from PETWorks.premises.premise import Premises
from PETWorks.shown import Count, CountBand, Disclosure, DisclosureLevel, Rounded, find_edges
from PETWorks.tables.counting.tally import IntArray, Value, sum_by_group

if TYPE_CHECKING:
    from PETWorks.evaluation.comparison import Comparison


MAX_LOOKUPS = 10**7  # most combinations that are looked up; releases that need more are shown without labels


@dataclass(frozen=True)
class JointDisclosure:
    """What may be shown of each column of each release."""

    least: int
    by_release: tuple[Mapping[str, Disclosure], ...]

    @property
    def labels(self) -> bool:
        """True if bands or counts may stand beside values."""
        return any(may.names_classes for one in self.by_release for may in one.values())

    @property
    def counts(self) -> bool:
        """True if every count may stand beside its value."""
        return all(may.shows_counts for one in self.by_release for may in one.values())


def find_joint_disclosure(releases: Sequence[Facts], joint: JointTable | None, least: int) -> JointDisclosure:
    """Find what may be shown of several releases together."""
    columns = releases[0].roles.quasi_identifiers
    own = [find_disclosure(facts, least) for facts in releases]
    if least <= 1:
        return JointDisclosure(least, tuple(dict.fromkeys(columns, may) for may in own))
    small = [number for number, may in enumerate(own) if may.level is not DisclosureLevel.EXACT]
    several = any(facts.people_summary is not None for facts in releases)  # the joint table counts rows, not people
    hidden = joint is None or several or any(not may.names_classes for may in own) or _few_differ(joint, least)
    if hidden or any(
        not _every_small_class_is_ambiguous(releases[number], joint, number, least) for number in small if joint
    ):
        return JointDisclosure(
            least, ({column: Disclosure(least, DisclosureLevel.UNLABELLED) for column in columns},) * len(own)
        )
    assert joint is not None  # noqa: S101
    exact = [column for column in columns if not small and joint.count_fewest(column) >= least]
    told = {
        column: Disclosure(least, DisclosureLevel.EXACT if column in exact else DisclosureLevel.BANDED)
        for column in columns
    }
    return JointDisclosure(least, (told,) * len(own))


def _few_differ(joint: JointTable, least: int) -> bool:
    """Return True if fewer than `least` people are suppressed in one release and not in another."""
    suppressed = [joint.find_suppressed(number) for number in range(len(joint.markers))]
    people = [int(joint.tally.counts[one & ~other].sum()) for one, other in permutations(suppressed, 2)]
    return any(0 < many < least for many in people)


def _every_small_class_is_ambiguous(facts: Facts, joint: JointTable, number: int, least: int) -> bool:
    """Return True if each small class has an alternative explanation that agrees with the output of all releases."""
    ids, classes = joint.group_classes(number)
    sizes, columns = classes.counts, joint.columns
    codes = np.array([classes.columns[key].codes for key in classes.columns], dtype=np.int64)
    suppressed = np.zeros(len(sizes), dtype=bool)
    suppressed[ids] = joint.find_suppressed(number)
    small = np.flatnonzero((sizes < least) & ~suppressed)
    rooms = [_JointCountRange.of(facts, joint, number, column) for column in columns]
    if len(small) * sum(len(room.loses) for room in rooms) > MAX_LOOKUPS:
        return False
    occurring = set(map(tuple, codes.T.tolist()))
    pieces: dict[int, list[int]] = {one: [] for one in small.tolist()}
    for entry in np.flatnonzero(np.isin(ids, small)).tolist():
        pieces[int(ids[entry])].append(entry)
    return all(_can_move(codes[:, one], int(sizes[one]), entries, rooms, occurring) for one, entries in pieces.items())


def _can_move(
    own: IntArray,
    people: int,
    entries: Sequence[int],
    rooms: Sequence[_JointCountRange],
    occurring: set[tuple[int, ...]],
) -> bool:
    """Return True if the people of a class can take on another value of some column."""
    combination = own.tolist()
    for column, room in enumerate(rooms):
        for value in room.find_targets(combination[column], people, entries):
            if (*combination[:column], value, *combination[column + 1 :]) not in occurring:
                return True
    return False


@dataclass(frozen=True, eq=False)
class _JointCountRange:
    """By value of a column: how many people it can lose and gain within its band, and its kind."""

    loses: IntArray
    gains: IntArray
    kinds: IntArray
    others: IntArray  # by combination of the joint table, the number of its labels in the other releases
    fitting: set[tuple[int, int]]  # values, and labels of other releases, that occur together

    @classmethod
    def of(cls, facts: Facts, joint: JointTable, number: int, column: str) -> _JointCountRange:
        found, coded = count_released_values(facts, column), joint.take_labels(number, column)
        place = {value: index for index, value in enumerate(found.values)}
        order = np.array([place.get(value, -1) for value in coded.values])  # -1: of suppressed rows only
        after = np.where(order < 0, 0, found.after[order])
        low, high = find_edges(after)
        loses, gains = after - np.maximum(low, 1), high - after
        if found.before is not None:
            before = found.before[order]
            low, high = find_edges(before)
            loses, gains = np.minimum(loses, before - low), np.minimum(gains, high - before)
        occurs = after > 0
        others = joint.number_others(number, column)
        fitting = set(zip(coded.codes.tolist(), others.tolist(), strict=True))
        return cls(np.where(occurs, loses, -1), np.where(occurs, gains, -1), found.kinds[order], others, fitting)

    def find_targets(self, own: int, people: int, entries: Sequence[int]) -> list[int]:
        """Return the values that so many people of a class could have in place of their own."""
        if self.loses[own] < people:
            return []
        able = (self.gains >= people) & (self.kinds == self.kinds[own])
        able[own] = False
        beside = set(self.others[list(entries)].tolist())
        return [value for value in np.flatnonzero(able).tolist() if all((value, one) in self.fitting for one in beside)]


Number = Fraction | float


class Loser(NamedTuple):
    """The value of a column that lost most, with the share of its rows that remains."""

    column: str
    value: Value
    share: float


class NoLoser(StrEnum):
    """Why no value is named as the one that lost most; its values are also the ends of keys of words."""

    NONE = "none"  # no rows were lost
    GONE = "gone"  # a value is in no released row, and must not be named
    UNTOLD = "untold"  # counts of some values are withheld or unknown
    LEVEL = "level"  # each column has one level in all rows


def compute_all_values(facts: Facts, may: Mapping[str, Disclosure]) -> dict[str, ReportedValues]:
    """Return the values of each column, as far as they may be shown."""
    return {column: compute_values(facts, column, one) for column, one in may.items()} if facts.fits_in_memory else {}


def withhold_alike(releases: Sequence[Mapping[str, ReportedValues]]) -> list[dict[str, ReportedValues]]:
    """Withhold the original's counts of a column in all releases if one withholds them: the counts are the same."""
    columns = releases[0] if releases else {}
    hidden = {
        column
        for column in columns
        if any(row.before is None and row.after is not None for one in releases for row in one[column].listed)
    }
    return [
        {column: _withhold_before(one) if column in hidden else one for column, one in some.items()}
        for some in releases
    ]


def _withhold_before(one: ReportedValues) -> ReportedValues:
    return replace(one, listed=tuple(row._replace(before=None) for row in one.listed), hardest=None, counts_shown=False)


def find_row_loser(values: Mapping[str, ReportedValues], suppressed: int) -> Loser | NoLoser:
    """Return the value that lost the largest share of its rows to suppression, or why none is named.

    A value is named only if the counts of all others are shown: otherwise another may have lost more.
    """
    if not suppressed:
        return NoLoser.NONE
    if not values or not all(one.counts_shown for one in values.values()):
        return NoLoser.UNTOLD
    if any(one.gone for one in values.values()):
        return NoLoser.GONE
    found = [
        Loser(column, one.hardest.value, one.hardest.share)
        for column, one in values.items()
        if one.hardest and one.hardest.exact and one.hardest.share < 1
    ]
    return min(found, default=NoLoser.NONE, key=lambda one: one.share)


def find_detail_loser(facts: Facts, may: Mapping[str, Disclosure]) -> Loser | NoLoser:
    """Return the value with the smallest share of rows at the finest level of its column, or why none is named.

    Only columns with exact counts are considered, and values with enough people both at that level and above it.
    """
    found, untold = list[Loser](), False
    for column, one in may.items():
        try:
            cells = facts.columns.build_cells(column)
            published = ~cells.suppressed
            if cells.original is None or not len(levels := cells.levels[published]) or levels.min() == levels.max():
                continue
            untold |= not one.shows_counts
            if not one.shows_counts:
                continue
            level = int(cells.levels[published].min(initial=cells.hierarchy.height))
            lifted = cells.generalise(level)
        except PETWorksError:  # measures report it
            continue
        number = len(lifted.values)
        rows = sum_by_group(lifted.codes[published], cells.counts[published], number)
        fine = published & (cells.levels == level)
        kept = sum_by_group(lifted.codes[fine], cells.counts[fine], number)
        tells = (kept >= one.least) & (rows - kept >= one.least)
        found += [
            Loser(column, lifted.values[index], int(kept[index]) / int(rows[index]))
            for index in np.flatnonzero(tells).tolist()
        ]
        untold |= bool((~tells & (rows > kept)).any())
    if untold:
        return NoLoser.UNTOLD
    return min(found, default=NoLoser.LEVEL, key=lambda one: one.share)


def find_dominators(points: Sequence[tuple[Number | None, ...]]) -> list[int | None]:
    """Return, for each point, the index of a point that dominates it (nowhere larger, somewhere smaller), else None.

    >>> find_dominators([(1, 5), (2, 3), (2, 6), (2, 3)])
    [None, None, 0, None]
    """

    def beats(one: tuple[Number | None, ...], other: tuple[Number | None, ...]) -> bool:
        pairs = [(a, b) for a, b in zip(one, other, strict=True) if a is not None and b is not None]
        return one != other and len(pairs) == len(one) and all(a <= b for a, b in pairs)

    return [next((number for number, other in enumerate(points) if beats(other, point)), None) for point in points]


RISK_FIGURES = ("highest", "average")  # of the re-identification risk


@dataclass(frozen=True)
class ComparisonRow:
    """The values of all releases side by side, of a measure or of one of its parts."""

    measure: Measure
    part: str  # "" for the measure itself
    results: tuple[Result | None, ...]
    cells: tuple[ResultPart | None, ...]  # None: not evaluated
    required: bool
    problems: tuple[Note | None, ...]

    @property
    def side(self) -> str:
        """The side of a limit on which better values are; "" if the measure has no direction."""
        return next((cell.side for cell in self.cells if cell is not None), "")

    @property
    def best(self) -> tuple[bool, ...]:
        """True for each value that is the best, if values differ."""
        return find_best([None if cell is None or cell.withheld else cell for cell in self.cells], self.side)

    @property
    def differs(self) -> bool:
        """True if releases differ in value or verdict."""
        return (
            len({(cell.value, cell.holds, cell.band, cell.verdict_withheld) if cell else None for cell in self.cells})
            > 1
        )


@dataclass(frozen=True)
class ColumnRow:
    """The levels and scores of a column in all releases, side by side."""

    column: str
    levels: tuple[ColumnLevels | None, ...]
    scores: tuple[ResultPart | None, ...]

    @property
    def best(self) -> tuple[bool, ...]:
        """True for each release with the best score of the column, if scores differ."""
        return find_best(self.scores, Side.AT_LEAST)

    @property
    def differs(self) -> bool:
        """True if the column is released at different levels."""
        return len({(one.levels, one.shares) if one else None for one in self.levels}) > 1


def find_best(cells: Sequence[ResultPart | None], side: str) -> tuple[bool, ...]:
    """Return True for each value that is the best, if values differ."""
    known = [cell.best_known for cell in cells if cell is not None and cell.best_known is not None]
    if not side or len(set(known)) < 2:  # noqa: PLR2004 (nothing to choose from)
        return (False,) * len(cells)
    best = min(known) if Side(side).high_is_bad else max(known)
    return tuple(cell is not None and cell.best_known == best for cell in cells)


def build_rows(shown: Sequence[Evaluation]) -> Iterator[ComparisonRow]:
    """Yield the rows: requirements in their order, then other measures."""
    for required in zip(*(one.requirements for one in shown), strict=True):
        results = tuple(one.result for one in required)
        problems = tuple(one.problem for one in required)
        for part in _list_judged_parts(results):
            yield ComparisonRow(
                required[0].measure, part, results, tuple(_find_cell(one, part) for one in results), True, problems
            )
    judged = {one.result for evaluation in shown for one in evaluation.requirements}
    for others in _align([[one for one in evaluation if one not in judged] for evaluation in shown]):
        known = next(one for one in others if one is not None)
        for part in RISK_FIGURES if isinstance(known.measure, ReidentificationRisk) else ("",):
            cells = tuple(_find_cell(one, part) for one in others)
            yield ComparisonRow(known.measure, part, others, cells, False, (None,) * len(others))


def _withhold_clues(row: ComparisonRow) -> ComparisonRow:
    """Return the row of a public comparison without scores of classes if that of one release is withheld."""
    known = [cell for cell in row.cells if cell is not None]
    of_classes = isinstance(row.measure, Privacy) or row.measure.of_sizes
    if not of_classes or not any(one.withheld and one.band is None for one in known):
        return row
    cells = [cell and (cell if cell.value is None else replace(cell, value=None, withheld=True)) for cell in row.cells]
    return replace(row, cells=tuple(cells))


def _align(results: Sequence[Sequence[Result]]) -> Iterator[tuple[Result | None, ...]]:
    """Yield the results of each measure, of all releases."""
    names = dict.fromkeys(one.measure.name for some in results for one in some)
    for name in names:
        yield tuple(next((one for one in some if one.measure.name == name), None) for some in results)


def _list_judged_parts(results: Sequence[Result | None]) -> list[str]:
    """Return the parts that have a limit, of any release; the measure itself if none has."""
    parts = dict.fromkeys(name for one in results if one for name, part in one.parts.items() if part.limit is not None)
    return list(parts) or [""]


def _find_cell(result: Result | None, part: str) -> ResultPart | None:
    return None if result is None else result.parts.get(part) if part else result


def _round(score: ResultPart) -> ResultPart:
    return replace(score, value=None if score.value is None else Rounded(score.value), exact=None)


def build_column_rows(comparison: Comparison, shown: Sequence[Evaluation], may: JointDisclosure) -> Iterator[ColumnRow]:
    """Yield the rows of columns: their levels, and their granularity."""
    levels = [
        {one.column: one for one in compute_column_levels(facts, own)}
        for facts, own in zip(comparison.facts, may.by_release, strict=True)
    ]
    kept = [next((one for one in some if isinstance(one.measure, Granularity)), None) for some in shown]
    for column in comparison.facts[0].roles.quasi_identifiers:
        scores = [None if one is None else one.parts.get(column) for one in kept]
        told = [
            one if one is None or own[column].shows_counts else _round(one)
            for one, own in zip(scores, may.by_release, strict=True)
        ]
        yield ColumnRow(column, tuple(one.get(column) for one in levels), tuple(told))


CHANGES = ("grew", "shrank", "suppressed", "published")


@dataclass(frozen=True, eq=False)
class ComparedRelease:
    """One of the compared releases: its letter, its name, its size, and its place among the others."""

    letter: str
    name: str
    scope: Scope
    holds: bool | None
    beaten_by: str | None  # the letter of a release that dominates it; None: on the front, or unknown
    rows_loser: Loser | NoLoser
    detail_loser: Loser | NoLoser
    changes: Mapping[str, Count] | None  # people, compared with the first release; None: the first, or unknown
    premises: Premises = Premises()  # empty: they were not judged


@dataclass(frozen=True, eq=False)
class ComparisonView:
    """The content of the output of a comparison."""

    title: str
    candidates: tuple[ComparedRelease, ...]
    rows: tuple[ComparisonRow, ...]
    columns: tuple[ColumnRow, ...]
    values: tuple[tuple[ReportedValues, ...], ...]  # by column, of each release
    may: JointDisclosure
    public: bool
    paired: bool  # True: the rows of all releases pair
    notes: tuple[tuple[str, Note], ...]  # warnings and guessed encodings, with the letters concerned

    @property
    def known(self) -> str:
        """What an adversary knows of a person; "": every row is one person."""
        return next((one.scope.known for one in self.candidates if one.scope.known), "")

    @property
    def required(self) -> tuple[ComparisonRow, ...]:
        """The rows of requirements."""
        return tuple(row for row in self.rows if row.required)

    @property
    def others(self) -> tuple[ComparisonRow, ...]:
        """The rows of measures that are not required."""
        return tuple(row for row in self.rows if not row.required)

    @property
    def richest(self) -> ComparedRelease | None:
        """The release with the highest granularity of those that meet all requirements; None if tied or unknown."""
        (row,) = [row for row in self.rows if isinstance(row.measure, Granularity) and not row.part] or (None,)
        if row is None:
            return None
        holding = [number for number, one in enumerate(self.candidates) if one.holds is not False]
        cells = [cell if number in holding else None for number, cell in enumerate(row.cells)]
        best = [one for one, is_best in zip(self.candidates, find_best(cells, row.side), strict=True) if is_best]
        return best[0] if len(best) == 1 else None


def disclose_comparison(comparison: Comparison, audience: str) -> ComparisonView:
    """Return what may be shown of a comparison to an `Audience`."""
    readers = Audience(audience)
    least, public = readers.threshold, readers is Audience.PUBLIC
    facts, joint = comparison.facts, comparison.joint
    may = find_joint_disclosure(facts, joint, least)
    shown = [
        publish_evaluation(one) if public else disclose_evaluation(one, least, explained=False)
        for one in comparison.evaluations
    ]
    rows = tuple(map(_withhold_clues, build_rows(shown)) if public else build_rows(shown))
    told = [] if public else [compute_all_values(one, own) for one, own in zip(facts, may.by_release, strict=True)]
    values = withhold_alike(told)
    beaten = [None] * len(facts) if public else find_dominators([_measure_point(one) for one in comparison.evaluations])
    candidates = []
    for number, (one, letter) in enumerate(zip(facts, comparison.letters, strict=True)):
        own = may.by_release[number]
        changes = None
        if joint and number and not public and facts[number].people_summary is None:  # it counts rows
            changes = _disclose_changes(count_changed_people(joint, 0, number), least)
        by = beaten[number]
        candidates.append(
            ComparedRelease(
                letter=letter,
                name=comparison.names[number],
                scope=shown[number].results[0].scope if public else disclose_scope(one.scope, next(iter(own.values()))),
                holds=shown[number].holds,
                beaten_by=None if by is None else comparison.letters[by],
                rows_loser=NoLoser.UNTOLD if public else find_row_loser(values[number], one.scope.suppressed),
                detail_loser=NoLoser.UNTOLD if public else find_detail_loser(one, own),
                changes=changes,
                premises=shown[number].premises,
            )
        )
    return ComparisonView(
        title=comparison.title,
        candidates=tuple(candidates),
        rows=rows,
        columns=() if public else tuple(build_column_rows(comparison, shown, may)),
        values=() if public or not may.labels else tuple(zip(*(one.values() for one in values), strict=True)),
        may=may,
        public=public,
        paired=joint is not None,
        notes=tuple(_list_notes(shown, comparison.letters)),
    )


def _disclose_changes(people: Mapping[str, int], least: int) -> dict[str, Count]:
    """Return the number of people affected by each change; a band if fewer than `least`.

    The suppressed rows of each release are shown. So if only one of "suppressed" and "published" is small, it follows
    from the other counts, and a band would hide nothing.
    """
    few = {kind for kind, many in people.items() if 0 < many < least}
    follows = few & {"suppressed", "published"}
    few -= follows if len(follows) == 1 else set()
    return {kind: CountBand(0, least - 1) if kind in few else many for kind, many in people.items()}


def _list_notes(shown: Sequence[Evaluation], letters: str) -> list[tuple[str, Note]]:
    """Return warnings, leading ones first, and notes on guessed encodings, with the letters of their releases.

    A note that concerns all releases, or that names a file, has no letters.
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


def _measure_point(evaluation: Evaluation) -> tuple[Number | None, ...]:
    """Return the point of a release for the front: highest and mean risk, loss, suppressed rows; less is better."""
    risk = next((one for one in evaluation if isinstance(one.measure, ReidentificationRisk)), None)
    risks = [None if risk is None else risk.parts[name].best_known for name in RISK_FIGURES]
    kept = next((one.best_known for one in evaluation if isinstance(one.measure, Granularity)), None)
    return *risks, None if kept is None else -kept, evaluation.results[0].scope.suppressed
