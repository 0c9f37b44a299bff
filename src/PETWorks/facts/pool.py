"""The pool: the people of original and hold-out beside the released rows, for releases whose rows do not pair.

Cells are equal if their texts are; in a column that has only plain numbers in all tables, if their numbers are. A
column may be made coarser first: generalised to a level of its hierarchy, or cut into bins of about equally many
original rows.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate, pairwise
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from PETWorks.errors import NotAskableError, PairingError, Quantity, TooLargeError, UnknownNameError, did_you_mean
from PETWorks.exact.limit import parse_number
from PETWorks.facts.notes import Name, Note
from PETWorks.facts.tallies import InputTables, find_tables
from PETWorks.tables.counting.persons import split_persons
from PETWorks.tables.counting.size_histogram import Grouping
from PETWorks.tables.counting.tally import Coded, IntArray, Mask, Tally, Value, pack, rank_keys, sum_by_group

if TYPE_CHECKING:
    from PETWorks.facts.facts import Facts
    from PETWorks.hierarchies.hierarchy import Hierarchy
    from PETWorks.tables.source import TableSource


@dataclass(frozen=True, eq=False)
class PoolSide:
    """The people of one table, by combination of the pool."""

    counts: IntArray  # of each combination, the people who have a row with it
    people: int
    pairs: tuple[IntArray, IntArray] | None = None  # combination and person of each pair; None: a row is a person

    def count(self, chosen: Mask) -> int:
        """Return the number of people who have a row with one of the combinations."""
        if self.pairs is None:
            return int(self.counts[chosen].sum())
        entry, person = self.pairs
        return len(np.unique(person[chosen[entry]]))

    def regroup(self, ids: IntArray, groups: int) -> PoolSide:
        """Return the same people by coarser combinations: `ids` has the new index of each combination."""
        if self.pairs is None:
            return PoolSide(sum_by_group(ids, self.counts, groups), self.people)
        entry, person = self.pairs
        keys = np.unique(ids[entry].astype(np.int64) * max(self.people, 1) + person)
        entry, person = keys // max(self.people, 1), keys % max(self.people, 1)
        return PoolSide(np.bincount(entry, minlength=groups), self.people, (entry, person))


@dataclass(frozen=True, eq=False)
class Pool:
    """Combinations of values that occur in any of the tables, with their counts in each table."""

    columns: Mapping[str, Coded]
    released: IntArray  # rows
    original: PoolSide
    holdout: PoolSide | None
    marker: str

    @cached_property
    def rows(self) -> int:
        """The number of released rows."""
        return int(self.released.sum())

    @cached_property
    def together(self) -> IntArray:
        """The people of original and hold-out together, by combination."""
        return self.original.counts if self.holdout is None else self.original.counts + self.holdout.counts

    def is_suppressed(self, names: Sequence[str]) -> Mask:
        """Return a mask of the combinations whose cells are all the marker in these columns."""
        columns = [self.columns[name] for name in names]
        found: Mask = np.logical_and.reduce([one.codes == one.code(self.marker) for one in columns])
        return found

    def group(self, names: Sequence[str]) -> tuple[IntArray, Pool]:
        """Drop the other columns and regroup; also return, for each combination, its index in the smaller pool."""
        chosen = [self.columns[name] for name in names]
        sizes = [max(1, len(column.values)) for column in chosen]
        packed, _ = pack([column.codes for column in chosen], sizes)
        first, ids = rank_keys(packed, prod(sizes))
        columns = {name: column.take(first) for name, column in zip(names, chosen, strict=True)}
        return ids, Pool(
            columns,
            sum_by_group(ids, self.released, len(first)),
            self.original.regroup(ids, len(first)),
            self.holdout and self.holdout.regroup(ids, len(first)),
            self.marker,
        )

    def count_combinations(self, names: Sequence[str]) -> tuple[IntArray, IntArray]:
        """Return the released rows and the people of the original by combination of some columns; some have neither."""
        chosen = [self.columns[name] for name in names]
        space = prod(max(1, len(column.values)) for column in chosen)
        if space > len(self.released) or self.original.pairs is not None:
            smaller = self.select(names)
            return smaller.released.astype(np.int64), smaller.original.counts.astype(np.int64)
        packed, _ = pack([column.codes for column in chosen], [max(1, len(column.values)) for column in chosen])
        return sum_by_group(packed, self.released, space), sum_by_group(packed, self.original.counts, space)

    def select(self, names: Sequence[str]) -> Pool:
        """Return the pool of only these columns."""
        return self.group(names)[1]

    def matchable(self, keys: Sequence[str]) -> IntArray:
        """Return the released rows of each combination that may match somebody: not those with all keys suppressed."""
        return np.where(self.is_suppressed(keys), 0, self.released) if keys else self.released

    def coarsen(self, levels: Mapping[str, int], bins: Mapping[str, int], trees: Mapping[str, Hierarchy]) -> Pool:
        """Return the pool with some columns generalised to levels of their hierarchies, and others cut into bins."""
        if not levels and not bins:
            return self
        columns = dict(self.columns)
        for name, level in levels.items():
            columns[name] = self._lift(name, level, trees)
        for name, parts in bins.items():
            columns[name] = self._cut_into_bins(name, parts)
        return replace(self, columns=columns).select(list(columns))

    def _lift(self, name: str, level: int, trees: Mapping[str, Hierarchy]) -> Coded:
        if level == 0:  # as it is: values need be no leaves
            return self.columns[name]
        if name not in trees:
            raise NotAskableError(f'levels: "{name}" has no hierarchy', hint="pass hierarchies= for it, or bins=")
        tree, column = trees[name], self.columns[name]
        if not 0 <= level <= tree.height:
            problem = f'levels: the hierarchy of "{name}" has no level {level}'
            raise NotAskableError(problem, hint=f"its levels are 0 to {tree.height}")
        strange = [value for value in column.values if value not in tree and value != self.marker]
        if strange:
            figures = {"values_are": Quantity(len(strange), "value is", "values are"), "name": name}
            problem = 'levels: {values_are} not on the lowest level of the hierarchy of "{name}"'
            raise NotAskableError(problem, hint="complete the hierarchy, or leave the level out", figures=figures)
        return _merge(column, [self.marker if one == self.marker else tree.lift(one, level) for one in column.values])

    def _cut_into_bins(self, name: str, parts: int) -> Coded:
        column = self.columns[name]
        numbers = [parse_number(value) for value in column.values]
        strange = [
            value
            for value, number in zip(column.values, numbers, strict=True)
            if number is None and value not in (None, self.marker)
        ]
        if strange:
            figures = {"values_are": Quantity(len(strange), "value is", "values are"), "name": name}
            raise NotAskableError('bins: {values_are} no number in "{name}"', hint="bin numbers only", figures=figures)
        people = sum_by_group(column.codes, self.original.counts, len(column.values)).tolist()
        return _merge(column, _number_bins(column.values, people, parts))


def number_bins(values: Sequence[Value], original: Sequence[Value], parts: int) -> list[Value]:
    """Return the bin of each value: min(parts - 1, the whole part of parts · (share of original values below it)).

    A value that is missing or not a number has no bin, and stays unchanged.

    >>> number_bins(["1", "2", "3", None], ["1", "1", "1", "1", "1", "1", "1", "2", "3", None], 3)
    ['0', '2', '2', None]
    """
    people = Counter(original)
    known = list(dict.fromkeys([*original, *values]))
    bins = dict(zip(known, _number_bins(known, [people[value] for value in known], parts), strict=True))
    return [bins[value] for value in values]


def _number_bins(values: Sequence[Value], people: Sequence[int], parts: int) -> list[Value]:
    numbers = [parse_number(value) for value in values]
    known = sorted((number, many) for number, many in zip(numbers, people, strict=True) if number is not None)
    ordered, below = [number for number, _ in known], [0, *accumulate(many for _, many in known)]
    whole = below[-1] or 1
    return [
        value if number is None else str(min(parts - 1, parts * below[bisect_left(ordered, number)] // whole))
        for value, number in zip(values, numbers, strict=True)
    ]


def _merge(column: Coded, values: Sequence[Value]) -> Coded:
    """Return a column with other values, equal ones merged."""
    known = {value: code for code, value in enumerate(dict.fromkeys(values))}
    codes = np.fromiter((known[value] for value in values), np.int64, len(values))
    return Coded(codes[column.codes], list(known))


def find_comparable(facts: Facts) -> tuple[str, ...]:
    """Return the columns that release and original share, except identifiers and the person column."""
    tables = find_tables(facts)
    original = tables.require_original(())
    without = {*tables.identifiers, *facts.roles.identifiers, tables.people.column}
    return tuple(name for name in tables.release.columns if name in original.columns and name not in without)


def find_pool(
    facts: Facts, names: Sequence[str], levels: Mapping[str, int] | None = None, bins: Mapping[str, int] | None = None
) -> Pool:
    """Return the pool of some columns, counted once for all measures; raise an error if a table is unsuitable."""
    known, tables = find_comparable(facts), find_tables(facts)
    _require(names, known, tables)
    levels, bins = dict(levels or {}), dict(bins or {})
    if both := [name for name in levels if name in bins]:
        raise NotAskableError(f'"{both[0]}" has a level and bins', hint="leave one of them out")
    for name in (*levels, *bins):
        if name not in known:
            raise UnknownNameError(f'no compared column is called "{name}"', hint=did_you_mean(name, known))
    key = ("pool", tuple(names), tuple(sorted(levels.items())), tuple(sorted(bins.items())))
    lifted, cut = ({name: one for name, one in given.items() if name in names} for given in (levels, bins))
    trees = facts.hierarchies
    return facts.cache(key, lambda: _find_wide(facts, known, names).select(names).coarsen(lifted, cut, trees))


def list_pool_notes(facts: Facts, coarse: Iterable[str]) -> Iterator[Note]:
    """Yield notes on the pool: what cannot be concluded without a hold-out, and which columns are coarser."""
    if facts.has_holdout:
        yield Note("holdout_stated")
    if named := tuple(map(Name, coarse)):
        yield Note("coarser", {"columns": named})
    if not facts.unpaired:
        yield Note("equal_texts")


def _require(names: Sequence[str], known: Sequence[str], tables: InputTables) -> None:
    what = "a compared column"
    original = tables.require_original(())
    for table in (tables.release, original, tables.holdout):
        if table is not None:
            try:
                table.require(names, what, tables.release.columns)
            except UnknownNameError as error:
                raise NotAskableError(error.problem, where=error.where, hint=error.hint) from None
    if hidden := [name for name in names if name not in known]:
        raise NotAskableError(f'"{hidden[0]}" is an identifier, which is not compared', hint="name other columns")


def _find_wide(facts: Facts, known: Sequence[str], names: Sequence[str]) -> Pool:
    """Return the pool of all comparable columns; if it does not fit in memory, the pool of these columns only."""
    tables = find_tables(facts)
    lacking = tables.holdout is not None and any(name not in tables.holdout.columns for name in known)
    if not lacking:
        try:
            return tables.cache("wide pool", lambda: _count(tables, known))
        except TooLargeError:
            pass
    return tables.cache(("pool", tuple(names)), lambda: _count(tables, names))


def _count(tables: InputTables, names: Sequence[str]) -> Pool:
    original, holdout = tables.require_original(()), tables.holdout
    if holdout is not None and tables.has_rows:
        _refuse_overlap(tables, original, holdout)
    released = tables.release.tally(names, tables.workspace)
    counted = [_count_people(tables, one, names) for one in (original, holdout) if one is not None]
    tallies = [released, *(tally for tally, _ in counted)]
    columns = {name: _unify([tally.columns[name] for tally in tallies]) for name in names}
    sizes = [max(1, len(column.values)) for column in columns.values()]
    packed, _ = pack([column.codes for column in columns.values()], sizes)
    first, ids = rank_keys(packed, prod(sizes))
    ends = [0, *accumulate(len(tally.counts) for tally in tallies)]
    places = [ids[start:end] for start, end in pairwise(ends)]
    sides = [_place(side, place, len(first)) for (_, side), place in zip(counted, places[1:], strict=True)]
    return Pool(
        {name: column.take(first) for name, column in columns.items()},
        sum_by_group(places[0], released.counts, len(first)),
        sides[0],
        sides[1] if len(sides) > 1 else None,
        tables.marker,
    )


def _count_people(tables: InputTables, source: TableSource, names: Sequence[str]) -> tuple[Tally, PoolSide]:
    """Return the tally of a table, counted by people if it has a person column."""
    person = tables.people.column
    if person is None:
        tally = source.tally(names, tables.workspace)
        return tally, PoolSide(tally.counts, tally.rows)
    if person not in source.columns:
        problem = 'this table does not have the column of persons, "{person}"'
        hint = "people are counted, in every table: add the column, or leave person= out"
        raise NotAskableError(problem, where=source.name, hint=hint, figures={"person": person})
    grouping = Grouping(tuple(names), tables.marker, person)
    held = split_persons(source.tally([*names, person], tables.workspace, grouping), person)
    pairs = tables.people.assign_persons(held, source.name, tables.marker)
    occurring, of_person = np.unique(pairs.of_person, return_inverse=True)
    entries = np.bincount(pairs.of_entry, minlength=len(held.tally.counts))
    return held.tally, PoolSide(entries, len(occurring), (pairs.of_entry.astype(np.int64), of_person))


def _place(side: PoolSide, ids: IntArray, combinations: int) -> PoolSide:
    """Return the people of a table, by combinations of the pool."""
    if side.pairs is None:
        return PoolSide(sum_by_group(ids, side.counts, combinations), side.people)
    return side.regroup(ids, combinations)


def _unify(columns: Sequence[Coded]) -> Coded:
    """Join a column of several tables; if it has only numbers, equal numbers become one value."""
    known: dict[Value, int] = {}
    moved = [
        np.fromiter((known.setdefault(value, len(known)) for value in column.values), np.int64, len(column.values))
        for column in columns
    ]
    codes = np.concatenate([codes[column.codes] for codes, column in zip(moved, columns, strict=True)])
    joined = Coded(codes, list(known)).trim()
    if all(map(_is_plain_whole, joined.values)):  # different texts are different numbers
        return joined
    numbers = [parse_number(value) for value in joined.values]
    if None in numbers:
        return joined
    texts: dict[object, Value] = {}
    return _merge(
        joined, [texts.setdefault(number, value) for number, value in zip(numbers, joined.values, strict=True)]
    )


def _is_plain_whole(value: Value) -> bool:
    return value is not None and value.isascii() and value.isdecimal() and (value == "0" or value[0] != "0")


def _refuse_overlap(tables: InputTables, original: TableSource, holdout: TableSource) -> None:
    """Raise an error if an identifier shows the same people in the original and in the hold-out."""
    named = [*tables.identifiers, tables.people.column]
    for name in dict.fromkeys(name for name in named if name in original.columns and name in holdout.columns):
        values = [one.tally([name], tables.workspace).columns[name].values for one in (original, holdout)]
        shared = {*values[0]} & {*values[1]} - {None, tables.marker}
        if shared:
            figures = {"values_are": Quantity(len(shared), "value is", "values are"), "name": name}
            problem = 'the hold-out has people of the original: {values_are} in both tables ("{name}")'
            raise PairingError(problem, where=holdout.name, hint="take them out of the hold-out", figures=figures)
