"""What measures may know about a release: its tallies, with roles and hierarchies applied.

Everything is computed when it is first needed, and then kept. A measure cannot reach a source, file or row from here:
facts return only counts, and raise errors that say what is wrong with a table.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TypeVar

import numpy as np

from PETWorks.counting.size_histogram import Grouping, Outline, missing_cells, outlined
from PETWorks.counting.tally import IntArray, Mask, Tally
from PETWorks.errors import NotAskableError, UnknownNameError, did_you_mean
from PETWorks.facts.about_people import AboutPeople
from PETWorks.facts.about_tables import AboutTables
from PETWorks.facts.cells import Cells
from PETWorks.facts.classes import Classes, FinerClasses, Groups, PopulationClasses
from PETWorks.facts.columns import Columns
from PETWorks.facts.counted_tallies import CountedTallies, Tallies
from PETWorks.facts.lookalikes import look_suppressed
from PETWorks.facts.memo import Memo, kept
from PETWorks.facts.notes import Note, Scope
from PETWorks.facts.of_people import classes_of_people, finer_classes_of_people
from PETWorks.facts.population_of_facts import population_of
from PETWorks.facts.roles import Roles
from PETWorks.facts.rows_of_people import records_of
from PETWorks.facts.size_groups import SizeGroups
from PETWorks.facts.spread import Spread, spread_of, spread_of_people
from PETWorks.facts.tallies import Tables
from PETWorks.hierarchies.hierarchy import Hierarchy
from PETWorks.sources.first_line import tellable

T = TypeVar("T")
F = TypeVar("F", bound="Facts")


@dataclass(frozen=True, eq=False)
class Facts(AboutTables, AboutPeople):
    """A release, with or without an original and a population, ready to be measured."""

    _tables: Tables = field(repr=False)
    roles: Roles
    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict)
    forgiving: bool = False  # True: values that a hierarchy lacks count as fully generalised, and are not an error
    remarks: tuple[Note, ...] = ()
    _changed: Tallies | None = field(default=None, repr=False)  # used instead of the tallies of the tables
    _unchanged: Facts | None = field(default=None, repr=False)  # the facts as released, if tallies are changed
    _memo: Memo = field(default_factory=Memo, repr=False)

    def once(self, key: Hashable, work: Callable[[], T]) -> T:
        """Do some work once for these facts, and keep its result, or its error."""
        return self._memo.once(key, work)

    def changed(self, tallies: Tallies) -> Facts:
        """Return the facts of the same release with other tallies."""
        return replace(self, _changed=tallies, _unchanged=self, _memo=Memo())

    def supposing(self, kind: type[F], **further: object) -> F:
        """Return facts of another kind, of a release that these tables could give."""
        same = (self._tables, self.roles, self.hierarchies, self.forgiving, self.remarks)
        return kind(*same, _unchanged=self, **further)  # type: ignore[arg-type]  # further fields of this kind

    def row_numbers(self, classes: Mask) -> IntArray:
        """Return the numbers, counted from 1, of the released rows in some classes; the table is read again."""
        if self.persons is not None and self.known == "all":
            return self._tables.row_numbers(records_of(self, classes))
        return self._tables.row_numbers(self.combinations.where(classes))

    # Tallies, and the classes they make.

    @kept
    def _tallies(self) -> Tallies:
        return self._changed or CountedTallies(self._tables, self.roles)

    @property
    def released(self) -> Tally:
        """The quasi-identifiers and sensitive attributes of the release."""
        return self._tallies.released

    @property
    def paired(self) -> Tally:
        """The quasi-identifiers of the original, as `Before(name)`, beside all columns of the release."""
        return self._tallies.paired

    @property
    def before(self) -> Tally:
        """The quasi-identifiers of the original, as `Before(name)`."""
        return self._tallies.before

    @cached_property
    def _outline(self) -> Outline | None:
        return outlined(lambda: self.released)

    @cached_property
    def _outline_before(self) -> Outline | None:
        return outlined(lambda: self.before)

    @property
    def fits(self) -> bool:
        """True if all combinations of the release are known, False if only the sizes of its classes are."""
        return self._outline is None

    @cached_property
    def classes(self) -> Groups:
        """The classes of the release."""
        if not self._outline:
            return self.known_classes
        self._tables.people.check_sizes(self._outline, self.name)
        if not self._outline.several:
            return SizeGroups.of(self._outline.histogram)
        if not self._tables.people.sizes_suffice:
            _ = self.released  # raises the error that the combinations do not fit
        return SizeGroups.of_people(self._outline)

    @cached_property
    def row_classes(self) -> Groups:
        """The classes of the release, with their numbers of rows, whoever these belong to."""
        if self._tables.people.column is None:
            return self.classes
        return SizeGroups.of(self._outline.histogram) if self._outline else self.known_row_classes

    @cached_property
    def known_classes(self) -> Classes:
        """The classes of the release with their values; raises an error if these do not fit in memory."""
        if (persons := self.published_persons) is None:
            return self._known_row_classes
        return classes_of_people(self.published, persons, self.roles.quasi_identifiers, self.known)

    @property
    def known_row_classes(self) -> Classes:
        """The classes of the release with their values and their numbers of rows, whoever these belong to."""
        return self.known_classes if self._tables.people.column is None else self._known_row_classes

    @cached_property
    def _known_row_classes(self) -> Classes:
        ids, tally = self.published.grouped(self.roles.quasi_identifiers)
        return Classes(tally.counts, tally.columns, ids)

    def finer_classes(self, further: Sequence[str]) -> FinerClasses:
        """Group the unsuppressed rows by the quasi-identifiers and further columns."""
        names = [*self.roles.quasi_identifiers, *further]
        if (persons := self.published_persons) is not None:
            return finer_classes_of_people(self.published, persons, names, self.known_classes)
        ids, tally = self.published.grouped(names)
        within = np.zeros(len(tally.counts), dtype=np.int64)
        within[ids] = self.known_classes.of_entry
        return FinerClasses(tally.counts, tally.columns, within, len(self.known_classes), ids)

    @property
    def combinations(self) -> Tally:
        """The quasi-identifiers of the unsuppressed rows, with their numbers of rows."""
        return Tally(self.known_row_classes.columns, self.known_row_classes.sizes)

    @cached_property
    def published(self) -> Tally:
        """The rows of the release that are not suppressed."""
        return self.released.where(~self.suppressed(self.released))

    def suppressed(self, tally: Tally) -> Mask:
        """Return a mask of the combinations of which all quasi-identifiers are suppressed."""
        return Grouping(self.roles.quasi_identifiers, self.marker).suppressed(tally)

    @cached_property
    def classes_before(self) -> Groups:
        """The classes of the original, without rows that are already suppressed there."""
        if self._outline_before:
            return SizeGroups.of(self._outline_before.histogram)
        grouping = Grouping(tuple(self.before.columns), self.marker)
        published = self.before.where(~grouping.suppressed(self.before))
        return Classes(published.counts, published.columns, np.arange(len(published.counts)))

    @property
    def rows_before(self) -> int:
        """How many rows the original has."""
        return self._outline_before.rows if self._outline_before else self.before.rows

    @cached_property
    def scope(self) -> Scope:
        """The size of the release, and the numbers of suppressed rows and missing cells."""
        if not (outline := self._outline):
            counts = self.released.counts
            suppressed = int(counts[self.suppressed(self.released)].sum())
            outline = Outline(self.released.rows, len(counts), suppressed, missing=missing_cells(self.released))
        missing = {str(name): cells for name, cells in outline.missing.items()}
        crowd, known = self.crowd, "" if self.crowd is None else self.crowd.known
        return Scope(self.name, outline.rows, outline.suppressed, len(self.classes), missing, crowd, known)

    @cached_property
    def has_lookalikes(self) -> bool:
        """True if rows look suppressed that are not; False if only the sizes of classes are known."""
        columns = self.roles.quasi_identifiers
        return self.fits and look_suppressed(self.released, columns, self.suppressed(self.released))

    # Sensitive attributes and the population.

    def spreads(self, only: str | None = None, *, joined: bool = False) -> Iterator[Spread]:
        """Yield the spread of each sensitive attribute, or of `only` one; `joined`: the others form classes, too."""
        names = self.roles.sensitive
        if not names:
            known = ", ".join(tellable(self._tables.release))
            hint = f"name one of the columns in sensitive=: {known}" if known else "name one in sensitive="
            raise NotAskableError("this measure needs a sensitive attribute, but no column is one", hint=hint)
        if only is not None and only not in names:
            raise UnknownNameError(f'"{only}" is not a sensitive attribute', hint=did_you_mean(only, names))
        for name in names if only is None else [only]:
            yield self.once(("spread", name, joined), partial(self._spread, name, joined=joined))

    def _spread(self, name: str, *, joined: bool) -> Spread:
        others = [other for other in self.roles.sensitive if other != name] if joined else []
        classes = self.finer_classes(others) if others else self.known_classes
        column = self.released.columns[name]
        unpublished = self.suppressed(self.released) & (column.codes == column.code(self.marker))
        if self.persons is None:
            return spread_of(name, self.released, self.published, classes, unpublished)
        hidden = self.suppressed(self.released), unpublished
        return spread_of_people(name, self.released, self.persons, classes, hidden)

    @kept
    def population(self) -> PopulationClasses:
        """The classes of the population, generalised as the release is."""
        return population_of(self)

    # Cells and their levels.

    @cached_property
    def columns(self) -> Columns:
        """The columns of the release, with their hierarchies."""
        unchanged = None if self._unchanged is None else self._unchanged.columns
        return Columns(self._tables, self._tallies, self.roles, self.hierarchies, self.forgiving, unchanged)

    @property
    def cells(self) -> tuple[Cells, ...]:
        """The cells of every quasi-identifier, with the level at which each is released."""
        return self.columns.cells

    @property
    def joint(self) -> Tally:
        """The tally that cells are read from: the pairs if there is an original, else the release."""
        return self.columns.joint
