"""What measures may know: the tallies of a release and its original, seen through roles and hierarchies.

Everything is worked out when first asked for and then kept. Rows are read at most once for each table; where both are
wanted side by side, one tally of the pairs holds both.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from PETWorks.cells import Cells
from PETWorks.errors import NotAskableError, UnknownValueError
from PETWorks.hierarchy import Hierarchy
from PETWorks.result import Note, Scope
from PETWorks.roles import Roles
from PETWorks.sources import Paired, Source
from PETWorks.tally import Before, Coded, IntArray, Key, Mask, Tally, Value, shown, sums

NO_LEAF = "no leaf of the hierarchy"
SHOWN = 10  # values that an error lists


@dataclass(frozen=True, eq=False)
class Classes:
    """The unsuppressed rows, grouped by all quasi-identifiers: one entry for each class."""

    columns: Mapping[Key, Coded]
    sizes: IntArray

    def __len__(self) -> int:
        """How many classes there are."""
        return len(self.sizes)

    def values(self, number: int) -> dict[str, Value]:
        """Give the released values that the rows of a class share."""
        return {str(key): column.values[column.codes[number]] for key, column in self.columns.items()}


@dataclass(frozen=True, eq=False)
class Spread:
    """How often each value of a sensitive attribute occurs in each class (sparse), and in the whole table."""

    name: str
    values: tuple[Value, ...]
    overall: IntArray  # rows of the whole table with each value; all positive
    sizes: IntArray  # rows of each class
    of_class: IntArray  # the three below are parallel, sorted by class and then by value
    of_value: IntArray
    counts: IntArray
    unpublished: int = 0  # suppressed rows whose cell is suppressed too: they say nothing about this attribute

    @property
    def rows(self) -> int:
        """How many rows the overall distribution counts."""
        return int(self.overall.sum())

    @cached_property
    def starts(self) -> IntArray:
        """Where the entries of each class start."""
        return np.searchsorted(self.of_class, np.arange(len(self.sizes)))

    def regrouped(self, codes: IntArray, values: Sequence[Value]) -> Spread:
        """Put other values in the place of the present ones (`codes` says which for each) and regroup."""
        keys, ids = np.unique(self.of_class * len(values) + codes[self.of_value], return_inverse=True)
        of_class, of_value = np.divmod(keys, len(values) or 1)
        return replace(
            self,
            values=tuple(values),
            overall=sums(codes, self.overall, len(values)),
            of_class=of_class,
            of_value=of_value,
            counts=sums(ids, self.counts, len(keys)),
        )


@dataclass(frozen=True, eq=False)
class Facts:
    """A release, with an original or without, ready to be measured."""

    release: Source
    roles: Roles
    original: Source | None = None
    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict)
    key: str | None = None
    marker: str = "*"
    forgiving: bool = False  # count values that their hierarchy lacks as fully generalised, rather than complain
    remarks: tuple[Note, ...] = ()

    # The tallies: the only places where rows are read.

    @cached_property
    def paired(self) -> Tally:
        """The quasi-identifiers of the original, as `Before(name)`, beside all columns of the release."""
        names = self.roles.quasi_identifiers
        return Paired(self._original, self.release, self.key).tally(names, [*names, *self.roles.sensitive])

    @cached_property
    def released(self) -> Tally:
        """The quasi-identifiers and sensitive attributes of the release."""
        names = [*self.roles.quasi_identifiers, *self.roles.sensitive]
        return self.paired.of(names) if "paired" in vars(self) else self.release.tally(names)

    @cached_property
    def before(self) -> Tally:
        """The quasi-identifiers of the original."""
        names = self.roles.quasi_identifiers
        if "paired" in vars(self):
            return self.paired.of([Before(name) for name in names])
        tally = self._original.tally(names)
        return Tally({Before(str(name)): column for name, column in tally.columns.items()}, tally.counts)

    @property
    def _original(self) -> Source:
        if self.original is None:
            raise NotAskableError("this measure compares the release with its original", hint="pass original=")
        self.original.require(self.roles.quasi_identifiers, "a quasi-identifier of the release")
        return self.original

    # What the tallies say.

    @cached_property
    def classes(self) -> Classes:
        """The classes of the release."""
        grouped = self._published[1]
        return Classes(grouped.columns, grouped.counts)

    @cached_property
    def _published(self) -> tuple[Tally, Tally, IntArray]:
        published = self.released.where(~self._suppressed(self.released))
        ids, classes = published.grouped(self.roles.quasi_identifiers)
        return published, classes, ids

    def _suppressed(self, tally: Tally) -> Mask:
        """Tell for each combination whether all its quasi-identifiers are suppressed."""
        columns = [tally.columns[name] for name in self.roles.quasi_identifiers]
        marked: Mask = np.all([column.codes == column.code(self.marker) for column in columns], axis=0)
        return marked

    @cached_property
    def scope(self) -> Scope:
        """The size of the release, and its special cells."""
        counts = self.released.counts
        missing = {
            str(key): int(counts[column.codes == column.code(None)].sum())
            for key, column in self.released.columns.items()
            if None in column.values
        }
        suppressed = int(counts[self._suppressed(self.released)].sum())
        return Scope(self.release.name, self.released.rows, suppressed, len(self.classes), missing)

    @property
    def notes(self) -> tuple[Note, ...]:
        """What is worth knowing about the tables as such."""
        sources = [source for source in (self.release, self.original) if source is not None]
        odd = [source for source in sources if source.encoding not in (None, "utf-8")]
        return (
            *self.remarks,
            *(Note("encoding", {"file": source.name, "encoding": source.encoding}) for source in odd),
        )

    def spread(self, name: str) -> Spread:
        """Count the values of a sensitive attribute, in each class and overall."""
        column, counts = self.released.columns[name], self.released.counts
        unpublished = self._suppressed(self.released) & (column.codes == column.code(self.marker))
        overall = sums(column.codes[~unpublished], counts[~unpublished], len(column.values))
        published, _, of_class = self._published
        inner = published.columns[name].codes
        keys, ids = np.unique(of_class * len(column.values) + inner, return_inverse=True)
        of_class, of_value = np.divmod(keys, len(column.values))
        used = np.flatnonzero(overall)
        place = np.cumsum(overall > 0) - 1
        return Spread(
            name,
            tuple(column.values[code] for code in used.tolist()),
            overall[used],
            self.classes.sizes,
            of_class,
            place[of_value],
            sums(ids, published.counts, len(keys)),
            int(counts[unpublished].sum()),
        )

    @property
    def spreads(self) -> Iterator[Spread]:
        """Every sensitive attribute in turn."""
        if not self.roles.sensitive:
            hint = f"name one of the columns in sensitive=: {', '.join(self.release.columns)}"
            raise NotAskableError("this measure needs a sensitive attribute, and no column is one", hint=hint)
        return map(self.spread, self.roles.sensitive)

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

    @cached_property
    def cells(self) -> tuple[Cells, ...]:
        """Every quasi-identifier's cells, with the level at which each is released."""
        suppressed = self._suppressed(self.joint)
        return tuple(self._cells(name, suppressed) for name in self.roles.quasi_identifiers)

    def _cells(self, name: str, suppressed: Mask) -> Cells:
        released, original = self.joint.columns[name], self.joint.columns.get(Before(name))
        cells = Cells(name, self.hierarchy(name), released, original, suppressed, self.joint.counts, self.marker)
        self._refuse(self.release, name, released, cells.unknown, "in no level of the hierarchy")
        if original is not None:
            self._refuse(self._original, name, original, ~cells.marked & ~cells.liftable, NO_LEAF)
        return cells

    def lifted(self, cells: Cells, level: int) -> Coded:
        """Give the original's cells, for each combination of the pairs, as they would be at a level."""
        self._refuse(self._original, cells.name, self.paired.columns[Before(cells.name)], ~cells.liftable, NO_LEAF)
        return cells.lifted(level)

    def tree(self, spread: Spread) -> Hierarchy:
        """Give the hierarchy of a sensitive attribute, which must have all its values as leaves."""
        hierarchy, column = self.hierarchies[spread.name], self.released.columns[spread.name]
        strange = np.array([value in spread.values and value not in hierarchy for value in column.values])
        self._refuse(self.release, spread.name, column, strange[column.codes], NO_LEAF, always=True)
        return hierarchy

    def _refuse(
        self, source: Source, name: str, column: Coded, wrong: Mask, what: str, *, always: bool = False
    ) -> None:
        """Raise an error that lists wrong values, with a row of each, unless the caller forgives them."""
        if not wrong.any() or (self.forgiving and not always):
            return
        values = [column.values[code] for code in np.unique(column.codes[wrong]).tolist()]
        rows = sorted((row, shown(value)) for value, row in source.locate(name, values[:SHOWN]).items())
        places = ", ".join(f'"{value}" (row {row:,})' for row, value in rows)
        more = f" and {len(values) - SHOWN} more" if len(values) > SHOWN else ""
        fix = (
            f"correct {self.hierarchy(name).where}" if name in self.hierarchies else "pass a hierarchy for this column"
        )
        option = "" if always else ', or count such cells as fully generalised: unknown_values="generalised"'
        problem = f"{len(values)} {'value is' if len(values) == 1 else 'values are'} {what}: {places}{more}"
        raise UnknownValueError(problem, where=f"{source.name}, {name}", hint=fix + option)
