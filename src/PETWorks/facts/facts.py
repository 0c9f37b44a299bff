"""Facts of a release: its tallies with roles and hierarchies applied.

Each fact is computed on first use and cached. Facts return counts only, and raise errors that state what is wrong with
a table. No public name leads to a source, a file or a row.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, Literal, TypeVar, overload

import numpy as np

from PETWorks.errors import NotAskableError, UnknownNameError, did_you_mean
from PETWorks.facts.cells import Cells
from PETWorks.facts.classes import Classes, FinerClasses, Groups, PopulationClasses, SizeGroups, Unit
from PETWorks.facts.columns import Columns
from PETWorks.facts.editions import Editions
from PETWorks.facts.memo import Memo, cached
from PETWorks.facts.notes import GUESSED, Name, Note, PeopleSummary, Scope
from PETWorks.facts.people import Known, find_joining_column
from PETWorks.facts.people_classes import find_records, group_people, group_people_further
from PETWorks.facts.pool import Pool, find_comparable, find_pool
from PETWorks.facts.population import find_population_classes
from PETWorks.facts.roles import Roles
from PETWorks.facts.spread import Spread, count_people_by_value, count_rows_by_value
from PETWorks.facts.tallies import CountedTallies, InputTables, Tallies
from PETWorks.hierarchies.hierarchy import Hierarchy
from PETWorks.tables.counting.persons import PersonPairs
from PETWorks.tables.counting.size_histogram import Grouping, SizeSummary, count_missing_cells, summarise_if_too_large
from PETWorks.tables.counting.tally import Coded, IntArray, Key, Mask, Tally, Value
from PETWorks.tables.counting.workspace import write_memory
from PETWorks.tables.source import TableSource, find_showable_names

T = TypeVar("T")
F = TypeVar("F", bound="Facts")

MARKS = {  # of suppressed, unknown or missing cells; full-width forms are the same
    *("", "*", "**", "***", "-", "--", "—", "?", "na", "n/a", "n.a.", "nan", "null", "none", "nil"),
    *("unknown", "missing", "suppressed", "redacted", "masked", "無", "不詳", "未知", "不明", "遮蔽", "已遮蔽"),
}
FULL_WIDTH = {code + 0xFEE0: code for code in range(0x21, 0x7F)}


def _tally_pool(pool: Pool, counts: IntArray) -> Tally:
    columns: dict[Key, Coded] = {str(name): column for name, column in pool.columns.items()}
    return Tally(columns, counts).where(counts > 0)


def has_marks_in_every_column(tally: Tally, columns: Sequence[str], suppressed: Mask) -> bool:
    """Return True if unsuppressed rows hold a common mark of suppression in each of several columns.

    Such rows form a class, often the largest, which makes mean risks look small.
    """
    looks = ~suppressed if len(columns) > 1 else np.zeros(len(tally.counts), dtype=bool)
    for name in columns:
        column = tally.columns[name]
        marks = [(value or "").translate(FULL_WIDTH).casefold() in MARKS for value in column.values]
        looks = looks & np.array(marks, dtype=bool)[column.codes]
    return bool(looks.any())


@dataclass(frozen=True, eq=False)
class Facts:
    """A release, with or without an original and a population, ready to be measured."""

    _tables: InputTables = field(repr=False)
    roles: Roles
    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict)
    forgiving: bool = False  # True: values that a hierarchy lacks count as fully generalised, and are not an error
    remarks: tuple[Note, ...] = ()
    changed: Tallies | None = field(default=None, repr=False)  # used instead of the tallies of the tables
    unchanged: Facts | None = field(default=None, repr=False)  # the facts as released, if tallies are changed
    made_at: Mapping[str, int] | None = field(default=None, repr=False)  # the level vector that the release was made at
    _memo: Memo = field(default_factory=Memo, init=False, repr=False)  # new facts, of `replace` too, have an empty one

    def cache(self, key: Hashable, work: Callable[[], T]) -> T:
        """Return the cached result of `work` under this key, or raise its cached error."""
        return self._memo.cache(key, work)

    def with_tallies(self, tallies: Tallies) -> Facts:
        """Return the facts of the same release with other tallies."""
        return replace(self, changed=tallies, unchanged=self)

    @cached
    def of_original(self) -> Facts:
        """The facts of the original, as if it were released: for measures that have no meaning for synthetic rows."""
        original = self._tables.require_original(self.roles.quasi_identifiers)
        tables = InputTables(
            original,
            people=self._tables.people,
            marker=self.marker,
            reading=self._tables.reading,
            workspace=self._tables.workspace,
        )
        sensitive = tuple(name for name in self.roles.sensitive if name in original.columns)
        return Facts(tables, replace(self.roles, sensitive=sensitive), self.hierarchies, self.forgiving, self.remarks)

    def with_changes(self, kind: type[F], **further: object) -> F:
        """Return facts of a subclass for another release of the same tables."""
        same = (self._tables, self.roles, self.hierarchies, self.forgiving, self.remarks)
        return kind(*same, unchanged=self, **further)  # type: ignore[arg-type]  # further fields of this kind

    def find_row_numbers(self, classes: Mask) -> IntArray:
        """Return the numbers, from 1, of the released rows in some classes; reads the table again."""
        if self.persons is not None and self.known == "all":
            return self._tables.find_row_numbers(find_records(self, classes))
        return self._tables.find_row_numbers(self.combinations.where(classes))

    @property
    def known_levels(self) -> Mapping[str, int] | None:
        """The level of each quasi-identifier; None: levels follow from the released values."""
        return self.made_at if self.changed is None else None

    # The tables.

    @property
    def name(self) -> str:
        """The name of the release in messages."""
        return self._tables.release.name

    @property
    def marker(self) -> str:
        """The text of a suppressed cell."""
        return self._tables.marker

    @property
    def key(self) -> str | None:
        """The column that pairs the rows of original and release; None: by position."""
        return self._tables.key

    @property
    def weight(self) -> str | None:
        """The column that has the sampling weights; None: there are none."""
        return self._tables.weight

    @property
    def known(self) -> Known:
        """The rows of a person that an adversary knows: one record, or all."""
        return self._tables.people.known

    @property
    def has_original(self) -> bool:
        """True if an original was given."""
        return self._tables.original is not None

    @property
    def rows_pair(self) -> bool:
        """True if there is an original, and each released row pairs with one of its rows."""
        return self._tables.paired_original is not None

    @property
    def unpaired(self) -> bool:
        """True if the caller declared that released rows pair with no rows of the original."""
        return self._tables.unpaired

    @property
    def synthetic(self) -> bool:
        """True if the release is synthetic: its rows belong to nobody."""
        return self._tables.synthetic

    @property
    def has_holdout(self) -> bool:
        """True if there is a hold-out: people who took no part in making the release."""
        return self._tables.holdout is not None

    @property
    def has_earlier(self) -> bool:
        """True if earlier releases of the same people were given."""
        return bool(self._tables.editions)

    @cached
    def editions(self) -> Editions:
        """All releases of the same people; an error without earlier ones, or of a release that is only tried."""
        if not self._tables.editions:
            problem = "this measure compares the release with earlier ones of the same people"
            raise NotAskableError(problem, hint="pass earlier=")
        if self.changed is not None:
            raise NotAskableError("this measure is of files that are written, beside each other")
        *earlier, newest = self._tables.editions
        newest = replace(newest, roles=self.roles, hierarchies=self.hierarchies)
        return Editions([*earlier, newest])

    @property
    def has_population(self) -> bool:
        """True if a population was given."""
        return self._tables.population is not None

    @property
    def notes(self) -> tuple[Note, ...]:
        """Notes on the tables: an encoding that was guessed, or too many combinations for the memory."""
        sources = self._tables.all_tables.values()
        guessed = self._tables.reading.encoding is None
        odd = [one for one in sources if guessed and one is not None and one.encoding not in (None, "utf-8")]
        notes = [Note(GUESSED, {"file": Name(one.name), "encoding": Name(one.encoding)}) for one in odd]
        if not self.fits_in_memory:
            notes.append(Note("sizes_only", {"memory": write_memory(self._tables.workspace.memory)}))
        return *self.remarks, *notes

    def apply_to_both(self, function: Callable[[Any], T]) -> tuple[T, T]:
        """Return the results of the caller's function for the release and the original, as the caller passed them."""
        if not self.has_original:
            raise NotAskableError("this measure compares the release with its original", hint="pass original=")
        released, original = self._tables.given
        if released is None:
            hint = "write the release to a file, and measure that"
            raise NotAskableError("this measure calls a function with the release, which is not written yet", hint=hint)
        return function(released), function(original)

    # Tallies, and the classes they make.

    @cached
    def tallies(self) -> Tallies:
        """The tallies that the facts are computed from."""
        return self.changed or CountedTallies(self._tables, self.roles)

    @property
    def released(self) -> Tally:
        """The quasi-identifiers and sensitive attributes of the release."""
        return self.tallies.released

    @property
    def paired(self) -> Tally:
        """The quasi-identifiers of the original, as `Before(name)`, beside all columns of the release."""
        return self.tallies.paired

    @property
    def before(self) -> Tally:
        """The quasi-identifiers of the original, as `Before(name)`."""
        return self.tallies.before

    @cached_property
    def _outline(self) -> SizeSummary | None:
        return summarise_if_too_large(lambda: self.released)

    @cached_property
    def _outline_before(self) -> SizeSummary | None:
        return summarise_if_too_large(lambda: self.before)

    @property
    def fits_in_memory(self) -> bool:
        """True if all combinations of the release are known, False if only the sizes of its classes are."""
        return self._outline is None

    @overload
    def groups(self, unit: Unit = ..., *, with_values: Literal[True]) -> Classes: ...

    @overload
    def groups(self, unit: Unit = ..., *, with_values: bool = ...) -> Groups: ...

    def groups(self, unit: Unit = Unit.PEOPLE, *, with_values: bool = False) -> Groups:
        """Return the classes of the release, whose sizes are people or rows; the same object if these are the same.

        `with_values` raises an error if the values of the classes do not fit in memory; otherwise the classes then have
        only sizes.
        """
        if with_values or (outline := self._outline) is None:
            return self._classes_of_people if unit is Unit.PEOPLE else self._classes_of_rows
        return self.cache(("sizes", unit), lambda: self._count_sizes(unit, outline))

    @property
    def classes(self) -> Groups:
        """The classes of the release, whose sizes are people."""
        return self.groups(Unit.PEOPLE)

    @cached_property
    def _classes_of_people(self) -> Classes:
        if (persons := self.published_persons) is None:
            return self._classes_of_rows
        return group_people(self.published, persons, self.roles.quasi_identifiers, self.known)

    @cached_property
    def _classes_of_rows(self) -> Classes:
        ids, tally = self.published.group(self.roles.quasi_identifiers)
        return Classes(tally.counts, tally.columns, ids)

    def _count_sizes(self, unit: Unit, outline: SizeSummary) -> Groups:
        if unit is Unit.ROWS:
            return SizeGroups.of(outline.histogram)
        self._tables.people.check_sizes(outline, self.name)
        if not outline.several:
            return self.groups(Unit.ROWS)
        if not self._tables.people.sizes_suffice:
            _ = self.released  # raises the error that the combinations do not fit
        return SizeGroups.of_people(outline)

    def form_finer_classes(self, further: Sequence[str]) -> FinerClasses:
        """Group the unsuppressed rows by the quasi-identifiers and further columns."""
        names = [*self.roles.quasi_identifiers, *further]
        if (persons := self.published_persons) is not None:
            return group_people_further(self.published, persons, names, self.groups(with_values=True))
        ids, tally = self.published.group(names)
        within = np.zeros(len(tally.counts), dtype=np.int64)
        within[ids] = self.groups(with_values=True).of_entry
        return FinerClasses(tally.counts, tally.columns, within, len(self.groups(with_values=True)), ids)

    @property
    def combinations(self) -> Tally:
        """The quasi-identifiers of the unsuppressed rows, with their numbers of rows."""
        classes = self.groups(Unit.ROWS, with_values=True)
        return Tally(classes.columns, classes.sizes)

    @cached_property
    def published(self) -> Tally:
        """The rows of the release that are not suppressed."""
        return self.released.where(~self.find_suppressed(self.released))

    def find_suppressed(self, tally: Tally) -> Mask:
        """Return a mask of the combinations whose quasi-identifiers are all suppressed."""
        return Grouping(self.roles.quasi_identifiers, self.marker).find_suppressed(tally)

    @cached_property
    def classes_before(self) -> Groups:
        """The classes of the original, without rows that are already suppressed there."""
        if self._outline_before:
            return SizeGroups.of(self._outline_before.histogram)
        grouping = Grouping(tuple(self.before.columns), self.marker)
        published = self.before.where(~grouping.find_suppressed(self.before))
        return Classes(published.counts, published.columns, np.arange(len(published.counts)))

    @property
    def rows_before(self) -> int:
        """The number of rows of the original."""
        return self._outline_before.rows if self._outline_before else self.before.rows

    @cached_property
    def scope(self) -> Scope:
        """The size of the release, and the numbers of suppressed rows and missing cells."""
        if not (outline := self._outline):
            counts = self.released.counts
            suppressed = int(counts[self.find_suppressed(self.released)].sum())
            outline = SizeSummary(
                self.released.rows, len(counts), suppressed, missing=count_missing_cells(self.released)
            )
        missing = {str(name): cells for name, cells in outline.missing.items()}
        crowd, known = self.people_summary, "" if self.people_summary is None else self.people_summary.known
        return Scope(self.name, outline.rows, outline.suppressed, len(self.classes), missing, crowd, known)

    @cached_property
    def has_unmarked_full_generalisation(self) -> bool:
        """True if rows hold another mark than the marker for suppression in every quasi-identifier.

        False if only the sizes of classes are known.
        """
        if not self.fits_in_memory:
            return False
        suppressed = self.find_suppressed(self.released)
        return has_marks_in_every_column(self.released, self.roles.quasi_identifiers, suppressed)

    # Sensitive attributes and the population.

    def spreads(self, only: str | None = None, *, joined: bool = False) -> Iterator[Spread]:
        """Yield the distribution of each sensitive attribute, or of `only` one.

        With `joined`, the other sensitive attributes form classes, too.
        """
        names = self.roles.sensitive
        if not names:
            known = ", ".join(find_showable_names(self._tables.release))
            hint = f"name one of the columns in sensitive=: {known}" if known else "name one in sensitive="
            raise NotAskableError("this measure needs a sensitive attribute, but no column is one", hint=hint)
        if only is not None and only not in names:
            raise UnknownNameError(f'"{only}" is not a sensitive attribute', hint=did_you_mean(only, names))
        for name in names if only is None else [only]:
            yield self.cache(("spread", name, joined), partial(self._spread, name, joined=joined))

    def _spread(self, name: str, *, joined: bool) -> Spread:
        others = [other for other in self.roles.sensitive if other != name] if joined else []
        classes = self.form_finer_classes(others) if others else self.groups(with_values=True)
        column = self.released.columns[name]
        unpublished = self.find_suppressed(self.released) & (column.codes == column.code(self.marker))
        if self.persons is None:
            return count_rows_by_value(name, self.released, self.published, classes, unpublished)
        hidden = self.find_suppressed(self.released), unpublished
        return count_people_by_value(name, self.released, self.persons, classes, hidden)

    @cached
    def population(self) -> PopulationClasses:
        """The classes of the population, generalised as the release is."""
        return find_population_classes(self)

    def find_pool(
        self,
        names: Sequence[str],
        levels: Mapping[str, int] | None = None,
        bins: Mapping[str, int] | None = None,
    ) -> Pool:
        """Return the people of original and hold-out beside the released rows, by combination of some columns."""
        return find_pool(self, names, levels, bins)

    def pair_columns(self, names: Sequence[str]) -> Tally:
        """Return the original's cells of some columns, as `Before(name)`, beside those that were released."""
        try:
            return self._tables.count_paired(names, names)
        except UnknownNameError as error:
            raise NotAskableError(error.problem, where=error.where, hint=error.hint) from None

    def tally_release(self, names: Sequence[str]) -> Tally:
        """Return the rows of the release by combination of some columns."""
        pool = self._find_counted_pool(names)
        return self._tally(self._tables.release, names) if pool is None else _tally_pool(pool, pool.released)

    def tally_original(self, names: Sequence[str]) -> Tally:
        """Return the rows of the original by combination of some columns, whether or not rows pair."""
        original, pool = self._tables.require_original(()), self._find_counted_pool(names)
        return self._tally(original, names) if pool is None else _tally_pool(pool, pool.original.counts)

    def _find_counted_pool(self, names: Sequence[str]) -> Pool | None:
        """Return the pool of some columns where other measures count it as well, and its people are rows."""
        shared = self.unpaired and self.has_original and self._tables.people.column is None
        return self.find_pool(names) if shared and {*names} <= {*self.comparable} else None

    def _tally(self, source: TableSource, names: Sequence[str]) -> Tally:
        try:
            source.require(names, "a column of this measure", self._tables.release.columns)
        except UnknownNameError as error:
            lacking = ", ".join(f'"{name}"' for name in names if name not in source.columns)
            problem = f"this measure needs {lacking}, and there is no such column"
            raise NotAskableError(problem, where=error.where, hint=error.hint) from None
        key = ("rows", source is self._tables.release, tuple(names))
        return self._tables.cache(key, lambda: source.tally(names, self._tables.workspace))

    @property
    def comparable(self) -> tuple[str, ...]:
        """The columns that release and original share, identifiers left out."""
        return find_comparable(self)

    # People who have several rows.

    @cached
    def all_persons(self) -> PersonPairs | None:
        """The person of each row of `released`; None without a person column."""
        if not self.fits_in_memory or (persons := self.tallies.persons) is None:
            return None
        if self.named_persons[0] is None and persons.several:
            _ = self.columns.pairing  # the original says whose rows they are: rows that do not pair are an error
        return persons

    @cached
    def persons(self) -> PersonPairs | None:
        """The person of each row of `released`; None if nobody has several rows."""
        return self.all_persons if self.all_persons is not None and self.all_persons.several else None

    @cached
    def paired_persons(self) -> PersonPairs | None:
        """The person of each row of `paired`; None if nobody has several rows."""
        return None if self.persons is None else self.tallies.paired_persons

    @property
    def joint_persons(self) -> PersonPairs | None:
        """The person of each row of `joint`; None if nobody has several rows."""
        return self.paired_persons if self.rows_pair else self.persons

    @cached_property
    def published_persons(self) -> PersonPairs | None:
        """The person of each row of `published`; None if nobody has several rows."""
        return None if self.persons is None else self.persons.where(~self.find_suppressed(self.released))

    @property
    def named_persons(self) -> tuple[str | None, Sequence[Value]]:
        """The person column of the release, and each person's cell; None without such a column."""
        return self.tallies.named_persons

    @property
    def nobody_in_several_classes(self) -> bool:
        """True if it is known that nobody is in several classes, however detailed the release is."""
        return self.persons is None

    @cached_property
    def people_summary(self) -> PeopleSummary | None:
        """The numbers of people in all, in classes and with suppressed rows; None if every row is one person."""
        outline = self._outline
        if self.persons is not None:
            people, suppressed = (
                self.persons.occurring,
                self.persons.where(self.find_suppressed(self.released)).occurring,
            )
        elif outline is not None and outline.several:
            people, suppressed = outline.people, outline.suppressed_people
        else:
            return None
        return PeopleSummary(self.known, people, self.classes.everybody, self.classes.rows, suppressed)

    @cached_property
    def people_notes(self) -> tuple[Note, ...]:
        """Notes for every result that counts people: what an adversary knows, and what joins a person's rows."""
        if (crowd := self.people_summary) is None:
            return ()
        rows = self.scope.rows - self.scope.suppressed
        figures = {"people": crowd.published, "rows": rows, "pairs": crowd.pairs, "classes": len(self.classes)}
        notes = [Note(f"known_{crowd.known}", figures)]
        if crowd.known == "one" and (column := self._joining_column) is not None:
            notes.append(Note("joinable", {"column": column}, warning=True))
        return tuple(notes)

    @property
    def population_notes(self) -> tuple[Note, ...]:
        """A warning if the population has no person column."""
        doubtful = self.people_summary is not None and self.population_lacks_persons
        return (Note("population_rows", warning=True),) if doubtful else ()

    @property
    def _joining_column(self) -> Name | None:
        """The column of the release that joins the rows of a person; None if none is known.

        If only the sizes of classes are known, a person column of the release is assumed to join rows.
        """
        outline = self._outline
        if outline is None:
            return find_joining_column(self)
        named = isinstance(outline.person, str) and outline.unnamed < outline.rows
        return Name(outline.person) if named else None

    @property
    def population_lacks_persons(self) -> bool:
        """True if the population has no person column: each of its rows counts as one person."""
        population, person = self._tables.population, self._tables.people.column
        return population is not None and person is not None and person not in population.columns

    # Cells and their levels.

    @cached_property
    def columns(self) -> Columns:
        """The columns of the release, with their hierarchies."""
        unchanged = None if self.unchanged is None else self.unchanged.columns
        return Columns(self._tables, self.tallies, self.roles, self.hierarchies, self.forgiving, unchanged)

    @property
    def cells(self) -> tuple[Cells, ...]:
        """The cells of every quasi-identifier, with the level at which each is released."""
        return self.columns.cells

    @property
    def joint(self) -> Tally:
        """The tally that cells are read from: the pairs if there is an original, else the release."""
        return self.columns.joint
