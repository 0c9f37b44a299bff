"""The columns of a release with their hierarchies, and the counts of the values of each.

`Columns` determines at which level each cell is released. `ReleasedValues` counts each value in the release and in the
original.

`check_pairing` checks that the rows of original and release pair. If they are in another order, results are wrong
without looking wrong. Columns are judged by how well their released cells match (`fit.py`). A column that matches well,
and better than a random permutation, *confirms* the pairing. Mismatches *cluster* if they meet in the same rows more
often than cells that were changed independently; the tally of pairs suffices for that. A row offset is tested last:
after one lost or inserted row, rows match the original some rows later. The tables are then read once more, side by
side, and only sums are kept: those behind the row that best divides matching rows from others, among the rows read so
far.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import chain, combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from PETWorks.errors import CellText, PairingError, PETWorksError, Quantity, UnknownLevelsError
from PETWorks.facts.cells import Cells
from PETWorks.facts.classes import Unit
from PETWorks.facts.fit import MAX_MISFIT, ColumnMatch, GroupedKinds
from PETWorks.facts.memo import cached
from PETWorks.facts.notes import Name, Note
from PETWorks.facts.roles import Roles
from PETWorks.facts.spread import Spread
from PETWorks.facts.tallies import InputTables, Tallies
from PETWorks.hierarchies.hierarchy import Hierarchy
from PETWorks.tables.counting.count import Batch
from PETWorks.tables.counting.size_histogram import Grouping
from PETWorks.tables.counting.tally import Before, Coded, IntArray, Key, Mask, Tally, Value, narrow, sum_by_group, widen

if TYPE_CHECKING:
    from PETWorks.facts.facts import Facts


MAX_OFFSET = 3  # the most rows of an offset
OFFSETS = (0, 1, -1, 2, -2, 3, -3)
MAX_LOOKUP_PAIRS = 2**22  # the most pairs of values in a lookup table
MIN_MISMATCHES = 10  # fewer mismatches disclose little about the order of rows


class RowOffset(NamedTuple):
    """A row offset: from a row on, counted from 1, released rows match the original `on` rows later."""

    row: int
    on: int


def find_suspects(fits: Sequence[ColumnMatch]) -> list[ColumnMatch]:
    """Return the columns that match best; none if they have too few mismatches."""
    least = min((fit.off for fit in fits), default=0)
    chosen = [fit for fit in fits if fit.off <= 2 * least]
    return chosen if sum(fit.unexplained for fit in chosen) >= MIN_MISMATCHES else []


def find_row_offset(fits: Sequence[ColumnMatch], batches: Iterable[Batch], marker: str) -> RowOffset | None:
    """Return the offset that explains most, if it explains more than half of the mismatches; None if there is none.

    Each batch has the original's columns, then the released quasi-identifiers, both in the order of `fits`; further
    quasi-identifiers are last.
    """
    rows, all_wrong = fits[0].rows, sum(fit.unexplained for fit in fits)
    row, seen, wrong, lead, from_row = 0, 0, 0, 0, 0
    fitting, behind, wrong_behind = np.zeros(len(OFFSETS), dtype=np.int64), 0, 0
    for fitting_cells, published in _compare_windows(fits, batches, marker):
        misfits = np.where(published, len(fits) - fitting_cells[0].astype(np.int64), 0)
        rows_so_far, wrong_so_far = seen + np.cumsum(published), wrong + np.cumsum(misfits)
        leads = widen(rows_so_far, rows * all_wrong) * all_wrong - rows * wrong_so_far
        first = 0
        if leads.max() > lead:
            first = int(leads.argmax()) + 1
            lead, from_row = leads.max(), row + first
            fitting[:], behind, wrong_behind = 0, 0, 0
        fitting += fitting_cells[:, first:][:, published[first:]].sum(axis=1, dtype=np.int64)
        behind += int(published[first:].sum()) * len(fits)
        wrong_behind += int(misfits[first:].sum())
        row, seen, wrong = row + len(published), int(rows_so_far[-1]), int(wrong_so_far[-1])
    best = 1 + int(fitting[1:].argmax())
    if wrong_behind < MIN_MISMATCHES or 2 * fitting[best] <= behind + fitting[0]:
        return None
    return RowOffset(from_row + 1, OFFSETS[best])


def _compare_windows(
    fits: Sequence[ColumnMatch], batches: Iterable[Batch], marker: str
) -> Iterator[tuple[IntArray, Mask]]:
    """Yield, for rows in order, how many cells match the original at each of OFFSETS, and which rows are published."""
    looked_up = [_build_lookup(fit) for fit in fits]
    outside = [np.full(MAX_OFFSET, len(fit.original.values), dtype=np.int32) for fit in fits]
    before, after = outside, [np.zeros(0, dtype=np.int32)] * len(fits)
    published = np.zeros(0, dtype=bool)
    read = (_read_codes(fits, batch, marker) for batch in batches)
    end = outside, [np.zeros(MAX_OFFSET, dtype=np.int32)] * len(fits), np.zeros(MAX_OFFSET, dtype=bool)
    for originals, released, shown in chain(read, [end]):
        before = [np.append(*both) for both in zip(before, originals, strict=True)]
        after = [np.append(*both) for both in zip(after, released, strict=True)]
        published = np.append(published, shown)
        if (ready := len(published) - MAX_OFFSET) <= 0:
            continue
        fitting = np.zeros((len(OFFSETS), ready), dtype=np.min_scalar_type(len(fits)))
        for fit, original, cells in zip(looked_up, before, after, strict=True):
            for number, step in enumerate(OFFSETS):
                fitting[number] += fit(original[MAX_OFFSET + step : MAX_OFFSET + step + ready], cells[:ready])
        yield fitting, published[:ready]
        before, after = [one[ready:] for one in before], [one[ready:] for one in after]
        published = published[ready:]


def _build_lookup(fit: ColumnMatch) -> Callable[[IntArray, IntArray], Mask]:
    """Return a function of codes that is True if they match; an original code beyond the last stands for no row."""
    originals, released = len(fit.original.values), len(fit.released.values)
    if originals * released > MAX_LOOKUP_PAIRS:
        return lambda one, other: (one < originals) & fit.find_matches(np.minimum(one, originals - 1), other)
    table = np.zeros((originals + 1) * released, dtype=bool)
    table[:-released] = fit.find_matches(*(codes.ravel() for codes in np.indices((originals, released))))
    return lambda one, other: table[one * np.int64(released) + other]


def _read_codes(fits: Sequence[ColumnMatch], batch: Batch, marker: str) -> tuple[list[IntArray], list[IntArray], Mask]:
    """Return the codes of original and released cells, as `fits` code them, and which rows are not suppressed."""
    columns = list(batch)
    originals, released = columns[: len(fits)], columns[len(fits) :]
    hidden = np.all([column.codes == column.code(marker) for column in released], axis=0)
    before = [_recode(column, fit.original) for fit, column in zip(fits, originals, strict=True)]
    after = [_recode(column, fit.released) for fit, column in zip(fits, released[: len(fits)], strict=True)]
    return before, after, ~hidden


def _recode(column: Coded, known: Coded) -> IntArray:
    """Return codes of the same values in another column's coding."""
    code_of = {value: code for code, value in enumerate(known.values)}
    return np.array([code_of.get(value, 0) for value in column.values], dtype=np.int32)[column.codes]


HALF = Fraction(1, 2)
HINT = 'pass key=, or pairing="position" if they are in the same order'
MIN_MEETINGS = 5  # the fewest pairs of mismatches in the same row that are worth a warning


@dataclass(frozen=True, eq=False)
class Pairing:
    """The columns of the pairs' tally, and whether its rows pair; suppressed rows do not count."""

    fits: Sequence[ColumnMatch]
    tally: Tally  # the pairs
    published: Mask  # of the entries of the tally
    vouched: bool = False  # True: the caller vouches for the pairing

    @cached_property
    def informative(self) -> list[ColumnMatch]:
        """The columns in which wrong pairs can show."""
        return [fit for fit in self.fits if fit.is_informative]

    @cached_property
    def unexplained(self) -> dict[str, int]:
        """By column, the number of cells that are no generalisation of their original; only columns with such cells."""
        return {fit.cells.name: fit.unexplained for fit in self.fits if fit.unexplained}

    @cached_property
    def notes(self) -> tuple[Note, ...]:
        """Warnings for every result that compares released cells with their originals."""
        notes = []
        if self.unexplained:
            columns, of = tuple(map(Name, self.unexplained)), len(self.unexplained) * self.fits[0].rows
            cells = {"cells": sum(self.unexplained.values()), "of": of, "by_column": self.unexplained}
            notes.append(Note("unexplained", cells | {"columns": columns}, warning=True))
        if not self.vouched and (share := self.displaced):
            rows = {"rows": round(share * self.fits[0].rows), "of": self.fits[0].rows}
            notes.append(Note("displaced", rows, warning=True))
        return tuple(notes)

    @cached_property
    def rows_pair(self) -> bool:
        """False if the rows do not seem to pair; their order is not considered."""
        if not any(fit.unexplained for fit in self.informative):
            return True
        vouching = [fit for fit in self.informative if fit.confirms_pairing]
        if not vouching:
            return self._is_scattered
        doubted = [fit for fit in self.informative if fit.off > MAX_MISFIT]
        if len(doubted) < len(vouching):
            return True
        names = [fit.cells.name for fit in vouching]
        group, _ = self.tally.where(self.published).group(names)
        counts = self.tally.counts[self.published]
        alike = (GroupedKinds.from_entries(group, fit.cells.of_entry[self.published], counts) for fit in doubted)
        return sum(fit.contradicts(rows) for fit, rows in zip(doubted, alike, strict=True)) < len(vouching)

    @cached_property
    def displaced(self) -> Fraction:
        """The share of rows that seem to be out of place while the others pair; 0 if nothing suggests it."""
        wrong = sum(fit.unexplained > 0 for fit in self._close_columns)
        enough = self._meetings >= MIN_MEETINGS and 2 * wrong >= len(self.informative)
        return self._least_misfit if self.rows_pair and self._is_clustered and enough else Fraction(0)

    @property
    def _is_scattered(self) -> bool:
        """True if mismatches are spread over the rows as if cells had been changed one by one."""
        enough = len(self._close_columns) >= 2 and 2 * len(self._close_columns) >= len(self.informative)  # noqa: PLR2004 (a pair)
        if not enough or self._is_clustered or not self._least_misfit:
            return False
        crowded = self._by_chance / self._least_misfit
        return (crowded - self._by_chance) ** 2 >= 9 * crowded

    @cached_property
    def _close_columns(self) -> list[ColumnMatch]:
        """The columns that would match if at most half of the rows were out of place."""
        return [fit for fit in self.informative if fit.misfit <= HALF]

    @cached_property
    def _least_misfit(self) -> Fraction:
        """The least misfit of a column with mismatches; 0 if there is none."""
        return min((fit.misfit for fit in self._close_columns if fit.misfit), default=Fraction(0))

    @cached_property
    def _meetings(self) -> int:
        """The number of pairs of mismatches in the same row."""
        wrong = np.zeros(len(self.tally.counts), dtype=np.int64)
        for fit in self._close_columns:
            wrong += fit.wrong[fit.cells.of_entry]
        by_number = np.bincount(wrong, weights=self.tally.counts).astype(np.int64).tolist()
        return sum(number * (number - 1) // 2 * rows for number, rows in enumerate(by_number))

    @cached_property
    def _by_chance(self) -> Fraction:
        """The expected number of pairs of wrong cells in one row, if cells had been changed one by one."""
        both = combinations((fit.unexplained for fit in self._close_columns), 2)
        return sum((Fraction(one * other, self.informative[0].rows) for one, other in both), start=Fraction(0))

    @property
    def _is_clustered(self) -> bool:
        """True if there are as many of these pairs as rows out of place would have, not as many as by chance."""
        return self._meetings**2 * self._least_misfit > self._by_chance**2


def check_pairing(pairing: Pairing, tables: InputTables) -> Pairing:
    """Return the pairing; raise an error if the rows do not seem to pair, unless the caller vouches for it."""
    if tables.vouched:
        return replace(pairing, vouched=True)
    shift = None if tables.key or not pairing.unexplained else _search_row_offset(pairing, tables)
    if pairing.rows_pair and not shift:
        return pairing
    if tables.key:
        problem = 'rows with the same "{key}" do not seem to belong together'
        hint = 'check key=, or pass pairing="key" if "{key}" is right'
        raise PairingError(problem, where=tables.release.name, hint=hint, figures={"key": tables.key})
    problem, figures = "the rows of the two tables do not seem to be in the same order", dict[str, object]()
    if shift:
        problem += ": from near row {row} on they fit the original {rows} {way}"
        figures |= {"row": CellText(f"{shift.row:,}"), "rows": Quantity(abs(shift.on), "row")}
        figures |= {"way": "on" if shift.on > 0 else "back"}
    raise PairingError(problem, where=tables.release.name, hint=HINT, figures=figures)


def _search_row_offset(pairing: Pairing, tables: InputTables) -> RowOffset | None:
    """Look for a row offset; reads both tables once more if one is likely."""
    if not (fits := find_suspects(pairing.informative)):
        return None
    first = [fit.cells.name for fit in fits]
    others = [fit.cells.name for fit in pairing.fits if fit not in fits]
    return find_row_offset(fits, tables.read_side_by_side(first, [*first, *others]), tables.marker)


NO_LEAF = "not on the lowest level of the hierarchy"  # these two follow "1 value is" or "2 values are" in errors
NO_LEVEL = "not in the hierarchy"
IS_SUPPRESSED = Before("")  # synthetic key for "the whole row is suppressed"; "" cannot clash with a column name


@dataclass(frozen=True, eq=False)
class Columns:
    """Quasi-identifiers with their hierarchies; raises errors for values that a hierarchy lacks."""

    _tables: InputTables
    _tallies: Tallies
    _roles: Roles
    _hierarchies: Mapping[str, Hierarchy]
    _forgiving: bool
    _unchanged: Columns | None = None  # the columns as released, if these are changed as in `what_if`

    @property
    def joint(self) -> Tally:
        """The tally that cells are read from: the pairs if there is an original, else the release."""
        return self._tallies.released if self._tables.paired_original is None else self._tallies.paired

    @cached_property
    def without_levels(self) -> tuple[str, ...]:
        """The quasi-identifiers whose levels are unknown, since there is no original and no hierarchy."""
        names = self._roles.quasi_identifiers if self._tables.paired_original is None else ()
        return tuple(name for name in names if name not in self._hierarchies)

    @property
    def cells(self) -> tuple[Cells, ...]:
        """The cells of every quasi-identifier; a column without levels is an error."""
        if self.without_levels:
            raise UnknownLevelsError.of(self.without_levels)
        return self.cells_with_levels

    @cached
    def cells_with_levels(self) -> tuple[Cells, ...]:
        """The cells of the other quasi-identifiers; a value that its hierarchy lacks is an error, unless forgiven."""
        for cells in self._unchecked:
            self.refuse_unknown(cells, cells.unknown)
            if cells.original is not None:
                self._refuse_originals(cells, ~cells.marked & ~cells.generalisable)
        _ = self.pairing
        return self._unchecked

    @cached_property
    def _unchecked(self) -> tuple[Cells, ...]:
        names = [name for name in self._roles.quasi_identifiers if name not in self.without_levels]
        return tuple(map(self.build_cells, names))

    @cached
    def pairing(self) -> Pairing | None:
        """The pairing of rows with the original; None without one. Rows that do not seem to pair are an error.

        It is that of the release as it is, since changes as in `what_if` do not move rows.
        """
        if self._unchanged is not None:
            return self._unchanged.pairing
        if self._tables.paired_original is None:
            return None
        return check_pairing(self._unchecked_pairing, self._tables)

    @cached_property
    def _unchecked_pairing(self) -> Pairing:
        fits = [ColumnMatch(cells, self._forgiving) for cells in self._unchecked]
        return Pairing(fits, self.joint, ~self._suppressed)

    def build_cells(self, name: str) -> Cells:
        """Build the cells of one quasi-identifier, unchecked: its hierarchy may lack some of the values."""
        keys: list[Key] = [key for key in (Before(name), name) if key in self.joint.columns]
        hidden = Coded(self._suppressed.astype(np.uint8), ("published", "suppressed"))
        columns = {key: self.joint.columns[key] for key in keys} | {IS_SUPPRESSED: hidden}
        of_entry, kinds = Tally(columns, self.joint.counts).group(list(columns))
        return Cells(
            name,
            self.find_hierarchy(name),
            kinds.columns[name],
            kinds.columns.get(Before(name)),
            kinds.columns[IS_SUPPRESSED].codes == 1,
            kinds.counts,
            self._tables.marker,
            narrow(of_entry, len(kinds.counts)),
        )

    @cached_property
    def _suppressed(self) -> Mask:
        return Grouping(self._roles.quasi_identifiers, self._tables.marker).find_suppressed(self.joint)

    def find_hierarchy(self, name: str) -> Hierarchy:
        """Return the hierarchy of a column; if it has none, a flat one of its values below ``*``."""
        if name in self._hierarchies:
            return self._hierarchies[name]
        released, tallies = self._tables.paired_original is None, self._tallies
        cells = tallies.released.columns[name] if released else tallies.before.columns[Before(name)]
        return Hierarchy.flat(name, (value for value in cells.values if value != self._tables.marker))

    def generalise(self, cells: Cells, level: int) -> Coded:
        """Return the original's cells, of each kind, generalised to a level."""
        self._tables.require_original([cells.name])
        self._refuse_originals(cells, ~cells.generalisable)
        return cells.generalise(level)

    def find_sensitive_hierarchy(self, spread: Spread) -> Hierarchy:
        """Return the hierarchy of a sensitive attribute, which must have all its values as leaves."""
        hierarchy, column = self._hierarchies[spread.name], self._tallies.released.columns[spread.name]
        published = set(spread.values)
        strange = np.array([value in published and value not in hierarchy for value in column.values])
        self._refuse("release", spread.name, self._tallies.released, strange[column.codes], NO_LEAF, always=True)
        return hierarchy

    def refuse_unknown(self, cells: Cells, unknown: Mask) -> None:
        """Raise an error for cells whose values the hierarchy lacks, unless the caller allows them."""
        self._refuse("release", cells.name, Tally({cells.name: cells.released}, cells.counts), unknown, NO_LEVEL)

    def refuse_strangers(self, name: str, people: Tally) -> None:
        """Raise an error for values of the population that are not leaves of their hierarchy."""
        if tree := self._hierarchies.get(name):
            column = people.columns[name]
            strange = np.array([value not in tree for value in column.values], dtype=bool)
            self._refuse("population", name, people, strange[column.codes], NO_LEAF, always=True)

    def _refuse_originals(self, cells: Cells, wrong: Mask) -> None:
        """Raise an error for cells whose originals are not leaves of the hierarchy, unless the caller allows them."""
        assert cells.original is not None  # noqa: S101
        self._refuse("original", cells.name, Tally({cells.name: cells.original}, cells.counts), wrong, NO_LEAF)

    def _refuse(self, role: str, name: str, table: Tally, wrong: Mask, what: str, *, always: bool = False) -> None:
        """Raise an error that lists wrong values of a table, unless the caller allows them (`always`: even then)."""
        if not wrong.any() or (self._forgiving and not always):
            return
        column, people = table.columns[name], self._count_people(role, name, table)
        values = [column.values[code] for code in np.unique(column.codes[wrong]).tolist()]
        holders = {value: people[value] for value in values}
        known = name in self._hierarchies
        fix = f"correct {self._hierarchies[name].where}" if known else "pass a hierarchy for this column"
        option = "" if always else ', or count such cells as fully generalised: unknown_values="generalised"'
        raise self._tables.build_unknown_error(role, name, holders, what, fix + option)

    def _count_people(self, role: str, name: str, table: Tally) -> dict[Value, int]:
        """Count the people who have each value of a column; its rows if no column names the persons."""
        column, tallies, persons = table.columns[name], self._tallies, self._tallies.persons
        if role == "population":
            held = self._tables.count_population_with_persons(self._roles.quasi_identifiers)
            column, persons = (column, None) if held is None else (held.tally.columns[name], held.persons)
        elif persons is not None and role == "original":
            column, persons = tallies.paired.columns[Before(name)], tallies.paired_persons
        elif persons is not None:
            column = tallies.released.columns[name]
        many = len(column.values)
        people = (
            sum_by_group(column.codes, table.counts, many)
            if persons is None
            else persons.count_people(column.codes, many)
        )
        return dict(zip(column.values, people.tolist(), strict=True))


@dataclass(frozen=True, eq=False)
class ReleasedValues:
    """The values of a quasi-identifier with their counts; a value of suppressed rows only has the count 0."""

    values: Sequence[Value]
    after: IntArray  # unsuppressed rows of the release that have the value
    before: IntArray | None  # rows of the original with the value at that level; None without an original
    level: int | None  # the level to which the original is generalised before it is counted
    mixed: bool  # True: unsuppressed cells are on different levels, so that one value is released in several forms
    gone: int  # rows of the original whose value, at that level, no unsuppressed row of the release has any more
    kinds: IntArray  # values of the same kind are on the same level and stand for equally many leaves

    def has_few_beside_kinds(self, least: int) -> bool:
        """Return True if there are several kinds of values, and fewer than `least` people have one of the values.

        Scores by leaves disclose how many people each kind has; beside bands and sizes of classes, that may tell how
        many people have the value.
        """
        occurs = self.after > 0
        return len(np.unique(self.kinds[occurs])) > 1 and bool((self.after[occurs] < least).any())


def count_released_values(facts: Facts, column: str) -> ReleasedValues:
    """Count the values of a quasi-identifier, cached for these facts."""
    return facts.cache(("released values", column), lambda: _count_values(facts, column))


def _count_values(facts: Facts, column: str) -> ReleasedValues:
    classes = facts.groups(Unit.ROWS, with_values=True)
    coded = classes.columns[column]
    after = sum_by_group(coded.codes, classes.sizes, len(coded.values))
    level, before, mixed, gone = None, None, False, 0
    try:
        cells = facts.columns.build_cells(column)
        mixed = not cells.on_one_level
        if cells.original is not None:
            level = int(cells.levels[~cells.marked].max()) if not cells.marked.all() else cells.hierarchy.height
            lifted = cells.generalise(level)
            found = dict(zip(lifted.values, sum_by_group(lifted.codes, cells.counts, len(lifted.values)), strict=True))
            before = np.array([found.get(value, 0) for value in coded.values], dtype=np.int64)
            gone = int(cells.counts.sum() - before[after > 0].sum())
    except PETWorksError:  # rows that do not pair are reported by the measures that need pairs
        level, before = None, None
    return ReleasedValues(coded.values, after, before, level, mixed, gone, _number_kinds(facts, column, coded.values))


def _number_kinds(facts: Facts, column: str, values: Sequence[Value]) -> IntArray:
    """Return the index of each value's kind: its level and number of leaves; the marker is a kind of its own."""
    tree, kinds = facts.hierarchies.get(column), dict[tuple[int, int], int]()

    def kind(value: Value) -> tuple[int, int]:
        if value == facts.marker:
            return -1, 0
        level = tree.lowest.get(value, -1) if tree else 0
        return level, tree.size(value, level) if tree else 1

    return np.array([kinds.setdefault(kind(value), len(kinds)) for value in values], dtype=np.int64)
