"""The tables: a release, its original and a population. Only this module calls `sources` to count rows.

Tables cache every tally, so that rows are not read again if the same tables are used with other roles. `Tallies` are
what the facts of one release are computed from: counted from tables, or changed as in `what_if`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol, TypeVar

import numpy as np

from PETWorks.errors import NotAskableError, PairingError, PopulationError, Quantity, TooLargeError, UnknownValueError
from PETWorks.facts.memo import Memo, cached
from PETWorks.facts.people import People
from PETWorks.facts.roles import Roles
from PETWorks.hierarchies.values import Counts
from PETWorks.settings.sections import Preparing, Reading
from PETWorks.tables.counting.count import Batch
from PETWorks.tables.counting.persons import PersonCounts, PersonPairs, split_persons
from PETWorks.tables.counting.size_histogram import Grouping
from PETWorks.tables.counting.tally import Before, IntArray, Key, Tally, Value
from PETWorks.tables.counting.workspace import Workspace
from PETWorks.tables.opening import PairedSources, TableSource
from PETWorks.tables.row_codes import RowCodes, RowRecorder

if TYPE_CHECKING:
    from PETWorks.facts.editions import Edition
    from PETWorks.facts.facts import Facts


T = TypeVar("T")
HOLDS_SAMPLE = "pass a population that includes all people of the release"
KEY = "a column that is different in every row and the same in both tables"
UNPAIRED_HINT = 'omit synthetic= and pairing="none" if each row is that of one original row'
QUASI_IDENTIFIER = "a quasi-identifier of the release"  # how errors describe a column that a table must have


class Input(NamedTuple):
    """The record of an input table, by which the same table can be recognised later."""

    role: str  # "release", "original", "population" or "holdout"
    name: str
    columns: int
    form: str
    digest: str | None  # SHA-256 of the file; None for a table that is not in files


@dataclass(frozen=True, eq=False)
class InputTables:
    """A release and, if any, its original and a population. Each is counted on first use."""

    has_rows: ClassVar[bool] = True  # False: only counts were saved

    release: TableSource
    original: TableSource | None = None
    population: TableSource | None = None
    holdout: TableSource | None = None  # people of the same kind who took no part in making the release
    key: str | None = None  # the column that pairs rows; None: by position
    vouched: bool = False  # True: the caller vouches for the pairing
    unpaired: bool = False  # True: no row of the release is that of one row of the original
    synthetic: bool = False  # True: and the released rows are nobody's
    identifiers: tuple[str, ...] = ()  # columns that name people, of the original too
    removed: bool = False  # True: rows of the original were removed, so that rows pair by a key only
    shuffled: bool = False  # True: likewise, since the order is another
    weight: str | None = None  # the column of the sampling weights of the release
    people: People = People()  # the column of persons, if people have several rows
    marker: str = "*"
    reading: Reading = Reading()  # the caller's options for reading files
    preparing: Preparing = Preparing()  # how the original is prepared
    workspace: Workspace = field(default_factory=Workspace)
    editions: tuple[Edition, ...] = ()  # all releases of the same people, oldest first; the last is this one
    given: tuple[Any, Any] = (None, None)  # release and original as the caller passed them
    _memo: Memo = field(default_factory=Memo, repr=False)
    _tallies: list[Tally] = field(default_factory=list, repr=False)
    _held: dict[Key, list[PersonCounts]] = field(default_factory=dict, repr=False)  # by column of persons

    def __post_init__(self) -> None:
        for table in self.all_tables.values():
            if table is not None:
                table.memory = self.workspace.memory

    @property
    def all_tables(self) -> dict[str, TableSource | None]:
        """The tables by role, in the order in which they are listed."""
        roles = ("release", "original", "population", "holdout")
        return {role: getattr(self, role) for role in roles}

    def cache(self, key: Hashable, work: Callable[[], T]) -> T:
        """Return the cached result of `work` under this key: it depends on the tables alone, not on roles."""
        return self._memo.cache(key, work)

    @property
    def paired_original(self) -> TableSource | None:
        """The original, if the rows of the release pair with its rows."""
        return None if self.unpaired else self.original

    def count_released(self, names: Sequence[str], grouping: Grouping) -> Tally:
        """Count columns of the release. A TooLargeError has the sizes of the classes that `grouping` forms."""
        return self._count(names, grouping, lambda: self.release.tally(names, self.workspace, grouping))

    def count_paired(self, before: Sequence[str], after: Sequence[str]) -> Tally:
        """Pair the rows, and count columns of the original, as `Before(name)`, together with columns of the release."""
        keys: list[Key] = [*map(Before, before), *after]
        original = self._require_pairs(before)
        pairs = PairedSources(original, self.release, self.key, removed=self.removed)
        if self.removed:  # the pairs lack rows of the original
            return self._memo.cache((*keys, "paired"), lambda: pairs.tally(before, after, self.workspace))
        return self._count(keys, None, lambda: pairs.tally(before, after, self.workspace))

    def count_with_persons(self, before: Sequence[str], after: Sequence[str], grouping: Grouping) -> PersonCounts:
        """Count columns of the release, and of the original as `Before(name)`, with the persons of their combinations.

        Persons are taken from the release; if it has no person column, from the original, whose rows are paired.
        """
        person = str(self.people.column)
        elsewhere = self.original is not None and person in self.original.columns
        if person in self.release.columns:
            try:
                held = self._count_with_persons_of(person, before, after, grouping)
            except TooLargeError as error:
                if not elsewhere or error.summary is None or error.summary.marked < error.summary.rows:
                    raise
            else:
                if list(held.names[:2]) != [self.marker] or not elsewhere:
                    return held
        if self.original is None:
            more = "name a column of the release, or pass original=, if only that says whose rows they are"
            self.release.require([person], "the persons", self.release.columns, more)
        if self.moved and not before and self._has_one_row_each(person):  # then nobody has several rows of the release
            rows = self.count_released(after, grouping)
            return PersonCounts(rows, PersonPairs.of_rows(rows.counts), (), from_original=True)
        return self._count_with_persons_of(Before(person), before, after, grouping)

    @property
    def moved(self) -> bool:
        """True if rows do not pair by position, since some were removed or shuffled, and no key pairs them."""
        return self.key is None and (self.removed or self.shuffled)

    def _has_one_row_each(self, person: str) -> bool:
        """Return True if the original has a person column, and nobody has several rows."""
        original = self.require_original([person], "the persons")

        def count() -> bool:
            try:
                tally = original.tally([person], self.workspace)
            except TooLargeError as error:  # its size summary has the numbers of rows by person
                told = error.summary
                return told is not None and {*told.histogram} == {1} and not told.missing
            column = tally.columns[person]
            persons = PersonPairs.from_pairs(
                np.zeros_like(tally.counts), column.codes, tally.counts, len(column.values)
            )
            held = PersonCounts(tally, persons, column.values)
            return not self.people.assign_persons(held, original.name, self.marker).several

        return self._memo.cache(("one row each", person), count)

    def _count_with_persons_of(
        self, person: Key, before: Sequence[str], after: Sequence[str], grouping: Grouping
    ) -> PersonCounts:
        keys: list[Key] = [*map(Before, before), *after]
        for one in self._held.get(person, []):
            if all(key in one.tally.columns for key in keys):
                return one.select(keys)
        with_person = grouping._replace(person=person)
        if isinstance(person, Before):
            self.require_original([person.name], "the persons")
            counted = self._count_pairs([*before, person.name], after, with_person)
        elif before:
            counted = self._count_pairs(before, [*after, person], with_person)
        else:
            counted = self.release.tally([*after, person], self.workspace, with_person)
        held = split_persons(counted, person)
        self._held.setdefault(person, []).append(held)
        return held

    def _count_pairs(self, before: Sequence[str], after: Sequence[str], grouping: Grouping) -> Tally:
        pairs = PairedSources(self._require_pairs(before), self.release, self.key, removed=self.removed)
        return pairs.tally(before, after, self.workspace, grouping)

    def read_side_by_side(self, before: Sequence[str], after: Sequence[str]) -> Iterator[Batch]:
        """Read columns of the original and of the release once more, row by row in order."""
        return PairedSources(self.require_original(before), self.release).read_in_order(before, after)

    def count_before(self, names: Sequence[str], grouping: Grouping) -> Tally:
        """Count columns of the original, as `Before(name)`."""
        original = self.require_original(names)

        def count() -> Tally:
            tally = original.tally(names, self.workspace, grouping)
            return Tally({Before(str(name)): column for name, column in tally.columns.items()}, tally.counts)

        return self._count([Before(name) for name in names], grouping, count)

    def count_population(self, names: Sequence[str], rows: int) -> Tally:
        """Count columns of the population; raise an error if it has fewer than `rows` rows."""
        population = self.require_population()
        population.require(names, QUASI_IDENTIFIER)
        people = self._memo.cache(("population", *names), lambda: population.tally(names, self.workspace))
        if people.rows < rows:
            problem = "{there}, but the release has {here}"
            figures = {"there": Quantity(people.rows, "row"), "here": Quantity(rows, "row")}
            raise PopulationError(problem, where=population.name, hint=HOLDS_SAMPLE, figures=figures)
        return people

    def count_population_with_persons(self, names: Sequence[str]) -> PersonCounts | None:
        """Count columns of the population, with the persons of their combinations; None without a person column."""
        population, person = self.require_population(), self.people.column
        if person is None or person not in population.columns:
            return None
        population.require(names, QUASI_IDENTIFIER)

        def count() -> PersonCounts:
            grouping = Grouping(tuple(names), self.marker, person)
            held = split_persons(population.tally([*names, person], self.workspace, grouping), person)
            return held._replace(persons=self.people.assign_persons(held, population.name, self.marker))

        return self._memo.cache(("population held", *names), count)

    def require_population(self) -> TableSource:
        """Return the population; raise an error if there is none."""
        if self.population is None:
            raise NotAskableError("this measure compares the release with a population", hint="pass population=")
        return self.population

    def _count(self, keys: Sequence[Key], grouping: Grouping | None, count: Callable[[], Tally]) -> Tally:
        """Return the tally of these columns; derive it from an earlier tally that has all of them."""
        for tally in self._tallies:
            if all(key in tally.columns for key in keys):
                return tally.select(keys)
        tally = self._memo.cache((*keys, grouping), count)
        self._tallies.append(tally)
        return tally

    def require_key(self) -> None:
        """Raise an error if a table lacks the key, even if no measure pairs the rows."""
        for one in filter(None, (self.release, self.original)):
            if self.key is not None:
                one.require([self.key], "the key", one.columns)

    def require_original(self, names: Sequence[str], what: str = QUASI_IDENTIFIER) -> TableSource:
        """Return the original; raise an error if there is none, or if it lacks one of the columns."""
        if self.original is None:
            raise NotAskableError("this measure compares the release with its original", hint="pass original=")
        self.original.require(names, what, self.release.columns)
        return self.original

    def _require_pairs(self, names: Sequence[str]) -> TableSource:
        """Return the original, which pairs by position or key; raise an error if rows cannot pair by position."""
        original = self.require_original(names)
        if self.unpaired:
            problem = "the rows of this release pair with no rows of {original}"
            raise PairingError(
                problem, where=self.release.name, figures={"original": original.name}, hint=UNPAIRED_HINT
            )
        if self.moved:
            done = " and ".join(["removed"] * self.removed + ["shuffled"] * self.shuffled)
            problem = "rows do not pair with those of {original} by position, since some were {done}"
            figures = {"original": original.name, "done": done}
            raise PairingError(problem, where=self.release.name, hint=f"pass {KEY} as key=", figures=figures)
        return original

    @property
    def files(self) -> tuple[Path, ...]:
        """The files that the tables are read from."""
        tables = (*self.all_tables.values(), *self.earlier_tables)
        return tuple(Path(path) for table in tables if table is not None for path in table.files)

    @property
    def earlier_tables(self) -> tuple[TableSource, ...]:
        """The tables of the earlier editions, oldest first, each once."""
        tables = [one for edition in self.editions for one in edition.tables.all_tables.values() if one is not None]
        return tuple(one for one in dict.fromkeys(tables) if one not in self.all_tables.values())

    def build_unknown_error(
        self, role: str, column: str, holders: Mapping[Value, int], what: str, hint: str
    ) -> UnknownValueError:
        """Build the error for values that should not be in a column of a table; it names a row that has each value."""
        source: TableSource = getattr(self, role)
        return source.build_unknown_error(column, holders, what, hint)

    def find_row_numbers(self, combinations: Tally) -> IntArray:
        """Return the numbers, from 1, of the released rows that have one of the combinations of values."""
        return self.release.find_rows(combinations)

    def record_rows(self) -> None:
        """Store the codes of all rows of release and original in the next pass over them, which saves another pass."""
        for table in (self.release, self.original):
            if table is not None and not table.counts_in_cluster:
                table.recorder = self._record(table)

    def read_rows(self, table: TableSource) -> RowCodes:
        """Return all columns of the release or the original; raise a TooLargeError if they do not fit in memory."""
        return self._record(table).codes

    def _record(self, table: TableSource) -> RowRecorder:
        return self._memo.cache(("rows", table is self.release), lambda: RowRecorder(table, self.spare_workspace))

    @property
    def spare_workspace(self) -> Workspace:
        """A quarter of the memory, for checks of premises: tallies stay in memory, and texts take much."""
        return replace(self.workspace, memory=self.workspace.memory // 4)

    def hash_while_reading(self) -> None:
        """Compute the digests of files while the tables are read, where possible."""
        for table in (*self.all_tables.values(), *self.earlier_tables):
            if table is not None:
                table.hash_while_reading()

    def describe_inputs(self) -> tuple[Input, ...]:
        """Describe the tables for the record of the results; reads files whose digest is not known yet."""
        return tuple(
            Input(role, one.name, len(one.columns), ", ".join(one.form), one.digest())
            for role, one in self.all_tables.items()
            if one is not None
        )


class Tallies(Protocol):
    """The tallies from which facts are computed."""

    @property
    def released(self) -> Tally:
        """The quasi-identifiers and sensitive attributes of the release."""

    @property
    def paired(self) -> Tally:
        """The quasi-identifiers of the original, as `Before(name)`, beside all columns of the release."""

    @property
    def before(self) -> Tally:
        """The quasi-identifiers of the original, as `Before(name)`."""

    @property
    def persons(self) -> PersonPairs | None:
        """The person of each row of `released`; None without a person column."""

    @property
    def paired_persons(self) -> PersonPairs | None:
        """The person of each row of `paired`; None without a person column."""

    @property
    def named_persons(self) -> tuple[str | None, Sequence[Value]]:
        """The person column of the release, and each person's cell; None without such a column."""


def find_tables(facts: Facts) -> InputTables:
    """Return the tables of facts. Only rooms that build facts and releases may call it; measures must not."""
    return facts._tables  # noqa: SLF001 (hidden from measures)


@dataclass(frozen=True, eq=False)
class CountedTallies:
    """Tallies counted from tables."""

    _tables: InputTables
    roles: Roles

    @property
    def _grouping(self) -> Grouping:
        return Grouping(self.roles.quasi_identifiers, self._tables.marker)

    @cached
    def released(self) -> Tally:
        """The quasi-identifiers and sensitive attributes of the release."""
        if self._tables.people.column is not None:
            return self._person_counts.tally
        return self._tables.count_released([*self.roles.quasi_identifiers, *self._others], self._grouping)

    @cached
    def paired(self) -> Tally:
        """The quasi-identifiers of the original, as `Before(name)`, beside all columns of the release."""
        names = self.roles.quasi_identifiers
        if self._tables.people.column is not None:
            return self._paired_person_counts.tally
        return self._tables.count_paired(names, [*names, *self._others])

    @cached
    def _person_counts(self) -> PersonCounts:
        return self._tables.count_with_persons([], [*self.roles.quasi_identifiers, *self._others], self._grouping)

    @cached
    def _paired_person_counts(self) -> PersonCounts:
        names = self.roles.quasi_identifiers
        return self._tables.count_with_persons(names, [*names, *self._others], self._grouping)

    @cached
    def persons(self) -> PersonPairs | None:
        """The person of each row of `released`; None without a person column."""
        if self._tables.people.column is None:
            return None
        return self._tables.people.assign_persons(self._person_counts, self._tables.release.name, self._tables.marker)

    @cached
    def paired_persons(self) -> PersonPairs | None:
        """The person of each row of `paired`; None without a person column."""
        if self.persons is None:
            return None
        return self._tables.people.assign_persons(
            self._paired_person_counts, self._tables.release.name, self._tables.marker
        )

    @property
    def _others(self) -> list[str]:
        """The columns of the release that are counted together with the quasi-identifiers."""
        weight, counted = self._tables.weight, (*self.roles.quasi_identifiers, *self.roles.sensitive)
        return [*self.roles.sensitive, *([weight] if weight is not None and weight not in counted else [])]

    @cached
    def before(self) -> Tally:
        """The quasi-identifiers of the original, as `Before(name)`."""
        return self._tables.count_before(self.roles.quasi_identifiers, self._grouping)

    @property
    def named_persons(self) -> tuple[str | None, Sequence[Value]]:
        """The person column of the release, and each person's cell; None without such a column."""
        if self._tables.people.column is None or self._person_counts.from_original:
            return None, ()
        return self._tables.people.column, self._person_counts.names


def count_raw_values(tables: InputTables, roles: Roles, name: str) -> Counts:
    """Count the values of a column before recoding: those that rules of hierarchies are built on.

    A quasi-identifier is counted in the original, another column in the release. Values that only the population has
    get the count 0. Suppressed cells do not count.
    """
    counts = _count_values(tables, roles, name)
    if tables.population is not None and name in roles.quasi_identifiers:
        try:
            people = tables.count_population(roles.quasi_identifiers, rows=0)
        except TooLargeError:
            people = tables.population.tally([name], tables.workspace)
        counts = dict.fromkeys(people.columns[name].values, 0) | counts
    return {value: count for value, count in counts.items() if value != tables.marker}


def _count_values(tables: InputTables, roles: Roles, name: str) -> dict[str | None, int]:
    tallies, known = CountedTallies(tables, roles), name in roles.quasi_identifiers
    if known and tables.original is None:
        problem = f'the hierarchy of "{name}" is built on the values of the original, which is not given'
        raise NotAskableError(problem, hint="pass original=, or a file: petworks hierarchy writes one")
    apart = known and tables.original is not tables.release
    key: Key = Before(name) if apart else name
    try:
        tally = (tallies.before if apart else tallies.released).select([key])
    except TooLargeError:
        source = tables.original if apart and tables.original is not None else tables.release
        tally = source.tally([name], tables.workspace)
        key = name
    return _count_people(tally, key)


def _count_people(tally: Tally, key: Key) -> dict[str | None, int]:
    column = tally.columns[key]
    return dict(zip([column.values[code] for code in column.codes.tolist()], tally.counts.tolist(), strict=True))
