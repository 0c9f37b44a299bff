"""What measures may know: the tallies of a release and its original, seen through roles and hierarchies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from PETWorks.counting.memory import readable
from PETWorks.counting.tally import Before, Coded, Key, Mask, Tally, narrow, sums
from PETWorks.errors import NotAskableError, PopulationError, UnknownNameError, did_you_mean
from PETWorks.facts.cells import Cells
from PETWorks.facts.classes import Spread
from PETWorks.facts.hierarchy import Hierarchy
from PETWorks.facts.kept import kept
from PETWorks.facts.population import HOLDS_SAMPLE, Crowd, common_level
from PETWorks.facts.tallies import Counted
from PETWorks.measure.result import Note
from PETWorks.sources import Source

NO_LEAF = "no leaf of the hierarchy"
SUPPRESSED = Before("")  # a column that tells whether the row is: no column is called that


@dataclass(frozen=True, eq=False)
class Facts(Counted):
    """A release, with an original or without, ready to be measured."""

    tables: tuple[Any, Any] = (None, None)  # release and original as the caller passed them
    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict)
    forgiving: bool = False  # count values that their hierarchy lacks as fully generalised, rather than complain
    remarks: tuple[Note, ...] = ()
    _spreads: dict[tuple[str, bool], Spread] = field(default_factory=dict, repr=False)

    @property
    def notes(self) -> tuple[Note, ...]:
        """What is worth knowing about the tables as such."""
        sources = (self.release, self.original, self.population)
        odd = [source for source in sources if source is not None and source.encoding not in (None, "utf-8")]
        notes = [Note("encoding", {"file": one.name, "encoding": one.encoding}) for one in odd]
        if not self.fits:
            notes.append(Note("sizes_only", {"memory": readable(self.workspace.memory)}))
        return *self.remarks, *notes

    def spreads(self, only: str | None = None, *, joined: bool = False) -> Iterator[Spread]:
        """Give the spread of each sensitive attribute, or of one; `joined`: the others group like quasi-identifiers."""
        names = self.roles.sensitive
        if not names:
            hint = f"name one of the columns in sensitive=: {', '.join(self.release.columns)}"
            raise NotAskableError("this measure needs a sensitive attribute, and no column is one", hint=hint)
        if only is not None and only not in names:
            raise UnknownNameError(f'"{only}" is no sensitive attribute', hint=did_you_mean(only, names))
        for name in names if only is None else [only]:
            others = [other for other in names if other != name] if joined else []
            if (key := (name, joined)) not in self._spreads:
                self._spreads[key] = self._spread(name, [*self.roles.quasi_identifiers, *others])
            yield self._spreads[key]

    def _spread(self, name: str, by: Sequence[str]) -> Spread:
        """Count the values of a sensitive attribute, in each class and overall."""
        column, counts = self.released.columns[name], self.released.counts
        unpublished = self.suppressed(self.released) & (column.codes == column.code(self.marker))
        overall = sums(column.codes[~unpublished], counts[~unpublished], len(column.values))
        published, classes = self.published, self.grouped(by)
        packed = classes.of_entry * len(column.values) + published.columns[name].codes
        keys, entries = np.unique(packed, return_inverse=True)
        of_class, of_value = np.divmod(keys, len(column.values))
        used = np.flatnonzero(overall)
        place = np.cumsum(overall > 0) - 1
        return Spread(
            name,
            tuple(column.values[code] for code in used.tolist()),
            overall[used],
            classes,
            of_class,
            place[of_value],
            sums(entries, published.counts, len(keys)),
            int(counts[unpublished].sum()),
        )

    @kept
    def crowd(self) -> Crowd:
        """The population, generalised as the release is, beside the release."""
        if self.population is None:
            raise NotAskableError("this measure compares the release with a population", hint="pass population=")
        names = self.roles.quasi_identifiers
        self.population.require(names, "a quasi-identifier of the release")
        people = self.population.tally(names, self.workspace)
        if people.rows < (rows := self.released.rows):
            problem = f"{people.rows:,} rows, but the release has {rows:,}"
            raise PopulationError(problem, where=self.population.name, hint=HOLDS_SAMPLE)
        labels = {}
        for name in names:
            column, released = people.columns[name], self.classes.columns[name]
            known = {*column.values, *released.values} - {self.marker}
            tree = self.hierarchies.get(name) or Hierarchy.flat(name, known)
            level = common_level(tree, released, self.marker)
            strange = np.array([value not in tree for value in column.values], dtype=bool)
            self._refuse(self.population, name, column, strange[column.codes], NO_LEAF, always=True)
            labels[name] = [tree.lift(value, level) for value in column.values], tree.top
        return Crowd.of(self.classes, people, labels, self.marker)

    # Levels.

    def hierarchy(self, name: str) -> Hierarchy:
        """Give the hierarchy of a column; of one without, that of every value and ``*``."""
        if name in self.hierarchies:
            return self.hierarchies[name]
        cells = self.released.columns[name] if self.original is None else self.before.columns[Before(name)]
        return Hierarchy.flat(name, (value for value in cells.values if value != self.marker))

    @property
    def joint(self) -> Tally:
        """The tally that cells are read from: the pairs if there is an original, else the release."""
        return self.released if self.original is None else self.paired

    @kept
    def cells(self) -> tuple[Cells, ...]:
        """Every quasi-identifier's cells, with the level at which each is released."""
        columns = tuple(self.column(name) for name in self.roles.quasi_identifiers)
        for cells in columns:
            self.refuse_unknown(cells, cells.unknown)
            if cells.original is not None:
                self._refuse(self.original_source, cells.name, cells.original, ~cells.marked & ~cells.liftable, NO_LEAF)
        return columns

    @cached_property
    def _suppressed_pairs(self) -> Mask:
        return self.suppressed(self.joint)

    def column(self, name: str) -> Cells:
        """Give the cells of one quasi-identifier, unchecked: some may be in no level of its hierarchy."""
        keys: list[Key] = [key for key in (Before(name), name) if key in self.joint.columns]
        hidden = Coded(self._suppressed_pairs.astype(np.uint8), ("published", "suppressed"))
        columns = {key: self.joint.columns[key] for key in keys} | {SUPPRESSED: hidden}
        of_entry, kinds = Tally(columns, self.joint.counts).grouped(list(columns))
        return Cells(
            name,
            self.hierarchy(name),
            kinds.columns[name],
            kinds.columns.get(Before(name)),
            kinds.columns[SUPPRESSED].codes == 1,
            kinds.counts,
            self.marker,
            narrow(of_entry, len(kinds.counts)),
        )

    def refuse_unknown(self, cells: Cells, unknown: Mask) -> None:
        """Raise an error for cells that are in no level of their hierarchy, unless the caller forgives them."""
        self._refuse(self.release, cells.name, cells.released, unknown, "in no level of the hierarchy")

    def lifted(self, cells: Cells, level: int) -> Coded:
        """Give the original's cells, of each kind, as they would be at a level."""
        source = self.original_source
        assert cells.original is not None  # noqa: S101 (there is a source of it)
        self._refuse(source, cells.name, cells.original, ~cells.liftable, NO_LEAF)
        return cells.lifted(level)

    def tree(self, spread: Spread) -> Hierarchy:
        """Give the hierarchy of a sensitive attribute, which must have all its values as leaves."""
        hierarchy, column = self.hierarchies[spread.name], self.released.columns[spread.name]
        published = set(spread.values)
        strange = np.array([value in published and value not in hierarchy for value in column.values])
        self._refuse(self.release, spread.name, column, strange[column.codes], NO_LEAF, always=True)
        return hierarchy

    def _refuse(
        self, source: Source, name: str, column: Coded, wrong: Mask, what: str, *, always: bool = False
    ) -> None:
        """Raise an error that lists wrong values, with a row of each, unless the caller forgives them."""
        if not wrong.any() or (self.forgiving and not always):
            return
        values = [column.values[code] for code in np.unique(column.codes[wrong]).tolist()]
        fix = (
            f"correct {self.hierarchy(name).where}" if name in self.hierarchies else "pass a hierarchy for this column"
        )
        option = "" if always else ', or count such cells as fully generalised: unknown_values="generalised"'
        raise source.unknown(name, values, what, fix + option)
