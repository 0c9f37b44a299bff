"""Count batches of rows within a memory limit.

Combinations are kept in memory as long as they fit. When they take up too much memory, they are written to disk in
parts, and the parts are counted one after the other. If there are more combinations than the measures could work on,
only an outline of the table is kept. It is then attached to the `TooLargeError` that is raised.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import Any, Protocol

import numpy as np

from PETWorks.counting.builder import Counted, TallyBuilder
from PETWorks.counting.lookup import Lookup
from PETWorks.counting.memory import Workspace, readable
from PETWorks.counting.pairs import PairBuilder
from PETWorks.counting.persons import PersonTally
from PETWorks.counting.prefetch import Ahead
from PETWorks.counting.size_histogram import Grouping, Outline, crowds_of, missing_cells
from PETWorks.counting.sizes_by_person import SizesByPerson
from PETWorks.counting.spill import Spill
from PETWorks.counting.tally import Coded, IntArray, Key, Tally
from PETWorks.errors import MalformedError, TooLargeError
from PETWorks.progress import advanced

Batch = Sequence[Coded]
Pieces = Iterable[tuple[Batch, IntArray]]
Counts = Tally | Outline
COUNTING = 0.3  # share of the memory that combinations may take up while they are counted; beyond it they are spilled
PART = 0.04  # largest size on disk, as a share of the memory, of a spilled part that is counted in memory
BYTES = 330  # upper bound, found by experiment, of the memory that measuring needs for each combination
BYTES_PER_COLUMN = 10  # memory for each combination and column, in addition to BYTES
PAIR_BYTES = 200  # upper bound, found by experiment, of the memory for each pair of combination and person


class Builder(Protocol):
    """Counts rows, in parts that other threads prepare."""

    keys: tuple[Key, ...]

    def condense(self, batch: Batch, counts: IntArray | None = None) -> Any: ...  # noqa: ANN401, D102
    def take(self, part: Any) -> None: ...  # noqa: ANN401, D102
    def merged(self) -> int: ...  # noqa: D102
    def done(self) -> Tally: ...  # noqa: D102
    @property
    def memory(self) -> int: ...  # noqa: D102


def needed(combinations: int, columns: int) -> int:
    """Estimate how many bytes of memory are needed to measure a table with so many combinations."""
    return combinations * (BYTES + BYTES_PER_COLUMN * columns)


def count(
    name: str,
    keys: Sequence[Key],
    batches: Iterable[Batch | tuple[Batch, IntArray]],
    workspace: Workspace | None = None,
    grouping: Grouping | None = None,
) -> Tally:
    """Count the rows of all batches. A batch may also be a pair of combinations and their counts, which are added.

    If the combinations do not fit in memory, raise a TooLargeError that has the outline of the table.
    """
    workspace, grouping = workspace or Workspace(), grouping or Grouping(tuple(keys))
    order = _order(keys, grouping.person)
    keys = [keys[place] for place in order]
    builder, spill = _builder(keys, grouping), None

    def condense(batch: Batch | tuple[Batch, IntArray]) -> Any:  # noqa: ANN401 (what the builder takes)
        columns, counts = batch if isinstance(batch, tuple) else (batch, None)
        return builder.condense([columns[place] for place in order], counts)

    with ExitStack() as stack:
        for _, part in stack.enter_context(Ahead(condense, batches)):
            builder.take(part)
            advanced(int(part.counts.sum()))
            if builder.memory > workspace.memory * COUNTING and builder.merged() > workspace.memory * COUNTING / 2:
                spill = spill or stack.enter_context(Spill(workspace.folder, grouping.keys))
                spill.put(builder.done())
                builder = _builder(keys, grouping)
        people = stack.enter_context(SizesByPerson(workspace.folder))
        counted = _part_by_part(spill, builder, workspace, grouping, people) if spill else [builder.done()]
        return _fitting(name, keys, counted, workspace, grouping, people=people)


def _order(keys: Sequence[Key], person: Key | None) -> list[int]:
    """Return the places of the columns, with that of the persons at the end."""
    return sorted(range(len(keys)), key=lambda place: keys[place] == person)


def _builder(keys: Sequence[Key], grouping: Grouping) -> Builder:
    return TallyBuilder(keys) if grouping.person is None else PairBuilder(keys)


def _part_by_part(
    spill: Spill, builder: Builder, workspace: Workspace, grouping: Grouping, people: SizesByPerson
) -> Iterator[Counts]:
    """Spill the last combinations, which are still in `builder`; then count the spilled parts one after the other."""
    spill.put(builder.done())
    for size, pieces in spill.parts():
        if size > workspace.memory * PART:  # all rows of a class are in one part, so a very large class makes one
            yield _outlined(builder.keys, pieces, workspace, grouping, people)
        else:
            yield _joined(builder.keys, pieces, grouping)


def _outlined(
    keys: Sequence[Key], pieces: Pieces, workspace: Workspace, grouping: Grouping, by_person: SizesByPerson
) -> Outline:
    """Summarise a part that does not fit in memory by its outline.

    It is spilled again, by all columns, so that the combinations of one class may be in several of the smaller parts.
    With persons it is spilled by class and person: each of their pairs is then in one part only.
    """
    person = grouping.person
    combinations, marked, missing = 0, 0, Counter[Key]()
    classes, people = TallyBuilder(grouping.keys), TallyBuilder(grouping.keys)
    plain = grouping._replace(person=None)
    with Spill(workspace.folder, keys if person is None else [*grouping.keys, person]) as spill:
        for columns, counts in pieces:
            named, rows = grouping.unnamed(Tally(dict(zip(keys, columns, strict=True)), counts))
            marked += rows
            spill.put(named)
        for _, smaller in spill.parts():
            tally = _joined(keys, smaller, grouping)
            combinations += len(tally.counts)
            missing += missing_cells(tally)
            known = tally.of(grouping.keys)
            classes.take(Counted([*known.columns.values()], known.counts))
            if person is not None:
                pairs = tally.of([*grouping.keys, person])
                people.add([*pairs.columns.values()][:-1], np.ones_like(pairs.counts))
        counted, held = classes.done(), people.done()  # the same classes, in the same order
        hidden = plain.suppressed(counted)
        if person is not None:
            lookup, sizes = Lookup(held), np.where(hidden, 0, held.counts)
            for _, smaller in spill.parts():
                pairs = _joined(keys, smaller, grouping).of([*grouping.keys, person])
                *known_by, persons = pairs.columns.values()
                by_person.put(persons, sizes[lookup.find(known_by)])
    unnamed = missing.pop(person, 0) if person is not None else 0
    outline = replace(Outline.of(counted, plain), combinations=combinations, missing=missing)
    if person is None:
        return outline
    crowds = crowds_of(held.counts[~hidden], counted.counts[~hidden])
    hiding = int(held.counts[hidden].sum())
    return replace(outline, crowds=crowds, suppressed_people=hiding, unnamed=unnamed, marked=marked, person=person)


def _joined(keys: Sequence[Key], pieces: Pieces, grouping: Grouping) -> Tally:
    builder = _builder(keys, grouping)
    for columns, counts in pieces:
        builder.take(builder.condense(columns, counts))
    return builder.done()


def _fitting(
    name: str,
    keys: Sequence[Key],
    counted: Iterable[Counts],
    workspace: Workspace,
    grouping: Grouping,
    *,
    people: SizesByPerson,
) -> Tally:
    """Join tallies that share no class into one. If they do not fit, raise an error that has their outline."""
    kept, combinations, outline, memory = list[Tally](), 0, Outline(), 0
    for one in counted:
        if isinstance(one, Outline):
            outline += one
            combinations += one.combinations
        else:
            kept.append(one)
            combinations += len(one.counts)
            memory += _to_measure(one)
        if outline.rows or memory > workspace.memory:
            outline = sum((Outline.of(tally, grouping, people) for tally in kept), start=outline)
            kept.clear()
    if outline.rows:
        error = too_large(name, len(keys), combinations, workspace)
        smallest, holders = people.smallest_and_all()
        error.outline = replace(outline, smallest=smallest, holders=holders)
        raise error
    if len(kept) == 1:
        return not_empty(name, kept[0])
    pieces = (([*tally.columns.values()], tally.counts) for tally in kept)
    return not_empty(name, _joined(keys, pieces, grouping))


def _to_measure(tally: Tally) -> int:
    """Estimate how many bytes of memory are needed to measure a tally; persons take few beside the others."""
    if isinstance(tally, PersonTally):
        return _to_measure(tally.combinations) + PAIR_BYTES * len(tally.counts)
    return needed(len(tally.counts), len(tally.columns))


def too_large(name: str, columns: int, combinations: int, workspace: Workspace) -> TooLargeError:
    """Build the error for a table whose combinations do not fit in memory."""
    figures = {
        "combinations": combinations,
        "columns": columns,
        "needed": readable(needed(combinations, columns)),
        "memory": readable(workspace.memory),
    }
    problem = "{combinations:,} different combinations of {columns} columns need about {needed} of memory"
    hint = "the limit is {memory}: raise it with memory_limit=, or name fewer quasi-identifiers"
    error = TooLargeError(problem.format(**figures), where=name, hint=hint.format(**figures))
    error.figures = figures
    return error


def not_empty(name: str, tally: Tally) -> Tally:
    """Return the tally, or raise an error if it has no rows."""
    if not tally.rows:
        raise empty(name)
    return tally


def empty(name: str) -> MalformedError:
    """Build the error for a table without rows."""
    hint = "check that this is the right table, and that it was written completely"
    return MalformedError("the table has a header but no rows", where=name, hint=hint)
