"""Find violations of each premise, on all rows, before acceptances are applied.

`PremiseChecker` has a method for each premise. It returns the findings and, where they belong to rows, masks of these
rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from PETWorks.facts.memo import Memo, cached
from PETWorks.facts.notes import FORMULAS, Name, Note
from PETWorks.inspection.rows_of_people import ACTS, NUMBER, RepeatFinder, Repeats
from PETWorks.measure.base import Measure
from PETWorks.premises.adversary import Adversary
from PETWorks.premises.contents import find_formulas, find_identifiers, join_masks
from PETWorks.premises.free_text import find_lone_texts
from PETWorks.premises.knowledge import find_people
from PETWorks.premises.known_values import KnownValues
from PETWorks.premises.limits import covers_sensitive, find_working_limits, protects_people
from PETWorks.premises.people_of_rows import PeopleOfRows, are_many, group_columns
from PETWorks.premises.tables import CheckedTables, UncheckedError, are_same_rows
from PETWorks.shown import THRESHOLD
from PETWorks.tables.counting.tally import Coded, IntArray, Mask, find_distinct
from PETWorks.tables.counting.texts import find_cells, take_values
from PETWorks.tables.row_codes import RowCodes

Rows = Callable[[], Mask]
ABOUT_PEOPLE = ("people", "fingerprint", "rest", "adversaries")  # premises on whom a row of the release is
COMMON_SHARE = 100  # a value of an identifier that more than one in so many rows has names nobody


@dataclass
class Finding:
    """The findings against a premise: figures by column and of the whole table; the reason if a part is unchecked."""

    columns: dict[str, Any] = field(default_factory=dict)
    counts: dict[str, Any] = field(default_factory=dict)
    unchecked: str = ""
    failing: tuple[str, ...] | None = None  # the columns that fail; None: all of `columns`
    unacceptable: tuple[str, ...] = ()  # columns that nobody can accept
    rows: dict[str, Rows] = field(default_factory=dict)  # by column


@dataclass(frozen=True, eq=False)
class PremiseChecker:
    """Finds violations of each premise in the tables of a release."""

    tables: CheckedTables
    measures: Sequence[Measure] = ()  # with the limits that are required
    unassigned: Sequence[str] = ()  # columns without a role, although others have one
    adversaries: Sequence[Adversary] = ()
    _memo: Memo = field(default_factory=Memo, init=False, repr=False)

    def find(self, premise: str) -> Finding:
        """Return the findings against a premise, or the reason why it cannot be checked."""
        finders = {
            "requirement": self.find_requirement,
            "identifiers": self.find_identifiers,
            "columns": self.find_columns,
            "contents": self.find_contents,
            "free_text": self.find_free_text,
            "people": self.find_people,
            "covered": self.find_covered,
            "fingerprint": self.find_fingerprint,
            "rest": self.find_rest,
            "adversaries": self.find_adversaries,
            "changed": self.find_changed,
        }
        if premise in ABOUT_PEOPLE and self.tables.facts.synthetic:
            return Finding()  # its rows are nobody's
        try:
            return self._memo.cache(premise, finders[premise])
        except UncheckedError as error:
            return Finding(unchecked=error.reason)

    def _gather(self, names: Sequence[str], find: Callable[[str, Finding], None]) -> Finding:
        """Check the columns one by one; a column that cannot be checked does not stop the others."""
        finding = Finding()
        for name in names:
            try:
                find(name, finding)
            except UncheckedError as error:
                finding.unchecked = finding.unchecked or error.reason
        return finding

    def _mark_rows(self, name: str, values: Mask) -> Rows:
        return lambda: values[self.tables.released[name].codes]

    # About columns and requirements.

    def find_requirement(self) -> Finding:
        """Find out whether any requirement has a limit that a table can fail."""
        if any(map(protects_people, self.measures)):
            return Finding()
        judging = [one for one in self.measures if one.family != "utility" and one.judges]
        void = [one.name for one in judging if not find_working_limits(one)]
        return Finding({"": 0}, {"void": void} if void else {})

    def find_columns(self) -> Finding:
        """Find columns without a role, and columns that the original does not have."""
        original = self.tables.inputs.original
        found = dict.fromkeys(self.unassigned, "no role")
        if original is not None:
            lacking = [name for name in self.tables.inputs.release.columns if name not in original.columns]
            found |= {name: "not in the original" for name in lacking if name not in found}
        return Finding(found)

    def find_identifiers(self) -> Finding:
        """Find cells in identifier columns, and count those that are values of the original."""
        finding = self._gather(self.tables.identifiers, self._look_at_identifier)
        finding.unacceptable = tuple(name for name, found in finding.columns.items() if found["original"])
        return finding

    def _look_at_identifier(self, name: str, finding: Finding) -> None:
        counted = self.tables.count_column(name)
        cells = find_cells(counted.values, self.tables.marker)
        if not cells.any():
            return
        before = self.tables.read_original_values(name)
        known = set(before[0]) if before else set()
        places = np.flatnonzero(cells).tolist()
        same = [place for place in places if counted.values[place] in known]
        finding.columns[name] = {"rows": int(counted.rows[cells].sum()), "original": int(counted.rows[same].sum())}
        finding.rows[name] = self._mark_rows(name, cells)

    # About the texts in cells.

    @cached
    def known_values(self) -> KnownValues:
        """The values of the identifier columns: those of the original, else those of the release."""
        return KnownValues.of(self._yield_known_columns())

    def _yield_known_columns(self) -> Iterator[Sequence[str]]:
        for name in self.tables.all_identifiers:
            found = self.tables.read_original_values(name)
            if found is None:
                if name not in self.tables.inputs.release.columns or self.tables.inputs.original is not None:
                    continue
                counted = self.tables.count_column(name)
                cells = np.flatnonzero(find_cells(counted.values, self.tables.marker))
                found = [counted.values[code] for code in cells.tolist()], counted.rows[cells]
            values, rows = found
            common = (rows >= THRESHOLD) & (COMMON_SHARE * rows > rows.sum())
            yield [str(values[place]) for place in np.flatnonzero(~common).tolist()]

    def find_contents(self) -> Finding:
        """Find direct identifiers in the cells of published columns."""
        return self._gather(self.tables.published, self._look_at_contents)

    def _look_at_contents(self, name: str, finding: Finding) -> None:
        counted = self.tables.count_column(name)
        places = np.flatnonzero(find_cells(counted.values, self.tables.marker))
        texts = take_values(counted.values, places)
        if not len(places):
            return
        masks = find_identifiers(name, texts, self.known_values)
        if masks:
            finding.columns[name] = {kind: int(counted.rows[places[mask]].sum()) for kind, mask in masks.items()}
            values = np.zeros(len(counted.values), dtype=bool)
            values[places[join_masks(masks.values(), len(texts))]] = True
            finding.rows[name] = self._mark_rows(name, values)

    def find_formulas(self) -> Note | None:
        """Return a note on cells that a spreadsheet program runs, in any column of the release; None without any."""
        found = dict[str, int]()
        for name in self.tables.inputs.release.columns:
            try:
                counted = self.tables.count_column(name)
            except UncheckedError:  # then a premise says so
                continue
            formulas = find_formulas(counted.values) & find_cells(counted.values, self.tables.marker)
            if rows := int(counted.rows[formulas].sum()):
                found[name] = rows
        if not found:
            return None
        return Note(FORMULAS, {"columns": [*map(Name, found)], "cells": sum(found.values())}, warning=True)

    def find_free_text(self) -> Finding:
        """Find published columns that hold free text."""
        return self._gather(self.tables.published, self._look_at_free_text)

    def _look_at_free_text(self, name: str, finding: Finding) -> None:
        counted = self.tables.count_column(name, with_people=True)
        places = np.flatnonzero(find_cells(counted.values, self.tables.marker))
        cells = int(counted.rows[places].sum())
        lone = find_lone_texts(take_values(counted.values, places), counted.people[places], cells)
        if lone is not None:
            finding.columns[name] = {"rows": int(lone.sum()), "of": cells}
            values = np.zeros(len(counted.values), dtype=bool)
            values[places[lone]] = True
            finding.rows[name] = self._mark_rows(name, values)

    # About people.

    def find_people(self) -> Finding:
        """Find columns by which several rows belong to one person."""
        tables, before = self.tables, self.tables.inputs.original is not None
        base = tables.original if before else tables.released
        people = tables.people if tables.person is not None else None
        finder = RepeatFinder(
            base,
            base.rows,
            tables.marker,
            tables.all_identifiers,
            tables.facts.roles.quasi_identifiers,
            [one for one in (tables.inputs.weight, tables.person) if one is not None],
            None if people is None else self._number_people(base, people),
        )
        found = finder.find()
        finding = Finding({name: self._describe_repeats(name, one, base) for name, one in found.items()})
        for name in found:
            finding.rows[name] = partial(self._find_repeating, name)
        return finding

    def _number_people(self, base: RowCodes, people: PeopleOfRows) -> IntArray:
        """Return the number of the person of each row in the table that is being checked."""
        if base is self.tables.released:
            return np.arange(base.rows) if people.of_row is None else people.of_row
        column = base.get(str(self.tables.person))
        if column is not None:
            own = PeopleOfRows.of_column(column, base.rows, (None, self.tables.marker))
            return np.arange(base.rows) if own.of_row is None else own.of_row
        of_row = np.arange(self.tables.released.rows) if people.of_row is None else people.of_row
        numbers = people.people + np.arange(base.rows)  # rows that are not in the release are people of their own
        numbers[self.tables.pairing] = of_row
        return np.unique(numbers, return_inverse=True)[1]

    def _describe_repeats(self, name: str, found: Repeats, base: RowCodes) -> dict[str, Any]:
        told: dict[str, Any] = {"rows": found.rows, "values": found.values, "by": found.by}
        if found.by in (NUMBER, ACTS) and (smallest := self._find_smallest(base[name], base)):
            told["smallest"] = smallest
        return told

    def _align(self, column: Coded, base: RowCodes) -> Coded | None:
        """Return a column of the table `base` in the row order of the release; None if rows do not pair."""
        if base is self.tables.released:
            return column
        return column.take(self.tables.pairing) if self.tables.pairs_surely() else None

    def _find_smallest(self, column: Coded, base: RowCodes) -> list[int] | None:
        """Return the size of the smallest class, in rows, and in people if there is a person column."""
        aligned, kept = self._align(column, base), ~self.tables.suppressed
        if aligned is None or not kept.any():
            return None
        people = PeopleOfRows.of_column(aligned.take(kept), int(kept.sum()), (None, self.tables.marker))
        chosen = [self.tables.released[name].take(kept) for name in self.tables.facts.roles.quasi_identifiers]
        ids, many = group_columns(chosen, int(kept.sum()))
        return [int(np.bincount(ids).min()), int(people.count_by_group(ids, many).min())]

    def _find_repeating(self, name: str) -> Mask:
        base = self.tables.original if self.tables.inputs.original is not None else self.tables.released
        aligned = self._align(base[name], base)
        if aligned is None:
            return np.zeros(self.tables.released.rows, dtype=bool)
        cells = find_cells(aligned.values, self.tables.marker)
        return ((np.bincount(aligned.codes, minlength=len(cells)) > 1) & cells)[aligned.codes]

    # About what columns give away.

    def find_covered(self) -> Finding:
        """Find sensitive columns that no requirement covers."""
        names = [
            name
            for name in self.tables.facts.roles.sensitive
            if not any(covers_sensitive(one, name) for one in self.measures)
        ]
        return self._gather(names, self._look_at_uncovered)

    def _look_at_uncovered(self, name: str, finding: Finding) -> None:
        counted = self.tables.count_column(name)
        cells = find_cells(counted.values, self.tables.marker) & (counted.rows > 0)
        if cells.sum() < 2:  # noqa: PLR2004
            return
        finding.columns[name] = {"values": int(cells.sum())}
        try:
            rows = self._find_uniform_classes(name)
        except UncheckedError:
            return
        finding.columns[name]["same"] = self.tables.people.count(rows)
        finding.rows[name] = lambda: rows

    def _find_uniform_classes(self, name: str) -> Mask:
        """Return a mask of the rows in classes whose people all have the same value of a sensitive column."""
        (ids, many), column = self.tables.known_groups, self.tables.released[name]
        size = max(1, len(column.values))
        pairs = find_distinct(ids.astype(np.int64) * size + column.codes)
        uniform = np.bincount(pairs // size, minlength=many) == 1
        found: Mask = uniform[ids] & ~self.tables.suppressed
        return found

    def find_fingerprint(self) -> Finding:
        """Find sensitive columns whose values single people out."""
        return self._gather(self.tables.facts.roles.sensitive, self._look_at_fingerprint)

    def _look_at_fingerprint(self, name: str, finding: Finding) -> None:
        counted, everybody = self.tables.count_column(name, with_people=True), self._count_everybody()
        if are_many(counted.lone_people, everybody):
            finding.columns[name] = {"alone": counted.lone_people, "of": everybody}
            cells = find_cells(counted.values, self.tables.marker)
            finding.rows[name] = self._mark_rows(name, cells & (counted.people == 1))

    def _count_everybody(self) -> int:
        try:
            return self.tables.people.people
        except UncheckedError:
            summary = self.tables.facts.people_summary
            return self.tables.facts.scope.rows if summary is None else summary.people

    def find_rest(self, accepted: Sequence[str] = ()) -> Finding:
        """Count the people whom insensitive columns and quasi-identifiers together single out."""
        tables, people = self.tables, self.tables.people
        known, rest = tables.facts.roles.quasi_identifiers, tables.insensitive
        groups = tables.known_groups
        alone = people.find_fewer(*groups, 1)
        everything = tables.group([*known, *rest])
        told = {"all": people.count_fit(*everything, 1), "of": people.people, "qi": alone.people}
        left = [name for name in rest if name not in accepted]
        told["left"] = told["all"] if left == list(rest) else people.count_fit(*tables.group([*known, *left]), 1)
        told["few"] = people.count_fit(*everything, THRESHOLD - 1)
        sensitive = tables.facts.roles.sensitive
        told["with_sensitive"] = people.count_fit(*tables.group([*known, *rest, *sensitive]), 1)
        by_column = {name: people.find_fewer(*tables.group([*known, name]), 1) for name in rest}
        order = sorted(rest, key=lambda name: -by_column[name].people)
        columns = {name: {"alone": by_column[name].people - alone.people} for name in order}
        fails = are_many(told["left"] - told["qi"], people.people)
        rows: dict[str, Rows] = {name: partial(np.logical_and, by_column[name].rows, ~alone.rows) for name in left}
        rows[""] = lambda: people.find_fewer(*tables.group([*known, *left]), 1).rows & ~alone.rows
        return Finding(columns, told, failing=tuple(name for name in order if name in left) if fails else (), rows=rows)

    def find_adversaries(self) -> Finding:
        """Find adversaries who find more people than they may."""
        finding = Finding()
        for one in self.adversaries:
            found = find_people(self.tables, one)
            finding.columns[one.name] = {"found": found.found, "certain": found.certain, "of": found.people}
            if found.found <= one.at_most:
                del finding.columns[one.name]
            else:
                finding.rows[one.name] = partial(np.copy, found.rows)
        return finding

    def find_changed(self) -> Finding:
        """Find out whether the released rows are the unchanged rows of the original."""
        tables = self.tables
        original = tables.inputs.original
        if original is None:
            return Finding(unchecked="original")
        if any(name not in original.columns for name in tables.published):
            return Finding()
        if not are_same_rows(tables.released, tables.original, tables.published):
            return Finding()
        everything = np.ones(tables.released.rows, dtype=bool)
        return Finding({"": tables.released.rows}, rows={"": lambda: everything})


def list_rows(mask: Mask) -> IntArray:
    """Return the row numbers of a mask, from 1."""
    return np.flatnonzero(mask) + 1


def build_row_lists(finding: Finding) -> Mapping[str, IntArray]:
    """Return the row numbers of the findings, by column."""
    return {name: list_rows(rows()) for name, rows in finding.rows.items()}
