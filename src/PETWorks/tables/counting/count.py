"""Count batches of rows within a memory limit.

Combinations are held in memory as long as they fit. When they take up too much memory, they are written to disk in
parts, and the parts are counted one after the other. If there are more combinations than the measures could work on,
the table is only summarised by its class sizes, and the summary is attached to the `TooLargeError` that is raised.

Where people have several rows, `PairBuilder` counts combinations as if there were no people. Beside them, it stores
each row as two numbers: its combination and its person. At the end, one sort of these pairs, as 64-bit keys, finds the
distinct ones.

>>> builder = PairBuilder(["zip", "patient"])
>>> builder.add([Coded.of(["100", "100", "200", "100"]), Coded.of(["A", "A", "A", "B"])])
>>> for values, rows in builder.build().items():
...     print(values, rows)
('100', 'A') 2
('100', 'B') 1
('200', 'A') 1
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from itertools import pairwise
from math import prod
from typing import Any, NamedTuple, Protocol

import numpy as np

from PETWorks.errors import MalformedError, TooLargeError
from PETWorks.progress import report_rows
from PETWorks.tables.counting.builder import CountedCombinations, TallyBuilder
from PETWorks.tables.counting.persons import PersonPairs, PersonTally
from PETWorks.tables.counting.size_histogram import (
    Grouping,
    SizesByPerson,
    SizeSummary,
    count_class_sizes,
    count_missing_cells,
)
from PETWorks.tables.counting.tally import (
    KEY_SPACE,
    Coded,
    IntArray,
    Key,
    Lookup,
    Tally,
    count_keys,
    find_distinct,
    narrow,
    number_keys,
    pack,
    sum_by_group,
    sum_by_key,
)
from PETWorks.tables.counting.texts import Numerals, Texts, WholeNumbers, convert_to_numbers, unify
from PETWorks.tables.counting.workspace import Prefetch, Spill, Workspace, write_memory

SORT_PAIR_BYTES = 40  # approximate memory that sorting needs for each pair


class Pairs(NamedTuple):
    """Rows of several people: the distinct combinations, and the pairs of combination and person."""

    combinations: list[Coded]
    counts: IntArray  # how many rows have each combination
    of_entry: IntArray  # the combination of each pair
    person: Coded  # the person of each pair
    rows: IntArray | None  # how many rows each pair stands for; None: one

    @property
    def nbytes(self) -> int:
        """The bytes of memory of the pairs, without the texts of persons."""
        person = self.person.numbers if isinstance(self.person, WholeNumbers) else self.person.codes
        arrays = [*(column.codes for column in self.combinations), self.counts, self.of_entry, person]
        return sum(array.nbytes for array in arrays) + (0 if self.rows is None else self.rows.nbytes)


class PairBuilder:
    """Counts batches of rows by combination and person; the last column names the person."""

    def __init__(self, keys: Sequence[Key]) -> None:
        self.keys = tuple(keys)
        self._combinations = TallyBuilder(self.keys[:-1])
        self._parts: list[Pairs] = []

    def add(self, batch: Sequence[Coded], rows: IntArray | None = None) -> None:
        """Count a batch of rows (or of combinations with their number of rows)."""
        self.take(self.condense(batch, rows))

    @staticmethod
    def condense(batch: Sequence[Coded], rows: IntArray | None = None) -> Pairs:
        """Split the persons off a batch of rows (or of combinations with row counts)."""
        *columns, person = batch
        sizes = [len(column.values) for column in columns]
        packed, unpack = pack([column.codes for column in columns], sizes)
        found, ids = number_keys(packed, prod(sizes))
        counts = np.bincount(ids, minlength=len(found)) if rows is None else sum_by_group(ids, rows, len(found))
        unpacked = zip(unpack(found), columns, sizes, strict=True)
        combinations = [Coded(narrow(codes, size), column.values) for codes, column, size in unpacked]
        return Pairs(combinations, counts, narrow(ids, len(found)), convert_to_numbers(person), rows)

    def take(self, part: Pairs) -> None:
        """Add rows whose persons were already split off, perhaps in another thread."""
        self._combinations.take(CountedCombinations(part.combinations, part.counts))
        self._parts.append(part)

    @property
    def memory(self) -> int:
        """Approximate number of bytes that are needed to hold the pairs, and to sort them."""
        pairs = sum(len(part.of_entry) for part in self._parts)
        named = {id(part.person.values): part.person.values for part in self._parts if _has_texts(part)}
        texts = sum(Texts.of(values).nbytes for values in named.values())
        return (
            self._combinations.memory + sum(part.nbytes for part in self._parts) + SORT_PAIR_BYTES * pairs + 3 * texts
        )

    def merge(self) -> int:
        """Merge equal pairs of several batches; return the approximate memory, as `memory` does."""
        whole = self.build()
        tally, persons = whole.combinations, whole.persons
        person = convert_to_numbers(Coded(persons.of_person, whole.names))
        self._parts = [Pairs([*tally.columns.values()], tally.counts, persons.of_entry, person, persons.rows)]
        return self.memory

    def build(self) -> PersonTally:
        """Build the tally of all batches. Persons are in no particular order."""
        if not self._parts:
            self.add([Coded.of([]) for _ in self.keys])
        tally = self._combinations.build()
        lookup, entries = Lookup(tally), len(tally.counts)
        people = self._people(entries)
        ends = np.cumsum([0, *(len(part.of_entry) for part in self._parts)])
        keys = np.empty(ends[-1], dtype=np.int64)
        for place, (part, (start, end)) in enumerate(zip(self._parts, pairwise(ends.tolist()), strict=True)):
            found = lookup.find(part.combinations) * people.space
            np.add(found[part.of_entry], people.codes(place), out=keys[start:end])
        rows = self._rows()
        space = max(entries, 1) * people.space
        different, rows = count_keys(keys) if rows is None else sum_by_key(keys, rows, space, overwrite=True)
        pairs = PersonPairs.of_keys(different, rows, people.space)
        occurring, of_person = number_keys(pairs.of_person, people.space)
        names = people.names(occurring)
        return PersonTally(tally, replace(pairs, of_person=of_person, people=len(names)), self.keys[-1], names)

    def _rows(self) -> IntArray | None:
        """Return how many rows each pair stands for; None if each pair is one row."""
        if all(part.rows is None for part in self._parts):
            return None
        return np.concatenate([np.ones_like(part.of_entry) if part.rows is None else part.rows for part in self._parts])

    def _people(self, entries: int) -> _People:
        """Return codes for the persons of all parts.

        Integers are their own codes if the keys of all pairs fit in 64 bits.
        """
        persons = [part.person for part in self._parts]
        numbers = [person.numbers for person in persons if isinstance(person, WholeNumbers)]
        if len(numbers) < len(persons):
            return _code_by_texts(persons)
        least = min((int(some.min()) for some in numbers if len(some)), default=0)
        space = max((int(some.max()) for some in numbers if len(some)), default=0) - least + 1
        if space * entries < KEY_SPACE:
            return _People(
                space, lambda place: numbers[place] - np.int64(least), lambda codes: Numerals(codes + np.int64(least))
            )
        known = find_distinct(np.concatenate(numbers))
        return _People(len(known), lambda place: np.searchsorted(known, numbers[place]), Numerals(known).take)


class _People(NamedTuple):
    """The persons of all parts as codes."""

    space: int  # codes are less than this; not all of them need to occur
    codes: Callable[[int], IntArray]  # the codes of the part with this index
    names: Callable[[IntArray], Texts]  # the names of the persons with these codes


def _code_by_texts(persons: Sequence[Coded]) -> _People:
    several, starts, known = list[Texts](), list[int](), 0
    for person in persons:
        texts = Texts.of(person.values)
        if not several or several[-1] is not texts:  # batches may share their texts
            several.append(texts)
            known += len(texts)
        starts.append(known - len(texts))
    names, same = unify(several)
    return _People(len(names), lambda place: same[starts[place] :][persons[place].codes], names.take)


def _has_texts(part: Pairs) -> bool:
    return not isinstance(part.person, WholeNumbers)


Batch = Sequence[Coded]
CountedBatches = Iterable[tuple[Batch, IntArray]]
TallyOrSummary = Tally | SizeSummary
COUNTING_SHARE = (
    0.3  # share of the memory that combinations may take up while they are counted; beyond it they are spilled
)
PART_SHARE = 0.04  # largest size on disk, as a share of the memory, of a spilled part that is counted in memory
COMBINATION_BYTES = 330  # upper bound, found by experiment, of the memory that measuring needs for each combination
BYTES_PER_COLUMN = 10  # memory for each combination and column, in addition to BYTES
PAIR_BYTES = 200  # upper bound, found by experiment, of the memory for each pair of combination and person


class Builder(Protocol):
    """The interface of what counts rows, in parts that other threads prepare."""

    keys: tuple[Key, ...]

    def condense(self, batch: Batch, counts: IntArray | None = None) -> Any: ...  # noqa: ANN401, D102
    def take(self, part: Any) -> None: ...  # noqa: ANN401, D102
    def merge(self) -> int: ...  # noqa: D102
    def build(self) -> Tally: ...  # noqa: D102
    @property
    def memory(self) -> int: ...  # noqa: D102


def estimate_memory(combinations: int, columns: int) -> int:
    """Estimate the bytes of memory that measuring a table with so many combinations needs."""
    return combinations * (COMBINATION_BYTES + BYTES_PER_COLUMN * columns)


def count(
    name: str,
    keys: Sequence[Key],
    batches: Iterable[Batch | tuple[Batch, IntArray]],
    workspace: Workspace | None = None,
    grouping: Grouping | None = None,
) -> Tally:
    """Count the rows of all batches. A batch may also be a pair of combinations and their counts, which are added.

    If the combinations do not fit in memory, raise a TooLargeError that has the summary of the table.
    """
    workspace, grouping = workspace or Workspace(), grouping or Grouping(tuple(keys))
    order = _order_columns(keys, grouping.person)
    keys = [keys[place] for place in order]
    builder, spill = _make_builder(keys, grouping), None

    def condense(batch: Batch | tuple[Batch, IntArray]) -> Any:  # noqa: ANN401 (what the builder takes)
        columns, counts = batch if isinstance(batch, tuple) else (batch, None)
        return builder.condense([columns[place] for place in order], counts)

    with ExitStack() as stack:
        for _, part in stack.enter_context(Prefetch(condense, batches)):
            builder.take(part)
            report_rows(int(part.counts.sum()))
            if (
                builder.memory > workspace.memory * COUNTING_SHARE
                and builder.merge() > workspace.memory * COUNTING_SHARE / 2
            ):
                spill = spill or stack.enter_context(Spill(workspace.folder, grouping.keys))
                spill.put(builder.build())
                builder = _make_builder(keys, grouping)
        people = stack.enter_context(SizesByPerson(workspace.folder))
        counted = _count_parts(spill, builder, workspace, grouping, people) if spill else [builder.build()]
        return _join_if_fits(name, keys, counted, workspace, grouping, people=people)


def _order_columns(keys: Sequence[Key], person: Key | None) -> list[int]:
    """Return the positions of the columns, with the person column last."""
    return sorted(range(len(keys)), key=lambda place: keys[place] == person)


def _make_builder(keys: Sequence[Key], grouping: Grouping) -> Builder:
    return TallyBuilder(keys) if grouping.person is None else PairBuilder(keys)


def _count_parts(
    spill: Spill, builder: Builder, workspace: Workspace, grouping: Grouping, people: SizesByPerson
) -> Iterator[TallyOrSummary]:
    """Spill the remaining combinations of `builder`, then count the spilled parts one after the other."""
    spill.put(builder.build())
    for size, pieces in spill.read_parts():
        if size > workspace.memory * PART_SHARE:  # all rows of a class are in one part, so a very large class makes one
            yield _summarise_part(builder.keys, pieces, workspace, grouping, people)
        else:
            yield _join(builder.keys, pieces, grouping)


def _summarise_part(
    keys: Sequence[Key], pieces: CountedBatches, workspace: Workspace, grouping: Grouping, by_person: SizesByPerson
) -> SizeSummary:
    """Summarise an oversized part by its class sizes.

    It is spilled again, by all columns, so that the combinations of one class may be in several of the smaller parts.
    With persons it is spilled by class and person: each of their pairs is then in one part only.
    """
    person = grouping.person
    combinations, marked, missing = 0, 0, Counter[Key]()
    classes, people = TallyBuilder(grouping.keys), TallyBuilder(grouping.keys)
    plain = grouping._replace(person=None)
    with Spill(workspace.folder, keys if person is None else [*grouping.keys, person]) as spill:
        for columns, counts in pieces:
            named, rows = grouping.merge_unnamed(Tally(dict(zip(keys, columns, strict=True)), counts))
            marked += rows
            spill.put(named)
        for _, smaller in spill.read_parts():
            tally = _join(keys, smaller, grouping)
            combinations += len(tally.counts)
            missing += count_missing_cells(tally)
            known = tally.select(grouping.keys)
            classes.take(CountedCombinations([*known.columns.values()], known.counts))
            if person is not None:
                pairs = tally.select([*grouping.keys, person])
                people.add([*pairs.columns.values()][:-1], np.ones_like(pairs.counts))
        counted, held = classes.build(), people.build()  # the same classes, in the same order
        hidden = plain.find_suppressed(counted)
        if person is not None:
            lookup, sizes = Lookup(held), np.where(hidden, 0, held.counts)
            for _, smaller in spill.read_parts():
                pairs = _join(keys, smaller, grouping).select([*grouping.keys, person])
                *known_by, persons = pairs.columns.values()
                by_person.put(persons, sizes[lookup.find(known_by)])
    unnamed = missing.pop(person, 0) if person is not None else 0
    summary = replace(SizeSummary.of(counted, plain), combinations=combinations, missing=missing)
    if person is None:
        return summary
    crowds = count_class_sizes(held.counts[~hidden], counted.counts[~hidden])
    hiding = int(held.counts[hidden].sum())
    return replace(summary, crowds=crowds, suppressed_people=hiding, unnamed=unnamed, marked=marked, person=person)


def _join(keys: Sequence[Key], pieces: CountedBatches, grouping: Grouping) -> Tally:
    builder = _make_builder(keys, grouping)
    for columns, counts in pieces:
        builder.take(builder.condense(columns, counts))
    return builder.build()


def _join_if_fits(
    name: str,
    keys: Sequence[Key],
    counted: Iterable[TallyOrSummary],
    workspace: Workspace,
    grouping: Grouping,
    *,
    people: SizesByPerson,
) -> Tally:
    """Join tallies that share no class into one. If they do not fit, raise an error that has their summary."""
    kept, combinations, summary, memory = list[Tally](), 0, SizeSummary(), 0
    for one in counted:
        if isinstance(one, SizeSummary):
            summary += one
            combinations += one.combinations
        else:
            kept.append(one)
            combinations += len(one.counts)
            memory += _estimate_tally_memory(one)
        if summary.rows or memory > workspace.memory:
            summary = sum((SizeSummary.of(tally, grouping, people) for tally in kept), start=summary)
            kept.clear()
    if summary.rows:
        error = build_too_large_error(name, len(keys), combinations, workspace)
        smallest, holders = people.count_people()
        error.summary = replace(summary, smallest=smallest, holders=holders)
        raise error
    if len(kept) == 1:
        return require_rows(name, kept[0])
    pieces = (([*tally.columns.values()], tally.counts) for tally in kept)
    return require_rows(name, _join(keys, pieces, grouping))


def _estimate_tally_memory(tally: Tally) -> int:
    """Estimate the bytes of memory that measuring a tally needs; its persons need little more."""
    if isinstance(tally, PersonTally):
        return _estimate_tally_memory(tally.combinations) + PAIR_BYTES * len(tally.counts)
    return estimate_memory(len(tally.counts), len(tally.columns))


def build_too_large_error(name: str, columns: int, combinations: int, workspace: Workspace) -> TooLargeError:
    """Build the error for a table whose combinations do not fit in memory."""
    figures = {
        "combinations": combinations,
        "columns": columns,
        "needed": write_memory(estimate_memory(combinations, columns)),
        "memory": write_memory(workspace.memory),
    }
    problem = "{combinations:,} different combinations of {columns} columns need about {needed} of memory"
    hint = "the limit is {memory}: raise it with memory_limit=, or name fewer quasi-identifiers"
    return TooLargeError(problem, where=name, hint=hint, figures=figures)


def require_rows(name: str, tally: Tally) -> Tally:
    """Return the tally, or raise an error if it has no rows."""
    if not tally.rows:
        raise build_empty_error(name)
    return tally


def build_empty_error(name: str) -> MalformedError:
    """Build the error for a table without rows."""
    hint = "check that this is the right table, and that it was written completely"
    return MalformedError("the table has a header but no rows", where=name, hint=hint, figures={})
